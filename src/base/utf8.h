/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_BASE_UTF8_H
#define RDX_BASE_UTF8_H

/* Text in UTF-8. */

#include <stddef.h>

/* How many bytes from the first are UTF-8: `size` where all are. */
size_t rdx_utf8_check(const char *text, size_t size);

/* Write a text for people, ended by a NUL, to `to`, which has `capacity` bytes: control characters, and bytes that are
 * not UTF-8, are escaped as \n or \x1b; what does not fit ends in dots. Returns `to`. */
const char *rdx_utf8_escape(const char *text, size_t size, char *to, size_t capacity);

/* The same, but what does not fit is left out of the middle: of a message about a long path both ends count. */
void rdx_utf8_escape_message(const char *text, size_t size, char *to, size_t capacity);

#endif
