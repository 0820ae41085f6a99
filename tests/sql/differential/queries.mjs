// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Random queries over tables. A query is { kind: select, setop or values, ... }, see render.mjs for what it may have;
// `rows` estimates its rows, so that no join becomes too large.

import { Expressions, bool, commonNumber, date, dec, f64, fits, i32, i64, isFloat, isInteger, isNumber, literal, text, ts,
} from './expressions.mjs';

const MOST_ROWS = 20000;
const node = (op, t, a, more) => ({ op, t, a, ...more });
const sameType = (a, b) => a.k === b.k && a.s === b.s;
const hasColumn = (e) => e.op === 'col' || e.a.some(hasColumn);

// Whether columns have a value in common.
function meets(a, b) {
  a.set ??= new Set(a.values.map((v) => (v === null ? null : isNumber(a.t) ? Number(v) : v)));
  return b.values.some((v) => v !== null && a.set.has(isNumber(b.t) ? Number(v) : v));
}

const spreads = ['stddev', 'variance', 'stddev_pop', 'var_pop', 'var_samp', 'stddev_samp'];
const covariances = ['covar_pop', 'covar_samp', 'regr_avgx'];

export class Queries {
  constructor(random, tables, portable) {
    this.random = random;
    this.tables = tables;
    this.expressions = new Expressions(random, portable);
    this.types = this.expressions.types;
    this.count = 0;
    this.known = []; // queries of WITH
  }

  statement() {
    this.count = 0;
    const ctes = this.random.chance(14) ? this.ctes() : [];
    this.known = ctes;
    const q = this.query(3, null, ctes);
    this.known = [];
    if (this.random.chance(8)) q.detour = this.random.pick(['table', 'insert', 'prepare', 'parameters', 'parameters']);
    return q;
  }

  ctes() {
    const list = [];
    for (let i = this.random.between(1, 2); i > 0; i--) {
      const q = this.query(1, null, [], [...list]);
      if (q.kind === 'values') continue; // whose columns have other names in DuckDB
      list.push({ name: `q${++this.count}`, q });
    }
    return list;
  }

  scope(leaves, depth, outer = []) {
    const scope = { leaves, outer };
    if (depth > 0) {
      scope.subquery = {
        scalar: (within, t) => this.scalar(within, t, depth - 1),
        condition: (within) => this.subqueryCondition(within, depth - 1),
      };
    }
    return scope;
  }

  query(depth, types, ctes, known = ctes) {
    const way = this.random.below(100);
    const q = way < 12 && depth > 0 ? this.setOperation(depth, types, known)
      : way < 15 ? this.values(types) : this.select(depth, types, known);
    q.ctes = ctes;
    return q;
  }

  // ---- FROM ----

  relation(depth, known) {
    const { random } = this;
    const alias = `r${++this.count}`;
    if (known.length && random.chance(70)) {
      const cte = random.pick(known);
      return this.derived({ kind: 'cte', name: cte.name, alias }, cte.q);
    }
    if (depth > 1 && random.chance(12)) {
      const q = this.query(depth - 2, null, [], random.chance(50) ? known : []);
      return this.derived({ kind: 'query', q, alias, names: q.kind === 'values' || random.chance(50) }, q);
    }
    const table = random.weighted([[3, this.tables[0]], [3, this.tables[1]], [3, this.tables[2]], [2, this.tables[3]],
      [1, this.tables[4]], [2, this.tables[5]]]);
    const leaves = table.columns.map((c) => node('col', c.t, [], { rel: alias, name: c.name, m: c.m, wild: c.wild,
      values: c.values, distinct: Math.max(1, c.distinct) }));
    return { from: { kind: 'table', name: table.name, alias }, leaves, rows: table.rows };
  }

  derived(from, q) {
    if (from.names) q.columns.forEach((c, i) => { c.alias = `n${i + 1}`; });
    const leaves = q.columns.map((c) => node('col', c.t, [], { rel: from.alias, name: from.names ? c.alias : c.name, m: c.m,
      wild: c.wild, distinct: Math.max(1, c.t.k === 'bool' ? 2 : q.rows / 3) }));
    return { from, leaves, rows: q.rows };
  }

