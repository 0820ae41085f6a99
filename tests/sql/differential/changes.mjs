// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Random changes of a table w with keys, CHECKs, NOT NULL and DEFAULT: INSERT with and without ON CONFLICT, UPDATE,
// DELETE, MERGE and TRUNCATE. A script is { kind: 'script', columns, constraints, steps }; render.mjs has their texts.

import { stored } from './data.mjs';
import { Expressions, bool, isFloat, isInteger } from './expressions.mjs';

const node = (op, t, a, more) => ({ op, t, a, ...more });
const table = (alias, name = alias) => ({ kind: 'table', name, alias });

export class Changes {
  constructor(random, tables, portable) {
    this.random = random;
    this.sources = [tables[0], tables[1], tables[5]];
    this.expressions = new Expressions(random, portable);
  }

  script() {
    const { random } = this;
    const base = random.pick(this.sources);
    const columns = this.columns(base), constraints = this.constraints(columns);
    const script = { kind: 'script', columns, constraints, steps: [] };
    script.steps.push({ step: 'insert', into: table('w'), names: columns.map((c) => c.name), filtered: true, conflict: { names: null },
      from: table('r', base.name), items: this.leaves(columns, 'r'), limit: random.between(1, 60) });
    for (let i = random.between(4, 12); i > 0; i--) script.steps.push(this.step(script));
    return script;
  }

  columns(base) {
    const { random } = this;
    const others = base.columns.filter((c) => !stored[c.name] && c.name !== 'id' && c.name !== 'w');
    while (others.length > 5) others.splice(random.below(others.length), 1);
    return [base.columns[0], ...others].map((c) => ({ name: c.name, t: c.t, m: c.m, wild: c.wild, values: c.values, distinct: c.distinct,
      notNull: random.chance(15), given: random.chance(30) ? this.expressions.literalLike(c) : null }));
  }

  leaves(columns, rel) {
    return columns.map((c) => node('col', c.t, [], { rel, name: c.name, m: c.m, wild: c.wild, values: c.values, distinct: Math.max(1, c.distinct) }));
  }

  constraints(columns) {
    const { random } = this;
    const list = [], keys = columns.filter((c) => c.name !== 'id' && (!isFloat(c.t) || random.chance(30)));
    if (random.chance(80)) list.push({ kind: random.pick(['PRIMARY KEY', 'UNIQUE']), names: ['id'] });
    for (let i = random.pick([0, 0, 1, 2]); i > 0 && keys.length; i--) {
      const names = [random.pick(keys).name, random.pick(random.chance(50) ? keys : columns).name];
      list.push({ kind: 'UNIQUE', names: [...new Set(names)] });
    }
    for (let i = random.below(3); i > 0; i--) {
      const scope = { leaves: this.leaves(columns, null), outer: [] };
      const e = this.expressions.condition(scope, 2);
      list.push({ kind: 'CHECK', e: random.chance(70) ? node('or', bool, [e, this.expressions.predicate(scope, 1)]) : e });
    }
    const firm = random.chance(70); // DuckDB takes NULLs of one statement for the same
    for (const c of columns) if (firm && list.some((l) => l.names?.includes(c.name))) c.notNull = true;
    return list;
  }

  step(script) {
    const kind = this.random.weighted([[16, 'insert'], [8, 'update'], [6, 'delete'], [10, 'merge'], [1, 'truncate']]);
    return kind === 'truncate' ? { step: kind } : this[kind](script);
  }

  // ---- INSERT ----

  insert(script) {
    const { random, expressions } = this;
    const columns = script.columns.filter((c) => c.name === 'id' || random.chance(85));
    const step = { step: 'insert', into: table('w'), names: columns.map((c) => c.name) };
    if (random.chance(50)) {
      step.list = Array.from({ length: random.between(1, 4) }, () => columns.map((c) => (random.chance(6) ? { op: 'default', t: c.t, a: [] }
        : random.chance(80) ? expressions.literalLike(c) : expressions.make({ leaves: [], outer: [] }, c.t, 1))));
    } else {
      const source = random.pick(this.sources);
      const leaves = this.leaves(source.columns, 'r');
      Object.assign(step, { from: table('r', source.name), limit: random.between(1, 40),
        filtered: columns.length === script.columns.length && random.chance(70),
        items: columns.map((c) => this.value({ leaves, outer: [] }, c)) });
    }
    if (random.chance(65)) step.conflict = this.conflict(script);
    this.returning(step, script);
    return step;
  }

  // Often a column of the same name.
  value(scope, column) {
    const { random } = this;
    const same = scope.leaves.filter((leaf) => leaf.name === column.name && leaf.t.k === column.t.k && leaf.t.s === column.t.s);
    if (same.length && random.chance(60)) return random.pick(same);
    return this.expressions.make(scope, column.t, random.between(0, 2));
  }

  conflict(script) {
    const { random } = this;
    const keys = script.constraints.filter((c) => c.kind !== 'CHECK');
    if (!keys.length || random.chance(45)) return { names: keys.length && random.chance(50) ? random.pick(keys).names : null };
    const key = random.pick(keys);
    const scope = { leaves: [...this.leaves(script.columns, 'w'), ...this.leaves(script.columns, 'excluded')], outer: [] };
    return { names: key.names, excluded: table('excluded', 'w'), sets: this.sets(script, scope, keys),
      where: random.chance(35) ? this.expressions.condition(scope, 1) : null };
  }

