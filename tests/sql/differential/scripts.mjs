// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Scripts (changes.mjs) run by all, and compared after each step: whether it fails, what RETURNING says, what w is then.

import { differ, normal } from './answers.mjs';
import { duplicate, setsKeys } from './changes.mjs';
import { Unportable, createOf, stepOf } from './render.mjs';

const CONTENT = 'SELECT * FROM w';
const rowsOf = (answer, columns) => answer.rows.map((row) => row.map((v, i) => normal(v, columns[i].t)));

// What DuckDB makes of a script: an answer and the table for each step.
async function runDuck(script, duck) {
  await duck.run('DROP TABLE IF EXISTS w');
  const made = await duck.run(createOf('duckdb', script));
  if (made.error !== undefined) return [{ answer: made, content: made }];
  const out = [];
  for (const step of script.steps) {
    const answer = await duck.run(stepOf('duckdb', script, step));
    out.push({ answer, content: await duck.run(CONTENT) });
    if (answer.large) break;
  }
  return out;
}

const literal = (v, t) => (v === null ? 'NULL' : t.k === 'bool' ? (v === 'true' ? '1' : '0') : t.k === 'text' ? `'${v.replaceAll("'", "''")}'`
  : t.k === 'f64' ? Number(v).toExponential(17) : v);

// sqlite3's answers, where it has a step; its table is DuckDB's before each one.
function runLite(script, lite, wants) {
  try {
    lite.change('DROP TABLE IF EXISTS w');
    if (lite.change(createOf('sqlite', script)).error !== undefined) return null;
  } catch (error) {
    if (!(error instanceof Unportable)) throw error;
    return null;
  }
  let before = [];
  return script.steps.map((step, i) => {
    if (!wants[i]?.content.rows) return null;
    const strange = before.some((row) => row.some((v) => /nan|inf/i.test(v ?? '')));
    let out = null;
    try {
      const text = stepOf('sqlite', script, step);
      lite.change('DELETE FROM w');
      const filled = before.every((row) => lite.change(`INSERT INTO w VALUES (${row.map((v, c) => literal(v, script.columns[c].t)).join(', ')})`).error === undefined);
      if (filled && !strange) out = { answer: lite.change(text), content: lite.run(CONTENT) };
    } catch (error) {
      if (!(error instanceof Unportable)) throw error;
    }
    before = wants[i].content.rows;
    return out;
  });
}

const differs = (script, a, b) => differ(rowsOf(a, script.columns), rowsOf(b, script.columns), script.columns.map((c) => c.t));

// What one says of a step against what Raydex says; null: the same.
function judgeStep(script, step, want, got, judge) {
  const columns = step.returning && !want.lite ? step.returning : [];
  const only = (answer) => (answer.rows && !columns.length ? { ...answer, rows: [] } : answer);
  const verdict = judge({ columns }, only(want.answer), only(got.answer));
  if (verdict) return verdict;
  const text = differs(script, want.content, got.content);
  return text ? { kind: 'wrong', text: `w is another: ${text}` } : null;
}

// Each row is compared for itself there, where here those of a statement are compared when all are changed.
const apart = (script, step, verdict, want) => verdict.kind === 'no error' && setsKeys(script, step) && /constraint|UNIQUE/i.test(want.answer.error);
// Only PostgreSQL refuses them.
const again = (verdict) => verdict.kind === 'refused' && /cannot affect row a second time/.test(verdict.text);
// CHECK and NOT NULL come after ON CONFLICT there.
const skipped = (step, verdict, want) => verdict.kind === 'refused' && step.conflict && want.answer.error === undefined && /violates (check|not-null)/.test(verdict.text);

// For DuckDB two rows of a statement whose keys are NULL have the same key, and a row has, too, that is left out for another.
const keysOfConflict = (script, step, verdict) => (verdict.kind === 'wrong' || /duplicate key/.test(verdict.text)) && step.conflict && (script.constraints.filter((k) => k.kind !== 'CHECK').length > 1 ||
  script.constraints.some((k) => k.kind === 'UNIQUE' && k.names.some((name) => !script.columns.find((c) => c.name === name).notNull)));

