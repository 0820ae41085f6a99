/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What measurements say of the papers' figures: of each claim two results are compared, as docs/figures.md has them. */

#include "bench/bench.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

typedef enum measure { LOOKUPS, PER_BYTE, BYTES, PEAK, BANDWIDTH, BUILD, TRACE, SCAN, SHARE, SELECTED, ANSWER } measure;

#define CLEAR 1.25       /* times and rates that differ by less decide nothing */
#define CLEAR_BYTES 1.02 /* bytes do not vary */

static const struct {
  const char *metric, *unit;
  double clear;
  bool more; /* more is ahead, else less */
} measures[] = {[LOOKUPS] = {"lookup_ms", "Ml/s", CLEAR, true},
                [PER_BYTE] = {"rate_per_byte", "Ml/s by B/key", CLEAR, true},
                [BYTES] = {"bytes_resident", "bytes a row", CLEAR_BYTES, false},
                [PEAK] = {"bytes_peak", "bytes a row", CLEAR_BYTES, false},
                [BANDWIDTH] = {"gb_per_s", "GB/s", CLEAR, false},
                [BUILD] = {"build_ms", "ms", CLEAR, false},
                [TRACE] = {"trace_ms", "ms", CLEAR, false},
                [SCAN] = {"scan_ms", "ms", CLEAR, false},
                [SHARE] = {"share", "%", CLEAR, true},
                [SELECTED] = {"selectivity", "%", CLEAR, true},
                [ANSWER] = {"answer_ms", "ms", CLEAR, false}};

/* Which of a series' results: that of the least or the largest parameter. */
typedef enum end { LOW, HIGH } end;

typedef struct side {
  const char *method, *variant; /* the variant is a pattern: where sizes are part of it */
  end end;
  const char *keys; /* NULL: any */
} side;

/* What an experiment says: one result is ahead of another, rays are ahead of another method, or two are alike. */
typedef struct claim {
  const char *figure, *text, *experiment;
  measure measure;
  enum { AHEAD, RAYS, ALIKE } what;
  side one, other;
} claim;

#define P "published"
#define SORTED "published, sorted probes"

