// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Queries as text, for Raydex as PostgreSQL has them, for DuckDB and for sqlite3 so that they mean the same: literals
// have their types by casts, what PostgreSQL refuses calls error().

import { duckType } from './data.mjs';
import { commonNumber, isFloat, isInteger, isNumber } from './expressions.mjs';
import { createText, stepText } from './render_changes.mjs';

export class Unportable extends Error {}

const rdxTypes = { bool: 'boolean', i16: 'smallint', i32: 'integer', i64: 'bigint', f32: 'real', f64: 'double precision',
  date: 'date', ts: 'timestamp', text: 'text' };
const quote = (v) => `'${v.replaceAll("'", "''")}'`;
const special = (v) => ['NaN', 'inf', '-inf'].includes(v) || v.includes('e');

class Renderer {
  name(e) {
    return e.rel === null ? e.name : `${e.rel}.${e.name}`;
  }

  list(a) {
    return a.map((e) => this.e(e)).join(', ');
  }

  e(e) {
    const render = this[`of_${e.op}`];
    if (render) return render.call(this, e);
    return `(${this.operands(e).join(` ${e.op} `)})`; // + - * /
  }

  operands(e) {
    return e.a.map((x) => this.e(x));
  }

  of_col(e) { return this.name(e); }
  of_and(e) { return `(${e.a.map((x) => this.e(x)).join(' AND ')})`; }
  of_or(e) { return `(${e.a.map((x) => this.e(x)).join(' OR ')})`; }
  of_not(e) { return `(NOT ${this.e(e.a[0])})`; }
  of_neg(e) { return `(- ${this.e(e.a[0])})`; }
  of_isnull(e) { return `(${this.e(e.a[0])} IS ${e.negated ? 'NOT ' : ''}NULL)`; }
  of_is(e) { return `(${this.e(e.a[0])} IS ${e.negated ? 'NOT ' : ''}${e.word})`; }
  of_coalesce(e) { return `COALESCE(${this.list(e.a)})`; }
  of_nullif(e) { return `NULLIF(${this.list(e.a)})`; }
  of_case(e) {
    let out = 'CASE';
    for (let i = 0; i + 1 < e.a.length; i += 2) out += ` WHEN ${this.e(e.a[i])} THEN ${this.e(e.a[i + 1])}`;
    return `${out}${e.a.length % 2 ? ` ELSE ${this.e(e.a[e.a.length - 1])}` : ''} END`;
  }
  of_caseof(e) {
    let out = `CASE ${this.e(e.a[0])}`;
    for (let i = 1; i + 1 < e.a.length; i += 2) out += ` WHEN ${this.e(e.a[i])} THEN ${this.e(e.a[i + 1])}`;
    return `${out}${e.a.length % 2 ? '' : ` ELSE ${this.e(e.a[e.a.length - 1])}`} END`;
  }
  of_row(e) { return `(${this.list(e.a)})`; }
  of_intervals(e) { return `(${this.e(e.a[0])} * INTERVAL '1' ${e.unit})`; }
  of_cast(e) { return `CAST(${this.e(e.a[0])} AS ${this.type(e.t)})`; }
  of_fn(e) { return `${e.name}(${this.list(e.a)})`; }
  of_extract(e) { return `EXTRACT(${e.field} FROM ${this.e(e.a[0])})`; }
  of_date_trunc(e) { return `date_trunc('${e.field}', ${this.e(e.a[0])})`; }
  of_interval(e) { return `INTERVAL '${e.amount}' ${e.unit}`; }
  of_compare(e) { return `(${this.compared(e.a).join(` ${e.sign} `)})`; }
  of_distinct(e) { return `(${this.compared(e.a).join(` IS ${e.negated ? 'NOT ' : ''}DISTINCT FROM `)})`; }
  of_between(e) {
    const [x, low, high] = this.compared(e.a);
    return `(${x} ${e.negated ? 'NOT ' : ''}BETWEEN ${e.symmetric ? 'SYMMETRIC ' : ''}${low} AND ${high})`;
  }
  of_in(e) {
    const [x, ...list] = this.compared(e.a);
    return `(${x} ${e.negated ? 'NOT ' : ''}IN (${list.join(', ')}))`;
  }
  of_like(e) {
    return `(${this.e(e.a[0])} ${e.negated ? 'NOT ' : ''}${e.insensitive ? 'I' : ''}LIKE ${this.e(e.a[1])}${this.escape})`;
  }
  of_aggregate(e) {
    const filter = e.filter ? ` FILTER (WHERE ${this.e(e.filter)})` : '';
    const of = this.list(e.a);
    if (e.name === 'string_agg') return `string_agg(${e.distinct ? 'DISTINCT ' : ''}${of}, ', ' ORDER BY ${of}${e.descending ? ' DESC' : ''})${filter}`;
    if (e.fraction !== undefined) return `${e.name}(${e.fraction}) WITHIN GROUP (ORDER BY ${of})${filter}`;
    return `${e.name}(${e.distinct ? 'DISTINCT ' : ''}${of || (e.name === 'count' ? '*' : '')})${filter}`;
  }
  of_grouping(e) { return `grouping(${this.list(e.a)})`; }
  of_window(e) {
    const order = e.order.map((o) => `${this.e(o.e)}${o.descending ? ' DESC' : ''} NULLS ${o.nulls}`).join(', ');
    const parts = [e.partition.length ? `PARTITION BY ${this.list(e.partition)}` : '', order && `ORDER BY ${order}`,
      e.frame ? `${e.frame.unit} BETWEEN ${e.frame.begin} AND ${e.frame.end}${e.frame.exclude ? ` EXCLUDE ${e.frame.exclude}` : ''}` : ''];
    return `${this.of_aggregate(e)} OVER (${parts.filter(Boolean).join(' ')})`;
  }
  of_scalar(e) { return `(${this.q(e.q)})`; }
  of_exists(e) { return `(${e.negated ? 'NOT ' : ''}EXISTS (${this.q(e.q)}))`; }
  of_insub(e) { return `(${this.e(e.a[0])} ${e.negated ? 'NOT ' : ''}IN (${this.q(e.q)}))`; }
  of_quantified(e) { return `(${this.e(e.a[0])} ${e.sign} ${e.all ? 'ALL' : 'ANY'} (${this.q(e.q)}))`; }

