/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_FUNCTIONS_H
#define RDX_EXPRESSION_FUNCTIONS_H

/* The functions that are called by name. */

#include "expression/block.h"

/* A call for one row, none of whose arguments is NULL unless the function says that it takes NULLs. DECIMALs are in
 * `wide`, whatever their digits. The result may be NULL. */
typedef rdx_status rdx_row_function(rdx_worker *w, const rdx_node *n, const rdx_datum *args, rdx_datum *out);
typedef rdx_row_function *rdx_row_fn;

/* The parameters of a definition; some may be of no use to it. */
#define RDX_ROW_ARGUMENTS                                                                                              \
  RDX_UNUSED rdx_worker *w, RDX_UNUSED const rdx_node *n, RDX_UNUSED const rdx_datum *args, RDX_UNUSED rdx_datum *out

/* The type of a call by those of its arguments. */
typedef rdx_sql_type (*rdx_result_fn)(const rdx_bound *const *args, uint32_t count);

typedef struct rdx_function {
  const char *name;
  /* A letter for each argument: t TEXT, s SMALLINT, i INTEGER, b BIGINT, r REAL, d DOUBLE, n any DECIMAL, D DATE,
   * T TIMESTAMP, v INTERVAL; "a*": any number of any type */
  const char *args;
  rdx_sql_kind result;
  rdx_result_fn type; /* NULL: `result` */
  rdx_row_fn row;
  rdx_values_fn kernel; /* NULL: row by row */
  bool takes_nulls;
} rdx_function;

/* All of them; overloads stand together, the ones that are preferred first. */
extern const rdx_function rdx_functions[];
extern const uint32_t rdx_function_count;

rdx_status rdx_function_fail(rdx_worker *w, const rdx_node *n, const char *what);

/* ---- letters.c ---- */

/* A letter in the other case; what is no letter, or has no one partner of as many bytes, stays. */
uint32_t rdx_text_letter(uint32_t c, bool upper);

/* ---- text.c ---- */

#define RDX_LONGEST_TEXT ((uint64_t)1 << 30) /* bytes of a result, as in PostgreSQL */

/* Bytes of the character at `text`. */
uint64_t rdx_text_character(const char *text, uint64_t length);
uint64_t rdx_text_characters(rdx_sql_text text);

rdx_row_function rdx_text_upper, rdx_text_lower, rdx_text_length, rdx_text_octets, rdx_text_from, rdx_text_from_for,
    rdx_text_left, rdx_text_right, rdx_text_btrim, rdx_text_ltrim, rdx_text_rtrim, rdx_text_replace, rdx_text_find,
    rdx_text_concat, rdx_text_starts, rdx_text_repeat, rdx_text_lpad, rdx_text_rpad, rdx_text_reverse;
/* Part args[2] of args[0] between args[1], or one before it in the same text. */
rdx_part_place *rdx_part_before(rdx_worker *w, const rdx_node *n, const rdx_datum *args);
rdx_row_function rdx_text_part, rdx_text_parts, rdx_text_split;

rdx_row_function rdx_text_initcap, rdx_text_concat_ws, rdx_text_translate, rdx_text_ascii, rdx_text_chr, rdx_text_hex,
    rdx_text_bits, rdx_text_overlay;

/* quote.c */
rdx_row_function rdx_text_quote_ident, rdx_text_quote_literal, rdx_text_quote_nullable, rdx_text_format,
    rdx_nulls_count, rdx_values_count;

/* number_text.c */
rdx_row_function rdx_number_of_text;
rdx_sql_type rdx_number_type(const rdx_bound *const *args, uint32_t count);
rdx_row_function rdx_number_to_char;

/* md5.c */
rdx_row_function rdx_text_md5;

/* A text in small letters. */
RDX_MUST_USE rdx_status rdx_to_lower(rdx_worker *w, rdx_sql_text text, rdx_sql_text *out);

/* ---- regex_calls.c ---- */

rdx_row_function rdx_regex_match, rdx_regex_match_any_case, rdx_regex_like, rdx_regex_count, rdx_regex_substr,
    rdx_regex_instr, rdx_regex_parts, rdx_regex_part, rdx_regex_substring, rdx_regex_replace;
/* An escape is one character or nothing. */
rdx_status rdx_check_escape(rdx_worker *w, const rdx_node *n, rdx_sql_text escape);
rdx_row_function rdx_like_escape, rdx_regex_of_similar;

/* ---- dates.c ---- */

rdx_values_function rdx_dates_extract, rdx_dates_truncate;
rdx_row_function rdx_dates_make, rdx_dates_of_zone, rdx_dates_make_time, rdx_dates_of_epoch, rdx_dates_round,
    rdx_dates_bin, rdx_dates_age, rdx_dates_finite, rdx_dates_overlap, rdx_dates_months, rdx_dates_days,
    rdx_dates_micros, rdx_dates_span, rdx_dates_interval, rdx_dates_justify, rdx_dates_justify_days,
    rdx_dates_justify_hours, rdx_dates_make_interval;
/* date_parse.c */
rdx_row_function rdx_dates_read_day, rdx_dates_read_time;
/* date_text.c */
rdx_row_function rdx_dates_to_char;
rdx_sql_type rdx_dates_extracted(const rdx_bound *const *args, uint32_t count);

#endif