/* clang-format off */
static const claim claims[] = {
    {"**RTIndeX** 3a", "extended keys collapse as they become more, 3D keys do not",
     "rx-key-modes", LOOKUPS, AHEAD, {"rx", "3d", HIGH, NULL}, {"rx", "extended", HIGH, NULL}},
    {"3b", "the same by stride",
     "rx-stride", LOOKUPS, AHEAD, {"rx", "3d", HIGH, NULL}, {"rx", "extended", HIGH, NULL}},
    {"6", "perpendicular rays are the fastest for points",
     "rx-point-rays", LOOKUPS, AHEAD, {"rx", "3d perpendicular", HIGH, NULL}, {"rx", "3d from zero", HIGH, NULL}},
    {"Table 3", "rays from an offset beat those from zero",
     "rx-range-rays", LOOKUPS, AHEAD, {"rx", "from offset", HIGH, NULL}, {"rx", "from zero", HIGH, NULL}},
    {"7", "triangles are faster than boxes",
     "rx-primitives", LOOKUPS, AHEAD, {"rx", "triangle", HIGH, NULL}, {"rx", "box", HIGH, NULL}},
    {"8", "bits in z cost time: 23+23+18 before 18+23+23",
     "rx-decomposition", LOOKUPS, AHEAD, {"rx", "23+23+18", HIGH, "U64"}, {"rx", "18+23+23", HIGH, "U64"}},
    {"9", "ranges want the bits in x",
     "rx-decomposition-range", LOOKUPS, AHEAD, {"rx", "*+0+0", HIGH, NULL}, {"rx", "0+*[0-9]", HIGH, NULL}},
    {"Table 4", "refits are cheaper than rebuilds",
     "rx-updates", BUILD, AHEAD, {"rx", "refit neighbours", LOW, NULL}, {"rx", "rebuild", LOW, NULL}},
    {"Table 4", "swaps of positions ruin lookups",
     "rx-updates", LOOKUPS, AHEAD, {"rx", "refit positions", LOW, NULL}, {"rx", "refit positions", HIGH, NULL}},
    {"Table 4", "swaps of neighbours do not",
     "rx-updates", LOOKUPS, ALIKE, {"rx", "refit neighbours", LOW, NULL}, {"rx", "refit neighbours", HIGH, NULL}},
    {"10a", "RX keeps up with the sorted array",
     "rx-lookups", LOOKUPS, RAYS, {"rx", P, HIGH, NULL}, {"sorted_array", "", HIGH, NULL}},
    {"10b", "of few keys RX is faster than the B+-tree",
     "rx-build-size", LOOKUPS, RAYS, {"rx", P, LOW, NULL}, {"btree", "", LOW, NULL}},
    {"10c", "RX takes longer to build than the B+-tree",
     "rx-build-time", BUILD, AHEAD, {"btree", "", HIGH, NULL}, {"rx", P, HIGH, NULL}},
    {"Table 6", "RX takes more memory than the B+-tree",
     "rx-memory", BYTES, AHEAD, {"btree", "", HIGH, "U32"}, {"rx", P, HIGH, "U32"}},
    {"11", "with many rows of a key RX is faster than the sorted array",
     "rx-multiplicity", LOOKUPS, RAYS, {"rx", P, HIGH, NULL}, {"sorted_array", "", HIGH, NULL}},
    {"12", "sorted lookups of sorted keys are faster",
     "rx-order", LOOKUPS, AHEAD, {"rx", P, HIGH, NULL}, {"rx", P, LOW, NULL}},
    {"13", "many small batches cost",
     "rx-batches", LOOKUPS, AHEAD, {"rx", P, LOW, NULL}, {"rx", P, HIGH, NULL}},
    {"14", "RX gains by misses between keys",
     "rx-hit-rate", LOOKUPS, AHEAD, {"rx", P, LOW, NULL}, {"rx", P, HIGH, NULL}},
    {"4.6", "and by misses outside of the keys",
     "rx-hit-rate-outside", LOOKUPS, AHEAD, {"rx", P, LOW, NULL}, {"rx", P, HIGH, NULL}},
    {"15a", "RX is as fast with 64-bit keys as with 32",
     "rx-key-size", LOOKUPS, ALIKE, {"rx", P, HIGH, "U64"}, {"rx", P, LOW, "U32"}},
    {"15b", "and as large",
     "rx-key-size", BYTES, ALIKE, {"rx", P, HIGH, "U64"}, {"rx", P, LOW, "U32"}},
    {"16", "skew helps RX",
     "rx-skew", LOOKUPS, AHEAD, {"rx", P, HIGH, NULL}, {"rx", P, LOW, NULL}},
    {"16", "of much skew RX is faster than the B+-tree",
     "rx-skew", LOOKUPS, RAYS, {"rx", P, HIGH, NULL}, {"btree", "", HIGH, NULL}},
    {"4.8", "skewed keys do not matter to RX",
     "rx-key-skew", LOOKUPS, ALIKE, {"rx", P, HIGH, NULL}, {"rx", P, LOW, NULL}},
    {"17", "RX loses with the hits of a range, to the sorted array",
     "rx-range", LOOKUPS, AHEAD, {"sorted_array", "", HIGH, NULL}, {"rx", P, HIGH, NULL}},

    {"**cgRX** 8", "scaling helps 64-bit keys",
     "cgrx-mapping", LOOKUPS, AHEAD, {"cgrx", "scaled, published", LOW, "U64"},
     {"cgrx", "plain, published", LOW, "U64"}},
    {"8", "the optimized representation is smaller",
     "cgrx-mapping", BYTES, AHEAD, {"cgrx", "scaled, published", LOW, "U64"},
     {"cgrx_naive", "scaled, published", LOW, "U64"}},
    {"Table 1", "binary search beats linear search in large buckets",
     "cgrx-bucket-search", LOOKUPS, AHEAD, {"cgrx", "binary packed, published", HIGH, NULL},
     {"cgrx", "linear packed, published", HIGH, NULL}},
    {"Table 1", "packed rows beat columns",
     "cgrx-bucket-search", LOOKUPS, AHEAD, {"cgrx", "binary packed, published", HIGH, NULL},
     {"cgrx", "binary column, published", HIGH, NULL}},
    {"10a", "larger buckets are built faster",
     "cgrx-bucket-size", BUILD, AHEAD, {"cgrx", P, HIGH, "U64"}, {"cgrx", P, LOW, "U64"}},
    {"10a", "memory falls with the bucket size",
     "cgrx-bucket-size", BYTES, AHEAD, {"cgrx", P, HIGH, "U64"}, {"cgrx", P, LOW, "U64"}},
    {"10b", "rays get cheaper with the bucket size",
     "cgrx-bucket-size", TRACE, AHEAD, {"cgrx", P, HIGH, "U64"}, {"cgrx", P, LOW, "U64"}},
    {"11a", "cgRX takes less memory than RX",
     "cgrx-memory", BYTES, AHEAD, {"cgrx", P, HIGH, "U32"}, {"rx", P, HIGH, "U32"}},
    {"11b", "cgRX keeps up with the B+-tree",
     "cgrx-memory", LOOKUPS, RAYS, {"cgrx", P, HIGH, "U32"}, {"btree", "", HIGH, "U32"}},
    {"11c", "a byte of cgRX answers more than one of RX",
     "cgrx-memory", PER_BYTE, AHEAD, {"cgrx", P, HIGH, "U32"}, {"rx", P, HIGH, "U32"}},
    {"11c", "and than one of the B+-tree",
     "cgrx-memory", PER_BYTE, RAYS, {"cgrx", P, HIGH, "U32"}, {"btree", "", HIGH, "U32"}},
    {"12", "cgRX beats RX at ranges",
     "cgrx-range", LOOKUPS, AHEAD, {"cgrx", P, HIGH, NULL}, {"rx", P, HIGH, NULL}},
    {"13", "cgRX does not gain by misses between keys",
     "cgrx-hit-rate", LOOKUPS, ALIKE, {"cgrx", P, LOW, "U32"}, {"cgrx", P, HIGH, "U32"}},
    {"13", "cgRX gains by misses outside of the keys",
     "cgrx-hit-rate", LOOKUPS, AHEAD, {"cgrx", P, LOW, "D32"}, {"cgrx", P, HIGH, "D32"}},
    {"14", "skew helps cgRX",
     "cgrx-skew", LOOKUPS, AHEAD, {"cgrx", P, HIGH, NULL}, {"cgrx", P, LOW, NULL}},
    {"15", "a batch is cheaper than a rebuild",
     "cgrx-updates", BUILD, AHEAD, {"cgrx_updatable", "batch, published", LOW, NULL},
     {"cgrx", "rebuild, published", LOW, NULL}},

    {"**optimized RX** 5.5", "the revised range lookup is faster",
     "thesis-range", LOOKUPS, AHEAD, {"rx_optimized", "revised, published", HIGH, NULL},
     {"rx", "original, published", HIGH, NULL}},
    {"5.6, 5.10", "one triangle for each distinct key is faster",
     "thesis-compression", LOOKUPS, AHEAD, {"rx_optimized", "compressed, published", HIGH, NULL},
     {"rx", P, HIGH, NULL}},
    {"5.7", "many parts do not slow lookups",
     "thesis-partitions", LOOKUPS, ALIKE, {"rx_optimized", "triangles", HIGH, NULL},
     {"rx_optimized", "triangles", LOW, NULL}},
    {"5.8", "parts lower the peak of a build",
     "thesis-partitions", PEAK, AHEAD, {"rx_optimized", "triangles", HIGH, NULL},
     {"rx_optimized", "triangles", LOW, NULL}},
    {"5.9", "many parts lengthen builds",
     "thesis-partitions", BUILD, AHEAD, {"rx_optimized", "triangles", LOW, NULL},
     {"rx_optimized", "triangles", HIGH, NULL}},
    {"5.11", "compression is a small part of the build",
     "thesis-compression", BUILD, ALIKE, {"rx_optimized", "compressed, published", LOW, NULL},
     {"rx_optimized", "all triangles, published", LOW, NULL}},
    {"5.12", "sorting the probes pays at points",
     "thesis-sorted-probes", LOOKUPS, AHEAD, {"rx_optimized", SORTED, HIGH, "U32"}, {"rx_optimized", P, HIGH, "U32"}},
    {"5.13", "and at ranges",
     "thesis-sorted-probes", LOOKUPS, AHEAD, {"rx_optimized", SORTED, HIGH, "D32"}, {"rx_optimized", P, HIGH, "D32"}},
    {"5.14", "inverse mapping is faster where keys are more than probes",
     "join-inverse", LOOKUPS, AHEAD, {"rx_optimized", "inverse, published", LOW, NULL},
     {"rx_optimized", "direct, published", LOW, NULL}},
    {"5.15 to 5.18", "the optimized RX keeps up with the hash table",
     "thesis-sizes", LOOKUPS, RAYS, {"rx_optimized", SORTED, HIGH, NULL}, {"hash", "sorted probes", HIGH, NULL}},
    {"5.19", "of many probes it is faster than the B+-tree",
     "thesis-lookups", LOOKUPS, RAYS, {"rx_optimized", SORTED, HIGH, "U32"}, {"btree", "sorted probes", HIGH, "U32"}},
    {"5.20", "and with many rows of each key than the hash table",
     "thesis-multiplicity", LOOKUPS, RAYS, {"rx_optimized", SORTED, HIGH, NULL}, {"hash", "sorted probes", HIGH, NULL}},
    {"5.21", "and with keys that are not dense",
     "thesis-uniformity", LOOKUPS, RAYS, {"rx_optimized", SORTED, HIGH, NULL}, {"hash", "sorted probes", HIGH, NULL}},
    {"5.22", "and of misses alone",
     "thesis-misses", LOOKUPS, RAYS, {"rx_optimized", SORTED, LOW, "U32"}, {"hash", "sorted probes", LOW, "U32"}},
    {"5.23", "of much skew cgRX is faster than it",
     "thesis-skew", LOOKUPS, AHEAD, {"cgrx", "bucket 32, published, sorted probes", HIGH, NULL},
     {"rx_optimized", SORTED, HIGH, NULL}},
    {"5.24", "at ranges it is faster than the B+-tree",
     "thesis-lookups", LOOKUPS, RAYS, {"rx_optimized", SORTED, HIGH, "D32"}, {"btree", "sorted probes", HIGH, "D32"}},
    {"5.25", "and at ranges of many hits",
     "thesis-hits", LOOKUPS, RAYS, {"rx_optimized", SORTED, HIGH, NULL}, {"btree", "sorted probes", HIGH, NULL}},

    {"**RTScan** 2", "on one column RTc1 is faster than RTIndeX",
     "rtscan-column", SCAN, AHEAD, {"rtc1", P, HIGH, NULL}, {"rtindex", "", HIGH, NULL}},
    {"2", "and BinDex than RTc1",
     "rtscan-column", SCAN, AHEAD, {"bindex", "", HIGH, NULL}, {"rtc1", P, HIGH, NULL}},
    {"4, 15", "RTScan is faster than RTc3 at high selectivity",
     "rtscan-selectivity", SCAN, AHEAD, {"rtscan", P, HIGH, NULL}, {"rtc3", P, HIGH, NULL}},
    {"5, 16", "and over skewed columns",
     "rtscan-skew", SCAN, AHEAD, {"rtscan", P, HIGH, "zipf1.1"}, {"rtc3", P, HIGH, "zipf1.1"}},
    {"6", "RTc3 is slower over columns of few values",
     "rtscan-small", SCAN, AHEAD, {"rtc3", P, HIGH, "uniform"}, {"rtc3", P, HIGH, "2^6"}},
    {"17", "RTScan refines longer than it sieves",
     "rtscan-stages", SHARE, AHEAD, {"rtscan", "published, refine", LOW, "uniform"},
     {"rtscan", "published, sieve", LOW, "uniform"}},
    {"18", "RTScan takes longer to build than BinDex",
     "rtscan-build", BUILD, AHEAD, {"bindex", "", HIGH, "zipf1.5"}, {"rtscan", P, HIGH, "zipf1.5"}},
    {"18", "and more memory than RTIndeX",
     "rtscan-build", BYTES, AHEAD, {"rtindex", "", HIGH, "zipf1.5"}, {"rtscan", P, HIGH, "zipf1.5"}},
    {"19", "RTScan is faster than BinDex",
     "rtscan-selectivity", SCAN, RAYS, {"rtscan", P, HIGH, NULL}, {"bindex", "", HIGH, NULL}},
    {"19", "RTScan is faster than a B+-tree",
     "rtscan-selectivity", SCAN, AHEAD, {"rtscan", P, HIGH, NULL}, {"btree_scan", P, HIGH, NULL}},
    {"20", "RTScan is faster than BinDex over skewed columns",
     "rtscan-skew", SCAN, RAYS, {"rtscan", P, HIGH, "zipf1.1"}, {"bindex", "", HIGH, "zipf1.1"}},
    {"21", "and at TPC-H's Q3",
     "rtscan-tpch", SCAN, RAYS, {"rtscan", P, HIGH, "tpch-q3"}, {"bindex", "", HIGH, "tpch-q3"}},
    {"22 to 24", "and over one to four columns: four",
     "rtscan-predicates", SCAN, RAYS, {"rtscan", P, HIGH, NULL}, {"bindex", "", HIGH, NULL}},
    {"25", "the encoding helps skewed columns",
     "rtscan-encoding", SCAN, AHEAD, {"rtscan", P, HIGH, "zipf1.1"},
     {"rtscan", "published, no encoding", HIGH, "zipf1.1"}},
    {"26", "and columns of few values",
     "rtscan-encoding", SCAN, AHEAD, {"rtscan", P, HIGH, "2^6"}, {"rtscan", "published, no encoding", HIGH, "2^6"}},
    {"27", "negative selection helps above the middle between vectors",
     "rtscan-selection", SCAN, AHEAD, {"rtscan", P, HIGH, NULL}, {"rtscan", "published, positive only", HIGH, NULL}},
    {"28", "more vectors leave less to refine",
     "rtscan-vectors", SCAN, AHEAD, {"rtscan", "published, 128", HIGH, NULL}, {"rtscan", "published, 32", HIGH, NULL}},
    {"29", "short rays cost: 1 and 1/4 of a cube's width",
     "rtscan-rays", SCAN, AHEAD, {"rtscan", "published, I 1, S 1", HIGH, NULL},
     {"rtscan", "published, I 0.25, S 1", HIGH, NULL}},
    {"29", "spacing helps",
     "rtscan-rays", SCAN, AHEAD, {"rtscan", "published, I 1, S 1", HIGH, NULL},
     {"rtscan", "published, I 1, S 0", HIGH, NULL}},

    {"**RTCUDB** 11, 12", "RTCUDB is faster than the column engine: the first query",
     "rtcudb-queries", ANSWER, RAYS, {"rt_cube", P, LOW, NULL}, {"column", "flat", LOW, NULL}},
    {"11, 12", "and the last",
     "rtcudb-queries", ANSWER, RAYS, {"rt_cube", P, HIGH, NULL}, {"column", "flat", HIGH, NULL}},
    {"11, 12", "the cube of ranks, ours, is faster than the column engine: the first query",
     "rtcudb-queries", ANSWER, RAYS, {"rt_cube", "", LOW, NULL}, {"column", "flat", LOW, NULL}},
    {"11, 12", "and the last",
     "rtcudb-queries", ANSWER, RAYS, {"rt_cube", "", HIGH, NULL}, {"column", "flat", HIGH, NULL}},
    {"Table 1", "the first query selects as many rows as published",
     "rtcudb-selectivity", SELECTED, ALIKE, {"column", "", LOW, NULL}, {"RTCUDB", "", LOW, NULL}},
    {"3", "the column engine takes nearly all of the memory's bandwidth",
     "rtcudb-bandwidth", BANDWIDTH, ALIKE, {"column", "flat", LOW, NULL}, {"read", "", LOW, NULL}},
    {"13", "RTCUDB takes less of the memory's bandwidth than the column engine",
     "rtcudb-bandwidth", BANDWIDTH, AHEAD, {"rt_cube", P, LOW, NULL}, {"column", "flat", LOW, NULL}},
    {"14", "rays for the entire query are faster than for its scan alone",
     "rtcudb-one-job", ANSWER, AHEAD, {"rt_cube", P, LOW, NULL}, {"rt_cube", "published, after RTScan", LOW, NULL}},
    {"15", "scan attributes are faster in one coordinate",
     "rtcudb-scan-encoding", ANSWER, AHEAD, {"rt_cube", P, LOW, NULL}, {"rt_cube", "published, split scan", LOW, NULL}},
    {"16", "group attributes are",
     "rtcudb-group-encoding", ANSWER, AHEAD, {"rt_cube", P, HIGH, NULL},
     {"rt_cube", "published, split group", HIGH, NULL}},
    {"6.2", "copies of the sum lessen contention",
     "rtcudb-contention", ANSWER, AHEAD, {"rt_cube", "published, 256 accumulators", LOW, NULL},
     {"rt_cube", "published, one accumulator", LOW, NULL}},
};
/* clang-format on */

