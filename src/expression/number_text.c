/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* to_char() of numbers, by PostgreSQL's patterns. A pattern is read twice: for what it asks, then for what it
 * writes. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "expression/functions.h"

#define MAX_PLACES 60    /* digits of a pattern on either side of the point */
#define MAX_DIGITS 400   /* of a number on both */
#define DOUBLE_DIGITS 15 /* that are sure */

typedef enum piece {
  PIECE_NINE,
  PIECE_ZERO,
  PIECE_POINT,
  PIECE_GROUP,
  PIECE_FILL,
  PIECE_S,
  PIECE_MI,
  PIECE_PR,
  PIECE_REFUSED,
  PIECE_TEXT,
} piece;

static const struct {
  const char *text;
  piece piece;
} pieces[] = {
    {"9", PIECE_NINE},       {"0", PIECE_ZERO},     {".", PIECE_POINT},    {"D", PIECE_POINT},    {",", PIECE_GROUP},
    {"G", PIECE_GROUP},      {"FM", PIECE_FILL},    {"MI", PIECE_MI},      {"PR", PIECE_PR},      {"SG", PIECE_REFUSED},
    {"S", PIECE_S},          {"PL", PIECE_REFUSED}, {"RN", PIECE_REFUSED}, {"TH", PIECE_REFUSED}, {"B", PIECE_REFUSED},
    {"EEEE", PIECE_REFUSED}, {"C", PIECE_REFUSED},  {"L", PIECE_REFUSED},  {"V", PIECE_REFUSED},
};

/* A pattern, and how far it is read. */
typedef struct reader {
  rdx_sql_text pattern;
  uint64_t at, length; /* length: of the piece at hand */
  bool quoted;
} reader;

/* The next piece, with `at` behind it. In double quotes all is text. */
static bool next_piece(reader *r, piece *out, const char **text) {
  while (r->at < r->pattern.length && r->pattern.data[r->at] == '"') {
    r->quoted = !r->quoted;
    r->at++;
  }
  if (r->at >= r->pattern.length)
    return false;
  const uint64_t left = r->pattern.length - r->at;
  *text = r->pattern.data + r->at;
  *out = PIECE_TEXT;
  r->length = 1;
  for (size_t i = 0; i < RDX_COUNT(pieces) && !r->quoted && *out == PIECE_TEXT; i++) {
    const size_t size = strlen(pieces[i].text);
    if (size > left || strncasecmp(*text, pieces[i].text, size) != 0)
      continue;
    *out = pieces[i].piece;
    r->length = size;
  }
  r->at += r->length;
  return true;
}

/* ---- What a pattern asks for ---- */

typedef struct format {
  uint32_t before, behind; /* places on either side of the point */
  uint32_t zero;           /* the first place before it that is 0, from 1; 0: none */
  uint32_t kept;           /* places behind it that FM keeps */
  bool point, fill;        /* fill: no blanks, and no zeros at the end */
  bool s_first;
  piece sign; /* S, MI, PR; else in front of the digits */
} format;

static rdx_status add_sign(rdx_worker *w, const rdx_node *n, piece p, format *f) {
  if (f->sign != PIECE_TEXT)
    return rdx_node_fail(w, n, RDX_ERROR_FORMAT, "a pattern of to_char has one of S, MI and PR, once");
  if (p == PIECE_PR && f->before + f->behind == 0)
    return rdx_node_fail(w, n, RDX_ERROR_FORMAT, "PR stands behind the digits of a pattern of to_char");
  f->sign = p;
  f->s_first = f->before + f->behind == 0 && !f->point;
  return RDX_OK;
}

static rdx_status add_piece(rdx_worker *w, const rdx_node *n, piece p, const char *text, int length, format *f) {
  switch (p) {
  case PIECE_NINE:
  case PIECE_ZERO:
    if (f->before + f->behind >= MAX_PLACES)
      return rdx_node_fail(w, n, RDX_ERROR_UNSUPPORTED, "a pattern of to_char has %d digits at most", MAX_PLACES);
    *(f->point ? &f->behind : &f->before) += 1;
    if (p == PIECE_ZERO && f->point)
      f->kept = f->behind;
    else if (p == PIECE_ZERO && f->zero == 0)
      f->zero = f->before;
    return RDX_OK;
  case PIECE_POINT:
    if (f->point)
      return rdx_node_fail(w, n, RDX_ERROR_FORMAT, "multiple decimal points");
    f->point = true;
    return RDX_OK;
  case PIECE_FILL:
    f->fill = true;
    return RDX_OK;
  case PIECE_S:
  case PIECE_MI:
  case PIECE_PR:
    return add_sign(w, n, p, f);
  case PIECE_REFUSED:
    return rdx_node_fail(w, n, RDX_ERROR_UNSUPPORTED, "\"%.*s\" is not supported in patterns of to_char of numbers",
                         length, text);
  default:
    return RDX_OK;
  }
}

