/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* What is prepared over tables and kept for later statements: scans, stars, and whether a column is a key. */

#include <string.h>

#include "column/device_column.h"
#include "catalog/internal.h"
#include "catalog/unique.h"
#include "star/star.h"

#define WHAT "a catalog"

/* ---- Keys ---- */

#define PROBED 4096 /* rows that mostly tell what is no key */

/* Whether there are duplicates among the first rows. */
static rdx_status probe(rdx_device *device, const rdx_column *c, bool *unique, rdx_error *err) {
  rdx_column first = *c;
  first.rows = c->rows < PROBED ? c->rows : PROBED;
  *unique = false;
  return c->dictionary && c->dictionary->rows < c->rows ? RDX_OK : rdx_column_is_unique(device, &first, unique, err);
}

static rdx_status learn_unique(rdx_device *device, rdx_table_version *v, uint32_t column, rdx_error *err) {
  rdx_catalog_column *c = &v->table.columns[column];
  bool unique = false;
  if (c->unique >= 0)
    return RDX_OK;
  if (c->distinct > 0 && c->distinct < v->table.rows) { /* fewer values than rows */
    c->unique = 0;
    return RDX_OK;
  }
  RDX_TRY(rdx_table_version_open_columns(v, &column, 1, err));
  if (c->unique >= 0) /* as its reading told */
    return RDX_OK;
  RDX_TRY(probe(device, &c->column, &unique, err));
  if (unique)
    RDX_TRY(rdx_column_is_unique(device, &c->column, &unique, err));
  c->unique = unique;
  return RDX_OK;
}

rdx_status rdx_catalog_unique(rdx_catalog *catalog, rdx_catalog_table *table, uint32_t column, bool *out,
                              rdx_error *err) {
  RDX_LOCKED(&catalog->lock);
  const rdx_status status = learn_unique(catalog->device, rdx_table_version_of(table), column, err);
  *out = table->columns[column].unique == 1;
  return status;
}

/* ---- Scans ---- */

static uint32_t find_number(const uint32_t *list, uint32_t count, uint32_t wanted) {
  for (uint32_t i = 0; i < count; i++)
    if (list[i] == wanted)
      return i;
  return UINT32_MAX;
}

static bool scan_lists(const rdx_kept_scan *s, const rdx_scan_params *params, const uint32_t *columns, uint32_t count) {
  bool lists = memcmp(&s->params, params, sizeof *params) == 0;
  for (uint32_t i = 0; i < count && lists; i++)
    lists = find_number(s->columns, s->count, columns[i]) != UINT32_MAX;
  return lists;
}

/* The number of the scan that lists the columns, or how many scans there are. */
static uint32_t find_scan(const rdx_table_version *v, const rdx_scan_params *params, const uint32_t *columns,
                          uint32_t count) {
  uint32_t i = 0;
  while (i < v->scan_count && !scan_lists(&v->scans[i], params, columns, count))
    i++;
  return i;
}

/* The columns and those of the scan of the same method that was made last: so that one grows instead of many. */
static rdx_status list_columns(const rdx_table_version *v, const uint32_t *columns, uint32_t count,
                               const rdx_scan_params *params, rdx_kept_scan *out, rdx_error *err) {
  const rdx_kept_scan *last = NULL;
  for (uint32_t i = 0; i < v->scan_count; i++)
    if (memcmp(&v->scans[i].params, params, sizeof *params) == 0)
      last = &v->scans[i];
  RDX_TRY(rdx_alloc((size_t)count + (last ? last->count : 0), sizeof *out->columns, WHAT, (void **)&out->columns, err));
  for (uint32_t i = 0; last && i < last->count; i++)
    out->columns[out->count++] = last->columns[i];
  for (uint32_t i = 0; i < count; i++)
    if (find_number(out->columns, out->count, columns[i]) == UINT32_MAX)
      out->columns[out->count++] = columns[i];
  return RDX_OK;
}

