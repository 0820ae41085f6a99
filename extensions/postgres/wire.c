/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

bool wire_send(int fd, const void *bytes, size_t size) {
  const char *from = bytes;
  while (size > 0) {
    const ssize_t sent = send(fd, from, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    from += sent;
    size -= (size_t)sent;
  }
  return true;
}

bool wire_receive(int fd, void *bytes, size_t size) {
  char *to = bytes;
  while (size > 0) {
    const ssize_t got = recv(fd, to, size, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    to += got;
    size -= (size_t)got;
  }
  return true;
}

/* A control message with room for one descriptor. */
typedef union Control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
} Control;

bool wire_send_reply(int fd, const WireReply *reply, int file) {
  Control control = {0};
  struct iovec part = {(void *)reply, sizeof *reply};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (file >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(header), &file, sizeof file);
  }
  ssize_t sent;
  do
    sent = sendmsg(fd, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent > 0 && wire_send(fd, (const char *)reply + sent, sizeof *reply - (size_t)sent);
}

bool wire_receive_reply(int fd, WireReply *reply, int *file) {
  Control control = {0};
  struct iovec part = {reply, sizeof *reply};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  ssize_t got;
  *file = -1;
  do
    got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got <= 0)
    return false;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(file, CMSG_DATA(header), sizeof *file);
  if (wire_receive(fd, (char *)reply + got, sizeof *reply - (size_t)got))
    return true;
  if (*file >= 0)
    close(*file);
  *file = -1;
  return false;
}

/* ---- Tables ---- */

/* Places are bytes from the start of the file; 0: there is nothing. */
typedef struct WireColumn {
  uint32_t type, scale;
  uint64_t values, offsets, validity;
} WireColumn;

typedef struct WireTable {
  uint64_t rows, columns;
} WireTable;

static uint64_t aligned(uint64_t size) {
  return (size + 63) / 64 * 64;
}

static uint64_t string_bytes(const rdx_column *c) {
  uint64_t total = 0, length;
  for (uint64_t row = 0; row < c->rows; row++) {
    rdx_column_string(c, row, &length);
    total += length;
  }
  return total;
}

/* Where each part of a column goes, from *end on. */
static WireColumn lay_out(const rdx_column *c, uint64_t *end) {
  WireColumn placed = {.type = (uint32_t)c->type, .scale = c->scale, .values = *end};
  const bool is_string = c->type == RDX_TYPE_STRING;
  *end += aligned(is_string ? string_bytes(c) : c->rows * rdx_type_size(c->type));
  if (is_string) {
    placed.offsets = *end;
    *end += aligned((c->rows + 1) * sizeof(uint64_t));
  }
  if (c->validity) {
    placed.validity = *end;
    *end += aligned((c->rows + 7) / 8);
  }
  return placed;
}

static void copy_column(char *map, const WireColumn *placed, const rdx_column *c) {
  if (c->rows == 0)
    return;
  if (c->validity)
    memcpy(map + placed->validity, c->validity, (c->rows + 7) / 8);
  if (c->type != RDX_TYPE_STRING) {
    memcpy(map + placed->values, c->values, c->rows * rdx_type_size(c->type));
    return;
  }
  uint64_t *offsets = (uint64_t *)(map + placed->offsets), length;
  offsets[0] = 0;
  for (uint64_t row = 0; row < c->rows; row++) {
    const char *text = rdx_column_string(c, row, &length);
    memcpy(map + placed->values + offsets[row], text, length);
    offsets[row + 1] = offsets[row] + length;
  }
}

static bool fill_file(int file, const rdx_table *table, uint64_t *size) {
  const uint32_t count = rdx_table_columns(table);
  const uint64_t head = aligned(sizeof(WireTable) + count * sizeof(WireColumn));
  *size = head;
  for (uint32_t i = 0; i < count; i++)
    lay_out(rdx_table_column(table, i), size);
  /* Pages that there is no memory for are an error here, and would be a signal below. */
  if (posix_fallocate(file, 0, (off_t)*size) != 0)
    return false;
  char *map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (map == MAP_FAILED)
    return false;
  WireColumn *placed = (WireColumn *)(map + sizeof(WireTable));
  uint64_t end = head;
  *(WireTable *)map = (WireTable){rdx_table_rows(table), count};
  for (uint32_t i = 0; i < count; i++) {
    placed[i] = lay_out(rdx_table_column(table, i), &end);
    copy_column(map, &placed[i], rdx_table_column(table, i));
  }
  munmap(map, *size);
  return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0;
}

int wire_write_table(const rdx_table *table, uint64_t *size) {
  const int file = memfd_create("raydex", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 && fill_file(file, table, size))
    return file;
  if (file >= 0)
    close(file);
  return -1;
}

uint32_t wire_read_table(const void *map, rdx_column *columns) {
  const char *start = map;
  const WireTable *table = map;
  const WireColumn *placed = (const WireColumn *)(start + sizeof *table);
  for (uint64_t i = 0; columns && i < table->columns; i++)
    columns[i] = (rdx_column){.type = (rdx_type)placed[i].type,
                              .scale = (uint8_t)placed[i].scale,
                              .rows = table->rows,
                              .values = start + placed[i].values,
                              .offsets = placed[i].offsets ? (const uint64_t *)(start + placed[i].offsets) : NULL,
                              .validity = placed[i].validity ? (const uint8_t *)(start + placed[i].validity) : NULL};
  return (uint32_t)table->columns;
}
