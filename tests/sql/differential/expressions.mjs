// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Random expressions of a type. A node is { op, t, a, ... }: its operation, type, operands, and m, which bounds the
// size of a number so that most sums and products stay in range.

import { dateText, decimalText } from './data.mjs';

const numbers = ['i16', 'i32', 'i64', 'dec', 'f32', 'f64'];
export const isNumber = (t) => numbers.includes(t.k);
export const isInteger = (t) => t.k[0] === 'i' && t.k !== 'iv';
export const isFloat = (t) => t.k[0] === 'f';
export const bool = { k: 'bool' }, i16 = { k: 'i16' }, i32 = { k: 'i32' }, i64 = { k: 'i64' }, f64 = { k: 'f64' },
  text = { k: 'text' }, date = { k: 'date' }, ts = { k: 'ts' };
export const dec = (s) => ({ k: 'dec', s });

const limits = { i16: 32767, i32: 2147483647, i64: 9.2e18, dec: 1e15, f32: 1e6, f64: 1e12 };
export const fits = (t, m) => (t.k === 'dec' ? m * 10 ** t.s < 9e17 : m <= limits[t.k]);
const node = (op, t, a, more) => ({ op, t, a, ...more });
const units = ['year', 'month', 'day', 'hour', 'minute', 'second'];
const patterns = ['%', 'a%', '%a', '%b%', '_', '__', 'a_c', '%an%', 'A%', 'ab%', '%\\%%', 'x\\_y', '', '%ö%', '%e',
  '日%', 'abcdefgh%', '%1', 'abcdefgh_'];

// What PostgreSQL makes of two numbers.
export function commonNumber(a, b) {
  if (a.k === b.k && a.k !== 'dec') return a;
  if (isFloat(a) || isFloat(b)) return f64;
  if (isInteger(a) && isInteger(b)) return numbers.indexOf(a.k) > numbers.indexOf(b.k) ? a : b;
  return dec(Math.max(a.s ?? 0, b.s ?? 0));
}

export const literal = (t, v, m) => node('lit', t, [], { v: String(v), m: m ?? Math.abs(Number(v)) });
export const nothing = (t) => node('null', t, [], { m: 0 });

export class Expressions {
  constructor(random, portable) {
    this.random = random;
    this.types = portable ? [bool, i32, i64, f64, text] : [bool, i32, i64, dec(2), f64, text, date, ts];
    this.portable = portable;
  }

  anyType(scope) {
    const seen = scope.leaves.filter((leaf) => leaf.t.k !== 'iv');
    if (seen.length && this.random.chance(85)) return this.random.pick(seen).t;
    return this.random.pick(this.types);
  }

  numberType(scope) {
    for (let tries = 0; tries < 6; tries++) {
      const t = this.anyType(scope);
      if (isNumber(t)) return t;
    }
    return i32;
  }

  // A value of the column's type, near to those that are there.
  literalLike(leaf) {
    const { random } = this;
    const values = leaf.values;
    const v = values?.length ? values[random.below(values.length)] : null;
    if (v === null || v === undefined || random.chance(10)) return this.literal(leaf.t);
    return literal(leaf.t, v, ['text', 'date', 'ts', 'bool'].includes(leaf.t.k) ? 0 : Math.abs(Number(v)));
  }

  literal(t) {
    const { random } = this;
    if (random.chance(4)) return nothing(t);
    const small = random.pick([0, 1, 2, 3, 5, 10, 42, 100, -1, -7]);
    switch (t.k) {
      case 'bool': return literal(t, random.pick(['true', 'false']), 0);
      case 'dec': return literal(t, decimalText(random.between(-500, 500) * random.pick([1, 10, 100]), t.s));
      case 'f32': case 'f64': return literal(t, small / random.pick([1, 2, 4]));
      case 'date': return literal(t, dateText(18262 + random.between(-800, 800)), 0);
      case 'ts': return literal(t, `${dateText(18262 + random.between(-50, 50))} ${random.pick(['00:00:00', '12:30:15'])}`, 0);
      case 'text': return literal(t, random.pick(['a', 'b', 'ab', 'abc', '', 'zz', 'apple', 'Ä', "it's"]), 0);
      default: return literal(t, small);
    }
  }

  leaf(scope, t) {
    const { random } = this;
    const same = scope.leaves.filter((leaf) => leaf.t.k === t.k && (t.k !== 'dec' || leaf.t.s === t.s));
    if (same.length && random.chance(85)) return random.pick(same);
    return this.literal(t);
  }

