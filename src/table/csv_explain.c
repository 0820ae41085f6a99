/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Why columns have their types, in words. */

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "table/csv.h"

typedef rdx_csv_reader reader;

#define SHOWN 44 /* bytes of a value, with the dots where there is more */

/* Room for a sentence, and the line of the last value that it was about: those of columns are often near. */
typedef struct explainer {
  reader *r;
  uint64_t place, line;
  char text[900];
} explainer;

/* ---- Values ---- */

static uint64_t lines_between(const char *from, const char *to) {
  uint64_t lines = 0;
  for (const char *p = from; (p = memchr(p, '\n', (size_t)(to - p))); p++)
    lines++;
  return lines;
}

static uint64_t line_of(explainer *x, uint64_t place) {
  const char *text = x->r->begin;
  if (place >= x->place)
    x->line += lines_between(text + x->place, text + place);
  else
    x->line -= lines_between(text + place, text + x->place);
  x->place = place;
  return x->line;
}

/* The value that begins at a place, as it stands in a sentence. */
static rdx_status show(explainer *x, uint64_t place, char out[SHOWN], rdx_error *err) {
  reader *r = x->r;
  rdx_csv_field f;
  const char *next;
  r->at = r->begin + place;
  RDX_TRY(rdx_csv_read_field(r, 0, &f, &next, err));
  rdx_utf8_escape(f.text, f.length, out, SHOWN);
  return RDX_OK;
}

/* A word as a shell takes it; false where that would be hard to read. */
static bool quote_word(const char *word, char *out, size_t capacity) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/+-%,:=";
  const size_t length = strlen(word);
  if (strpbrk(word, "'\\\n") || length + 3 > capacity)
    return false;
  const bool bare = length > 0 && strspn(word, plain) == length;
  snprintf(out, capacity, bare ? "%s" : "'%s'", word);
  return true;
}

/* "--type NAME=TYPE"; false where it would be hard to read. */
static bool put_type(const char *name, rdx_type type, uint8_t scale, char *out, size_t capacity) {
  char option[160], quoted[80], digits[16] = "";
  size_t used = 0;
  const bool quotes = *name == '\0' || strpbrk(name, "=\"");
  quoted[used++] = '"';
  for (const char *p = name; *p && used + 4 < sizeof quoted; p++) {
    if (*p == '"')
      quoted[used++] = '"';
    quoted[used++] = *p;
  }
  quoted[used++] = '"';
  quoted[used] = '\0';
  if (used + 4 >= sizeof quoted)
    return false;
  if (type == RDX_TYPE_DECIMAL)
    snprintf(digits, sizeof digits, "(%u)", scale);
  snprintf(option, sizeof option, "%s=%s%s", quotes ? quoted : name, rdx_type_name(type), digits);
  memcpy(out, "--type ", 7);
  return quote_word(option, out + 7, capacity - 7);
}

/* ---- Sentences ---- */

static const char *const kinds[] = {[RDX_TRAIT_BOOL] = "a truth value",
                                    [RDX_TRAIT_NUMBER] = "a number",
                                    [RDX_TRAIT_DATE] = "a date",
                                    [RDX_TRAIT_TIMESTAMP] = "a timestamp"};

/* What a value of a law is, and what a given type does with it. */
static const char *const faults[RDX_TRAITS][2] = {
    [RDX_TRAIT_LEADING_ZERO] = {"begins with 0", "makes it a number"},
    [RDX_TRAIT_CODE] = {"may be a code", "makes it a number"},
    [RDX_TRAIT_PLUS] = {"has a sign that no number keeps", "drops it"},
    [RDX_TRAIT_BARE_POINT] = {"has no 0 before its point, others have", "takes both"},
    [RDX_TRAIT_BEYOND] = {"is beyond 64 bits", "rounds it"},
    [RDX_TRAIT_ABOVE_I64] = {"and numbers below 0 have no type of 64 bits in common", "rounds it"},
    [RDX_TRAIT_LONG] = {"has more digits than f64 gives back", "rounds it"},
    [RDX_TRAIT_HUGE] = {"is beyond f64", ""},
    [RDX_TRAIT_LOCAL] = {"has no offset from UTC, others have", "takes it as UTC"},
    [RDX_TRAIT_DATE] = {"has no offset from UTC, others have", "takes it as UTC"},
    [RDX_TRAIT_PADDED] = {"has zeros at its end that others leave out", "takes both"},
    [RDX_TRAIT_TINY] = {"is closer to 0 than the type has numbers: it is read as the nearest", ""}};