  // An equality between two sides, and how many rows it leaves.
  equality(left, right) {
    const { random } = this;
    let best = null;
    for (let tries = 0; tries < 12; tries++) {
      const a = random.pick(left.leaves), b = random.pick(right.leaves);
      const numeric = isInteger(a.t) && isInteger(b.t) || (random.chance(10) && isNumber(a.t) && isNumber(b.t));
      if (a.rel === null || b.rel === null || (!sameType(a.t, b.t) && !numeric)) continue;
      if (a.values && b.values && !random.chance(10) && !meets(a, b)) continue;
      const rows = left.rows * right.rows / Math.max(1, a.distinct, b.distinct);
      const better = best && (a.name === 'id' || b.name === 'id' || a.name === 'k') && rows < MOST_ROWS;
      if (!best || rows < best.rows / 50 || better) best = { on: node('compare', bool, random.chance(50) ? [a, b] : [b, a], { sign: '=' }), rows, a, b };
      if (best.rows < MOST_ROWS && random.chance(40)) break;
    }
    return best && best.rows < MOST_ROWS ? best : null;
  }

  using(left, right, type) {
    const { random } = this;
    const shared = ['id', 'k', 's', 'd'].filter((name) => left.leaves.filter((l) => l.name === name).length === 1 &&
      right.leaves.filter((r) => r.name === name).length === 1);
    const names = shared.filter(() => random.chance(50));
    const pair = (name) => [left, right].map((side) => side.leaves.find((leaf) => leaf.name === name));
    if (!names.length || names.some((name) => !sameType(...pair(name).map((leaf) => leaf.t)))) return null;
    if (left.leaves.concat(right.leaves).some((leaf) => leaf.rel === null)) return null;
    const rows = left.rows * right.rows / Math.max(...names.flatMap((name) => pair(name).map((leaf) => leaf.distinct)));
    if (rows > MOST_ROWS) return null;
    const merged = names.map((name) => ({ ...pair(name)[type === 'RIGHT' ? 1 : 0], rel: null }));
    return { using: names, rows, merged };
  }

  // NATURAL JOIN of tables, whose keys are columns of all of them.
  natural(left, right, type) {
    const pairs = left.leaves.map((a) => [a, right.leaves.find((b) => b.name === a.name)]).filter(([, b]) => b);
    const plain = [left, right].every((side) => side.from.kind === 'table');
    if (!plain || pairs.some(([a, b]) => !sameType(a.t, b.t))) return null;
    const merged = pairs.map((pair) => ({ ...pair[type === 'RIGHT' ? 1 : 0], rel: null }));
    return { merged, rows: Math.min(left.rows, right.rows) };
  }