  make(scope, t, depth) {
    if (depth <= 0 || this.random.chance(25)) return this.leaf(scope, t);
    if (this.random.chance(20)) return this.choice(scope, t, depth - 1);
    if (scope.subquery && this.random.chance(5)) {
      const scalar = scope.subquery.scalar(scope, t);
      if (scalar) return scalar;
    }
    switch (t.k) {
      case 'bool': return this.condition(scope, depth);
      case 'i16': case 'i32': case 'i64': case 'dec': case 'f32': case 'f64': return this.number(scope, t, depth - 1);
      case 'text': return this.text(scope, depth - 1);
      case 'date': return this.date(scope, depth - 1);
      default: return this.time(scope, depth - 1);
    }
  }

  choice(scope, t, depth) {
    const { random } = this;
    const value = () => this.make(scope, t, depth);
    const largest = (a) => ({ m: Math.max(...a.map((e) => e.m ?? 0)) });
    switch (random.below(5)) {
      case 0: case 1: {
        const of = scope.leaves.filter((leaf) => !['iv', 'f32'].includes(leaf.t.k));
        if (of.length && random.chance(25)) {
          const x = random.pick(of);
          const a = [x, this.literalLike(x), value(), this.make(scope, x.t, 0), value(), value()].slice(0, random.pick([3, 4, 5, 6]));
          if (a.length === 4) a[3] = value();
          return node('caseof', t, a, largest(a.slice(1)));
        }
        const a = [];
        for (let i = random.between(1, 2); i > 0; i--) a.push(this.condition(scope, depth), value());
        if (random.chance(70)) a.push(value());
        return node('case', t, a, largest(a));
      }
      case 2: {
        const a = [value(), value()];
        return node('coalesce', t, a, largest(a));
      }
      case 3: {
        const a = [value(), this.leaf(scope, t)];
        return node('nullif', t, a, { m: a[0].m });
      }
      default: {
        if (t.k === 'bool') return value();
        const a = Array.from({ length: random.between(2, 3) }, value);
        return node('fn', t, a, { name: random.pick(['greatest', 'least']), ...largest(a) });
      }
    }
  }

  // ---- Numbers ----

  number(scope, t, depth) {
    const { random } = this;
    const way = random.below(12);
    if (way === 0) return this.absolute(scope, t, depth);
    if (way === 1 && !this.portable) return this.cast(scope, t, depth);
    if (way === 2 && !this.portable) return this.function(scope, t, depth);
    const e = way === 3 ? this.divide(scope, t, depth) : this.arithmetic(scope, t, depth);
    if (e && (fits(t, e.m) || random.chance(1))) return e;
    return this.leaf(scope, t);
  }

  operand(scope, t, depth) {
    const e = this.make(scope, t, depth);
    return e.wild && this.random.chance(95) ? this.literal(t) : e;
  }

  absolute(scope, t, depth) {
    const e = this.operand(scope, t, depth);
    if (!fits(t, e.m)) return e;
    if (this.random.chance(50)) return node('neg', t, [e], { m: e.m });
    return t.k === 'i16' || t.k === 'f32' ? e : node('fn', t, [e], { name: 'abs', m: e.m });
  }

  arithmetic(scope, t, depth) {
    const { random } = this;
    const op = random.weighted([[4, '+'], [4, '-'], [4, '*'], [1, '%']]);
    let left = t, right = t;
    if (isInteger(t) && t.k !== 'i16' && !this.portable && random.chance(40)) right = random.pick(t.k === 'i64' ? [i16, i32] : [i16]);
    if (t.k === 'f64' && random.chance(30)) right = random.pick(this.portable ? [i32, i64] : [i32, i64, dec(2)]);
    if (t.k === 'dec' && op === '*') {
      left = dec(random.below(t.s + 1));
      right = dec(t.s - left.s);
    } else if (t.k === 'dec' && random.chance(30)) right = t.s === 0 ? dec(0) : random.pick([i32, dec(random.below(t.s + 1))]);
    if (t.k === 'dec' && left.k !== 'dec') left = t;
    const a = [this.operand(scope, left, depth), this.operand(scope, right, depth)];
    if (op === '%') return isInteger(t) ? node('%', t, [a[0], this.divisor(a[1])], { m: a[1].m }) : null;
    const m = op === '*' ? a[0].m * a[1].m : a[0].m + a[1].m;
    return node(op, t, a, { m });
  }

  // Mostly one that is never 0.
  divisor(e) {
    if (e.op === 'lit' && Number(e.v) !== 0) return e;
    if (this.random.chance(3)) return e;
    return node('nullif', e.t, [e, literal(e.t, e.t.k === 'dec' ? decimalText(0, e.t.s) : 0)], { m: e.m });
  }

