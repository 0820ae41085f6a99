/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_REPLACE_H
#define RDX_BASE_REPLACE_H

/* Files that replace others in one step: whatever happens, a path has the old file or the new one, or none if there was
 * none.
 *
 * The new file grows as PATH.raydex-new under a lock, is synced, and renamed. A process that is killed leaves it
 * without its lock; the next writer of the path takes it over, so that they do not pile up. (Files without a name,
 * O_TMPFILE, would leave nothing, but many file systems have none, and they cannot replace a file in one step.) */

#include "base/base.h"

#include <sys/stat.h>

typedef struct rdx_replacement {
  int file;      /* open for reading and writing; -1: closed */
  char *path;    /* links resolved: what a link points to is replaced, not the link */
  char *growing; /* the name of the new file until it is complete */
  int mode;      /* of the file that is there and will be replaced, which the new one gets; -1: there is none */
} rdx_replacement;

/* Start a new file for `path`. RDX_ERROR_IO names the reason; one is that another writer is at it. */
RDX_MUST_USE rdx_status rdx_replacement_open(const char *path, rdx_replacement *out, rdx_error *err);

/* A file for this writer's own use, without a name, in the folder of the new one; closed by the caller. */
RDX_MUST_USE rdx_status rdx_replacement_spill(const rdx_replacement *replacement, int *file, rdx_error *err);

/* Sync the file and move it to its path. */
RDX_MUST_USE rdx_status rdx_replacement_commit(rdx_replacement *replacement, rdx_error *err);

/* Give a file another name in its folder, in one step, unless there is a file of that name. */
RDX_MUST_USE rdx_status rdx_move_file(const char *from, const char *to, rdx_error *err);

/* Close and free; the new file goes away unless it was committed. One that is all zero is fine. */
void rdx_replacement_drop(rdx_replacement *replacement);

/* Whether two looks at a path found the same file, unchanged: also by a program that sets back when it wrote
 * (`rsync --inplace --times`), which cannot set back when that was. */
bool rdx_file_is_same(const struct stat *a, const struct stat *b);
/* fstatat(), and whether a change from then on would show in another look: not so right after one, which may have the
 * same time. */
int rdx_file_look(int folder, const char *path, struct stat *out, bool *shows_changes);

/* Write or read all of `size` bytes, at `offset` or where the file stands; `path` is for the error. rdx_write() may
 * wait for a pipe: after a signal it asks rdx_progress() whether to go on. */
RDX_MUST_USE rdx_status rdx_write(int file, const void *data, uint64_t size, const char *path, rdx_error *err);
RDX_MUST_USE rdx_status rdx_write_at(int file, const void *data, uint64_t size, uint64_t offset, const char *path,
                                     rdx_error *err);
RDX_MUST_USE rdx_status rdx_read_at(int file, void *data, uint64_t size, uint64_t offset, const char *path,
                                    rdx_error *err);

#endif
