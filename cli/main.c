/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"devices", "list the devices of this machine and what they can do", cli_devices},
    {"import", "make a table file of a CSV file", cli_import},
    {"export", "write a table file as CSV", cli_export},
    {"table", "describe a table file", cli_table},
    {"lookup", "look up keys in a column of a table or CSV file", cli_lookup},
    {"join", "match the rows of two table or CSV files", cli_join},
    {"scan", "find the rows of a table or CSV file that satisfy a condition", cli_scan},
    {"ssb", "make the tables of the Star Schema Benchmark, run or print its queries", cli_ssb},
    {"tpch", "make the tables of TPC-H, print its queries", cli_tpch},
};

#define COMMANDS (sizeof commands / sizeof *commands)

static void print_help(void) {
  printf("Example: raydex lookup --data orders.csv --key customer --point 4711 --return count\n\n"
         "Usage: raydex COMMAND [OPTION...]\n\nRaydex answers database lookups by tracing rays.\n\nCommands:\n");
  for (size_t i = 0; i < COMMANDS; i++)
    printf("  %-10s %s\n", commands[i].name, commands[i].summary);
  printf("\n'raydex help COMMAND' describes a command, 'raydex --version' prints the version.\n");
}

static int no_command(const char *name) {
  char text[64];
  console_guess guess = {0};
  for (size_t i = 0; i < COMMANDS; i++)
    console_nearest(name, commands[i].name, &guess);
  return console_usage(NULL, "there is no command '%s'%s", name, console_guess_text(&guess, "", text));
}

static int run(int argc, char **argv) {
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(argv[0], commands[i].name) == 0)
      return console_finish(commands[i].run(argc, argv));
  return no_command(argv[0]);
}

int main(int argc, char **argv) {
  console_start("raydex");
  if (argc < 2)
    return console_usage(NULL, "a command is needed");
  const char *command = argv[1];
  const bool help = strcmp(command, "help") == 0;
  if (help && argc > 2) { /* COMMAND --help */
    char option[] = "--help", *asked[] = {argv[2], option, NULL};
    return run(2, asked);
  }
  if (help || strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) {
    print_help();
    return console_finish(EXIT_SUCCESS);
  }
  if (strcmp(command, "--version") == 0) {
    printf("raydex %s\n", rdx_version());
    return console_finish(EXIT_SUCCESS);
  }
  return run(argc - 1, argv + 1);
}
