/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* raydex devices */

#include "cli/cli.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_help(void) {
  printf("Usage: raydex devices [--csv]\n\n"
         "List the devices of this machine: what traces rays, how, and within which limits. A device is\n"
         "chosen by its number or any part of its name: raydex lookup --device NAME.\n\n"
         "  --csv   one line of CSV for each device, sizes in bytes\n\n"
         "GPUs that the system has and Vulkan does not show are named on stderr, with what they lack.\n");
}

static const char *backend_name(const rdx_device_info *info) {
  return info->backend == RDX_BACKEND_CPU ? "cpu" : "vulkan";
}

static const char *tracing_name(const rdx_device_info *info) {
  static const char *const names[] = {
      [RDX_TRACING_NONE] = "none", [RDX_TRACING_SOFTWARE] = "software", [RDX_TRACING_HARDWARE] = "hardware"};
  return names[info->tracing];
}

static void print_text(uint32_t index, const rdx_device_info *info) {
  char memory[32], buffer[32];
  printf("%" PRIu32 "  %s%s\n", index, info->name,
         info->emulated ? " (emulated: a GPU driver that runs on the CPU)" : "");
  printf("   back end     %s, %s\n", backend_name(info), info->driver);
  printf("   features     %s\n", info->features);
  if (info->tracing == RDX_TRACING_NONE)
    printf("   ray tracing  none: rx does not run here, sorted_array does\n");
  else
    printf("   ray tracing  in %s, at most %" PRIu64 " primitives in a scene part, %" PRIu64 " rays a launch\n",
           tracing_name(info), info->max_primitives, info->max_rays);
  printf("   %-12s %" PRIu32 "\n", info->backend == RDX_BACKEND_CPU ? "threads" : "subgroup", info->threads);
  printf("   memory       %s, largest buffer %s\n", console_bytes(info->memory, memory),
         console_bytes(info->max_buffer, buffer));
}

static void print_csv(uint32_t index, const rdx_device_info *info) {
  printf("%" PRIu32 ",", index);
  cli_write_text(stdout, info->name, strlen(info->name));
  printf(",%s,", backend_name(info));
  cli_write_text(stdout, info->driver, strlen(info->driver));
  printf(",");
  cli_write_text(stdout, info->features, strlen(info->features));
  printf(",%s,%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", tracing_name(info),
         info->emulated ? "true" : "false", info->threads, info->memory, info->max_buffer, info->max_primitives,
         info->max_rays);
}

int cli_devices(int argc, char **argv) {
  enum { CSV = 1, HELP };
  static const struct option options[] = {{"csv", no_argument, NULL, CSV}, {"help", no_argument, NULL, HELP}, {0}};
  bool csv = false;
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    switch (c) {
    case CSV:
      csv = true;
      break;
    case HELP:
    case 'h':
      print_help();
      return EXIT_SUCCESS;
    default:
      return console_no_option("devices", argv, options);
    }
  }
  if (optind < argc)
    return console_usage("devices", "'%s' is not expected here", argv[optind]);

  rdx_error err;
  uint32_t count = 0;
  rdx_status status = rdx_device_count(&count, &err);
  if (status != RDX_OK)
    return console_fail(status, "%s", err.text);
  if (csv)
    printf("index,name,backend,driver,features,tracing,emulated,threads,memory,max_buffer,max_primitives,max_rays\n");
  for (uint32_t i = 0; i < count; i++) {
    rdx_device_info info;
    status = rdx_device_describe(i, &info, &err);
    if (status != RDX_OK)
      return console_fail(status, "%s", err.text);
    if (csv)
      print_csv(i, &info);
    else
      print_text(i, &info);
  }
  char missing[4096];
  if (rdx_device_find_missing(missing, sizeof missing) > 0)
    console_note("%s", missing);
  return EXIT_SUCCESS;
}
