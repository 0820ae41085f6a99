/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_SQL_H
#define RAYDEX_SQL_H

/**
 * SQL's conditions, as they stand after WHERE, to predicates.
 *
 * - Shapes: a column compared with a literal, either way round, by = <> != < <= > >=; [NOT] BETWEEN; [NOT] IN (list);
 *   IS [NOT] NULL; IS [NOT] TRUE, FALSE or UNKNOWN of a column of truth values, and such a column by itself; TRUE and
 *   FALSE; AND, OR, NOT, nested 200 levels deep at most, parentheses a little deeper.
 * - Literals: numbers, 'strings', TRUE, FALSE, NULL, DATE '...', TIMESTAMP '...' and casts of literals, which stay in
 *   the range of their type (RDX_ERROR_RANGE), those to real rounded to it. A string literal becomes a value of the
 *   column's type; a number compares as it is, beside integers and floats that are none like it, too, and with floats
 *   in double precision: for f32 columns write 0.1::real or '0.1'.
 * - Names: those that are not in quotes are turned to lower case, as SQL has it; "" is the empty name.
 * - Ownership: a predicate belongs to its condition, until that is bound again or destroyed.
 * - Errors: RDX_ERROR_FORMAT where a text is no SQL, RDX_ERROR_UNSUPPORTED where it is more than the above.
 * - Source: the text is parsed by PostgreSQL's own parser (libpg_query).
 *
 * Example:
 *
 *     rdx_condition *condition = NULL;
 *     status = rdx_condition_parse("price > 10 AND city IN ('Lyon', 'Nice')", &condition, &err);
 *     if (status == RDX_OK)
 *       printf("%u columns, first %s\n", rdx_condition_columns(condition), rdx_condition_column_name(condition, 0));
 *     rdx_condition_destroy(&condition);
 */

#include <raydex/column.h>
#include <raydex/predicate.h>
#include <raydex/status.h>
#include <raydex/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rdx_condition rdx_condition;

/**
 * Parse a condition. RDX_ERROR_FORMAT where it is not SQL, RDX_ERROR_UNSUPPORTED where it is more than the above; both
 * name the place in the text, unless more than a condition stands there. Conditions may be parsed in several threads at
 * the same time. Destroy the condition with rdx_condition_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_condition_parse(const char *text, rdx_condition **out, rdx_error *err);

/** How many columns the condition names. */
RDX_API uint32_t rdx_condition_columns(const rdx_condition *condition);

/** The name of column `index`, in the order of first appearance; NULL when there is no such column. */
RDX_API const char *rdx_condition_column_name(const rdx_condition *condition, uint32_t index);

/**
 * Whether column `index` is compared with a string literal that reads as a number, a date or a timestamp: if it is one
 * of strings the comparison is one of texts, which may not be what is meant.
 */
RDX_API bool rdx_condition_has_values(const rdx_condition *condition, uint32_t index);

/**
 * Give the named columns their types: `columns` has one for each name, of which type and scale count. `numbers` has the
 * column number of each name in the predicate (NULL: 0, 1, 2, ...). The predicate belongs to the condition and is valid
 * until the next call, or until the condition is destroyed. RDX_ERROR_ARGUMENT for a literal that does not go with its
 * column.
 */
RDX_API RDX_MUST_USE rdx_status rdx_condition_bind(rdx_condition *condition, const rdx_column *columns,
                                                   const uint32_t *numbers, const rdx_predicate **out, rdx_error *err);

/**
 * Bind a condition to a table's columns by their names, for a scan: `columns` gets those that it names, in the order of
 * rdx_condition_columns(), and the first of the table where it names none; it has room for as many, at least for one,
 * and borrows from the table. The predicate numbers them so. RDX_ERROR_NOT_FOUND for a column that the table has not;
 * else as rdx_condition_bind(). examples/scan.c uses it.
 */
RDX_API RDX_MUST_USE rdx_status rdx_condition_bind_table(rdx_condition *condition, const rdx_table *table,
                                                         rdx_column *columns, const rdx_predicate **out,
                                                         rdx_error *err);

/**
 * Bind a condition to a relation's attributes by their names, for rdx_query.where: the predicate numbers them as the
 * relation does. RDX_ERROR_NOT_FOUND for an attribute that the relation has not; else as rdx_condition_bind().
 * examples/star.c uses it.
 */
RDX_API RDX_MUST_USE rdx_status rdx_condition_bind_relation(rdx_condition *condition, const rdx_relation *relation,
                                                            const rdx_predicate **out, rdx_error *err);

/** Free `*condition` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_condition_destroy(rdx_condition **condition);

#ifdef __cplusplus
}
#endif
#endif
