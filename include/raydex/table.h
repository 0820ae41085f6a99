/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_TABLE_H
#define RAYDEX_TABLE_H

/**
 * Tables: typed, named columns of equal length, from CSV, Parquet or table files.
 *
 * - Shapes: CSV and Parquet are read into host memory, CSV by all cores; a table file is mapped, and its columns are
 *   used where they lie. It (format: src/table/format.h) has each column as a plain array, strings as places in a
 *   sorted dictionary, a bitmap where there are NULLs, the smallest and largest value of every block of rows, and
 *   checksums.
 * - Ownership: a table owns its columns and names; destroy it with rdx_table_destroy().
 * - Errors: RDX_ERROR_FORMAT names the file, line and column; RDX_ERROR_IO what the system refused.
 * - Threads: a table may be read from many.
 *
 * Example:
 *
 *     const char text[] = "name,price\nbook,12.50\npen,1.20\n";
 *     rdx_table *table = NULL;
 *     const rdx_column *price = NULL;
 *     status = rdx_table_parse_csv("prices", text, sizeof text - 1, NULL, &table, &err);
 *     if (status == RDX_OK)
 *       status = rdx_table_find(table, "price", &price, &err);
 *     if (status == RDX_OK)
 *       printf("%s\n", rdx_type_name(price->type)); // decimal
 *     rdx_table_destroy(&table);
 */

#include <raydex/column.h>
#include <raydex/device.h>
#include <raydex/query.h>
#include <raydex/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rdx_table rdx_table;

/** The type of one column, overriding what would be inferred. */
typedef struct rdx_csv_type {
  const char *column; /**< the column's name in the header (or "1", "2", ... without one) */
  rdx_type type;
  uint8_t scale; /**< RDX_TYPE_DECIMAL: digits after the point; more digits in the data are an error */
} rdx_csv_type;

/** How a text is encoded. What begins with the mark of UTF-16 is UTF-16. */
typedef enum rdx_encoding {
  RDX_ENCODING_UTF8 = 0, /**< anything else is refused, with its place */
  RDX_ENCODING_LATIN1,   /**< ISO 8859-1, without control characters above 0x7f */
  RDX_ENCODING_WINDOWS_1252,
} rdx_encoding;

/**
 * How to read a CSV file; all zero is the default: fields between commas, a header, types inferred, all columns.
 *
 * Inference looks at every value of a column and takes the first type that all of them fit: bool (true and
 * false only, in capitals or not), i32, i64, u64, decimal (plain digits with a point, up to 18 digits, the column's
 * largest count of fraction digits as its scale), f64 (also NaN, inf and infinity, in capitals or not), date
 * (YYYY-MM-DD), timestamp (date, 'T' or a space, HH:MM[:SS[.ffffff]], and Z, +hh, +hhmm, +hh:mm or nothing, which is
 * UTC; a date alone is its midnight), string. Blanks around a value are no part of it, except in strings. A column
 * without any value is a string column. docs/csv.md says which columns stay strings so that no value changes: those of
 * numbers that begin with 0 or +, are beyond 64 bits, have more digits than f64 gives back, or may be codes. A type
 * that is given takes these as numbers.
 *
 * An empty unquoted field is NULL, and so is a marker of `nulls`; quoted they are NULL, too, except in a string column,
 * where they are text.
 */
typedef struct rdx_csv_params {
  /** No letter or digit, and none of + - . or a line break; 0: as the first line says (sep=;), else ',', or where it
   * does not fit the first records, the one of ; | and tab that does. */
  char delimiter;
  rdx_switch header;         /**< off: the first record is data; columns are named "1", "2", ... */
  const rdx_csv_type *types; /**< overrides, `type_count` of them; a name that is not in the file is an error */
  size_t type_count;
  const char *const *columns; /**< read these columns only, `column_count` of them, in this order; NULL: all */
  size_t column_count;
  const char *const *nulls; /**< what else stands for NULL, `null_count` of them; blanks around do not count */
  size_t null_count;
  char quote;        /**< 0: '"'; two of them inside of a quoted field stand for one */
  rdx_switch quotes; /**< off: no character quotes; `quote` is 0 then, or it is an error */
  rdx_encoding encoding;
  bool for_copy; /**< errors name the options of SQL's COPY, not those of the programs */
} rdx_csv_params;