/* " --null NA --null '-'" of the texts that are no values; empty where these are many or hard to write. */
static rdx_status put_nulls(explainer *x, const rdx_inference *f, char *out, size_t capacity, rdx_error *err) {
  size_t used = 0;
  *out = '\0';
  for (uint32_t i = 0; i < f->odd_count && f->odd_count <= RDX_ODD_TEXTS; i++) {
    char text[SHOWN], word[SHOWN + 3];
    RDX_TRY(show(x, f->odd[i], text, err));
    if (strlen(text) + 5 > SHOWN || strlen(text) > 12 || !quote_word(text, word, sizeof word)) {
      *out = '\0';
      return RDX_OK;
    }
    used += (size_t)snprintf(out + used, capacity - used, " --null %s", word);
  }
  return RDX_OK;
}

/* Whether it is written as a date or a timestamp, but there is none such; more digits of a second are another fault. */
static bool is_out_of_range(rdx_type type, const char *text) {
  int64_t value = 0;
  return !strchr(text, '.') && rdx_value_parse(type, 0, text, strlen(text), &value) == RDX_PARSE_RANGE;
}

/* A number of a country whose point is a comma, or with commas between thousands. */
static bool has_comma(const char *text) {
  const size_t length = strspn(text, "0123456789+-., ");
  return length > 0 && text[length] == '\0' && strpbrk(text, "0123456789") && strchr(text, ',');
}

static const char *no_value_of(rdx_type type, const char *text) {
  if (type == RDX_TYPE_DATE && is_out_of_range(type, text))
    return "a date out of range";
  if (type == RDX_TYPE_TIMESTAMP && is_out_of_range(type, text))
    return "a timestamp out of range";
  switch (type) {
  case RDX_TYPE_BOOL:
    return "neither true nor false";
  case RDX_TYPE_DATE:
    return "no date (YYYY-MM-DD)";
  case RDX_TYPE_TIMESTAMP:
    return "no timestamp (YYYY-MM-DD HH:MM:SS, at most 6 digits of a second)";
  default:
    return has_comma(text) ? "no number: it has a comma" : "no number";
  }
}

/* What a text that has no type looks like. */
static const char *no_value_like(const char *text) {
  const size_t digits = strspn(text, "0123456789");
  const char *rest = text + digits + strspn(text + digits, "/.-");
  if (is_out_of_range(RDX_TYPE_DATE, text) || is_out_of_range(RDX_TYPE_TIMESTAMP, text))
    return no_value_of(strchr(text, ':') ? RDX_TYPE_TIMESTAMP : RDX_TYPE_DATE, text);
  if (digits > 0 && rest > text + digits && strspn(rest, "0123456789") > 0 && strpbrk(rest, "/.-"))
    return "no date (YYYY-MM-DD)";
  return text[strspn(text, " +-$")] >= '0' && text[strspn(text, " +-$")] <= '9' ? no_value_of(RDX_TYPE_F64, text)
                                                                                : "text";
}

