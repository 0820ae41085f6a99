/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex ssb */

#include "cli/cli.h"
#include "ssb/ssb.h"

#include <stdlib.h>
#include <string.h>

static void print_help(void) {
  printf("Usage: raydex ssb generate --sf N --out DIR [OPTION...]\n"
         "       raydex ssb queries [--flat]\n\n"
         "The Star Schema Benchmark. generate makes its five tables, the same from the same scale factor and seed,\n"
         "on any machine. queries prints its 13 queries as SQL.\n\n"
         "Options of generate:\n"
         "  --sf N        scale factor: 6,000,000 * N rows of lineorder; above 0, at most %d, such as 0.1 or 20\n"
         "  --out DIR     the folder of the tables, made if it is missing: table files DIR/lineorder.rdx and so on;\n"
         "                each appears when it is complete\n"
         "  --text        text instead, DIR/lineorder.tbl and so on: fields between bars, none after the last, no\n"
         "                header (read with --delimiter '|' --no-header)\n"
         "  --seed S      another seed makes other tables (1)\n"
         "  --threads N   threads (one a core)\n\n"
         "Options of queries:\n"
         "  --flat        over one table lineorder_flat, with the columns of all five\n",
         SSB_MAX_SCALE);
}

typedef struct ssb_options {
  double scale;
  uint64_t seed, threads;
  const char *out;
  bool text, flat;
} ssb_options;

enum { SCALE = 1, OUT, TEXT, SEED, THREADS, FLAT, HELP };

static bool parse_scale(const char *text, double *out) {
  char *end = NULL;
  *out = strtod(text, &end);
  return end != text && *end == '\0' && *out > 0 && *out <= SSB_MAX_SCALE;
}

/* NULL, or what is wrong with an option's value. */
static const char *take(int option, char *value, ssb_options *o) {
  static char wrong[64];
  switch (option) {
  case SCALE:
    snprintf(wrong, sizeof wrong, "it is a number above 0 and at most %d", SSB_MAX_SCALE);
    return parse_scale(value, &o->scale) ? NULL : wrong;
  case OUT:
    o->out = value;
    return NULL;
  case TEXT:
    o->text = true;
    return NULL;
  case SEED:
    return console_parse_u64(value, 0, UINT64_MAX, &o->seed) ? NULL : "it is a number from 0 to 2^64 - 1";
  case THREADS:
    return console_parse_u64(value, 1, CONSOLE_MAX_THREADS, &o->threads) ? NULL : "it is a number from 1 to 256";
  default:
    o->flat = true;
    return NULL;
  }
}

/* 0 to go on, else the exit status plus one. */
static int parse(int argc, char **argv, const struct option *options, ssb_options *o) {
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    if (c == HELP || c == 'h') {
      print_help();
      return EXIT_SUCCESS + 1;
    }
    if (c == ':')
      return console_usage("ssb", "%s needs a value", argv[optind - 1]) + 1;
    if (c == '?')
      return console_usage("ssb", "there is no option '%s'", cli_unknown_option(argv)) + 1;
    const char *wrong = take(c, optarg, o);
    for (const struct option *known = options; wrong; known++)
      if (known->val == c)
        return console_usage("ssb", "--%s %s: %s", known->name, optarg, wrong) + 1;
  }
  if (optind < argc)
    return console_usage("ssb", "'%s' is not expected here", argv[optind]) + 1;
  return 0;
}

static int generate(int argc, char **argv) {
  static const struct option options[] = {{"sf", required_argument, NULL, SCALE},
                                          {"out", required_argument, NULL, OUT},
                                          {"text", no_argument, NULL, TEXT},
                                          {"seed", required_argument, NULL, SEED},
                                          {"threads", required_argument, NULL, THREADS},
                                          {"help", no_argument, NULL, HELP},
                                          {0}};
  ssb_options o = {.seed = 1};
  const int parsed = parse(argc, argv, options, &o);
  if (parsed != 0)
    return parsed - 1;
  const char *missing = o.scale == 0 ? "--sf N is needed" : !o.out ? "--out DIR is needed" : NULL;
  if (missing)
    return console_usage("ssb", "%s", missing);
  ssb *s = NULL;
  rdx_error err = {""};
  rdx_status status = ssb_open(o.scale, o.seed, &s, &err);
  if (status == RDX_OK)
    status = ssb_write(s, o.out, o.text ? SSB_TEXT : SSB_TABLE_FILES, (uint32_t)o.threads, &err);
  ssb_close(&s);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}

static int queries(int argc, char **argv) {
  static const struct option options[] = {{"flat", no_argument, NULL, FLAT}, {"help", no_argument, NULL, HELP}, {0}};
  ssb_options o = {0};
  const int parsed = parse(argc, argv, options, &o);
  if (parsed != 0)
    return parsed - 1;
  for (size_t i = 0; i < SSB_QUERIES; i++)
    printf("-- Q%s\n%s;\n", ssb_queries[i].name, o.flat ? ssb_queries[i].flat : ssb_queries[i].star);
  return EXIT_SUCCESS;
}

int cli_ssb(int argc, char **argv) {
  if (argc < 2)
    return console_usage("ssb", "generate or queries is needed");
  if (strcmp(argv[1], "generate") == 0)
    return generate(argc - 1, argv + 1);
  if (strcmp(argv[1], "queries") == 0)
    return queries(argc - 1, argv + 1);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help();
    return EXIT_SUCCESS;
  }
  return console_usage("ssb", "there is no 'raydex ssb %s'", argv[1]);
}