/**
 * Read a CSV file (RFC 4180: quotes, doubled quotes, line breaks in quotes; a line ends with LF or with the text,
 * carriage returns before that belong to it; a byte order mark is skipped). Errors name the file, line and column. A
 * text whose first eight bytes are those of a table file, or differ in one or two, is refused (RDX_ERROR_FORMAT).
 * Reports progress as stage "read", in bytes.
 * NULL is the standard input, from where it stands on. A pipe is read into memory, an ordinary file is mapped: one that
 * is written to meanwhile, or becomes shorter or longer, is RDX_ERROR_IO; one that is replaced is read as it was.
 * (SIGBUS is handled meanwhile; where it is of no such file, the handler that was there before gets it.)
 * Destroy the table with rdx_table_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_read_csv(const char *path, const rdx_csv_params *params, rdx_table **out,
                                                   rdx_error *err);

/** As rdx_table_read_csv(), from `size` bytes of memory; `name` stands for the path in errors. */
RDX_API RDX_MUST_USE rdx_status rdx_table_parse_csv(const char *name, const char *text, size_t size,
                                                    const rdx_csv_params *params, rdx_table **out, rdx_error *err);

/** Why a column of CSV has its type. */
typedef struct rdx_choice {
  bool given;    /**< by rdx_csv_params */
  bool doubtful; /**< one might expect another: a word to the user is in order */
  bool mixed;    /**< there are texts among values of other types */
  /** Such as "'NA' in line 4 is no number; --null NA makes it i32"; NULL: there is nothing to say. */
  const char *why;
  rdx_type instead; /**< the type but for that; RDX_TYPE_STRING: none */
  uint8_t instead_scale;
} rdx_choice;

/** That of column `index` of a table that was read from CSV; NULL for others. Owned by the table. */
RDX_API const rdx_choice *rdx_table_choice(const rdx_table *table, uint32_t index);

/** What CREATE TABLE or ALTER TABLE said of a column beside its type, such as "NOT NULL DEFAULT 5"; the length of texts
 * and the digits of numerics, where these are fewer than 18, come first, as in "varchar(9) NOT NULL"; NULL: nothing.
 * Owned by the table. */
RDX_API const char *rdx_table_column_declaration(const rdx_table *table, uint32_t index);

/** The constraints that they said, as CREATE TABLE takes them, such as "CONSTRAINT "t_pkey" PRIMARY KEY ("id")", with
 * commas between several; NULL: none. Owned by the table. */
RDX_API const char *rdx_table_constraints(const rdx_table *table);

/** What separated the fields of the CSV that a table was read from; 0 for other tables. */
RDX_API char rdx_table_delimiter(const rdx_table *table);

/* ---- Table files ---- */

/** A column of a table file to be. */
typedef struct rdx_field {
  const char *name; /**< no two alike */
  rdx_type type;
  uint8_t scale; /**< RDX_TYPE_DECIMAL: digits after the point, 0 to 18; else 0 */
} rdx_field;

typedef struct rdx_table_writer rdx_table_writer;

/**
 * Start to write a table file in pieces. Until rdx_table_writer_finish() the path stays as it is: the new file grows
 * beside it as PATH.raydex-new, which a process that is killed may leave behind and the next writer of the path
 * takes over. One writer of a path at a time: a second fails with RDX_ERROR_IO.
 *
 * Memory does not grow with the rows, except for the distinct strings of each column. The folder of `path` needs room
 * for the table, and for a second copy of it where its file system has no sparse files.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_writer_create(const char *path, const rdx_field *fields, uint32_t count,
                                                        rdx_table_writer **out, rdx_error *err);

/**
 * Append rows: `columns` are the host columns of all fields, in their order, of any but equal rows. They are copied.
 * Strings may have a dictionary. A table has at most 2^32 - 2 rows. RDX_ERROR_ARGUMENT: the columns are not those of
 * the fields, or not as column.h has them; nothing was appended, and the writer goes on. After another failure it can
 * only be destroyed.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_writer_append(rdx_table_writer *writer, const rdx_column *columns,
                                                        rdx_error *err);

/**
 * Complete the file, sync it to the disk, and move it to its path, in place of a file that is there, whose mode it then
 * has. On failure the path is as it was, except that the new file may be there when only the last step, syncing its
 * folder, failed (RDX_ERROR_IO). Destroy the writer afterwards in both cases. Reports progress as stage "write".
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_writer_finish(rdx_table_writer *writer, rdx_error *err);

/** Free `*writer` and clear it; of an unfinished table nothing is left. NULL and a cleared handle are fine. */
RDX_API void rdx_table_writer_destroy(rdx_table_writer **writer);

