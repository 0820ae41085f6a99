/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define NOT_ORDINARY "cannot write %s: it is no ordinary file"
#ifdef CLOCK_REALTIME_COARSE
#define FILE_CLOCK CLOCK_REALTIME_COARSE
#else
#define FILE_CLOCK CLOCK_REALTIME
#endif
#define SYNC_PIECE ((off_t)8 << 20) /* bytes */

static rdx_status fail_write(const char *path, rdx_error *err) {
  return rdx_fail(err, RDX_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
}

static rdx_status copy_text(const char *text, const char *suffix, char **out, rdx_error *err) {
  const size_t size = strlen(text) + strlen(suffix) + 1;
  RDX_TRY(rdx_alloc(size, 1, "a path", (void **)out, err));
  snprintf(*out, size, "%s%s", text, suffix);
  return RDX_OK;
}

static rdx_status resolve(const char *path, char **out, rdx_error *err) {
  char *real = realpath(path, NULL); /* NULL where there is no file yet, or a pipe without a name: /dev/stdout */
  struct stat info;
  if (!real && stat(path, &info) == 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, NOT_ORDINARY, path);
  if (!real && lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) /* which would itself be replaced */
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "cannot write %s: it is a link to what is not there", path);
  const rdx_status status = copy_text(real ? real : path, "", out, err);
  free(real);
  return status;
}

/* What nobody but the owner could read must not become readable by being replaced. */
static rdx_status set_mode(const rdx_replacement *r, int mode, rdx_error *err) {
  struct stat own;
  if (r->mode < 0 || (fstat(r->file, &own) == 0 && (int)(own.st_mode & 0777) == mode))
    return RDX_OK; /* without a call that file systems without modes would refuse */
  return fchmod(r->file, (mode_t)mode) == 0 ? RDX_OK : fail_write(r->path, err);
}

/* Open and lock PATH.raydex-new. Whoever holds the lock of a file that still has the name owns it. */
static rdx_status take(rdx_replacement *r, rdx_error *err) {
  for (;;) {
    struct stat opened, named;
    r->file = open(r->growing, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, r->mode < 0 ? 0666 : 0600);
    if (r->file < 0)
      return fail_write(r->path, err);
    if (flock(r->file, LOCK_EX | LOCK_NB) != 0) {
      const bool busy = errno == EWOULDBLOCK;
      rdx_status status = fail_write(r->path, err);
      if (busy)
        status =
            rdx_fail(err, RDX_ERROR_IO, "cannot write %s: it is being written already, as %s", r->path, r->growing);
      close(r->file);
      r->file = -1;
      return status;
    }
    if (fstat(r->file, &opened) == 0 && stat(r->growing, &named) == 0 && opened.st_ino == named.st_ino &&
        opened.st_dev == named.st_dev)
      return RDX_OK;
    close(r->file); /* the writer before us has moved or removed it since */
    r->file = -1;
  }
}

static rdx_status start(const char *path, rdx_replacement *out, rdx_error *err) {
  struct stat info;
  RDX_TRY(resolve(path, &out->path, err));
  RDX_TRY(copy_text(out->path, ".raydex-new", &out->growing, err));
  if (stat(out->path, &info) == 0) {
    out->mode = (int)(info.st_mode & 0777);
    if (!S_ISREG(info.st_mode))
      return rdx_fail(err, RDX_ERROR_ARGUMENT, NOT_ORDINARY, out->path);
  }
  RDX_TRY(take(out, err));
  RDX_TRY(set_mode(out, out->mode | 0600, err)); /* for its owner to take over, should this process be killed */
  return ftruncate(out->file, 0) == 0 ? RDX_OK : fail_write(out->path, err); /* what a killed process left */
}

rdx_status rdx_replacement_open(const char *path, rdx_replacement *out, rdx_error *err) {
  *out = (rdx_replacement){.file = -1, .mode = -1};
  if (!*path)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "cannot write a file without a name");
  const rdx_status status = start(path, out, err);
  if (status != RDX_OK)
    rdx_replacement_drop(out);
  return status;
}

rdx_status rdx_replacement_spill(const rdx_replacement *r, int *file, rdx_error *err) {
  char *name = NULL;
  RDX_TRY(copy_text(r->growing, ".spill", &name, err));
  unlink(name); /* of a process that was killed between the next two calls; the lock makes the name ours */
  *file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const rdx_status status = *file < 0 ? fail_write(name, err) : RDX_OK;
  if (*file >= 0)
    unlink(name);
  rdx_free(name);
  return status;
}

