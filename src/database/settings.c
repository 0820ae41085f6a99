/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* SET, RESET and SHOW. */

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/words.h"
#include "database/internal.h"
#include "device/device.h"
#include "table/value.h"

typedef enum setting {
  SET_METHOD,
  SET_SCAN_METHOD,
  SET_JOIN_METHOD,
  SET_OPERATORS,
  SET_TIMEOUT,
  SET_MEMORY_LIMIT,
  SET_THREADS,
  SET_DEVICE,
  SET_SEED,
} setting;

static const char *const names[] = {
    [SET_METHOD] = "method",       [SET_SCAN_METHOD] = "scan_method", [SET_JOIN_METHOD] = "join_method",
    [SET_OPERATORS] = "operators", [SET_TIMEOUT] = "timeout",         [SET_MEMORY_LIMIT] = "memory_limit",
    [SET_THREADS] = "threads",     [SET_DEVICE] = "device",           [SET_SEED] = "seed"};

/* What is meant by settings of PostgreSQL. */
static const struct {
  const char *name, *hint;
} others[] = {{"tables", "the shell lists tables: .tables"},
              {"statement_timeout", "did you mean timeout?"},
              {"work_mem", "did you mean memory_limit?"},
              {"max_parallel_workers", "did you mean threads?"},
              {"max_parallel_workers_per_gather", "did you mean threads?"},
              {"search_path", "all tables are in public"},
              {"timezone", "timestamps are in UTC"},
              {"client_encoding", "texts are UTF-8"},
              {"server_version", "version() tells it"}};

static rdx_status no_setting(const rdx_statement *s, const char *hint, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->statement;
  return rdx_sql_error(err, RDX_ERROR_NOT_FOUND, s->prepared->text, written->place, hint,
                       "there is no setting \"%.60s\"", written->name);
}

static rdx_status find_setting(const rdx_statement *s, setting *out, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->statement;
  rdx_nearest nearest = {0};
  char hint[160] =
      "there are method, scan_method, join_method, operators, timeout, memory_limit, threads, device and seed";
  for (uint32_t i = 0; i < RDX_COUNT(names); i++) {
    if (rdx_words_alike(names[i], written->name)) {
      *out = (setting)i;
      return RDX_OK;
    }
    rdx_nearest_consider(&nearest, written->name, names[i]);
  }
  for (size_t i = 0; i < RDX_COUNT(others); i++)
    if (rdx_words_alike(others[i].name, written->name))
      return no_setting(s, others[i].hint, err);
  if (nearest.word)
    snprintf(hint, sizeof hint, "did you mean %s?", nearest.word);
  return no_setting(s, hint, err);
}

/* ---- Values ---- */

typedef struct unit {
  const char *name;
  uint64_t size;
} unit;

/* A whole number with a unit, the first one where none is written. */
static bool parse(const char *text, const unit *units, size_t count, uint64_t *out) {
  char *end = NULL;
  const unsigned long long number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
  if (!end)
    return false;
  while (*end == ' ')
    end++;
  for (size_t i = 0; i < count; i++)
    if (strcasecmp(end, units[i].name) == 0 || (i == 0 && !*end))
      return !__builtin_mul_overflow((uint64_t)number, units[i].size, out);
  return false;
}

static bool parse_time(const char *text, uint64_t *out) {
  static const unit units[] = {{"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}};
  return parse(text, units, RDX_COUNT(units), out);
}

static bool parse_size(const char *text, uint64_t *out) {
  static const unit units[] = {{"B", 1},           {"K", 1 << 10},   {"kB", 1 << 10},  {"M", 1 << 20},
                               {"MB", 1 << 20},    {"G", 1 << 30},   {"GB", 1 << 30},  {"T", 1ull << 40},
                               {"TB", 1ull << 40}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
                               {"TiB", 1ull << 40}};
  return parse(text, units, RDX_COUNT(units), out);
}

/* ---- Methods ---- */

static const char *const filter_names[] = {[RDX_FILTER_EVALUATION] = "evaluation", [RDX_FILTER_INDEX] = "index"};

static rdx_status change_filter(rdx_settings *out, const char *value, rdx_error *err) {
  out->scan = (rdx_scan_params){0};
  out->filter = RDX_FILTER_AUTO;
  if (!value)
    return RDX_OK;
  for (rdx_filter_method m = RDX_FILTER_EVALUATION; m <= RDX_FILTER_INDEX; m++)
    if (strcmp(value, filter_names[m]) == 0)
      out->filter = m;
  if (out->filter != RDX_FILTER_AUTO)
    return RDX_OK;
  out->filter = RDX_FILTER_SCAN;
  if (rdx_scan_method_from_name(value, &out->scan.method, err) == RDX_OK)
    return RDX_OK;
  const rdx_error why = *err;
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "%s; and evaluation and index", why.text);
}

static rdx_status change_star_method(rdx_settings *out, const char *value, rdx_error *err) {
  if (rdx_star_method_from_name(value, &out->star.method, err) == RDX_OK)
    return RDX_OK;
  const rdx_error why = *err;
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "%s; scans have scan_method, joins join_method", why.text);
}

