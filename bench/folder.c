/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Folders for tables that are made for a run. */

#include "bench/bench.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

rdx_status bench_folder_make(bench_folder *out, rdx_error *err) {
  const char *parent = getenv("TMPDIR");
  parent = parent && *parent ? parent : "/tmp";
  if ((size_t)snprintf(out->name, sizeof out->name, "%s/raydex-bench-XXXXXX", parent) >= sizeof out->name)
    return console_error(err, RDX_ERROR_ARGUMENT, "TMPDIR has too long a name");
  return mkdtemp(out->name)
             ? RDX_OK
             : console_error(err, RDX_ERROR_IO, "cannot make a folder for tables in %s: %s", parent, strerror(errno));
}

void bench_folder_remove(const bench_folder *f) {
  DIR *dir = opendir(f->name);
  for (const struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
    unlinkat(dirfd(dir), entry->d_name, 0);
  if (dir)
    closedir(dir);
  rmdir(f->name);
}