static bool is_of(const char *device, const bench_row *row, const claim *c, const side *s) {
  const bool ours = strcmp(row->device, device) == 0 || strcmp(row->device, "published") == 0;
  return ours && strcmp(row->experiment, c->experiment) == 0 && strcmp(row->metric, measures[c->measure].metric) == 0 &&
         strcmp(row->method, s->method) == 0 && fnmatch(s->variant, row->variant, 0) == 0 &&
         (!s->keys || strcmp(row->keys, s->keys) == 0);
}

/* Whether two results may be compared: at the same place, unless the claim is about two. */
static bool are_comparable(const claim *c, const bench_row *a, const bench_row *b) {
  const bool alike = (c->one.keys && c->other.keys) || strcmp(a->keys, b->keys) == 0;
  if (c->one.end != c->other.end)
    return c->one.keys || alike;
  return alike && strcmp(a->parameter, b->parameter) == 0 && a->value == b->value && a->rows == b->rows &&
         a->probes == b->probes;
}

/* Whether a result is further towards its end of the series. Values below 0 order names. */
static bool is_further(const bench_row *a, const bench_row *b, end at) {
  const double more = fabs(a->value) - fabs(b->value);
  const bool beyond = more != 0 ? more > 0 : a->probes > b->probes;
  return at == HIGH ? beyond : !beyond && (more != 0 || a->probes != b->probes);
}

