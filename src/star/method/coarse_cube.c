/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

/* The coarse cube: cgRX's idea (a primitive for a bucket of sorted keys, section 3) applied to RTCUDB. Rows are
 * sorted into cells of neighbouring scan places and cut into blocks, each of which is one triangle; rays run along the
 * cells that a query's ranges touch. Rays list the blocks that they meet; then these are added up. See
 * kernels/star/coarse_cube.h for why each row counts exactly once.
 *
 * Where runs of rows of one place and one group are long, rows stay in the order of places, and what runs come to is
 * kept (star_runs.h): then most queries add up blocks without reading rows. Where they are short, many threads of a GPU
 * add up neighbours at a time, which are to be of one group: there the rows of a cell lie in the order of groups. Where
 * groups are few each has a scene row of its own then. */

#include <math.h>
#include <string.h>

#include "star/method/cube_runs.h"
#include "kernels/primitives/kernels.h"
#include "base/numbers.h"

#define MAX_CELLS (1u << 22)     /* of an axis: coordinates */
#define MAX_SHIFT 31             /* of 32 bits */
#define FEW_GROUPS 64            /* may have scene rows of their own */
#define MAX_LANES 256            /* scene rows that the blocks of a cell spread over */
#define GPU_RAYS 16384           /* as many are wanted at least */
#define CPU_RAYS 64              /* are worth a thread */
#define GPU_PARTS 4096           /* workgroups that add up blocks */
#define GPU_RUN_PARTS 16384      /* threads that do by runs, */
#define GPU_RUNS 4               /* of which each may have as few */
#define RUN_ROWS 8               /* that a core adds up in the time of a run's totals */
#define MAX_BLOCK 16384          /* rows, by the model, */
#define LARGEST_BLOCK (1u << 31) /* and asked for: sums with it stay below 2^32 */
#define GPU_BLOCK 64
#define GPU_RUNS_BLOCK 1024

typedef struct coarse_cube {
  rdx_cube_core core;
  uint32_t block_rows;
  bool by_group;  /* each group has scene rows of its own */
  bool long_runs; /* of one place and one group, where that matters: rows stay in their order */
  uint32_t shift; /* places of a cell, as a power of two */
  uint32_t lanes, scene_rows;
  uint64_t block_count;
  rdx_buffer *places; /* of rows */
  rdx_buffer *blocks; /* see coarse_args */
  rdx_scene *scene;
  rdx_runs runs;          /* on the device */
  rdx_buffer *block_runs; /* the first run of each block, and the number of runs; NULL: there are none */
} coarse_cube;

static void destroy(void *self) {
  coarse_cube *c = self;
  rdx_scene_destroy(&c->scene);
  RDX_DESTROY_BUFFERS(&c->places, &c->blocks);
  rdx_runs_destroy(&c->runs);
  rdx_buffer_destroy(&c->block_runs);
  rdx_cube_destroy(&c->core);
}

static bool on_cpu(const coarse_cube *c) {
  return c->core.device->info.backend == RDX_BACKEND_CPU;
}

/* ---- The model ----
 *
 * A query that qualifies R rows costs R / B hits. On a core a hit costs as much as 100 rows (measured: 40 ns, 0.4 ns),
 * and where rows must be read some thread waits for another for half a block on average, so B = sqrt(200 R) is best;
 * R = 1/64 of all rows stands for the queries to come. A GPU reads all rows of a block that is met, so blocks are
 * small; with runs kept it reads few, and larger blocks cost fewer hits. */
static uint32_t choose_block(const coarse_cube *c) {
  if (!on_cpu(c))
    return c->long_runs ? GPU_RUNS_BLOCK : GPU_BLOCK;
  const double best = sqrt(200.0 * (double)c->core.rows / 64);
  uint32_t rows = 64;
  while (rows * M_SQRT2 < best && rows < MAX_BLOCK)
    rows *= 2;
  return rows;
}

/* Whether the rows of a cell lie in the order of groups, else in that of places. */
static bool grouped_cells(const coarse_cube *c) {
  return !on_cpu(c) && c->core.group_bytes && !c->by_group && !c->long_runs && c->shift > 0;
}

