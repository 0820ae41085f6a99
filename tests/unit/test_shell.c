/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The shell's modes of output, its widths, and where it finds that statements end. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shell/format.h"
#include "cli/shell/text.h"
#include "random.h"

static rdx_table *parse(const char *csv, const rdx_csv_params *params) {
  rdx_error err;
  rdx_table *table = NULL;
  if (rdx_table_parse_csv("test", csv, strlen(csv), params, &table, &err) != RDX_OK)
    fail_msg("%s", err.text);
  return table;
}

/* What a table looks like; free() it. */
static char *write_table(const rdx_table *table, shell_format format) {
  char *text = NULL;
  size_t size = 0;
  console_output out = {.stream = open_memstream(&text, &size)};
  assert_non_null(out.stream);
  shell_write_table(&out, table, &format);
  assert_int_equal(fclose(out.stream), 0);
  return text;
}

static void expect(const char *csv, shell_format format, const char *expected) {
  rdx_table *table = parse(csv, NULL);
  char *text = write_table(table, format);
  assert_string_equal(text, expected);
  free(text);
  rdx_table_destroy(&table);
}

static const char people[] = "name,size,when\n\xc3\x84pfel \xe8\x8b\xb9\xe6\x9e\x9c,1.50,2024-01-02\n"
                             "\"say \"\"a,b\"\"\",,\n\"\",-20.25,2024-02-03\n";

/* ---- Modes ---- */

static void test_csv(void **state) {
  (void)state;
  expect(people, (shell_format){.mode = SHELL_CSV, .header = true}, people);
  expect("a,b\nx;y,NA\n,z\n", (shell_format){.mode = SHELL_CSV, .separator = ";", .null = "NA"},
         "\"x;y\";\"NA\"\nNA;z\n");
}

static void test_auto(void **state) {
  (void)state;
  expect("a\n1\n", (shell_format){.header = true}, "a\n1\n");
  expect("a\n1\n", (shell_format){.terminal = true}, "┌───┐\n│ 1 │\n└───┘\n");
}

static void test_json(void **state) {
  (void)state;
  expect(people, (shell_format){.mode = SHELL_JSON, .header = true},
         "[{\"name\":\"\xc3\x84pfel \xe8\x8b\xb9\xe6\x9e\x9c\",\"size\":1.50,\"when\":\"2024-01-02\"},\n"
         "{\"name\":\"say \\\"a,b\\\"\",\"size\":null,\"when\":null},\n"
         "{\"name\":\"\",\"size\":-20.25,\"when\":\"2024-02-03\"}]\n");
  expect("a,b\nfalse,18446744073709551615\n", (shell_format){.mode = SHELL_JSONLINES},
         "{\"a\":false,\"b\":18446744073709551615}\n");
  expect("a\n", (shell_format){.mode = SHELL_JSON}, "[]\n");
  expect("x\n0.5\nnan\n-inf\n1e300\n", (shell_format){.mode = SHELL_JSONLINES},
         "{\"x\":0.5}\n{\"x\":\"NaN\"}\n{\"x\":\"-Infinity\"}\n{\"x\":1e+300}\n");
}

static void test_json_names(void **state) {
  (void)state;
  rdx_table *table = parse("1,2,3,4\n", &(rdx_csv_params){.header = RDX_SWITCH_OFF});
  rdx_table *same = NULL;
  rdx_error err;
  char *text = write_table(table, (shell_format){.mode = SHELL_JSONLINES});
  assert_string_equal(text, "{\"1\":1,\"2\":2,\"3\":3,\"4\":4}\n");
  free(text);
  if (rdx_table_parse_csv("test", "a,a,a_2,a\n1,2,3,4\n", 18, NULL, &same, &err) == RDX_OK) {
    text = write_table(same, (shell_format){.mode = SHELL_JSONLINES});
    assert_non_null(strstr(text, ":1,"));
    assert_null(strstr(text, "\"a\":2"));
    free(text);
  }
  rdx_table_destroy(&same);
  rdx_table_destroy(&table);
}

/* Reads a string of JSON back; NULL: it is none. */
static const char *read_json(const char *text, char *out, size_t *length) {
  static const char escapes[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  *length = 0;
  if (*text++ != '"')
    return NULL;
  while (*text != '"') {
    if ((unsigned char)*text < ' ')
      return NULL;
    if (*text != '\\') {
      out[(*length)++] = *text++;
    } else if (text[1] == 'u') {
      const unsigned long code = strtoul((char[]){text[2], text[3], text[4], text[5], 0}, NULL, 16);
      if (code < 0x80)
        out[(*length)++] = (char)code;
      else if (code < 0x800)
        *length += (size_t)sprintf(out + *length, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 0x3f)));
      else
        *length += (size_t)sprintf(out + *length, "%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 0x3f)),
                                   (int)(0x80 | (code & 0x3f)));
      text += 6;
    } else {
      const char *escape = text[1] ? strchr(escapes, text[1]) : NULL;
      if (!escape)
        return NULL;
      out[(*length)++] = values[escape - escapes];
      text += 2;
    }
  }
  return text + 1;
}

