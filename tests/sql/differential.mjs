// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// node differential.mjs --raydex PROGRAM [--modules FOLDER] [--seed N] [--statements N] [--seconds S] [--device NAME]
//   [--per-case N] [--case K] [--reduce N] [--out FOLDER] [--skip PATTERN] [--show]
//
// Random statements over random tables, answered by Raydex, DuckDB and, where they mean the same there, sqlite3. Each
// difference is shown with the smallest statement and tables that have it; a part of the cases changes a table, and
// compares it after each statement. Refusals are counted by their texts. FOLDER
// has the node_modules of npm install @duckdb/node-api better-sqlite3@12 (else NODE_PATH or a folder above this one).
// Ends with 1 where there was a difference that differential/differences.mjs does not explain.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { differ, normal } from './differential/answers.mjs';
import { Changes } from './differential/changes.mjs';
import { loadDuck, loadLite, makeTables, writeTables } from './differential/data.mjs';
import { explained } from './differential/differences.mjs';
import { Duck, Lite, Raydex } from './differential/engines.mjs';
import { Queries } from './differential/queries.mjs';
import { Random } from './differential/random.mjs';
import { reduce } from './differential/reduce.mjs';
import { Unportable, render } from './differential/render.mjs';
import { judgeScripts } from './differential/scripts.mjs';

function parseArguments() {
  const options = { raydex: null, modules: process.env.NODE_PATH || process.cwd(), seed: Date.now() % 1e9, statements: 10000,
    seconds: Infinity, device: 'cpu', threads: null, 'per-case': 300, case: null, reduce: 12, out: null, show: false, skip: null };
  const words = process.argv.slice(2);
  while (words.length) {
    const name = words.shift().replace(/^--/, '');
    if (!(name in options)) {
      console.error(`differential.mjs: there is no option --${name}`);
      process.exit(2);
    }
    options[name] = name === 'show' ? true : words.shift();
  }
  if (!options.raydex) {
    console.error('differential.mjs: --raydex PROGRAM is needed');
    process.exit(2);
  }
  for (const name of ['seed', 'statements', 'seconds', 'per-case', 'reduce']) options[name] = Number(options[name]);
  return { ...options, raydex: resolve(options.raydex) };
}

const options = parseArguments();
const require = createRequire(join(resolve(options.modules), 'none'));
const { DuckDBInstance } = require('@duckdb/node-api');
const Database = require('better-sqlite3');
const duckInstance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '1GB' });
const raydex = new Raydex(options);

async function openEngines() {
  const duck = new Duck(await duckInstance.connect());
  const lite = new Lite(new Database(':memory:'));
  lite.database.pragma('case_sensitive_like = ON');
  return { duck, lite };
}

const short = (error) => error.split('\n')[0].replace(/"[^"]*"|'[^']*'/g, '"..."').replace(/\d+/g, '0').slice(0, 160);

// The columns of the order, where the whole order is of them.
const sequenceOf = (q) => {
  if (q.detour === 'table' || q.detour === 'insert') return [];
  const order = q.order ?? [], end = order.findIndex((o) => o.e);
  return (end < 0 ? order : order.slice(0, end)).map((o) => o.item);
};

function judge(q, want, got) {
  if (got.fatal) return { kind: got.error.split(':')[0], text: got.error };
  if (got.error !== undefined && want.error !== undefined) return null;
  if (got.error !== undefined || want.error !== undefined) {
    const why = explained(got, want);
    if (why) return { kind: 'explained', text: why.name };
    if (got.error !== undefined) return { kind: 'refused', text: got.error, key: short(got.error) };
    return { kind: 'no error', text: want.error, key: short(want.error) };
  }
  const types = q.columns.map((c) => c.t);
  const rows = [want, got].map((answer) => answer.rows.map((row) => row.map((v, i) => normal(v, types[i]))));
  const width = rows[1].find((row) => row.length !== types.length);
  if (width) return { kind: 'wrong', text: `${width.length} columns, not ${types.length}` };
  counts.rows += rows[0].length;
  counts.empty += rows[0].length === 0;
  const text = differ(rows[0], rows[1], types, sequenceOf(q));
  return text ? { kind: 'wrong', text } : null;
}

function judgeOne(q, want, got, lite) {
  const verdict = judge(q, want, got);
  if (verdict || got.error !== undefined) return { verdict };
  try {
    const third = lite.run(render('sqlite', q));
    if (third.error !== undefined) return { verdict, sqlite: third.error };
    const other = judge(q, third, got);
    return { verdict: other && { ...other, text: `sqlite3: ${other.text}`, lite: true }, lite: true };
  } catch (error) {
    if (!(error instanceof Unportable)) throw error;
    return { verdict };
  }
}