  join(first, second, depth) {
    const { random } = this;
    const names = (side) => new Set(side.leaves.filter((leaf) => leaf.rel !== null).map((leaf) => leaf.name));
    const clear = (side, other) => ({ ...side, leaves: side.leaves.filter((leaf) => leaf.rel !== null || !names(other).has(leaf.name)) });
    const left = clear(first, second), right = clear(second, first);
    const leaves = [...left.leaves, ...right.leaves];
    const type = random.weighted([[6, 'INNER'], [5, 'LEFT'], [2, 'RIGHT'], [2, 'FULL'], [1, 'CROSS'], [5, ',']]);
    const product = left.rows * right.rows;
    const outer = { LEFT: Math.max(1, left.rows), RIGHT: Math.max(1, right.rows), FULL: left.rows + right.rows }[type] ?? 0;
    const made = (more, rows) => ({ from: { kind: 'join', type, left: left.from, right: right.from, ...more }, leaves,
      rows: rows + outer, where: [...(left.where ?? []), ...(right.where ?? [])] });
    if (product <= MOST_ROWS && (type === 'CROSS' || (type === ',' && random.chance(15)))) return made({}, product);
    if (type === 'CROSS') return null;
    if (type !== ',' && random.chance(6)) {
      const natural = this.natural(left, right, type);
      if (natural) {
        const joined = made({ natural: true }, natural.rows);
        joined.leaves = [...leaves, ...natural.merged];
        return joined;
      }
    }
    if (type !== ',' && random.chance(25)) {
      const using = this.using(left, right, type);
      if (using) {
        const joined = made({ using: using.using }, using.rows);
        joined.leaves = [...leaves, ...using.merged];
        return joined;
      }
    }
    if (type !== 'FULL' && type !== ',' && product <= MOST_ROWS && random.chance(15))
      return made({ on: this.expressions.condition(this.scope(leaves, 0), 2) }, product);
    const equal = this.equality(left, right);
    if (!equal) return product <= 4000 && type !== 'FULL' && type !== ',' ? made({ on: literal(bool, 'true') }, product) : null;
    if (type === ',') {
      const joined = made({}, equal.rows);
      joined.where.push(equal.on);
      return joined;
    }
    const parts = [equal.on];
    const more = random.chance(15) ? this.equality(left, right) : null;
    if (more) parts.push(more.on);
    if (type !== 'FULL' && random.chance(25))
      parts.push(this.expressions.condition(this.scope(leaves, random.chance(40) ? depth - 1 : 0), 1));
    return made({ on: parts.length > 1 ? node('and', bool, parts) : parts[0] }, equal.rows);
  }

  // A table with others by their key.
  star() {
    const { random } = this;
    const table = (t) => {
      for (;;) {
        const made = this.relation(0, []);
        if (!t || made.from.name === t.name) return made;
      }
    };
    let all = table(null);
    const fact = all.leaves;
    for (let i = random.between(1, 3); i > 0; i--) {
      const dimension = table(random.pick(this.tables));
      const key = dimension.leaves.find((leaf) => leaf.name === 'id');
      const links = fact.filter((leaf) => isInteger(leaf.t) && leaf.name !== 'id' && meets(key, leaf));
      if (!links.length) continue;
      const on = node('compare', bool, [random.pick(links), key], { sign: '=' });
      const comma = random.chance(40);
      const type = comma ? ',' : random.chance(80) ? 'INNER' : 'LEFT';
      all = { from: { kind: 'join', type, left: all.from, right: dimension.from, ...(comma ? {} : { on }) },
        leaves: [...all.leaves, ...dimension.leaves], rows: all.rows, where: [...(all.where ?? []), ...(comma ? [on] : [])] };
    }
    return all;
  }

  from(depth, known) {
    const { random } = this;
    if (random.chance(15)) return this.star();
    let all = this.relation(depth, known);
    const wanted = random.weighted([[40, 1], [30, 2], [18, 3], [8, 4], [4, 5]]) - (depth < 2 ? 1 : 0);
    for (let i = 1; i < wanted; i++) {
      let right = this.relation(depth, known);
      if (i + 1 < wanted && random.chance(20)) right = this.join(right, this.relation(depth, known), depth) ?? right;
      const swapped = random.chance(15);
      const joined = swapped ? this.join(right, all, depth) : this.join(all, right, depth);
      if (joined && joined.rows <= MOST_ROWS * 2) all = joined;
    }
    return random.chance(10) ? this.lateral(all) : all;
  }

