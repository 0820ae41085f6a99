/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"devices", "list the devices of this machine and what they can do", cli_devices},
    {"calibrate", "measure what operations take on a device", cli_calibrate},
    {"import", "make a table file of a CSV file", cli_import},
    {"export", "write a table file as CSV", cli_export},
    {"table", "describe a table file", cli_table},
    {"lookup", "look up keys in a column of a table or CSV file", cli_lookup},
    {"join", "match the rows of two table or CSV files", cli_join},
    {"scan", "find the rows of a table or CSV file that satisfy a condition", cli_scan},
    {"draw", "draw a small scene: what stands for rows, the rays of a query, what they hit", cli_draw},
    {"shell", "answer SQL; what raydex does without a command", cli_shell},
    {"ssb", "make the tables of the Star Schema Benchmark, run or print its queries", cli_ssb},
    {"tpch", "make the tables of TPC-H, print its queries", cli_tpch},
};

#define COMMANDS (sizeof commands / sizeof *commands)

static void print_help(void) {
  printf("Example: raydex -c \"SELECT count(*) FROM orders WHERE price > 10\" orders.csv\n\n"
         "Usage: raydex [OPTION...] [FOLDER] [FILE...]\n"
         "       raydex COMMAND [OPTION...]\n\n"
         "Raydex answers SQL and database lookups by tracing rays.\n\nCommands:\n");
  for (size_t i = 0; i < COMMANDS; i++)
    printf("  %-10s %s\n", commands[i].name, commands[i].summary);
  printf("\n'raydex help COMMAND' describes a command (shell: the options without one), 'raydex --version' prints the\n"
         "version.\n");
}

static int no_command(const char *name) {
  char text[64];
  console_guess guess = {0};
  if (!*name)
    return console_usage(NULL, "an argument is empty where a command, a folder or a file is expected");
  for (size_t i = 0; i < COMMANDS; i++)
    console_nearest(name, commands[i].name, &guess);
  return console_usage(NULL, "there is no command '%s'%s", name, console_guess_text(&guess, "", text));
}

/* Whether a word is no command, but an option or a file for the shell. */
static bool is_for_shell(const char *word) {
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(word, commands[i].name) == 0)
      return false;
  return word[0] == '-' || strpbrk(word, "./") || access(word, F_OK) == 0;
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
    return console_finish(cli_shell(argc, argv));
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
  return is_for_shell(command) ? console_finish(cli_shell(argc, argv)) : run(argc - 1, argv + 1);
}