/* Whether rows stay as stars have them: in the order of places, for the same place in that of groups. */
static bool stays(const coarse_cube *c) {
  return !c->by_group && !grouped_cells(c);
}

/* Cells hold about as many rows of a scene row as a block, or one place. */
static void choose_cells(coarse_cube *c) {
  const double rows = (double)c->core.rows / (c->by_group ? c->core.groups.count : 1);
  const double places = c->core.scan.count;
  while ((rows * (double)(1ull << c->shift) < places * c->block_rows && (double)(1ull << c->shift) < places &&
          c->shift < MAX_SHIFT) ||
         c->core.scan.count >> c->shift >= MAX_CELLS)
    c->shift++;
  const double blocks = rows * (double)(1ull << c->shift) / (places > 0 ? places : 1) / c->block_rows;
  c->lanes = 1;
  while (!on_cpu(c) && c->lanes * 8 < blocks && c->lanes < MAX_LANES)
    c->lanes *= 2;
  c->scene_rows = c->lanes * (c->by_group ? c->core.groups.count : 1);
}

/* ---- Building ---- */

/* What arranging rows needs: arrays in the order of scan places. */
typedef struct arranging {
  coarse_cube *cube;
  rdx_cube_rows *rows;
  rdx_stream *stream;
  rdx_buffer *order, *places, *groups; /* `groups` NULL: one */
  rdx_buffer *keys;                    /* that rows are sorted by: the scene row and cell of each */
} arranging;

static rdx_status append_key(arranging *a, const rdx_buffer *codes, uint32_t shift, uint32_t bits, bool first,
                             rdx_error *err) {
  const struct star_key_args args = {.keys = RDX_ADDRESS(uint64_t, a->keys),
                                     .codes = RDX_ADDRESS(uint32_t, codes),
                                     .bytes = 4,
                                     .bits = bits,
                                     .first_attribute = first,
                                     .shift = shift};
  return rdx_stream_launch(a->stream, &rdx_kernel_star_key, &args, NULL, a->cube->core.rows, NULL, err);
}

static rdx_status gather(arranging *a, const rdx_buffer *from, const rdx_buffer *rows, rdx_buffer **out,
                         rdx_error *err) {
  RDX_TRY(rdx_buffer_create(a->cube->core.device, a->cube->core.rows * 4, "the rows of a cube", out, err));
  return rdx_primitive_gather(a->stream, RDX_ADDRESS(uint32_t, from), rows, 32, *out, a->cube->core.rows, err);
}

static rdx_status sort(arranging *a, uint32_t bits, rdx_error *err) {
  return rdx_stream_sort(a->stream, a->keys, 8, bits, a->order, a->cube->core.rows, err);
}

static uint32_t cell_bits(const coarse_cube *c) {
  return rdx_bits_below((c->core.scan.count >> c->shift) + 1);
}

/* That a scene row and a cell make. */
static uint64_t largest_key(const coarse_cube *c) {
  const uint64_t rows = c->by_group ? c->core.groups.count : 1;
  return (rows << cell_bits(c)) - 1;
}

/* The runs of equal keys: where they begin, and their keys. */
typedef struct key_runs {
  uint64_t count;
  uint32_t *starts;
  uint64_t *keys;
} key_runs;

/* Where they begin, as bits, buffers[0], and as a list, buffers[1]; buffers[2] is for their number. */
static rdx_status mark_runs(arranging *a, rdx_buffer *buffers[3], uint64_t *count, rdx_error *err) {
  const uint64_t rows = a->cube->core.rows, sizes[3] = {(rows + 31) / 32 * 4, rows * 4, 8};
  for (uint32_t i = 0; i < 3; i++)
    RDX_TRY(rdx_buffer_create(a->cube->core.device, sizes[i], "the blocks of a cube", &buffers[i], err));
  RDX_TRY(rdx_primitive_heads(a->stream, a->keys, 64, buffers[0], rows, err));
  RDX_TRY(rdx_stream_select(a->stream, buffers[0], buffers[1], buffers[2], rows, err));
  RDX_TRY(rdx_stream_finish(a->stream, err));
  return rdx_buffer_number(buffers[2], 0, rows > 0, rows, "the runs of a cube", count, err);
}