  // With a LATERAL query behind it, of one row for each of its rows, or of those that belong to it.
  lateral(all) {
    const { random } = this;
    const outer = all.leaves.filter((leaf) => leaf.op === 'col' && leaf.rel !== null);
    const made = outer.length && this.inner({ leaves: outer }, random.chance(60) || 'any');
    if (!made) return all;
    const { q } = made, one = random.chance(50);
    if (!one && all.rows * q.rows > MOST_ROWS) return all;
    const both = this.scope([...made.scope.leaves, ...outer], 0);
    const value = (t) => (one ? this.aggregate({ ...made.scope, exact: true }, t) : this.expressions.make(random.chance(50) ? both : made.scope, t, 1));
    q.items = Array.from({ length: random.between(1, 3) }, (_, i) => ({ e: value(random.pick([i64, ...this.types])), name: `c${i + 1}` }));
    q.columns = q.items.map(({ e, name }) => ({ t: e.t, m: e.m ?? e.a[0]?.m ?? 0, wild: e.wild ?? e.a[0]?.wild, name }));
    q.aggregated = one;
    q.rows = one ? 1 : q.rows;
    const type = random.pick([',', 'CROSS', 'LEFT', 'LEFT']);
    const { from, leaves } = this.derived({ kind: 'query', lateral: true, q, alias: `r${++this.count}` }, q);
    return { ...all, from: { kind: 'join', type, left: all.from, right: from, ...(type === 'LEFT' ? { on: literal(bool, 'true') } : {}) },
      leaves: [...all.leaves, ...leaves], rows: all.rows * Math.max(1, q.rows) };
  }

  // ---- SELECT ----

  // `types` of the list are given where it belongs to a set operation, whose values must be alike to the last bit.
  select(depth, types, known) {
    const { random } = this;
    if (random.chance(2)) return this.finish({ kind: 'select', from: null, rows: 1 }, this.scope([], 0), types);
    const source = this.from(depth, known);
    const q = { kind: 'select', from: source.from, rows: source.rows };
    const scope = this.scope(source.leaves, depth - 1);
    const parts = [...(source.where ?? [])];
    if (random.chance(55)) parts.push(this.expressions.condition(scope, random.between(1, 3)));
    while (random.chance(15)) parts.push(this.expressions.condition(scope, 1));
    if (parts.length) q.where = parts.length > 1 ? node('and', bool, parts) : parts[0];
    return random.chance(38) ? this.grouped(q, scope, types, depth) : this.finish(q, scope, types);
  }

  items(q, scope, types, most) {
    const { random } = this;
    const wanted = types ?? Array.from({ length: random.between(1, most) }, () => this.expressions.anyType(scope));
    q.items = wanted.map((t, i) => {
      const plain = scope.leaves.filter((leaf) => sameType(leaf.t, t));
      const e = plain.length && random.chance(60) ? random.pick(plain) : this.expressions.make(scope, t, random.between(1, 3));
      return { e, name: `c${i + 1}` };
    });
    q.columns = q.items.map(({ e, name }) => ({ t: e.t, m: e.m ?? 0, wild: e.wild, name }));
  }

  finish(q, scope, types) {
    const { random } = this;
    const all = scope.leaves;
    if (!types && all.length && all.length < 14 && random.chance(20) && all.every((leaf) => leaf.rel !== null) &&
      new Set(all.map((leaf) => leaf.name)).size === all.length && !this.hasUsing(q.from)) {
      q.star = true;
      q.items = all.map((e) => ({ e, name: e.name }));
      q.columns = all.map((e) => ({ t: e.t, m: e.m, wild: e.wild, name: e.name }));
    } else {
      this.items(q, scope, types, 4);
      if (!types && all.length && random.chance(15)) this.addWindow(q, scope);
    }
    q.distinct = random.chance(12);
    q.fromFirst = random.chance(8);
    this.order(q, scope);
    return q;
  }

