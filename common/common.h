/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef COMMON_H
#define COMMON_H

/* What the programs share: messages and exit statuses, progress and Ctrl-C, output files, numbers in options, options
 * of methods, threads. */

#include <raydex/raydex.h>

#include <getopt.h>
#include <stdio.h>

#define EXIT_USAGE 2

/* Set up for `program` (a constant name): progress on stderr where it is a terminal, Ctrl-C, SIGTERM and SIGHUP to
 * cancel. */
void console_start(const char *program);

/* Whether the user asked to stop. */
bool console_interrupted(void);

/* From now on Ctrl-C cancels what runs and never ends the program, however often it comes. */
void console_stay(void);

/* A file that is open, read in a way that a signal to stop ends, whenever it comes; NULL with errno. Close the stream
 * with fclose(), and the file afterwards. */
FILE *console_open_input(int file);

/* After console_stay(): a file for poll() that can be read when a signal asks to stop, whichever thread it came to. */
int console_interrupt_file(void);

/* After console_stay(): forget that the user pressed Ctrl-C; false: another signal asks to stop, and still does. */
bool console_forget_interrupt(void);

/* The exit status of a program that a signal has told to stop: 128 and its number. */
int console_interrupt_status(void);

/* Show how far a program's own work has come, as rdx_progress_fn says it; whether the user asked to stop. */
bool console_progress(const char *stage, uint64_t done, uint64_t total);

/* Print an error on stderr; the exit status for it: after a signal that cancelled the work, 128 and its number. */
int console_fail(rdx_status status, const char *format, ...) RDX_PRINTF(2, 3);

/* Write what the standard output still holds; `status`, or that of the error that this met. */
int console_finish(int status);

/* Write the text of `err` (NULL allowed) and return `status`. Of a text that is too long the middle is left out. */
rdx_status console_error(rdx_error *err, rdx_status status, const char *format, ...) RDX_PRINTF(3, 4);

/* Print what is wrong with the command line and where to find help; EXIT_USAGE. `command` may be NULL. */
int console_usage(const char *command, const char *format, ...) RDX_PRINTF(2, 3);

/* Print a line of ordinary information on stderr. */
void console_note(const char *format, ...) RDX_PRINTF(1, 2);

/* ---- Words (words.c) ---- */

/* The known word that is closest to one that is not; all zero: none is close. */
typedef struct console_guess {
  const char *known;
  uint32_t away;
} console_guess;

/* Take `known` for `word` if it is close to it and closer than what was taken before. */
void console_nearest(const char *word, const char *known, console_guess *guess);

/* "; did you mean PREFIXknown?" or "", in `out`. */
const char *console_guess_text(const console_guess *guess, const char *prefix, char out[64]);

/* What is wrong with an option that has a value, where it was given before with another: one of them would be
 * forgotten. NULL: nothing, or it takes no value. Numbers of options are below 128. */
const char *console_twice(int option, const char *value);

/* The usage error of an option that getopt_long() has just refused, when the values of long options are below ' '. */
int console_no_option(const char *command, char **argv, const struct option *options);

/* What makes a plural of a noun after a number. */
static inline const char *console_s(uint64_t number) {
  return number == 1 ? "" : "s";
}

/* ---- Output ---- */

/* The standard output, or a file that appears in one step when it is complete. */
typedef struct console_output {
  FILE *stream;
  const char *path; /* NULL: the standard output */
  char target[4096], temporary[4096];
  int error; /* errno of the write that failed; 0: none has been seen */
} console_output;

/* Find out before the work, rather than after it, that `path` (NULL: the standard output) cannot be written: only
 * ordinary files are replaced. `streams`: what goes there might as well go to the standard output. */
RDX_MUST_USE rdx_status console_output_check(const char *path, bool streams, rdx_error *err);

/* Whether two paths mean one file, be it there or not. */
bool console_same_file(const char *a, const char *b);

/* Open a new file beside `path`, or the standard output for NULL. */
RDX_MUST_USE rdx_status console_output_open(const char *path, console_output *out, rdx_error *err);

/* Whether to write on is of no use: after Ctrl-C, or a write that failed. */
bool console_output_stopped(console_output *out);

/* Flush what was written so far, a file to the disk. */
RDX_MUST_USE rdx_status console_output_sync(console_output *out, rdx_error *err);

/* The same, and move the file to its path. On failure the path is as it was. */
RDX_MUST_USE rdx_status console_output_commit(console_output *out, rdx_error *err);

/* The same, but after Ctrl-C drop the file: RDX_ERROR_CANCELLED. */
RDX_MUST_USE rdx_status console_output_finish(console_output *out, rdx_error *err);

/* The same for what was written while it was worked out: where that failed, drop the file, and say why, or that writing
 * failed. */
RDX_MUST_USE rdx_status console_output_close(console_output *out, rdx_status status, rdx_error *err);

/* Drop the file, unless it was committed. */
void console_output_discard(console_output *out);

/* Write `length` bytes as a CSV field in quotes. */
void console_write_quoted(FILE *stream, const char *text, size_t length);

/* ---- Numbers in options: all of the text, or false ---- */

bool console_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* Bytes, with an optional K, M, G or T (powers of 1024). */
bool console_parse_size(const char *text, uint64_t *out);

/* `bytes` as people write it, such as "1.5 GiB". */
const char *console_bytes(uint64_t bytes, char out[32]);

/* ---- Options of methods (methods.c) ---- */

/* Parse "NAME=VALUE[,NAME=VALUE...]" for the method that the params name; NULL or what is wrong with it. */
const char *console_parse_index_options(const char *text, rdx_index_params *params);
const char *console_parse_scan_options(const char *text, rdx_scan_params *params);
const char *console_parse_star_options(const char *text, rdx_star_params *params);

/* Print all options of all methods. */
void console_print_index_options(void);
void console_print_scan_options(void);
void console_print_star_options(void);

/* ---- Threads (threads.c) ---- */

#define CONSOLE_MAX_THREADS 256

/* The cores that this process may use; at least 1, at most CONSOLE_MAX_THREADS. */
uint32_t console_cores(void);

/* Call run(context, t) for each t below `threads` at the same time, as far as the system gives threads, and up to
 * CONSOLE_MAX_THREADS; else one after the other. */
void console_threads(uint32_t threads, void (*run)(void *context, uint32_t thread), void *context);

#endif