function judgeScript(script, wants, lites, answers, judge, counts) {
  if (!wants[0].content.rows && wants[0].answer === wants[0].content) return { verdict: { kind: 'explained', text: 'DuckDB does not make the table' } };
  for (const [i, step] of script.steps.entries()) {
    const want = wants[i], got = { answer: answers[2 * i], content: answers[2 * i + 1] };
    if (!want || want.answer.large || want.content.large) return { verdict: null };
    const fatal = [got.answer, got.content].find((a) => a.fatal || (a === got.content && a.error !== undefined));
    if (fatal) return { verdict: { kind: fatal.error.split(':')[0], text: fatal.error, steps: i + 1 } };
    const twice = duplicate(script, got.content.rows);
    if (twice) return { verdict: { kind: 'wrong', text: `step ${i + 1}: rows have the same ${twice}` } };
    let verdict = judgeStep(script, step, want, got, judge), lite = false;
    if (verdict && apart(script, step, verdict, want)) return { verdict: { kind: 'explained', text: 'keys compared row by row' } };
    if (verdict && skipped(step, verdict, want)) return { verdict: { kind: 'explained', text: 'CHECK after ON CONFLICT' } };
    if (verdict && again(verdict)) return { verdict: { kind: 'explained', text: 'a row changed twice' } };
    if (verdict && keysOfConflict(script, step, verdict)) return { verdict: { kind: 'explained', text: 'ON CONFLICT of NULLs, or of several keys' } };
    if (!verdict && lites?.[i]) {
      verdict = judgeStep(script, step, { ...lites[i], lite: true }, got, judge);
      if (verdict && (apart(script, step, verdict, lites[i]) || skipped(step, verdict, lites[i]) || again(verdict))) verdict = null;
      lite = true;
      counts.sqlite++;
    }
    if (verdict?.kind === 'explained') return { verdict };
    if (verdict) return { verdict: { ...verdict, text: `step ${i + 1}: ${lite ? 'sqlite3: ' : ''}${verdict.text}`, lite, steps: i + 1 } };
    counts.steps++;
    counts.failed += got.answer.error !== undefined;
  }
  return { verdict: null };
}

export async function judgeScripts(scripts, folder, { duck, lite }, raydex, judge, counts) {
  const wants = [], lites = [], starts = [], texts = [];
  for (const script of scripts) {
    wants.push(await runDuck(script, duck));
    lites.push(runLite(script, lite, wants.at(-1)));
    starts.push(texts.push(`DROP TABLE IF EXISTS w; ${createOf('raydex', script)}`));
    for (const step of script.steps) texts.push(stepOf('raydex', script, step), CONTENT);
  }
  const answers = await raydex.run(folder, texts), out = [];
  for (const [i, script] of scripts.entries()) {
    const made = answers[starts[i] - 1], part = answers.slice(starts[i], starts[i] + 2 * script.steps.length);
    if (made.error !== undefined) {
      out.push({ verdict: { kind: made.fatal ? made.error.split(':')[0] : 'refused', text: made.error, key: made.error.slice(0, 60) } });
      continue;
    }
    let judged = judgeScript(script, wants[i], lites[i], part, judge, counts);
    if (judged.verdict && judged.verdict.kind !== 'explained' && !judged.verdict.lite) {
      await duck.connection.run('PRAGMA disable_optimizer');
      const plain = await runDuck(script, duck);
      await duck.connection.run('PRAGMA enable_optimizer');
      if (!judgeScript(script, plain, null, part, judge, counts).verdict) judged = { verdict: { kind: 'explained', text: "DuckDB's optimizer is wrong" } };
    }
    out.push(judged);
  }
  return out;
}