  // One more column, of a window function that does not depend on the order of equal rows.
  addWindow(q, scope) {
    const { random } = this;
    const name = random.weighted([[2, 'rank'], [2, 'dense_rank'], [1, 'cume_dist'], [3, 'count'], [4, 'sum'], [2, 'avg'], [3, 'min'], [3, 'max'],
      [2, random.pick(spreads)], [2, random.pick(covariances)]]);
    const numbers = scope.leaves.filter((leaf) => leaf.t.k === 'i32' && !leaf.wild);
    const adds = /sum|avg|std|var/.test(name);
    if (adds && !numbers.length) return;
    const plain = name === 'rank' || name === 'dense_rank' || name === 'cume_dist';
    const x = plain || (name === 'count' && random.chance(50)) ? null : random.pick(adds ? numbers : scope.leaves);
    const t = /rank|count|sum/.test(name) ? i64 : adds || name === 'cume_dist' ? f64 : x.t;
    const order = Array.from({ length: plain ? 1 : random.below(3) }, () => ({ e: random.pick(scope.leaves), descending: random.chance(40),
      nulls: random.pick(['FIRST', 'LAST']) }));
    const partition = Array.from({ length: random.below(3) }, () => random.pick(scope.leaves));
    const e = node('window', t, covariances.includes(name) ? [x, random.pick(numbers)] : x ? [x] : [], { name, partition, order, frame: plain ? null : this.frame(order), m: x ? (x.m ?? 0) * 1e5 : 1e5,
      wild: x?.wild });
    q.items.push({ e, name: `c${q.items.length + 1}` });
    q.columns.push({ t, m: e.m, wild: e.wild, name: `c${q.items.length}` });
    if (random.chance(40)) q.qualify = { e, is: /rank|count/.test(name) ? `<= ${random.between(1, 9)}` : random.pick(['IS NOT NULL', 'IS NULL']) };
  }

  frame(order) {
    const { random } = this;
    if (random.chance(25)) return null;
    const t = order.length === 1 ? order[0].e.t : null;
    const ranges = t && !order[0].e.wild && ['i32', 'i64', 'dec', 'f64', 'date'].includes(t.k);
    const unit = order.length && random.chance(50) ? 'GROUPS' : 'RANGE';
    const far = unit === 'GROUPS' || ranges;
    const distance = () => (unit === 'GROUPS' ? random.below(4) : t.k === 'date' ? `INTERVAL '${random.below(40)}' DAY`
      : t.k === 'dec' || t.k === 'f64' ? `${random.below(9)}.5` : random.below(12));
    const edges = ['UNBOUNDED PRECEDING', ...(far ? [`${distance()} PRECEDING`] : []), 'CURRENT ROW', ...(far ? [`${distance()} FOLLOWING`] : []),
      'UNBOUNDED FOLLOWING'];
    const begin = random.below(edges.length - 1), end = Math.max(1, random.between(begin, edges.length - 1));
    const exclude = random.chance(35) ? random.pick(['CURRENT ROW', 'GROUP', 'TIES', 'NO OTHERS']) : null;
    return { unit, begin: edges[begin], end: edges[end], exclude };
  }

  hasUsing(f) {
    return f.kind === 'join' && (f.using || f.natural || this.hasUsing(f.left) || this.hasUsing(f.right));
  }

  // ORDER BY of positions, mostly; LIMIT where the order is total.
  order(q, scope) {
    const { random } = this;
    q.order = [];
    if (!random.chance(40)) return;
    const total = random.chance(55);
    const positions = q.columns.map((_, i) => i).sort(() => random.below(3) - 1);
    const chosen = total ? positions : positions.slice(0, random.between(1, positions.length));
    q.order = chosen.map((item) => ({ item, descending: random.chance(45), nulls: random.pick([null, null, 'FIRST', 'LAST']),
      named: random.chance(30) }));
    if (!total && scope && q.kind === 'select' && !q.distinct && random.chance(30)) {
      const e = this.expressions.make(scope, this.expressions.anyType(scope), 1);
      if (hasColumn(e)) q.order.push({ e, descending: random.chance(50), nulls: null });
    }
    if (total && scope && q.kind === 'select' && !q.distinct && random.chance(12)) q.on = random.between(1, q.order.length);
    if (total && random.chance(60)) {
      if (random.chance(85)) q.limit = random.pick([0, 1, 2, 3, 10, 50]);
      if (random.chance(40)) q.offset = random.pick([0, 1, 2, 7, 30]);
      q.rows = Math.min(q.rows, q.limit ?? q.rows);
    }
  }

  // ---- GROUP BY ----

