/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_TABLE_DUCKDB_H
#define RDX_TABLE_DUCKDB_H

/* DuckDB's shared library, opened when it is needed first: what Parquet takes of its C API, which is the same from 1.0
 * on. */

#include "base/base.h"

typedef void *rdx_duckdb_handle; /* to any of its objects, which its functions take back */

/* A result, which is passed by value. */
typedef struct rdx_duckdb_result {
  uint64_t unused[3];
  void *unused_columns;
  char *unused_message;
  void *content;
} rdx_duckdb_result;

/* A text or bytes of a vector: in itself up to 12 of them. */
typedef union rdx_duckdb_text {
  struct {
    uint32_t length;
    char text[12];
  } inside;
  struct {
    uint32_t length;
    char beginning[4];
    const char *text;
  } outside;
} rdx_duckdb_text;

/* Its types, by their numbers. */
enum {
  RDX_DUCKDB_BOOLEAN = 1,
  RDX_DUCKDB_TINYINT,
  RDX_DUCKDB_SMALLINT,
  RDX_DUCKDB_INTEGER,
  RDX_DUCKDB_BIGINT,
  RDX_DUCKDB_UTINYINT,
  RDX_DUCKDB_USMALLINT,
  RDX_DUCKDB_UINTEGER,
  RDX_DUCKDB_UBIGINT,
  RDX_DUCKDB_FLOAT,
  RDX_DUCKDB_DOUBLE,
  RDX_DUCKDB_TIMESTAMP,
  RDX_DUCKDB_DATE,
  RDX_DUCKDB_TIME,
  RDX_DUCKDB_INTERVAL,
  RDX_DUCKDB_HUGEINT,
  RDX_DUCKDB_VARCHAR,
  RDX_DUCKDB_BLOB,
  RDX_DUCKDB_DECIMAL,
  RDX_DUCKDB_TIMESTAMP_NS = 22,
  RDX_DUCKDB_LIST = 24,
  RDX_DUCKDB_STRUCT,
  RDX_DUCKDB_MAP,
  RDX_DUCKDB_UUID,
  RDX_DUCKDB_UNION,
  RDX_DUCKDB_BIT,
  RDX_DUCKDB_TIME_TZ,
  RDX_DUCKDB_TIMESTAMP_TZ,
  RDX_DUCKDB_ARRAY = 33,
  RDX_DUCKDB_TIME_NS = 39,
};

/* What running a statement bit by bit comes to. */
enum { RDX_DUCKDB_READY, RDX_DUCKDB_GOES_ON, RDX_DUCKDB_FAILED, RDX_DUCKDB_WAITS };

typedef void (*rdx_duckdb_bind_fn)(rdx_duckdb_handle bind);
typedef void (*rdx_duckdb_init_fn)(rdx_duckdb_handle init);
typedef void (*rdx_duckdb_rows_fn)(rdx_duckdb_handle call, rdx_duckdb_handle chunk);
typedef void (*rdx_duckdb_drop_fn)(void *extra);