static rdx_status make_scan(rdx_catalog *c, rdx_table_version *v, rdx_kept_scan *s, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) rdx_column *views = NULL;
  RDX_TRY(rdx_table_version_open_columns(v, s->columns, s->count, err));
  RDX_TRY(rdx_alloc(s->count, sizeof *views, WHAT, (void **)&views, err));
  for (uint32_t i = 0; i < s->count; i++)
    views[i] = v->table.columns[s->columns[i]].column;
  return rdx_scan_create(c->device, views, s->count, &s->params, &s->scan, err);
}

static rdx_status keep_scan(rdx_catalog *c, rdx_table_version *v, const uint32_t *columns, uint32_t count,
                            const rdx_scan_params *params, rdx_error *err) {
  rdx_kept_scan made = {0};
  memcpy(&made.params, params, sizeof *params); /* with its padding: params are compared as bytes */
  RDX_TRY(rdx_realloc((void **)&v->scans, v->scan_count + 1, sizeof *v->scans, WHAT, err));
  rdx_status status = list_columns(v, columns, count, params, &made, err);
  if (status == RDX_OK)
    status = make_scan(c, v, &made, err);
  if (status != RDX_OK) {
    rdx_free(made.columns);
    return status;
  }
  v->scans[v->scan_count++] = made;
  return RDX_OK;
}

rdx_status rdx_catalog_scan(rdx_catalog *c, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                            const rdx_scan_params *params, const rdx_scan **out, uint32_t *numbers, rdx_error *err) {
  rdx_table_version *v = rdx_table_version_of(table);
  RDX_LOCKED(&c->lock);
  const uint32_t number = find_scan(v, params, columns, count);
  if (number == v->scan_count)
    RDX_TRY(keep_scan(c, v, columns, count, params, err));
  rdx_kept_scan *kept = &v->scans[number];
  for (uint32_t i = 0; i < count; i++)
    numbers[i] = find_number(kept->columns, kept->count, columns[i]);
  rdx_usage_note(&kept->usage);
  *out = kept->scan;
  return RDX_OK;
}

bool rdx_catalog_has_scan(rdx_catalog *c, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                          const rdx_scan_params *params) {
  RDX_LOCKED(&c->lock);
  const rdx_table_version *v = rdx_table_version_of(table);
  return find_scan(v, params, columns, count) < v->scan_count;
}

/* Who rents until that has cost as much as to buy, and buys then, pays twice as much as was best at most. */
bool rdx_catalog_scan_pays(rdx_catalog *c, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                           const rdx_scan_params *params, double saved_ms, double prepare_ms) {
  rdx_table_version *v = rdx_table_version_of(table);
  RDX_LOCKED(&c->lock);
  bool pays = find_scan(v, params, columns, count) < v->scan_count;
  if (!pays) {
    v->missed_ms += saved_ms;
    pays = v->missed_ms >= prepare_ms;
    v->missed_ms = pays ? 0 : v->missed_ms;
  }
  return pays;
}

/* ---- Indexes ---- */

static rdx_status keep_index(rdx_catalog *c, rdx_table_version *v, const rdx_kept_index *wanted, rdx_error *err) {
  rdx_kept_index made = *wanted;
  rdx_column columns[RDX_INDEX_COLUMNS];
  RDX_TRY(rdx_realloc((void **)&v->indexes, v->index_count + 1, sizeof *v->indexes, WHAT, err));
  RDX_TRY(rdx_table_version_open_columns(v, made.columns, made.count, err));
  for (uint32_t i = 0; i < made.count; i++)
    columns[i] = v->table.columns[made.columns[i]].column;
  if (made.count == 1)
    RDX_TRY(rdx_index_create(c->device, columns, &made.params, &made.index, err));
  else
    RDX_TRY(rdx_index_create_columns(c->device, columns, made.count, &made.params, &made.index, err));
  v->indexes[v->index_count++] = made;
  return RDX_OK;
}

static bool is_same_index(const rdx_kept_index *a, const rdx_kept_index *b) {
  return a->count == b->count && memcmp(a->columns, b->columns, a->count * sizeof *a->columns) == 0 &&
         memcmp(&a->params, &b->params, sizeof a->params) == 0;
}