/* The two results of a claim in a report; false: not both were measured. */
static bool find(const bench_report *report, const char *device, const claim *c, const bench_row **one,
                 const bench_row **other) {
  const size_t count = bench_report_count(report);
  *one = *other = NULL;
  for (size_t i = 0; i < count; i++) {
    const bench_row *a = bench_report_row(report, i);
    for (size_t k = 0; k < count && is_of(device, a, c, &c->one); k++) {
      const bench_row *b = bench_report_row(report, k);
      if (!is_of(device, b, c, &c->other) || !are_comparable(c, a, b))
        continue;
      if (!*one || is_further(a, *one, c->one.end) || (a == *one && is_further(b, *other, c->other.end))) {
        *one = a;
        *other = b;
      }
    }
  }
  return *one != NULL;
}

/* Lookups a second, in millions; bytes a row; else as measured: of the fastest run. */
static double value_of(const bench_row *row, measure m) {
  const double divisor = m == BYTES || m == PEAK ? (double)row->rows : 1;
  return m == LOOKUPS ? (double)row->probes / row->min / 1e3 : measures[m].more ? row->max : row->min / divisor;
}

static const char *verdict_of(const claim *c, double one, double other) {
  const double times = measures[c->measure].more ? one / other : other / one, clear = measures[c->measure].clear;
  if (!isfinite(times) || times <= 0) /* too short to be measured */
    return "undecided";
  if (c->what == ALIKE)
    return times < CLEAR && times * CLEAR > 1 ? "holds" : "does not hold";
  return times >= clear ? "holds" : times * clear > 1 ? "undecided" : c->what == RAYS ? "rays lose" : "does not hold";
}

