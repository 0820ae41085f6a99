/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex ssb */

#include "cli/generate.h"
#include "cli/ssb_run.h"

#include <stdlib.h>

static void print_help(void) {
  printf("Example: raydex ssb generate --sf 0.1 --out ssb; raydex ssb run --dir ssb --query 2.3\n\n"
         "Usage: raydex ssb generate --sf N --out DIR [OPTION...]\n"
         "       raydex ssb run --dir DIR [OPTION...]\n"
         "       raydex ssb flatten --dir DIR [--out FILE.rdx]\n"
         "       raydex ssb queries [--flat]\n\n"
         "The Star Schema Benchmark. generate makes its five tables, the same from the same scale factor and seed,\n"
         "on any machine. run answers its 13 queries over table files. flatten joins these into one table. queries\n"
         "prints the queries as SQL. Rows of lineorder with a foreign key that has no partner in its dimension are\n"
         "left out of every query, whichever dimensions it names: all of them join with all four dimensions.\n\n"
         "Options of generate:\n"
         "  --sf N        scale factor: 6,000,000 * N rows of lineorder; above 0, at most %d, such as 0.1 or 20\n"
         "  --out DIR     the folder of the tables, made if it is missing: table files DIR/lineorder.rdx and so on;\n"
         "                each appears when it is complete\n"
         "  --text        text instead, DIR/lineorder.tbl and so on: fields between bars, none after the last, no\n"
         "                header (read with --delimiter '|' --no-header)\n"
         "  --seed S      another seed makes other tables (1)\n"
         "  --threads N   threads (one a core)\n\n"
         "Options of run:\n"
         "  --dir DIR     the folder of the table files\n"
         "  --flat FILE   over this flat table that flatten made of them instead\n"
         "  --query A,B   these queries, such as 1.1,3.4 (all)\n"
         "  --method A,B  by these methods, see below (all, which is all but auto); results are printed once\n"
         "  --options NAME=VALUE[,...]  of the one method that --method names; they are listed below\n"
         "  --device NAME cpu, auto, or number or part of the name of a device (auto)\n"
         "  --threads N   threads of the CPU device (one a core)\n"
         "  --runs N      counted runs of each query, after some that warm up (5); times are medians\n"
         "  --stats       times, rays, hits, rows and bytes of each query and what was built, on stderr\n"
         "  --check       compare every answer with looking at every row; exit status 1 where one differs\n"
         "  --out FILE    write results there\n"
         "  --validation  switch the Vulkan validation layer on\n\n"
         "Options of flatten:\n"
         "  --dir DIR     the folder of the table files\n"
         "  --out FILE    the flat table, with the columns that queries use (DIR/lineorder_flat.rdx)\n"
         "  --device NAME the device that joins (cpu)\n\n"
         "Options of queries:\n"
         "  --flat        over one table lineorder_flat, with the columns of all five\n",
         SSB_MAX_SCALE);
  printf("\nMethods (--method) and their options (--options):\n");
  console_print_star_options();
}

typedef struct ssb_options {
  cli_generate_options generate;
  bool flat_queries;
  cli_ssb_run_options run;
} ssb_options;

enum { FLAT = CLI_GENERATE_OWN, DIR, QUERY, METHOD, OPTIONS, DEVICE, RUNS, STATS, CHECK, VALIDATION };

static void take_run(int option, const char *value, cli_ssb_run_options *o) {
  const char **text = option == DIR       ? &o->folder
                      : option == QUERY   ? &o->queries
                      : option == METHOD  ? &o->methods
                      : option == OPTIONS ? &o->options
                                          : &o->device;
  bool *flag = option == STATS ? &o->stats : option == CHECK ? &o->check : &o->device_params.validation;
  if (value)
    *text = value;
  else
    *flag = true;
}

static const char *take(int option, char *value, void *context) {
  ssb_options *o = context;
  uint64_t number = 0;
  if (option < CLI_GENERATE_OWN)
    return cli_generate_take(option, value, &o->generate);
  if (option == DIR && !*value)
    return "a folder has a name";
  switch (option) {
  case RUNS:
    o->run.runs = console_parse_u64(value, 1, 1000, &number) ? (uint32_t)number : 0;
    return o->run.runs > 0 ? NULL : "it is a number from 1 to 1000";
  case FLAT:
    o->run.flat = value;
    o->flat_queries = !value;
    return NULL;
  default:
    take_run(option, value, &o->run);
    return NULL;
  }
}

