/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_INTERNAL_H
#define RDX_DATABASE_INTERNAL_H

/* Databases, statements and answers: what holds the stages from text to result together. */

#include <raydex/database.h>

#include <pthread.h>
#include <sys/stat.h>

#include "execute/execute.h"

/* A text that was parsed and planned: shared by the statements made of it, which may run at the same time. */
typedef struct rdx_prepared rdx_prepared;

struct rdx_prepared {
  rdx_database *database;
  uint32_t users; /* under the database's lock */
  rdx_arena arena;
  char *text;
  size_t rest; /* where the text goes on behind the statement */
  rdx_sql_statement *statement;
  const rdx_sql_statement *runs; /* what EXPLAIN and PREPARE are of; else the statement itself */
  rdx_query_plan *plan;          /* of its query; NULL: it has none */
  const rdx_sql_query *query;
  rdx_sql_type *parameter_types;
  bool *parameter_rounds;
  uint32_t settings;    /* the version of the settings that it was planned with */
  rdx_settings planned; /* and what they were */
  rdx_plan_view *views; /* that the plan may use, and what keeps them */
  rdx_prepared **view_owners;
  uint32_t view_count;
  const char *cube; /* the materialized view that is to answer it; NULL: whatever does so the fastest */
  double plan_ms;
  _Atomic bool ran;
};

/* PREPARE name AS ... */
typedef struct rdx_named {
  char *name;
  rdx_prepared *prepared;
} rdx_named;

/* CREATE MATERIALIZED VIEW: a definition, kept in the folder as NAME.view, and its plan as long as that is current. */
typedef struct rdx_view {
  char *name, *text;
  rdx_star_params star;
  rdx_prepared *prepared;     /* NULL: not yet, or it cannot be planned any more */
  const rdx_sql_query *query; /* its own, without places: other statements read it */
} rdx_view;

/* CREATE VIEW: a definition, kept in the folder as NAME.query. */
typedef struct rdx_defined_view {
  char *name, *text;
} rdx_defined_view;

/* CREATE INDEX: a definition, kept in the folder as NAME.index. */
typedef struct rdx_index_entry {
  char *name, *text;
  rdx_arena arena; /* of what follows */
  const rdx_sql_statement *written;
  rdx_plan_index index;
} rdx_index_entry;

/* The files of definitions as they were read (definitions.c), by their kinds and names. */
typedef struct rdx_definition_file {
  uint32_t kind;
  const char *name;
  struct stat file; /* all zero: it is to be read again */
} rdx_definition_file;

typedef struct rdx_definition_files {
  rdx_arena arena; /* of names */
  rdx_definition_file *list;
  uint32_t count, capacity;
} rdx_definition_files;

struct rdx_database {
  rdx_device *device;
  rdx_catalog *catalog;
  rdx_pool *pool; /* the device's */
  bool read_only, safe, has_folder;
  pthread_mutex_t changing;   /* held by the statement whose turn it is: see turn.h */
  pthread_mutex_t defining;   /* held behind it by that statement, else by one that reads definitions: definitions.h */
  _Atomic bool defines;       /* that statement has it, and no other database changes definitions */
  rdx_definition_files files; /* under `defining` */
  pthread_mutex_t lock;       /* for what follows */
  rdx_settings settings;
  _Atomic uint32_t settings_version;
  _Atomic uint64_t timeout_ms; /* of a statement; 0: none */
  _Atomic uint64_t random;     /* what the next plan with random() is made of */
  uint64_t memory_limit;       /* of the device, when the database was opened */
  rdx_prepared **kept;         /* statements by their texts, the last used first */
  uint32_t kept_count;
  rdx_named *named;
  uint32_t named_count;
  char **names;               /* of rdx_database_tables() */
  char *folder;               /* NULL: none */
  struct stat looked_at;      /* the folder when definitions were read; all zero: they are to be read again */
  pthread_mutex_t views_lock; /* recursive, taken before `lock`: views are planned like statements, which list views */
  rdx_view *views;
  uint32_t view_count;
  rdx_defined_view *defined; /* changed with both locks held */
  uint32_t defined_count;
  char *shown; /* of rdx_database_view() */
  rdx_index_entry *indexes;
  uint32_t index_count;
};

/* A value of $n as it was given, and the type that it was fitted to last. */
typedef struct rdx_parameter {
  rdx_arena arena;
  rdx_bound *value; /* NULL: none was given */
  rdx_sql_type type;
  bool rounds, fits;
} rdx_parameter;

