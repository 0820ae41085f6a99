// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Raydex authors
//
// Where Raydex and DuckDB may differ without a fault: what both say (a pattern, or null for an answer), and why. How
// statements are written for each (render.mjs) makes up for the others: integer division is //, ORDER BY says where NULLs
// go, round() of doubles goes to even, LIKE has an escape, division by zero is an error, constants have their types.

export const differences = [
  {
    name: 'order of evaluation',
    raydex: /division by zero|out of range|cannot take|invalid (input|value)|zero raised|negative number raised/,
    duckdb: null,
    why: 'SQL leaves open which rows a failing expression meets: a filter or join may come before or after it.',
  },
  {
    name: 'order of evaluation, the other way',
    raydex: null,
    duckdb: /division by zero|[Oo]verflow|out of range|Could not (convert|cast)|Conversion Error|cannot take|Out of Range|More than one row/,
    why: 'The same, where DuckDB meets the row.',
  },
  {
    name: 'DuckDB cannot',
    raydex: null,
    duckdb: /Not implemented|INTERNAL Error|non-inner join on subquery|SEMI\/ANTI|not supported|Binder Error: Non-inner|Binder Error: Aggregate with only constant|Complex|Parser Error/,
    why: 'DuckDB has no plan for some joins and subqueries.',
  },
];

export function explained(raydex, duckdb) {
  return differences.find((d) => (d.raydex ? raydex.error !== undefined && d.raydex.test(raydex.error) : raydex.error === undefined) &&
    (d.duckdb ? duckdb.error !== undefined && d.duckdb.test(duckdb.error) : duckdb.error === undefined));
}
