/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RDX_DATABASE_TURN_H
#define RDX_DATABASE_TURN_H

#include "database/internal.h"

/* Statements that change tables take turns, in all threads and processes: each reads a table's version and writes the
 * next one, and what another one wrote in between would be lost. */
typedef struct rdx_turn {
  rdx_database *database; /* NULL: it is not held */
  int folders[2];         /* locked for other processes; -1: there is none, or its file system has no locks */
} rdx_turn;

/* Whether a statement needs a turn. */
bool rdx_turn_is_for(const rdx_prepared *prepared);
/* Wait for the turn, until the statement is cancelled or its time is over. What the statement reads must be looked at
 * after that. */
RDX_MUST_USE rdx_status rdx_turn_take(rdx_database *database, const rdx_prepared *prepared, rdx_turn *out,
                                      rdx_error *err);
void rdx_turn_give(rdx_turn *turn);
/* Whether no process changes tables of the folder, which is so until `*folder` is closed. */
bool rdx_turn_try(const rdx_database *database, int *folder);

#endif
