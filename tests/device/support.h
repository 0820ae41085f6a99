/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#ifndef TESTS_DEVICE_SUPPORT_H
#define TESTS_DEVICE_SUPPORT_H

/* What the tests of devices share. A test program runs on the device that RAYDEX_TEST_DEVICE names (cpu), with the
 * validation layer where RAYDEX_VALIDATION is 1, from the seed in RAYDEX_TEST_SEED. RAYDEX_TEST_ONLY is a
 * pattern of names of tests to run alone. With RAYDEX_TEST_SPLIT=N launches have at most N items, and parts of scenes N
 * primitives, as if data were larger than a device takes at once. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <raydex/raydex.h>

/* The device of this program. */
extern rdx_device *test_device;

/* Open the device, or end the program with 77 ("skipped") where it does not exist, run the tests, and close it. The
 * result is the exit status; a message of the validation layer is a failure, and so is device memory left over. */
int test_main(const struct CMUnitTest *tests, size_t count);

#define TEST_MAIN(tests) test_main(tests, sizeof(tests) / sizeof((tests)[0]))

/* Let launches have so many items at most, 0: as many as the device takes. Returns what it was before. */
uint64_t test_limit_launches(uint64_t items);

/* Whether work is slow here: a Vulkan device emulated on the CPU, or any under ThreadSanitizer. */
bool test_is_slow(void);

/* Whether the device traces rays. */
bool test_traces(void);

/* Whether the device can build an index by this method. */
bool test_can(rdx_index_method method);

/* What a star query found. */
rdx_query_view test_view(const rdx_query_result *result);

/* The next pseudo-random number. */
uint64_t test_random(void);

/* Assert success, showing the error text otherwise. */
#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    rdx_error ok_err = {""};                                                                                           \
    rdx_error *const err = &ok_err;                                                                                    \
    const rdx_status ok_status = (call);                                                                               \
    if (ok_status != RDX_OK)                                                                                           \
      fail_msg("%s: %s", rdx_status_name(ok_status), ok_err.text);                                                     \
  } while (0)

/* Assert a failure with this status and a text. */
#define FAILS(expected, call)                                                                                          \
  do {                                                                                                                 \
    rdx_error fails_err = {""};                                                                                        \
    rdx_error *const err = &fails_err;                                                                                 \
    const rdx_status fails_status = (call);                                                                            \
    if (fails_status != (expected))                                                                                    \
      fail_msg("'%s' (%s) instead of '%s'", rdx_status_name(fails_status), fails_err.text, rdx_status_name(expected)); \
    assert_true(fails_err.text[0] != '\0');                                                                            \
  } while (0)

#endif