struct rdx_statement {
  rdx_database *database;
  rdx_prepared *prepared;
  rdx_parameter *given;
  rdx_datum *parameters; /* the same values, of the types that the plan has for them */
  bool planned;          /* by its preparation: its time counts once */
  bool counts_rays;
  rdx_catalog_table *copied; /* held while COPY writes it */
  uint64_t *numbered; /* of a run: for how many rows each column of the table has given numbers; NULL: none has */
};

struct rdx_answer {
  rdx_table *table;
  char tag[64];
  char method[160];
  bool counts_rays; /* where that is wanted of the run */
  rdx_answer_stats stats;
};

/* ---- Preparing (statement.c) ---- */

/* Parse and plan `text`, or take what was kept of it; NULL where it has no statement. Release it. */
RDX_MUST_USE rdx_status rdx_prepared_find(rdx_database *database, const char *text, rdx_prepared **out, rdx_error *err);
void rdx_prepared_release(rdx_prepared **prepared);
/* Whether its tables and the settings are still those that it was planned with. */
bool rdx_prepared_is_current(rdx_prepared *prepared);

/* Plan it anew where tables were replaced since. */
RDX_MUST_USE rdx_status rdx_prepared_renew(rdx_prepared **prepared, bool *renewed, rdx_error *err);
/* Its plan, likewise: parameters stay as they were given. */
RDX_MUST_USE rdx_status rdx_statement_renew(rdx_statement *statement, rdx_error *err);

/* Parameters (parameters.c): room for those of a new statement, also to be freed on failure; fit them to its plan. */
RDX_MUST_USE rdx_status rdx_parameters_create(rdx_statement *statement, rdx_error *err);
RDX_MUST_USE rdx_status rdx_parameters_fit(rdx_statement *statement, rdx_error *err);
void rdx_parameters_free(rdx_statement *statement);

/* ---- Running ---- */

/* The plan's result as a table. `parameters` has those of $n. `actuals` may be NULL. */
RDX_MUST_USE rdx_status rdx_prepared_run(rdx_prepared *prepared, const rdx_datum *parameters, rdx_node_actuals *actuals,
                                         rdx_answer *answer, rdx_error *err);
/* A frame as a table of its own (result.c). */
RDX_MUST_USE rdx_status rdx_result_table(rdx_pool *pool, const rdx_frame *frame, const rdx_plan_column *columns,
                                         rdx_table **out, rdx_error *err);
/* The type of columns that have values of such a type: intervals are texts. */
rdx_type rdx_column_type(rdx_sql_kind kind);
/* As rdx_database_columns(), of what is known (listing.c). */
RDX_MUST_USE rdx_status rdx_columns_list(rdx_database *database, const char *name, rdx_table **out, rdx_error *err);
/* Lines as a table of one column. */
RDX_MUST_USE rdx_status rdx_lines_table(const char *name, char *const *lines, uint32_t count, rdx_table **out,
                                        rdx_error *err);

/* EXPLAIN (explain.c): the plan as text or JSON; `actuals` of ANALYZE, or NULL. */
typedef struct rdx_explanation {
  const rdx_prepared *prepared;
  const rdx_node_actuals *actuals;
  double execute_ms;
  bool json;
} rdx_explanation;

RDX_MUST_USE rdx_status rdx_explain(const rdx_explanation *explanation, rdx_table **out, rdx_error *err);

/* Materialized views (views.c): an rdx_definition_fn; those that can be used, for a statement that is planned. */
RDX_MUST_USE rdx_status rdx_views_learn(rdx_database *database, const char *name, const char *text, bool *settled,
                                        rdx_error *err);
RDX_MUST_USE rdx_status rdx_views_list(rdx_prepared *prepared, rdx_error *err);
void rdx_views_free(rdx_database *database);
RDX_MUST_USE rdx_status rdx_views_create(rdx_statement *statement, rdx_answer *answer, rdx_error *err);
/* `*found`: there was one of this name. */
RDX_MUST_USE rdx_status rdx_views_drop(rdx_database *database, const char *name, bool *found, rdx_error *err);
/* Whether there is one of this name, and no added table. */
bool rdx_views_has(rdx_database *database, const char *name);
/* The text of SELECT * FROM the name, and what is to follow; for rdx_free(). */
RDX_MUST_USE rdx_status rdx_select_text(const char *name, const char *rest, char **out, rdx_error *err);
/* The plan of a definition, which is not kept by its text; `cube`: the materialized view that is to answer it, if not
 * NULL. */
RDX_MUST_USE rdx_status rdx_prepared_alone(rdx_database *database, const char *text, const char *cube,
                                           rdx_prepared **out, rdx_error *err);

/* Views (defined.c), likewise. */
RDX_MUST_USE rdx_status rdx_defined_learn(rdx_database *database, const char *name, const char *text, bool *settled,
                                          rdx_error *err);