// `sparse` leaves out most of those without rows.
async function judgeAll(all, folder, engines, sparse) {
  const { duck, lite } = engines;
  if (all[0]?.kind === 'script') return judgeScripts(all, folder, engines, raydex, judge, counts);
  const wants = [], queries = [];
  for (const q of all) {
    const want = await duck.run(render('duckdb', q));
    if (!want.large && want.rows?.length === 0 && sparse?.chance(70)) want.large = true;
    if (!want.large) queries.push(q);
    wants.push(want);
  }
  const answers = await raydex.run(folder, queries.map((q) => render('raydex', q)));
  const verdicts = [];
  for (const [i, q] of all.entries()) {
    if (wants[i].large) verdicts.push({ verdict: null, skipped: true });
    else verdicts.push(await doubt(q, judgeOne(q, wants[i], answers[queries.indexOf(q)], lite), answers[queries.indexOf(q)], duck));
  }
  return verdicts;
}

// DuckDB may be wrong: then it often says something else without its optimizer.
async function doubt(q, judged, got, duck) {
  if (judged.verdict?.kind !== 'wrong' || judged.verdict.lite) return judged;
  await duck.connection.run('PRAGMA disable_optimizer');
  const plain = await duck.run(render('duckdb', q));
  await duck.connection.run('PRAGMA enable_optimizer');
  return plain.large || judge(q, plain, got) ? judged : { verdict: { kind: 'explained', text: "DuckDB's optimizer is wrong" } };
}

const sameKind = (a, b) => b && a.kind === b.kind && a.key === b.key && Boolean(a.lite) === Boolean(b.lite);

// ---- Smaller tables ----

const usedTables = (tables, q) => {
  const text = render('raydex', q);
  return tables.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text));
};

function cut(table, rows, columns = table.columns) {
  const keep = rows.length;
  return { ...table, rows: keep, columns: columns.map((c) => ({ ...c, values: rows.map((row) => c.values[row]) })) };
}

async function reduceTables(tables, q, verdict, folder) {
  const text = render('raydex', q);
  const engines = await openEngines();
  let now = usedTables(tables, q);
  const shows = async (list) => {
    writeTables(list, folder, options.raydex);
    await loadDuck(engines.duck.connection, list, folder);
    loadLite(engines.lite.database, list);
    return sameKind(verdict, (await judgeAll([q], folder, engines))[0].verdict);
  };
  const attempt = async (list) => {
    if (!await shows(list)) return false;
    now = list;
    return true;
  };
  await engines.duck.connection.run('CREATE SCHEMA IF NOT EXISTS small');
  await engines.duck.connection.run('SET schema = small');
  await attempt(now.map((t) => cut(t, [...Array(t.rows).keys()], t.columns.filter((c) => c.name === 'id' || new RegExp(`\\b${c.name}\\b`).test(text)))));
  for (let tries = 0, parts = 2; tries < 60 && parts <= 64;) {
    let any = false;
    for (let i = 0; i < now.length; i++) {
      for (let part = 0; part < parts && now[i].rows > 0; part++) {
        const size = Math.ceil(now[i].rows / parts);
        const rows = [...Array(now[i].rows).keys()].filter((row) => row < part * size || row >= (part + 1) * size);
        if (rows.length === now[i].rows) break;
        tries++;
        any = await attempt(now.map((t, k) => (k === i ? cut(t, rows) : t))) || any;
        if (tries >= 120) break;
      }
    }
    if (!any) parts *= 2;
  }
  await shows(now);
  engines.lite.database.close();
  return now;
}

// ---- The report ----

const counts = { statements: 0, agreed: 0, rows: 0, empty: 0, sqlite: 0, cases: 0, steps: 0, failed: 0 };
const explainedCounts = new Map(), refused = new Map(), found = [];
let reduced = 0;

function showTables(tables) {
  return tables.map(({ name, rows, columns }) => {
    const head = `${name}: ${columns.map((c) => `${c.name} ${c.t.k}${c.t.s ?? ''}`).join(', ')}`;
    const lines = Array.from({ length: Math.min(rows, 12) }, (_, row) => `  ${columns.map((c) => c.values[row] ?? 'NULL').join(', ')}`);
    return [head, ...lines, ...(rows > 12 ? [`  ... ${rows} rows`] : [])].join('\n');
  }).join('\n');
}

