/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* Ask a table in SQL: once, and then again with other values of a parameter. */

#include <raydex/raydex.h>

#include <stdio.h>
#include <string.h>

static const char orders[] = "day,customer,amount\n"
                             "2024-01-05,7,19.90\n"
                             "2024-01-06,3,5.25\n"
                             "2024-01-07,7,2.50\n";

static const char question[] = "SELECT customer, count(*), sum(amount) AS total FROM orders "
                               "WHERE amount > $1 GROUP BY customer ORDER BY total DESC";

/* An answer is columns in host memory, as <raydex/column.h> describes them. */
static void print_row(const rdx_table *answer, uint64_t row) {
  char text[RDX_VALUE_TEXT];
  for (uint32_t i = 0; i < rdx_table_columns(answer); i++) {
    const size_t length = rdx_column_format(rdx_table_column(answer, i), row, text);
    printf("%s%s %.*s", i > 0 ? ", " : "  ", rdx_table_column_name(answer, i), (int)length, text);
  }
  printf("\n");
}

/* Each run gets another value of $1; the statement is planned once. */
static rdx_status ask(rdx_statement *statement, double min, rdx_error *err) {
  const rdx_column value = {.type = RDX_TYPE_F64, .rows = 1, .values = &min};
  rdx_answer *answer = NULL;
  rdx_status status = rdx_statement_bind(statement, 1, &value, err);
  if (status == RDX_OK)
    status = rdx_statement_execute(statement, &answer, err);
  if (status == RDX_OK) {
    const rdx_table *rows = rdx_answer_table(answer);
    printf("above %.2f:\n", min);
    for (uint64_t row = 0; row < rdx_table_rows(rows); row++)
      print_row(rows, row);
  }
  rdx_answer_destroy(&answer);
  return status;
}

int main(void) {
  rdx_error err;
  rdx_device *device = NULL;
  rdx_database *database = NULL;
  rdx_table *table = NULL;
  rdx_statement *statement = NULL;

  rdx_status status = rdx_device_open("cpu", NULL, &device, &err);
  if (status == RDX_OK) /* NULL: no folder. With one, its table files and CSV files are tables, too. */
    status = rdx_database_open(device, NULL, NULL, &database, &err);
  if (status == RDX_OK)
    status = rdx_table_parse_csv("orders", orders, strlen(orders), NULL, &table, &err);
  if (status == RDX_OK)
    status = rdx_database_add(database, "orders", table, &err); /* the table is the database's from now on */
  if (status == RDX_OK)
    status = rdx_statement_prepare(database, question, NULL, &statement, &err);
  if (status == RDX_OK)
    status = ask(statement, 0, &err);
  if (status == RDX_OK)
    status = ask(statement, 5, &err);
  if (status != RDX_OK)
    fprintf(stderr, "%s: %s\n", rdx_status_name(status), err.text);

  rdx_statement_destroy(&statement);
  rdx_database_close(&database);
  rdx_device_close(&device);
  return status == RDX_OK ? 0 : 1;
}
