/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "cli/cli.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static char problem[256];

/* ---- Options of several commands ---- */

void cli_print_index_help(void) {
  printf("  --method NAME           a method, see below (auto: tree; joins of equal values: radix_hash, pairs: hash);\n"
         "                          hash and radix_hash have no ranges; radix_hash is for large batches\n"
         "  --options NAME=VALUE[,...]   options of the method, see below\n");
  cli_print_common_help();
  printf("\nMethods (--method) and their options (--options):\n");
  console_print_index_options();
}

void cli_print_csv_help(void) {
  printf("How CSV files are read; as a FILE, - is the standard input:\n"
         "  --delimiter C           what separates fields (a comma, or what fits of ; | and tab); \\t is a tab; no\n"
         "                          letter, digit, +, - or .\n"
         "  --no-header             the first record is data; columns are named 1, 2, ...\n"
         "  --null TEXT             what else than nothing stands for NULL, such as NA; may be repeated\n"
         "  --quote C|none          the character that quotes (\"); none: quotes are text\n"
         "  --encoding NAME         utf8, latin1 or windows-1252 (utf8); UTF-16 is known by its mark\n");
}

void cli_print_common_help(void) {
  printf("  --device NAME           auto, cpu, or number or part of the name of a device (auto); see raydex devices\n"
         "  --threads N             threads of the CPU device (one a core)\n"
         "  --memory-limit SIZE     use at most this much device memory, such as 500M or 2G\n"
         "  --out FILE              write the answer to FILE, which appears when it is complete\n"
         "  --stats                 print what was done on stderr: sizes, rays, hits, times\n"
         "  --validation            switch the Vulkan validation layer on\n\n");
  cli_print_csv_help();
}

static const char *parse_delimiter(const char *text, char *out) {
  if (strcmp(text, "\\t") == 0)
    *out = '\t';
  else if (strlen(text) == 1 && !isalnum((unsigned char)text[0]) && (unsigned char)text[0] < 0x80 &&
           !strchr("\n\r+-.", text[0]))
    *out = text[0];
  else
    return "it is one character that no number or word has, such as ; or |, or \\t for a tab";
  return NULL;
}

static const char *parse_quote(const char *text, rdx_csv_params *csv) {
  csv->quotes = strcmp(text, "none") == 0 ? RDX_SWITCH_OFF : RDX_SWITCH_DEFAULT;
  csv->quote = '\0';
  if (csv->quotes == RDX_SWITCH_OFF)
    return NULL;
  if (strlen(text) != 1 || isalnum((unsigned char)text[0]) || (unsigned char)text[0] >= 0x80 ||
      strchr("\n\r+-.", text[0]))
    return "it is one character that no number or word has, such as ', or none";
  csv->quote = text[0];
  return NULL;
}

static const char *parse_encoding(const char *text, rdx_encoding *out) {
  static const char *const names[] = {
      [RDX_ENCODING_UTF8] = "utf8", [RDX_ENCODING_LATIN1] = "latin1", [RDX_ENCODING_WINDOWS_1252] = "windows-1252"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) == 0) {
      *out = (rdx_encoding)i;
      return NULL;
    }
  }
  return "it is utf8, latin1 or windows-1252";
}

/* How CSV is read. */
static const char *take_csv(int option, char *value, cli_common *o) {
  switch (option) {
  case CLI_DELIMITER:
    return parse_delimiter(value, &o->csv.delimiter);
  case CLI_NO_HEADER:
    o->csv.header = RDX_SWITCH_OFF;
    return NULL;
  case CLI_NULL:
    if (o->csv.null_count == CLI_MAX_NULLS)
      return "there are too many texts that stand for NULL";
    o->nulls[o->csv.null_count++] = value;
    o->csv.nulls = o->nulls;
    return NULL;
  case CLI_QUOTE:
    return parse_quote(value, &o->csv);
  default:
    return parse_encoding(value, &o->csv.encoding);
  }
}