/* Functions X(result, name without duckdb_, (parameters)). Those that return int return 0 for success. */
#define RDX_DUCKDB_FUNCTIONS(X)                                                                                        \
  X(const char *, library_version, (void))                                                                             \
  X(int, open, (const char *path, rdx_duckdb_handle *database))                                                        \
  X(void, close, (rdx_duckdb_handle * database))                                                                       \
  X(int, connect, (rdx_duckdb_handle database, rdx_duckdb_handle * connection))                                        \
  X(void, disconnect, (rdx_duckdb_handle * connection))                                                                \
  X(void, interrupt, (rdx_duckdb_handle connection))                                                                   \
  X(int, prepare, (rdx_duckdb_handle connection, const char *sql, rdx_duckdb_handle *statement))                       \
  X(const char *, prepare_error, (rdx_duckdb_handle statement))                                                        \
  X(void, destroy_prepare, (rdx_duckdb_handle * statement))                                                            \
  X(int, pending_prepared, (rdx_duckdb_handle statement, rdx_duckdb_handle * pending))                                 \
  X(const char *, pending_error, (rdx_duckdb_handle pending))                                                          \
  X(int, pending_execute_task, (rdx_duckdb_handle pending))                                                            \
  X(int, execute_pending, (rdx_duckdb_handle pending, rdx_duckdb_result * result))                                     \
  X(void, destroy_pending, (rdx_duckdb_handle * pending))                                                              \
  X(const char *, result_error, (rdx_duckdb_result * result))                                                          \
  X(void, destroy_result, (rdx_duckdb_result * result))                                                                \
  X(uint64_t, column_count, (rdx_duckdb_result * result))                                                              \
  X(const char *, column_name, (rdx_duckdb_result * result, uint64_t column))                                          \
  X(rdx_duckdb_handle, column_logical_type, (rdx_duckdb_result * result, uint64_t column))                             \
  X(int, get_type_id, (rdx_duckdb_handle type))                                                                        \
  X(uint8_t, decimal_scale, (rdx_duckdb_handle type))                                                                  \
  X(int, decimal_internal_type, (rdx_duckdb_handle type))                                                              \
  X(rdx_duckdb_handle, create_logical_type, (int type))                                                                \
  X(rdx_duckdb_handle, create_decimal_type, (uint8_t width, uint8_t scale))                                            \
  X(void, destroy_logical_type, (rdx_duckdb_handle * type))                                                            \
  X(rdx_duckdb_handle, fetch_chunk, (rdx_duckdb_result result))                                                        \
  X(uint64_t, data_chunk_get_size, (rdx_duckdb_handle chunk))                                                          \
  X(void, data_chunk_set_size, (rdx_duckdb_handle chunk, uint64_t rows))                                               \
  X(rdx_duckdb_handle, data_chunk_get_vector, (rdx_duckdb_handle chunk, uint64_t column))                              \
  X(void, destroy_data_chunk, (rdx_duckdb_handle * chunk))                                                             \
  X(uint64_t, vector_size, (void))                                                                                     \
  X(void *, vector_get_data, (rdx_duckdb_handle vector))                                                               \
  X(uint64_t *, vector_get_validity, (rdx_duckdb_handle vector))                                                       \
  X(void, vector_ensure_validity_writable, (rdx_duckdb_handle vector))                                                 \
  X(void, vector_assign_string_element_len,                                                                            \
    (rdx_duckdb_handle vector, uint64_t row, const char *text, uint64_t length))                                       \
  X(rdx_duckdb_handle, create_table_function, (void))                                                                  \
  X(void, table_function_set_name, (rdx_duckdb_handle function, const char *name))                                     \
  X(void, table_function_set_extra_info, (rdx_duckdb_handle function, void *extra, rdx_duckdb_drop_fn drop))           \
  X(void, table_function_set_bind, (rdx_duckdb_handle function, rdx_duckdb_bind_fn bind))                              \
  X(void, table_function_set_init, (rdx_duckdb_handle function, rdx_duckdb_init_fn init))                              \
  X(void, table_function_set_function, (rdx_duckdb_handle function, rdx_duckdb_rows_fn rows))                          \
  X(int, register_table_function, (rdx_duckdb_handle connection, rdx_duckdb_handle function))                          \
  X(void, destroy_table_function, (rdx_duckdb_handle * function))                                                      \
  X(void *, bind_get_extra_info, (rdx_duckdb_handle bind))                                                             \
  X(void, bind_add_result_column, (rdx_duckdb_handle bind, const char *name, rdx_duckdb_handle type))                  \
  X(void, bind_set_cardinality, (rdx_duckdb_handle bind, uint64_t rows, bool exact))                                   \
  X(void *, init_get_extra_info, (rdx_duckdb_handle init))                                                             \
  X(void *, function_get_extra_info, (rdx_duckdb_handle call))

typedef struct rdx_duckdb_functions {
#define RDX_DUCKDB_MEMBER(result, name, parameters) result(*name) parameters;
  RDX_DUCKDB_FUNCTIONS(RDX_DUCKDB_MEMBER)
#undef RDX_DUCKDB_MEMBER
  /* As pending_prepared, of a result that comes piece by piece. NULL in a library without it, where the other does. */
  int (*pending_prepared_streaming)(rdx_duckdb_handle statement, rdx_duckdb_handle *pending);
} rdx_duckdb_functions;

/* A database in memory that reads or writes one file. It opens the file by its number in this process, so that nothing
 * in a name means anything to it. */
typedef struct rdx_duckdb {
  const rdx_duckdb_functions *call;
  rdx_duckdb_handle database, connection;
  const char *path;  /* of the file, for errors */
  const char *doing; /* "read", "write" */
  char alias[32];    /* what the database calls it */
  rdx_status status; /* what its failures are */
} rdx_duckdb;

/* RDX_ERROR_UNSUPPORTED says how to get the library. rdx_duckdb_close() in any case. */
RDX_MUST_USE rdx_status rdx_duckdb_open(int file, const char *path, bool writes, rdx_duckdb *out, rdx_error *err);
void rdx_duckdb_close(rdx_duckdb *duckdb);

/* How far a statement is, for rdx_progress(). */
typedef struct rdx_duckdb_watch {
  const char *stage;
  _Atomic uint64_t *done; /* NULL: nothing yet */
  uint64_t total;
} rdx_duckdb_watch;

/* Run a statement; its result is dropped by the caller, also on failure. That of a query may come piece by piece. */
RDX_MUST_USE rdx_status rdx_duckdb_run(const rdx_duckdb *duckdb, const char *sql, const rdx_duckdb_watch *watch,
                                       rdx_duckdb_result *out, rdx_error *err);

/* Free a result, whether it was fetched to its end or not. One that is all zero is fine. */
void rdx_duckdb_drop(const rdx_duckdb *duckdb, rdx_duckdb_result *result);

/* A table that statements read as NAME(), on one thread, from its start each time. */
typedef struct rdx_duckdb_source {
  void (*bind)(void *user, rdx_duckdb_handle bind); /* add its columns */
  void (*start)(void *user);
  void (*fill)(void *user, rdx_duckdb_handle chunk); /* the next rows; none: there are no more */
  void *user;
} rdx_duckdb_source;

/* `source` must be there until rdx_duckdb_close(). */
RDX_MUST_USE rdx_status rdx_duckdb_add_source(const rdx_duckdb *duckdb, const char *name, rdx_duckdb_source *source,
                                              rdx_error *err);

/* What is wrong in DuckDB's words, of which the first line is shown; NULL: it has none. */
rdx_status rdx_duckdb_fail(const rdx_duckdb *duckdb, const char *message, rdx_error *err);

#endif
