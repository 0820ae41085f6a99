/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_FUZZ_REPLAY_H
#define TESTS_FUZZ_REPLAY_H

/* What the fuzzers share: a check, and the program that replays files where there is no libFuzzer. Included once, by
 * the one file of a fuzzer. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                          \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef RAYDEX_LIBFUZZER

/* Without libFuzzer: each file, and every beginning of the small ones, in memory of exactly its size. */
static void replay(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size > 0 ? size : 1);
  CHECK(copy);
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    static uint8_t data[1 << 20];
    FILE *file = fopen(argv[i], "rb");
    if (!file) {
      fprintf(stderr, "cannot read %s\n", argv[i]);
      return 1;
    }
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    for (size_t length = size < 1000 ? 0 : size; length <= size; length++)
      replay(data, length);
  }
  printf("%d files replayed\n", argc - 1);
  return 0;
}

#endif

#endif
