/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* to_char() of numbers and to_number(), by PostgreSQL's patterns. A pattern is read twice: for what it asks, then for
 * what it writes, or finds in a text. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "expression/decimal.h"
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
    return rdx_node_fail(w, n, RDX_ERROR_FORMAT, "a pattern of numbers has one of S, MI and PR, once");
  if (p == PIECE_PR && f->before + f->behind == 0)
    return rdx_node_fail(w, n, RDX_ERROR_FORMAT, "PR stands behind the digits of a pattern");
  f->sign = p;
  f->s_first = f->before + f->behind == 0 && !f->point;
  return RDX_OK;
}

static rdx_status add_piece(rdx_worker *w, const rdx_node *n, piece p, const char *text, int length, format *f) {
  switch (p) {
  case PIECE_NINE:
  case PIECE_ZERO:
    if (f->sign == PIECE_PR)
      return rdx_node_fail(w, n, RDX_ERROR_FORMAT, "PR stands behind the digits of a pattern");
    if (f->before + f->behind >= MAX_PLACES)
      return rdx_node_fail(w, n, RDX_ERROR_UNSUPPORTED, "a pattern of numbers has %d digits at most", MAX_PLACES);
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
    return rdx_node_fail(w, n, RDX_ERROR_UNSUPPORTED, "\"%.*s\" is not supported in patterns of numbers", length, text);
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
  rdx_text_print(text, sizeof text, "%.*f", (int)kept, fabs(value));
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
  bool no_groups; /* with FM commas go behind the point, the only zero before it, and digits that go */
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
  w->no_groups = f->fill && !zero && f->behind > 0 && w->x->before == 1 && w->x->digits[0] == '0';
  put(w, !fits(w) ? '#' : w->place <= blank ? '0' : w->x->digits[w->x->before - (f->before - w->place) - 1]);
}

static void put_behind(writing *w) {
  const format *f = w->f;
  const uint32_t k = w->place - f->before - 1;
  const bool there = k < w->x->behind, kept = there && (!f->fill || k < fraction_of(w->x) || k < f->kept);
  if (there && (kept || !fits(w)))
    put(w, fits(w) ? w->x->digits[w->x->before + k] : '#');
  if (there)
    w->no_groups = fits(w) && !kept;
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
    w->no_groups = w->f->fill;
    if (w->x->behind == 0)
      end(w);
    break;
  case PIECE_GROUP:
    if (!w->no_groups && (w->started || !w->f->fill))
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

rdx_status rdx_number_to_char(RDX_ROW_ARGUMENTS) {
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

/* ---- to_number() ---- */

/* What is found of a number. */
typedef struct found {
  const format *f;
  rdx_sql_text text;
  uint64_t at;
  rdx_i128 digits;
  uint32_t before, behind; /* digits on either side of the point */
  char sign;               /* '\0': none so far */
  bool point, overflows;
} found;

static bool is_at_end(const found *x) {
  return x->at >= x->text.length;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* The sign before the digits. */
static void find_sign(found *x) {
  const char c = x->text.data[x->at];
  if (c == '-' || c == '+' || (c == '<' && x->f->sign == PIECE_PR)) {
    x->sign = c == '+' ? '+' : '-';
    x->at++;
  }
}

static bool find_digit(found *x) {
  const char c = x->text.data[x->at];
  if (is_digit(c)) {
    x->overflows |= __builtin_mul_overflow(x->digits, (rdx_i128)10, &x->digits) ||
                    __builtin_add_overflow(x->digits, (rdx_i128)(c - '0'), &x->digits);
    *(x->point ? &x->behind : &x->before) += 1;
    return true;
  }
  if (x->point || !x->f->point || c != '.')
    return false;
  x->point = true;
  return true;
}

/* The sign behind the digits: S stands behind the last one, wherever that is. */
static void find_last_sign(found *x, bool read) {
  const format *f = x->f;
  const char c = x->text.data[x->at], next = x->at + 1 < x->text.length ? x->text.data[x->at + 1] : '\0';
  if (f->sign == PIECE_S && read && (next == '-' || next == '+')) {
    x->sign = next;
    x->at++;
  } else if (f->sign == PIECE_MI && !read && (c == '-' || c == '+')) {
    x->sign = c;
  }
}

/* A place of the pattern, or its point: one character of the text, whatever it is, and a blank before it. */
static void find_place(found *x, piece p) {
  x->at += x->text.data[x->at] == ' ';
  if (!is_at_end(x) && !x->sign && p != PIECE_POINT && x->before + x->behind == 0)
    find_sign(x);
  if (is_at_end(x))
    return;
  const bool is_full = x->point && x->behind == x->f->behind, read = !is_full && find_digit(x);
  if (!x->sign && x->before + x->behind > 0 && !(is_full && is_digit(x->text.data[x->at])))
    find_last_sign(x, read);
  x->at++;
}

static void find_piece(found *x, piece p) {
  const char c = x->text.data[x->at];
  switch (p) {
  case PIECE_NINE:
  case PIECE_ZERO:
  case PIECE_POINT:
    find_place(x, p);
    break;
  case PIECE_GROUP:
    x->at += !x->f->fill && c == ',';
    break;
  case PIECE_MI:
    x->sign = c == '-' ? c : x->sign;
    if (!strchr("0123456789.,+", c))
      x->at += rdx_text_character(x->text.data + x->at, x->text.length - x->at);
    break;
  case PIECE_TEXT:
    x->at += rdx_text_character(x->text.data + x->at, x->text.length - x->at);
    break;
  default:
    break;
  }
}

rdx_status rdx_number_of_text(RDX_ROW_ARGUMENTS) {
  format f;
  reader r = {.pattern = args[1].text};
  const char *text = NULL;
  char shown[64];
  piece p;
  out->null = args[1].text.length == 0;
  if (out->null)
    return RDX_OK;
  RDX_TRY(read_format(w, n, args[1].text, &f));
  if (f.before + f.behind == 0)
    return rdx_function_fail(w, n, "a pattern of to_number has digits: 9 or 0");
  found x = {.f = &f, .text = args[0].text};
  while (!is_at_end(&x) && next_piece(&r, &p, &text))
    find_piece(&x, p);
  if (x.before + x.behind == 0) {
    rdx_utf8_escape(x.text.data, x.text.length, shown, sizeof shown);
    return rdx_node_fail(w, n, RDX_ERROR_FORMAT, "the text \"%s\" has no digits where the pattern has them", shown);
  }
  if (x.overflows ||
      !rdx_decimal_rescale(x.sign == '-' ? -x.digits : x.digits, (uint8_t)x.behind, n->type.scale, &out->wide))
    return rdx_out_of_range(w, n);
  return RDX_OK;
}

/* As many digits as the pattern has, where it is known. */
rdx_sql_type rdx_number_type(const rdx_bound *const *args, RDX_UNUSED uint32_t count) {
  reader r = {.pattern = args[1]->value.text};
  int32_t places[2] = {0, 0};
  const char *text = NULL;
  bool point = false;
  piece p;
  if (args[1]->kind != RDX_BOUND_CONSTANT || args[1]->value.null)
    return rdx_decimal_type(RDX_DECIMAL_DIGITS, 6);
  while (next_piece(&r, &p, &text)) {
    places[point] += p == PIECE_NINE || p == PIECE_ZERO;
    point |= p == PIECE_POINT;
  }
  return rdx_decimal_type(places[0] + places[1] > 0 ? places[0] + places[1] : 1, places[1]);
}
