/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Time: when no measurement is begun any more, and how those of a suite share theirs. */

#include "bench/bench.h"

#include <string.h>

bool bench_is_over(const bench *b) {
  return b->share.counting || (b->deadline > 0 && bench_seconds() > b->deadline);
}

/* Whether an experiment that takes too long makes this measurement: the first, the last, and of the others as many,
 * evenly spread, as the time allows that those before took. */
static bool is_chosen(bench_share *s, double deadline) {
  const uint64_t left = s->points - s->asked + 1; /* with this one, which is asked for already */
  if (s->points == 0 || s->made == 0 || left <= 1)
    return true;
  const double now = bench_seconds(), each = (now - s->begin) / (double)s->made;
  const double fit = each > 0 ? (deadline - now) / each : (double)left;
  s->credit += fit < (double)left ? fit / (double)left : 1;
  if (s->credit < 1)
    return false;
  s->credit -= 1;
  return true;
}

bool bench_has_time(bench *b) {
  bench_share *s = &b->share;
  s->asked++;
  if (s->counting)
    return false;
  if (bench_is_over(b) || (b->deadline > 0 && b->options.shared && !is_chosen(s, b->deadline))) {
    b->skipped++;
    return false;
  }
  s->made++;
  return true;
}

void bench_share_time(bench *b, double end, size_t left, uint64_t points) {
  const double now = bench_seconds(), share = 2 * (end - now) / (double)left;
  b->deadline = now + share < end ? now + share : end;
  b->share = (bench_share){.points = points, .begin = now, .slow = b->options.budget / 300};
}

bool bench_was_slow(const bench *b, const char *method, const char *variant) {
  char name[160];
  snprintf(name, sizeof name, "%s/%s", method, variant);
  for (size_t i = 0; i < b->share.slow_count; i++)
    if (strcmp(b->share.slow_ones[i], name) == 0)
      return true;
  return false;
}

bool bench_is_slow(bench *b, const char *method, const char *variant, double ms) {
  bench_share *s = &b->share;
  if (s->slow <= 0 || ms < 1e3 * s->slow)
    return false;
  if (s->slow_count < sizeof s->slow_ones / sizeof *s->slow_ones)
    snprintf(s->slow_ones[s->slow_count++], sizeof *s->slow_ones, "%s/%s", method, variant);
  return true;
}