static rdx_status read_format(rdx_worker *w, const rdx_node *n, rdx_sql_text pattern, format *out) {
  reader r = {.pattern = pattern};
  const char *text = NULL;
  piece p;
  *out = (format){.sign = PIECE_TEXT};
  while (next_piece(&r, &p, &text))
    RDX_TRY(add_piece(w, n, p, text, (int)r.length, out));
  return RDX_OK;
}

/* ---- Digits ---- */

typedef struct number {
  char digits[MAX_DIGITS]; /* those before the point, then those behind it */
  uint32_t before, behind;
  bool negative;
} number;

/* Digits of a whole number of `scale` places behind the point, rounded to `behind` of them: halves away from zero. */
static void put_decimal(rdx_i128 value, uint32_t scale, uint32_t behind, number *out) {
  char reversed[64];
  uint32_t count = 0;
  rdx_i128 rest = value < 0 ? -value : value, power = 1;
  const uint32_t kept = scale < behind ? scale : behind;
  for (uint32_t i = kept; i < scale; i++)
    power *= 10;
  rest = rest / power + (rest % power >= power - power / 2 ? 1 : 0) * (power > 1);
  out->negative = value < 0 && rest > 0;
  for (; rest > 0 || count <= kept; rest /= 10)
    reversed[count++] = (char)('0' + (int)(rest % 10));
  out->before = count - kept;
  out->behind = behind;
  for (uint32_t i = 0; i < count; i++)
    out->digits[i] = reversed[count - 1 - i];
  memset(out->digits + count, '0', behind - kept);
}

static rdx_status put_double(rdx_worker *w, const rdx_node *n, double value, uint32_t behind, number *out) {
  char text[MAX_DIGITS];
  if (!isfinite(value))
    return rdx_node_fail(w, n, RDX_ERROR_RANGE, "to_char has no pattern for a number that is not finite");
  const uint32_t before = (uint32_t)snprintf(text, sizeof text, "%.0f", fabs(value));
  const uint32_t sure = before < DOUBLE_DIGITS ? DOUBLE_DIGITS - before : 0, kept = behind < sure ? behind : sure;
  snprintf(text, sizeof text, "%.*f", (int)kept, fabs(value));
  const char *point = strchr(text, '.');
  out->before = (uint32_t)(point ? point - text : (ptrdiff_t)strlen(text));
  out->behind = kept;
  out->negative = signbit(value) != 0;
  memcpy(out->digits, text, out->before);
  memcpy(out->digits + out->before, point ? point + 1 : "", kept);
  return RDX_OK;
}

/* ---- Writing ---- */

typedef struct writing {
  const format *f;
  const number *x;
  char *to;
  uint64_t used;
  uint32_t place; /* digits of the pattern that were met */
  bool started;   /* a digit or the point was written */
} writing;

static void put(writing *w, char c) {
  w->to[w->used++] = c;
}

/* A sign, or the blank that takes its place. */
static void put_sign(writing *w, char minus, char plus) {
  if (w->x->negative)
    put(w, minus);
  else if (plus != ' ' || !w->f->fill)
    put(w, plus);
}

static void start(writing *w) {
  const piece sign = w->f->sign;
  if (!w->started && sign == PIECE_TEXT)
    put_sign(w, '-', ' ');
  else if (!w->started && sign == PIECE_PR)
    put_sign(w, '<', ' ');
  else if (!w->started && sign == PIECE_S && w->f->s_first)
    put_sign(w, '-', '+');
  w->started = true;
}

/* Else all its digits are written as #. */
static bool fits(const writing *w) {
  return w->x->before <= w->f->before;
}

