// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Those that answer: { rows } or { error } for a statement.

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCsv } from './answers.mjs';

const MARK = '---mark';
const MOST_ROWS = 60000, MOST_SECONDS = 1; // of an answer of DuckDB
const MOST_MEMORY = 6000000; // KiB of Raydex

export class Raydex {
  constructor({ raydex, device, threads }) {
    this.program = raydex;
    this.settings = []; // SET ..., before the statements
    this.patience = 20; // seconds that a statement may take
    this.options = ['-csv', '-keep-going', '-no-init', '--device', device, ...(threads ? ['--threads', threads] : [])];
  }

  // Answers of many statements by one process after the other: one that dies or hangs costs its statement.
  async run(folder, statements) {
    const answers = [];
    while (answers.length < statements.length) {
      const part = await this.process(folder, statements.slice(answers.length));
      answers.push(...part);
    }
    return answers;
  }

  async process(folder, statements) {
    const file = join(folder, 'statements.sql'), out = join(folder, 'answers.csv'), errors = join(folder, 'errors.txt');
    const lines = this.settings.map((setting) => `${setting};\n`);
    statements.forEach((statement, i) => lines.push(`${statement};\n`, `SELECT '${MARK}${i}' AS m;\n`));
    writeFileSync(file, lines.join(''));
    const status = await this.spawn([...this.options, '-f', file, join(folder, 'db')], out, errors);
    const text = readFileSync(out, 'utf8'), said = readFileSync(errors, 'utf8');
    const failed = this.errors(said, file);
    const answers = [];
    let at = 0;
    for (let i = 0; i < statements.length; i++) {
      const mark = `m\n${MARK}${i}\n`, end = text.indexOf(mark, at);
      if (end < 0) break;
      const error = failed.get(this.settings.length + 2 * i + 1);
      if (error !== undefined) answers.push({ error });
      else answers.push({ rows: parseCsv(text.slice(at, end)).slice(1), names: text.slice(at, text.indexOf('\n', at)) });
      at = end + mark.length;
    }
    if (answers.length === statements.length) return answers;
    answers.push({ error: `${status.hung ? 'HANG' : 'CRASH'}: ${status.signal ?? status.code} ${said.slice(-3000)}`, fatal: true });
    return answers;
  }

  // What was said of each line.
  errors(said, file) {
    const failed = new Map();
    const start = new RegExp(`^.*?${file.replaceAll('/', '\\/').replaceAll('.', '\\.')}:(\\d+): `);
    let current = null, first = false;
    for (const line of said.split('\n')) {
      const found = line.match(start);
      if (found) {
        first = !failed.has(Number(found[1])); // of several statements of the line
        current = Number(found[1]);
        if (first) failed.set(current, line.slice(found[0].length));
      } else if (first && line) failed.set(current, `${failed.get(current)}\n${line}`);
    }
    return failed;
  }

  spawn(args, out, errors) {
    return new Promise((resolve) => {
      const files = [openSync(out, 'w'), openSync(errors, 'w')];
      const limit = process.env.ASAN_OPTIONS ? 'unlimited' : MOST_MEMORY; // a sanitizer takes terabytes of addresses
      const child = spawn('sh', ['-c', `ulimit -v ${limit}; exec "$0" "$@"`, this.program, ...args], { stdio: ['ignore', ...files] });
      files.forEach(closeSync);
      let hung = false, size = -1, quiet = 0;
      const timer = setInterval(() => {
        const now = statSync(out).size + statSync(errors).size;
        quiet = now === size ? quiet + 1 : 0;
        size = now;
        if (quiet < this.patience) return;
        hung = true;
        child.kill('SIGKILL');
      }, 1000);
      child.on('exit', (code, signal) => {
        clearInterval(timer);
        resolve({ code, signal, hung });
      });
    });
  }
}

export class Duck {
  constructor(connection) {
    this.connection = connection;
  }

  // { large } where there are more rows, or it takes longer, than is worth it.
  async run(statement) {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.connection.interrupt();
    }, MOST_SECONDS * 1000);
    try {
      const result = await this.connection.stream(statement);
      const rows = [];
      for (;;) {
        const chunk = await result.fetchChunk();
        if (!chunk || chunk.rowCount === 0) return late ? { large: true } : { rows }; // one that is interrupted may end like that
        if (rows.length + chunk.rowCount > MOST_ROWS) return { large: true };
        for (const row of chunk.getRows()) rows.push(row.map((v) => (v === null ? null : String(v))));
      }
    } catch (error) {
      return late ? { large: true } : { error: error.message };
    } finally {
      clearTimeout(timer);
    }
  }
}

export class Lite {
  constructor(database) {
    this.database = database;
  }

  run(statement) {
    try {
      const prepared = this.database.prepare(statement).safeIntegers();
      return { rows: prepared.raw().all().map((row) => row.map((v) => (v === null ? null : String(v)))) };
    } catch (error) {
      return { error: error.message };
    }
  }
  // A statement without rows.
  change(statement) {
    try {
      this.database.prepare(statement).run();
      return { rows: [] };
    } catch (error) {
      return { error: error.message };
    }
  }
}