  compared(a) {
    return a.map((x) => this.e(x));
  }

  // ---- Queries ----

  from(f, nested) {
    switch (f.kind) {
      case 'table': return `${f.name} ${f.alias}`;
      case 'cte': return `${f.name} ${f.alias}`;
      case 'query': return `${f.lateral ? 'LATERAL ' : ''}(${this.q(f.q)}) ${f.alias}${f.names ? `(${f.q.columns.map((c) => c.alias).join(', ')})` : ''}`;
      default: {
        if (f.type === ',' && !nested) return `${this.from(f.left, false)}, ${this.from(f.right, this.isComma(f.right))}`;
        const type = f.type === ',' ? 'CROSS' : f.type;
        const right = f.right.kind === 'join' ? `(${this.from(f.right, true)})` : this.from(f.right, true);
        if (f.natural) return `${this.from(f.left, true)} NATURAL ${type} JOIN ${right}`;
        const on = f.using ? ` USING (${f.using.join(', ')})` : f.on ? ` ON ${this.e(f.on)}` : '';
        return `${this.from(f.left, true)} ${type} JOIN ${right}${on}`;
      }
    }
  }

  isComma(f) {
    return f.kind === 'join' && f.type === ',';
  }

  group(q) {
    const { kind, exprs, sets, positions } = q.group;
    const list = positions ? exprs.map((_, i) => i + 1).join(', ') : this.list(exprs);
    if (kind === 'plain') return list;
    if (kind !== 'SETS') return `${kind} (${list})`;
    return `GROUPING SETS (${sets.map((set) => `(${set.map((i) => this.e(exprs[i])).join(', ')})`).join(', ')})`;
  }

  select(q) {
    const from = q.from ? `FROM ${this.from(q.from, false)}` : '', first = from && q.fromFirst;
    let out = `${first ? `${from} ` : ''}SELECT ${q.distinct ? 'DISTINCT ' : q.on ? this.distinctOn(q) : ''}`;
    out += q.star ? '*' : q.items.map(({ e, name }) => `${this.item(e)} AS ${name}`).join(', ');
    if (from && !first) out += ` ${from}`;
    if (q.where) out += ` WHERE ${this.e(q.where)}`;
    if (q.group) out += ` GROUP BY ${this.group(q)}`;
    if (q.having) out += ` HAVING ${this.e(q.having)}`;
    if (q.qualify) out += ` QUALIFY ${this.e(q.qualify.e)} ${q.qualify.is}`;
    return out;
  }

