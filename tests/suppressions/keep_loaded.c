/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Keep libraries loaded: a leak in a driver that was unloaded has no name for lsan.supp. */

#include <dlfcn.h>

int dlclose(void *handle) {
  (void)handle;
  return 0;
}