static rdx_status list_runs(arranging *a, rdx_buffer *buffers[4], key_runs *out, rdx_error *err) {
  const uint64_t rows = a->cube->core.rows;
  RDX_TRY(mark_runs(a, buffers, &out->count, err));
  RDX_TRY(rdx_buffer_create(a->cube->core.device, out->count * 8, "the blocks of a cube", &buffers[3], err));
  RDX_TRY(rdx_stream_unique(a->stream, a->keys, 8, 0, buffers[3], buffers[2], rows, err));
  RDX_TRY(rdx_stream_finish(a->stream, err));
  RDX_TRY(rdx_alloc(out->count + 1, 4, "the blocks of a cube", (void **)&out->starts, err));
  RDX_TRY(rdx_alloc(out->count, 8, "the blocks of a cube", (void **)&out->keys, err));
  RDX_TRY(rdx_buffer_download(buffers[1], 0, out->starts, out->count * 4, err));
  out->starts[out->count] = (uint32_t)rows;
  RDX_TRY(rdx_buffer_download(buffers[3], 0, out->keys, out->count * 8, err));
  RDX_TRY(rdx_returned_starts(a->cube->core.device, out->starts, out->count, rows, "where a cell begins", err));
  return rdx_returned_keys(a->cube->core.device, out->keys, out->count, largest_key(a->cube), "a cell", err);
}

static rdx_status find_runs(arranging *a, key_runs *out, rdx_error *err) {
  rdx_buffer *buffers[4] = {0};
  const rdx_status status = list_runs(a, buffers, out, err);
  for (uint32_t i = 0; i < 4; i++)
    rdx_buffer_destroy(&buffers[i]);
  return status;
}

static void drop_runs(key_runs *runs) {
  RDX_FREE_ALL(runs->starts, runs->keys);
}

/* How many runs of one place and one group there are. */
static rdx_status count_runs(arranging *a, uint64_t *count, rdx_error *err) {
  rdx_buffer *buffers[3] = {0};
  RDX_TRY(append_key(a, a->places, 0, 64, true, err));
  RDX_TRY(append_key(a, a->groups, 0, rdx_bits_below(a->cube->core.groups.count), false, err));
  const rdx_status status = mark_runs(a, buffers, count, err);
  for (uint32_t i = 0; i < 3; i++)
    rdx_buffer_destroy(&buffers[i]);
  return status;
}

/* ---- The order of rows ---- */

/* Whether so many runs are worth their totals. */
static bool are_long(const rdx_cube_core *core, uint64_t runs) {
  return runs * RUN_ROWS <= core->rows && rdx_runs_fit(core, runs + core->rows / GPU_RUNS_BLOCK);
}

/* Where runs are added up rows need not be by group. On a CPU they matter where groups are few. */
static rdx_status choose_order(arranging *a, rdx_error *err) {
  coarse_cube *c = a->cube;
  uint64_t count = c->core.scan.count;
  const bool few = c->core.groups.count > 1 && c->core.groups.count <= FEW_GROUPS;
  if (a->rows->group && (few || !on_cpu(c)))
    RDX_TRY(gather(a, a->rows->group, a->rows->order, &a->groups, err));
  if (a->groups && are_long(&c->core, count))
    RDX_TRY(count_runs(a, &count, err));
  c->long_runs = are_long(&c->core, count);
  c->by_group = few && !c->long_runs;
  if (c->block_rows == 0)
    c->block_rows = choose_block(c);
  choose_cells(c);
  return RDX_OK;
}