static rdx_status explain_text(explainer *x, const rdx_inference *f, rdx_reason reason, rdx_error *err) {
  char text[SHOWN], nulls[160], digits[16] = "";
  const uint64_t place = f->first[RDX_TRAIT_TEXT];
  RDX_TRY(show(x, place, text, err));
  const bool nearly = reason.instead != RDX_TYPE_STRING && f->typed > f->texts;
  const char *what = nearly ? no_value_of(reason.instead, text) : no_value_like(text);
  const int used =
      snprintf(x->text, sizeof x->text, "'%s' in line %llu is %s", text, (unsigned long long)line_of(x, place), what);
  if (!nearly)
    return RDX_OK;
  RDX_TRY(put_nulls(x, f, nulls, sizeof nulls, err));
  if (reason.instead == RDX_TYPE_DECIMAL)
    snprintf(digits, sizeof digits, "(%u)", reason.scale);
  if (*nulls)
    snprintf(x->text + used, sizeof x->text - (size_t)used, ";%s makes it %s%s", nulls, rdx_type_name(reason.instead),
             digits);
  else
    snprintf(x->text + used, sizeof x->text - (size_t)used, "%s; the rest is %s%s",
             f->odd_count > 1 ? ", nor are others" : "", rdx_type_name(reason.instead), digits);
  return RDX_OK;
}

/* Of a value whose column keeps to the law, or has several kinds of values. */
static rdx_status explain_fault(explainer *x, const char *name, const rdx_inference *f, rdx_reason reason,
                                rdx_error *err) {
  char text[SHOWN], type[200];
  const uint64_t place = f->first[reason.trait];
  RDX_TRY(show(x, place, text, err));
  const unsigned long long line = line_of(x, place);
  const char *const *fault = faults[reason.trait];
  if (reason.instead == RDX_TYPE_STRING && reason.trait <= RDX_TRAIT_TIMESTAMP)
    snprintf(x->text, sizeof x->text, "'%s' in line %llu is %s, others are not", text, line, kinds[reason.trait]);
  else if (*fault[1] && put_type(name, reason.instead, reason.scale, type, sizeof type))
    snprintf(x->text, sizeof x->text, "'%s' in line %llu %s; %s %s", text, line, fault[0], type, fault[1]);
  else
    snprintf(x->text, sizeof x->text, "'%s' in line %llu %s", text, line, fault[0]);
  return RDX_OK;
}

static rdx_status explain(explainer *x, uint32_t column, rdx_error *err) {
  rdx_growing *c = &x->r->table->columns[column];
  const rdx_inference *f = &x->r->inferred[column];
  const bool given = x->r->fixed[column], tiny = f->traits >> RDX_TRAIT_TINY & 1u;
  c->choice = (rdx_choice){.given = given, .instead = RDX_TYPE_STRING};
  rdx_reason reason = {.trait = tiny ? RDX_TRAIT_TINY : RDX_TRAITS, .instead = RDX_TYPE_STRING};
  if (!given)
    reason = rdx_inference_reason(f);
  if (reason.trait == RDX_TRAITS)
    return RDX_OK;
  if (reason.trait == RDX_TRAIT_TEXT)
    RDX_TRY(explain_text(x, f, reason, err));
  else
    RDX_TRY(explain_fault(x, c->name, f, reason, err));
  char *why = NULL;
  RDX_TRY(rdx_copy_text(x->text, "a CSV file", &why, err));
  c->choice.why = why;
  c->choice.mixed = reason.trait == RDX_TRAIT_TEXT && f->typed > 0;
  c->choice.doubtful = reason.trait != RDX_TRAIT_TEXT || (reason.instead != RDX_TYPE_STRING && f->typed > f->texts);
  if (reason.trait != RDX_TRAIT_TINY) {
    c->choice.instead = reason.instead;
    c->choice.instead_scale = reason.scale;
  }
  return RDX_OK;
}

rdx_status rdx_csv_explain(reader *r, rdx_error *err) {
  explainer x = {.r = r, .line = 1};
  const bool check = r->check;
  r->check = false;
  rdx_status status = RDX_OK;
  for (uint32_t i = 0; i < r->table->column_count && status == RDX_OK; i++)
    status = explain(&x, i, err);
  r->check = check;
  return status;
}
