/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef CLI_GENERATE_H
#define CLI_GENERATE_H

/* What the commands of benchmarks share: their subcommands, and the options of generate. */

#include "cli/cli.h"
#include "generator/generator.h"

typedef struct cli_subcommand {
  const char *name;
  int (*run)(int argc, char **argv);
} cli_subcommand;

/* Run the subcommand that argv[1] names, or print the help of `command`. */
int cli_run_subcommand(const char *command, const cli_subcommand *list, uint32_t count, const char *missing,
                       void (*help)(void), int argc, char **argv);

/* NULL, or what is wrong with an option's value. */
typedef const char *cli_take_option(int option, char *value, void *context);

/* How a subcommand takes its options, of which "help" is CLI_GENERATE_HELP. */
typedef struct cli_subcommand_parser {
  const char *command;
  const struct option *options;
  void (*help)(void);
  cli_take_option *take;
  void *context;
} cli_subcommand_parser;

/* 0 to go on, else the exit status plus one. */
int cli_parse_subcommand(const cli_subcommand_parser *parser, int argc, char **argv);

/* ---- generate ---- */

typedef struct cli_generate_options {
  uint32_t max_scale; /* set by the command */
  double scale;
  uint64_t seed, threads;
  const char *out;
  bool text;
} cli_generate_options;

enum {
  CLI_GENERATE_HELP = 1,
  CLI_GENERATE_SCALE,
  CLI_GENERATE_OUT,
  CLI_GENERATE_TEXT,
  CLI_GENERATE_SEED,
  CLI_GENERATE_THREADS,
  CLI_GENERATE_OWN /* of a command itself, from here on */
};

#define CLI_GENERATE_OPTIONS                                                                                           \
  {"sf", required_argument, NULL, CLI_GENERATE_SCALE}, {"out", required_argument, NULL, CLI_GENERATE_OUT},             \
      {"text", no_argument, NULL, CLI_GENERATE_TEXT}, {"seed", required_argument, NULL, CLI_GENERATE_SEED},            \
      {"threads", required_argument, NULL, CLI_GENERATE_THREADS}, {                                                    \
    "help", no_argument, NULL, CLI_GENERATE_HELP                                                                       \
  }

/* Take an option below CLI_GENERATE_OWN. */
const char *cli_generate_take(int option, char *value, cli_generate_options *o);

/* NULL, or what is missing. */
const char *cli_generate_missing(const cli_generate_options *o);

#endif
