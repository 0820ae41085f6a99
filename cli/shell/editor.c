/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "cli/shell/editor.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prompts do not get into what is piped on. */
static FILE *prompt_stream(void) {
  return isatty(STDOUT_FILENO) ? stdout : stderr;
}

typedef enum input { INPUT_READY, INPUT_STOPPED, INPUT_WOKEN } input;

/* Wait for something to read: also until a signal asks to stop, or another one comes. */
static input wait_for_input(void) {
  struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = console_interrupt_file(), .events = POLLIN}};
  const bool ready = !console_interrupted() && poll(files, 2, -1) > 0;
  if (console_interrupted())
    return INPUT_STOPPED;
  if (ready && files[1].revents)
    console_forget_interrupt(); /* it came while an earlier one was forgotten */
  return ready && files[0].revents ? INPUT_READY : INPUT_WOKEN;
}

#ifdef RAYDEX_LIBEDIT

#include <errno.h>
#include <histedit.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <wchar.h>

struct shell_editor {
  shell *s;
  const shell_reader *reader;
  EditLine *line;
  History *history;
  const char *prompt;
};

static volatile sig_atomic_t resized, continued;

static void on_signal(int number) {
  if (number == SIGWINCH)
    resized = 1;
  else
    continued = 1;
}

static shell_editor *editor_of(EditLine *line) {
  void *editor = NULL;
  el_get(line, EL_CLIENTDATA, &editor);
  return editor;
}

static char *prompt_of(EditLine *line) {
  return (char *)editor_of(line)->prompt;
}

/* ---- Keys ---- */

/* What libedit missed while the process was stopped, or the window had another size. */
static void redraw(EditLine *line) {
  if (resized)
    el_resize(line);
  if (continued) {
    el_set(line, EL_PREP_TERM, 0);
    el_set(line, EL_PREP_TERM, 1);
  }
  if (resized || continued)
    el_set(line, EL_REFRESH);
  resized = continued = 0;
}

/* A character from the terminal; 0: its end, -1: a signal. */
static int read_key(EditLine *line, wchar_t *out) {
  mbstate_t state = {0};
  for (size_t length = 0; length < 8;) {
    char byte;
    input what;
    do {
      redraw(line);
      what = wait_for_input();
    } while (what == INPUT_WOKEN);
    if (what == INPUT_STOPPED)
      return -1;
    const ssize_t n = read(STDIN_FILENO, &byte, 1);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return (int)n;
    length++;
    const size_t used = mbrtowc(out, &byte, 1, &state);
    if (used == (size_t)-1) { /* no UTF-8: left out */
      state = (mbstate_t){0};
      length = 0;
    } else if (used != (size_t)-2) {
      return 1;
    }
  }
  return -1;
}

/* ---- Completion ---- */

static size_t common_length(const shell_completions *all) {
  size_t length = strlen(all->words[0]);
  for (size_t i = 1; i < all->count; i++) {
    size_t same = 0;
    while (same < length && all->words[0][same] == all->words[i][same])
      same++;
    length = same;
  }
  while (length > 0 && (all->words[0][length] & 0xc0) == 0x80) /* no part of a character */
    length--;
  return length;
}

static int compare_words(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_words(const shell_completions *all) {
  enum { MAX = 200 };
  struct winsize size;
  size_t width = 1;
  for (size_t i = 0; i < all->count; i++)
    width = strlen(all->words[i]) > width ? strlen(all->words[i]) : width;
  const size_t columns = ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  const size_t per_line = columns / (width + 2) > 0 ? columns / (width + 2) : 1;
  FILE *stream = prompt_stream();
  qsort(all->words, all->count, sizeof *all->words, compare_words);
  fputc('\n', stream);
  for (size_t i = 0; i < all->count && i < MAX; i++) {
    const bool last = i % per_line == per_line - 1 || i + 1 == all->count;
    fprintf(stream, "%-*s%s", last ? 0 : (int)width, all->words[i], last ? "\n" : "  ");
  }
  if (all->count > MAX)
    fprintf(stream, "and %zu more\n", all->count - MAX);
  fflush(stream);
}

static unsigned char complete(EditLine *line, int key) {
  (void)key;
  shell_editor *e = editor_of(line);
  const LineInfo *info = el_line(line);
  char *text = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
  shell_completions all = {0};
  size_t begin = 0;
  unsigned char result = CC_ERROR;
  if (!text)
    return result;
  shell_complete(e->s, shell_is_inside(e->reader) ? e->reader->text.data : "", text, &all, &begin);
  if (all.count > 0) {
    const size_t length = common_length(&all);
    char *word = strndup(all.words[0], length);
    const bool whole = all.count == 1 && length > 0 && word && word[length - 1] != '/';
    if (word && (whole || length > strlen(text + begin) || (all.count == 1 && strcmp(word, text + begin) != 0))) {
      el_deletestr(line, (int)mbstowcs(NULL, text + begin, 0));
      result = el_insertstr(line, word) == 0 && (!whole || el_insertstr(line, " ") == 0) ? CC_REFRESH : CC_ERROR;
    } else if (all.count > 1) {
      list_words(&all);
      result = CC_REDISPLAY;
    }
    free(word);
  }
  shell_drop_completions(&all);
  free(text);
  return result;
}

/* ---- Lines ---- */

static void enter_history(void *user, const char *text) {
  shell_editor *e = user;
  HistEvent event;
  history(e->history, &event, H_ENTER, text);
}

static void catch_signals(void) {
  const struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGWINCH, &action, NULL);
  sigaction(SIGCONT, &action, NULL);
}

