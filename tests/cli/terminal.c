/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* terminal PROGRAM plain|edits: the interactive shell on a pseudo-terminal, typed at as a user would. `edits`: it was
 * built with libedit. Exits with 1 at the first thing that is not as it should be, and prints what was on the
 * terminal. */

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60 }; /* seconds */

static const char *program;
static char folder[] = "/tmp/raydex-terminal-XXXXXX";
static char big[64], people[64];

/* A shell, and what it has written since the last text that was expected. */
static struct {
  pid_t child;
  int terminal;
  char text[1 << 20];
  size_t size;
} session;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static _Noreturn void fail(const char *test, const char *what) {
  fprintf(stderr, "FAILED: %s: %s; on the terminal is:\n%.*s\n", test, what, (int)session.size, session.text);
  if (session.child > 0)
    kill(session.child, SIGKILL);
  exit(EXIT_FAILURE);
}

/* ---- Typing ---- */

static void start(unsigned short columns, const char *pager) {
  const struct winsize size = {.ws_row = 24, .ws_col = columns};
  session.size = 0;
  session.child = forkpty(&session.terminal, NULL, NULL, &size);
  if (session.child < 0)
    fail("start", strerror(errno));
  if (session.child > 0)
    return;
  setenv("HOME", folder, 1);
  setenv("TERM", "xterm", 1);
  setenv("PAGER", pager, 1);
  unsetenv("XDG_STATE_HOME");
  unsetenv("XDG_CONFIG_HOME");
  unsetenv("LESS");
  execl(program, program, "--device", "cpu", people, big, (char *)NULL);
  _exit(127);
}

static void type(const char *text) {
  for (size_t done = 0; done < strlen(text);) {
    const ssize_t n = write(session.terminal, text + done, strlen(text) - done);
    if (n < 0)
      fail("type", strerror(errno));
    done += (size_t)n;
  }
}

/* Read what comes within `wait` seconds; false: nothing came, or the shell has gone. */
static bool read_more(double wait) {
  struct pollfd input = {.fd = session.terminal, .events = POLLIN};
  if (poll(&input, 1, (int)(wait * 1000)) <= 0)
    return false;
  if (session.size > sizeof session.text / 2)
    session.size = 0;
  const ssize_t n = read(session.terminal, session.text + session.size, sizeof session.text - 1 - session.size);
  if (n <= 0)
    return false;
  session.size += (size_t)n;
  session.text[session.size] = '\0';
  return true;
}

/* Wait for a text, and forget what was before it. */
static void expect(const char *test, const char *text) {
  const double end = seconds() + PATIENCE;
  for (;;) {
    const char *found = session.size > 0 ? strstr(session.text, text) : NULL;
    if (found) {
      const size_t used = (size_t)(found - session.text) + strlen(text);
      memmove(session.text, session.text + used, session.size - used + 1);
      session.size -= used;
      return;
    }
    if (seconds() > end || (!read_more(1) && waitpid(session.child, NULL, WNOHANG | WNOWAIT) != 0)) {
      char what[256];
      snprintf(what, sizeof what, "'%s' does not come", text);
      fail(test, what);
    }
  }
}

/* Wait until the shell has gone, by itself and with this status. */
static void expect_end(const char *test, int wanted) {
  int status = 0;
  const double end = seconds() + PATIENCE;
  while (waitpid(session.child, &status, WNOHANG) == 0) {
    read_more(0.05);
    if (seconds() > end)
      fail(test, "the shell does not end");
  }
  session.child = 0;
  close(session.terminal);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted)
    fail(test, "the shell ends with another status");
}

#define PROMPT "raydex> "
#define INSIDE "   ...> "

/* ---- Tests ---- */