static const char *const place_names[] = {
    [RDX_OPERATORS_AUTO] = "auto", [RDX_OPERATORS_HOST] = "host", [RDX_OPERATORS_DEVICE] = "device"};

static rdx_status change_operators(rdx_settings *out, const char *value, rdx_error *err) {
  for (uint32_t i = 0; i < RDX_COUNT(place_names); i++)
    if (strcmp(value ? value : "auto", place_names[i]) == 0) {
      out->operators = (rdx_operators_place)i;
      return RDX_OK;
    }
  return rdx_fail(err, RDX_ERROR_NOT_FOUND, "operators run on 'host' or 'device', or 'auto', not on '%.60s'", value);
}

/* The value of a setting, NULL for the default, as it is in `out`. */
static rdx_status change_method(rdx_settings *out, setting which, const char *value, rdx_error *err) {
  switch (which) {
  case SET_METHOD:
    out->star = (rdx_star_params){0};
    out->insist = value != NULL;
    return value ? change_star_method(out, value, err) : RDX_OK;
  case SET_SCAN_METHOD:
    return change_filter(out, value, err);
  case SET_OPERATORS:
    return change_operators(out, value, err);
  default:
    out->join = (rdx_index_params){0};
    return value ? rdx_index_method_from_name(value, &out->join.method, err) : RDX_OK;
  }
}

static rdx_status set_method(rdx_database *d, setting which, const char *value, rdx_error *err) {
  RDX_LOCKED(&d->lock);
  rdx_settings changed = d->settings;
  RDX_TRY(change_method(&changed, which, value, err));
  d->settings = changed;
  d->settings_version++;
  return RDX_OK;
}

/* ---- What statements may take ---- */

static rdx_status set_timeout(rdx_database *d, const char *value, rdx_error *err) {
  uint64_t ms = 0;
  if (value && !parse_time(value, &ms))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "'%.60s' is no time: write milliseconds, or '2s', '5min'; 0 is none",
                    value);
  atomic_store(&d->timeout_ms, ms);
  return RDX_OK;
}

static rdx_status set_memory_limit(rdx_database *d, const char *value, rdx_error *err) {
  uint64_t bytes = d->memory_limit;
  if (value && !parse_size(value, &bytes))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "'%.60s' is no size: write '500MB', '2GB'; 0 is none", value);
  atomic_store(&d->device->memory_limit, bytes);
  return RDX_OK;
}

static rdx_status set_threads(rdx_database *d, const char *value, rdx_error *err) {
  static const unit one = {"", 1};
  const uint64_t max = rdx_pool_threads(d->pool);
  uint64_t threads = max;
  if (value && (!parse(value, &one, 1, &threads) || threads == 0 || threads > max))
    return rdx_fail(err, RDX_ERROR_ARGUMENT,
                    "threads is a number from 1 to %llu, those that the device was opened with",
                    (unsigned long long)max);
  rdx_pool_limit(d->pool, (uint32_t)threads);
  return RDX_OK;
}

/* ---- random() ---- */

void rdx_seed_anew(rdx_database *d) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  atomic_store(&d->random,
               (((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec) + (uint64_t)getpid()) * 0x9e3779b97f4a7c15u);
}