const char *cli_take_common(int option, char *value, cli_common *o) {
  static rdx_error err;
  uint64_t number = 0;
  switch (option) {
  case CLI_METHOD:
    if (o->scans)
      return rdx_scan_method_from_name(value, &o->scan.method, &err) == RDX_OK ? NULL : err.text;
    return rdx_index_method_from_name(value, &o->index.method, &err) == RDX_OK ? NULL : err.text;
  case CLI_METHOD_OPTIONS:
    o->method_options = value;
    return NULL;
  case CLI_DEVICE:
    o->device = value;
    return NULL;
  case CLI_THREADS:
    if (!console_parse_u64(value, 1, 1024, &number))
      return "it is a number from 1 to 1024";
    o->device_params.threads = (uint32_t)number;
    return NULL;
  case CLI_MEMORY_LIMIT:
    return console_parse_size(value, &o->device_params.memory_limit) ? NULL : "it is a size such as 500M or 2G";
  case CLI_DELIMITER:
  case CLI_NO_HEADER:
  case CLI_NULL:
  case CLI_QUOTE:
  case CLI_ENCODING:
    return take_csv(option, value, o);
  case CLI_OUT:
    o->out = cli_stream_path(value);
    return NULL;
  case CLI_STATS:
    o->stats = true;
    return NULL;
  default:
    o->device_params.validation = true;
    return NULL;
  }
}

static const char *name_of(int option, const struct option *options) {
  while (options->val != option)
    options++;
  return options->name;
}

/* The words that are no options. */
static int take_words(const char *command, int argc, char **argv, cli_common *common) {
  for (uint32_t i = 0; i < common->word_count; i++) {
    if (optind == argc)
      return console_usage(command, "%s is needed", common->word_names[i]) + 1;
    common->words[i] = argv[optind++];
  }
  return optind < argc ? console_usage(command, "'%s' is not expected here", argv[optind]) + 1 : 0;
}

int cli_check_csv(const char *command, const cli_common *common) {
  const rdx_csv_params *csv = &common->csv;
  if (!csv->delimiter || csv->quotes == RDX_SWITCH_OFF || csv->delimiter != (csv->quote ? csv->quote : '"'))
    return 0;
  return console_usage(command, "--delimiter %c: it quotes fields, too: --quote takes another", csv->delimiter) + 1;
}

int cli_run(int parsed, rdx_status (*run)(void *job, rdx_error *err), void *job) {
  rdx_error err = {""};
  if (parsed != 0)
    return parsed - 1;
  const rdx_status status = run(job, &err);
  return status == RDX_OK ? EXIT_SUCCESS : console_fail(status, "%s", err.text);
}

static bool repeats(const cli_command *of, int option) {
  for (const int *known = of->repeats; known && *known; known++)
    if (*known == option)
      return true;
  return option == CLI_NULL;
}

int cli_parse(const cli_command *of, int argc, char **argv, void *context, cli_common *common) {
  const char *command = of->name;
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, ":h", of->options, NULL)) != -1;) {
    if (c == CLI_HELP || c == 'h') {
      of->help();
      return EXIT_SUCCESS + 1;
    }
    if (c == ':')
      return console_usage(command, "%s needs a value", argv[optind - 1]) + 1;
    if (c == '?')
      return console_no_option(command, argv, of->options) + 1;
    char given[1024]; /* names are cut out of the value itself */
    snprintf(given, sizeof given, "%s", optarg ? optarg : "");
    const char *wrong = repeats(of, c) ? NULL : console_twice(c, optarg);
    if (!wrong)
      wrong = c < CLI_OWN ? cli_take_common(c, optarg, common) : of->take(c, optarg, context);
    if (wrong)
      return console_usage(command, "--%s %s: %s", name_of(c, of->options), given, wrong) + 1;
  }
  const int words = take_words(command, argc, argv, common);
  if (words != 0)
    return words;
  const int wrong_csv = cli_check_csv(command, common);
  if (wrong_csv != 0)
    return wrong_csv;
  const char *text = common->method_options;
  const char *wrong = !text           ? NULL
                      : common->scans ? console_parse_scan_options(text, &common->scan)
                                      : console_parse_index_options(text, &common->index);
  return wrong ? console_usage(command, "--options %s: %s", text, wrong) + 1 : 0;
}