rdx_status rdx_catalog_index(rdx_catalog *c, rdx_catalog_table *table, const uint32_t *columns, uint32_t count,
                             const rdx_index_params *params, const rdx_index **out, rdx_error *err) {
  rdx_table_version *v = rdx_table_version_of(table);
  rdx_kept_index wanted = {.params = *params, .count = count};
  uint32_t i = 0;
  memcpy(wanted.columns, columns, count * sizeof *columns);
  RDX_LOCKED(&c->lock);
  while (i < v->index_count && !is_same_index(&v->indexes[i], &wanted))
    i++;
  if (i == v->index_count)
    RDX_TRY(keep_index(c, v, &wanted, err));
  rdx_usage_note(&v->indexes[i].usage);
  *out = v->indexes[i].index;
  return RDX_OK;
}

/* ---- Columns ---- */

static rdx_status keep_column(rdx_catalog *c, rdx_table_version *v, uint32_t column, rdx_error *err) {
  rdx_kept_column made = {.column = column};
  RDX_TRY(rdx_table_version_open_columns(v, &column, 1, err));
  const rdx_column codes = rdx_column_codes(&v->table.columns[column].column);
  if (codes.type == RDX_TYPE_STRING)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "strings without a dictionary stay on the host");
  RDX_TRY(rdx_realloc((void **)&v->copies, v->copy_count + 1, sizeof *v->copies, WHAT, err));
  RDX_TRY(rdx_device_column_create(c->device, &codes, &made.copy, err));
  v->copies[v->copy_count++] = made;
  return RDX_OK;
}

rdx_status rdx_catalog_device_column(rdx_catalog *c, rdx_catalog_table *table, uint32_t column,
                                     const rdx_device_column **out, rdx_error *err) {
  rdx_table_version *v = rdx_table_version_of(table);
  uint32_t i = 0;
  RDX_LOCKED(&c->lock);
  while (i < v->copy_count && v->copies[i].column != column)
    i++;
  if (i == v->copy_count)
    RDX_TRY(keep_column(c, v, column, err));
  rdx_usage_note(&v->copies[i].usage);
  *out = v->copies[i].copy;
  return RDX_OK;
}

/* ---- Stars ---- */

void rdx_kept_star_drop(rdx_kept_star *k) {
  rdx_star_destroy(&k->star);
  for (uint32_t i = 0; i < k->cube_count; i++)
    rdx_free(k->cubes[i]);
  RDX_FREE_ALL(k->cubes, k->tuples, k->definition.attributes);
  if (k->definition.fact)
    rdx_table_version_drop_user(rdx_table_version_of(k->definition.fact));
  for (uint32_t i = 0; k->definition.fact && i < k->definition.dimension_count; i++)
    rdx_table_version_drop_user(rdx_table_version_of(k->definition.dimensions[i].table));
  *k = (rdx_kept_star){0};
}

/* Stars without users that are retired, or all without users. */
static void sweep_stars(rdx_catalog *c, bool all) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < c->star_count; i++) {
    if (c->stars[i].users == 0 && (all || c->stars[i].retired))
      rdx_kept_star_drop(&c->stars[i]);
    else
      c->stars[kept++] = c->stars[i];
  }
  c->star_count = kept;
}

void rdx_stars_destroy(rdx_catalog *c) {
  sweep_stars(c, true);
  rdx_free(c->stars);
}

static bool star_reads(const rdx_catalog_star *s, const rdx_table_version *version) {
  bool reads = rdx_table_version_of(s->fact) == version;
  for (uint32_t i = 0; i < s->dimension_count; i++)
    reads |= rdx_table_version_of(s->dimensions[i].table) == version;
  return reads;
}

void rdx_stars_retire(rdx_catalog *c, const rdx_table_version *version) {
  for (uint32_t i = 0; i < c->star_count; i++)
    c->stars[i].retired |= star_reads(&c->stars[i].definition, version);
  sweep_stars(c, false);
}