static rdx_status set_seed(rdx_database *d, const char *value, rdx_error *err) {
  double seed = 0;
  uint64_t bits;
  if (!value) {
    rdx_seed_anew(d);
    return RDX_OK;
  }
  if (rdx_value_parse(RDX_TYPE_F64, 0, value, strlen(value), &seed) != RDX_PARSE_OK || !(seed >= -1 && seed <= 1))
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "seed is a number from -1 to 1, not '%.60s'", value);
  memcpy(&bits, &seed, sizeof bits);
  atomic_store(&d->random, bits * 0x9e3779b97f4a7c15u);
  return RDX_OK;
}

static rdx_status set_any(rdx_database *d, setting which, const char *value, rdx_error *err) {
  switch (which) {
  case SET_TIMEOUT:
    return set_timeout(d, value, err);
  case SET_MEMORY_LIMIT:
    return set_memory_limit(d, value, err);
  case SET_THREADS:
    return set_threads(d, value, err);
  case SET_SEED:
    return set_seed(d, value, err);
  case SET_DEVICE:
    if (!value || rdx_words_alike(value, d->device->info.name))
      return RDX_OK;
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED,
                    "a database stays on the device that it was opened on: start raydex with --device");
  default:
    return set_method(d, which, value, err);
  }
}

static rdx_status reset_all(rdx_database *d, rdx_error *err) {
  for (uint32_t i = 0; i < RDX_COUNT(names); i++)
    RDX_TRY(set_any(d, (setting)i, NULL, err));
  return RDX_OK;
}

rdx_status rdx_run_set(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  const rdx_sql_statement *written = s->prepared->statement;
  setting which;
  rdx_error why = {""};
  snprintf(answer->tag, sizeof answer->tag, "%s", written->value ? "SET" : "RESET");
  if (!written->value && rdx_words_alike(written->name, "all"))
    return reset_all(s->database, err);
  RDX_TRY(find_setting(s, &which, err));
  const char *value = written->value && rdx_words_alike(written->value, "auto") ? NULL : written->value;
  const rdx_status status = set_any(s->database, which, value, &why);
  if (status != RDX_OK)
    return rdx_sql_error(err, status == RDX_ERROR_UNSUPPORTED ? status : RDX_ERROR_ARGUMENT, s->prepared->text,
                         written->place, NULL, "%s", why.text);
  return RDX_OK;
}

/* ---- SHOW ---- */

static void show(rdx_database *d, setting which, char *out, size_t size) {
  char bytes[32];
  pthread_mutex_lock(&d->lock);
  const rdx_settings now = d->settings;
  pthread_mutex_unlock(&d->lock);
  const uint64_t timeout = atomic_load(&d->timeout_ms), limit = atomic_load(&d->device->memory_limit);
  switch (which) {
  case SET_METHOD:
    snprintf(out, size, "%s", rdx_star_method_name(now.star.method));
    return;
  case SET_SCAN_METHOD:
    snprintf(out, size, "%s",
             now.filter == RDX_FILTER_AUTO || now.filter == RDX_FILTER_SCAN ? rdx_scan_method_name(now.scan.method)
                                                                            : filter_names[now.filter]);
    return;
  case SET_JOIN_METHOD:
    snprintf(out, size, "%s", rdx_index_method_name(now.join.method));
    return;
  case SET_OPERATORS:
    snprintf(out, size, "%s", place_names[now.operators]);
    return;
  case SET_TIMEOUT:
    snprintf(out, size, timeout > 0 ? "%llums" : "none", (unsigned long long)timeout);
    return;
  case SET_MEMORY_LIMIT:
    snprintf(out, size, "%s", limit > 0 ? rdx_format_bytes(limit, bytes) : "none");
    return;
  case SET_THREADS:
    snprintf(out, size, "%u", rdx_pool_limited(d->pool));
    return;
  case SET_DEVICE:
    snprintf(out, size, "%s", d->device->info.name);
    return;
  case SET_SEED:
    snprintf(out, size, "unavailable");
    return;
  }
}

rdx_status rdx_run_show(rdx_statement *s, rdx_answer *answer, rdx_error *err) {
  setting which;
  char value[300], *line = value;
  RDX_TRY(find_setting(s, &which, err));
  show(s->database, which, value, sizeof value);
  answer->stats.rows = 1;
  snprintf(answer->tag, sizeof answer->tag, "SHOW");
  return rdx_lines_table(names[which], &line, 1, &answer->table, err);
}
