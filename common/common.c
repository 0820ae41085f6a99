/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "common/common.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_AFTER 1.0 /* seconds before the first line of progress */
#define PROGRESS_EVERY 0.2
#define AGAIN_AFTER 1.0 /* seconds until a signal is one that the user repeats */

static const char *program_name = "raydex";
static atomic_llong interrupted_at; /* nanoseconds, 0: not yet; written by a signal handler, read by any thread */
static atomic_int interrupted_by;   /* the first signal */
static atomic_bool stays;           /* Ctrl-C never ends the program */
static int wake[2] = {-1, -1};      /* a pipe with a byte in it for each signal, for what waits */
static char *_Atomic unfinished;    /* a file that is to go when the program cannot go on; NULL: none */

static struct {
  pthread_mutex_t lock;
  bool terminal; /* stderr is one */
  bool shown;    /* there is a line to clear */
  char stage[32];
  double begun, last; /* of the stage */
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Signal handlers may call it. */
static long long nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static double seconds(void) {
  return (double)nanoseconds() * 1e-9;
}

static void clear_line(void) {
  if (progress.shown)
    fputs("\r\033[K", stderr);
  progress.shown = false;
}

bool console_progress(const char *stage, uint64_t done, uint64_t total) {
  pthread_mutex_lock(&progress.lock);
  const double now = seconds();
  if (strncmp(progress.stage, stage, sizeof progress.stage - 1) != 0) {
    clear_line();
    snprintf(progress.stage, sizeof progress.stage, "%s", stage);
    progress.begun = now;
    progress.last = 0;
  }
  const bool complete = total > 0 && done >= total;
  if (progress.terminal && now - progress.begun > PROGRESS_AFTER && now - progress.last > PROGRESS_EVERY && !complete) {
    progress.last = now;
    progress.shown = true;
    if (total > 0)
      fprintf(stderr, "\r\033[K%s: %s %3.0f%%", program_name, stage, 100 * (double)done / (double)total);
    else
      fprintf(stderr, "\r\033[K%s: %s %.0f s", program_name, stage, now - progress.begun);
  }
  if (complete)
    clear_line();
  pthread_mutex_unlock(&progress.lock);
  return console_interrupted();
}

static bool on_progress(void *user, const char *stage, uint64_t done, uint64_t total) {
  (void)user;
  return console_progress(stage, done, total);
}

/* A second signal ends the program by the default action, once this one has returned. One that comes right after the
 * first is not the user's second: timeout, for one, tells a process and then the group that it is in. */
static void on_signal(int number) {
  const int before = errno;
  const long long now = nanoseconds();
  long long first = 0;
  int none = 0;
  if (!atomic_compare_exchange_strong(&interrupted_by, &none, number) && none == SIGINT && atomic_load(&stays))
    atomic_store(&interrupted_by, number); /* only what is no Ctrl-C ends such a program */
  const bool again = !atomic_compare_exchange_strong(&interrupted_at, &first, now);
  if (wake[1] >= 0) /* whoever is woken finds that there was a signal */
    (void)!write(wake[1], "", 1);
  if (again && (double)(now - first) > AGAIN_AFTER * 1e9 && !(number == SIGINT && atomic_load(&stays))) {
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = before;
}

/* Started without a standard output, the next file that is opened would take its place, and the answer. */
static void hold_streams(void) {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
    if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      _exit(EXIT_FAILURE);
}

/* What was ignored when the program started, as for a background job of a script, stays ignored. Without SA_RESTART, so
 * that calls which wait for a pipe come back. */
static void catch_signal(int number) {
  const struct sigaction action = {.sa_handler = on_signal};
  struct sigaction before;
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(number, &action, NULL);
}

/* The mapping that has `address`, of those in the text of /proc/self/maps; NULL: none that is a file. */
static char *find_mapping(char *text, uintptr_t address) {
  for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
    char *next = NULL;
    *end = '\0';
    const uintptr_t begin = strtoull(line, &next, 16), stop = *next == '-' ? strtoull(next + 1, NULL, 16) : 0;
    if (address >= begin && address < stop)
      return strchr(line, '/');
  }
  return NULL;
}

static void say(const char *text) {
  (void)!write(STDERR_FILENO, text, strlen(text));
}

/* A file that is mapped for long, a table file, has become shorter: what was read of it is gone, there is no way on.
 * Nothing here needs more than a signal handler may use. */
static void on_bus_error(int number, siginfo_t *info, void *context) {
  static char text[1 << 20];
  static atomic_flag taken = ATOMIC_FLAG_INIT;
  size_t size = 0;
  (void)context;
  while (atomic_flag_test_and_set(&taken)) /* another thread is about to end the process */
    pause();
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  for (ssize_t n = 1; file >= 0 && n > 0 && size + 1 < sizeof text; size += n > 0 ? (size_t)n : 0)
    n = read(file, text + size, sizeof text - 1 - size);
  text[size] = '\0';
  const char *path = find_mapping(text, (uintptr_t)info->si_addr);
  if (!path) {
    signal(number, SIG_DFL); /* and the same happens again */
    return;
  }
  if (unfinished)
    unlink(unfinished);
  say(program_name);
  say(": ");
  say(path);
  say(" has become shorter while it was used: use it when nobody writes to it, or a copy\n");
  _exit(EXIT_FAILURE);
}

void console_start(const char *program) {
  hold_streams();
  program_name = program;
  progress.terminal = isatty(STDERR_FILENO) != 0;
  if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
    wake[0] = wake[1] = -1;
  catch_signal(SIGINT);
  catch_signal(SIGTERM);
  catch_signal(SIGHUP);
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write */
  signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow */
  sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO}, NULL);
  rdx_set_progress(on_progress, NULL);
}

