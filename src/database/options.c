/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The options of COPY. */

#include <string.h>

#include "base/words.h"
#include "database/change.h"
#include "table/parquet.h"

static rdx_status refuse(const rdx_statement *s, const rdx_sql_option *o, const char *what, rdx_error *err) {
  return rdx_sql_error(err, RDX_ERROR_ARGUMENT, s->prepared->text, o->place, NULL, "%s: %s", o->name, what);
}

/* What a truth value is written as; a bare word is true. */
static bool read_truth(const rdx_sql_option *o, bool *out) {
  static const char *const words[][4] = {{"false", "off", "0", "no"}, {"true", "on", "1", "yes"}};
  *out = true;
  if (o->count == 0)
    return true;
  for (int value = 0; value < 2; value++) {
    for (int i = 0; i < 4; i++) {
      if (!rdx_words_alike(o->values[0], words[value][i]))
        continue;
      *out = value;
      return true;
    }
  }
  return false;
}

static rdx_status set_encoding(const rdx_statement *s, const rdx_sql_option *o, rdx_csv_params *csv, rdx_error *err) {
  static const struct {
    const char *name;
    rdx_encoding encoding;
  } names[] = {{"utf8", RDX_ENCODING_UTF8},
               {"utf-8", RDX_ENCODING_UTF8},
               {"latin1", RDX_ENCODING_LATIN1},
               {"win1252", RDX_ENCODING_WINDOWS_1252}};
  for (size_t i = 0; o->count == 1 && i < RDX_COUNT(names); i++) {
    if (!rdx_words_alike(names[i].name, o->values[0]))
      continue;
    csv->encoding = names[i].encoding;
    return RDX_OK;
  }
  return refuse(s, o, "there are UTF8, LATIN1 and WIN1252", err);
}

static rdx_status set_format(const rdx_statement *s, const rdx_sql_option *o, rdx_copy_options *out, rdx_error *err) {
  out->parquet = o->count == 1 && rdx_words_alike(o->values[0], "parquet");
  return out->parquet || (o->count == 1 && rdx_words_alike(o->values[0], "csv"))
             ? RDX_OK
             : refuse(s, o, "there are CSV and PARQUET", err);
}

static rdx_status set_option(const rdx_statement *s, const rdx_sql_option *o, rdx_copy_options *out, rdx_error *err) {
  rdx_csv_params *csv = out->csv;
  bool truth = false;
  if (out->parquet)
    return refuse(s, o, "it is for CSV, and this is Parquet", err);
  if (rdx_words_alike(o->name, "header")) {
    if (!read_truth(o, &truth))
      return refuse(s, o, "it is true or false", err);
    csv->header = truth ? RDX_SWITCH_ON : RDX_SWITCH_OFF;
    return RDX_OK;
  }
  if (rdx_words_alike(o->name, "encoding"))
    return set_encoding(s, o, csv, err);
  const bool null = rdx_words_alike(o->name, "null"), delimiter = rdx_words_alike(o->name, "delimiter");
  if (!null && !delimiter && !rdx_words_alike(o->name, "quote"))
    return refuse(s, o, "there are FORMAT, HEADER, DELIMITER, NULL, QUOTE and ENCODING", err);
  if (o->count != 1)
    return refuse(s, o, "it takes one value", err);
  if (null) {
    out->nulls[0] = o->values[0];
    csv->nulls = out->nulls;
    csv->null_count = *o->values[0] != '\0'; /* an empty field is NULL in any case */
    return RDX_OK;
  }
  if (strlen(o->values[0]) != 1)
    return refuse(s, o, "it is one character", err);
  *(delimiter ? &csv->delimiter : &csv->quote) = o->values[0][0];
  return RDX_OK;
}

/* The format is told by FORMAT, else by the name of the file. */
rdx_status rdx_change_copy_options(const rdx_statement *s, rdx_copy_options *out, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->statement;
  out->parquet = rdx_parquet_is_name(written->path);
  for (uint32_t i = 0; i < written->option_count; i++)
    if (rdx_words_alike(written->options[i].name, "format"))
      RDX_TRY(set_format(s, &written->options[i], out, err));
  for (uint32_t i = 0; i < written->option_count; i++)
    if (!rdx_words_alike(written->options[i].name, "format"))
      RDX_TRY(set_option(s, &written->options[i], out, err));
  return RDX_OK;
}