/* Sort a permutation of the rows, at first by scan places: by scene row, cell, and within it by group. */
static rdx_status sort_rows(arranging *a, rdx_error *err) {
  const coarse_cube *c = a->cube;
  const rdx_cube_core *core = &c->core;
  const uint32_t group_bits = rdx_bits_below(core->groups.count);
  RDX_TRY(rdx_buffer_create(core->device, core->rows * 4, "the rows of a cube", &a->order, err));
  RDX_TRY(rdx_primitive_iota(a->stream, a->order, core->rows, err));
  if (grouped_cells(c)) {
    RDX_TRY(append_key(a, a->groups, 0, group_bits, true, err));
    RDX_TRY(sort(a, group_bits, err));
  }
  rdx_buffer *places = NULL;
  RDX_TRY(rdx_stream_scratch(a->stream, core->rows * 4, "the rows of a cube", &places, err));
  RDX_TRY(rdx_primitive_gather(a->stream, RDX_ADDRESS(uint32_t, a->places), a->order, 32, places, core->rows, err));
  if (c->by_group)
    RDX_TRY(append_key(a, a->groups, 0, group_bits, true, err));
  RDX_TRY(append_key(a, places, c->shift, cell_bits(c), !c->by_group, err));
  return sort(a, cell_bits(c) + (c->by_group ? group_bits : 0), err);
}

/* Bring the rows of the cube into the order found. */
static rdx_status apply(arranging *a, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *order = NULL;
  RDX_TRY(gather(a, a->places, a->order, &a->cube->places, err));
  RDX_TRY(gather(a, a->rows->order, a->order, &order, err));
  RDX_TRY(rdx_stream_finish(a->stream, err));
  rdx_buffer_destroy(&a->rows->order);
  a->rows->order = RDX_KEEP(order);
  return RDX_OK;
}

/* Bring the rows into the cube's order, the keys being their cells. */
static rdx_status order_rows(arranging *a, rdx_error *err) {
  coarse_cube *c = a->cube;
  RDX_TRY(rdx_buffer_create(c->core.device, c->core.rows * 8, "the rows of a cube", &a->keys, err));
  RDX_TRY(choose_order(a, err));
  if (!stays(c)) {
    RDX_TRY(sort_rows(a, err));
    return apply(a, err);
  }
  RDX_TRY(append_key(a, a->places, c->shift, 64, true, err));
  c->places = a->places;
  a->places = NULL;
  return RDX_OK;
}

/* ---- Blocks ---- */

/* The triangle of kernels/rx/rx_primitives.h: the point lies inside, and a ray along x passes edges at a distance. */
static void write_triangle(float *v, float x, float y) {
  const float corners[9] = {x + 0.5f, y - 0.5f, 0, x - 0.5f, y, 0.5f, x, y + 0.5f, -0.5f};
  memcpy(v, corners, sizeof corners);
}

/* Cut runs into blocks; returns how many. NULL: only count. */
static uint64_t cut_runs(const coarse_cube *c, const key_runs *r, uint32_t *blocks, float *triangles) {
  const uint32_t bits = cell_bits(c);
  uint64_t n = 0;
  for (uint64_t i = 0; i < r->count; i++) {
    const uint32_t cell = (uint32_t)(r->keys[i] & ((1ull << bits) - 1));
    const uint32_t row = (uint32_t)(r->keys[i] >> bits) * c->lanes;
    uint32_t lane = 0;
    for (uint64_t begin = r->starts[i]; begin < r->starts[i + 1]; begin += c->block_rows, n++) {
      if (!blocks)
        continue;
      blocks[2 * n] = (uint32_t)begin;
      blocks[2 * n + 1] = cell;
      write_triangle(triangles + 9 * n, (float)cell, (float)(row + lane++ % c->lanes));
    }
  }
  return n;
}

static rdx_status upload_array(rdx_device *device, const void *from, uint64_t size, rdx_buffer **out, rdx_error *err) {
  RDX_TRY(rdx_buffer_create(device, size, "the blocks of a cube", out, err));
  return rdx_buffer_upload(*out, 0, from, size, err);
}