void rdx_defined_free(rdx_database *database);
/* An rdx_find_view_fn. */
RDX_MUST_USE rdx_status rdx_defined_find(void *database, const char *name, bool exact, rdx_arena *arena,
                                         rdx_view_text *out, rdx_error *err);
/* More names behind `count` of a list that NULL ends, which grows, but for those that it has. */
RDX_MUST_USE rdx_status rdx_defined_add_names(rdx_database *database, char ***names, uint32_t count, rdx_error *err);
bool rdx_defined_has(rdx_database *database, const char *name, bool exact);
RDX_MUST_USE rdx_status rdx_defined_create(rdx_statement *statement, rdx_answer *answer, rdx_error *err);
RDX_MUST_USE rdx_status rdx_defined_drop(rdx_statement *statement, const char *name, bool *found, rdx_error *err);
/* Fail where a view of either kind reads what DROP names so, other than a view that it names, too. */
RDX_MUST_USE rdx_status rdx_defined_check_droppable(const rdx_statement *statement, const char *name, rdx_error *err);
/* Fail where one reads a column of a table, or, where `column` is NULL, the table: that `doing` cannot be done. */
RDX_MUST_USE rdx_status rdx_defined_check_unread(const rdx_statement *statement, const char *table, const char *column,
                                                 const char *doing, rdx_error *err);
/* Fail where a table or a view has the name of what is created, in any letter case, or a materialized view has it;
 * `renamed`: the table that is to have it, which may have it in another case; NULL: none. */
RDX_MUST_USE rdx_status rdx_defined_check_new(const rdx_statement *statement, const char *name, const char *renamed,
                                              rdx_error *err);

/* Indexes (indexes.c), likewise. */
RDX_MUST_USE rdx_status rdx_indexes_learn(rdx_database *database, const char *name, const char *text, bool *settled,
                                          rdx_error *err);
RDX_MUST_USE rdx_status rdx_indexes_list(rdx_prepared *prepared, rdx_plan_index **out, uint32_t *count, rdx_error *err);
void rdx_indexes_free(rdx_database *database);
RDX_MUST_USE rdx_status rdx_indexes_create(rdx_statement *statement, rdx_answer *answer, rdx_error *err);
RDX_MUST_USE rdx_status rdx_indexes_drop(rdx_database *database, const char *name, bool *found, rdx_error *err);
/* What becomes of indexes on a table that changes (index_alterations.c): announce it before the table changes, take it
 * once it has. Drop the list, also on failure. */
typedef struct rdx_index_alterations {
  rdx_index_entry *entries; /* as they are to be; of those that go `written` is NULL */
  uint32_t count;
} rdx_index_alterations;

/* Those on a table that gets another name, or on its column `column` that does. */
RDX_MUST_USE rdx_status rdx_indexes_rename(rdx_database *database, const char *table, const char *column,
                                           const char *to, rdx_index_alterations *out, rdx_error *err);
/* Those on a column that goes; NULL: on any of the table. */
RDX_MUST_USE rdx_status rdx_indexes_drop_on(rdx_database *database, const char *table, const char *column,
                                            rdx_index_alterations *out, rdx_error *err);
RDX_MUST_USE rdx_status rdx_indexes_announce(rdx_database *database, const rdx_index_alterations *changes,
                                             rdx_error *err);
/* Take back what was announced, as the table has not changed. */
void rdx_indexes_withdraw(rdx_database *database, const rdx_index_alterations *changes);
RDX_MUST_USE rdx_status rdx_indexes_take(rdx_database *database, rdx_index_alterations *changes, rdx_error *err);
void rdx_index_alterations_drop(rdx_index_alterations *changes);

/* Settings (settings.c). random() begins anew, with what nobody knows. */
void rdx_seed_anew(rdx_database *database);
RDX_MUST_USE rdx_status rdx_run_set(rdx_statement *statement, rdx_answer *answer, rdx_error *err);
RDX_MUST_USE rdx_status rdx_run_show(rdx_statement *statement, rdx_answer *answer, rdx_error *err);

/* A statement that is no form of words for another one (statement.c). */
RDX_MUST_USE rdx_status rdx_run_planned(rdx_statement *statement, rdx_answer *answer, rdx_error *err);

/* Statements that are no query (change.c, session.c). */
RDX_MUST_USE rdx_status rdx_run_change(rdx_statement *statement, rdx_answer *answer, rdx_error *err);
RDX_MUST_USE rdx_status rdx_run_session(rdx_statement *statement, rdx_answer *answer, rdx_error *err);

#endif