shell_editor *shell_open_editor(shell *s, const shell_reader *reader) {
  shell_editor *e = shell_allocate(sizeof *e);
  HistEvent event;
  *e = (shell_editor){.s = s, .reader = reader};
  e->line = el_init("raydex", stdin, prompt_stream(), stderr);
  e->history = history_init();
  if (!e->line || !e->history) {
    console_fail(RDX_ERROR_IO, "cannot edit lines on this terminal");
    exit(EXIT_FAILURE);
  }
  history(e->history, &event, H_SETSIZE, 10000);
  history(e->history, &event, H_SETUNIQUE, 1);
  shell_load_history(enter_history, e);
  el_set(e->line, EL_CLIENTDATA, e);
  el_set(e->line, EL_PROMPT, prompt_of);
  el_set(e->line, EL_SIGNAL, 0);
  el_set(e->line, EL_EDITOR, "emacs");
  el_set(e->line, EL_HIST, history, e->history);
  el_set(e->line, EL_GETCFN, read_key);
  el_wset(e->line, EL_ADDFN, L"raydex-complete", L"complete a word", complete); /* el_set() would leak them */
  el_set(e->line, EL_BIND, "^I", "raydex-complete", NULL);
  el_set(e->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
  el_source(e->line, NULL);
  catch_signals();
  return e;
}

void shell_close_editor(shell_editor *e) {
  el_end(e->line);
  history_end(e->history);
  free(e);
}

shell_typed shell_read_line(shell_editor *e, const char *prompt, const char **line) {
  int length = 0;
  e->prompt = prompt;
  el_resize(e->line); /* the window may have changed while a statement ran */
  resized = continued = 0;
  el_set(e->line, EL_PREP_TERM, 1); /* before the prompt: whoever waits for it may type Ctrl-D at once */
  *line = el_gets(e->line, &length);
  if (console_interrupted()) {
    fputs("^C\n", prompt_stream());
    return SHELL_TYPED_INTERRUPT;
  }
  if (*line && length > 0)
    return SHELL_TYPED_LINE;
  fputc('\n', prompt_stream());
  return SHELL_TYPED_END;
}

void shell_remember(shell_editor *e, const char *text) {
  enter_history(e, text);
  shell_save_history(text);
}

#else

struct shell_editor {
  char *line;
  size_t capacity;
};

shell_editor *shell_open_editor(shell *s, const shell_reader *reader) {
  (void)s;
  (void)reader;
  return shell_allocate(sizeof(shell_editor));
}

void shell_close_editor(shell_editor *e) {
  free(e->line);
  free(e);
}

shell_typed shell_read_line(shell_editor *e, const char *prompt, const char **line) {
  fputs(prompt, prompt_stream());
  fflush(prompt_stream());
  input what;
  while ((what = wait_for_input()) == INPUT_WOKEN)
    ;
  const bool got = what == INPUT_READY && getline(&e->line, &e->capacity, stdin) > 0;
  *line = e->line;
  if (console_interrupted()) {
    clearerr(stdin);
    fputc('\n', prompt_stream());
    return SHELL_TYPED_INTERRUPT;
  }
  if (got)
    return SHELL_TYPED_LINE;
  fputc('\n', prompt_stream());
  return SHELL_TYPED_END;
}

void shell_remember(shell_editor *e, const char *text) {
  (void)e;
  (void)text;
}

#endif