static rdx_status make_scene(coarse_cube *c, const key_runs *r, rdx_build_preference build, uint32_t *blocks,
                             float *triangles, rdx_error *err) {
  RDX_SCOPED(rdx_buffer_destroy) rdx_buffer *primitives = NULL;
  cut_runs(c, r, blocks, triangles);
  blocks[2 * c->block_count] = (uint32_t)c->core.rows;
  RDX_TRY(upload_array(c->core.device, blocks, (2 * c->block_count + 1) * 4, &c->blocks, err));
  RDX_TRY(upload_array(c->core.device, triangles, c->block_count * 36, &primitives, err));
  const rdx_scene_params scene = {.kind = RDX_SCENE_TRIANGLES,
                                  .primitives = primitives,
                                  .count = c->block_count,
                                  .preference = build,
                                  .compact = true,
                                  .single_any_hit = true};
  return rdx_scene_create(c->core.device, &scene, &c->scene, err);
}

static rdx_status build_scene(arranging *a, rdx_build_preference build, rdx_error *err) {
  coarse_cube *c = a->cube;
  RDX_SCOPED(drop_runs) key_runs r = {0};
  RDX_SCOPED(rdx_free_local) float *triangles = NULL;
  RDX_SCOPED(rdx_free_local) uint32_t *blocks = NULL;
  RDX_TRY(find_runs(a, &r, err));
  c->block_count = cut_runs(c, &r, NULL, NULL);
  RDX_TRY(rdx_alloc(2 * c->block_count + 1, sizeof *blocks, "the blocks of a cube", (void **)&blocks, err));
  RDX_TRY(rdx_alloc(9 * c->block_count, sizeof *triangles, "the blocks of a cube", (void **)&triangles, err));
  return make_scene(c, &r, build, blocks, triangles, err);
}

static void end(arranging *a) {
  rdx_stream_destroy(&a->stream);
  RDX_DESTROY_BUFFERS(&a->order, &a->places, &a->groups, &a->keys);
}

static rdx_status arrange(coarse_cube *c, rdx_cube_rows *rows, rdx_build_preference build, rdx_error *err) {
  RDX_SCOPED(end) arranging a = {.cube = c, .rows = rows};
  RDX_TRY(rdx_stream_create_for(c->core.device, "build", &a.stream, err));
  RDX_TRY(rdx_cube_places(&c->core, &a.places, err));
  RDX_TRY(order_rows(&a, err));
  return build_scene(&a, build, err);
}

/* What runs of each block come to. */
static rdx_status add_up_blocks(coarse_cube *c, uint32_t *blocks, rdx_error *err) {
  RDX_TRY(rdx_buffer_download(c->blocks, 0, blocks, (2 * c->block_count + 1) * 4, err));
  for (uint64_t i = 0; i < c->block_count; i++)
    blocks[i] = blocks[2 * i];
  RDX_TRY(rdx_returned_starts(c->core.device, blocks, c->block_count, c->core.rows, "where a block begins", err));
  RDX_TRY(rdx_runs_create(&c->core, blocks, c->block_count, &c->runs, err));
  if (c->runs.count == 0)
    return RDX_OK;
  uint32_t run = 0;
  for (uint64_t i = 0; i < c->block_count; i++) {
    while (c->runs.starts[run] < blocks[i])
      run++;
    blocks[i] = run;
  }
  blocks[c->block_count] = c->runs.count;
  RDX_TRY(upload_array(c->core.device, blocks, (c->block_count + 1) * 4, &c->block_runs, err));
  return rdx_runs_move(&c->core, &c->runs, err);
}

static rdx_status add_up(coarse_cube *c, rdx_error *err) {
  RDX_SCOPED(rdx_free_local) uint32_t *blocks = NULL;
  RDX_TRY(rdx_alloc(2 * c->block_count + 1, sizeof *blocks, "the blocks of a cube", (void **)&blocks, err));
  return add_up_blocks(c, blocks, err);
}

static rdx_status build_parts(const rdx_packed_relation *relation, const rdx_coarse_cube_params *params,
                              const rdx_cube_spec *spec, coarse_cube *c, rdx_error *err) {
  RDX_SCOPED(rdx_cube_rows_drop) rdx_cube_rows rows = {0};
  RDX_TRY(rdx_cube_begin(relation, spec, &c->core, &rows, err));
  c->block_rows = params->block_rows < LARGEST_BLOCK ? params->block_rows : LARGEST_BLOCK;
  RDX_TRY(arrange(c, &rows, params->build, err));
  RDX_TRY(rdx_cube_store(&c->core, &rows, err));
  rdx_cube_rows_drop(&rows);
  return stays(c) ? add_up(c, err) : RDX_OK;
}