  aggregate(scope, t) {
    const { random } = this;
    const { expressions } = this;
    const inner = { ...scope, subquery: random.chance(25) ? scope.subquery : undefined };
    const filter = () => (random.chance(15) ? expressions.condition(inner, 1) : undefined);
    const distinct = random.chance(15);
    const make = (name, type, e, m) => node('aggregate', type, e ? [e] : [], { name, m, filter: filter(), distinct: e && distinct });
    const value = (type) => (random.chance(60) ? expressions.leaf(inner, type) : expressions.make(inner, type, 2));
    const tame = (type) => {
      const e = value(type);
      return e.wild ? literal(type, 2) : e;
    };
    const ordered = (name, e, more, m) => ({ ...make(name, t, e, m), ...more });
    const e = value(t), i = tame(i32); // sorted by, which must not be constants for DuckDB
    if (hasColumn(e) && t.k === 'text' && random.chance(50)) return ordered('string_agg', e, { descending: random.chance(40) }, undefined);
    if (hasColumn(e) && random.chance(15)) return ordered('percentile_disc', e, { distinct: false, fraction: random.below(9) / 8 }, undefined);
    if (hasColumn(i) && !scope.exact && t.k === 'f64' && random.chance(25)) {
      return ordered('percentile_cont', i, { distinct: false, fraction: random.below(9) / 8 }, i.m);
    }
    if (t.k === 'bool') return make(random.pick(['bool_and', 'bool_or', 'every']), t, value(bool), 0);
    if (hasColumn(i) && isInteger(t) && random.chance(10)) {
      return { ...make(random.pick(['bit_and', 'bit_or', 'bit_xor']), t, t.k === 'i32' ? i : tame(t), 2 ** (t.k === 'i32' ? 31 : 53)), wild: true };
    }
    if (t.k === 'i64' && random.chance(60)) {
      return random.chance(50) ? make('count', t, null, 1e5) : make('count', t, value(expressions.anyType(inner)), 1e5);
    }
    if (t.k === 'i64') {
      const e = tame(i32);
      return make('sum', t, e, e.m * 1e5);
    }
    if (t.k === 'dec' && random.chance(60)) {
      const e = tame(t);
      if (fits(t, e.m * 1e4)) return make('sum', t, e, e.m * 1e4);
    }
    if (t.k === 'f64' && random.chance(70)) {
      const name = random.weighted([[6, 'avg'], [3, 'sum'], [scope.exact ? 0 : 1, random.pick(spreads)], [scope.exact ? 0 : 1, random.pick(covariances)]]);
      const of = name === 'sum' ? f64 : expressions.numberType(inner); // stddev of doubles is as it is rounded
      const e = tame(covariances.includes(name) || (isFloat(of) && spreads.includes(name)) ? i32 : of);
      const one = make(name, t, e, e.m * 1e5);
      return covariances.includes(name) ? { ...one, a: [e, tame(i32)], distinct: false, m: 1e5 } : one;
    }
    return make(random.pick(['min', 'max']), t, value(t), undefined);
  }

  grouped(q, scope, types, depth) {
    const { random } = this;
    const exprs = [];
    for (let i = random.weighted([[20, 0], [40, 1], [25, 2], [10, 3], [5, 4]]); i > 0; i--) {
      const t = this.expressions.anyType(scope);
      const e = random.chance(70) ? this.expressions.leaf(scope, t) : this.expressions.make({ ...scope, subquery: undefined }, t, 2);
      if (hasColumn(e) && !exprs.includes(e)) exprs.push(e);
    }
    const merged = (e) => e.rel === null || e.a.some(merged); // may be the same as a column of a table
    q.group = exprs.length ? this.groupBy(exprs, exprs.some(merged)) : null;
    const keys = exprs.map((e) => ({ ...e, key: true }));
    const wanted = types ?? [];
    const kinds = new Set([...wanted, ...Array.from({ length: 3 }, () => random.pick([i64, ...this.types]))]);
    const aggregates = [...kinds].map((t) => this.aggregate({ ...scope, exact: types !== null }, t)).map((e) => ({ ...e, m: e.m ?? e.a[0].m, wild: e.wild ?? e.a[0]?.wild }));
    if (q.group && q.group.kind !== 'plain' && random.chance(50)) {
      aggregates.push({ ...node('grouping', i32, exprs.filter((_, i) => i === 0 || random.chance(50)), {}), m: 31, wild: false });
    }
    const after = this.scope([...keys, ...aggregates], random.chance(20) ? depth - 1 : 0);
    this.items(q, after, types, 4);
    if (!types && random.chance(70)) {
      q.items.unshift(...keys.map((e) => ({ e })));
      q.items.forEach((item, i) => { item.name = `c${i + 1}`; });
      q.columns = q.items.map(({ e, name }) => ({ t: e.t, m: e.m ?? 0, wild: e.wild, name }));
      if (q.group?.kind === 'plain' && random.chance(25)) q.group.positions = true;
    }
    if (random.chance(25)) q.having = this.expressions.condition(after, 2);
    q.aggregated = true;
    if (!exprs.length) q.rows = 1;
    this.order(q, after);
    return q;
  }

