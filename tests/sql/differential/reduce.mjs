// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Smaller queries that may show the same: clauses and operands left out, one at a time.

const simple = { bool: 'true', i16: '1', i32: '1', i64: '1', dec: '1', f32: '1', f64: '1', date: '2020-01-01', ts: '2020-01-01 00:00:00', text: 'a' };

// Without the values of columns, which need not be copied.
function copy(x) {
  if (Array.isArray(x)) return x.map(copy);
  if (x === null || typeof x !== 'object') return x;
  const out = {};
  for (const [key, value] of Object.entries(x)) if (key !== 'values' && key !== 'set') out[key] = copy(value);
  return out;
}

const isExpression = (x) => x && typeof x === 'object' && typeof x.op === 'string' && Array.isArray(x.a);
const isQuery = (x) => x && typeof x === 'object' && ['select', 'setop', 'values', 'script'].includes(x.kind);
const isStep = (x) => x && typeof x === 'object' && typeof x.step === 'string';
const isFrom = (x) => x && typeof x === 'object' && ['join', 'table', 'query', 'cte'].includes(x.kind) && (x.alias || x.left);

// Each place that holds something, as (holder, key), in a fixed order.
function* places(holder, key) {
  const x = holder[key];
  if (Array.isArray(x)) {
    for (let i = 0; i < x.length; i++) yield* places(x, i);
    return;
  }
  if (!x || typeof x !== 'object') return;
  if (isExpression(x) || isQuery(x) || isFrom(x) || isStep(x)) yield [holder, key];
  for (const k of Object.keys(x)) if (k !== 't' && k !== 'columns') yield* places(x, k);
}

const remove = (list, i) => list.splice(i, 1);

function* ofExpression(e) {
  for (let i = 0; i < e.a.length; i++)
    if (e.a[i].t.k === e.t.k) yield (holder, key) => { holder[key] = e.a[i]; };
  if (!['lit', 'null', 'interval'].includes(e.op) && simple[e.t.k])
    yield (holder, key) => { holder[key] = { op: 'lit', t: e.t, a: [], v: simple[e.t.k] }; };
  if (['and', 'or', 'coalesce'].includes(e.op) && e.a.length > 2)
    for (let i = 0; i < e.a.length; i++) yield () => remove(e.a, i);
  if (e.op === 'in' && e.a.length > 2) for (let i = 1; i < e.a.length; i++) yield () => remove(e.a, i);
  if (e.op === 'case' && e.a.length > 3) for (let i = 0; i + 1 < e.a.length; i += 2) yield () => e.a.splice(i, 2);
  for (const flag of ['filter', 'distinct', 'negated', 'symmetric', 'insensitive']) if (e[flag]) yield () => { e[flag] = undefined; };
}

function dropItem(q, i) {
  q.star = undefined;
  remove(q.items, i);
  remove(q.columns, i);
  q.order = q.order.filter((o) => o.e || o.item !== i).map((o) => (o.e ? o : { ...o, item: o.item - (o.item > i ? 1 : 0) }));
  if (q.group?.positions) q.group.positions = false;
}

function* ofQuery(q) {
  if (q.kind === 'setop') {
    for (const side of ['left', 'right'])
      yield (holder, key) => { holder[key] = { ...q[side], ctes: [...(q.ctes ?? []), ...(q[side].ctes ?? [])] }; };
    if (q.all) yield () => { q.all = false; };
  }
  if (q.detour) yield () => { q.detour = undefined; };
  if (q.star) yield () => { q.star = undefined; };
  if (q.ctes?.length) for (let i = 0; i < q.ctes.length; i++) yield () => remove(q.ctes, i);
  for (const clause of ['where', 'having', 'qualify', 'limit', 'offset', 'distinct', 'on', 'group', 'fromFirst'])
    if (q[clause] !== undefined && q[clause] !== false && q[clause] !== null) yield () => { q[clause] = undefined; };
  const cuts = q.limit !== undefined || q.offset !== undefined || q.on; // which need an order
  if (q.order?.length && !cuts) yield () => { q.order = []; };
  for (let i = 0; q.order && i < q.order.length; i++) {
    if (q.order.length > 1 && !cuts) yield () => remove(q.order, i);
    if (q.order[i].descending || q.order[i].nulls || q.order[i].named)
      yield () => Object.assign(q.order[i], { descending: false, nulls: null, named: false });
  }
  if (q.items?.length > 1) for (let i = 0; i < q.items.length; i++) yield () => dropItem(q, i);
  if (q.kind === 'values' && q.list.length > 1) for (let i = 0; i < q.list.length; i++) yield () => remove(q.list, i);
  if (q.group) {
    if (q.group.kind !== 'plain') yield () => { q.group.kind = 'plain'; };
    if (q.group.sets?.length > 1) for (let i = 0; i < q.group.sets.length; i++) yield () => remove(q.group.sets, i);
    if (q.group.exprs.length > 1 && !q.group.sets) for (let i = 0; i < q.group.exprs.length; i++) yield () => remove(q.group.exprs, i);
    if (q.group.positions) yield () => { q.group.positions = false; };
  }
}