static rdx_status build(void *self, const rdx_packed_relation *relation, const rdx_star_params *params,
                        const rdx_cube_spec *spec, uint64_t *bytes, rdx_error *err) {
  coarse_cube *c = self;
  if (params->coarse_cube.build > RDX_BUILD_LOW_MEMORY)
    return rdx_fail(err, RDX_ERROR_ARGUMENT, "coarse_cube: unknown build preference");
  RDX_TRY(build_parts(relation, &params->coarse_cube, spec, c, err));
  *bytes = rdx_cube_bytes(&c->core) + c->places->size + c->blocks->size + c->scene->bytes +
           rdx_runs_bytes(&c->core, &c->runs) + (c->block_runs ? c->block_runs->size : 0);
  return RDX_OK;
}

/* ---- Answering ---- */

/* A GPU reads all rows of a block, or runs. */
static void work(const void *self, const rdx_plan *plan, rdx_work *out) {
  const coarse_cube *c = self;
  double ranges = 0, rows = 0;
  rdx_cube_estimate(&c->core, plan, &ranges, &rows);
  const double rays = ranges * c->scene_rows, blocks = rows / c->block_rows;
  *out = rdx_cube_searches(&c->core, ranges);
  out->launches = 1;
  out->rays = rays;
  out->hits = blocks;
  out->primitives = (double)c->core.rows / c->block_rows;
  out->added = rows + (on_cpu(c) || c->block_runs ? 0 : rays * c->block_rows);
}

/* ---- Pieces ---- */

static uint32_t first_cell(const coarse_cube *c, const rdx_ranges *ranges, uint32_t i) {
  return ranges->list[2 * i] >> c->shift;
}

static uint32_t last_cell(const coarse_cube *c, const rdx_ranges *ranges, uint32_t i) {
  return (ranges->list[2 * i + 1] - 1) >> c->shift;
}

/* Cells of a piece at most: a GPU is to have many rays; on a CPU a ray should be worth its start, with 4096 rows. */
static uint32_t piece_cells(const coarse_cube *c, const rdx_ranges *ranges) {
  const uint64_t wanted = on_cpu(c) ? 4 * c->core.device->info.threads : GPU_RAYS;
  const uint64_t all = ((c->core.scan.count - 1) >> c->shift) + 1, min = on_cpu(c) ? 1 + 4096 * all / c->core.rows : 1;
  uint64_t cells = 0;
  for (uint32_t i = 0; i < ranges->count; i++)
    cells += last_cell(c, ranges, i) - first_cell(c, ranges, i) + 1;
  const uint64_t each = (cells * c->scene_rows + wanted - 1) / wanted;
  const uint64_t cells_each = each < min ? min : each;
  return (uint32_t)(cells_each < STAR_MAX_CELLS ? cells_each : STAR_MAX_CELLS);
}

/* Runs of cells that ranges touch, disjoint ones, cut to pieces of at most `max` cells. Returns how many; NULL: only
 * count. */
static uint64_t cut_ranges(const coarse_cube *c, const rdx_ranges *ranges, uint32_t max, star_piece *pieces) {
  uint64_t n = 0;
  for (uint32_t i = 0, end = 0; i < ranges->count; i = end) {
    const uint32_t first = first_cell(c, ranges, i);
    uint32_t last = 0;
    do
      last = last_cell(c, ranges, end++);
    while (end < ranges->count && first_cell(c, ranges, end) == last);
    for (uint64_t cell = first; cell <= last; cell += max, n++) {
      const uint32_t to = last - (uint32_t)cell < max ? last : (uint32_t)cell + max - 1;
      if (!pieces)
        continue;
      while (last_cell(c, ranges, i) < cell)
        i++;
      uint32_t stop = i;
      while (stop < end && first_cell(c, ranges, stop) <= to)
        stop++;
      pieces[n] = (star_piece){(uint32_t)cell, to, i, stop - i};
    }
  }
  return n;
}