  groupBy(exprs, plain) {
    const { random } = this;
    const kind = plain ? 'plain' : random.weighted([[75, 'plain'], [9, 'ROLLUP'], [6, 'CUBE'], [10, 'SETS']]);
    if (kind !== 'SETS') return { kind, exprs };
    const sets = Array.from({ length: random.between(1, 3) }, () => exprs.map((_, i) => i).filter(() => random.chance(60)));
    const all = exprs.map((_, i) => i), without = all.some((i) => !sets.some((set) => set.includes(i)));
    return { kind, exprs, sets: [...(without || random.chance(50) ? [all] : []), ...sets, ...(random.chance(30) ? [[]] : [])] };
  }

  // ---- Set operations, VALUES ----

  setOperation(depth, types, known) {
    const { random } = this;
    const wanted = types ?? Array.from({ length: random.between(1, 3) }, () => random.pick(this.types));
    const mixed = { i32: [i64, dec(2), f64], i64: [i32, dec(2)], dec: [i32, i64], f64: [i32, dec(2)] };
    const other = (t) => (!types && mixed[t.k] && random.chance(12) && !this.expressions.portable ? random.pick(mixed[t.k]) : t);
    const side = () => {
      const list = wanted.map(other);
      const q = random.chance(15) && depth > 1 ? this.setOperation(depth - 1, list, known) : this.select(depth - 1, list, known);
      q.ctes = [];
      if (!random.chance(10)) Object.assign(q, { order: [], on: undefined, limit: undefined, offset: undefined });
      return q;
    };
    const left = side(), right = side();
    const op = random.weighted([[4, 'UNION'], [2, 'INTERSECT'], [2, 'EXCEPT']]);
    const q = { kind: 'setop', op, all: random.chance(50), left, right, rows: left.rows + right.rows };
    q.columns = left.columns.map((c, i) => ({ ...c, m: Math.max(c.m, right.columns[i].m), wild: c.wild || right.columns[i].wild,
      t: isNumber(c.t) ? commonNumber(c.t, right.columns[i].t) : c.t }));
    this.order(q, null);
    return q;
  }

  values(types) {
    const { random } = this;
    const wanted = types ?? Array.from({ length: random.between(1, 3) }, () => random.pick(this.types));
    const scope = this.scope([], 0);
    const list = Array.from({ length: random.between(1, 4) }, () => wanted.map((t) => this.expressions.make(scope, t, 1)));
    const q = { kind: 'values', list, rows: list.length };
    q.columns = wanted.map((t, i) => ({ t, m: Math.max(...list.map((row) => row[i].m ?? 0)), name: `column${i + 1}` }));
    this.order(q, null);
    for (const o of q.order) o.named = false;
    return q;
  }

  // ---- Subqueries ----

