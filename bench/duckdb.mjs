// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors

// The 13 queries of the Star Schema Benchmark over one flat table: DuckDB beside the engines of Raydex on the CPU, on as
// many threads, in turn, with the same results. Raydex does not depend on DuckDB; install it where you like:
//
//   npm install --prefix build/duckdb @duckdb/node-api
//   NODE_PATH=build/duckdb/node_modules node bench/duckdb.mjs --dir DIR [--threads N] [--runs N] [--raydex PROGRAM]
//
// DIR holds the tables that `raydex ssb generate` made. The flat table is made there, and its text in a temporary folder.

import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {cpus, tmpdir} from 'node:os';
import {join} from 'node:path';
import {performance} from 'node:perf_hooks';

const engines = ['column', 'sorted_cube', 'coarse_cube', 'rt_cube'];

function parseOptions(list) {
  const options = {threads: cpus().length, runs: 5, raydex: 'build/bin/raydex'};
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i].replace(/^--/, '');
    if (!['dir', 'threads', 'runs', 'raydex'].includes(name) || list[i + 1] === undefined)
      throw new Error(`${list[i]}: there are --dir DIR, --threads N, --runs N and --raydex PROGRAM`);
    options[name] = ['threads', 'runs'].includes(name) ? Number(list[i + 1]) : list[i + 1];
  }
  if (!options.dir)
    throw new Error('say with --dir where the tables are');
  if (!(options.threads >= 1 && options.runs >= 1))
    throw new Error('--threads and --runs are numbers from 1 on');
  return options;
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

// Name -> text, of a list of texts that each follow a line "-- QN.M".
function sections(text) {
  return new Map(text.split(/^-- Q/m).slice(1).map((part) => {
    const end = part.indexOf('\n');
    return [part.slice(0, end), part.slice(end + 1).trim()];
  }));
}

// What Raydex finds, as text, and each engine's milliseconds.
function runRaydex(options, flat) {
  const done = spawnSync(options.raydex,
      ['ssb', 'run', '--dir', options.dir, '--flat', flat, '--method', engines.join(), '--device', 'cpu', '--stats',
       '--threads', String(options.threads), '--runs', String(options.runs)],
      {encoding: 'utf8', maxBuffer: 1 << 30});
  if (done.status !== 0)
    throw new Error(`raydex ssb run: ${done.stderr}`);
  const times = new Map();
  for (const [, query, engine, ms] of done.stderr.matchAll(/^Q(\S+) (\w+) .*? rows? +([\d.]+) ms/gm))
    times.set(`${query} ${engine}`, Number(ms));
  return {results: sections(done.stdout), times};
}

async function openDuckdb(options, flat, folder) {
  const {DuckDBInstance} = createRequire(import.meta.url)('@duckdb/node-api');
  const csv = join(folder, 'flat.csv');
  execFileSync(options.raydex, ['export', flat, '--out', csv]);
  const instance = await DuckDBInstance.create(':memory:', {threads: String(options.threads)});
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE lineorder_flat AS FROM read_csv('${csv.replaceAll("'", "''")}', header = true)`);
  return connection;
}

// Columns are put in the order that a line of names has.
async function runDuckdb(connection, sql, runs, header) {
  const times = [];
  let reader;
  for (let i = 0; i <= runs; i++) { // the first is not counted
    const start = performance.now();
    reader = await connection.runAndReadAll(sql);
    if (i > 0)
      times.push(performance.now() - start);
  }
  const names = reader.columnNames(), order = header.split(',').map((name) => names.indexOf(name));
  const rows = reader.getRowsJson().map((row) => order.map((i) => row[i]).join());
  return {text: [header, ...rows].join('\n'), ms: median(times)};
}

async function compare(options, folder) {
  const flat = join(options.dir, 'lineorder_flat.rdx');
  if (!existsSync(flat))
    execFileSync(options.raydex, ['ssb', 'flatten', '--dir', options.dir]);
  const connection = await openDuckdb(options, flat, folder);
  const queries = sections(execFileSync(options.raydex, ['ssb', 'queries', '--flat'], {encoding: 'utf8'}));
  const {results, times} = runRaydex(options, flat);
  console.log(['query', 'DuckDB ms', ...engines.flatMap((e) => [`${e} ms`, 'times']), 'same'].join('\t'));
  let different = 0;
  const logs = engines.map(() => 0);
  for (const [query, sql] of queries) {
    const expected = results.get(query);
    const duckdb = await runDuckdb(connection, sql, options.runs, expected.split('\n', 1)[0]);
    const same = duckdb.text === expected;
    different += same ? 0 : 1;
    const cells = engines.flatMap((engine, i) => {
      const ms = times.get(`${query} ${engine}`);
      logs[i] += Math.log(duckdb.ms / ms);
      return [ms.toFixed(4), (duckdb.ms / ms).toFixed(1)];
    });
    console.log([`Q${query}`, duckdb.ms.toFixed(2), ...cells, same ? 'yes' : 'NO'].join('\t'));
  }
  console.log(['mean', '', ...logs.flatMap((sum) => ['', Math.exp(sum / queries.size).toFixed(1)]), ''].join('\t'));
  return different;
}

const folder = mkdtempSync(join(tmpdir(), 'raydex-duckdb-'));
try {
  process.exitCode = await compare(parseOptions(process.argv.slice(2)), folder) > 0 ? 1 : 0;
} catch (error) {
  console.error(`duckdb.mjs: ${error.message}`);
  process.exitCode = 2;
} finally {
  rmSync(folder, {recursive: true, force: true});
}
