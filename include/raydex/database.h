/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_DATABASE_H
#define RAYDEX_DATABASE_H

/**
 * SQL: statements over table files and CSV files.
 *
 * - Shapes: a database is a folder of table files, and any file by its name: SELECT ... FROM 'orders.csv'. The language
 *   is PostgreSQL's; docs/sql.md says what of it there is, and what differs.
 * - Ownership: close the database after its statements and answers are destroyed, and before its device.
 * - Errors: those of rdx_statement_prepare() and rdx_statement_execute(); texts show the place in the statement.
 * - Threads: statements of one database may run at the same time, one statement in one thread at a time.
 *
 * Example:
 *
 *     rdx_database *database = NULL;
 *     rdx_statement *statement = NULL;
 *     rdx_answer *answer = NULL;
 *     status = rdx_database_open(device, NULL, NULL, &database, &err); // NULL: no folder
 *     if (status == RDX_OK)
 *       status = rdx_statement_prepare(database, "SELECT 6 * 7 AS answer", NULL, &statement, &err);
 *     if (status == RDX_OK)
 *       status = rdx_statement_execute(statement, &answer, &err);
 *     if (status == RDX_OK)
 *       printf("%s\n", rdx_table_column_name(rdx_answer_table(answer), 0));
 *     rdx_answer_destroy(&answer);
 *     rdx_statement_destroy(&statement);
 *     rdx_database_close(&database);
 */

#include <raydex/device.h>
#include <raydex/status.h>
#include <raydex/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rdx_database rdx_database;

/** How to open a database; all zero is the default. */
typedef struct rdx_database_params {
  bool read_only; /**< statements that write files are refused */
  bool safe;      /**< only files of the folder, and what was added, may be read or written */
} rdx_database_params;

/**
 * Open the database of a folder on a device. `folder` NULL: none, tables come by rdx_database_add() and files by their
 * names. RDX_ERROR_IO where there is no such folder. Close it with rdx_database_close() before the device.
 */
RDX_API RDX_MUST_USE rdx_status rdx_database_open(rdx_device *device, const char *folder,
                                                  const rdx_database_params *params, rdx_database **out,
                                                  rdx_error *err);

/** Close `*database` and clear it. Its statements and answers must be destroyed before. NULL is fine. */
RDX_API void rdx_database_close(rdx_database **database);

/** Make a table known under a name, in place of another one of that name. The table belongs to the database from then
 * on, also on failure. */
RDX_API RDX_MUST_USE rdx_status rdx_database_add(rdx_database *database, const char *name, rdx_table *table,
                                                 rdx_error *err);

/** Make a table file or CSV file known under a name; `csv` (NULL: the default) says how to read CSV, which is read when
 * it is used first. */
RDX_API RDX_MUST_USE rdx_status rdx_database_add_file(rdx_database *database, const char *name, const char *path,
                                                      const rdx_csv_params *csv, rdx_error *err);

/** The names of the tables and views, ascending, and their number; owned by the database until the next call. */
RDX_API RDX_MUST_USE rdx_status rdx_database_tables(rdx_database *database, const char *const **out, uint32_t *count,
                                                    rdx_error *err);

/** The columns of a table or view, or of a file by its name, as a table without rows; of a table file nothing else is
 * read. RDX_ERROR_NOT_FOUND: there is none. Destroy it with rdx_table_destroy(). */
RDX_API RDX_MUST_USE rdx_status rdx_database_columns(rdx_database *database, const char *name, rdx_table **out,
                                                     rdx_error *err);

/** The text of the CREATE VIEW that a view was created by; NULL: there is no view of this name. Owned by the database
 * until the next call. */
RDX_API RDX_MUST_USE rdx_status rdx_database_view(rdx_database *database, const char *name, const char **out,
                                                  rdx_error *err);