  // One table, whose rows often belong to a row outside.
  inner(scope, correlated) {
    const { random } = this;
    const source = this.relation(0, random.chance(40) ? this.known : []);
    const q = { kind: 'select', from: source.from, rows: source.rows, order: [], ctes: [] };
    const parts = [];
    const outside = { leaves: scope.leaves.filter((leaf) => leaf.op === 'col' && leaf.rel !== null && !leaf.key), rows: 1 };
    const grouped = { leaves: scope.leaves.filter((leaf) => leaf.op === 'col' && leaf.rel !== null), rows: 1 };
    const outer = outside.leaves.length ? outside : grouped;
    if (correlated && outer.leaves.length) {
      const equal = this.equality({ ...outer, rows: 1 }, { ...source, rows: 1 });
      if (!equal) return null;
      parts.push(equal.on);
      if (correlated === 'any' && random.chance(40)) parts[0] = { ...equal.on, sign: random.pick(['<', '>=', '<>']) };
      if (correlated === 'any' && random.chance(25))
        parts.push(this.expressions.condition(this.scope([...source.leaves, ...outer.leaves], 0), 1));
    }
    if (this.random.chance(50)) parts.push(this.expressions.condition(this.scope(source.leaves, 0), 2));
    if (parts.length) q.where = parts.length > 1 ? node('and', bool, parts) : parts[0];
    return { q, scope: this.scope(source.leaves, 0) };
  }

  // Whether a condition leaves at most one row: the key equals something.
  isKey(where, leaf) {
    return where.op === 'and' ? where.a.some((e) => this.isKey(e, leaf)) : where.op === 'compare' && where.sign === '=' && where.a.includes(leaf);
  }

  asItem(q, e) {
    q.items = [{ e, name: 'c1' }];
    q.columns = [{ t: e.t, m: e.m ?? 0, wild: e.wild, name: 'c1' }];
    return q;
  }

  scalar(scope, t, depth) {
    const made = this.inner(scope, this.random.chance(50) && (this.random.chance(40) ? 'any' : true));
    if (!made || (isFloat(t) && t.k !== 'f64')) return null;
    const keyed = made.q.where && made.scope.leaves.find((leaf) => leaf.name === 'id' && leaf.values && this.isKey(made.q.where, leaf));
    const plain = keyed && made.scope.leaves.filter((leaf) => sameType(leaf.t, t));
    if (plain?.length) {
      const leaf = this.random.pick(plain);
      return node('scalar', t, [], { q: this.asItem(made.q, leaf), m: leaf.m, wild: leaf.wild });
    }
    const e = this.aggregate(made.scope, t);
    made.q.aggregated = true;
    void depth;
    return node('scalar', t, [], { q: this.asItem(made.q, e), m: e.m ?? e.a[0]?.m ?? 0, wild: e.a[0]?.wild });
  }

  subqueryCondition(scope, depth) {
    const { random } = this;
    const way = random.weighted([[3, 'exists'], [4, 'in'], [2, 'any']]);
    const made = this.inner(scope, random.chance(way === 'exists' ? 85 : 30) ? way === 'any' ? true : 'any' : false);
    void depth;
    if (!made) return null;
    const { q } = made;
    if (way === 'exists') return node('exists', bool, [], { q: this.asItem(q, random.pick(made.scope.leaves)), negated: random.chance(40) });
    const candidates = scope.leaves.filter((leaf) => leaf.t.k !== 'iv');
    if (!candidates.length) return null;
    const x = random.chance(70) ? random.pick(candidates) : this.expressions.make({ ...scope, subquery: undefined }, this.expressions.anyType(scope), 1);
    const same = made.scope.leaves.filter((leaf) => sameType(leaf.t, x.t));
    const e = same.length && random.chance(80) ? random.pick(same) : this.expressions.make(made.scope, x.t, 1);
    this.asItem(q, e);
    if (way === 'in' && random.chance(20)) {
      const y = random.pick(candidates), z = made.scope.leaves.find((leaf) => sameType(leaf.t, y.t));
      if (z) {
        q.items.push({ e: z, name: 'c2' });
        q.columns.push({ t: z.t, m: z.m, wild: z.wild, name: 'c2' });
        return node('insub', bool, [node('row', bool, [x, y])], { q, negated: false });
      }
    }
    if (way === 'in') return node('insub', bool, [x], { q, negated: random.chance(35) });
    return node('quantified', bool, [x], { q, sign: random.pick(['=', '<>', '<', '<=', '>', '>=']), all: random.chance(50) });
  }
}

export { date, text, ts };
