/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"

rdx_device *test_device;
static uint64_t random_state;

bool test_traces(void) {
  return rdx_device_get_info(test_device)->tracing != RDX_TRACING_NONE;
}

bool test_can(rdx_index_method method) {
  return test_traces() || !rdx_index_method_abilities(method).traces;
}

rdx_query_view test_view(const rdx_query_result *result) {
  rdx_query_view view = {0};
  OK(rdx_query_result_view(result, &view, err));
  return view;
}

uint64_t test_random(void) {
  uint64_t x = random_state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

uint64_t test_limit_launches(uint64_t items) {
  const uint64_t before = test_device->launch_limit;
  test_device->launch_limit = items;
  return before;
}

bool test_is_slow(void) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return true;
#else
  return rdx_device_get_info(test_device)->emulated;
#endif
}

/* Rates that somebody has measured on this machine must not choose methods here: caches are not seen, but for Mesa's of
 * shaders, which takes minutes to make. */
static void hide_caches(void) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char path[4096];
  if (cache && cache[0])
    snprintf(path, sizeof path, "%s", cache);
  else
    snprintf(path, sizeof path, "%s/.cache", home ? home : "");
  setenv("MESA_SHADER_CACHE_DIR", path, 0);
  setenv("XDG_CACHE_HOME", "/dev/null", 1); /* where none can be made */
}

int test_main(const struct CMUnitTest *tests, size_t count) {
  const char *name = getenv("RAYDEX_TEST_DEVICE"), *seed = getenv("RAYDEX_TEST_SEED");
  const char *validation = getenv("RAYDEX_VALIDATION"), *split = getenv("RAYDEX_TEST_SPLIT");
  cmocka_set_test_filter(getenv("RAYDEX_TEST_ONLY"));
  hide_caches();
  random_state = seed ? strtoull(seed, NULL, 10) : 1;
  const rdx_device_params params = {.validation = validation && validation[0] == '1'};
  rdx_error err = {""};
  const rdx_status status = rdx_device_open(name ? name : "cpu", &params, &test_device, &err);
  if (status == RDX_ERROR_NOT_FOUND) {
    printf("skipped: %s\n", err.text);
    return 77;
  }
  if (status != RDX_OK) {
    printf("cannot open the device: %s\n", err.text);
    return 1;
  }
  if (split) {
    test_device->launch_limit = strtoull(split, NULL, 10);
    test_device->info.max_primitives = test_device->launch_limit;
  }
  if (rdx_device_get_info(test_device)->emulated && rdx_device_get_info(test_device)->tracing == RDX_TRACING_NONE) {
    printf("skipped: %s traces no rays; Mesa's does from 25.0 on\n", rdx_device_get_info(test_device)->driver);
    rdx_device_close(&test_device);
    return 77;
  }
  printf("device %s, seed %s\n", rdx_device_get_info(test_device)->name, seed ? seed : "1");
  int result = _cmocka_run_group_tests("raydex", tests, count, NULL, NULL);
  rdx_device_usage usage;
  rdx_device_get_usage(test_device, &usage);
  if (usage.validation_messages > 0 || usage.memory_used > 0) {
    printf("%llu validation messages, %llu bytes of device memory left over\n",
           (unsigned long long)usage.validation_messages, (unsigned long long)usage.memory_used);
    result = 1;
  }
  rdx_device_close(&test_device);
  return result != 0;
}