  // The first columns of the order, which has no others then.
  distinctOn(q) {
    return `DISTINCT ON (${q.order.slice(0, q.on).map((o) => q.columns[o.item].name).join(', ')}) `;
  }

  item(e) {
    return this.e(e);
  }

  side(q) {
    const bare = q.kind === 'select' && !q.order.length && q.limit === undefined;
    return bare ? this.q(q) : `(${this.q(q)})`;
  }

  orderItem(q, o) {
    const by = o.e ? this.e(o.e) : o.named ? q.columns[o.item].name : o.item + 1;
    return `${by}${o.descending ? ' DESC' : ''}${o.nulls ? ` NULLS ${o.nulls}` : this.nulls(o)}`;
  }

  nulls() {
    return '';
  }

  q(q) {
    let out = q.ctes?.length ? `WITH ${q.ctes.map((c) => `${c.name} AS (${this.q(c.q)})`).join(', ')} ` : '';
    if (q.kind === 'select') out += this.select(q);
    else if (q.kind === 'values') out += `VALUES ${q.list.map((row) => `(${row.map((e) => this.item(e)).join(', ')})`).join(', ')}`;
    else out += `${this.side(q.left)} ${q.op}${q.all ? ' ALL' : ''} ${this.side(q.right)}`;
    if (q.order?.length) out += ` ORDER BY ${q.order.map((o) => this.orderItem(q, o)).join(', ')}`;
    if (q.limit !== undefined) out += ` LIMIT ${q.limit}`;
    if (q.offset !== undefined) out += `${this.noLimit(q)} OFFSET ${q.offset}`;
    return out;
  }

  noLimit() {
    return '';
  }

  // ---- Changes ----

  returns = true; // RETURNING is there
  columnType(t) { return this.type(t); }
  absent() { return 'DEFAULT'; }
  using(other) { return other; }
  truncate() { return 'TRUNCATE w'; }
}

// As PostgreSQL has it. Literals are bare where their type is that of the digits.
class Raydex extends Renderer {
  escape = '';

  type(t) {
    return t.k === 'dec' ? `numeric(18,${t.s})` : rdxTypes[t.k];
  }

  of_null(e) { return e.t.k === 'text' ? 'NULL' : `CAST(NULL AS ${this.type(e.t)})`; }

  parameters = null; // literals that are $1, $2, ...

  of_lit(e) {
    const { parameters } = this;
    if (!parameters || (!parameters.has(e) && parameters.size === 4)) return this.literal(e);
    if (!parameters.has(e)) parameters.set(e, parameters.size + 1);
    return `$${parameters.get(e)}`;
  }

  literal(e) {
    switch (e.t.k) {
      case 'bool': return e.v;
      case 'text': return quote(e.v);
      case 'date': return `DATE ${quote(e.v)}`;
      case 'ts': return `TIMESTAMP ${quote(e.v)}`;
      case 'i32': return e.v === '-2147483648' ? 'CAST(-2147483648 AS integer)' : this.bare(e.v);
      case 'dec': return e.t.s ? this.bare(e.v.includes('.') ? e.v : `${e.v}.${'0'.repeat(e.t.s)}`) : `CAST(${this.bare(e.v)} AS numeric(18,0))`;
      case 'i64': return Math.abs(Number(e.v)) > 2147483648 && e.v !== '-9223372036854775808' ? this.bare(e.v) : `CAST(${quote(e.v)} AS bigint)`;
      default: return `CAST(${special(e.v) ? quote(e.v) : this.bare(e.v)} AS ${this.type(e.t)})`;
    }
  }

  bare(v) {
    return v.startsWith('-') ? `(${v})` : v;
  }