bool console_interrupted(void) {
  return atomic_load(&interrupted_at) != 0;
}

void console_stay(void) {
  atomic_store(&stays, true);
}

int console_interrupt_file(void) {
  return wake[0];
}

/* A signal that comes between the question and the wait has left a byte in the pipe. */
static ssize_t read_input(void *file, char *bytes, size_t size) {
  struct pollfd files[] = {{.fd = (int)(intptr_t)file, .events = POLLIN}, {.fd = wake[0], .events = POLLIN}};
  for (;;) {
    if (console_interrupted()) {
      errno = EINTR;
      return -1;
    }
    if (poll(files, 2, -1) <= 0)
      continue;
    if (files[0].revents)
      return read(files[0].fd, bytes, size);
    console_forget_interrupt(); /* it came while an earlier one was forgotten */
  }
}

FILE *console_open_input(int file) {
  return fopencookie((void *)(intptr_t)file, "r", (cookie_io_functions_t){.read = read_input});
}

bool console_forget_interrupt(void) {
  int number = SIGINT;
  char bytes[64];
  while (wake[0] >= 0 && read(wake[0], bytes, sizeof bytes) > 0)
    ;
  if (!atomic_load(&stays) || !atomic_compare_exchange_strong(&interrupted_by, &number, 0))
    return number == 0;
  atomic_store(&interrupted_at, 0);
  if (atomic_load(&interrupted_by) == 0) {
    pthread_mutex_lock(&progress.lock);
    clear_line();
    progress.stage[0] = '\0';
    pthread_mutex_unlock(&progress.lock);
    return true;
  }
  atomic_store(&interrupted_at, nanoseconds()); /* another signal came meanwhile */
  return false;
}

/* As a shell says it of a program that a signal ends. */
int console_interrupt_status(void) {
  const int number = atomic_load(&interrupted_by);
  return 128 + (number ? number : SIGINT);
}

/* Whether the line break of a message at `text` is the library's own: before what is indented, such as a list and the
 * caret below a statement, and before the words that tell of a statement. Data in messages has none that are not
 * escaped. */
