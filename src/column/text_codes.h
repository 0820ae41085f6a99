/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_COLUMN_TEXT_CODES_H
#define RDX_COLUMN_TEXT_CODES_H

/* Strings as keys where their first eight bytes hardly tell them apart ("Customer#000000001"): their places in a
 * dictionary, in whose order they are. By prefix, a lookup would compare all strings that begin alike. */

#include "column/dictionary.h"
#include "column/device_column.h"

/* Whether the strings of a column are far more than their prefixes, or far fewer than its rows, by a sample. */
RDX_MUST_USE rdx_status rdx_text_wants_codes(const rdx_device_column *column, bool *out, rdx_error *err);

/* The dictionary of a column of strings, and their codes on the device: u32, NULL where they are. */
RDX_MUST_USE rdx_status rdx_text_codes_create(const rdx_device_column *column, rdx_dictionary **dictionary,
                                              rdx_device_column **codes, rdx_error *err);

/* Probes as u32 that match the codes of the same strings: points, or (with `upper`) bounds, of which the lower is the
 * larger where no string lies between. Drop them with rdx_text_probes_drop(), after an error, too. */
typedef struct rdx_text_probes {
  rdx_column lower, upper;
} rdx_text_probes;

RDX_MUST_USE rdx_status rdx_text_probes_make(const rdx_dictionary *dictionary, const rdx_column *lower,
                                             const rdx_column *upper, rdx_text_probes *out, rdx_error *err);
void rdx_text_probes_drop(rdx_text_probes *probes);

#endif
