/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef RAYDEX_WIRE_H
#define RAYDEX_WIRE_H

/* What sessions and the worker say to each other over a socket. Both are of one build on one machine. Tables go by a
 * file in memory that the receiver maps. Plain C: the worker has nothing of PostgreSQL. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <raydex/raydex.h>

typedef enum WireKind {
  WIRE_ASK,      /* the answer of a query */
  WIRE_PREPARED, /* what rdx_database_prepared() tells of a folder that is open; an empty table of another */
} WireKind;

/* A request: this, the folder and the text, each with a NUL. */
typedef struct WireRequest {
  uint32_t kind;
  uint32_t counts_rays;
  uint32_t folder_size, text_size; /* bytes, the NULs among them */
} WireRequest;

#define WIRE_MAX_TEXT (1u << 28)

/* An answer; where `size` is not 0, the file with the table comes with it. */
typedef struct WireReply {
  int32_t status; /* rdx_status */
  uint32_t reserved;
  uint64_t size; /* of the file */
  uint64_t rows, rays;
  double plan_ms, execute_ms, device_ms;
  char method[160], device[64];
  rdx_error error;
} WireReply;

/* Write and read all; false: the other side is gone. */
bool wire_send(int fd, const void *bytes, size_t size);
bool wire_receive(int fd, void *bytes, size_t size);
/* The same for a reply, with a file (-1: none), which wire_receive_reply() waits for. */
bool wire_send_reply(int fd, const WireReply *reply, int file);
bool wire_receive_reply(int fd, WireReply *reply, int *file);

/* A table as a file in memory that nobody changes any more; -1: there is no memory for it. */
int wire_write_table(const rdx_table *table, uint64_t *size);

/* The number of columns of a mapped table; with `columns` not NULL they view the map. */
uint32_t wire_read_table(const void *map, rdx_column *columns);

#endif
