/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Random differential runs: see usage(). */

#include "diff.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage_text[] =
    "usage: raydex-diff WHAT [--seed N] [--seconds S] [--cases N] [--case K] [--device NAME]\n"
    "  WHAT            lookups, changes, scans, joins, stars or sql\n"
    "  --seed N        another seed, other cases (the time)\n"
    "  --seconds S     end after so many seconds (10, unless --cases is there)\n"
    "  --cases N       end after so many cases\n"
    "  --case K        only case K of the seed\n"
    "  --device NAME   as of raydex (cpu)\n"
    "  --refusals N    show the first N texts of each kind of refusal\n"
    "Ends with 1 at the first answer that differs from that of the reference, and says how to see it again; with 77\n"
    "where there is no such device.\n";

static const struct {
  const char *name;
  void (*run)(void);
} subjects[] = {{"lookups", lookups_case}, {"changes", changes_case}, {"scans", scans_case},
                {"joins", joins_case},     {"stars", stars_case},     {"sql", sql_case}};

rdx_device *diff_device;
bool diff_slow;

static struct {
  size_t subject;
  uint64_t seed, number; /* of the case */
  uint64_t cases, only, wanted;
  bool one, bounded;
  double seconds;
  const char *device;
  uint64_t answers, shown;
} run = {.device = "cpu", .seconds = -1};

/* ---- Random numbers (SplitMix64) ---- */

static uint64_t state;

