/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/ray_matrix/ray_matrix_place.h"

COMPUTE(ray_matrix_box_args, 128)

MAIN_ITEM(i) {
  ray_matrix_write_box(a.cells, a.boxes, i, a.rows, a.rows_per_box, a.width);
}
