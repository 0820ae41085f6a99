/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Words that nobody knows, and the known ones that are close to them. */

#include "common/common.h"

#include <string.h>

enum { LONGEST = 40 };

static uint32_t min(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

/* How many letters are put in, left out, replaced, or swapped with their neighbour, to make `b` of `a`. */
static uint32_t distance(const char *a, const char *b) {
  const size_t n = strlen(a), m = strlen(b);
  uint32_t rows[3][LONGEST + 1];
  if (n > LONGEST || m > LONGEST)
    return UINT32_MAX;
  for (size_t j = 0; j <= m; j++)
    rows[0][j] = (uint32_t)j;
  for (size_t i = 1; i <= n; i++) {
    uint32_t *row = rows[i % 3];
    const uint32_t *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = (uint32_t)i;
    for (size_t j = 1; j <= m; j++) {
      row[j] = min(min(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = min(row[j], before[j - 2] + 1);
    }
  }
  return rows[n % 3][m];
}

void console_nearest(const char *word, const char *known, console_guess *guess) {
  const size_t length = strlen(word);
  const uint32_t away = length > 1 && strncmp(word, known, length) == 0 ? 1 : distance(word, known);
  if (away > 1 + length / 4 || (guess->known && away >= guess->away))
    return;
  guess->known = known;
  guess->away = away;
}

const char *console_guess_text(const console_guess *guess, const char *prefix, char out[64]) {
  out[0] = '\0';
  if (guess->known)
    snprintf(out, 64, "; did you mean %s%.40s?", prefix, guess->known);
  return out;
}

const char *console_twice(int option, const char *value) {
  static char *given[128], wrong[100];
  if (!value)
    return NULL;
  if (!given[option])
    given[option] = strdup(value);
  if (!given[option] || strcmp(given[option], value) == 0)
    return NULL;
  snprintf(wrong, sizeof wrong, "it was given before, as %.60s: give it once", given[option]);
  return wrong;
}

int console_no_option(const char *command, char **argv, const struct option *options) {
  char letter[3] = "-", text[64];
  console_guess guess = {0};
  const char *given = argv[optind - 1];
  if (optopt >= ' ') { /* of a group such as -ab, which optind may not have passed */
    letter[1] = (char)optopt;
    given = letter;
  }
  char word[LONGEST + 1];
  snprintf(word, sizeof word, "%.*s", (int)strcspn(given, "="), given);
  for (; options->name; options++)
    console_nearest(word + strspn(word, "-"), options->name, &guess);
  return console_usage(command, "there is no option '%s'%s", given, console_guess_text(&guess, "--", text));
}
