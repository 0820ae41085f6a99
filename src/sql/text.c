/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Tokens as PostgreSQL's scanner makes them, as far as quotes, comments and words go. Signs are taken one by one. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/text.h"

/* Names of so many bytes and more are replaced: the parser cuts at 63, or before the character there. */
#define LONGEST_PARSED 60

#define LONGEST_OPERATOR 63
#define LONGEST_STATEMENT (1 << 28) /* bytes */

/* What a replaced name begins with, before the byte of the text where it stands. By itself: the empty name, which SQL
 * does not have. A control character, which no name should have. */
#define MARK "\xc2\x80"
#define MARK_LENGTH (sizeof MARK - 1)

/* ---- Tokens ---- */

static bool begins_name(char c) {
  return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool continues_name(char c) {
  return begins_name(c) || isdigit((unsigned char)c) || c == '$';
}

static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *skip_line(const char *text) {
  return text + strcspn(text, "\r\n");
}

/* Comments nest. NULL: the text ends in it. */
static const char *skip_comment(const char *text) {
  size_t open = 0;
  do {
    if (text[0] == '/' && text[1] == '*') {
      open++;
      text += 2;
    } else if (text[0] == '*' && text[1] == '/') {
      open--;
      text += 2;
    } else {
      text++;
    }
  } while (*text && open > 0);
  return open > 0 ? NULL : text;
}

/* A comment that does not end is no blank. */
static const char *skip_blanks(const char *text) {
  for (const char *behind = text; behind; text = behind ? behind : text) {
    if (is_blank(*text))
      behind = text + 1;
    else if (text[0] == '-' && text[1] == '-')
      behind = skip_line(text);
    else if (text[0] == '/' && text[1] == '*')
      behind = skip_comment(text);
    else
      behind = NULL;
  }
  return text;
}

/* Behind the quote that ends what begins at `text`; two of them stand for one, and a backslash, in strings that know
 * it, takes the next byte along. */
static const char *skip_quotes(const char *text, bool backslashes) {
  const char quote = *text++;
  for (; *text; text++) {
    if (backslashes && *text == '\\' && text[1])
      text++;
    else if (*text == quote && *++text != quote)
      return text;
  }
  return text;
}

/* A string goes on with the next one, in its own kind of quotes, where only blanks and a line's end are between. */
static const char *skip_string(const char *text, bool backslashes) {
  for (;;) {
    const char *behind = text = skip_quotes(text, backslashes);
    bool line = false;
    for (; is_blank(*behind) || (behind[0] == '-' && behind[1] == '-');
         behind = is_blank(*behind) ? behind + 1 : skip_line(behind))
      line = line || *behind == '\n' || *behind == '\r';
    if (!line || *behind != '\'')
      return text;
    text = behind;
  }
}

/* $tag$...$tag$; NULL: it is none. */
static const char *skip_dollars(const char *text) {
  const char *tag = text + 1;
  if (*tag != '$' && !begins_name(*tag))
    return NULL;
  while (*tag != '$' && continues_name(*tag))
    tag++;
  if (*tag != '$')
    return NULL;
  const size_t length = (size_t)(tag + 1 - text);
  for (const char *at = tag + 1; (at = strchr(at, '$')) != NULL; at++)
    if (strncmp(at, text, length) == 0)
      return at + length;
  return tag + strlen(tag);
}

static const char *skip_digits(const char *text) {
  while (isdigit((unsigned char)*text))
    text++;
  return text;
}

static const char *skip_number(const char *text) {
  text = skip_digits(text);
  text = *text == '.' ? skip_digits(text + 1) : text;
  if (*text == 'e' || *text == 'E') {
    const char *exponent = text + 1 + (text[1] == '+' || text[1] == '-');
    if (isdigit((unsigned char)*exponent))
      text = skip_digits(exponent);
  }
  return text;
}

static rdx_token word_at(const char *text) {
  const char first = (char)tolower((unsigned char)*text);
  if (text[1] == '\'' && strchr("ebxn", first))
    return (rdx_token){RDX_TOKEN_STRING, text, skip_string(text + 1, first == 'e')};
  if (first == 'u' && text[1] == '&' && text[2] == '\'')
    return (rdx_token){RDX_TOKEN_STRING, text, skip_string(text + 2, false)};
  if (first == 'u' && text[1] == '&' && text[2] == '"')
    return (rdx_token){RDX_TOKEN_NAME, text, skip_quotes(text + 2, false)};
  const char *end = text + 1;
  while (continues_name(*end))
    end++;
  return (rdx_token){RDX_TOKEN_WORD, text, end};
}

rdx_token rdx_token_at(const char *text) {
  text = skip_blanks(text);
  if (!*text || (text[0] == '/' && text[1] == '*'))
    return (rdx_token){RDX_TOKEN_END, text, text + strlen(text)};
  if (begins_name(*text))
    return word_at(text);
  if (*text == '"')
    return (rdx_token){RDX_TOKEN_NAME, text, skip_quotes(text, false)};
  if (*text == '\'')
    return (rdx_token){RDX_TOKEN_STRING, text, skip_string(text, false)};
  if (isdigit((unsigned char)text[*text == '.']))
    return (rdx_token){RDX_TOKEN_OTHER, text, skip_number(text)};
  if (*text == '$') {
    const char *end = skip_dollars(text);
    return end ? (rdx_token){RDX_TOKEN_STRING, text, end} : (rdx_token){RDX_TOKEN_OTHER, text, skip_digits(text + 1)};
  }
  return (rdx_token){RDX_TOKEN_OTHER, text, text + 1};
}

bool rdx_token_is(const rdx_token *token, const char *word) {
  const size_t length = strlen(word);
  return token->kind == RDX_TOKEN_WORD && (size_t)(token->end - token->begin) == length &&
         strncasecmp(token->begin, word, length) == 0;
}

/* ---- Levels ----
 *
 * A bound for the depth of the tree. A path from its root to a leaf passes, within a pair of brackets (parentheses,
 * square ones, CASE and END), set operations, the joins of one item between commas, the tokens of one segment between
 * commas, connectives, and the parts of a CASE, and one of the inner brackets of this segment. */

typedef enum word {
  WORD_NONE,
  WORD_AND,
  WORD_ATOMIC,
  WORD_BETWEEN,
  WORD_CASE,
  WORD_CLAUSE, /* what follows FROM's items */
  WORD_DISTINCT,
  WORD_END,
  WORD_FROM,
  WORD_JOIN,
  WORD_OR,
  WORD_PART, /* of a CASE */
  WORD_SELECT,
  WORD_SET_OPERATION,
} word;

static word find_word(rdx_token t) {
  static const struct {
    const char *text;
    word word;
  } words[] = {{"and", WORD_AND},           {"atomic", WORD_ATOMIC},
               {"between", WORD_BETWEEN},   {"case", WORD_CASE},
               {"distinct", WORD_DISTINCT}, {"else", WORD_PART},
               {"end", WORD_END},           {"except", WORD_SET_OPERATION},
               {"fetch", WORD_CLAUSE},      {"for", WORD_CLAUSE},
               {"from", WORD_FROM},         {"group", WORD_CLAUSE},
               {"having", WORD_CLAUSE},     {"intersect", WORD_SET_OPERATION},
               {"join", WORD_JOIN},         {"limit", WORD_CLAUSE},
               {"offset", WORD_CLAUSE},     {"or", WORD_OR},
               {"order", WORD_CLAUSE},      {"select", WORD_SELECT},
               {"then", WORD_PART},         {"union", WORD_SET_OPERATION},
               {"values", WORD_CLAUSE},     {"when", WORD_PART},
               {"where", WORD_CLAUSE},      {"window", WORD_CLAUSE}};
  char lower[10];
  const size_t length = (size_t)(t.end - t.begin);
  if (t.kind != RDX_TOKEN_WORD || length >= sizeof lower)
    return WORD_NONE;
  for (size_t i = 0; i < length; i++)
    lower[i] = (char)tolower((unsigned char)t.begin[i]);
  lower[length] = '\0';
  for (size_t i = 0; i < RDX_COUNT(words); i++)
    if (words[i].text[0] == lower[0] && strcmp(words[i].text, lower) == 0)
      return words[i].word;
  return WORD_NONE;
}

typedef struct bracket {
  char open;           /* '(', '[', 'c' of CASE */
  rdx_token before;    /* what stands before it */
  bool reads;          /* the query at hand has had its FROM */
  bool windows;        /* and its WINDOW */
  bool qualify;        /* QUALIFY is open */
  uint32_t from_first; /* 1 + the insertion before the FROM that the query began with */
  char list;           /* of EXCLUDE 'x', of REPLACE 'r' */
  bool select, from;   /* after SELECT; among FROM's items */
  bool expects_table;  /* the next token is an item of FROM */
  uint32_t betweens;   /* whose AND has not come */
  uint32_t operations; /* of sets */
  uint32_t joins;      /* of the item */
  uint32_t run, inner; /* of the segment: tokens, the deepest bracket */
  uint32_t segment;    /* the deepest of the item */
  uint32_t item;       /* the deepest of all */
} bracket;

typedef struct scanner {
  rdx_sql_source *text;
  rdx_error *err;
  bracket *brackets;
  uint32_t count, capacity; /* at least one is open, the statement's */
  rdx_token last;
  word last_word;
  uint32_t signs;   /* in a row */
  rdx_token before; /* the last token */
  rdx_token closed; /* what stood before the bracket that was closed last */
  bool star_name;   /* the next token is the name behind EXCLUDE */
  bool star;        /* the last token is the * of a list, or ends what follows it */
  char list;        /* the next bracket is this list */
  word before_last; /* the word before the last token */
  uint32_t pending; /* insertions */
  struct {
    size_t at; /* byte of the text */
    const char *what;
  } insertions[RDX_SQL_INSERTIONS];
  uint32_t group_by; /* words of GROUP BY ALL that the last token ends */
} scanner;

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static void end_segment(bracket *b) {
  b->segment = larger(b->segment, b->run + b->inner);
  b->run = b->inner = 0;
}

static void end_item(bracket *b) {
  end_segment(b);
  b->item = larger(b->item, b->joins + b->segment);
  b->joins = b->segment = b->betweens = 0;
}

static rdx_status open_bracket(scanner *s, char open) {
  RDX_TRY(rdx_reserve_one((void **)&s->brackets, s->count, &s->capacity, sizeof *s->brackets, "a statement", s->err));
  const bool table = s->count > 0 && s->brackets[s->count - 1].expects_table;
  s->brackets[s->count++] =
      (bracket){.open = open, .before = s->before, .from = table, .expects_table = table, .list = s->list};
  s->list = '\0';
  return RDX_OK;
}

static void close_bracket(scanner *s) {
  bracket *b = &s->brackets[--s->count], *outer = b - 1;
  s->closed = b->before;
  end_item(b);
  outer->inner = larger(outer->inner, b->operations + b->item + 1);
}

/* A parenthesis ends what has no END before it. */
static void close_brackets(scanner *s, char open) {
  uint32_t level = s->count - 1;
  while (level > 0 && s->brackets[level].open != open)
    level--;
  while (level > 0 && s->count > level)
    close_bracket(s);
}

static void take_word(bracket *b, word w, word last) {
  switch (w) {
  case WORD_AND:
    if (b->betweens > 0)
      b->betweens--;
    else
      end_segment(b);
    return;
  case WORD_OR:
    end_segment(b);
    return;
  case WORD_PART:
    if (b->open == 'c')
      end_segment(b);
    return;
  case WORD_BETWEEN:
    b->betweens++;
    return;
  case WORD_ATOMIC:
    b->operations++;
    return;
  case WORD_SET_OPERATION:
    end_item(b);
    b->operations++;
    b->from = false;
    return;
  case WORD_JOIN:
    end_segment(b);
    b->joins++;
    b->expects_table = b->from;
    return;
  case WORD_SELECT:
    b->select = true;
    b->from = false;
    return;
  case WORD_FROM:
    if (b->select && last != WORD_DISTINCT)
      b->from = b->expects_table = true;
    return;
  case WORD_CLAUSE:
    b->from = false;
    return;
  default:
    return;
  }
}

/* ---- Names ---- */

/* Whether what is written without quotes would go on with the word before it. */
static bool is_joined(const scanner *s, rdx_token t) {
  return t.begin > s->text->begin && continues_name(t.begin[-1]);
}

/* Write over a token of the copy what the parser reads as the name of a mark and a number. */
static rdx_status replace_name(scanner *s, rdx_token t) {
  char *copy = s->text->copy + (t.begin - s->text->begin), name[32];
  const size_t length = (size_t)(t.end - t.begin);
  const int written = snprintf(name, sizeof name, "%s" MARK "%llu", is_joined(s, t) ? " " : "",
                               (unsigned long long)(t.begin - s->text->text));
  if ((size_t)written > length)
    return rdx_sql_error(s->err, RDX_ERROR_UNSUPPORTED, s->text->text, (rdx_sql_place)(t.begin - s->text->text + 1),
                         NULL, "names of files with quotes are not supported here");
  memset(copy, ' ', length);
  memcpy(copy, name, (size_t)written);
  return RDX_OK;
}

/* FROM 'file' is what a name in double quotes is. */
static rdx_status take_file(scanner *s, rdx_token t) {
  char *copy = s->text->copy + (t.begin - s->text->begin);
  const size_t length = (size_t)(t.end - t.begin);
  if (*t.begin != '\'' || length < 3 || skip_quotes(t.begin, false) != t.end || t.end[-1] != '\'')
    return RDX_OK;
  if (length >= LONGEST_PARSED || memchr(t.begin, '"', length) || memchr(t.begin + 1, '\'', length - 2))
    return replace_name(s, t);
  copy[0] = copy[length - 1] = '"';
  return RDX_OK;
}

static rdx_status take_name(scanner *s, rdx_token t) {
  const size_t length = (size_t)(t.end - t.begin);
  if (t.kind == RDX_TOKEN_NAME && length == 2 && !is_joined(s, t) && !continues_name(*t.end)) {
    memcpy(s->text->copy + (t.begin - s->text->begin), MARK, MARK_LENGTH);
    s->text->has_empty_name = true;
    return RDX_OK;
  }
  const bool complete = t.kind == RDX_TOKEN_WORD || (*t.begin == '"' && t.end[-1] == '"');
  return length >= LONGEST_PARSED && complete ? replace_name(s, t) : RDX_OK;
}

static rdx_status read_name(const char *from, const char *end, rdx_arena *arena, const char **out, rdx_error *err) {
  char *name = NULL;
  const char quote = *from == '"' || *from == '\'' ? *from : '\0';
  RDX_TRY(rdx_arena_alloc(arena, (size_t)(end - from) + 1, 1, "a statement", (void **)&name, err));
  *out = name;
  for (from += quote != '\0'; from < end; from++) {
    if (quote && *from == quote && ++from == end)
      break;
    *name++ = quote ? *from : (char)tolower((unsigned char)*from);
  }
  *name = '\0';
  return RDX_OK;
}

rdx_status rdx_sql_text_name(const rdx_sql_source *text, const char *parsed, rdx_arena *arena, const char **out,
                             rdx_error *err) {
  const size_t length = strlen(parsed);
  if (strncmp(parsed, MARK, MARK_LENGTH) == 0) {
    char *digits = NULL;
    const unsigned long long at = strtoull(parsed + MARK_LENGTH, &digits, 10);
    const bool inside = at >= (size_t)(text->begin - text->text) && at < (size_t)(text->end - text->text);
    const char *from = inside ? text->text + at : NULL;
    if (length == MARK_LENGTH && text->has_empty_name) {
      *out = "";
      return RDX_OK;
    }
    if (length > MARK_LENGTH && *digits == '\0' && from)
      return read_name(from, rdx_token_at(from).end, arena, out, err);
  }
  return rdx_arena_text(arena, parsed, "a statement", out, err);
}

/* ---- Subqueries without names ---- */

/* Insert before byte `at` of the copy. */
static bool insert(rdx_sql_source *text, size_t at, const char *what, rdx_arena *arena) {
  const size_t length = strlen(text->copy), size = strlen(what);
  char *copy = NULL;
  if (text->insertion_count == RDX_SQL_INSERTIONS ||
      rdx_arena_alloc(arena, length + size + 1, 1, "a statement", (void **)&copy, NULL) != RDX_OK)
    return false;
  memcpy(copy, text->copy, at);
  memcpy(copy + at, what, size);
  memcpy(copy + at + size, text->copy + at, length - at + 1);
  for (uint32_t i = 0; i < text->insertion_count; i++)
    text->insertions[i].at += text->insertions[i].at >= at ? size : 0;
  text->insertions[text->insertion_count++] = (rdx_sql_insertion){at, size};
  text->copy = copy;
  return true;
}

bool rdx_sql_text_name_subquery(rdx_sql_source *text, size_t at, rdx_arena *arena) {
  char name[sizeof RDX_SQL_UNNAMED + 16];
  rdx_token t = rdx_token_at(text->copy + at);
  for (uint32_t open = 0; t.kind != RDX_TOKEN_END; t = rdx_token_at(t.end)) {
    const bool sign = t.kind == RDX_TOKEN_OTHER;
    open += sign && *t.begin == '(';
    open -= sign && *t.begin == ')' && open > 0;
    if (open == 0)
      break;
  }
  if (t.kind == RDX_TOKEN_END || *t.begin != ')')
    return false;
  if (text->unnamed > 0)
    snprintf(name, sizeof name, " " RDX_SQL_UNNAMED "_%u ", (unsigned)text->unnamed);
  else
    snprintf(name, sizeof name, " " RDX_SQL_UNNAMED " ");
  text->unnamed++;
  return insert(text, (size_t)(t.end - text->copy), name, arena);
}

size_t rdx_sql_text_offset(const rdx_sql_source *text, size_t at) {
  size_t inserted = 0;
  for (uint32_t i = 0; i < text->insertion_count; i++) {
    const rdx_sql_insertion *n = &text->insertions[i];
    inserted += n->at >= at ? 0 : n->size < at - n->at ? n->size : at - n->at;
  }
  return at - inserted;
}

/* ---- Forms of DuckDB ---- */

/* A number may begin with a point. */
static bool is_sign(const rdx_token *t, char sign) {
  return t->kind == RDX_TOKEN_OTHER && *t->begin == sign && t->end == t->begin + 1;
}

static bool is_any(const rdx_token *t, const char *const *words, size_t count) {
  bool is = false;
  for (size_t i = 0; i < count && !is; i++)
    is = rdx_token_is(t, words[i]);
  return is;
}

#define IS_ANY(token, words) is_any(token, words, RDX_COUNT(words))

/* To be inserted before a byte of the text. */
static rdx_status insert_at(scanner *s, const char *at, const char *what) {
  if (s->pending == RDX_SQL_INSERTIONS)
    return rdx_sql_error(s->err, RDX_ERROR_UNSUPPORTED, s->text->text, (rdx_sql_place)(at - s->text->text + 1), NULL,
                         "a statement has at most %d of FROM before SELECT and of QUALIFY", RDX_SQL_INSERTIONS / 2);
  s->insertions[s->pending].at = (size_t)(at - s->text->begin);
  s->insertions[s->pending++].what = what;
  return RDX_OK;
}

/* Write over a token of the copy. */
static void write_over(const scanner *s, rdx_token t, const char *what) {
  char *copy = s->text->copy + (t.begin - s->text->begin);
  memset(copy, ' ', (size_t)(t.end - t.begin));
  memcpy(copy, what, strlen(what));
}

/* Whether a * is that of a list, and no operator. */
static bool is_star(const scanner *s, rdx_token t) {
  static const char *const words[] = {"select", "distinct", "all", "returning"};
  const bool behind_on = is_sign(&s->last, ')') && rdx_token_is(&s->closed, "on");
  return is_sign(&t, '*') && (IS_ANY(&s->last, words) || is_sign(&s->last, ',') || is_sign(&s->last, '.') || behind_on);
}

/* EXCLUDE and REPLACE behind the * of a list. */
static void take_star_list(scanner *s, rdx_token t) {
  const bool was = s->star, exclude = rdx_token_is(&t, "exclude");
  bracket *b = &s->brackets[s->count - 1];
  s->star = is_star(s, t) || (b->list && is_sign(&t, ')')) || s->star_name;
  s->star_name = false;
  if (b->list == 'r' && rdx_token_is(&t, "as"))
    write_over(s, t, ",");
  if (!was || (!exclude && !rdx_token_is(&t, "replace")))
    return;
  const rdx_token next = rdx_token_at(t.end);
  s->star_name = exclude && (next.kind == RDX_TOKEN_WORD || next.kind == RDX_TOKEN_NAME);
  if (!s->star_name && !is_sign(&next, '('))
    return;
  write_over(s, t, !exclude ? "," RDX_SQL_REPLACE : s->star_name ? "," RDX_SQL_EXCLUDE "." : "," RDX_SQL_EXCLUDE);
  s->list = s->star_name ? '\0' : exclude ? 'x' : 'r';
}

/* Whether FROM may begin a query where the last token was. */
static bool begins_query(const scanner *s) {
  static const char *const makes[] = {"create", "prepare"}, *const explains[] = {"explain", "analyze", "verbose"},
                           *const all[] = {"all", "distinct"}, *const as[] = {"as", "materialized"},
                           *const trims[] = {"trim", "btrim"};
  const bracket *b = &s->brackets[s->count - 1];
  const rdx_token *last = &s->last, first = rdx_token_at(s->text->begin);
  if (is_sign(last, '('))
    return !IS_ANY(&b->before, trims);
  if (s->count == 1 && rdx_token_is(&first, "insert") && !b->select)
    return s->last_word != WORD_DISTINCT; /* of IS DISTINCT FROM */
  if (is_sign(last, ')'))
    return (!b->select && IS_ANY(&s->closed, as)) || (s->count == 1 && rdx_token_is(&s->closed, "explain"));
  return last->end == s->text->begin || s->last_word == WORD_SET_OPERATION ||
         (s->before_last == WORD_SET_OPERATION && IS_ANY(last, all)) ||
         (s->count == 1 && rdx_token_is(last, "as") && IS_ANY(&first, makes)) ||
         (s->count == 1 && rdx_token_is(&first, "explain") && IS_ANY(last, explains));
}

/* FROM before SELECT, or without one. */
static rdx_status take_from_first(scanner *s, rdx_token t) {
  bracket *b = &s->brackets[s->count - 1];
  if (rdx_token_is(&t, "from") && begins_query(s)) {
    b->select = true;
    b->operations++;
    RDX_TRY(insert_at(s, t.begin, "SELECT * "));
    b->from_first = s->pending;
  } else if (rdx_token_is(&t, "select") && b->from_first > 0) {
    s->insertions[b->from_first - 1].what = "SELECT " RDX_SQL_FROM " ";
    b->from_first = 0;
    b->reads = true;
    return insert_at(s, t.begin, "INTERSECT ");
  }
  return RDX_OK;
}

/* Whether QUALIFY is no name: it stands behind an operand, and before another one. */
static bool is_qualify(const scanner *s, rdx_token t) {
  static const char *const before[] = {"select", "distinct", "from", "join",   "where", "on",     "and", "or",
                                       "not",    "group",    "by",   "having", "as",    "in",     "is",  "like",
                                       "ilike",  "when",     "then", "else",   "case",  "between"},
                           *const behind[] = {"join",      "left",   "right", "full",        "inner",  "cross",
                                              "natural",   "where",  "group", "having",      "window", "order",
                                              "limit",     "offset", "fetch", "for",         "union",  "except",
                                              "intersect", "on",     "using", "tablesample", "is",     "in",
                                              "and",       "or",     "as",    "between",     "like",   "ilike"};
  const bracket *b = &s->brackets[s->count - 1];
  const rdx_token next = rdx_token_at(t.end);
  const bool operand = s->last.kind != RDX_TOKEN_OTHER || strchr(")]*$0123456789", *s->last.begin) ||
                       (*s->last.begin == '.' && !is_sign(&s->last, '.'));
  const bool begins =
      next.begin < s->text->end && (next.kind != RDX_TOKEN_OTHER || strchr("(+-~.$0123456789", *next.begin));
  return b->select && b->reads && !b->qualify && operand && begins && !IS_ANY(&s->last, before) &&
         !IS_ANY(&next, behind);
}

static rdx_status end_qualify(scanner *s) {
  bracket *b = &s->brackets[s->count - 1];
  const bool was = b->qualify;
  b->qualify = false;
  return was ? insert_at(s, s->last.end, ")") : RDX_OK;
}

static rdx_status take_qualify(scanner *s, rdx_token t, word w) {
  bracket *b = &s->brackets[s->count - 1];
  if (w == WORD_CLAUSE || w == WORD_SET_OPERATION || rdx_token_is(&t, "on") || rdx_token_is(&t, "returning") ||
      is_sign(&t, ')'))
    RDX_TRY(end_qualify(s));
  if (rdx_token_is(&t, "qualify") && is_qualify(s, t)) {
    write_over(s, t, "");
    b->qualify = true;
    b->operations++;
    b->from = false;
    RDX_TRY(insert_at(s, t.end,
                      b->windows ? ", " RDX_SQL_QUALIFY " AS (PARTITION BY "
                                 : " WINDOW " RDX_SQL_QUALIFY " AS (PARTITION BY "));
  }
  b->windows |= rdx_token_is(&t, "window");
  return RDX_OK;
}

/* What the parser does not know is written into the copy in words that it does. */
static rdx_status take_form(scanner *s, rdx_token t) {
  bracket *b = &s->brackets[s->count - 1];
  const bool behind_point = is_sign(&s->last, '.');
  const word w = behind_point ? WORD_NONE : find_word(t);
  take_star_list(s, t);
  if (behind_point)
    return RDX_OK;
  RDX_TRY(take_from_first(s, t));
  RDX_TRY(take_qualify(s, t, w));
  if (w == WORD_SET_OPERATION) {
    b->from_first = 0;
    b->reads = b->windows = false;
  }
  b->reads |= w == WORD_FROM && b->select && s->last_word != WORD_DISTINCT;
  return RDX_OK;
}

static rdx_status insert_all(scanner *s, rdx_arena *arena) {
  rdx_sql_source *text = s->text;
  const size_t length = strlen(text->copy);
  size_t from = 0, to = 0, more = 0;
  char *copy = NULL;
  for (uint32_t i = 0; i < s->pending; i++)
    more += strlen(s->insertions[i].what);
  if (more == 0)
    return RDX_OK;
  RDX_TRY(rdx_arena_alloc(arena, length + more + 1, 1, "a statement", (void **)&copy, s->err));
  for (uint32_t i = 0; i < s->pending; i++) {
    const size_t at = s->insertions[i].at, size = strlen(s->insertions[i].what);
    memcpy(copy + to, text->copy + from, at - from);
    to += at - from;
    memcpy(copy + to, s->insertions[i].what, size);
    text->insertions[text->insertion_count++] = (rdx_sql_insertion){to, size};
    to += size;
    from = at;
  }
  memcpy(copy + to, text->copy + from, length - from + 1);
  text->copy = copy;
  return RDX_OK;
}

/* ---- Statements ---- */

static rdx_status take_sign(scanner *s, char sign) {
  bracket *b = &s->brackets[s->count - 1];
  switch (sign) {
  case '(':
  case '[':
    return open_bracket(s, sign);
  case ')':
    close_brackets(s, '(');
    return RDX_OK;
  case ']':
    close_brackets(s, '[');
    return RDX_OK;
  case ',':
    end_item(b);
    b->expects_table = b->from;
    return RDX_OK;
  default:
    return RDX_OK;
  }
}

static rdx_status take_token(scanner *s, rdx_token t) {
  bracket *b = &s->brackets[s->count - 1];
  const bool expects_table = b->expects_table, behind_point = is_sign(&s->last, '.');
  const word w = behind_point ? WORD_NONE : find_word(t);
  const word last = s->last_word;
  s->before = s->last;
  s->before_last = last;
  s->last = t;
  s->last_word = w;
  b->run++;
  if (t.kind == RDX_TOKEN_STRING) {
    b->expects_table = false;
    return expects_table ? take_file(s, t) : RDX_OK;
  }
  if (t.kind == RDX_TOKEN_OTHER) {
    RDX_TRY(take_sign(s, *t.begin));
    s->brackets[s->count - 1].expects_table = s->brackets[s->count - 1].expects_table && strchr("(,", *t.begin);
    return RDX_OK;
  }
  b->expects_table = false;
  if (w == WORD_NONE)
    return take_name(s, t);
  if (w == WORD_CASE)
    return open_bracket(s, 'c');
  if (w == WORD_END && b->open == 'c')
    close_bracket(s);
  else
    take_word(b, w, last);
  return RDX_OK;
}

static rdx_status fail_at(const scanner *s, const char *at, const char *what) {
  return rdx_sql_error(s->err, RDX_ERROR_FORMAT, s->text->text, (rdx_sql_place)(at - s->text->text + 1), NULL, "%s",
                       what);
}

/* Signs in a row are one operator to the parser, which looks at all of them again for each that it leaves. */
static rdx_status check_operator(scanner *s, rdx_token t) {
  const bool sign = t.kind == RDX_TOKEN_OTHER && strchr("~!@#^&|`?+-*/%<>=", *t.begin);
  s->signs = !sign ? 0 : t.begin == s->last.end ? s->signs + 1 : 1;
  return s->signs > LONGEST_OPERATOR ? fail_at(s, t.begin, "the operator is too long") : RDX_OK;
}

/* Whether GROUP BY ALL ends with this token, and no expression follows, of which ALL says nothing. */
static bool ends_group_by(const scanner *s, rdx_token t) {
  static const char *const words[] = {"having", "window", "order",     "limit",   "offset", "fetch",     "for",
                                      "union",  "except", "intersect", "qualify", "on",     "returning", "with"};
  bool ends = t.begin >= s->text->end || *t.begin == ')';
  for (size_t i = 0; i < RDX_COUNT(words); i++)
    ends |= rdx_token_is(&t, words[i]);
  return ends;
}

/* GROUP BY ALL, of PostgreSQL 19, is GROUP BY () in the copy. */
static void note_group_by(scanner *s, rdx_token t) {
  static const char *const words[] = {"group", "by", "all"};
  s->group_by = rdx_token_is(&t, words[s->group_by]) ? s->group_by + 1 : rdx_token_is(&t, words[0]);
  if (s->group_by < RDX_COUNT(words))
    return;
  s->group_by = 0;
  if (ends_group_by(s, rdx_token_at(t.end)))
    memcpy(s->text->copy + (t.begin - s->text->begin), "() ", (size_t)(t.end - t.begin));
}

/* Comments are blanks in the copy, which take the parser less time. */
static rdx_status scan(scanner *s) {
  RDX_TRY(open_bracket(s, '\0'));
  s->last.end = s->text->begin;
  for (rdx_token t = rdx_token_at(s->text->begin); t.begin < s->text->end; t = rdx_token_at(t.end)) {
    memset(s->text->copy + (s->last.end - s->text->begin), ' ', (size_t)(t.begin - s->last.end));
    RDX_TRY(check_operator(s, t));
    RDX_TRY(take_form(s, t));
    RDX_TRY(take_token(s, t));
    note_group_by(s, t);
  }
  while (s->count > 1)
    close_bracket(s);
  RDX_TRY(end_qualify(s));
  end_item(s->brackets);
  s->text->levels = s->brackets->operations + s->brackets->item;
  return RDX_OK;
}

static bool ends_statement(rdx_token t) {
  return t.kind == RDX_TOKEN_END || *t.begin == ';';
}

rdx_status rdx_sql_text_scan(const char *text, rdx_arena *arena, rdx_sql_source *out, rdx_error *err) {
  rdx_token t = rdx_token_at(text);
  while (t.kind != RDX_TOKEN_END && *t.begin == ';')
    t = rdx_token_at(t.end);
  *out = (rdx_sql_source){.text = text, .begin = t.begin, .end = t.begin};
  for (; !ends_statement(t); t = rdx_token_at(t.end))
    out->end = t.end;
  while (t.kind != RDX_TOKEN_END && *t.begin == ';')
    t = rdx_token_at(t.end);
  out->next = t.begin;
  const size_t length = (size_t)(out->end - out->begin);
  scanner s = {.text = out, .err = err};
  if (t.kind == RDX_TOKEN_END && t.begin < t.end) {
    out->next = t.end;
    return fail_at(&s, t.begin, "unterminated /* comment");
  }
  if (length == 0)
    return RDX_OK;
  if (length > LONGEST_STATEMENT)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "the statement has %zu bytes; the most are %d", length,
                    LONGEST_STATEMENT);
  RDX_TRY(rdx_arena_alloc(arena, length + 1, 1, "a statement", (void **)&out->copy, err));
  memcpy(out->copy, out->begin, length);
  out->copy[length] = '\0';
  const rdx_status status = scan(&s);
  rdx_free(s.brackets);
  return status == RDX_OK ? insert_all(&s, arena) : status;
}

bool rdx_sql_text_names_file(const rdx_sql_source *copy) {
  uint32_t depth = 0;
  rdx_token k = rdx_token_at(copy->begin);
  for (; k.kind != RDX_TOKEN_END; k = rdx_token_at(k.end)) {
    if (depth == 0 && (rdx_token_is(&k, "to") || rdx_token_is(&k, "from")))
      break;
    depth += k.kind == RDX_TOKEN_OTHER && *k.begin == '(';
    depth -= k.kind == RDX_TOKEN_OTHER && *k.begin == ')';
  }
  return rdx_token_at(k.end).kind == RDX_TOKEN_STRING;
}