/* Cut the cells that the run's ranges touch into pieces, in run->rows, each for a ray in every scene row. */
static rdx_status cut(const coarse_cube *c, rdx_cube_run *run, uint64_t *out_pieces, rdx_error *err) {
  const uint32_t max = piece_cells(c, &run->ranges);
  *out_pieces = cut_ranges(c, &run->ranges, max, NULL);
  if (*out_pieces * c->scene_rows > UINT32_MAX)
    return rdx_fail(err, RDX_ERROR_UNSUPPORTED, "a query needs %llu rays, more than 2^32 - 1",
                    (unsigned long long)(*out_pieces * c->scene_rows));
  RDX_TRY(rdx_cube_reserve(run, *out_pieces * (sizeof(star_piece) / 4), err));
  cut_ranges(c, &run->ranges, max, (star_piece *)(void *)run->rows);
  return RDX_OK;
}

/* ---- Running ---- */

static rdx_status launch_rays(const coarse_cube *c, rdx_cube_run *run, uint64_t rays, star_piece *pieces,
                              rdx_error *err) {
  const uint64_t threads = c->core.device->info.threads, useful = 1 + rays / CPU_RAYS;
  const uint32_t parts = (uint32_t)(useful < threads ? useful : threads);
  const struct coarse_args args = {.pieces = pieces,
                                   .hit_list = RDX_ADDRESS(uint32_t, run->hit_list),
                                   .scene_rows = c->scene_rows,
                                   .rays = (uint32_t)rays,
                                   .partition_size = (uint32_t)c->scene->partition_size,
                                   .parts = parts};
  RDX_TRY(rdx_stream_fill(run->stream, run->hit_list, 0, 4, 0, err));
  return rdx_stream_launch(run->stream, &rdx_kernel_coarse, &args, NULL, on_cpu(c) ? parts : rays, c->scene, err);
}

/* A query under way. */
typedef struct request {
  rdx_cube_run *run;
  uint64_t rays, rows; /* rows that qualify */
  uint64_t runs;       /* that are added up; 0: rows are */
  star_piece *pieces;  /* on the device */
  uint32_t copies, parts, shares;
} request;

/* Deal out the blocks to at most as many threads, or workgroups, of a GPU as say `max`. Where blocks are few, several
 * share each, `useful` of them at most. */
static void deal_out(const coarse_cube *c, request *r, uint64_t useful, uint64_t max) {
  const uint64_t blocks = r->rays + r->rows / c->block_rows; /* about as many are met */
  const uint64_t shares = useful < max / blocks ? useful : max / blocks;
  const bool one = on_cpu(c) || shares < 1 || shares > INT32_MAX / c->block_count;
  r->shares = one ? 1 : (uint32_t)shares;
  const uint64_t parts = blocks * r->shares;
  r->parts = on_cpu(c) ? r->copies : (uint32_t)(parts < max ? parts : max);
}

static rdx_status launch_add(const coarse_cube *c, request *r, rdx_error *err) {
  const rdx_ranges *list = &r->run->ranges;
  uint64_t ranges = 0;
  deal_out(c, r, c->block_rows / COARSE_GROUP, GPU_PARTS);
  RDX_TRY(rdx_stream_constants(r->run->stream, list->list, (uint64_t)list->count * 8, &ranges, err));
  const struct coarse_add_args args = {.query = (star_query *)(uintptr_t)r->run->query_address,
                                       .hit_list = RDX_ADDRESS(uint32_t, r->run->hit_list),
                                       .pieces = r->pieces,
                                       .blocks = RDX_ADDRESS(uint32_t, c->blocks),
                                       .places = RDX_ADDRESS(uint32_t, c->places),
                                       .ranges = (uint32_t *)(uintptr_t)ranges,
                                       .counters = RDX_ADDRESS(uint64_t, r->run->counters),
                                       .shift = c->shift,
                                       .parts = r->parts,
                                       .shares = r->shares,
                                       .by_place = stays(c)};
  const uint64_t items = on_cpu(c) ? r->parts : (uint64_t)r->parts * COARSE_GROUP;
  return rdx_stream_launch(r->run->stream, &rdx_kernel_coarse_add, &args, NULL, items, NULL, err);
}

