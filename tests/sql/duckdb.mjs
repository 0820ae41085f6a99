// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// node duckdb.mjs PROGRAM tpch|ssb SCALE OUT [--seed S] [--times RUNS] [--threads N]: what DuckDB answers to the
// benchmark's queries over the tables that PROGRAM (raydex) makes, as OUT/q01.csv, OUT/q1.1.csv and so on, in the form
// that tests/sql/compare reads; with --times also OUT/times.csv, the median of so many runs of each query after one that
// does not count. Raydex does not depend on DuckDB; install it where you like:
//
//   npm install --prefix build/duckdb @duckdb/node-api
//   NODE_PATH=build/duckdb/node_modules node tests/sql/duckdb.mjs build/bin/raydex ssb 0.1 tests/sql/ssb
//   NODE_PATH=build/duckdb/node_modules node tests/sql/duckdb.mjs build/bin/raydex tpch 0.01 tests/sql/tpch --seed 31

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tables = {
  tpch: ['region', 'nation', 'supplier', 'customer', 'part', 'partsupp', 'orders', 'lineitem'],
  ssb: ['date', 'supplier', 'customer', 'part', 'lineorder'],
};
const types = [
  [/^(u8|u16|u32|i32)$/, 'INTEGER'],
  [/^i64$/, 'BIGINT'],
  [/^decimal\((\d+)\)$/, 'DECIMAL(15, $1)'],
  [/^date$/, 'DATE'],
  [/^string$/, 'VARCHAR'],
];

function fail(text) {
  console.error(`duckdb.mjs: ${text}`);
  process.exit(2);
}

function parseArguments() {
  const words = process.argv.slice(2);
  const options = { seed: 1, times: 0, threads: 0 };
  for (const name of Object.keys(options)) {
    const at = words.indexOf(`--${name}`);
    if (at >= 0) options[name] = Number(words.splice(at, 2)[1]);
  }
  const [program, benchmark, scale, out] = words;
  if (words.length !== 4 || !tables[benchmark]) fail('PROGRAM, tpch or ssb, SCALE and OUT are needed');
  return { ...options, program, benchmark, scale, out };
}

// Columns of a table file as DuckDB declares them.
function columnsOf(program, file) {
  const list = `${file}.types`;
  execFileSync(program, ['export', `${file}.rdx`, '--types', list, '--out', `${file}.csv`]);
  const lines = execFileSync('tail', ['-n', '+2', list], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [name, type] = line.split(',');
    const known = types.find(([pattern]) => pattern.test(type));
    if (!known) fail(`${file}: no type for ${line}`);
    return `'${name}': '${type.replace(...known)}'`;
  });
}

async function load(connection, { program, benchmark, scale, seed }) {
  const folder = mkdtempSync(join(tmpdir(), 'duckdb-'));
  execFileSync(program, [benchmark, 'generate', '--sf', scale, '--seed', String(seed), '--out', folder]);
  for (const table of tables[benchmark]) {
    const file = join(folder, table);
    const columns = columnsOf(program, file).join(', ');
    await connection.run(
      `CREATE TABLE "${table}" AS FROM read_csv('${file}.csv', header = true, columns = {${columns}})`);
    rmSync(`${file}.csv`);
  }
  rmSync(folder, { recursive: true });
}

// The queries by their names.
function queriesOf({ program, benchmark }) {
  const text = execFileSync(program, [benchmark, 'queries'], { encoding: 'utf8' });
  return text.split(/^-- Q/m).slice(1).map((query) => {
    const [, name, sql] = query.match(/^(\S+)\n([^]*)$/);
    return { name: name.length === 1 ? `0${name}` : name, sql };
  });
}

function field(value, type) {
  if (value === null) return '';
  if (type === 'DOUBLE') return Number(value).toExponential(16);
  const text = String(value);
  return type === 'VARCHAR' && /^$|[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// As PostgreSQL names columns that have no name.
const nameOf = (name) => name.replace(/^(\w+)\(.*\)$/, '$1');

async function answer(connection, sql) {
  const reader = await connection.runAndReadAll(sql);
  const typeNames = reader.columnTypes().map(String);
  const lines = [reader.columnNames().map(nameOf), ...reader.getRows().map((row) => row.map((v, i) => field(v, typeNames[i])))];
  return lines.map((line) => `${line.join(',')}\n`).join('');
}

async function medianTime(connection, sql, runs) {
  const times = [];
  for (let i = 0; i <= runs; i++) {
    const start = process.hrtime.bigint();
    await connection.runAndReadAll(sql);
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  times.shift();
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)];
}

const options = parseArguments();
const { DuckDBInstance } = createRequire(import.meta.url)('@duckdb/node-api');
const instance = await DuckDBInstance.create(':memory:', options.threads ? { threads: String(options.threads) } : {});
const connection = await instance.connect();
await load(connection, options);
mkdirSync(options.out, { recursive: true });
let times = 'query,ms\n';
for (const { name, sql } of queriesOf(options)) {
  writeFileSync(join(options.out, `q${name}.csv`), await answer(connection, sql));
  if (options.times) times += `${name},${(await medianTime(connection, sql, options.times)).toFixed(3)}\n`;
}
if (options.times) writeFileSync(join(options.out, 'times.csv'), times);
