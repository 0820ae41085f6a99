/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/star/rtcudb_place.h"

COMPUTE(rtcudb_place_args, 128)

MAIN_ITEM(i) {
  rtcudb_place(a, i);
}