  // A literal beside something of its type needs none of its own.
  compared(a) {
    const kind = a[0].t.k;
    return a.map((x, i) => {
      if (i === 0 || x.op !== 'lit' || x.t.k !== kind || a[0].op === 'lit' || !/^(i16|i64|date|ts|f32|f64)$/.test(kind)) return this.e(x);
      if (this.parameters) return this.e(x);
      if (kind === 'date' || kind === 'ts') return quote(x.v);
      return special(x.v) || kind === 'f32' || Math.abs(Number(x.v)) > 9e15 ? this.e(x) : this.bare(x.v);
    });
  }
}

class Duck extends Renderer {
  escape = " ESCAPE '\\'";

  type(t) { return duckType(t); }
  of_null(e) { return `CAST(NULL AS ${this.type(e.t)})`; }
  of_lit(e) { return e.t.k === 'bool' ? e.v : e.t.k === 'text' ? quote(e.v) : `CAST(${quote(e.v)} AS ${this.type(e.t)})`; }
  nulls(o) { return o.descending ? ' NULLS FIRST' : ' NULLS LAST'; }

  // Operands as the type that PostgreSQL calculates or compares in.
  as(a, t) {
    return a.map((x) => (isFloat(t) && x.t.k !== t.k ? `CAST(${this.e(x)} AS ${this.type(t)})` : this.e(x)));
  }

  compared(a) {
    if (!a.every((x) => isNumber(x.t))) return super.compared(a);
    return this.as(a, a.map((x) => x.t).reduce((x, y) => (x.k === y.k ? x : commonNumber(x, y))));
  }

  operands(e) {
    if (!isNumber(e.t)) return super.operands(e);
    if (e.t.k === 'dec' && e.op === '*')
      return e.a.map((x) => `CAST(${this.e(x)} AS DECIMAL(38, ${x.t.s ?? 0}))`);
    return this.as(e.a, e.t);
  }

  'of_/'(e) {
    const [a, b] = this.operands(e);
    const sign = isInteger(e.t) ? '//' : '/';
    return e.a[1].op === 'nullif' || e.a[1].op === 'lit' ? `(${a} ${sign} ${b})`
      : `(CASE WHEN ${b} = 0 THEN error('division by zero') ELSE ${a} ${sign} ${b} END)`;
  }

  'of_%'(e) {
    const [a, b] = this.operands(e);
    return e.a[1].op === 'nullif' || e.a[1].op === 'lit' ? `(${a} % ${b})`
      : `(CASE WHEN ${b} = 0 THEN error('division by zero') ELSE ${a} % ${b} END)`;
  }

  'of_||'(e) { return `(${e.a.map((x) => (x.t.k === 'text' ? this.e(x) : `CAST(${this.e(x)} AS VARCHAR)`)).join(' || ')})`; }
  of_extract(e) { return `CAST(${super.of_extract(e)} AS DECIMAL(30, 0))`; }
  of_date_trunc(e) { return `CAST(${super.of_date_trunc(e)} AS TIMESTAMP)`; }
  of_interval(e) { return `INTERVAL (${e.amount}) ${e.unit}`; }
  of_intervals(e) { return `(INTERVAL 1 ${e.unit} * ${this.e(e.a[0])})`; }

  of_fn(e) {
    const a = e.a.map((x) => this.e(x));
    const wide = (x) => `CAST(${x} AS ${this.type(e.t)})`;
    switch (e.name) {
      case 'round': return e.t.k === 'f64' ? `round_even(${a[0]}, 0)` : wide(`round(${a.join(', ')})`);
      case 'octet_length': return `CAST(octet_length(encode(${a[0]})) AS INTEGER)`;
      case 'length': case 'char_length': case 'strpos': return wide(`${e.name === 'strpos' ? 'strpos' : 'length'}(${a.join(', ')})`);
      case 'left': case 'right': return `${e.name}(${a.join(', ')})`;
      case 'trim': case 'ltrim': case 'rtrim': return `${e.name}(${a[0]}, ' ')`;
      case 'floor': case 'ceil': case 'trunc': case 'sign': return wide(`${e.name}(${a.join(', ')})`);
      case 'greatest': case 'least': return isNumber(e.t) ? wide(`${e.name}(${a.join(', ')})`) : `${e.name}(${a.join(', ')})`;
      case 'concat': return `concat(${a.join(', ')})`;
      default: return `${e.name}(${a.join(', ')})`;
    }
  }