/* Whatever UTF-8 there is reads back as itself, and all that is written is UTF-8. */
static void test_json_strings(void **state) {
  (void)state;
  static const char *const pieces[] = {"a",
                                       "\"",
                                       "\\",
                                       "\n",
                                       "\t",
                                       "\x01",
                                       "\x1f",
                                       "\x7f",
                                       "\xc2\x9b",
                                       "\xc3\xa9",
                                       "\xe2\x80\xae",
                                       "\xe8\x8b\xb9",
                                       "\xf0\x9f\x8d\x8e",
                                       "/",
                                       "u0041"};
  for (int run = 0; run < 2000; run++) {
    char text[64] = "", back[256], *json = NULL;
    size_t size = 0, length = 0;
    for (uint64_t k = next_random() % 9; k > 0; k--)
      strcat(text, pieces[next_random() % (sizeof pieces / sizeof *pieces)]);
    FILE *stream = open_memstream(&json, &size);
    assert_non_null(stream);
    shell_write_json_string(stream, text, strlen(text));
    fclose(stream);
    const char *end = read_json(json, back, &length);
    assert_ptr_equal(end, json + size);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(back, text, length);
    free(json);
  }
}

static void test_invalid_bytes(void **state) {
  (void)state;
  static const char bytes[] = "a\xff\xc3(\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80z";
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  assert_non_null(stream);
  shell_write_json_string(stream, bytes, strlen(bytes));
  fputc('\n', stream);
  shell_write_escaped(stream, bytes, strlen(bytes), SHELL_ESCAPE_CONTROLS);
  fclose(stream);
#define R "\xef\xbf\xbd"
  assert_string_equal(text, "\"a" R R "(" R R R R R R R R R "z\"\n"
                            "a\\xff\\xc3(\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xc0\\x80z");
#undef R
  free(text);
}

static void test_lists(void **state) {
  (void)state;
  expect(people, (shell_format){.mode = SHELL_LIST, .null = "-"},
         "\xc3\x84pfel \xe8\x8b\xb9\xe6\x9e\x9c|1.50|2024-01-02\nsay \"a,b\"|-|-\n|-20.25|2024-02-03\n");
  expect("a,b\n\"x\ty\\z\",\"1\n2\"\n,\n", (shell_format){.mode = SHELL_TABS, .header = true},
         "a\tb\nx\\ty\\\\z\t1\\n2\n\\N\t\\N\n");
  expect("a,long\n1,2\n3,\n", (shell_format){.mode = SHELL_LINE}, "   a = 1\nlong = 2\n\n   a = 3\nlong = NULL\n");
}

static void test_markdown(void **state) {
  (void)state;
  expect("a,price\nx|y,1.5\n,20.25\n", (shell_format){.mode = SHELL_MARKDOWN, .header = true},
         "| a    | price |\n|------|------:|\n| x\\|y |  1.50 |\n| NULL | 20.25 |\n");
}

static void test_controls(void **state) {
  (void)state;
  const char csv[] = "a\n\"x\x1b[31m\ty\r\"\n\"\xc2\x9b\xe2\x80\xae\"\n";
  expect(csv, (shell_format){.mode = SHELL_LIST, .terminal = true}, "x\\x1b[31m\ty\\r\n\\u009b\\u202e\n");
  expect(csv, (shell_format){.mode = SHELL_LIST}, "x\x1b[31m\ty\r\n\xc2\x9b\xe2\x80\xae\n");
  expect(csv, (shell_format){.mode = SHELL_BOX},

         "┌────────────────┐\n"
         "│ x\\x1b[31m\\ty\\r │\n"
         "│ \\u009b\\u202e   │\n"
         "└────────────────┘\n");
}

/* ---- Boxes ---- */

static void test_box(void **state) {
  (void)state;
  expect(people, (shell_format){.mode = SHELL_BOX, .header = true},
         "┌────────────┬────────┬"
         "────────────┐\n"
         "│ name       │   size │ when       │\n"
         "├────────────┼────────┼"
         "────────────┤\n"
         "│ \xc3\x84pfel \xe8\x8b\xb9\xe6\x9e\x9c │   1.50 │ 2024-01-02 │\n"
         "│ say \"a,b\"  │   NULL │ NULL       │\n"
         "│            │ -20.25 │ 2024-02-03 │\n"
         "└────────────┴────────┴"
         "────────────┘\n");
  expect("a\n1\n2\n3\n4\n5\n6\n", (shell_format){.mode = SHELL_BOX, .max_rows = 3},
         "┌───┐\n│ 1 │\n│ 2 │\n│ … │\n│ 6 │\n└───┘\n6 rows (3 shown)\n");
  expect("a\n1\n2\n3\n", (shell_format){.mode = SHELL_BOX, .max_rows = 3},
         "┌───┐\n"
         "│ 1 │\n"
         "│ 2 │\n"
         "│ 3 │\n"
         "└───┘\n");
  expect("text\n\xe8\x8b\xb9\xe6\x9e\x9c\xe8\x8b\xb9\xe6\x9e\x9c\n", (shell_format){.mode = SHELL_BOX, .width = 10},
         "┌────────┐\n│ \xe8\x8b\xb9\xe6\x9e\x9c…  │\n└────────┘\n");
}