uint64_t draw(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

uint64_t below(uint64_t count) {
  return count ? draw() % count : 0;
}

uint64_t magnitude(uint64_t count) {
  unsigned bits = 0;
  while (bits < 63 && UINT64_C(1) << bits < count)
    bits++;
  const uint64_t x = draw() & ((UINT64_C(2) << below(bits + 1)) / 2 - 1);
  return x < count ? x : below(count);
}

bool chance(unsigned percent) {
  return below(100) < percent;
}

static void start_case(uint64_t number) {
  run.number = number;
  state = run.seed;
  state = draw() ^ number;
  state = draw() ^ run.subject;
}

/* ---- What lives until the end of a case ---- */

static struct {
  void (*destroy)(void *);
  void *object;
} * kept;
static size_t kept_count, kept_capacity;

void at_end(void (*destroy)(void *object), void *object) {
  if (kept_count == kept_capacity) {
    kept_capacity = 2 * kept_capacity + 64;
    kept = realloc(kept, kept_capacity * sizeof *kept);
    if (!kept)
      abort();
  }
  kept[kept_count].destroy = destroy;
  kept[kept_count++].object = object;
}

void *take(size_t size) {
  void *memory = malloc(size);
  if (!memory && size > 0)
    abort();
  at_end(free, memory);
  return memory;
}

/* ---- Reports ---- */

static char notes[1 << 16];
static size_t notes_length;
static struct {
  const char *name;
  rdx_column column;
} watches[64];
static size_t watch_count;

void note(const char *format, ...) {
  if (notes_length >= sizeof notes)
    return;
  va_list list;
  va_start(list, format);
  notes_length += (size_t)vsnprintf(notes + notes_length, sizeof notes - notes_length, format, list);
  va_end(list);
}

void watch(const char *name, const rdx_column *column) {
  if (watch_count < sizeof watches / sizeof *watches) {
    watches[watch_count].name = name;
    watches[watch_count++].column = *column;
  }
}

void unwatch(size_t count) {
  watch_count = count;
}

size_t watched(void) {
  return watch_count;
}

void wrong(const char *format, ...) {
  const rdx_device_info *info = rdx_device_get_info(diff_device);
  fflush(stdout);
  fprintf(stderr, "\n%s: WRONG in case %" PRIu64 " of seed %" PRIu64 " on %s\n", subjects[run.subject].name, run.number,
          run.seed, info->name);
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fprintf(stderr, "\n%.*s\n", (int)(notes_length < sizeof notes ? notes_length : sizeof notes - 1), notes);
  for (size_t i = 0; i < watch_count; i++)
    column_print(watches[i].name, &watches[i].column);
  fprintf(stderr, "again: raydex-diff %s --seed %" PRIu64 " --case %" PRIu64 " --device '%s'\n",
          subjects[run.subject].name, run.seed, run.number, run.device);
  fflush(stderr);
  _exit(1); /* what is alive would only add reports of leaks */
}

/* ---- Refusals ---- */

static struct {
  const char *what, *why;
  rdx_status status;
  uint64_t count;
} refusals[128];
static size_t refusal_kinds;

void may_refuse(refusal *r, rdx_status status, const char *why) {
  if (r->may & 1u << status)
    return;
  r->may |= 1u << status;
  r->why[status] = why;
}

void must_refuse(refusal *r, rdx_status status, const char *why) {
  r->may |= 1u << status;
  r->must |= 1u << status;
  r->why[status] = why;
}

static void count_refusal(const char *what, rdx_status status, const char *why, const char *text) {
  for (size_t i = 0; i < refusal_kinds; i++)
    if (refusals[i].status == status && !strcmp(refusals[i].why, why) && !strcmp(refusals[i].what, what)) {
      if (refusals[i].count++ < run.shown)
        fprintf(stderr, "case %" PRIu64 ": %s (%s): %s\n", run.number, what, why, text);
      return;
    }
  if (run.shown)
    fprintf(stderr, "case %" PRIu64 ": %s (%s): %s\n", run.number, what, why, text);
  if (refusal_kinds == sizeof refusals / sizeof *refusals)
    abort();
  refusals[refusal_kinds].what = what;
  refusals[refusal_kinds].why = why;
  refusals[refusal_kinds].status = status;
  refusals[refusal_kinds++].count = 1;
}

bool passed(const char *what, rdx_status status, const rdx_error *err, const refusal *r) {
  run.answers++;
  if (status == RDX_OK) {
    for (unsigned s = 0; r && r->must && s <= RDX_ERROR_INTERNAL; s++)
      if (r->must & 1u << s)
        wrong("%s: no error, though there must be one: %s", what, r->why[s]);
    return true;
  }
  if (!r || !(r->may & 1u << status))
    wrong("%s: %s: %s", what, rdx_status_name(status), err->text);
  if (!err->text[0])
    wrong("%s: %s: no text", what, rdx_status_name(status));
  count_refusal(what, status, r->why[status], err->text);
  return false;
}

/* ---- The loop ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void end_case(void) {
  while (kept_count > 0) {
    kept_count--;
    kept[kept_count].destroy(kept[kept_count].object);
  }
  notes_length = 0;
  notes[0] = '\0';
  watch_count = 0;
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
static struct sigaction handlers[4]; /* those of a sanitizer */

/* Say where, and leave it to who was there before: what faulted faults again. */
static void crashed(int number) {
  char text[160];
  const int length = snprintf(text, sizeof text, "\n%s: signal %d in case %" PRIu64 " of seed %" PRIu64 "\n",
                              subjects[run.subject].name, number, run.number, run.seed);
  if (write(2, text, (size_t)length) < 0)
    _exit(2);
  for (size_t i = 0; i < 4; i++)
    sigaction(signals[i], &handlers[i], NULL);
  if (number == SIGABRT)
    raise(number);
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = crashed};
  for (size_t i = 0; i < 4; i++)
    sigaction(signals[i], &action, &handlers[i]);
}

static void check_device(uint64_t memory) {
  rdx_device_usage usage;
  rdx_device_get_usage(diff_device, &usage);
  if (usage.validation_messages)
    wrong("the validation layer said something");
  if (usage.memory_used != memory)
    wrong("%" PRIu64 " bytes of device memory are left over", usage.memory_used - memory);
}