async function report(q, verdict, tables, folder, engines, place) {
  let smallest = q, small = tables;
  if (reduced < options.reduce) {
    reduced++;
    if (verdict.kind !== 'HANG') raydex.patience = 4;
    if (verdict.steps) q = { ...q, steps: q.steps.slice(0, verdict.steps) };
    smallest = await reduce(q, async (list) => (await judgeAll(list, folder, engines)).map((j) => sameKind(verdict, j.verdict)), 40);
    const target = options.out ? join(options.out, String(found.length + 1)) : join(folder, 'small');
    mkdirSync(target, { recursive: true });
    small = await reduceTables(tables, smallest, verdict, target);
    const last = (await judgeAll([smallest], folder, engines))[0].verdict;
    if (last) verdict = { ...last };
    raydex.patience = 20;
    writeFileSync(join(target, 'statement.sql'), `${render('raydex', smallest)};\n`);
  } else {
    small = [];
  }
  found.push(verdict);
  console.log(`\n${found.length}. ${verdict.kind}: ${verdict.text}\n  ${place}\n  ${render('raydex', smallest)}\n  duckdb: ${render('duckdb', smallest)}`);
  if (small.length) console.log(showTables(small));
}

const settings = [
  ...['column', 'sorted_cube', 'coarse_cube', 'rt_cube'].map((method) => `method = '${method}'`),
  ...['column', 'bindex', 'btree_scan', 'rtindex', 'rtc1', 'rtc3', 'rtscan'].map((method) => `scan_method = '${method}'`),
  ...['radix_hash', 'hash', 'tree', 'sorted_array', 'btree', 'rx', 'rx_optimized', 'cgrx', 'cgrx_naive', 'cgrx_updatable']
    .map((method) => `join_method = ${method}`),
];

async function runCase(number, folder, engines, wanted) {
  const random = new Random(options.seed, number);
  const portable = random.chance(25);
  const tables = makeTables(random, portable);
  writeTables(tables, folder, options.raydex);
  await loadDuck(engines.duck.connection, tables, folder);
  loadLite(engines.lite.database, tables);
  const generator = new Queries(random, tables, portable);
  raydex.settings = random.chance(40) ? [`SET ${random.pick(settings)}`] : [];
  const changes = new Changes(random, tables, portable);
  const scripts = random.chance(30);
  const queries = Array.from({ length: scripts ? wanted / 10 : wanted }, () => (scripts ? changes.script() : generator.statement()))
    .filter((q) => !options.skip || !new RegExp(options.skip).test(render('raydex', q)));
  const verdicts = await judgeAll(queries, folder, engines, random);
  for (const [i, { verdict, lite, sqlite, skipped }] of verdicts.entries()) {
    if (skipped) continue;
    counts.statements++;
    counts.sqlite += Boolean(lite);
    if (sqlite && options.show) console.log(`sqlite3: ${sqlite}: ${render('sqlite', queries[i])}`);
    if (!verdict) {
      counts.agreed++;
      continue;
    }
    if (verdict.kind === 'explained') {
      explainedCounts.set(verdict.text, (explainedCounts.get(verdict.text) ?? 0) + 1);
      continue;
    }
    const place = `${raydex.settings.map((setting) => `${setting}; `).join('')}--seed ${options.seed} --case ${number}, statement ${i}`;
    if (verdict.kind === 'refused' || verdict.kind === 'no error') {
      const known = refused.get(verdict.key);
      refused.set(verdict.key, { count: (known?.count ?? 0) + 1, example: known?.example ?? render('raydex', queries[i]) });
      if (known) continue;
    }
    await report(queries[i], verdict, tables, folder, engines, place);
  }
}

const engines = await openEngines();
const folder = mkdtempSync(join(tmpdir(), 'differential-'));
const start = Date.now();
const first = options.case === null ? 0 : Number(options.case);
for (let number = first; counts.statements < options.statements && Date.now() - start < options.seconds * 1000; number++) {
  await runCase(number, folder, engines, options['per-case']);
  counts.cases++;
  if (process.stderr.isTTY) process.stderr.write(`\r${counts.statements} statements, ${found.length} differences `);
  if (options.case !== null) break;
}
rmSync(folder, { recursive: true, force: true });
console.log(`\nseed ${options.seed}: ${counts.statements} statements of ${counts.cases} cases in ${((Date.now() - start) / 1000).toFixed(0)} s, ` +
  `${counts.agreed} agreed (${counts.sqlite} also with sqlite3; ${counts.rows} rows, ${counts.empty} answers without any), ${found.length} differences; ` +
  `${counts.steps} changes agreed, of which ${counts.failed} failed`);
for (const [name, count] of explainedCounts) console.log(`  ${count} explained: ${name}`);
for (const [key, { count, example }] of [...refused].sort((a, b) => b[1].count - a[1].count)) console.log(`  ${count} ${key}\n      ${example.slice(0, 400)}`);
process.exit(found.length ? 1 : 0);