static bool same_dimension(const rdx_catalog_dimension *a, const rdx_catalog_dimension *b) {
  return a->table == b->table && a->foreign_key == b->foreign_key && a->key == b->key;
}

static bool same_star(const rdx_kept_star *k, const rdx_catalog_star *star, const rdx_star_params *params) {
  const rdx_catalog_star *s = &k->definition;
  bool same = !k->retired && s->fact == star->fact && s->dimension_count == star->dimension_count &&
              memcmp(&k->params, params, sizeof *params) == 0;
  for (uint32_t i = 0; same && i < s->dimension_count; i++)
    same = same_dimension(&s->dimensions[i], &star->dimensions[i]);
  return same;
}

static uint32_t find_attribute(const rdx_catalog_star *star, const rdx_catalog_attribute *a) {
  for (uint32_t i = 0; i < star->attribute_count; i++)
    if (star->attributes[i].dimension == a->dimension && star->attributes[i].column == a->column)
      return i;
  return UINT32_MAX;
}

static bool star_has(const rdx_kept_star *k, const rdx_catalog_star *star, const rdx_star_params *params,
                     uint32_t *numbers) {
  if (!same_star(k, star, params))
    return false;
  for (uint32_t i = 0; i < star->attribute_count; i++)
    if ((numbers[i] = find_attribute(&k->definition, &star->attributes[i])) == UINT32_MAX)
      return false;
  return true;
}

static rdx_column column_of(const rdx_catalog_table *table, uint32_t column) {
  return table->columns[column].column;
}

static rdx_catalog_table *table_of(const rdx_catalog_star *s, const rdx_catalog_attribute *a) {
  return a->dimension ? s->dimensions[a->dimension - 1].table : s->fact;
}

static rdx_status open_star(const rdx_catalog_star *s, rdx_error *err) {
  for (uint32_t i = 0; i < s->dimension_count; i++) {
    RDX_TRY(rdx_table_version_open_columns(rdx_table_version_of(s->fact), &s->dimensions[i].foreign_key, 1, err));
    RDX_TRY(
        rdx_table_version_open_columns(rdx_table_version_of(s->dimensions[i].table), &s->dimensions[i].key, 1, err));
  }
  for (uint32_t i = 0; i < s->attribute_count; i++)
    RDX_TRY(rdx_table_version_open_columns(rdx_table_version_of(table_of(s, &s->attributes[i])),
                                           &s->attributes[i].column, 1, err));
  return RDX_OK;
}

/* The encoded column that a kept star has of an attribute, or the foreign rows of a dimension; NULL: none. */
static const rdx_encoded_column *find_column(const rdx_catalog *c, const rdx_catalog_table *table, uint32_t column) {
  for (uint32_t i = 0; i < c->star_count; i++) {
    const rdx_catalog_star *s = &c->stars[i].definition;
    for (uint32_t k = 0; k < s->attribute_count; k++)
      if (table_of(s, &s->attributes[k]) == table && s->attributes[k].column == column)
        return &rdx_star_relation(c->stars[i].star)->attributes[k];
  }
  return NULL;
}

static const rdx_foreign_rows *find_foreign_rows(const rdx_catalog *c, const rdx_catalog_table *fact,
                                                 const rdx_catalog_dimension *dimension) {
  for (uint32_t i = 0; i < c->star_count; i++) {
    const rdx_catalog_star *s = &c->stars[i].definition;
    for (uint32_t k = 0; k < s->dimension_count; k++)
      if (s->fact == fact && same_dimension(&s->dimensions[k], dimension))
        return &rdx_star_relation(c->stars[i].star)->foreign_rows[k];
  }
  return NULL;
}