static void run_cases(void) {
  const bool terminal = isatty(2);
  const double start = now();
  double shown = start, slowest = 0;
  uint64_t slowest_case = 0;
  rdx_device_usage usage;
  rdx_device_get_usage(diff_device, &usage);
  for (uint64_t i = run.one ? run.only : 0;; i++) {
    const double before = now();
    if (!run.one && (run.bounded ? run.cases == run.wanted : false))
      break;
    if (!run.one && run.seconds >= 0 && before - start >= run.seconds)
      break;
    start_case(i);
    subjects[run.subject].run();
    end_case();
    check_device(usage.memory_used);
    run.cases++;
    const double after = now();
    if (after - before > slowest) {
      slowest = after - before;
      slowest_case = i;
    }
    if (terminal && after - shown > 0.5) {
      shown = after;
      fprintf(stderr, "\r%s: %" PRIu64 " cases, %.0f s ", subjects[run.subject].name, run.cases, after - start);
    }
    if (run.one)
      break;
  }
  if (terminal)
    fprintf(stderr, "\r\033[K");
  printf("%s on %s: %" PRIu64 " cases, 0 wrong, seed %" PRIu64 ", %.1f s, %" PRIu64 " calls",
         subjects[run.subject].name, rdx_device_get_info(diff_device)->name, run.cases, run.seed, now() - start,
         run.answers);
  printf(", slowest case %" PRIu64 " (%.2f s)", slowest_case, slowest);
  for (size_t i = 0; i < refusal_kinds; i++)
    printf("%s%s: %s (%s) %" PRIu64, i ? ", " : "; refused: ", refusals[i].what, refusals[i].why,
           rdx_status_name(refusals[i].status), refusals[i].count);
  printf("\n");
}

/* ---- The command line ---- */

static _Noreturn void usage(void) {
  fputs(usage_text, stderr);
  exit(2);
}

static uint64_t number(const char *text) {
  char *end;
  const uint64_t n = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end)
    usage();
  return n;
}

static void read_arguments(int argc, char **argv) {
  if (argc < 2)
    usage();
  const size_t count = sizeof subjects / sizeof *subjects;
  while (run.subject < count && strcmp(argv[1], subjects[run.subject].name) != 0)
    run.subject++;
  if (run.subject == count)
    usage();
  run.seed = (uint64_t)time(NULL);
  for (int i = 2; i < argc; i += 2) {
    if (i + 1 == argc)
      usage();
    if (!strcmp(argv[i], "--seed"))
      run.seed = number(argv[i + 1]);
    else if (!strcmp(argv[i], "--seconds"))
      run.seconds = (double)number(argv[i + 1]);
    else if (!strcmp(argv[i], "--cases"))
      run.bounded = true, run.wanted = number(argv[i + 1]);
    else if (!strcmp(argv[i], "--case"))
      run.one = true, run.only = number(argv[i + 1]);
    else if (!strcmp(argv[i], "--refusals"))
      run.shown = number(argv[i + 1]);
    else if (!strcmp(argv[i], "--device"))
      run.device = argv[i + 1];
    else
      usage();
  }
  if (!run.bounded && run.seconds < 0)
    run.seconds = 10;
}

int main(int argc, char **argv) {
  read_arguments(argc, argv);
  const char *validation = getenv("RAYDEX_VALIDATION");
  static const uint32_t threads[] = {0, 1, 3, 8}; /* of the CPU */
  const rdx_device_params params = {.validation = validation && !strcmp(validation, "1"),
                                    .threads = threads[run.seed % 4]};
  rdx_error err;
  const rdx_status status = rdx_device_open(run.device, &params, &diff_device, &err);
  if (status != RDX_OK) {
    fprintf(stderr, "raydex-diff: %s\n", err.text);
    return status == RDX_ERROR_NOT_FOUND ? 77 : 1;
  }
  diff_slow = rdx_device_get_info(diff_device)->emulated;
  if (diff_slow && rdx_device_get_info(diff_device)->tracing == RDX_TRACING_NONE) {
    fprintf(stderr, "raydex-diff: %s traces no rays; Mesa's does from 25.0 on\n",
            rdx_device_get_info(diff_device)->driver);
    rdx_device_close(&diff_device);
    return 77;
  }
  catch_signals();
  run_cases();
  rdx_device_close(&diff_device);
  free(kept);
  return 0;
}