function* ofScript(s) {
  if (s.steps.length > 1) for (let i = s.steps.length - 1; i >= 0; i--) yield () => remove(s.steps, i);
  for (let i = 0; i < s.constraints.length; i++) yield () => remove(s.constraints, i);
  for (const c of s.columns) for (const clause of ['notNull', 'given']) if (c[clause]) yield () => { c[clause] = undefined; };
}

function* ofStep(s) {
  for (const holder of [s, s.conflict, ...(s.whens ?? [])]) {
    if (!holder) continue;
    for (const clause of ['where', 'returning', 'conflict', 'filtered']) if (holder[clause]) yield () => { holder[clause] = undefined; };
    for (const list of [holder.sets, holder.whens, holder.list])
      for (let i = 0; list?.length > 1 && i < list.length; i++) yield () => remove(list, i);
    for (let i = 0; holder.returning?.length > 1 && i < holder.returning.length; i++) yield () => remove(holder.returning, i);
  }
}

function* ofFrom(f) {
  if (f.kind !== 'join') return;
  for (const side of ['left', 'right']) yield (holder, key) => { holder[key] = f[side]; };
  if (f.type !== 'INNER' && f.type !== ',' && f.type !== 'CROSS') yield () => { f.type = 'INNER'; };
  if (f.natural) yield () => Object.assign(f, { natural: undefined, on: { op: 'lit', t: { k: 'bool' }, a: [], v: 'true' } });
  if (f.on) yield () => { f.on = { op: 'lit', t: { k: 'bool' }, a: [], v: 'true' }; };
}

function* alternatives(x) {
  if (isExpression(x)) yield* ofExpression(x);
  if (isStep(x)) yield* ofStep(x);
  else if (x.kind === 'script') yield* ofScript(x);
  else if (isQuery(x)) yield* ofQuery(x);
  if (isFrom(x)) yield* ofFrom(x);
}

// What reads columns that are not there any more becomes a constant.
function repair(root) {
  const there = new Map(), ctes = new Map();
  const all = [...places({ q: root }, 'q')].map(([holder, key]) => holder[key]);
  for (const x of all) for (const c of x.ctes ?? []) ctes.set(c.name, c.q);
  for (const x of all) {
    if (!isFrom(x) || !x.alias) continue;
    const q = x.kind === 'query' ? x.q : x.kind === 'cte' ? ctes.get(x.name) : null;
    there.set(x.alias, q ? q.columns.map((c) => (x.names ? c.alias : c.name)) : null);
  }
  for (const [holder, key] of [...places({ q: root }, 'q')]) {
    const e = holder[key];
    if (!isExpression(e) || e.op !== 'col' || e.rel === null) continue;
    const names = there.get(e.rel);
    if (names === undefined || (names && !names.includes(e.name))) holder[key] = { op: 'lit', t: e.t, a: [], v: simple[e.t.k] };
  }
  return root;
}

// A constant in GROUP BY would be a position.
const hasPositions = (root) => [...places({ q: root }, 'q')].map(([holder, key]) => holder[key])
  .some((x) => x.group?.exprs?.some((e) => e.op === 'lit'));

// All queries that are one step smaller.
export function* smaller(query) {
  const count = [...places({ q: query }, 'q')].map(([holder, key]) => [...alternatives(holder[key])].length);
  for (let place = 0; place < count.length; place++) {
    for (let choice = 0; choice < count[place]; choice++) {
      const root = { q: copy(query) };
      const [holder, key] = [...places(root, 'q')][place];
      [...alternatives(holder[key])][choice](holder, key);
      if (isQuery(root.q) && !hasPositions(repair(root.q))) yield root.q;
    }
  }
}

// The smallest query for which `shows` still holds, within some seconds; it is asked of several at a time.
export async function reduce(query, shows, seconds) {
  let now = copy(query);
  for (let from = 0, end = Date.now() + seconds * 1000; Date.now() < end;) {
    const all = [...smaller(now)];
    if (from >= all.length) from = 0;
    const batch = [...all.slice(from), ...all.slice(0, from)].slice(0, 400);
    let found = -1;
    const size = query.kind === 'script' ? 8 : 50;
    for (let at = 0; at < batch.length && found < 0; at += size) {
      const verdicts = await shows(batch.slice(at, at + size));
      const first = verdicts.findIndex(Boolean);
      if (first >= 0) found = at + first;
    }
    if (found < 0) return now;
    now = batch[found];
    from = Math.max(0, from + found - 3);
  }
  return now;
}