  divide(scope, t, depth) {
    if (t.k === 'dec' || t.k === 'f32') return null;
    const exact = t.k === 'f64' && !this.portable && this.random.chance(40) ? dec(2) : t;
    const a = [this.operand(scope, exact, depth), this.divisor(this.operand(scope, exact, depth))];
    return node('/', t, a, { m: a[0].m * (t.k === 'f64' ? 1e6 : 1) });
  }

  cast(scope, t, depth) {
    const { random } = this;
    const from = random.pick([i16, i32, i64, dec(2), f64, bool]);
    if (from.k === 'bool' && t.k !== 'i32') return this.leaf(scope, t);
    const e = this.operand(scope, from, depth);
    return fits(t, e.m) ? node('cast', t, [e], { m: e.m }) : this.leaf(scope, t);
  }

  function(scope, t, depth) {
    const { random } = this;
    if (t.k === 'i32') {
      const e = this.make(scope, text, depth);
      if (random.chance(60)) return node('fn', t, [e], { name: random.pick(['length', 'char_length', 'octet_length']), m: 99 });
      return node('fn', t, [e, this.literal(text)], { name: 'strpos', m: 99 });
    }
    if (t.k === 'i32' || t.k === 'i64') {
      const of = random.pick([date, ts]);
      const field = random.pick(['year', 'month', 'day', 'quarter', 'dow', 'doy', 'week', 'isoyear', 'isodow',
        ...(of === ts ? ['hour', 'minute', ...(t.k === 'i64' ? ['microseconds'] : [])] : [])]);
      return node('cast', t, [node('extract', dec(0), [this.make(scope, of, depth)], { field, m: 6e7 })], { m: 6e7 });
    }
    if (t.k === 'dec') {
      const e = this.operand(scope, dec(random.pick([0, 1, 2, 4, 6])), depth);
      if (t.s === 0 && random.chance(70))
        return node('fn', t, [e], { name: random.pick(['floor', 'ceil', 'round', 'trunc']), m: e.m + 1 });
      if (e.t.s < t.s) return null ?? this.leaf(scope, t);
      return node('fn', t, [e, literal(i32, t.s)], { name: random.pick(['round', 'trunc']), m: e.m + 1 });
    }
    if (t.k === 'f64') {
      const e = this.operand(scope, f64, depth);
      const name = random.pick(['floor', 'ceil', 'round', 'trunc', 'sqrt', 'power', 'ln', 'exp', 'sign']);
      if (name === 'sqrt') return node('fn', t, [node('fn', t, [e], { name: 'abs', m: e.m })], { name, m: e.m });
      if (name === 'power') return node('fn', t, [e, literal(f64, random.below(3))], { name, m: e.m * e.m + 1 });
      if (name === 'ln')
        return node('fn', t, [node('+', t, [node('fn', t, [e], { name: 'abs', m: e.m }), literal(f64, 1)])], { name, m: 100 });
      if (name === 'exp') return e.m < 20 ? node('fn', t, [e], { name, m: Math.exp(e.m) }) : e;
      return node('fn', t, [e], { name, m: e.m + 1 });
    }
    return this.leaf(scope, t);
  }

  // ---- Texts, dates, times ----

  text(scope, depth) {
    const { random } = this;
    const e = this.make(scope, text, depth);
    const n = (low, high) => literal(i32, random.between(low, high));
    const other = () => this.make(scope, text, depth);
    switch (this.portable ? random.pick([0, 6, 12]) : random.below(13)) {
      case 0: return node('||', text, [e, other()]);
      case 1: return node('||', text, [e, this.make(scope, i32, depth)]);
      case 2: return node('fn', text, [e], { name: random.pick(['upper', 'lower']) });
      case 3: return node('fn', text, [e, n(1, 4), n(0, 3)], { name: 'substring' });
      case 4: return node('fn', text, [e, n(-2, 4)], { name: random.pick(['left', 'right']) });
      case 5: return node('fn', text, [e], { name: random.pick(['trim', 'ltrim', 'rtrim']) });
      case 6: return node('fn', text, [e, literal(text, random.pick(['a', 'b', 'an'])), this.literal(text)], { name: 'replace' });
      case 7: return node('cast', text, [this.make(scope, random.pick([i32, i64, dec(2), date, bool]), depth)]);
      case 8: return node('fn', text, [e, other()], { name: 'concat' });
      case 9: return node('fn', text, [e, n(0, 6), literal(text, random.pick(['x', 'ab']))], { name: random.pick(['lpad', 'rpad']) });
      case 10: return node('fn', text, [e], { name: 'reverse' });
      case 11: return node('fn', text, [e, literal(text, 'a'), n(1, 2)], { name: 'split_part' });
      default: return node('fn', text, [e, n(1, 5)], { name: 'substr' });
    }
  }

