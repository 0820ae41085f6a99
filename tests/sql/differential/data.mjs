// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Random tables: columns of every type with NULLs, duplicates and extremes, as CSV with a list of types.
//
// A type is { k } with k one of bool, i16, i32, i64, dec, f32, f64, date, ts, text; dec has a scale s, too. A column is
// { name, t, m, wild, distinct, nulls, values }: m bounds the size of its numbers, wild columns have extremes.

import { mkdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const names = {
  id: 'i32', k: 'i32', b: 'bool', h: 'i16', i: 'i32', j: 'i32', l: 'i64', n: 'dec', w: 'dec', r: 'f32', f: 'f64',
  d: 'date', e: 'date', ts: 'ts', s: 'text', u: 'text', x: 'i32', big: 'i64',
  c8: 'i16', v8: 'i16', v16: 'i32', v32: 'i64', v64: 'dec',
};
// Columns that are stored as other types than those of SQL.
export const stored = { c8: 'i8', v8: 'u8', v16: 'u16', v32: 'u32', v64: 'u64' };
const words = ['', 'a', 'b', 'A', 'ab', 'abc', 'B', 'zz', 'apple', 'Apple', 'banana', 'cherry', 'x_y', 'a%b', 'ä', 'öl',
  '日本', 'one two', ' pad ', 'say "hi"', 'a,b', "it's", 'abcdefgh', 'abcdefghi', 'abcdefghij', 'abcdefgh1', '10', '9'];

const pad = (n, width = 2) => String(n).padStart(width, '0');

export function dateText(days) {
  return new Date(days * 86400000).toISOString().slice(0, 10);
}

function timeText(seconds, micros) {
  const text = new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return micros ? `${text}.${pad(micros, 6)}` : text;
}

export function decimalText(units, scale) {
  const sign = units < 0 ? '-' : '', digits = pad(Math.abs(units), scale + 1);
  return scale ? `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}` : sign + digits;
}

// A value as text, and the size of it.
function drawValue(random, column) {
  const { t, range, wild, name } = column;
  const small = stored[name] ? random.between(name === 'c8' ? -Math.min(range, 128) : 0, Math.min(range, 127)) : random.between(-range, range);
  switch (t.k) {
    case 'bool': return random.chance(50) ? 'true' : 'false';
    case 'i16': return wild && random.chance(10) ? random.pick(['-32768', '32767']) : String(small);
    case 'i32': return wild && random.chance(10) ? random.pick(['-2147483648', '2147483647']) : String(small);
    case 'i64':
      return wild && random.chance(20)
        ? random.pick(['-9223372036854775808', '9223372036854775807', '9007199254740993', '-4294967297'])
        : String(small);
    case 'dec': return decimalText(small, t.s);
    case 'f32': return wild && random.chance(5) ? random.pick(['NaN', 'inf', '-inf', '-0.0']) : String(small / 4);
    case 'f64': return wild && random.chance(5) ? random.pick(['NaN', 'inf', '-inf', '-0.0', '1e300']) : String(small / 8);
    case 'date':
      return wild && random.chance(5) ? random.pick(['0001-01-01', '9999-12-31', '1600-02-29', '1970-01-01'])
        : dateText(18262 + small);
    case 'ts':
      return timeText(1577836800 + small * random.pick([1, 60, 3600, 86400]), random.chance(20) ? random.below(1e6) : 0);
    default: return words[random.below(Math.min(words.length, range + 1))];
  }
}

const bounds = { i16: 32768, i32: 2147483648, i64: 9223372036854775808, f32: Infinity, f64: Infinity };

function makeColumn(random, name, rows, others) {
  const t = { k: names[name] };
  if (t.k === 'dec') t.s = name === 'v64' ? 0 : name === 'n' ? 2 : random.pick([0, 1, 4, 6]);
  if (name === 'k' && random.chance(20)) t.k = 'i64';
  const range = random.pick([1, 5, 20, 100, 1000, 10000]);
  const wild = name === 'big' || (!stored[name] && name !== 'id' && name !== 'k' && name !== 'x' && random.chance(15));
  const column = { name, t, range: t.k === 'i16' ? Math.min(range, 1000) : range, wild };
  const nulls = name === 'id' ? 0 : random.weighted([[40, 0], [30, 10], [20, 40], [5, 95], [5, 100]]);
  const start = random.between(-3, 10), target = others.length ? random.pick(others) : null;
  const values = Array.from({ length: rows }, (_, row) => {
    if (random.chance(nulls)) return null;
    if (name === 'id') return String(start + row);
    if (name === 'x' && target && target.rows > 0) return String(target.start + random.below(target.rows + 1));
    return drawValue(random, column);
  });
  if (name === 'id' && random.chance(60)) values.sort(() => random.below(3) - 1);
  if (random.chance(15) && name !== 'id') values.sort();
  const size = (v) => (t.k === 'text' || t.k === 'date' || t.k === 'ts' ? 0 : Math.abs(Number(v)) || 0);
  const present = values.filter((v) => v !== null);
  column.m = wild ? bounds[t.k] ?? range : present.reduce((most, v) => Math.max(most, size(v)), 1);
  column.distinct = new Set(present).size;
  column.nulls = present.length < rows;
  column.values = values;
  column.start = start;
  return column;
}

// `portable`: with types only that sqlite3 has, too.
function makeTable(random, name, rows, others, portable) {
  const optional = Object.keys(names).filter((n) => (!stored[n] || random.chance(30)) && n !== 'id' && n !== 'k' && (!portable || /^(i32|i64|f64|text|bool)$/.test(names[n])));
  const chosen = optional.filter(() => random.chance(55));
  const columns = ['id', 'k', ...chosen].map((column) => makeColumn(random, column, rows, others));
  return { name, rows, columns, start: columns[0].start };
}

export function makeTables(random, portable) {
  const sizes = [random.between(5, 30), random.between(30, 300), random.between(100, 1000), random.chance(5) ? random.between(20000, 70000) : random.between(1000, 5000),
    random.pick([0, 0, 1]), random.between(2, 8)];
  const tables = [];
  for (const [number, rows] of sizes.entries()) tables.push(makeTable(random, `t${number}`, rows, tables, portable));
  return tables;
}

const typeNames = { bool: 'bool', i16: 'i16', i32: 'i32', i64: 'i64', f32: 'f32', f64: 'f64', date: 'date',
  ts: 'timestamp', text: 'string' };
const csvField = (v) => (v === null ? '' : /^$|[",\n]|^ | $/.test(v) ? `"${v.replaceAll('"', '""')}"` : v);

// The tables as files NAME.csv and NAME.types of a folder, and as table files of another.
export function writeTables(tables, folder, raydex) {
  mkdirSync(join(folder, 'db'), { recursive: true });
  for (const { name, rows, columns } of tables) {
    const file = join(folder, name);
    const lines = [columns.map((c) => c.name)];
    for (let row = 0; row < rows; row++) lines.push(columns.map((c) => csvField(c.values[row])));
    writeFileSync(`${file}.csv`, lines.map((line) => `${line.join(',')}\n`).join(''));
    const types = columns.map(({ name: n, t }) => `${n},${stored[n] ? stored[n] : t.k === 'dec' ? `decimal(${t.s})` : typeNames[t.k]}\n`);
    writeFileSync(`${file}.types`, `column,type\n${types.join('')}`);
    execFileSync(raydex, ['import', `${file}.csv`, join(folder, 'db', `${name}.rdx`), '--types', `${file}.types`],
      { stdio: 'pipe' });
  }
}

export const duckType = (t) => ({ bool: 'BOOLEAN', i16: 'SMALLINT', i32: 'INTEGER', i64: 'BIGINT', f32: 'FLOAT',
  f64: 'DOUBLE', date: 'DATE', ts: 'TIMESTAMP', text: 'VARCHAR', dec: `DECIMAL(30, ${t.s})` })[t.k];

export async function loadDuck(connection, tables, folder) {
  for (const { name, columns } of tables) {
    const list = columns.map((c) => `"${c.name}" ${duckType(c.t)}`).join(', ');
    await connection.run(`CREATE OR REPLACE TABLE ${name} (${list})`);
    await connection.run(`COPY ${name} FROM '${join(folder, name)}.csv' ` +
      `(HEADER, DELIMITER ',', QUOTE '"', ESCAPE '"', NULL '', ALLOW_QUOTED_NULLS false)`);
  }
}

export function loadLite(database, tables) {
  const number = { i16: 1, i32: 1, i64: 1, bool: 1 };
  for (const { name, rows, columns } of tables) {
    database.exec(`DROP TABLE IF EXISTS ${name}`);
    const list = columns.map((c) => `"${c.name}" ${number[c.t.k] ? 'INTEGER' : c.t.k === 'f64' ? 'REAL' : 'TEXT'}`);
    database.exec(`CREATE TABLE ${name} (${list.join(', ')})`);
    const insert = database.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => '?').join(', ')})`);
    const convert = (v, t) => (v === null ? null : number[t.k] ? BigInt(v === 'true' ? 1 : v === 'false' ? 0 : v)
      : t.k === 'f64' ? Number(v) : v);
    database.transaction(() => {
      for (let row = 0; row < rows; row++) insert.run(columns.map((c) => convert(c.values[row], c.t)));
    })();
  }
}