static bool breaks_line(const unsigned char *text) {
  return strncmp((const char *)text, "\n  ", 3) == 0 || strncmp((const char *)text, "\nLINE ", 6) == 0 ||
         strncmp((const char *)text, "\nHINT: ", 7) == 0;
}

/* What does not fit is left out of the middle: of a message about a long path both ends count. */
static void format_message(char *out, size_t capacity, const char *format, va_list arguments) {
  char text[1 << 14];
  vsnprintf(text, sizeof text, format, arguments);
  const size_t length = strlen(text);
  if (length < capacity) {
    memcpy(out, text, length + 1);
    return;
  }
  size_t head = capacity / 2, tail = length - (capacity - head - 4);
  while (head > 0 && (text[head] & 0xc0) == 0x80) /* within a character */
    head--;
  while ((text[tail] & 0xc0) == 0x80)
    tail++;
  memcpy(out, text, head);
  memcpy(out + head, "...", 3);
  memcpy(out + head + 3, text + tail, length - tail + 1);
}

rdx_status console_error(rdx_error *err, rdx_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (err)
    format_message(err->text, sizeof err->text, format, arguments);
  va_end(arguments);
  return status;
}

/* A line on stderr. What data may have in it is escaped: control characters tell terminals what to do. */
static void print_text(const char *format, va_list arguments) {
  char text[4096], line[4 * sizeof text + 1];
  size_t used = 0;
  format_message(text, sizeof text, format, arguments);
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    const bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0; /* a control of Latin-1 */
    if (c1)
      used += (size_t)snprintf(line + used, sizeof line - used, "\\u%04x", *++p);
    else if (breaks_line(p))
      line[used++] = (char)*p;
    else if (*p < ' ' || *p == 0x7f)
      used += (size_t)snprintf(line + used, sizeof line - used, "\\x%02x", *p);
    else
      line[used++] = (char)*p;
  }
  line[used++] = '\n';
  fwrite(line, 1, used, stderr);
}

static void print(const char *format, va_list arguments) {
  pthread_mutex_lock(&progress.lock);
  clear_line();
  fprintf(stderr, "%s: ", program_name);
  print_text(format, arguments);
  pthread_mutex_unlock(&progress.lock);
}

int console_fail(rdx_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
  return status == RDX_ERROR_CANCELLED ? console_interrupt_status() : EXIT_FAILURE;
}

int console_finish(int status) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  if (console_interrupted())
    _exit(console_interrupt_status()); /* exit() would wait for the same pipe again */
  return status == 0 ? console_fail(RDX_ERROR_IO, "cannot write the standard output: %s", strerror(errno)) : status;
}

int console_usage(const char *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
  fprintf(stderr, "Try '%s%s%s --help'.\n", program_name, command ? " " : "", command ? command : "");
  return EXIT_USAGE;
}

void console_note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  pthread_mutex_lock(&progress.lock);
  clear_line();
  print_text(format, arguments);
  pthread_mutex_unlock(&progress.lock);
  va_end(arguments);
}

/* ---- Output ---- */

static rdx_status cancel_output(rdx_error *err) {
  return console_error(err, RDX_ERROR_CANCELLED, "interrupted");
}

static rdx_status fail_write(const console_output *out, rdx_error *err) {
  if (console_interrupted())
    return cancel_output(err);
  return console_error(err, RDX_ERROR_IO, "cannot write %s: %s", out->path ? out->path : "the standard output",
                       strerror(out->error ? out->error : errno));
}

bool console_output_stopped(console_output *out) {
  const int now = errno;
  if (ferror(out->stream) && out->error == 0)
    out->error = now;
  return console_interrupted() || out->error != 0;
}