static void test_statements(void) {
  const char *test = "statements";
  start(80, "cat");
  expect(test, PROMPT);
  type("SELECT count(*) AS n\n");
  expect(test, INSIDE);
  type("FROM people -- not yet;\n");
  expect(test, INSIDE);
  type("WHERE name <> 'x;';\n");
  expect(test, "n \xe2\x94\x82");
  expect(test, "3 \xe2\x94\x82");
  expect(test, PROMPT);
  type("SELECT nmae FROM people;\n");
  expect(test, "LINE 1: SELECT nmae FROM people");
  expect(test, PROMPT);
  type(".tabels\n");
  expect(test, "did you mean .tables?");
  expect(test, PROMPT);
  type("SELECT note FROM people WHERE name = 'carl';\n");
  expect(test, "\\x1b[31mred");
  expect(test, PROMPT);
  type("\x04");
  expect_end(test, 0);
}

static void test_width(void) {
  const char *test = "width";
  start(30, "cat");
  expect(test, PROMPT);
  type("SELECT * FROM people;\n");
  expect(test, "\xe2\x94\x8c");
  expect(test, "\xe2\x80\xa6");
  expect(test, "\xe2\x94\x98");
  expect(test, PROMPT);
  type(".quit 7\n");
  expect_end(test, 7);
}

static void test_pager(void) {
  const char *test = "pager";
  start(80, "sed 's/^/paged /'");
  expect(test, PROMPT);
  type("SELECT k FROM big WHERE k < 100;\n");
  expect(test, "paged \xe2\x94\x8c");
  expect(test, "paged \xe2\x94\x94");
  expect(test, PROMPT);
  type("SELECT k FROM big WHERE k < 3;\n"); /* fits the screen */
  expect(test, "\n\xe2\x94\x8c");
  expect(test, PROMPT);
  type("\x04");
  expect_end(test, 0);
}

static void test_interrupt_line(void) {
  const char *test = "Ctrl-C at the prompt";
  start(80, "cat");
  expect(test, PROMPT);
  type("SELECT garbage");
  expect(test, "garbage");
  type("\x03");
  expect(test, PROMPT);
  type("SELECT (\n");
  expect(test, INSIDE);
  type("\x03");
  expect(test, PROMPT);
  type("SELECT count(*) * 7 AS n FROM people;\n");
  expect(test, "21 \xe2\x94\x82");
  expect(test, PROMPT);
  type("\x04");
  expect_end(test, 0);
}

/* Three times, with more than a second between two of them: a program that is no shell ends then. */
static void test_interrupt_statement(void) {
  const char *test = "Ctrl-C in a statement";
  start(80, "cat");
  expect(test, PROMPT);
  for (int round = 0; round < 3; round++) {
    type("SELECT count(*) FROM big a JOIN big b ON a.k < b.k;\n");
    expect(test, "b.k;");
    usleep(500000);
    while (read_more(0))
      ;
    if (session.size > 0 && strstr(session.text, PROMPT))
      fail(test, "the statement is too short");
    const double begin = seconds();
    type("\x03");
    expect(test, PROMPT);
    if (seconds() - begin > 5) /* 0.1 s on a machine that has nothing else to do */
      fail(test, "it takes too long");
    usleep(600000);
    type("SELECT count(*) + 1000 AS n FROM people;\n");
    expect(test, "1003 \xe2\x94\x82");
    expect(test, PROMPT);
  }
  type("\x04");
  expect_end(test, 0);
}

static void test_signals(void) {
  static const int signals[][2] = {{SIGTERM, 143}, {SIGHUP, 129}};
  for (int i = 0; i < 2; i++) {
    start(80, "cat");
    expect("signals", PROMPT);
    kill(session.child, signals[i][0]);
    expect_end("signals", signals[i][1]);
  }
}

