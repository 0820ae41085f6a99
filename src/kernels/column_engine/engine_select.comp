/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */
#include "kernels/column_engine/column_engine.h"

bool qualifies(engine_query q, u32 row) {
  for (u32 t = 0; t < q.term_count; t++)
    if (!engine_holds(q.terms, q.numbers, t, row))
      return false;
  for (u32 l = 0; l < q.link_count; l++) {
    const u32 foreign_row = u32(load_code(AT(q.links, l).foreign_rows, AT(q.links, l).bytes, row));
    if (AT(AS_U64_PTR(AT(q.links, l).table), foreign_row) == NO_LINK64)
      return false;
  }
  return engine_passes(q.terms, q.tests, q.numbers, q.test_count, row);
}

EACH_ITEM(engine_select_args, word) {
  engine_query q = AT(a.query, 0);
  u32 bits = 0;
  for (u32 k = 0; k < 32 && word * 32 + k < q.rows; k++)
    bits |= u32(qualifies(q, word * 32 + k)) << k;
  AT(a.bits, word) = bits;
}