static rdx_status make_star(rdx_catalog *c, rdx_kept_star *k, rdx_error *err) {
  const rdx_catalog_star *s = &k->definition;
  rdx_dimension dimensions[RDX_COUNT(s->dimensions)];
  const rdx_foreign_rows *foreign_rows[RDX_COUNT(s->dimensions)];
  RDX_SCOPED(rdx_free_local) rdx_attribute *attributes = NULL;
  RDX_SCOPED(rdx_free_local) const rdx_encoded_column **columns = NULL;
  RDX_TRY(open_star(s, err));
  RDX_TRY(rdx_alloc(s->attribute_count, sizeof *attributes, WHAT, (void **)&attributes, err));
  RDX_TRY(rdx_alloc(s->attribute_count, sizeof *columns, WHAT, (void **)&columns, err));
  for (uint32_t i = 0; i < s->dimension_count; i++)
    dimensions[i] = (rdx_dimension){column_of(s->fact, s->dimensions[i].foreign_key),
                                    column_of(s->dimensions[i].table, s->dimensions[i].key)};
  for (uint32_t i = 0; i < s->dimension_count; i++)
    foreign_rows[i] = find_foreign_rows(c, s->fact, &s->dimensions[i]);
  for (uint32_t i = 0; i < s->attribute_count; i++) {
    const rdx_catalog_attribute *a = &s->attributes[i];
    const rdx_catalog_column *column = &table_of(s, a)->columns[a->column];
    attributes[i] = (rdx_attribute){column->name, column->column, a->dimension};
    columns[i] = find_column(c, table_of(s, a), a->column);
  }
  const rdx_relation relation = {.rows = s->fact->rows,
                                 .attributes = attributes,
                                 .attribute_count = s->attribute_count,
                                 .dimensions = dimensions,
                                 .dimension_count = s->dimension_count};
  const rdx_shared_parts shared = {columns, foreign_rows};
  const rdx_status status = rdx_star_create_sharing(c->device, &relation, &shared, &k->params, &k->star, err);
  if (status != RDX_ERROR_DEVICE_MEMORY && status != RDX_ERROR_MEMORY)
    return status;
  sweep_stars(c, true); /* others may be in the way */
  return rdx_star_create(c->device, &relation, &k->params, &k->star, err);
}

/* The definition, with the attributes of the kept star of the same tables, which is retired. */
static rdx_status copy_star(rdx_catalog *c, const rdx_catalog_star *star, const rdx_star_params *params,
                            rdx_catalog_star *out, rdx_error *err) {
  rdx_kept_star *before = NULL;
  for (uint32_t i = 0; i < c->star_count; i++)
    if (same_star(&c->stars[i], star, params))
      before = &c->stars[i];
  const uint32_t old = before ? before->definition.attribute_count : 0;
  rdx_catalog_attribute *attributes = NULL;
  RDX_TRY(rdx_alloc((size_t)old + star->attribute_count, sizeof *attributes, WHAT, (void **)&attributes, err));
  *out = *star;
  out->attributes = attributes;
  out->attribute_count = 0;
  for (uint32_t i = 0; i < old; i++)
    attributes[out->attribute_count++] = before->definition.attributes[i];
  for (uint32_t i = 0; i < star->attribute_count; i++)
    if (find_attribute(out, &star->attributes[i]) == UINT32_MAX)
      attributes[out->attribute_count++] = star->attributes[i];
  rdx_table_version_of(star->fact)->users++;
  for (uint32_t i = 0; i < star->dimension_count; i++)
    rdx_table_version_of(star->dimensions[i].table)->users++;
  if (before)
    before->retired = true;
  return RDX_OK;
}

static rdx_status keep_star(rdx_catalog *c, const rdx_catalog_star *star, const rdx_star_params *params,
                            rdx_error *err) {
  RDX_TRY(rdx_reserve_one((void **)&c->stars, c->star_count, &c->star_capacity, sizeof *c->stars, WHAT, err));
  rdx_kept_star made = {.params = *params};
  RDX_TRY(copy_star(c, star, params, &made.definition, err));
  const rdx_status status = make_star(c, &made, err);
  sweep_stars(c, false); /* now that what they have is shared */
  if (status != RDX_OK) {
    rdx_kept_star_drop(&made);
    return status;
  }
  c->stars[c->star_count++] = made;
  return RDX_OK;
}

