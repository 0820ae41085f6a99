/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Find the rows of a table that a condition of SQL holds for. */

#include <raydex/raydex.h>

#include <stdio.h>
#include <string.h>

static const char csv[] = "city,zip,price\n"
                          "San Francisco,94107,1250000\n"
                          "New York,10001,980000\n"
                          "San Francisco,94110,1410000\n"
                          "Chicago,60601,410000\n"
                          "San Francisco,94199,\n";

/* The condition names two columns; a scan is prepared over those alone. */
static rdx_status print_matches(rdx_device *device, const rdx_table *table, rdx_error *err) {
  rdx_condition *condition = NULL;
  const rdx_predicate *predicate = NULL;
  rdx_column columns[2];
  rdx_scan *scan = NULL;
  rdx_scan_result *result = NULL;
  rdx_scan_view view;

  rdx_status status = rdx_condition_parse("zip BETWEEN 94000 AND 94999 AND price > 1000000", &condition, err);
  if (status == RDX_OK)
    status = rdx_condition_bind_table(condition, table, columns, &predicate, err);
  if (status == RDX_OK)
    status = rdx_scan_create(device, columns, rdx_condition_columns(condition), NULL, &scan, err);
  if (status == RDX_OK)
    status = rdx_scan_run(scan, predicate, &(rdx_scan_run_params){.result = RDX_SCAN_ROWS}, &result, err);
  if (status == RDX_OK)
    status = rdx_scan_result_view(result, &view, err);
  for (uint64_t i = 0; status == RDX_OK && i < view.count; i++)
    printf("row %u\n", (unsigned)view.row[i]);

  rdx_scan_result_destroy(&result);
  rdx_scan_destroy(&scan);
  rdx_condition_destroy(&condition);
  return status;
}

int main(void) {
  rdx_error err;
  rdx_device *device = NULL;
  rdx_table *table = NULL;

  rdx_status status = rdx_device_open("cpu", NULL, &device, &err);
  if (status == RDX_OK)
    status = rdx_table_parse_csv("houses", csv, strlen(csv), NULL, &table, &err);
  if (status == RDX_OK)
    status = print_matches(device, table, &err);
  if (status != RDX_OK)
    fprintf(stderr, "%s: %s\n", rdx_status_name(status), err.text);

  rdx_table_destroy(&table);
  rdx_device_close(&device);
  return status == RDX_OK ? 0 : 1;
}