/**
 * Open a table file. Its columns are views of the mapped file, of strings with a dictionary. The file must not be
 * written to meanwhile (replacing it, as the writer does, is fine): that is RDX_ERROR_IO until this call returns, but a
 * file that becomes shorter later ends the program by SIGBUS where the missing part is read. Destroy the table with
 * rdx_table_destroy().
 *
 * All that was opened is verified here, by all cores: every checksum, that places lie in their dictionary, that the
 * dictionary ascends. So a table that is open is right, and its accessors cannot fail. Damage is RDX_ERROR_FORMAT: the
 * text names the column and block. Reports progress as stage "verify", in chunks.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_open(const char *path, rdx_table **out, rdx_error *err);

/**
 * As rdx_table_open(), but only the columns of these names (`count` of them, in this order) are opened, verified, and
 * in the table. The other columns are not read at all.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_open_columns(const char *path, const char *const *names, uint32_t count,
                                                       rdx_table **out, rdx_error *err);

/** What a table file says of a column. */
typedef struct rdx_column_stats {
  uint64_t nulls;
  uint64_t distinct; /**< strings: how many are in the dictionary; 0 for other types: not known */
  uint64_t bytes;    /**< of the column in the file */
  /** The smallest and the largest value of the column: one row each, none where all rows are NULL. */
  rdx_column min, max;
  /** The zone map: these of each block of `block_rows` rows, as columns of a row for each block, NULL where all rows of
   * the block are. */
  rdx_column smallest, largest;
  uint64_t block_rows;
} rdx_column_stats;

/**
 * The statistics of column `index`, from 0; their columns are owned by the table. RDX_ERROR_UNSUPPORTED for a table
 * that was not opened from a table file.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_get_stats(const rdx_table *table, uint32_t index, rdx_column_stats *out,
                                                    rdx_error *err);

/**
 * Told of each record that an import leaves out, in their order, while it runs: the line and text of the problem (file,
 * line, column, what), and the record as it stands in the file, without its line end. Anything but RDX_OK ends the
 * import with it. None is kept, however many there are.
 */
typedef rdx_status (*rdx_reject_fn)(void *user, uint64_t line, const char *problem, const char *record, size_t length,
                                    rdx_error *err);

/**
 * Called once, when the table is complete, before it is moved to its path: anything but RDX_OK, such as for a list of
 * rejects that cannot be written, ends the import with it.
 */
typedef rdx_status (*rdx_ready_fn)(void *user, rdx_error *err);

/** Told of each column, in their order, when their types are known. */
typedef void (*rdx_column_fn)(void *user, const rdx_field *column, const rdx_choice *choice);

/** How to import; all zero is the default. */
typedef struct rdx_import_params {
  rdx_csv_params csv;
  uint32_t threads;     /**< 0: one per core that this process may use */
  uint64_t max_rejects; /**< leave out up to so many records that are malformed or do not fit given types */
  rdx_reject_fn reject; /**< may be NULL */
  rdx_ready_fn ready;   /**< may be NULL */
  rdx_column_fn column; /**< may be NULL */
  void *user;           /**< for all of these */
} rdx_import_params;

typedef struct rdx_import_stats {
  uint64_t rows, rejected; /**< that were written, that were left out */
  uint64_t bytes;          /**< of the CSV file */
  char delimiter;          /**< of its fields */
  double total_ms;
} rdx_import_stats;