  of_between(e) {
    const [x, low, high] = this.compared(e.a);
    const way = (from, to) => `(${x} BETWEEN ${from} AND ${to})`;
    if (!e.symmetric) return super.of_between(e);
    return `(${e.negated ? 'NOT ' : ''}(${way(low, high)} OR ${way(high, low)}))`;
  }

  of_aggregate(e) {
    const out = super.of_aggregate(e);
    if (e.name === 'every') return super.of_aggregate({ ...e, name: 'bool_and' });
    if (e.name === 'sum') return `CAST(${out} AS ${this.type(e.t)})`;
    return out;
  }

  of_window(e) {
    const out = super.of_window({ ...e, name: e.name === 'sum' ? 'sum ' : e.name }); // without the cast, which goes around
    return e.name === 'sum' ? `CAST(${out} AS ${this.type(e.t)})` : out;
  }

  of_grouping(e) { return `CAST(${super.of_grouping(e)} AS INTEGER)`; }

  // For DuckDB a row with a NULL equals no other one, and differs from none: as it is, its columns are compared one by one.
  of_insub(e) {
    if (e.a[0].op !== 'row') return this.subquery(e, `${e.negated ? 'NOT ' : ''}IN`);
    const equal = `(${e.a[0].a.map((x, i) => `${this.e(x)} = z.c${i + 1}`).join(' AND ')})`;
    return `(${e.negated ? 'NOT ' : ''}(SELECT CASE WHEN count(*) FILTER (WHERE ${equal}) > 0 THEN true ` +
      `WHEN count(*) FILTER (WHERE ${equal} IS NULL) > 0 THEN NULL ELSE false END FROM (${this.q(e.q)}) z (c1, c2)))`;
  }

  of_quantified(e) {
    return this.subquery(e, `${e.sign} ${e.all ? 'ALL' : 'ANY'}`);
  }

  subquery(e, how) {
    return `(${this.e(e.a[0])} ${how} (${this.q(e.q)}))`;
  }
}

// What means the same in sqlite3: whole numbers, doubles and texts.
class Lite extends Renderer {
  escape = " ESCAPE '\\'";

  select(q) {
    if (q.star) q.items.forEach(({ e }) => this.e(e));
    return super.select(q);
  }
  of_row() { throw new Unportable('rows'); }
  of_caseof(e) {
    if (e.a[0].t.k === 'bool') throw new Unportable('CASE'); // true is 1
    return super.of_caseof(e);
  }
  plain(t) {
    if (!['bool', 'i32', 'i64', 'f64', 'text'].includes(t.k)) throw new Unportable(t.k);
  }

  e(e) {
    if (e.op !== 'interval') this.plain(e.t);
    return super.e(e);
  }

  of_col(e) {
    if (e.wild && e.t.k === 'f64') throw new Unportable('NaN');
    return super.of_col(e);
  }

  type(t) { return { i32: 'INTEGER', i64: 'INTEGER', f64: 'REAL', text: 'TEXT' }[t.k] ?? this.plain({ k: '' }); }
  of_null() { return 'NULL'; }
  of_lit(e) {
    if (e.t.k === 'f64') return special(e.v) ? this.plain({ k: '' }) : `(${Number(e.v).toFixed(6)})`;
    return e.t.k === 'text' ? quote(e.v) : `(${e.v})`;
  }