  // Mostly not of keys, which others compare row by row.
  sets(script, scope, keys) {
    const { random } = this;
    const taken = new Set(keys.flatMap((c) => c.names));
    const free = script.columns.filter((c) => !taken.has(c.name) || random.chance(12));
    const chosen = free.filter(() => random.chance(40));
    if (!chosen.length) chosen.push(random.pick(free.length ? free : script.columns));
    return chosen.map((c) => ({ name: c.name, e: this.value(scope, c) }));
  }

  returning(step, script) {
    const { random } = this;
    if (step.from?.alias && step.step !== 'insert') return;
    if (!random.chance(35)) return;
    const scope = { leaves: this.leaves(script.columns, null), outer: [] };
    step.returning = Array.from({ length: random.between(1, 3) }, () => this.expressions.make(scope, random.pick(script.columns).t, random.below(2)));
  }

  // ---- The others ----

  keysOf(script) {
    return script.constraints.filter((c) => c.kind !== 'CHECK');
  }

  // Another table, of which each row of w matches one at most.
  joined(script) {
    const { random } = this;
    const source = random.pick(this.sources), leaves = this.leaves(source.columns, 'r');
    const link = random.pick(this.leaves(script.columns, 'w').filter((leaf) => isInteger(leaf.t) && (leaf.name === 'id' || random.chance(50))).concat(
      this.leaves(script.columns, 'w').filter((leaf) => leaf.name === 'id')));
    const on = node('compare', bool, [link, leaves.find((leaf) => leaf.name === 'id')], { sign: '=' });
    return { from: table('r', source.name), on, leaves, scope: { leaves: [...this.leaves(script.columns, 'w'), ...leaves], outer: [] } };
  }

  update(script) {
    const { random } = this;
    const other = random.chance(40) ? this.joined(script) : null;
    const scope = other?.scope ?? { leaves: this.leaves(script.columns, 'w'), outer: [] };
    const step = { step: 'update', into: table('w'), from: other?.from, on: other?.on, sets: this.sets(script, scope, this.keysOf(script)),
      where: random.chance(80) ? this.expressions.condition(scope, 2) : null };
    this.returning(step, script);
    return step;
  }

  delete(script) {
    const { random } = this;
    const other = random.chance(40) ? this.joined(script) : null;
    const scope = other?.scope ?? { leaves: this.leaves(script.columns, 'w'), outer: [] };
    const all = this.expressions.condition(scope, 1), some = node('in', bool, [this.leaves(script.columns, 'w')[0],
      ...Array.from({ length: random.between(1, 9) }, () => this.expressions.literalLike(script.columns[0]))]);
    const step = { step: 'delete', into: table('w'), from: other?.from, on: other?.on, where: random.chance(60) ? node('and', bool, [all, some]) : all };
    this.returning(step, script);
    return step;
  }

  merge(script) {
    const { random, expressions } = this;
    const { from, on, leaves, scope } = this.joined(script);
    const parts = random.chance(25) ? [on, expressions.condition(scope, 1)] : [on];
    const whens = Array.from({ length: random.between(1, 3) }, () => {
      const matched = random.chance(55), within = matched ? scope : { leaves, outer: [] };
      const when = { matched, where: random.chance(50) ? expressions.condition(within, 1) : null };
      if (random.chance(10)) return when;
      if (matched && random.chance(30)) return { ...when, removes: true };
      if (matched) return { ...when, sets: this.sets(script, within, this.keysOf(script)) };
      const columns = script.columns.filter((c) => c.name === 'id' || random.chance(85));
      return { ...when, names: columns.map((c) => c.name), items: columns.map((c) => (random.chance(6) ? { op: 'default', t: c.t, a: [] } : this.value(within, c))) };
    });
    for (const matched of [true, false]) { // the last one alone may be for all rows
      const same = whens.filter((when) => when.matched === matched);
      for (const when of same.slice(0, -1)) when.where ??= expressions.condition(matched ? scope : { leaves, outer: [] }, 1);
    }
    return { step: 'merge', into: table('w'), from, on: parts.length > 1 ? node('and', bool, parts) : on, whens };
  }
}

// ---- What must hold ----

const text = (v, t) => (v === null ? null : isFloat(t) ? String(Number(v) + 0) : v);

// The key that two of the rows have, or null.
export function duplicate(script, rows) {
  for (const { kind, names } of script.constraints) {
    if (kind === 'CHECK') continue;
    const at = names.map((name) => script.columns.findIndex((c) => c.name === name));
    const seen = new Set();
    for (const row of rows) {
      const key = at.map((i) => text(row[i], script.columns[i].t));
      if (key.includes(null)) continue;
      if (seen.has(key.join('\n'))) return `${names.join(', ')}: ${key.join(', ')}`;
      seen.add(key.join('\n'));
    }
  }
  return null;
}

// Whether a step sets a column of a key.
export function setsKeys(script, step) {
  const names = new Set(script.constraints.flatMap((c) => c.names ?? []));
  const sets = [...(step.sets ?? []), ...(step.conflict?.sets ?? []), ...(step.whens ?? []).flatMap((w) => w.sets ?? [])];
  return sets.some((s) => names.has(s.name));
}