/* Lines of any box are equally wide, and no wider than asked for, where there are at most three columns or room for
 * all. */
static void test_box_widths(void **state) {
  (void)state;
  static const char *const values[] = {"a",
                                       "12.5",
                                       "",
                                       "\xe8\x8b\xb9",
                                       "a rather long text, which will be cut",
                                       "\xf0\x9f\x8d\x8e\xf0\x9f\x8d\x8e\xf0\x9f\x8d\x8e\xf0\x9f\x8d\x8e",
                                       "e\xcc\x81t\xc3\xa9"};
  for (int run = 0; run < 500; run++) {
    shell_text csv = {0};
    const uint64_t columns = 1 + next_random() % 12, rows = next_random() % 6;
    const uint32_t width = 30 + (uint32_t)(next_random() % 100);
    for (uint64_t row = 0; row <= rows; row++)
      for (uint64_t i = 0; i < columns; i++)
        shell_print(&csv, "%s%s%c", row == 0 ? "c" : values[next_random() % (sizeof values / sizeof *values)],
                    row == 0 ? (char[]){(char)('a' + i), 0} : "", i + 1 < columns ? ';' : '\n');
    rdx_table *table = parse(csv.data, &(rdx_csv_params){.delimiter = ';'});
    char *text = write_table(table, (shell_format){.mode = SHELL_BOX, .header = true, .width = width});
    uint64_t first = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
      const uint64_t wide = shell_width(line, (uint64_t)(end - line), SHELL_ESCAPE_CONTROLS);
      if (line == text)
        first = wide;
      if (strncmp(line, "\xe2\x94", 2) == 0)
        assert_int_equal(wide, first);
      assert_true(wide <= width);
    }
    free(text);
    free(csv.data);
    rdx_table_destroy(&table);
  }
}

/* ---- Statements ---- */

/* Split a text that arrives in lines; statements are separated by | in `expected`. */
static void expect_split(const char *text, const char *expected) {
  shell_text buffer = {0}, found = {0};
  shell_splitter splitter = {0};
  size_t used = 0;
  for (const char *line = text; *line;) {
    const size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
    shell_append(&buffer, line, length);
    line += length;
    for (size_t end; (end = shell_split(&splitter, buffer.data + used, buffer.size - used)) > 0; used += end) {
      shell_print(&found, "%.*s|", (int)(end - splitter.begin), buffer.data + used + splitter.begin);
      splitter = (shell_splitter){0};
    }
  }
  shell_print(&found, "%s", splitter.begun ? buffer.data + used + splitter.begin : "");
  assert_string_equal(found.data, expected);
  free(buffer.data);
  free(found.data);
}

static void test_split(void **state) {
  (void)state;
  expect_split("a;b; c", "a;|b;|c");
  expect_split("  -- x;\n/* y; /* z; */ ; */ a 'b;''c;'\n;", "a 'b;''c;'\n;|");
  expect_split("E'a\\';b';'a\\';c", "E'a\\';b';|'a\\';|c");
  expect_split("typE'a\\';b;", "typE'a\\';|b;|");
  expect_split("\"a;\"\"b;\";c", "\"a;\"\"b;\";|c");
  expect_split("$$a;$x$;$$;$x$a;$$;$x$;a$1;$1;", "$$a;$x$;$$;|$x$a;$$;$x$;|a$1;|$1;|");
  expect_split("'a\n;\nb';\nc\n-- d", "'a\n;\nb';|c\n-- d");
  expect_split("/* open ;\n", "");
  expect_split(";;", ";|;|");
  expect_split("e'\\\\';a 'it''s;';e'''\\';';b", "e'\\\\';|a 'it''s;';|e'''\\';';|b");
}

static void test_names(void **state) {
  (void)state;
  static const char *const names[][2] = {{"a_1", "a_1"},
                                         {"A", "\"A\""},
                                         {"1a", "\"1a\""},
                                         {"select", "\"select\""},
                                         {"x\"y", "\"x\"\"y\""},
                                         {"", "\"\""},
                                         {"\xc3\xa9", "\"\xc3\xa9\""}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    shell_text text = {0};
    shell_append_name(&text, names[i][0]);
    assert_string_equal(text.data, names[i][1]);
    free(text.data);
  }
  assert_true(shell_starts_with(" -- a\n/* b /* c */ */ Select 1", "SELECT"));
  assert_false(shell_starts_with("selects", "SELECT"));
}

int main(void) {
  shell_set_locale();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_csv),        cmocka_unit_test(test_auto),         cmocka_unit_test(test_json),
      cmocka_unit_test(test_json_names), cmocka_unit_test(test_json_strings), cmocka_unit_test(test_invalid_bytes),
      cmocka_unit_test(test_lists),      cmocka_unit_test(test_markdown),     cmocka_unit_test(test_controls),
      cmocka_unit_test(test_box),        cmocka_unit_test(test_box_widths),   cmocka_unit_test(test_split),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