/* The folder of a path; the name in it. */
static const char *split_path(const char *path, char folder[4096]) {
  const char *slash = strrchr(path, '/');
  strcpy(folder, ".");
  if (slash)
    snprintf(folder, 4096, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  return slash ? slash + 1 : path;
}

bool console_same_file(const char *a, const char *b) {
  struct stat x, y;
  char a_folder[4096], b_folder[4096];
  const bool a_there = stat(a, &x) == 0, b_there = stat(b, &y) == 0;
  if (a_there != b_there)
    return false;
  if (!a_there) { /* then both would be made in one folder, by one name */
    const char *a_name = split_path(a, a_folder), *b_name = split_path(b, b_folder);
    if (strcmp(a_name, b_name) != 0 || stat(a_folder, &x) != 0 || stat(b_folder, &y) != 0)
      return false;
  }
  return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A file that the standard output goes to already: replacing it would lose what is there. */
static bool is_standard_output(const char *path) {
  struct stat named, own;
  return stat(path, &named) == 0 && fstat(STDOUT_FILENO, &own) == 0 && S_ISREG(own.st_mode) &&
         named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

/* Text would replace a table, whose name the file has. */
static rdx_status refuse_table(const char *path, rdx_error *err) {
  const char *dot = strrchr(path, '.');
  if (!dot || strcasecmp(dot, ".rdx") != 0)
    return RDX_OK;
  return console_error(err, RDX_ERROR_ARGUMENT,
                       "cannot write %s: it is the name of a table file, which 'raydex import' and CREATE TABLE ... AS "
                       "make",
                       path);
}

rdx_status console_output_check(const char *path, bool streams, rdx_error *err) {
  struct stat info;
  char folder[4096], target[4096];
  if (!path)
    return RDX_OK;
  if (!*path)
    return console_error(err, RDX_ERROR_ARGUMENT, "cannot write a file without a name");
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    return console_error(err, RDX_ERROR_ARGUMENT, "cannot write %s: it is no ordinary file%s", path,
                         streams ? "; redirect the standard output to it instead" : "");
  if (is_standard_output(path))
    return console_error(err, RDX_ERROR_ARGUMENT, "cannot write %s: it is the standard output, which is not replaced%s",
                         path, streams ? "; redirect it instead" : "");
  const bool real = realpath(path, target) != NULL;
  if (!real && lstat(path, &info) == 0)
    return console_error(err, RDX_ERROR_ARGUMENT, "cannot write %s: it is a link to what is not there", path);
  split_path(real ? target : path, folder);
  if (access(folder, W_OK | X_OK) != 0)
    return console_error(err, RDX_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
  return RDX_OK;
}

/* Once the user has asked to stop, nothing more is written: it would wait for the same stalled pipe again. */
static ssize_t write_standard(void *cookie, const char *data, size_t size) {
  (void)cookie;
  size_t done = 0;
  while (done < size && !console_interrupted()) {
    const ssize_t n = write(STDOUT_FILENO, data + done, size - done);
    if (n < 0 && errno != EINTR)
      break;
    done += n > 0 ? (size_t)n : 0;
  }
  return (ssize_t)done;
}

static rdx_status open_standard(console_output *out, rdx_error *err) {
  if (fflush(stdout) == 0) /* what was printed before stays before */
    out->stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_standard});
  if (!out->stream)
    return fail_write(out, err);
  if (isatty(STDOUT_FILENO))
    setvbuf(out->stream, NULL, _IOLBF, 0);
  return RDX_OK;
}

rdx_status console_output_open(const char *path, console_output *out, rdx_error *err) {
  *out = (console_output){.path = path};
  if (!path)
    return open_standard(out, err);
  rdx_status status = refuse_table(path, err);
  if (status == RDX_OK)
    status = console_output_check(path, false, err);
  if (status != RDX_OK)
    return status;
  if (realpath(path, out->target)) /* replace what a link points to, not the link */
    out->path = out->target;
  const int length = snprintf(out->temporary, sizeof out->temporary, "%s.XXXXXX", out->path);
  if (length < 0 || (size_t)length >= sizeof out->temporary) {
    out->temporary[0] = '\0';
    errno = ENAMETOOLONG;
    return fail_write(out, err);
  }
  const int file = mkstemp(out->temporary);
  if (file < 0) {
    out->temporary[0] = '\0';
    return fail_write(out, err);
  }
  unfinished = out->temporary;
  out->stream = fdopen(file, "w");
  if (!out->stream) {
    const rdx_status failed = fail_write(out, err);
    close(file);
    console_output_discard(out);
    return failed;
  }
  return RDX_OK;
}

/* The mode of the file that is replaced, or that of a new one. */
static mode_t mode_of(const char *path) {
  struct stat info;
  const mode_t mask = umask(0);
  umask(mask);
  return stat(path, &info) == 0 ? info.st_mode & 0777 : 0666 & ~mask;
}

rdx_status console_output_sync(console_output *out, rdx_error *err) {
  const bool written =
      fflush(out->stream) == 0 && !ferror(out->stream) &&
      (!out->path || (fchmod(fileno(out->stream), mode_of(out->path)) == 0 && fsync(fileno(out->stream)) == 0));
  return written ? RDX_OK : fail_write(out, err);
}

rdx_status console_output_commit(console_output *out, rdx_error *err) {
  rdx_status status = console_output_sync(out, err);
  const bool closed = fclose(out->stream) == 0;
  out->stream = NULL;
  if (status == RDX_OK && (!closed || (out->path && rename(out->temporary, out->path) != 0)))
    status = fail_write(out, err);
  if (status == RDX_OK) {
    unfinished = NULL;
    out->temporary[0] = '\0';
  }
  console_output_discard(out);
  return status;
}

rdx_status console_output_close(console_output *out, rdx_status status, rdx_error *err) {
  if (status == RDX_OK)
    return console_output_finish(out, err);
  if (console_interrupted() || ferror(out->stream)) /* which the work was told to stop for */
    status = fail_write(out, err);
  console_output_discard(out);
  return status;
}

rdx_status console_output_finish(console_output *out, rdx_error *err) {
  if (!console_interrupted())
    return console_output_commit(out, err);
  console_output_discard(out);
  return cancel_output(err);
}

void console_output_discard(console_output *out) {
  if (out->stream)
    fclose(out->stream);
  out->stream = NULL;
  if (out->temporary[0])
    unlink(out->temporary);
  unfinished = NULL;
  out->temporary[0] = '\0';
}

void console_write_quoted(FILE *stream, const char *text, size_t length) {
  fputc('"', stream);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '"')
      fputc('"', stream);
    fputc(text[i], stream);
  }
  fputc('"', stream);
}

/* ---- Numbers ---- */

bool console_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out) {
  if (text[0] < '0' || text[0] > '9')
    return false;
  char *end = NULL;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || *end != '\0' || value < min || value > max)
    return false;
  *out = value;
  return true;
}

bool console_parse_size(const char *text, uint64_t *out) {
  static const char suffixes[] = "KMGT";
  char digits[24];
  const size_t length = strlen(text);
  const char *suffix = length > 1 ? strchr(suffixes, text[length - 1]) : NULL;
  const unsigned shift = suffix ? 10 * ((unsigned)(suffix - suffixes) + 1) : 0;
  const size_t count = length - (suffix != NULL);
  if (count >= sizeof digits)
    return false;
  memcpy(digits, text, count);
  digits[count] = '\0';
  if (!console_parse_u64(digits, 1, UINT64_MAX >> shift, out))
    return false;
  *out <<= shift;
  return true;
}

const char *console_bytes(uint64_t bytes, char out[32]) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = (double)bytes;
  unsigned unit = 0;
  while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
    value /= 1024;
    unit++;
  }
  snprintf(out, 32, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return out;
}