/* A shell that reads a pipe: it is answered first, so that it is about to read on when the signal comes. */
static void interrupt_pipe(const char *test, double after) {
  int in[2], out[2], status = 0;
  char answer[64];
  if (pipe(in) != 0 || pipe(out) != 0)
    fail(test, strerror(errno));
  session.child = fork();
  if (session.child == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    close(out[0]);
    execl(program, program, "--device", "cpu", (char *)NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  if (write(in[1], "SELECT 1;\n", 10) != 10 || read(out[0], answer, sizeof answer) <= 0)
    fail(test, "there is no answer");
  const double moment = seconds() + after;
  while (seconds() < moment)
    ;
  kill(session.child, SIGINT);
  const double end = seconds() + PATIENCE;
  while (waitpid(session.child, &status, WNOHANG) == 0) {
    if (seconds() > end)
      fail(test, "a signal is lost");
    usleep(1000);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 130)
    fail(test, "the shell does not end as Ctrl-C ends programs");
  close(in[1]);
  close(out[0]);
}

static void test_interrupt_pipe(void) {
  session.size = 0;
  for (int i = 0; i < 100; i++)
    interrupt_pipe("interrupt pipe", i * 20e-6);
}

static void test_editing(void) {
  const char *test = "editing";
  start(80, "cat");
  expect(test, PROMPT);
  type("SELECT count(*) + 20 FROM peoplx\x7f"
       "e");
  type("\x01\x1b[C\x1b[C\x05;\n"); /* to the start, right, to the end */
  expect(test, "23 \xe2\x94\x82");
  expect(test, PROMPT);
  type("SEL\t"); /* a word of SQL, a table and a column */
  expect(test, "ECT ");
  type("count(*) + 30 FROM peo\t WHERE hei\t> 1;\n");
  expect(test, "33 \xe2\x94\x82");
  expect(test, PROMPT);
  type(".mod\tcsv\n");
  expect(test, PROMPT);
  type("SELECT count(*) + 40 AS n\nFROM people;\n");
  expect(test, "43");
  expect(test, PROMPT);
  type("\x04");
  expect_end(test, 0);
}

static void test_history(void) {
  const char *test = "history";
  struct stat info;
  char path[128];
  snprintf(path, sizeof path, "%s/.local/state/raydex/history", folder);
  if (stat(path, &info) != 0 || (info.st_mode & 0777) != 0600)
    fail(test, "there is no history for its owner alone");
  start(80, "cat");
  expect(test, PROMPT);
  type("\x1b[A"); /* the last statement of the test before, of two lines */
  expect(test, "FROM people;");
  type("\n");
  expect(test, "43 \xe2\x94\x82");
  expect(test, PROMPT);
  type("\x1b[A\x1b[A\n"); /* .mode csv */
  expect(test, PROMPT);
  type("SELECT 50 + count(*) FROM people;\n");
  expect(test, "\n53");
  expect(test, PROMPT);
  type("\x04");
  expect_end(test, 0);
}

/* ---- Data ---- */

static void write_files(void) {
  snprintf(people, sizeof people, "%s/people.csv", folder);
  snprintf(big, sizeof big, "%s/big.csv", folder);
  FILE *stream = fopen(people, "w");
  if (!stream)
    fail("start", strerror(errno));
  fputs("name,height,note\nanna,1.70,a note that is longer than a narrow terminal\nben,1.80,\n"
        "carl,1.90,\"\x1b[31mred\"\n",
        stream);
  fclose(stream);
  stream = fopen(big, "w");
  if (!stream)
    fail("start", strerror(errno));
  fputs("k\n", stream);
  for (int i = 0; i < 100000; i++)
    fprintf(stream, "%d\n", i);
  fclose(stream);
}

static void remove_files(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0)
    fprintf(stderr, "%s is left\n", folder);
}

int main(int argc, char **argv) {
  if (argc != 3 || !mkdtemp(folder))
    return 2;
  program = argv[1];
  signal(SIGPIPE, SIG_IGN);
  atexit(remove_files);
  write_files();
  test_statements();
  test_width();
  test_pager();
  test_interrupt_line();
  test_interrupt_statement();
  test_signals();
  test_interrupt_pipe();
  if (strcmp(argv[2], "edits") == 0) {
    test_editing();
    test_history();
  }
  return EXIT_SUCCESS;
}