/* The places behind the point up to the last one that is not zero. */
static uint32_t fraction_of(const number *x) {
  uint32_t last = x->behind;
  while (last > 0 && x->digits[x->before + last - 1] == '0')
    last--;
  return last;
}

/* Whether the digits before the point are a zero, which is left out: there will be others behind it. */
static bool is_bare(const writing *w) {
  const bool kept = !w->f->fill || w->f->kept > 0 || fraction_of(w->x) > 0;
  return w->x->before == 1 && w->x->digits[0] == '0' && w->f->behind > 0 && kept;
}

static void put_before(writing *w) {
  const format *f = w->f;
  const uint32_t digits = is_bare(w) ? 0 : w->x->before, blank = fits(w) ? f->before - digits : 0;
  const bool zero = f->zero > 0 && w->place >= f->zero;
  if (w->place <= blank && !zero) {
    if (!f->fill)
      put(w, ' ');
    return;
  }
  start(w);
  put(w, !fits(w) ? '#' : w->place <= blank ? '0' : w->x->digits[w->x->before - (f->before - w->place) - 1]);
}

static void put_behind(writing *w) {
  const format *f = w->f;
  const uint32_t k = w->place - f->before - 1;
  if (k < w->x->behind && !fits(w))
    put(w, '#');
  else if (k < w->x->behind && (!f->fill || k < fraction_of(w->x) || k < f->kept))
    put(w, w->x->digits[w->x->before + k]);
}

/* Signs behind the last digit. */
static void end(writing *w) {
  if (w->f->sign == PIECE_PR)
    put_sign(w, '>', ' ');
  else if (w->f->sign == PIECE_S && !w->f->s_first)
    put_sign(w, '-', '+');
}

static void put_piece(writing *w, piece p, const char *text) {
  switch (p) {
  case PIECE_NINE:
  case PIECE_ZERO:
    w->place++;
    w->place <= w->f->before ? put_before(w) : put_behind(w);
    if (w->place == w->f->before + w->x->behind && (!w->f->point || w->x->behind > 0))
      end(w);
    break;
  case PIECE_POINT:
    start(w);
    put(w, '.');
    if (w->x->behind == 0)
      end(w);
    break;
  case PIECE_GROUP:
    if (w->started || !w->f->fill)
      put(w, w->started ? ',' : ' ');
    break;
  case PIECE_MI:
    put_sign(w, '-', ' ');
    break;
  case PIECE_TEXT:
    put(w, *text);
    break;
  default:
    break;
  }
}

/* Where digits come to an end, of doubles before those of the pattern, all that is behind the next place does, too. */
static bool is_over(const writing *w, piece p) {
  const bool places = p == PIECE_NINE || p == PIECE_ZERO;
  return (places && w->place >= w->f->before + w->x->behind) || (p == PIECE_POINT && w->x->behind == 0 && fits(w));
}

static rdx_status write_number(rdx_worker *w, const format *f, const number *x, rdx_sql_text pattern, rdx_datum *out) {
  writing to = {.f = f, .x = x};
  reader r = {.pattern = pattern};
  const char *text = NULL;
  piece p;
  RDX_TRY(rdx_take_text(w, 2 * pattern.length + 4, &to.to));
  while (next_piece(&r, &p, &text) && !is_over(&to, p))
    put_piece(&to, p, text);
  out->text = (rdx_sql_text){to.to, to.used};
  return RDX_OK;
}

/* ---- The functions ---- */

rdx_status rdx_number_to_char(rdx_worker *w, const rdx_node *n, const rdx_datum *args, rdx_datum *out) {
  const rdx_sql_type type = n->args[0]->type;
  format f;
  number x = {0};
  if (args[1].text.length > RDX_LONGEST_TEXT / 4)
    return rdx_function_fail(w, n, "the text would be longer than 1 GiB");
  RDX_TRY(read_format(w, n, args[1].text, &f));
  if (type.kind == RDX_SQL_DOUBLE)
    RDX_TRY(put_double(w, n, args[0].f, f.behind, &x));
  else
    put_decimal(type.kind == RDX_SQL_DECIMAL ? args[0].wide : args[0].i, type.kind == RDX_SQL_DECIMAL ? type.scale : 0,
                f.behind, &x);
  return write_number(w, &f, &x, args[1].text, out);
}
