/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* A system that starts no threads: what is left to the library works with fewer, and Embree, which would end the
 * program, is not called. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <raydex/raydex.h>

static _Atomic int threads_left;

/* In place of the system's, for all that is linked. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*start)(void *), void *argument) {
  int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
  void *found = dlsym(RTLD_NEXT, "pthread_create");
  memcpy(&create, &found, sizeof create);
  return atomic_fetch_sub(&threads_left, 1) > 0 ? create(thread, attributes, start, argument) : EAGAIN;
}

static const int32_t numbers[] = {3, 1, 2};
static const rdx_column keys = {.type = RDX_TYPE_I32, .rows = 3, .values = numbers};

static rdx_device *open_device(int threads) {
  rdx_error err = {""};
  rdx_device *device = NULL;
  threads_left = threads;
  if (rdx_device_open("cpu", NULL, &device, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return device;
}

static void a_device_takes_the_threads_that_start(void **state) {
  rdx_error err = {""};
  (void)state;
  rdx_device *device = open_device(0), *of_two = NULL;
  assert_int_equal(rdx_device_get_info(device)->threads, 1);
  assert_int_equal(rdx_device_open("cpu", &(rdx_device_params){.threads = 2}, &of_two, &err), RDX_ERROR_MEMORY);
  assert_non_null(strstr(err.text, "refused to start thread 2 of 2"));
  rdx_device_close(&device);
}

static void statements_run_without_threads(void **state) {
  rdx_error err = {""};
  rdx_database *d = NULL;
  rdx_statement *s = NULL;
  rdx_answer *a = NULL;
  (void)state;
  rdx_device *device = open_device(0);
  if (rdx_database_open(device, NULL, NULL, &d, &err) != RDX_OK ||
      rdx_statement_prepare(d, "SELECT sum(i) FROM generate_series(1, 100000) i", NULL, &s, &err) != RDX_OK ||
      rdx_statement_execute(s, &a, &err) != RDX_OK)
    fail_msg("%s", err.text);
  assert_int_equal(*(const int64_t *)rdx_table_column(rdx_answer_table(a), 0)->values, 5000050000);
  rdx_answer_destroy(&a);
  rdx_statement_destroy(&s);
  rdx_database_close(&d);
  rdx_device_close(&device);
}

static void scenes_need_threads(void **state) {
  rdx_error err = {""};
  rdx_index *index = NULL;
  const rdx_index_params rx = {.method = RDX_INDEX_RX};
  (void)state;
  rdx_device *device = open_device(0);
  assert_int_equal(rdx_index_create(device, &keys, &rx, &index, &err), RDX_ERROR_MEMORY);
  assert_non_null(strstr(err.text, "and Embree needs"));
  assert_int_equal(rdx_index_create(device, &keys, NULL, &index, &err), RDX_OK);
  rdx_index_destroy(&index);
  threads_left = 10000;
  if (rdx_index_create(device, &keys, &rx, &index, &err) != RDX_OK)
    fail_msg("%s", err.text);
  rdx_index_destroy(&index);
  rdx_device_close(&device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_device_takes_the_threads_that_start),
      cmocka_unit_test(statements_run_without_threads),
      cmocka_unit_test(scenes_need_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