  date(scope, depth) {
    const { random } = this;
    const e = this.operand(scope, date, depth);
    switch (random.below(3)) {
      case 0: return e.op === 'col' && e.wild ? e : node(random.pick(['+', '-']), date, [e, literal(i32, random.below(400))]);
      case 1: return node('cast', date, [this.make(scope, ts, depth)]);
      default: return e;
    }
  }

  time(scope, depth) {
    const { random } = this;
    switch (random.below(4)) {
      case 0: case 1: {
        const e = this.operand(scope, random.pick([date, ts]), depth);
        const times = this.operand(scope, i32, depth);
        if (!e.wild && times.m < 500 && random.chance(25))
          return node(random.pick(['+', '-']), ts, [e, node('intervals', { k: 'iv' }, [times], { unit: random.pick(units) })]);
        const interval = node('interval', { k: 'iv' }, [], { amount: random.between(-3, 40), unit: random.pick(units) });
        return e.wild ? node('cast', ts, [e]) : node(random.pick(['+', '-']), ts, [e, interval]);
      }
      case 2: {
        const e = this.make(scope, random.pick([date, ts]), depth);
        return node('date_trunc', ts, [e], { field: random.pick(['year', 'quarter', 'month', 'week', 'day', 'hour']) });
      }
      default: return node('cast', ts, [this.make(scope, date, depth)]);
    }
  }

  // ---- Conditions ----

  condition(scope, depth) {
    const { random } = this;
    if (depth > 1 && random.chance(30)) {
      const op = random.weighted([[4, 'and'], [4, 'or'], [2, 'not']]);
      const count = op === 'not' ? 1 : random.between(2, 3);
      return node(op, bool, Array.from({ length: count }, () => this.condition(scope, depth - 1)));
    }
    if (scope.subquery && random.chance(12)) {
      const e = scope.subquery.condition(scope);
      if (e) return e;
    }
    return this.predicate(scope, depth - 1);
  }

  // Two values that are compared: often a column and one of its values.
  pair(scope, depth) {
    const { random } = this;
    const leaves = scope.leaves.filter((leaf) => leaf.t.k !== 'bool' && leaf.t.k !== 'iv');
    if (leaves.length && random.chance(60)) {
      const leaf = random.pick(leaves);
      return [leaf, random.chance(75) ? this.literalLike(leaf) : this.make(scope, leaf.t, depth)];
    }
    const t = this.anyType(scope);
    const left = this.make(scope, t, depth);
    if (isNumber(t) && random.chance(20)) return [left, this.make(scope, this.numberType(scope), depth)];
    if (t.k === 'date' && random.chance(15)) return [left, this.make(scope, ts, depth)];
    return [left, this.make(scope, t, depth)];
  }

  predicate(scope, depth) {
    const { random } = this;
    const negated = random.chance(30);
    switch (random.weighted([[10, 'compare'], [2, 'distinct'], [3, 'between'], [3, 'in'], [3, 'like'], [2, 'null'],
      [2, 'truth'], [1, 'leaf'], [1, 'literal']])) {
      case 'compare': return node('compare', bool, this.pair(scope, depth), { sign: random.pick(['=', '=', '<>', '<', '<=', '>', '>=']) });
      case 'distinct': return node('distinct', bool, this.pair(scope, depth), { negated });
      case 'between': {
        const [x, low] = this.pair(scope, depth);
        const high = random.chance(70) && x.t.k === low.t.k && x.t.s === low.t.s ? this.literalLike(x) : this.make(scope, low.t, depth);
        return node('between', bool, [x, low, high], { negated, symmetric: !this.portable && random.chance(20) });
      }
      case 'in': {
        const [x] = this.pair(scope, depth);
        const list = Array.from({ length: random.between(1, 5) }, () => this.literalLike(x));
        if (random.chance(10)) list.push(this.make(scope, x.t, depth));
        return node('in', bool, [x, ...list], { negated });
      }
      case 'like': {
        const e = this.make(scope, text, depth);
        return node('like', bool, [e, literal(text, random.pick(patterns))], { negated, insensitive: !this.portable && random.chance(25) });
      }
      case 'null': return node('isnull', bool, [this.make(scope, this.anyType(scope), depth)], { negated });
      case 'truth':
        return node('is', bool, [this.condition(scope, depth)], { negated, word: random.pick(['TRUE', 'FALSE', 'UNKNOWN']) });
      case 'leaf': return this.leaf(scope, bool);
      default: return this.literal(bool);
    }
  }
}