/**
 * Make a table file (as rdx_table_writer_create() and rdx_table_writer_finish() do) of a CSV file (as
 * rdx_table_read_csv() reads it, with the same types, mapped as there; NULL: the standard input): with all cores, and
 * in memory that does not grow with the file, except for the distinct strings; a pipe is read into memory first. Errors
 * name the file, line and column. Where more than `max_rejects` records are bad the import fails, and the path is as it
 * was.
 *
 * `stats` may be NULL; it is filled on failure, too. Reports progress as stages "infer types", "import", in bytes, and
 * "write".
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_import_csv(const char *csv, const char *path, const rdx_import_params *params,
                                                     rdx_import_stats *stats, rdx_error *err);

/* ---- Parquet ----
 *
 * Through DuckDB's library, libduckdb 1.0 or newer, which is opened when it is needed first: the file that the
 * environment variable RAYDEX_DUCKDB names, else libduckdb.so where the loader finds it. Without it calls fail with
 * RDX_ERROR_UNSUPPORTED, and the text says how to get it. */

/** Whether rdx_table_read() takes a path for a Parquet file: by its name, or by how it begins and ends. */
RDX_API bool rdx_table_is_parquet(const char *path);

/**
 * Read a Parquet file into host memory: the columns of these names (`count` of them, in this order), or all where
 * `columns` is NULL. Only what they take of the file is read. Types:
 *
 *   BOOLEAN, TINYINT to BIGINT, UTINYINT to UBIGINT, FLOAT, DOUBLE, DATE    bool, i8 to i64, u8 to u64, f32, f64, date
 *   TIMESTAMP, with a time zone or without                                 timestamp
 *   TIME                                                                   string, HH:MM:SS and a fraction of 6 digits
 *   DECIMAL with up to 18 digits after the point                           decimal
 *   VARCHAR, BLOB                                                          string
 *
 * A value that would not be kept exactly (a timestamp with a part of a microsecond, a decimal beyond 64 bits) is
 * RDX_ERROR_RANGE; the text names column and row. Other types are RDX_ERROR_UNSUPPORTED, and so is what DuckDB would
 * cut (instants in nanoseconds, INT96, decimals of more than 38 digits); the text names the column and what to do.
 * Damage is RDX_ERROR_FORMAT. Reports progress as stage "read", in rows. Destroy the table with rdx_table_destroy().
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_read_parquet(const char *path, const char *const *columns, uint32_t count,
                                                       rdx_table **out, rdx_error *err);

/**
 * Write a table as a Parquet file, which replaces that at `path` in one step, as by rdx_table_writer_finish(). Read
 * again it is the same table: decimals are DECIMAL(18, scale), or of 19 digits where a value has so many, timestamps
 * are TIMESTAMP WITH TIME ZONE (UTC), strings VARCHAR, or BLOB in a column where one is no UTF-8. RDX_ERROR_UNSUPPORTED
 * where there is no column, or names are the same but for capitals. Reports progress as stage "export", in rows.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_write_parquet(const rdx_table *table, const char *path, rdx_error *err);

/**
 * Make a table file of a Parquet file, with the columns and types as by rdx_table_read_parquet(), in memory that does
 * not grow with the file, except for the distinct strings. On failure `path` is as it was. `stats` may be NULL. Reports
 * progress as stages "read", in rows, and "write".
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_import_parquet(const char *parquet, const char *path,
                                                         const char *const *columns, uint32_t count,
                                                         rdx_import_stats *stats, rdx_error *err);

/* ---- Any file ---- */

/**
 * Read a table from a table file, a Parquet file or a CSV file, whichever it is: a table file is known by how it
 * begins, a Parquet file by that and its end, or by a name that ends in .parquet or .pq. NULL is the standard input; a
 * table file there must be no pipe. Of a table file or Parquet file `params->columns` are opened, as
 * rdx_table_open_columns() does; `params->types` must be the types that it has; what else is in `params` is for CSV.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_read(const char *path, const rdx_csv_params *params, rdx_table **out,
                                               rdx_error *err);

/**
 * Write a table as CSV to `path`, which is replaced in one step as by rdx_table_writer_finish(), or, for NULL, to the
 * standard output (below stdio: flush it first). `delimiter` as in rdx_csv_params. Read with the same types it is the
 * same table: NULL is an empty field, the empty string is in quotes, floats have all the digits they need. (Only NaNs
 * become one.) Years before 1 and after 9999 are written as in 0044-03-15 BC and 12345-01-01. Reports progress as stage
 * "export", in rows.
 */