/**
 * The indexes and materialized views, by their names, as a table of strings: "name", "kind", "table" (NULL for views),
 * "method", and "columns" (NULL for views), with commas between them. Destroy it with rdx_table_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_database_indexes(rdx_database *database, rdx_table **out, rdx_error *err);

/**
 * What is prepared in memory over the tables, as a table: "kind" ("star", "scan" or "index"), "views" (names of the
 * materialized views whose cubes a star has), "tables" (a star's fact table first), "columns" (of scans and indexes),
 * each with commas between names and NULL where there are none, "method", "bytes" (u64, of the device), "uses" (u64)
 * and "idle_ms" (milliseconds since the last use, f64). Destroy it with rdx_table_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_database_prepared(rdx_database *database, rdx_table **out, rdx_error *err);

/** Destroy what is prepared, the least recently used first, until it takes at most `bytes` of the device: statements
 * prepare it again. None may run meanwhile. NULL is fine. */
RDX_API void rdx_database_trim(rdx_database *database, uint64_t bytes);

typedef struct rdx_statement rdx_statement;

/**
 * Parse and plan the first statement of a text. `*rest` (may be NULL) is set to what follows it, at the end of the text
 * where that is nothing but blanks and comments. A text without a statement gives NULL. What is no SQL is
 * RDX_ERROR_FORMAT; names and types that do not fit RDX_ERROR_ARGUMENT or RDX_ERROR_NOT_FOUND; what SQL has and Raydex
 * has not RDX_ERROR_UNSUPPORTED. All show the place. Destroy it with rdx_statement_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_statement_prepare(rdx_database *database, const char *text, const char **rest,
                                                      rdx_statement **out, rdx_error *err);

/** The number of parameters, $1 to this. */
RDX_API uint32_t rdx_statement_parameters(const rdx_statement *statement);

/** Give parameter `number`, from 1, the value of row 0 of a host column, which is copied. RDX_ERROR_ARGUMENT where it
 * does not fit the parameter's type: also a fraction for an integer, or a time for a date, unless the statement casts
 * it. It stays for later runs, also over tables that were replaced: where it does not fit the types of these, a run is
 * RDX_ERROR_ARGUMENT. */
RDX_API RDX_MUST_USE rdx_status rdx_statement_bind(rdx_statement *statement, uint32_t number, const rdx_column *value,
                                                   rdx_error *err);

typedef struct rdx_answer rdx_answer;

/** Whether later runs of a statement also count rays (rdx_answer_stats.rays), for which methods that cast them run a
 * second time; false at first. */
RDX_API void rdx_statement_count_rays(rdx_statement *statement, bool count);

/** Run a statement. It is planned anew where tables, views, cubes or indexes are others than they were, whichever
 * process has changed them. RDX_ERROR_CANCELLED where the progress callback says so. Destroy the answer with
 * rdx_answer_destroy(). */
RDX_API RDX_MUST_USE rdx_status rdx_statement_execute(rdx_statement *statement, rdx_answer **out, rdx_error *err);

/** Free `*statement` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_statement_destroy(rdx_statement **statement);

/** The result as a table in host memory, owned by the answer; NULL for statements that return no rows. */
RDX_API const rdx_table *rdx_answer_table(const rdx_answer *answer);

/** The result as the caller's own table, for rdx_table_destroy() or rdx_table_to_arrow(); the answer has none then. */
RDX_API rdx_table *rdx_answer_take_table(rdx_answer *answer);

/** What was done, as PostgreSQL says it: "SELECT 5", "CREATE TABLE", "INSERT 0 3". Owned by the answer. */
RDX_API const char *rdx_answer_tag(const rdx_answer *answer);

/** What a statement took. Times are milliseconds. */
typedef struct rdx_answer_stats {
  uint64_t rows;  /**< of the result, or that were written */
  double plan_ms; /**< from text to plan; 0 where it was kept from before */
  double execute_ms;
  double device_ms;   /**< of calls that tell it */
  uint64_t rays;      /**< that were cast, after rdx_statement_count_rays(), else 0 */
  const char *method; /**< of the operator that took longest, such as "sorted_cube"; owned by the answer */
  bool explains;      /**< the result is EXPLAIN's text: one column, to be shown as it is */
} rdx_answer_stats;

/** What a statement took. */
RDX_API void rdx_answer_get_stats(const rdx_answer *answer, rdx_answer_stats *out);

/** Free `*answer` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_answer_destroy(rdx_answer **answer);

#ifdef __cplusplus
}
#endif
#endif
