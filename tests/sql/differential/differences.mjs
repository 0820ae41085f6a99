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
    duckdb: /Not implemented|INTERNAL Error|non-inner join on subquery|SEMI\/ANTI|not supported|Binder Error: Non-inner|Binder Error: Aggregate with only constant|Binder Error: There are no UNIQUE|Binder Error: Can not assign to column|Complex|Parser Error/,
    why: 'DuckDB has no plan for some joins and subqueries, and some forms of ON CONFLICT.',
  },
  {
    name: 'rows in subqueries, over groups',
    raydex: null,
    duckdb: /must appear in the GROUP BY clause/,
    why: 'For DuckDB (a, b) IN (SELECT ...) is written as a subquery, where it does not find grouped expressions.',
  },
  {
    name: 'digits of numeric',
    raydex: /a result has more digits than a column can have/,
    duckdb: null,
    why: 'Columns of numeric have 18 digits, 38 between: see the differences from PostgreSQL in docs/sql.md.',
  },
  {
    name: 'memory',
    raydex: /host memory ran out/,
    duckdb: null,
    why: 'What passes between operators is kept whole, where DuckDB passes it on in pieces.',
  },
  {
    name: 'subquery in ON of an outer join',
    raydex: /in ON of an outer join can read columns of one of its sides only/,
    duckdb: null,
    why: 'It would have to be joined below the outer join, where the other side is not.',
  },
  {
    name: 'correlated subquery beside aggregates',
    raydex: /a subquery that reads outer columns cannot stand beside aggregates/,
    duckdb: null,
    why: 'It would have to be joined above the aggregate.',
  },
];

export function explained(raydex, duckdb) {
  return differences.find((d) => (d.raydex ? raydex.error !== undefined && d.raydex.test(raydex.error) : raydex.error === undefined) &&
    (d.duckdb ? duckdb.error !== undefined && d.duckdb.test(duckdb.error) : duckdb.error === undefined));
}
