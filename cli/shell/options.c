/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The command line of the shell. */

#include "cli/shell/shell.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void print_help(void) {
  printf(
      "Example: raydex -c \"SELECT count(*) FROM orders WHERE price > 10\" orders.csv\n\n"
      "Usage: raydex [OPTION...] [FOLDER] [FILE...]\n\n"
      "Answer SQL. The tables are those of FOLDER, and each FILE (a table file or CSV; -: the standard input) by its\n"
      "name without suffix. Statements come from -c and -f, else from the standard input. On a terminal that is the\n"
      "interactive shell: .help describes its commands.\n\n"
      "  -c SQL                  run statements; -c and -f may be repeated, and run in their order\n"
      "  -f FILE                 run the statements of FILE; - is the standard input\n"
      "  -keep-going             go on after errors; the exit status is 1 all the same\n"
      "  -readonly               refuse statements that write\n"
      "  -safe                   no other files than FOLDER's and FILEs are read or written\n"
      "  -init FILE              run the statements of FILE first\n"
      "  -no-init                the interactive shell does not run ~/.config/raydex/init first\n\n"
      "How answers look (a box on a terminal, else CSV; of several the last counts):\n"
      "  -box -csv -json -jsonlines -line -list -markdown -tabs\n"
      "  -header, -noheader      with or without the names of columns\n"
      "  -separator TEXT         what stands between fields in CSV and lists; \\t is a tab\n"
      "  -nullvalue TEXT         what is shown for NULL\n\n"
      "  --device NAME           auto, cpu, or number or part of the name of a device (auto); see raydex devices\n"
      "  --threads N             threads of the CPU device (one a core)\n"
      "  --memory-limit SIZE     use at most this much device memory, such as 500M or 2G\n\n");
  cli_print_csv_help();
}

enum { MODE = CLI_OWN, HEADER, NO_HEADER, SEPARATOR, NULL_VALUE, INIT, NO_INIT, READ_ONLY, SAFE, KEEP_GOING };

static const struct option options[] = {{"box", no_argument, NULL, MODE},
                                        {"csv", no_argument, NULL, MODE},
                                        {"json", no_argument, NULL, MODE},
                                        {"jsonlines", no_argument, NULL, MODE},
                                        {"line", no_argument, NULL, MODE},
                                        {"list", no_argument, NULL, MODE},
                                        {"markdown", no_argument, NULL, MODE},
                                        {"tabs", no_argument, NULL, MODE},
                                        {"header", no_argument, NULL, HEADER},
                                        {"noheader", no_argument, NULL, NO_HEADER},
                                        {"separator", required_argument, NULL, SEPARATOR},
                                        {"nullvalue", required_argument, NULL, NULL_VALUE},
                                        {"init", required_argument, NULL, INIT},
                                        {"no-init", no_argument, NULL, NO_INIT},
                                        {"readonly", no_argument, NULL, READ_ONLY},
                                        {"safe", no_argument, NULL, SAFE},
                                        {"keep-going", no_argument, NULL, KEEP_GOING},
                                        {"device", required_argument, NULL, CLI_DEVICE},
                                        {"threads", required_argument, NULL, CLI_THREADS},
                                        {"memory-limit", required_argument, NULL, CLI_MEMORY_LIMIT},
                                        CLI_CSV_OPTIONS,
                                        {"help", no_argument, NULL, CLI_HELP},
                                        {0}};

char *shell_unescape(const char *text) {
  static const char known[] = "tnr\\", meant[] = "\t\n\r\\";
  char *out = shell_copy(text), *to = out;
  for (const char *from = text; *from; from++) {
    const char *escape = *from == '\\' && from[1] ? strchr(known, from[1]) : NULL;
    *to++ = escape ? meant[escape - known] : *from;
    from += escape != NULL;
  }
  *to = '\0';
  return out;
}

char *shell_table_name(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  if (!cli_stream_path(path))
    return shell_copy("stdin");
  char *out = shell_copy(name);
  if (dot && dot > name)
    out[dot - name] = '\0';
  return out;
}

static void replace(const char **value, char *by) {
  free((char *)*value);
  *value = by;
}

