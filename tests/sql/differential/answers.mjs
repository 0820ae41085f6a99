// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Answers compared: rows of texts (NULL is null) whose columns have types, as multisets, and in order where one is asked
// for.

const TOLERANCE = { f32: 1e-5, f64: 1e-9 };

function plainNumber(text) {
  if (/^-?\d+\.\d*$/.test(text)) text = text.replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

// Years before 1 as ISO 8601 counts them.
function wholeYears(text) {
  const before = text.match(/^(\d+)(.*?) \(?BC\)?(.*)$/);
  if (!before) return text;
  const year = 1 - Number(before[1]);
  return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}${before[2]}${before[3]}`;
}

// One form for each value, whoever printed it.
export function normal(value, t) {
  if (value === null || value === undefined) return null;
  const text = String(value);
  switch (t.k) {
    case 'bool': return text === '1' || text === 'true' || text === 't' ? 'true' : text === '0' || text === 'false' || text === 'f' ? 'false' : text;
    case 'f32': case 'f64': return /^nan$/i.test(text) ? NaN : /inf/i.test(text) ? (text[0] === '-' ? -Infinity : Infinity) : Number(text);
    case 'ts': return wholeYears(text.replace('T', ' ')).replace(/(Z|\+00(:00)?)$/, '').replace(/^([+-]?\d+-\d+-\d+)$/, '$1 00:00:00')
      .replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
    case 'date': return wholeYears(text).replace(/ 00:00:00$/, '');
    case 'text': return text;
    default: return plainNumber(text);
  }
}

function sameValue(a, b, t) {
  if (a === null || b === null) return a === b;
  const tolerance = TOLERANCE[t.k];
  if (!tolerance) return a === b;
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b);
  const least = a === 0 || b === 0 ? 1e-6 : 1e-12; // exact sums of products may cancel out where rounded ones do not
  return a === b || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b)) || Math.abs(a - b) < least;
}

const sameRow = (a, b, types) => types.every((t, i) => sameValue(a[i], b[i], t));

const show = (row) => `(${row.map((v) => (v === null ? 'NULL' : typeof v === 'string' && /[^\w.:+-]|^$/.test(v) ? JSON.stringify(v) : v)).join(', ')})`;

// Rows by their exact columns.
function byKey(rows, types) {
  const groups = new Map();
  for (const row of rows) {
    const key = JSON.stringify(row.map((v, i) => (TOLERANCE[types[i].k] && v !== null ? 0 : v)));
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

const order = (a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : a < b ? -1 : 1);

// The first row of a group that the other one has not.
function unmatched(want, got, types) {
  const compare = (a, b) => types.reduce((sign, t, i) => sign || (TOLERANCE[t.k] ? order(a[i], b[i]) : 0), 0);
  want.sort(compare);
  got.sort(compare);
  let all = want.length === got.length;
  for (let i = 0; all && i < want.length; i++) all = sameRow(want[i], got[i], types);
  if (all) return null;
  const left = got.slice(0, 3000);
  for (const row of want.slice(0, 3000)) {
    const at = left.findIndex((other) => sameRow(row, other, types));
    if (at < 0) return { missing: row, extra: left[0] };
    left.splice(at, 1);
  }
  return left.length ? { extra: left[0] } : null;
}

// null, or what differs first.
export function differ(want, got, types, sequence) {
  if (want.length !== got.length && !want.length) return `no rows, but ${got.length}: ${show(got[0])}`;
  const found = byKey(got, types);
  for (const [key, rows] of byKey(want, types)) {
    const others = found.get(key) ?? [];
    found.delete(key);
    const wrong = unmatched(rows, others, types);
    if (wrong) {
      const extra = wrong.extra ?? [...found.values()][0]?.[0];
      return `${want.length} rows, got ${got.length}; ${wrong.missing ? `missing ${show(wrong.missing)}` : 'none missing'}` +
        `${extra ? `, got ${show(extra)}` : ''}`;
    }
  }
  for (const rows of found.values()) return `${want.length} rows, got ${got.length}; too much: ${show(rows[0])}`;
  if (!sequence?.length) return null;
  for (let row = 0; row < want.length; row++)
    for (const i of sequence)
      if (!sameValue(want[row][i], got[row][i], types[i])) return `row ${row} of the order: ${show(got[row])}, not ${show(want[row])}`;
  return null;
}

// Records of CSV; an unquoted empty field is NULL.
export function parseCsv(text) {
  const records = [];
  let at = 0;
  while (at < text.length) {
    const record = [];
    for (;;) {
      if (text[at] === '"') {
        let value = '';
        for (;;) {
          const end = text.indexOf('"', at + 1);
          value += text.slice(at + 1, end);
          at = end + 1;
          if (text[at] !== '"') break;
          value += '"';
        }
        record.push(value);
      } else {
        let end = at;
        while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++;
        record.push(end > at ? text.slice(at, end) : null);
        at = end;
      }
      if (text[at] !== ',') break;
      at++;
    }
    at++;
    records.push(record);
  }
  return records;
}