RDX_API RDX_MUST_USE rdx_status rdx_table_write_csv(const rdx_table *table, const char *path, char delimiter,
                                                    bool header, rdx_error *err);

/**
 * Whether a string must be in quotes to read back as this field of CSV: the empty string, one with a delimiter (0:
 * ','), a quote or a line break, and one that begins as other files do. `alone`: its table has no other column, whose
 * delimiter would tell that ';', '|' and tabs are none.
 */
RDX_API bool rdx_csv_needs_quotes(const char *text, uint64_t length, char delimiter, bool alone);

/** Room for any value that is no string as text. */
#define RDX_VALUE_TEXT 64

/**
 * Write row `row` of a host column as text that reads back as the same value, without a NUL at the end; its length. 0
 * for NULL and for strings, which rdx_column_string() gives.
 */
RDX_API size_t rdx_column_format(const rdx_column *column, uint64_t row, char text[RDX_VALUE_TEXT]);

/**
 * Denormalise a star: write the join of a fact table with its dimensions as a table file, with a column for each
 * attribute, by its name, and a row for each row of the fact table that has a partner in every dimension, in its order.
 * The file comes to be as by rdx_table_writer_create() and rdx_table_writer_finish(). The device joins: it holds the
 * relation as packed codes, while rows pass through it and host memory in pieces. Reports progress as stages "flatten"
 * and "write".
 */
RDX_API RDX_MUST_USE rdx_status rdx_relation_flatten(rdx_device *device, const rdx_relation *relation, const char *path,
                                                     rdx_error *err);

/* ---- Stars of tables ---- */

/** A dimension that is a table. */
typedef struct rdx_table_dimension {
  const rdx_table *table;
  const char *foreign_key; /**< a column of the fact table */
  const char *key;         /**< the column of `table` that it names: distinct, not NULL */
} rdx_table_dimension;

/**
 * A star of tables by the names of columns, for rdx_star_create() and rdx_relation_flatten(). `attributes`
 * (`attribute_count` of them) are the columns that queries use, each of one of the tables, in this order; NULL: all
 * columns of all tables, those of the fact table first. The relation borrows from the tables, which stay as long as it;
 * free it with rdx_relation_destroy(). RDX_ERROR_NOT_FOUND for a column that is in no table, RDX_ERROR_ARGUMENT for one
 * that is in several. examples/star.c uses it.
 */
RDX_API RDX_MUST_USE rdx_status rdx_relation_from_tables(const rdx_table *fact, const rdx_table_dimension *dimensions,
                                                         uint32_t dimension_count, const char *const *attributes,
                                                         uint32_t attribute_count, rdx_relation **out, rdx_error *err);

/** The number of the attribute of that name, for rdx_query.group_by and rdx_expression.attribute. */
RDX_API RDX_MUST_USE rdx_status rdx_relation_find(const rdx_relation *relation, const char *name, uint32_t *out,
                                                  rdx_error *err);

/** Free a relation of rdx_relation_from_tables() and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_relation_destroy(rdx_relation **relation);

/* ---- Any table ---- */

/** The number of rows. */
RDX_API uint64_t rdx_table_rows(const rdx_table *table);

/** The number of columns. */
RDX_API uint32_t rdx_table_columns(const rdx_table *table);

/** The name of column `index`, from 0; NULL when there is no such column. Owned by the table. */
RDX_API const char *rdx_table_column_name(const rdx_table *table, uint32_t index);

/** Column `index`, from 0; NULL when there is no such column. Owned by the table. */
RDX_API const rdx_column *rdx_table_column(const rdx_table *table, uint32_t index);

/** The column of that name, owned by the table. RDX_ERROR_NOT_FOUND lists the names there are. */
RDX_API RDX_MUST_USE rdx_status rdx_table_find(const rdx_table *table, const char *name, const rdx_column **out,
                                               rdx_error *err);

/** Free `*table` and clear it. NULL and a cleared handle are fine. */
RDX_API void rdx_table_destroy(rdx_table **table);

#ifdef __cplusplus
}
#endif
#endif