rdx_status rdx_catalog_hold_star(rdx_catalog *c, const rdx_catalog_star *star, const rdx_star_params *params,
                                 rdx_star **out, uint32_t *numbers, rdx_error *err) {
  *out = NULL;
  RDX_LOCKED(&c->lock);
  for (int attempt = 0; attempt < 2 && !*out; attempt++) {
    for (uint32_t i = 0; i < c->star_count && !*out; i++) {
      rdx_kept_star *k = &c->stars[i];
      if (!star_has(k, star, params, numbers))
        continue;
      k->users++;
      rdx_usage_note(&k->usage);
      *out = k->star;
    }
    if (!*out)
      RDX_TRY(keep_star(c, star, params, err));
  }
  return RDX_OK;
}

/* With the lock held. */
static rdx_kept_star *find_star(rdx_catalog *c, const rdx_star *star) {
  uint32_t i = 0;
  while (c->stars[i].star != star) /* it is in use, so it is there */
    i++;
  return &c->stars[i];
}

/* The cube of this name; the number of cubes: there is none. */
static uint32_t find_cube(const rdx_kept_star *k, const char *name) {
  uint32_t i = 0;
  while (i < k->cube_count && strcmp(k->cubes[i], name) != 0)
    i++;
  return i;
}

static bool star_has_cube(const rdx_kept_star *k, const char *name) {
  return find_cube(k, name) < k->cube_count;
}

bool rdx_catalog_has_cube(rdx_catalog *c, const rdx_star *star, const char *name) {
  RDX_LOCKED(&c->lock);
  return star_has_cube(find_star(c, star), name);
}

bool rdx_catalog_has_packed(rdx_catalog *c, const rdx_catalog_star *star) {
  bool has = true;
  RDX_LOCKED(&c->lock);
  for (uint32_t i = 0; i < star->attribute_count && has; i++)
    has = find_column(c, table_of(star, &star->attributes[i]), star->attributes[i].column) != NULL;
  return has;
}

bool rdx_catalog_has_star_cube(rdx_catalog *c, const rdx_catalog_star *star, const rdx_star_params *params,
                               const char *name, uint64_t *tuples) {
  *tuples = 0;
  RDX_LOCKED(&c->lock);
  for (uint32_t i = 0; i < c->star_count; i++) {
    const rdx_kept_star *k = &c->stars[i];
    const uint32_t cube = same_star(k, star, params) ? find_cube(k, name) : k->cube_count;
    if (cube == k->cube_count)
      continue;
    *tuples = k->tuples[cube];
    return true;
  }
  return false;
}

void rdx_catalog_retire_cube(rdx_catalog *c, const char *name) {
  RDX_LOCKED(&c->lock);
  for (uint32_t i = 0; i < c->star_count; i++)
    c->stars[i].retired |= star_has_cube(&c->stars[i], name);
  sweep_stars(c, false);
}

rdx_status rdx_catalog_note_cube(rdx_catalog *c, const rdx_star *star, const char *name, uint64_t tuples,
                                 rdx_error *err) {
  char *copy = NULL;
  RDX_LOCKED(&c->lock);
  rdx_kept_star *k = find_star(c, star);
  RDX_TRY(rdx_realloc((void **)&k->cubes, k->cube_count + 1, sizeof *k->cubes, WHAT, err));
  RDX_TRY(rdx_realloc((void **)&k->tuples, k->cube_count + 1, sizeof *k->tuples, WHAT, err));
  RDX_TRY(rdx_copy_text(name, WHAT, &copy, err));
  k->tuples[k->cube_count] = tuples;
  k->cubes[k->cube_count++] = copy;
  return RDX_OK;
}

void rdx_catalog_release_star(rdx_catalog *c, rdx_star *star) {
  RDX_LOCKED(&c->lock);
  for (uint32_t i = 0; i < c->star_count; i++)
    c->stars[i].users -= c->stars[i].star == star;
  sweep_stars(c, false);
}