/* ---- Columns ---- */

/* The quote that closes the one at `text`; NULL: none. */
static char *find_close(char *text) {
  char *close = strchr(text + 1, '"');
  while (close && close[1] == '"')
    close = strchr(close + 2, '"');
  return close;
}

char *cli_cut_name(char **at, const char *end) {
  char *name = *at, *close = *name == '"' ? find_close(name) : NULL;
  char *stop = close ? close + 1 : *end ? strstr(name, end) : NULL;
  if (*name == '"' && (!close || (*stop && (!*end || strncmp(stop, end, strlen(end)) != 0))))
    return NULL;
  *at = stop && *stop ? stop + strlen(end) : NULL;
  if (stop)
    *stop = '\0';
  if (!close)
    return name;
  char *to = name;
  for (const char *from = name + 1; from < close; from += 1 + (*from == '"'))
    *to++ = *from;
  *to = '\0';
  return name;
}

const char *cli_parse_name(char *text, const char **out) {
  *out = cli_cut_name(&text, "");
  return *out ? NULL : "a name that begins with a double quote ends with one; inside of it two stand for one";
}

bool cli_parse_sum(char *text, const char **out, const char **wrong) {
  const size_t length = strlen(text);
  if (length < 5 || strncmp(text, "sum(", 4) != 0 || text[length - 1] != ')')
    return false;
  text[length - 1] = '\0';
  *wrong = cli_parse_name(text + 4, out);
  return true;
}

const char *cli_parse_columns(char *text, cli_columns *out) {
  while (text) {
    const char *name = cli_cut_name(&text, ",");
    if (!name)
      return "a name in double quotes ends with one, and a comma follows, or nothing";
    if (out->count == CLI_MAX_COLUMNS)
      return "there are too many columns";
    out->names[out->count++] = name;
  }
  return NULL;
}

/* ---- Types ---- */

const char *cli_parse_type(char *text, rdx_csv_type *out) {
  char *type = *text == '"' ? text : strrchr(text, '='); /* a name without quotes may have a = in it here */
  if (type == text && *text == '"')
    type = cli_cut_name(&type, "=") ? type : NULL;
  else if (type)
    *type++ = '\0';
  if (!type)
    return "a type has the form COLUMN=TYPE, such as zip=string or price=decimal(2)";
  *out = (rdx_csv_type){.column = text};
  return cli_parse_type_name(type, out);
}

const char *cli_add_type(char *text, cli_type_list *out) {
  return out->count == CLI_MAX_TYPES ? "there are too many types" : cli_parse_type(text, &out->list[out->count++]);
}

const char *cli_parse_type_name(char *type, rdx_csv_type *out) {
  char *scale = strchr(type, '(');
  if (scale) {
    const size_t length = strlen(scale);
    uint64_t digits = 0;
    *scale++ = '\0';
    if (strcmp(type, "decimal") != 0 || length < 3 || scale[length - 2] != ')')
      return "only decimal has digits after its point, as in decimal(2)";
    scale[length - 2] = '\0';
    if (!console_parse_u64(scale, 0, 18, &digits))
      return "a decimal has 0 to 18 digits after its point";
    out->scale = (uint8_t)digits;
  }
  rdx_error err;
  if (rdx_type_from_name(type, &out->type, &err) != RDX_OK) {
    snprintf(problem, sizeof problem, "%.250s", err.text);
    return problem;
  }
  return NULL;
}
