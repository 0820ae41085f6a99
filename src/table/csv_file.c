/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Files of CSV: mapped, or read into memory. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "table/csv.h"
#include "table/format.h"

uint32_t rdx_csv_from_magic(const char *text, size_t size) {
  const uint32_t length = sizeof(RDX_FILE_MAGIC) - 1;
  uint32_t different = 0;
  for (uint32_t i = 0; i < length; i++)
    different += i >= size || text[i] != RDX_FILE_MAGIC[i];
  return different;
}

/* What cannot be mapped (a pipe) is read into memory. */
static rdx_status read_all(const char *name, int file, char **out, size_t *size, rdx_error *err) {
  size_t capacity = 0;
  for (;;) {
    if (*size == capacity) {
      capacity = 2 * capacity + 65536;
      RDX_TRY(rdx_realloc((void **)out, capacity, 1, "a CSV file", err));
    }
    const ssize_t n = read(file, *out + *size, capacity - *size);
    if (n < 0 && errno != EINTR)
      return rdx_fail(err, RDX_ERROR_IO, "cannot read %s: %s", name, strerror(errno));
    if (n == 0)
      return RDX_OK;
    *size += n > 0 ? (size_t)n : 0;
    RDX_TRY(rdx_progress("read", *size, 0, err)); /* a signal ends the wait for a pipe */
  }
}

/* Opening a pipe waits for who writes it, until a signal comes. */
static rdx_status open_file(const char *path, const char *name, int *file, rdx_error *err) {
  if (path && !*path)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "cannot open a file without a name");
  while ((*file = path ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) < 0 &&
         errno == EINTR)
    RDX_TRY(rdx_progress("read", 0, 0, err));
  if (*file >= 0)
    return RDX_OK;
  return rdx_fail(err, errno == ENOENT ? RDX_ERROR_NOT_FOUND : RDX_ERROR_IO, "cannot open %s: %s", name,
                  strerror(errno));
}

/* What was mapped is text from where the file stands on: the standard input may have been read before. */
static void use_map(rdx_csv_file *f) {
  const off_t at = lseek(f->map.file, 0, SEEK_CUR);
  const size_t skipped = at < 0 ? 0 : (uint64_t)at < f->map.size ? (size_t)at : f->map.size;
  f->text = f->map.data + skipped;
  f->size = f->map.size - skipped;
  lseek(f->map.file, (off_t)f->map.size, SEEK_SET);
  madvise((void *)(uintptr_t)f->map.data, f->map.size, MADV_SEQUENTIAL);
}

rdx_status rdx_csv_file_open(const char *path, rdx_csv_file *out, rdx_error *err) {
  *out = (rdx_csv_file){.name = path ? path : "the standard input"};
  int file = -1;
  RDX_TRY(open_file(path, out->name, &file, err));
  rdx_status status = rdx_mapped_open(file, out->name, &out->map, err);
  if (status == RDX_OK && out->map.data) {
    use_map(out);
    return RDX_OK;
  }
  char *text = NULL;
  if (status == RDX_OK)
    status = read_all(out->name, file, &text, &out->size, err);
  out->text = text;
  if (status == RDX_OK && rdx_csv_from_magic(text, out->size) == 0)
    status = rdx_fail(err, RDX_ERROR_FORMAT, "%s holds a table file, which cannot be read from a pipe", out->name);
  close(file);
  return status;
}

rdx_status rdx_csv_file_check(const rdx_csv_file *file, rdx_error *err) {
  return file->map.data ? rdx_mapped_check(&file->map, file->name, err) : RDX_OK;
}

rdx_status rdx_csv_file_judge(const rdx_csv_file *file, rdx_status status, rdx_error *err) {
  if (status == RDX_OK || status == RDX_ERROR_FORMAT || status == RDX_ERROR_RANGE)
    RDX_TRY(rdx_csv_file_check(file, err));
  return status;
}

void rdx_csv_file_forget(const rdx_csv_file *file, const char *at) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (file->map.data)
    madvise((void *)(uintptr_t)file->map.data, (size_t)(at - file->map.data) / page * page, MADV_DONTNEED);
}

void rdx_csv_file_close(rdx_csv_file *file) {
  if (!file->map.data)
    rdx_free((void *)(uintptr_t)file->text);
  rdx_mapped_close(&file->map);
  *file = (rdx_csv_file){0};
}