/* 0 to go on, else the exit status plus one. */
static int parse(int argc, char **argv, const struct option *options, ssb_options *o) {
  const cli_subcommand_parser parser = {
      .command = "ssb", .options = options, .help = print_help, .take = take, .context = o};
  return cli_parse_subcommand(&parser, argc, argv);
}

static int generate(int argc, char **argv) {
  static const struct option options[] = {CLI_GENERATE_OPTIONS, {0}};
  ssb_options o = {.generate = {.max_scale = SSB_MAX_SCALE, .seed = 1}};
  const int parsed = parse(argc, argv, options, &o);
  if (parsed != 0)
    return parsed - 1;
  const cli_generate_options *g = &o.generate;
  const char *missing = cli_generate_missing(g);
  if (missing)
    return console_usage("ssb", "%s", missing);
  ssb *s = NULL;
  rdx_error err = {""};
  rdx_status status = ssb_open(g->scale, g->seed, &s, &err);
  if (status == RDX_OK)
    status = generator_write(ssb_generator(s), g->out, g->text ? GENERATOR_TEXT : GENERATOR_TABLE_FILES,
                             (uint32_t)g->threads, &err);
  ssb_close(&s);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}

static int run(int argc, char **argv) {
  static const struct option options[] = {{"dir", required_argument, NULL, DIR},
                                          {"flat", required_argument, NULL, FLAT},
                                          {"query", required_argument, NULL, QUERY},
                                          {"method", required_argument, NULL, METHOD},
                                          {"options", required_argument, NULL, OPTIONS},
                                          {"device", required_argument, NULL, DEVICE},
                                          {"threads", required_argument, NULL, CLI_GENERATE_THREADS},
                                          {"runs", required_argument, NULL, RUNS},
                                          {"stats", no_argument, NULL, STATS},
                                          {"check", no_argument, NULL, CHECK},
                                          {"out", required_argument, NULL, CLI_GENERATE_OUT},
                                          {"validation", no_argument, NULL, VALIDATION},
                                          {"help", no_argument, NULL, CLI_GENERATE_HELP},
                                          {0}};
  ssb_options o = {.run = {.device = "auto", .runs = 5}};
  const int parsed = parse(argc, argv, options, &o);
  if (parsed != 0)
    return parsed - 1;
  if (!o.run.folder)
    return console_usage("ssb", "--dir DIR is needed");
  o.run.out = o.generate.out;
  o.run.device_params.threads = (uint32_t)o.generate.threads;
  return cli_ssb_run(&o.run);
}

static int flatten(int argc, char **argv) {
  static const struct option options[] = {{"dir", required_argument, NULL, DIR},
                                          {"out", required_argument, NULL, CLI_GENERATE_OUT},
                                          {"device", required_argument, NULL, DEVICE},
                                          {"help", no_argument, NULL, CLI_GENERATE_HELP},
                                          {0}};
  ssb_options o = {.run = {.device = "cpu"}};
  const int parsed = parse(argc, argv, options, &o);
  if (parsed != 0)
    return parsed - 1;
  if (!o.run.folder)
    return console_usage("ssb", "--dir DIR is needed");
  o.run.out = o.generate.out;
  return cli_ssb_flatten(&o.run);
}

static int queries(int argc, char **argv) {
  static const struct option options[] = {
      {"flat", no_argument, NULL, FLAT}, {"help", no_argument, NULL, CLI_GENERATE_HELP}, {0}};
  ssb_options o = {0};
  const int parsed = parse(argc, argv, options, &o);
  if (parsed != 0)
    return parsed - 1;
  for (size_t i = 0; i < SSB_QUERIES; i++)
    printf("-- Q%s\n%s;\n", ssb_queries[i].name, o.flat_queries ? ssb_queries[i].flat : ssb_queries[i].star);
  return EXIT_SUCCESS;
}

int cli_ssb(int argc, char **argv) {
  static const cli_subcommand list[] = {
      {"generate", generate}, {"run", run}, {"flatten", flatten}, {"queries", queries}};
  return cli_run_subcommand("ssb", list, sizeof list / sizeof *list, "generate, run, flatten or queries", print_help,
                            argc, argv);
}
