/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef GENERATOR_TEXT_H
#define GENERATOR_TEXT_H

/* Rows as text, in dbgen's form. Numbers of 8 to 32 bits, decimals of scale 2, dates from 1970 on, strings. */

#include "generator/generator.h"

/* Bytes that a row of a table takes at most. */
size_t generator_text_width(const generator_table *table);

/* Write the rows of a batch; the end of the text. */
char *generator_text_write(const generator_batch *batch, uint32_t columns, char *to);

#endif
