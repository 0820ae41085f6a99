/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Regular expressions to trees. */

#include <string.h>

#include "expression/functions.h"
#include "expression/regex_tree.h"

#define MAX_TREES 5000  /* which bounds every recursion over them */
#define MAX_REPEATS 255 /* of {m,n} */
#define MAX_LEVELS 500  /* of parentheses */
#define LAST 0x1fffff   /* beyond every character */
#define UNBOUNDED UINT32_MAX

typedef rdx_regex_tree tree;

typedef struct parser {
  rdx_regex *r;
  rdx_arena *arena;
  rdx_error *err;
  const char **wrong;
  uint64_t at;
  uint32_t levels;
} parser;

/* ---- Characters ---- */

uint32_t rdx_regex_character(rdx_sql_text text, uint64_t at, uint64_t *size) {
  const unsigned char *c = (const unsigned char *)text.data + at;
  *size = rdx_text_character(text.data + at, text.length - at);
  switch (*size) {
  case 2:
    return (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
  case 3:
    return (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
  case 4:
    return (c[0] & 0x07u) << 18 | (c[1] & 0x3fu) << 12 | (c[2] & 0x3fu) << 6 | (c[3] & 0x3fu);
  default:
    return c[0] < 0x80 ? c[0] : 0x110000u + c[0];
  }
}

static bool more(const parser *p) {
  return p->at < p->r->pattern.length;
}

static char peek(const parser *p, uint64_t ahead) {
  return p->at + ahead < p->r->pattern.length ? p->r->pattern.data[p->at + ahead] : '\0';
}

static uint32_t next(parser *p) {
  uint64_t size = 1;
  const uint32_t c = rdx_regex_character(p->r->pattern, p->at, &size);
  p->at += size;
  return c;
}

/* A failure whose reason is told. */
static rdx_status fail(parser *p, const char *what) {
  *p->wrong = what;
  return RDX_ERROR_FORMAT;
}

/* ---- Trees ---- */

static rdx_status make(parser *p, rdx_regex_kind kind, uint32_t value, tree *left, tree *right, tree **out) {
  if (++p->r->tree_count > MAX_TREES)
    return fail(p, "regular expression is too complex");
  RDX_TRY(rdx_arena_alloc(p->arena, 1, sizeof **out, "a regular expression", (void **)out, p->err));
  **out = (tree){.kind = kind, .value = value, .left = left, .right = right};
  if (kind == RDX_REGEX_EITHER)
    (*out)->prefers = RDX_PREFERS_LONG;
  else if (left)
    (*out)->prefers = left->prefers || !right ? left->prefers : right->prefers;
  return RDX_OK;
}

/* Without `groups` what they hold, but no groups. */
static rdx_status copy(parser *p, const tree *from, bool groups, tree **out) {
  tree *left = NULL, *right = NULL;
  if (from->kind == RDX_REGEX_GROUP && !groups)
    return copy(p, from->left, groups, out);
  if (from->left)
    RDX_TRY(copy(p, from->left, groups, &left));
  if (from->right)
    RDX_TRY(copy(p, from->right, groups, &right));
  RDX_TRY(make(p, from->kind, from->value, left, right, out));
  (*out)->prefers = from->prefers;
  return RDX_OK;
}

/* x{least,most} is x*, or (x(x(x)?)?)? where it may be left out, else x{least-1,most-1}x: groups are those of the last
 * x. */
static rdx_status repeat(parser *p, const tree *x, bool groups, uint32_t min, uint32_t max, bool greedy, tree **out) {
  const rdx_regex_preference prefers = min == max ? x->prefers : greedy ? RDX_PREFERS_LONG : RDX_PREFERS_SHORT;
  tree *all = NULL, *one = NULL;
  if (min > 0 && max > 1) {
    RDX_TRY(repeat(p, x, false, min - 1, max == UNBOUNDED ? max : max - 1, greedy, &all));
    all->prefers = prefers;
    RDX_TRY(copy(p, x, groups, &one));
    RDX_TRY(make(p, RDX_REGEX_JOIN, 0, all, one, out));
    (*out)->prefers = prefers;
    return RDX_OK;
  }
  if (max == UNBOUNDED) {
    RDX_TRY(copy(p, x, groups, &one));
    RDX_TRY(make(p, RDX_REGEX_STAR, 0, one, NULL, &all));
    all->prefers = prefers;
  }
  for (uint32_t i = max == UNBOUNDED ? 0 : max; i > 0; i--) {
    RDX_TRY(copy(p, x, groups, &one));
    if (all)
      RDX_TRY(make(p, RDX_REGEX_JOIN, 0, one, all, &one));
    if (i > min)
      RDX_TRY(make(p, RDX_REGEX_MAYBE, 0, one, NULL, &one));
    one->prefers = prefers;
    all = one;
  }
  if (all && min == 0)
    all->value = 1;
  *out = all;
  return all ? RDX_OK : make(p, RDX_REGEX_EMPTY, 0, NULL, NULL, out);
}

/* ---- Sets ---- */

static void add(rdx_regex_set *s, uint32_t first, uint32_t last) {
  s->ranges[s->count++] = (rdx_regex_range){first, last};
}

/* Letters of other scripts than ours, without signs. */
static void add_letters(rdx_regex_set *s) {
  static const rdx_regex_range ranges[] = {{0xaa, 0xaa},     {0xb5, 0xb5},     {0xba, 0xba},       {0xc0, 0xd6},
                                           {0xd8, 0xf6},     {0xf8, 0x2c1},    {0x370, 0x374},     {0x376, 0x37d},
                                           {0x37f, 0x481},   {0x48a, 0x1fff},  {0x2c00, 0x2dff},   {0x3005, 0x3007},
                                           {0x3021, 0xd7ff}, {0xf900, 0xfdff}, {0xfe70, 0xfeff},   {0xff21, 0xff3a},
                                           {0xff41, 0xff5a}, {0xff66, 0xffdc}, {0x10000, 0x1cfff}, {0x20000, 0x3ffff}};
  for (size_t i = 0; i < RDX_COUNT(ranges); i++)
    add(s, ranges[i].first, ranges[i].last);
}

/* At most 32 ranges. */
static bool add_class(rdx_regex_set *s, const char *name, size_t length) {
  static const struct {
    const char *name, *ranges; /* pairs of ends */
    bool letters;
  } classes[] = {{"alnum", "09azAZ", true},    {"alpha", "azAZ", true},
                 {"blank", "\t\t  ", false},   {"cntrl", "\1\37\177\177", false},
                 {"digit", "09", false},       {"graph", "!~", true},
                 {"lower", "az", false},       {"print", " ~", true},
                 {"punct", "!/:@[`{~", false}, {"space", "\t\r  ", false},
                 {"upper", "AZ", false},       {"word", "09azAZ__", true},
                 {"xdigit", "09afAF", false}};
  for (size_t i = 0; i < RDX_COUNT(classes); i++) {
    if (strlen(classes[i].name) != length || memcmp(classes[i].name, name, length) != 0)
      continue;
    for (const char *c = classes[i].ranges; *c; c += 2)
      add(s, (unsigned char)c[0], (unsigned char)c[1]);
    if (classes[i].letters)
      add_letters(s);
    s->upper |= strcmp(classes[i].name, "upper") == 0;
    s->lower |= strcmp(classes[i].name, "lower") == 0;
    return true;
  }
  return false;
}

bool rdx_regex_is_word(uint32_t c) {
  rdx_regex_range ranges[32];
  rdx_regex_set word = {.ranges = ranges};
  if (c < 0x80)
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  add_letters(&word);
  for (uint32_t i = 0; i < word.count; i++)
    if (c >= ranges[i].first && c <= ranges[i].last)
      return true;
  return false;
}

/* A set with room for what the rest of the pattern may add. */
static rdx_status begin_set(parser *p, uint64_t capacity, rdx_regex_set **out, uint32_t *number) {
  *number = p->r->set_count++;
  *out = &p->r->sets[*number];
  **out = (rdx_regex_set){0};
  return rdx_arena_alloc(p->arena, capacity, sizeof *(*out)->ranges, "a regular expression", (void **)&(*out)->ranges,
                         p->err);
}

static const char *class_of_letter(char letter) {
  return letter == 'd' || letter == 'D' ? "digit" : letter == 's' || letter == 'S' ? "space" : "word";
}

static rdx_status class_tree(parser *p, char letter, tree **out) {
  rdx_regex_set *set = NULL;
  uint32_t number = 0;
  const char *name = class_of_letter(letter);
  RDX_TRY(begin_set(p, 32, &set, &number));
  set->negated = letter < 'a';
  (void)add_class(set, name, strlen(name));
  return make(p, RDX_REGEX_SET, number, NULL, NULL, out);
}

/* ---- Escapes ---- */

static rdx_status read_hexadecimal(parser *p, uint32_t max, uint32_t *out) {
  uint32_t digits = 0;
  *out = 0;
  for (char c; digits < max && (c = peek(p, 0)) != '\0'; digits++, p->at++) {
    const char small = (char)(c | 0x20);
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (small < 'a' || small > 'f'))
      break;
    *out = *out << 4 | (uint32_t)(digit ? c - '0' : small - 'a' + 10);
  }
  return digits > 0 && *out <= 0x10ffff ? RDX_OK : fail(p, "invalid escape \\ sequence");
}

/* A character behind a backslash. */
static rdx_status read_escape(parser *p, uint32_t *out) {
  static const char names[] = "aBbefnrtv0", values[] = "\a\\\b\033\f\n\r\t\v";
  const char c = peek(p, 0);
  if (!more(p))
    return fail(p, "invalid escape \\ sequence");
  if (c == 'u' || c == 'U' || c == 'x') {
    p->at++;
    return read_hexadecimal(p, c == 'u' ? 4 : 8, out);
  }
  const char *name = strchr(names, c);
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  if (!name && c >= '1' && c <= '9')
    return fail(p, "back references are not supported");
  if (!name && letter)
    return fail(p, "invalid escape \\ sequence");
  *out = name ? (unsigned char)values[name - names] : next(p);
  p->at += name ? 1 : 0;
  return RDX_OK;
}

static rdx_status read_backslash(parser *p, tree **out) {
  static const char assertions[] = "AZmMyY";
  const char c = peek(p, 0);
  const char *assertion = c ? strchr(assertions, c) : NULL;
  static const rdx_regex_assertion kinds[] = {RDX_REGEX_BEGIN,    RDX_REGEX_END,       RDX_REGEX_WORD_BEGIN,
                                              RDX_REGEX_WORD_END, RDX_REGEX_WORD_EDGE, RDX_REGEX_NO_WORD_EDGE};
  uint32_t value = 0;
  if (c && strchr("dDsSwW", c)) {
    p->at++;
    return class_tree(p, c, out);
  }
  if (assertion) {
    p->at++;
    return make(p, RDX_REGEX_ASSERT, kinds[assertion - assertions], NULL, NULL, out);
  }
  RDX_TRY(read_escape(p, &value));
  return make(p, RDX_REGEX_CHARACTER, value, NULL, NULL, out);
}

/* ---- Brackets ---- */

/* [:alpha:], [.x.] and [=x=], whose first bracket is read. */
static rdx_status read_named(parser *p, rdx_regex_set *set, uint32_t *one, bool *is_class) {
  const char kind = peek(p, 0), *begin = p->r->pattern.data + p->at + 1;
  p->at++;
  while (more(p) && (peek(p, 0) != kind || peek(p, 1) != ']'))
    p->at++;
  if (!more(p))
    return fail(p, "brackets [] not balanced");
  const size_t length = (size_t)(p->r->pattern.data + p->at - begin);
  p->at += 2;
  const bool cased = length == 5 && (memcmp(begin, "upper", 5) == 0 || memcmp(begin, "lower", 5) == 0);
  *is_class = kind == ':';
  if (*is_class && cased && p->r->any_case)
    return add_class(set, "alpha", 5) ? RDX_OK : fail(p, "invalid character class");
  if (*is_class)
    return add_class(set, begin, length) ? RDX_OK : fail(p, "invalid character class");
  uint64_t size = 0;
  const rdx_sql_text text = {begin, length};
  *one = length > 0 ? rdx_regex_character(text, 0, &size) : 0;
  return size == length && length > 0 ? RDX_OK : fail(p, "invalid collating element");
}

/* One character of a set, or a class, which is added. */
static rdx_status read_member(parser *p, rdx_regex_set *set, uint32_t *one, bool *is_class) {
  const char c = peek(p, 0), following = peek(p, 1);
  *is_class = false;
  if (!more(p))
    return fail(p, "brackets [] not balanced");
  if (c == '[' && (following == ':' || following == '.' || following == '=')) {
    p->at++;
    return read_named(p, set, one, is_class);
  }
  if (c != '\\') {
    *one = next(p);
    return RDX_OK;
  }
  p->at++;
  if (following && strchr("DSW", following))
    return fail(p, "invalid escape \\ sequence");
  *is_class = following && strchr("dsw", following);
  if (!*is_class)
    return read_escape(p, one);
  const char *name = class_of_letter(following);
  p->at++;
  (void)add_class(set, name, strlen(name));
  return RDX_OK;
}

static rdx_status read_set(parser *p, tree **out) {
  rdx_regex_set *set = NULL;
  uint32_t number = 0, first = 0, last = 0;
  bool is_class = false;
  RDX_TRY(begin_set(p, 16 * (p->r->pattern.length - p->at) + 32, &set, &number));
  set->negated = peek(p, 0) == '^';
  p->at += set->negated;
  for (bool begins = true; begins || peek(p, 0) != ']'; begins = false) {
    RDX_TRY(read_member(p, set, &first, &is_class));
    last = first;
    if (!is_class && peek(p, 0) == '-' && peek(p, 1) != ']') {
      p->at++;
      RDX_TRY(read_member(p, set, &last, &is_class));
      if (is_class || last < first)
        return fail(p, "invalid character range");
    }
    if (!is_class)
      add(set, first, last);
  }
  p->at++;
  return make(p, RDX_REGEX_SET, number, NULL, NULL, out);
}

/* ---- Atoms, branches ---- */

static rdx_status read_either(parser *p, tree **out);

static rdx_status read_group(parser *p, tree **out) {
  const bool captures = peek(p, 0) != '?';
  const uint32_t number = captures ? ++p->r->group_count : 0;
  if (!captures && peek(p, 1) != ':')
    return fail(p, strchr("=!<", peek(p, 1)) ? "lookaround is not supported" : "quantifier operand invalid");
  p->at += captures ? 0 : 2;
  if (++p->levels > MAX_LEVELS)
    return fail(p, "regular expression is too complex");
  RDX_TRY(read_either(p, out));
  p->levels--;
  if (peek(p, 0) != ')')
    return fail(p, "parentheses () not balanced");
  p->at++;
  return captures ? make(p, RDX_REGEX_GROUP, number, *out, NULL, out) : RDX_OK;
}

static rdx_status read_atom(parser *p, tree **out) {
  const char c = peek(p, 0);
  const bool is_bound = c == '{' && peek(p, 1) >= '0' && peek(p, 1) <= '9';
  if (c == '*' || c == '+' || c == '?' || is_bound)
    return fail(p, "quantifier operand invalid");
  if (c != '(' && c != '[' && c != '\\' && c != '.' && c != '^' && c != '$')
    return make(p, RDX_REGEX_CHARACTER, next(p), NULL, NULL, out);
  p->at++;
  switch (c) {
  case '(':
    return read_group(p, out);
  case '[':
    return read_set(p, out);
  case '\\':
    return read_backslash(p, out);
  case '.':
    return make(p, RDX_REGEX_ANY, 0, NULL, NULL, out);
  default:
    return make(p, RDX_REGEX_ASSERT, c == '^' ? RDX_REGEX_BEGIN : RDX_REGEX_END, NULL, NULL, out);
  }
}

static bool read_number(parser *p, uint32_t *out) {
  const uint64_t begin = p->at;
  *out = 0;
  for (; peek(p, 0) >= '0' && peek(p, 0) <= '9'; p->at++)
    *out = *out > MAX_REPEATS ? *out : *out * 10 + (uint32_t)(peek(p, 0) - '0');
  return p->at > begin && *out <= MAX_REPEATS;
}

/* A quantifier, if there is one; an assertion by itself has none. */
static rdx_status read_quantifier(parser *p, bool may_have, tree **atom) {
  const char c = peek(p, 0);
  uint32_t min = c == '+', max = c == '?' ? 1 : UNBOUNDED;
  if (c == '{' && peek(p, 1) >= '0' && peek(p, 1) <= '9') {
    p->at++;
    bool valid = read_number(p, &min);
    max = min;
    if (valid && peek(p, 0) == ',') {
      p->at++;
      max = UNBOUNDED;
      valid = peek(p, 0) == '}' || (read_number(p, &max) && max >= min);
    }
    if (!valid || peek(p, 0) != '}')
      return fail(p, "invalid repetition count(s)");
  } else if (c != '*' && c != '+' && c != '?') {
    return RDX_OK;
  }
  p->at++;
  if (!may_have)
    return fail(p, "quantifier operand invalid");
  const bool greedy = peek(p, 0) != '?';
  p->at += !greedy;
  RDX_TRY(repeat(p, *atom, true, min, max, greedy, atom));
  const char after = peek(p, 0);
  const bool again = after == '*' || after == '+' || after == '?';
  return again ? fail(p, "quantifier operand invalid") : RDX_OK;
}

/* Atoms, one behind the other: a(b(cd)). */
static rdx_status read_branch(parser *p, tree **out) {
  tree **end = out;
  *out = NULL;
  while (more(p) && peek(p, 0) != '|' && (peek(p, 0) != ')' || p->levels == 0)) {
    tree *atom = NULL;
    const char begins_with = peek(p, 0);
    if (begins_with == ')')
      return fail(p, "parentheses () not balanced");
    RDX_TRY(read_atom(p, &atom));
    RDX_TRY(read_quantifier(p, begins_with == '(' || atom->kind != RDX_REGEX_ASSERT, &atom));
    if (*end) {
      RDX_TRY(make(p, RDX_REGEX_JOIN, 0, *end, atom, end));
      end = &(*end)->right;
    } else {
      *end = atom;
    }
  }
  return *out ? RDX_OK : make(p, RDX_REGEX_EMPTY, 0, NULL, NULL, out);
}

/* What a branch prefers, its first part that prefers something does. */
static rdx_regex_preference preference(const tree *branch) {
  while (branch->kind == RDX_REGEX_JOIN && !branch->prefers)
    branch = branch->right;
  return branch->prefers;
}

static rdx_status read_either(parser *p, tree **out) {
  RDX_TRY(read_branch(p, out));
  (*out)->prefers = preference(*out);
  while (peek(p, 0) == '|' && more(p)) {
    tree *right = NULL;
    p->at++;
    RDX_TRY(read_branch(p, &right));
    right->prefers = preference(right);
    RDX_TRY(make(p, RDX_REGEX_EITHER, 0, *out, right, out));
  }
  return RDX_OK;
}

/* (?i) at the beginning. */
static rdx_status read_options(parser *p) {
  if (peek(p, 0) != '(' || peek(p, 1) != '?' || peek(p, 2) < 'a' || peek(p, 2) > 'z')
    return RDX_OK;
  for (p->at += 2; peek(p, 0) != ')'; p->at++) {
    const char c = peek(p, 0);
    if (c != 'i' && c != 'c' && c != 's')
      return fail(p, "invalid embedded option");
    p->r->any_case = c == 'i' || (p->r->any_case && c != 'c');
  }
  p->at++;
  return RDX_OK;
}

rdx_status rdx_regex_parse(rdx_regex *r, rdx_arena *arena, const char **wrong, rdx_error *err) {
  parser p = {.r = r, .arena = arena, .err = err, .wrong = wrong};
  RDX_TRY(
      rdx_arena_alloc(arena, r->pattern.length + 1, sizeof *r->sets, "a regular expression", (void **)&r->sets, err));
  RDX_TRY(read_options(&p));
  RDX_TRY(read_either(&p, &r->root));
  return more(&p) ? fail(&p, "parentheses () not balanced") : RDX_OK;
}