  nulls(o) { return o.descending ? ' NULLS FIRST' : ' NULLS LAST'; }
  distinctOn() { throw new Unportable('DISTINCT ON'); }
  select(q) { return super.select({ ...q, fromFirst: false }); }
  of_window() { throw new Unportable('windows'); }
  noLimit(q) { return q.limit === undefined ? ' LIMIT -1' : ''; }
  of_is(e) {
    if (e.word === 'UNKNOWN') return `(${this.e(e.a[0])} IS ${e.negated ? 'NOT ' : ''}NULL)`;
    return super.of_is(e);
  }
  of_fn(e) {
    if (!['length', 'substr', 'replace', 'trim', 'ltrim', 'rtrim', 'abs'].includes(e.name)) throw new Unportable(e.name);
    return super.of_fn(e);
  }
  of_date_trunc() { throw new Unportable('date_trunc'); }
  'of_/'(e) {
    if (!/^(nullif|lit)$/.test(e.a[1].op)) throw new Unportable('/');
    return `(${this.operands(e).join(' / ')})`;
  }
  'of_%'(e) {
    if (!/^(nullif|lit)$/.test(e.a[1].op)) throw new Unportable('%');
    return `(${this.operands(e).join(' % ')})`;
  }
  operands(e) {
    if (e.a.some((x) => x.wild)) throw new Unportable('overflow');
    return super.operands(e);
  }
  of_cast(e) {
    if (e.t.k === 'text' || !isInteger(e.a[0].t)) throw new Unportable('cast');
    return super.of_cast(e);
  }
  of_like(e) {
    if (e.insensitive) throw new Unportable('ILIKE');
    return super.of_like(e);
  }
  of_between(e) {
    if (e.symmetric) throw new Unportable('SYMMETRIC');
    return super.of_between(e);
  }
  of_aggregate(e) {
    if (!['count', 'sum', 'min', 'max', 'avg'].includes(e.name)) throw new Unportable(e.name);
    return super.of_aggregate(e);
  }
  of_quantified() { throw new Unportable('ANY'); }
  group(q) {
    if (q.group.kind !== 'plain') throw new Unportable('GROUPING SETS');
    return super.group(q);
  }
  side(q) {
    if (q.kind !== 'select' || q.order.length || q.limit !== undefined) throw new Unportable('nested sets');
    return super.side(q);
  }
  returns = false;
  keysHaveNulls = true;
  columnType(t) { return t.k === 'i32' ? 'INT' : t.k === 'bool' ? 'INTEGER' : this.type(t); } // INTEGER PRIMARY KEY counts by itself
  absent() { throw new Unportable('DEFAULT'); }
  using() { throw new Unportable('USING'); }
  truncate() { return 'DELETE FROM w'; }
  q(q) {
    if (q.kind === 'setop' && q.all && q.op !== 'UNION') throw new Unportable('ALL');
    if (q.kind === 'values' && q.order.length) throw new Unportable('VALUES');
    return super.q(q);
  }
  from(f, nested) {
    if (f.kind === 'query' && f.names) throw new Unportable('names of columns');
    if (f.natural) throw new Unportable('NATURAL'); // of NaN
    if (f.lateral) throw new Unportable('LATERAL');
    if (f.kind === 'join' && f.type === ',') throw new Unportable('comma'); // which binds as JOIN there
    return super.from(f, nested);
  }
}

const renderers = { raydex: new Raydex(), duckdb: new Duck(), sqlite: new Lite() };

// What else than asking gives the rows of a query.
const detours = {
  table: (q) => `DROP TABLE IF EXISTS z; CREATE TABLE z AS ${q}; SELECT * FROM z`,
  insert: (q) => `DROP TABLE IF EXISTS z; CREATE TABLE z AS SELECT * FROM (${q}) y WHERE false; INSERT INTO z ${q}; SELECT * FROM z`,
  prepare: (q) => `PREPARE p AS ${q}; EXECUTE p; DEALLOCATE p`,
};

// A statement with some literals as parameters.
function prepared(q) {
  const raydex = renderers.raydex, parameters = new Map();
  raydex.parameters = parameters;
  const text = raydex.q(q);
  raydex.parameters = null;
  const all = [...parameters.keys()];
  if (!all.length) return detours.prepare(text);
  return `PREPARE p (${all.map((e) => raydex.type(e.t)).join(', ')}) AS ${text}; ` +
    `EXECUTE p (${all.map((e) => raydex.literal(e)).join(', ')}); DEALLOCATE p`;
}

export const createOf = (dialect, script) => createText(renderers[dialect], script);
export const stepOf = (dialect, script, step) => stepText(renderers[dialect], script, step);

export function render(dialect, q) {
  if (q.kind === 'script') return ['DROP TABLE IF EXISTS w', createOf(dialect, q), ...q.steps.map((step) => stepOf(dialect, q, step))].join(';\n    ');
  if (q.detour === 'parameters' && dialect === 'raydex') return prepared(q);
  const out = renderers[dialect].q(q);
  return q.detour && dialect === 'raydex' ? detours[q.detour](out) : out;
}
