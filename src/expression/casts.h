/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_EXPRESSION_CASTS_H
#define RDX_EXPRESSION_CASTS_H

#include "expression/block.h"

rdx_values_function rdx_cast_to_text, rdx_cast_from_text;

/* Whether a cast changes nothing about values as they are kept. */
bool rdx_cast_is_free(const rdx_node *from, const rdx_node *n);

#define RDX_DATE_FORM 48

/* A date, perhaps with a time, in another form than ISO 8601's as that has it; its length, or 0: it is in none. */
size_t rdx_date_form(const char *text, size_t length, char out[RDX_DATE_FORM]);

#define RDX_TEXT_OF_VALUE 128

/* A value that is no TEXT as a text; its length. DECIMAL as its class has it. */
size_t rdx_value_format(rdx_sql_type type, rdx_class class, const rdx_datum *value, char out[RDX_TEXT_OF_VALUE]);

#endif