/* Three digits, of large numbers all before the point. */
static const char *number(double value, char out[32]) {
  snprintf(out, 32, value >= 1000 ? "%.0f" : "%.3g", value);
  return out;
}

/* What the last of the reports that has both results of the claim says of it. */
static void print_verdict(bench_report *const *reports, size_t count, const char *device, const claim *c) {
  const bench_row *one, *other;
  while (count > 0 && !find(reports[count - 1], device, c, &one, &other))
    count--;
  if (count == 0) {
    printf(" not measured |");
    return;
  }
  char a[32], b[32], at[BENCH_PLACE], to[BENCH_PLACE];
  const double x = value_of(one, c->measure), y = value_of(other, c->measure);
  bench_place(one->parameter, one->value, at);
  bench_place(other->parameter, other->value, to);
  printf(" %s: %s and %s %s, %s%s%s |", verdict_of(c, x, y), number(x, a), number(y, b), measures[c->measure].unit, at,
         strcmp(at, to) == 0 ? "" : " and ", strcmp(at, to) == 0 ? "" : to);
}

/* Add the devices of a report that are not known yet, but for published results; how many there are then. */
static size_t add_devices(const bench_report *report, const char **devices, size_t count, size_t max) {
  for (size_t i = 0; i < bench_report_count(report) && count < max; i++) {
    const char *device = bench_report_row(report, i)->device;
    bool known = strcmp(device, "published") == 0;
    for (size_t k = 0; k < count && !known; k++)
      known = strcmp(devices[k], device) == 0;
    if (!known)
      devices[count++] = device;
  }
  return count;
}

void bench_verdicts_print(bench_report *const *reports, size_t report_count) {
  const char *devices[16];
  size_t count = 0;
  for (size_t i = 0; i < report_count; i++)
    count = add_devices(reports[i], devices, count, sizeof devices / sizeof *devices);
  printf("\n| figure | what it shows |");
  for (size_t k = 0; k < count; k++)
    printf(" %s |", devices[k]);
  printf("\n|---|---|");
  for (size_t k = 0; k < count; k++)
    printf("---|");
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    printf("\n| %s | %s |", claims[i].figure, claims[i].text);
    for (size_t k = 0; k < count; k++)
      print_verdict(reports, report_count, devices[k], &claims[i]);
  }
  printf("\n");
  fflush(stdout);
}