/* A rename is on the disk when its folder is. */
static rdx_status sync_folder(rdx_replacement *r, rdx_error *err) {
  strcpy(r->growing, r->path); /* not needed any more, and one longer: dirname() writes into it */
  const int folder = open(dirname(r->growing), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  /* Some file systems cannot sync a folder and say EINVAL: they have done what they can. */
  const bool synced = folder >= 0 && (fsync(folder) == 0 || errno == EINVAL);
  const rdx_status status = synced ? RDX_OK : fail_write(r->path, err);
  if (folder >= 0)
    close(folder);
  return status;
}

static rdx_status move(const char *from, rdx_replacement *to, rdx_error *err) {
  struct stat info;
  if (lstat(to->path, &info) == 0)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "cannot write %s: it is there already", to->path);
  if (rename(from, to->path) != 0)
    return rdx_fail(err, RDX_ERROR_IO, "cannot rename %s: %s", from, strerror(errno));
  unlink(to->growing);
  close(to->file);
  to->file = -1;
  return sync_folder(to, err);
}

/* The locks keep writers of both paths away. */
rdx_status rdx_move_file(const char *from, const char *to, rdx_error *err) {
  RDX_SCOPED(rdx_replacement_drop) rdx_replacement old = {.file = -1}, new = {.file = -1};
  RDX_TRY(rdx_replacement_open(from, &old, err));
  RDX_TRY(rdx_replacement_open(to, &new, err));
  return move(from, &new, err);
}

/* Bring what was written to the disk piece by piece: fsync(), which nothing can stop, has little to do then. What fails
 * here fails there again. */
static rdx_status sync_pieces(const rdx_replacement *r, rdx_error *err) {
#ifdef SYNC_FILE_RANGE_WRITE
  struct stat info;
  const unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  const off_t size = fstat(r->file, &info) == 0 ? info.st_size : 0;
  for (off_t done = 0; done < size && size > SYNC_PIECE; done += SYNC_PIECE) {
    RDX_TRY(rdx_progress_at_times("write", (uint64_t)done, (uint64_t)size, err));
    if (sync_file_range(r->file, done, SYNC_PIECE, wait) != 0)
      break;
  }
#else
  (void)r;
  (void)err;
#endif
  return RDX_OK;
}

rdx_status rdx_replacement_commit(rdx_replacement *r, rdx_error *err) {
  RDX_TRY(set_mode(r, r->mode, err));
  RDX_TRY(sync_pieces(r, err));
  if (fsync(r->file) != 0 || rename(r->growing, r->path) != 0)
    return fail_write(r->path, err);
  close(r->file);
  r->file = -1;
  return sync_folder(r, err);
}

void rdx_replacement_drop(rdx_replacement *r) {
  if (r->path && r->file >= 0) {
    unlink(r->growing);
    close(r->file);
  }
  RDX_FREE_ALL(r->path, r->growing);
  *r = (rdx_replacement){.file = -1};
}

/* ---- Changes of files ---- */

static bool same_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool rdx_file_is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         same_time(&a->st_mtim, &b->st_mtim) && same_time(&a->st_ctim, &b->st_ctim);
}

/* Times are of a clock that advances by ticks of 10 ms at most; in some file systems by 2 seconds, without parts of
 * them. */
int rdx_file_look(int folder, const char *path, struct stat *out, bool *shows_changes) {
  struct timespec now = {0};
  clock_gettime(FILE_CLOCK, &now);
  const int result = fstatat(folder, path, out, 0);
  const struct timespec then = result == 0 ? out->st_ctim : now;
  const int64_t tick = then.tv_nsec != 0 ? 50000000 : 2000000000;
  *shows_changes = (now.tv_sec - then.tv_sec) * (int64_t)1000000000 + now.tv_nsec - then.tv_nsec > tick;
  return result;
}

/* ---- Reading and writing ---- */

rdx_status rdx_write_at(int file, const void *data, uint64_t size, uint64_t offset, const char *path, rdx_error *err) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t n = pwrite(file, (const char *)data + done, size - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail_write(path, err);
    done += (uint64_t)n;
  }
  return RDX_OK;
}

rdx_status rdx_write(int file, const void *data, uint64_t size, const char *path, rdx_error *err) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t n = write(file, (const char *)data + done, size - done);
    if (n < 0 && errno != EINTR)
      return fail_write(path, err);
    done += n > 0 ? (uint64_t)n : 0;
    if (done < size) /* a signal ends the wait for a pipe, with an error or with a part written */
      RDX_TRY(rdx_progress("write", done, size, err));
  }
  return RDX_OK;
}

rdx_status rdx_read_at(int file, void *data, uint64_t size, uint64_t offset, const char *path, rdx_error *err) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t n = pread(file, (char *)data + done, size - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return rdx_fail(err, RDX_ERROR_IO, "cannot read %s: %s", path, n < 0 ? strerror(errno) : "it has become shorter");
    done += (uint64_t)n;
  }
  return RDX_OK;
}
