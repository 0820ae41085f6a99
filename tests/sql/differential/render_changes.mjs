// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// The statements of a script (changes.mjs) as text. `r` renders the expressions of a dialect.

const and = (parts) => parts.filter(Boolean).join(' AND ');
const where = (r, ...conditions) => {
  const text = and(conditions.map((e) => (typeof e === 'object' && e ? r.e(e) : e)));
  return text && ` WHERE ${text}`;
};
const sets = (r, list) => list.map(({ name, e }) => `${name} = ${r.e(e)}`).join(', ');
const row = (r, list) => `(${list.map((e) => (e.op === 'default' ? r.absent() : r.e(e))).join(', ')})`;

export function createText(r, { columns, constraints }) {
  const parts = columns.map(({ name, t, notNull, given }) =>
    `${name} ${r.columnType(t)}${notNull ? ' NOT NULL' : ''}${given ? ` DEFAULT ${r.e(given)}` : ''}`);
  for (const { kind, names, e } of constraints) {
    parts.push(kind === 'CHECK' ? `CHECK (${r.e(e)})` : `${kind} (${names.join(', ')})`);
    if (kind === 'PRIMARY KEY' && r.keysHaveNulls) parts.push(...names.map((name) => `CHECK (${name} IS NOT NULL)`));
  }
  return `CREATE TABLE w (${parts.join(', ')})`;
}

// Rows of a table in the order of its first column, that the constraints take where they are `filtered`.
function rowsText(r, script, step) {
  const list = step.items.map((e, i) => `${r.e(e)} AS ${step.names[i]}`).join(', ');
  const taken = step.filtered ? [...script.constraints.filter((c) => c.kind === 'CHECK').map((c) => `(${r.e(c.e)}) IS NOT FALSE`),
    ...script.columns.filter((c) => c.notNull).map((c) => `${c.name} IS NOT NULL`)] : [];
  return `SELECT ${step.names.join(', ')} FROM (SELECT ${list}, r.id AS o FROM ${step.from.name} r) y WHERE ${and(['true', ...taken])}` +
    ` ORDER BY o LIMIT ${step.limit}`;
}

function conflictText(r, { names, sets: list, where: condition }) {
  const target = names ? ` (${names.join(', ')})` : '';
  return ` ON CONFLICT${target} DO ${list ? `UPDATE SET ${sets(r, list)}${where(r, condition)}` : 'NOTHING'}`;
}

function insertText(r, script, step) {
  const rows = step.list ? `VALUES ${step.list.map((list) => row(r, list)).join(', ')}` : rowsText(r, script, step);
  return `INSERT INTO w (${step.names.join(', ')}) ${rows}${step.conflict ? conflictText(r, step.conflict) : ''}`;
}

function whenText(r, when) {
  const action = when.removes ? 'DELETE' : when.sets ? `UPDATE SET ${sets(r, when.sets)}`
    : when.items ? `INSERT (${when.names.join(', ')}) VALUES ${row(r, when.items)}` : 'DO NOTHING';
  return ` WHEN ${when.matched ? '' : 'NOT '}MATCHED${when.where ? ` AND ${r.e(when.where)}` : ''} THEN ${action}`;
}

export function stepText(r, script, step) {
  const other = step.from ? `${step.from.name} r` : '';
  const returning = step.returning && r.returns ? ` RETURNING ${step.returning.map((e) => r.e(e)).join(', ')}` : '';
  switch (step.step) {
    case 'insert': return insertText(r, script, step) + returning;
    case 'update': return `UPDATE w SET ${sets(r, step.sets)}${other && ` FROM ${other}`}${where(r, step.on, step.where)}${returning}`;
    case 'delete': return `DELETE FROM w${other && ` USING ${r.using(other)}`}${where(r, step.on, step.where)}${returning}`;
    case 'merge': return `MERGE INTO w USING ${r.using(other)} ON ${r.e(step.on)}${step.whens.map((when) => whenText(r, when)).join('')}`;
    default: return r.truncate();
  }
}