static const char *take(int option, const char *name, const char *value, shell_options *o) {
  console_guess guess = {0};
  switch (option) {
  case MODE:
    (void)shell_mode_from_name(name, &o->format.mode, &guess);
    return NULL;
  case HEADER:
  case NO_HEADER:
    o->format.header = option == HEADER;
    o->header_given = true;
    return NULL;
  case SEPARATOR:
    if (!*value)
      return "between fields there is at least one character";
    replace(&o->format.separator, shell_unescape(value));
    return NULL;
  case NULL_VALUE:
    replace(&o->format.null, shell_unescape(value));
    return NULL;
  case INIT:
    o->init = value;
    return NULL;
  case NO_INIT:
    o->no_init = true;
    return NULL;
  case READ_ONLY:
    o->read_only = true;
    return NULL;
  case SAFE:
    o->safe = true;
    return NULL;
  default:
    o->keep_going = true;
    return NULL;
  }
}

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A file whose table has the name of another one's would hide it. */
static const char *find_namesake(const shell_options *o, const char *path) {
  const char *found = NULL;
  char *name = shell_table_name(path);
  for (size_t i = 0; i < o->file_count && !found; i++) {
    char *other = shell_table_name(o->files[i]);
    found = strcmp(name, other) == 0 ? o->files[i] : NULL;
    free(other);
  }
  free(name);
  return found;
}

/* The standard input can be read once. */
static int check_streams(const shell_options *o) {
  size_t reads = 0;
  for (size_t i = 0; i < o->file_count; i++)
    reads += !cli_stream_path(o->files[i]);
  for (size_t i = 0; i < o->work_count; i++)
    reads += o->work[i].is_file && !cli_stream_path(o->work[i].text);
  reads += o->work_count == 0;
  return reads > 1 ? console_usage("shell", "only one of the files can be -, the standard input%s",
                                   o->work_count == 0 ? ", which has the statements: -c and -f give others" : "") +
                         1
                   : 0;
}

static int take_words(int argc, char **argv, shell_options *o) {
  o->files = shell_allocate((size_t)(argc + 1) * sizeof *o->files);
  for (; optind < argc; optind++) {
    const char *path = argv[optind];
    if (!*path)
      return console_usage("shell", "an argument is empty where a folder or a file is expected") + 1;
    if (is_folder(path)) {
      if (o->folder)
        return console_usage("shell", "%s and %s are both folders: a database is one", o->folder, path) + 1;
      o->folder = path;
      continue;
    }
    const char *other = find_namesake(o, path);
    if (other)
      return console_usage("shell", "%s and %s would be tables of one name", other, path) + 1;
    o->files[o->file_count++] = path;
  }
  return check_streams(o);
}

int shell_parse_options(int argc, char **argv, shell_options *o) {
  const char *name = "";
  o->work = shell_allocate((size_t)(argc + 1) * sizeof *o->work);
  opterr = 0;
  for (int c, index = 0; (c = getopt_long_only(argc, argv, ":c:f:h", options, &index)) != -1;) {
    if (c == CLI_HELP || c == 'h') {
      print_help();
      return EXIT_SUCCESS + 1;
    }
    if (c == ':')
      return console_usage("shell", "%s needs a value", argv[optind - 1]) + 1;
    if (c == '?')
      return console_no_option("shell", argv, options) + 1;
    if (c == 'c' || c == 'f') {
      o->work[o->work_count++] = (shell_work){.is_file = c == 'f', .text = optarg};
      continue;
    }
    name = options[index].name;
    const char *wrong = c == CLI_NULL ? NULL : console_twice(c, optarg);
    if (!wrong)
      wrong = c < CLI_OWN ? cli_take_common(c, optarg, &o->common) : take(c, name, optarg, o);
    if (wrong)
      return console_usage("shell", "--%s %s: %s", name, optarg ? optarg : "", wrong) + 1;
  }
  const int wrong = cli_check_csv("shell", &o->common);
  return wrong != 0 ? wrong : take_words(argc, argv, o);
}

void shell_drop_options(shell_options *o) {
  free((char *)o->format.separator);
  free((char *)o->format.null);
  free(o->work);
  free(o->files);
}
