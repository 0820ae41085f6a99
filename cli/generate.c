/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "cli/generate.h"

#include <stdlib.h>
#include <string.h>

int cli_run_subcommand(const char *command, const cli_subcommand *list, uint32_t count, const char *missing,
                       void (*help)(void), int argc, char **argv) {
  console_guess guess = {0};
  if (argc < 2)
    return console_usage(command, "%s is needed", missing);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    help();
    return EXIT_SUCCESS;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(argv[1], list[i].name) == 0)
      return list[i].run(argc - 1, argv + 1);
    console_nearest(argv[1], list[i].name, &guess);
  }
  char text[64];
  return console_usage(command, "there is no 'raydex %s %s'%s", command, argv[1], console_guess_text(&guess, "", text));
}

int cli_parse_subcommand(const cli_subcommand_parser *p, int argc, char **argv) {
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, ":h", p->options, NULL)) != -1;) {
    if (c == CLI_GENERATE_HELP || c == 'h') {
      p->help();
      return EXIT_SUCCESS + 1;
    }
    if (c == ':')
      return console_usage(p->command, "%s needs a value", argv[optind - 1]) + 1;
    if (c == '?')
      return console_no_option(p->command, argv, p->options) + 1;
    const char *wrong = console_twice(c, optarg);
    if (!wrong)
      wrong = p->take(c, optarg, p->context);
    for (const struct option *known = p->options; wrong; known++)
      if (known->val == c)
        return console_usage(p->command, "--%s %s: %s", known->name, optarg, wrong) + 1;
  }
  if (optind < argc)
    return console_usage(p->command, "'%s' is not expected here", argv[optind]) + 1;
  return 0;
}

const char *cli_generate_take(int option, char *value, cli_generate_options *o) {
  static char wrong[64];
  switch (option) {
  case CLI_GENERATE_SCALE:
    snprintf(wrong, sizeof wrong, "it is a number above 0 and at most %u", o->max_scale);
    return generator_parse_scale(value, o->max_scale, &o->scale) ? NULL : wrong;
  case CLI_GENERATE_OUT:
    o->out = value;
    return *value ? NULL : "a file or folder has a name";
  case CLI_GENERATE_SEED:
    return console_parse_u64(value, 0, UINT64_MAX, &o->seed) ? NULL : "it is a number from 0 to 2^64 - 1";
  case CLI_GENERATE_THREADS:
    return console_parse_u64(value, 1, CONSOLE_MAX_THREADS, &o->threads) ? NULL : "it is a number from 1 to 256";
  default:
    o->text = true;
    return NULL;
  }
}

const char *cli_generate_missing(const cli_generate_options *o) {
  return o->scale == 0 ? "--sf N is needed" : !o->out ? "--out DIR is needed" : NULL;
}
