/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/column_engine/column_engine.h"

EACH_ITEM(engine_number_args, i) {
  const u32 row = AT(a.rows, i);
  engine_query q = AT(a.query, 0);
  u64 group = 0;
  for (u32 l = 0; l < q.link_count; l++)
    group += AT(AS_U64_PTR(AT(q.links, l).table),
                u32(load_code(AT(q.links, l).foreign_rows, AT(q.links, l).bytes, row)));
  for (u32 p = 0; p < q.part_count; p++)
    group += engine_part_of(q.parts, p, row);
  AT(a.out_groups, i) = group;
}
