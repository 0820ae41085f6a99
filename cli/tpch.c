/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex tpch */

#include "cli/generate.h"
#include "tpch/tpch.h"

#include <inttypes.h>
#include <stdlib.h>

static void print_help(void) {
  printf("Example: raydex tpch generate --sf 0.1 --out tpch\n\n"
         "Usage: raydex tpch generate --sf N --out DIR [OPTION...]\n"
         "       raydex tpch queries [--query N]\n\n"
         "TPC-H. generate makes its eight tables, the same from the same scale factor and seed, on any machine.\n"
         "queries prints its 22 queries as SQL, with the parameters that the specification validates them with.\n\n"
         "Options of generate:\n"
         "  --sf N        scale factor: 6,000,000 * N rows of lineitem; above 0, at most %d, such as 0.1 or 20\n"
         "  --out DIR     the folder of the tables, made if it is missing: table files DIR/lineitem.rdx and so on;\n"
         "                each appears when it is complete\n"
         "  --text        text instead, DIR/lineitem.tbl and so on: fields between bars, none after the last, no\n"
         "                header (read with --delimiter '|' --no-header)\n"
         "  --seed S      another seed makes other tables (1)\n"
         "  --threads N   threads (one a core)\n\n"
         "Options of queries:\n"
         "  --query N     this query, from 1 to %d, without the line that names it (all)\n",
         TPCH_MAX_SCALE, TPCH_QUERIES);
}

typedef struct tpch_options {
  cli_generate_options generate;
  uint64_t query; /* 0: all */
} tpch_options;

enum { QUERY = CLI_GENERATE_OWN };

static const char *take(int option, char *value, void *context) {
  tpch_options *o = context;
  if (option < CLI_GENERATE_OWN)
    return cli_generate_take(option, value, &o->generate);
  return console_parse_u64(value, 1, TPCH_QUERIES, &o->query) ? NULL : "it is a number from 1 to 22";
}

/* 0 to go on, else the exit status plus one. */
static int parse(int argc, char **argv, const struct option *options, tpch_options *o) {
  const cli_subcommand_parser parser = {
      .command = "tpch", .options = options, .help = print_help, .take = take, .context = o};
  return cli_parse_subcommand(&parser, argc, argv);
}

static int generate(int argc, char **argv) {
  static const struct option options[] = {CLI_GENERATE_OPTIONS, {0}};
  tpch_options o = {.generate = {.max_scale = TPCH_MAX_SCALE, .seed = 1}};
  const int parsed = parse(argc, argv, options, &o);
  if (parsed != 0)
    return parsed - 1;
  const cli_generate_options *g = &o.generate;
  const char *missing = cli_generate_missing(g);
  if (missing)
    return console_usage("tpch", "%s", missing);
  tpch *t = NULL;
  rdx_error err = {""};
  rdx_status status = tpch_open(g->scale, g->seed, &t, &err);
  if (status == RDX_OK)
    status = generator_write(tpch_generator(t), g->out, g->text ? GENERATOR_TEXT : GENERATOR_TABLE_FILES,
                             (uint32_t)g->threads, &err);
  tpch_close(&t);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}

static int queries(int argc, char **argv) {
  static const struct option options[] = {
      {"query", required_argument, NULL, QUERY}, {"help", no_argument, NULL, CLI_GENERATE_HELP}, {0}};
  tpch_options o = {.query = 0};
  const int parsed = parse(argc, argv, options, &o);
  if (parsed != 0)
    return parsed - 1;
  if (o.query > 0)
    printf("%s;\n", tpch_queries[o.query - 1]);
  for (uint32_t i = 0; i < TPCH_QUERIES && o.query == 0; i++)
    printf("-- Q%" PRIu32 "\n%s;\n", i + 1, tpch_queries[i]);
  return EXIT_SUCCESS;
}

int cli_tpch(int argc, char **argv) {
  static const cli_subcommand list[] = {{"generate", generate}, {"queries", queries}};
  return cli_run_subcommand("tpch", list, sizeof list / sizeof *list, "generate or queries", print_help, argc, argv);
}