/* The ranges become such of runs. Runs of one group are added at once, those of several one after the other. (A CPU has
 * run a launch when it returns, so that constants may be of this function.) */
static rdx_status launch_runs(const coarse_cube *c, request *r, rdx_error *err) {
  rdx_stream *stream = r->run->stream;
  const star_runs view = rdx_runs_view(&c->core, &c->runs, r->run->call->plan);
  const rdx_ranges *list = &r->run->ranges;
  uint64_t runs = 0, ranges = 0;
  deal_out(c, r, view.groups ? c->runs.count / c->block_count / GPU_RUNS : 1, GPU_RUN_PARTS);
  rdx_runs_translate(&c->runs, &r->run->ranges);
  RDX_TRY(rdx_stream_constants(stream, &view, sizeof view, &runs, err));
  RDX_TRY(rdx_stream_constants(stream, list->list, (uint64_t)list->count * 8, &ranges, err));
  const struct coarse_runs_args args = {.query = (star_query *)(uintptr_t)r->run->query_address,
                                        .hit_list = RDX_ADDRESS(uint32_t, r->run->hit_list),
                                        .pieces = r->pieces,
                                        .runs = (star_runs *)(uintptr_t)runs,
                                        .block_runs = RDX_ADDRESS(uint32_t, c->block_runs),
                                        .ranges = (uint32_t *)(uintptr_t)ranges,
                                        .counters = RDX_ADDRESS(uint64_t, r->run->counters),
                                        .parts = r->parts,
                                        .shares = r->shares};
  return rdx_stream_launch(stream, &rdx_kernel_coarse_runs, &args, NULL, r->parts, NULL, err);
}

static rdx_status launch(const coarse_cube *c, request *r, rdx_error *err) {
  rdx_cube_run *run = r->run;
  uint64_t pieces = 0;
  r->copies = rdx_cube_copies(&c->core, run->call->plan, r->runs > 0 ? r->runs * RUN_ROWS : r->rows);
  if (!run->hit_list)
    RDX_TRY(
        rdx_buffer_create(c->core.device, (1 + 2 * c->block_count) * 4, "the blocks of a query", &run->hit_list, err));
  RDX_TRY(rdx_cube_start(&c->core, r->copies, run, err));
  RDX_TRY(rdx_stream_constants(run->stream, run->rows, r->rays / c->scene_rows * sizeof(star_piece), &pieces, err));
  r->pieces = (star_piece *)(uintptr_t)pieces;
  RDX_TRY(launch_rays(c, run, r->rays, r->pieces, err));
  return r->runs > 0 ? launch_runs(c, r, err) : launch_add(c, r, err);
}

static rdx_status answer(const void *self, rdx_cube_run *run, rdx_error *err) {
  const coarse_cube *c = self;
  request r = {.run = run};
  RDX_TRY(rdx_cube_select(&c->core, run, err));
  if (run->ranges.count == 0)
    return RDX_OK;
  uint64_t pieces = 0;
  RDX_TRY(cut(c, run, &pieces, err));
  r.rays = pieces * c->scene_rows;
  r.rows = rdx_cube_rows_of(&c->core, &run->ranges);
  r.runs = rdx_runs_of(&c->core, &c->runs, run->call->plan, &run->ranges);
  if (r.runs * RUN_ROWS > r.rows)
    r.runs = 0;
  RDX_TRY(launch(c, &r, err));
  RDX_TRY(rdx_cube_finish(&c->core, run, err));
  return rdx_cube_count(run, c->scene, r.rays, err);
}

static rdx_status run(const void *self, rdx_star_call *call, rdx_error *err) {
  return rdx_cube_answer(self, answer, call, err);
}

const rdx_star_ops rdx_coarse_cube_ops = {
    .method = RDX_STAR_COARSE_CUBE,
    .traces_rays = true,
    .size = sizeof(coarse_cube),
    .build = build,
    .work = work,
    .tuples = rdx_cube_tuples,
    .run = run,
    .destroy = destroy,
};
