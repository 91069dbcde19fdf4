/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in blocks of a cache, and what is made of them on the way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_norm.h"

enum { MOST = 512 };

static bool is_text(const struct rig_problem *problem, int number, const char *text)
{
    const char *given = problem->call.text[number];
    return given && strcmp(given, text) == 0;
}

/* A cache's element of block, row, head and column: by its order of dimensions, b blocks, r rows, h
 * heads, p panels, c columns. */
static int64_t element_of(const struct operand *view, const char *axes, const int64_t at[4])
{
    const int64_t width = view->dims[view->rank - 1];
    const bool has_panels = strchr(axes, 'p') != NULL, has_heads = strchr(axes, 'h') != NULL;
    int64_t element = 0;
    for (int i = 0; i < view->rank; i++) {
        int64_t own = at[0];
        if (axes[i] == 'r') own = at[1];
        if (axes[i] == 'h') own = at[2];
        if (axes[i] == 'p') own = has_heads ? at[3] / width : at[2] + at[3] / width;
        if (axes[i] == 'c') own = has_panels ? at[3] % width : at[3];
        element = element * view->dims[i] + own;
    }
    return element;
}

/* Elements of a problem that a written operand has now. */
static void keep(struct rig_problem *problem, int operand)
{
    const enum case_dtype dtype = problem->tensor[operand].view.dtype;
    for (int64_t i = 0; i < problem->tensor[operand].count; i++)
        oracle_real(problem, operand, i, dtype, oracle_value(problem, operand, i));
}

static void put(struct rig_problem *problem, int to, int64_t element, double value)
{
    oracle_real(problem, to, element, problem->tensor[to].view.dtype, value);
}

/* ---- aclnnScatterPaKvCache ---- */

static const char *scatter_axes(const struct rig_problem *problem, int cache)
{
    if (is_text(problem, 0, "PA_NZ"))
        return problem->tensor[cache].view.rank == 4 ? "bprc" : "bhprc";
    return is_text(problem, 1, "NHSD") ? "bhrc" : "brhc";
}

static int64_t rows_in(const struct operand *view, const char *axes)
{
    return view->dims[strchr(axes, 'r') - axes];
}

static void scatter_rows(struct rig_problem *problem, int from, int cache)
{
    const struct operand *x = &problem->tensor[from].view;
    const char *axes = scatter_axes(problem, cache);
    const int64_t rows = rows_in(&problem->tensor[cache].view, axes);
    const int64_t panels = strcmp(axes, "bprc") == 0 ? problem->tensor[cache].view.dims[1] : 0;
    keep(problem, cache);
    for (int64_t i = 0; i < problem->tensor[from].count; i++) {
        const int64_t column = i % x->dims[2], head = i / x->dims[2] % x->dims[1];
        const int64_t slot = oracle_whole_value(problem, 2, i / x->dims[2] / x->dims[1]);
        if (slot < 0) continue;
        const int64_t at[] = {slot / rows, slot % rows,
                              panels > 0 ? head * (panels / x->dims[1]) : head, column};
        put(problem, cache, element_of(&problem->tensor[cache].view, axes, at),
            oracle_value(problem, from, i));
    }
}

static void scatter(struct rig_problem *problem)
{
    scatter_rows(problem, 0, 1);
    if (!problem->call.is_null[3]) scatter_rows(problem, 3, 4);
}

/* ---- aclnnGatherPaKvCache ---- */

static void gather_rows(struct rig_problem *problem, int cache, int to)
{
    const struct operand *view = &problem->tensor[cache].view, *y = &problem->tensor[to].view;
    const bool is_running = norm_integer(problem, "isSeqLensCumsum", 0) != 0;
    const char *axes = is_text(problem, 0, "PA_NZ") ? "bprc" : "brhc";
    const int64_t rows = rows_in(view, axes), heads = y->rank == 3 ? y->dims[1] : 1;
    const int64_t columns = y->dims[y->rank - 1], entries = problem->tensor[2].view.dims[1];
    const int64_t panels = axes[1] == 'p' ? view->dims[1] : 0;
    int64_t first = 0;
    keep(problem, to);
    for (int64_t b = 0; b < problem->tensor[2].view.dims[0]; b++) {
        int64_t length = oracle_whole_value(problem, 3, b + is_running);
        if (is_running) length -= oracle_whole_value(problem, 3, b);
        const int64_t skipped =
            problem->call.is_null[6] ? 0 : oracle_whole_value(problem, 6, b) / rows;
        for (int64_t i = 0; i < length * heads * columns; i++) {
            const int64_t row = i / columns / heads, head = i / columns % heads;
            const int64_t block =
                oracle_whole_value(problem, 2, b * entries + skipped + row / rows);
            const int64_t at[] = {block, row % rows, panels > 0 ? head * (panels / heads) : head,
                                  i % columns};
            put(problem, to, first * heads * columns + i,
                oracle_value(problem, cache, element_of(view, axes, at)));
        }
        first += length;
    }
}

static void gather(struct rig_problem *problem)
{
    gather_rows(problem, 0, 4);
    gather_rows(problem, 1, 5);
}

/* ---- aclnnKvRmsNormRopeCache ---- */

enum {
    KV,
    GAMMA,
    COS,
    SIN,
    INDEX,
    KEY_CACHE,
    VALUE_CACHE,
    KEY_SCALE,
    VALUE_SCALE,
    KEY_OFFSET,
    VALUE_OFFSET,
    TO_KEY,
    TO_VALUE
};

static int64_t whole(float value)
{
    const float made = rintf(value);
    return isnan(value) ? 0 : made < -128 ? -128 : made > 127 ? 127 : (int64_t)made;
}

static float number_at(const struct rig_problem *problem, int operand, int64_t head, int64_t column,
                       int64_t columns, float otherwise)
{
    if (problem->call.is_null[operand]) return otherwise;
    const int64_t count = problem->tensor[operand].count;
    return (float)oracle_value(problem, operand,
                               count == 1         ? 0
                               : count == columns ? column
                                                  : head * columns + column);
}

/* Where a row of kv goes: false: nowhere. */
static bool find_row(const struct rig_problem *problem, int cache, int64_t b, int64_t s,
                     int64_t *block, int64_t *row)
{
    const struct operand *kv = &problem->tensor[KV].view, *view = &problem->tensor[cache].view;
    const char *mode = problem->call.text[0];
    const bool is_norm = !mode || strcmp(mode, "Norm") == 0;
    const bool by_block = mode && strstr(mode, "BLK");
    const int64_t rows = view->dims[is_norm ? 2 : 1], length = kv->dims[2];
    const int64_t parts = (length + rows - 1) / rows;
    const int64_t slot =
        oracle_whole_value(problem, INDEX, by_block ? b * parts + s / rows : b * length + s);
    *block = is_norm ? b : slot / rows;
    *row = is_norm ? slot : by_block ? s % rows : slot % rows;
    return slot != -1;
}

static int64_t place_in(const struct rig_problem *problem, int cache, int64_t block, int64_t row,
                        int64_t head, int64_t column)
{
    const struct operand *view = &problem->tensor[cache].view;
    const char *mode = problem->call.text[0];
    const bool is_norm = !mode || strcmp(mode, "Norm") == 0;
    const int64_t rows = view->dims[is_norm ? 2 : 1], heads = view->dims[is_norm ? 1 : 2];
    const int64_t columns = view->dims[3];
    const int64_t width = view->dtype == CASE_I8 ? 32 : view->dtype == CASE_F32 ? 8 : 16;
    if (is_norm) return ((block * heads + head) * rows + row) * columns + column;
    if (!strstr(mode, "NZ")) return ((block * rows + row) * heads + head) * columns + column;
    return (((block * heads + head) * (columns / width) + column / width) * rows + row) * width +
           column % width;
}

static void put_one(struct rig_problem *problem, int cache, int to, const int64_t at[4],
                    int64_t columns, float value)
{
    const struct operand *kv = &problem->tensor[KV].view;
    const int scale = cache == KEY_CACHE ? KEY_SCALE : VALUE_SCALE;
    const int64_t b = at[0], s = at[1], head = at[2], column = at[3];
    int64_t block, row;
    if (norm_integer(problem, "isOutputKv", 0) != 0)
        put(problem, to, ((b * kv->dims[1] + head) * kv->dims[2] + s) * columns + column,
            (double)value);
    if (!find_row(problem, cache, b, s, &block, &row)) return;
    const int64_t element = place_in(problem, cache, block, row, head, column);
    if (problem->tensor[cache].view.dtype != CASE_I8) {
        put(problem, cache, element, (double)value);
        return;
    }
    float scaled = value * number_at(problem, scale, head, column, columns, 1);
    if (!problem->call.is_null[scale + 2])
        scaled = scaled + number_at(problem, scale + 2, head, column, columns, 0);
    oracle_whole(problem, cache, element, CASE_I8, whole(scaled));
}

static void put_row(struct rig_problem *problem, int64_t b, int64_t s, int64_t head)
{
    const struct operand *kv = &problem->tensor[KV].view, *cos = &problem->tensor[COS].view;
    const int64_t values = problem->tensor[GAMMA].count, keys = kv->dims[3] - values;
    const int64_t x = ((b * kv->dims[1] + head) * kv->dims[2] + s) * kv->dims[3];
    const int64_t turns = (b * cos->dims[2] + (cos->dims[2] > 1 ? s : 0)) * keys;
    double sum = 0;
    for (int64_t i = 0; i < values; i++)
        sum += oracle_value(problem, KV, x + i) * oracle_value(problem, KV, x + i);
    const float root = (float)sqrt(sum / (double)values + norm_real(problem, "epsilon", 0));
    for (int64_t i = 0; i < values; i++) {
        const int64_t at[] = {b, s, head, i};
        const float normal = (float)oracle_value(problem, KV, x + i) / root;
        put_one(problem, VALUE_CACHE, TO_VALUE, at, values,
                normal * (float)oracle_value(problem, GAMMA, i));
    }
    for (int64_t i = 0; i < keys; i++) {
        const int64_t at[] = {b, s, head, i}, half = keys / 2, pair = x + values + 2 * (i % half);
        const float even = (float)oracle_value(problem, KV, pair);
        const float odd = (float)oracle_value(problem, KV, pair + 1);
        const float c = (float)oracle_value(problem, COS, turns + i);
        const float d = (float)oracle_value(problem, SIN, turns + i);
        const float by_cos = (i < half ? even : odd) * c, by_sin = (i < half ? odd : even) * d;
        put_one(problem, KEY_CACHE, TO_KEY, at, keys, i < half ? by_cos - by_sin : by_cos + by_sin);
    }
}

static void kv_rope(struct rig_problem *problem)
{
    const struct operand *kv = &problem->tensor[KV].view;
    keep(problem, KEY_CACHE);
    keep(problem, VALUE_CACHE);
    for (int64_t b = 0; b < kv->dims[0]; b++)
        for (int64_t s = 0; s < kv->dims[2]; s++)
            for (int64_t head = 0; head < kv->dims[1]; head++)
                put_row(problem, b, s, head);
}

/* ---- random problems ---- */

/* Different slots, some -1. */
static void fill_slots(struct rig_tensor *index, int64_t slots, struct random *random)
{
    int64_t order[MOST];
    for (int64_t i = 0; i < slots; i++) {
        const int64_t other = random_below(random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (int64_t i = 0; i < index->count; i++) {
        const bool is_there = i < slots && !random_once_in(random, 5);
        index->bits[i] = oracle_cast_whole(index->view.dtype, is_there ? order[i] : -1);
    }
}

static void fill_scatter(struct rig_problem *problem, struct random *random)
{
    const struct operand *cache = &problem->tensor[1].view;
    fill_slots(&problem->tensor[2], cache->dims[0] * rows_in(cache, scatter_axes(problem, 1)),
               random);
}

static void add_text(struct test_case *test, const char *name, const char *text)
{
    struct case_argument *argument = random_type(test, name, CASE_F32);
    strcpy(argument->text, text);
}

static void add_null(struct test_case *test, const char *name)
{
    case_add(test, name, CASE_ALONE)->is_null = true;
}

static struct test_case random_scatter(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const bool is_padded = random_once_in(random, 2), has_heads = random_once_in(random, 2);
    const bool by_head = !is_padded && random_once_in(random, 2),
               has_value = random_once_in(random, 3) == false;
    const int64_t tokens = random_between(random, 0, 9), heads = random_between(random, 1, 3);
    const int64_t blocks = random_between(random, 1, 4), rows = random_between(random, 1, 5);
    const char *const names[][2] = {{"key", "keyCacheRef"}, {"value", "valueCacheRef"}};
    for (int i = 0; i < 2; i++) {
        const int64_t width = random_between(random, 1, 5), panels = random_between(random, 1, 3);
        const int64_t columns = is_padded ? width * panels : 20 * width;
        const int64_t x[] = {tokens, heads, columns};
        const int64_t plain[] = {blocks, by_head ? heads : rows, by_head ? rows : heads, columns};
        const int64_t flat[] = {blocks, heads * panels, rows, width};
        const int64_t deep[] = {blocks, heads, panels, rows, width};
        if (i == 1)
            random_tensor(&test, random, "slotMapping",
                          random_once_in(random, 2) ? CASE_I64 : CASE_I32, &tokens, 1, true);
        norm_optional(&test, random, names[i][0], dtype, x, 3, false, i == 0 || has_value);
        norm_optional(&test, random, names[i][1], dtype,
                      !is_padded  ? plain
                      : has_heads ? deep
                                  : flat,
                      is_padded && has_heads ? 5 : 4, true, i == 0 || has_value);
    }
    add_null(&test, "compressLensOptional");
    add_null(&test, "compressSeqOffsetOptional");
    add_null(&test, "seqLensOptional");
    add_text(&test, "cacheModeOptional", is_padded ? "PA_NZ" : "Norm");
    add_text(&test, "scatterModeOptional", by_head ? "NHSD" : "None");
    add_null(&test, "stridesOptional");
    add_null(&test, "offsetsOptional");
    return test;
}

/* Lengths whose sum is at most the rows of keyRef, and that the table has blocks for. */
static void fill_gather(struct rig_problem *problem, struct random *random)
{
    const char *axes = is_text(problem, 0, "PA_NZ") ? "bprc" : "brhc";
    const struct operand *cache = &problem->tensor[0].view, *table = &problem->tensor[2].view;
    const bool is_running = norm_integer(problem, "isSeqLensCumsum", 0) != 0;
    const int64_t rows = rows_in(cache, axes), other = rows_in(&problem->tensor[1].view, axes);
    const int64_t least = rows < other ? rows : other, most = rows < other ? other : rows;
    const int64_t tokens = problem->tensor[4].view.dims[0];
    int64_t at = 0;
    for (int64_t i = 0; i < problem->tensor[2].count; i++)
        problem->tensor[2].bits[i] =
            oracle_cast_whole(table->dtype, random_below(random, cache->dims[0]));
    for (int64_t b = 0; b < table->dims[0]; b++) {
        const int64_t skipped =
            problem->call.is_null[6] ? 0 : random_below(random, table->dims[1] * least);
        const int64_t room = (table->dims[1] - (skipped + most - 1) / least) * least;
        int64_t length = room > 0 ? random_below(random, room + 1) : 0;
        if (length > tokens - at) length = tokens - at;
        if (!problem->call.is_null[6])
            problem->tensor[6].bits[b] = oracle_cast_whole(table->dtype, skipped);
        if (is_running) problem->tensor[3].bits[b] = oracle_cast_whole(table->dtype, at);
        at += length;
        problem->tensor[3].bits[b + is_running] =
            oracle_cast_whole(table->dtype, is_running ? at : length);
    }
}

static struct test_case random_gather(const struct rig_operator *op, struct random *random,
                                      enum case_dtype dtype)
{
    struct test_case test = norm_start(op, random, dtype);
    const bool is_padded = random_once_in(random, 2), is_running = random_once_in(random, 2);
    const bool is_flat = is_padded && random_once_in(random, 2), skips = random_once_in(random, 2);
    const enum case_dtype index = random_once_in(random, 2) ? CASE_I64 : CASE_I32;
    const int64_t heads = is_flat ? 1 : random_between(random, 1, 3);
    const int64_t rows = random_between(random, 1, 5), tokens = random_between(random, 1, 20);
    const int64_t batch = random_between(random, 1, 4), entries = random_between(random, 1, 3);
    const int64_t table[] = {batch, entries}, lengths = batch + is_running;
    int64_t cache[2][4], to[2][3];
    for (int i = 0; i < 2; i++) {
        const int64_t width = random_between(random, 1, 5), panels = random_between(random, 1, 3);
        const int64_t blocks = 4, columns = is_padded ? width * panels : width;
        const int64_t plain[] = {blocks, rows, heads, columns};
        const int64_t padded[] = {blocks, heads * panels, rows, width};
        memcpy(cache[i], is_padded ? padded : plain, sizeof cache[i]);
        to[i][0] = tokens;
        to[i][1] = is_flat ? columns : heads;
        to[i][2] = columns;
    }
    random_tensor(&test, random, "keyCache", dtype, cache[0], 4, false);
    random_tensor(&test, random, "valueCache", dtype, cache[1], 4, false);
    random_tensor(&test, random, "blockTables", index, table, 2, true);
    random_tensor(&test, random, "seqLens", index, &lengths, 1, true);
    random_tensor(&test, random, "keyRef", dtype, to[0], is_flat ? 2 : 3, true);
    random_tensor(&test, random, "valueRef", dtype, to[1], is_flat ? 2 : 3, true);
    norm_optional(&test, random, "seqOffsetOptional", index, &batch, 1, true, skips);
    add_text(&test, "cacheMode", is_padded ? "PA_NZ" : "Norm");
    random_number(&test, "isSeqLensCumsum", is_running);
    return test;
}

/* Rows of different places; of blocks, of different blocks. */
static void fill_kv_rope(struct rig_problem *problem, struct random *random)
{
    const struct operand *view = &problem->tensor[KEY_CACHE].view;
    const char *mode = problem->call.text[0];
    struct rig_tensor *index = &problem->tensor[INDEX];
    if (strcmp(mode, "Norm") == 0) {
        const int64_t length = problem->tensor[KV].view.dims[2],
                      shift = random_below(random, view->dims[2]);
        for (int64_t i = 0; i < index->count; i++) {
            const int64_t s = i % length;
            const bool is_there = s < view->dims[2] && !random_once_in(random, 5);
            index->bits[i] =
                oracle_cast_whole(CASE_I64, is_there ? (s + shift) % view->dims[2] : -1);
        }
        return;
    }
    const bool by_block = strstr(mode, "BLK") != NULL;
    fill_slots(index, view->dims[0] * (by_block ? 1 : view->dims[1]), random);
    for (int64_t i = 0; i < index->count && by_block; i++) {
        const int64_t block = oracle_whole_value(problem, INDEX, i);
        if (block >= 0) index->bits[i] = (uint64_t)(block * view->dims[1]);
    }
}

static void add_numbers(struct test_case *test, struct random *random, const char *name,
                        int64_t heads, int64_t columns, bool is_there)
{
    const int kind = (int)random_below(random, 3);
    const int64_t dims[] = {heads, columns};
    norm_optional(test, random, name, CASE_F32,
                  kind == 0   ? (const int64_t[]){1}
                  : kind == 1 ? dims + 1
                              : dims,
                  kind == 2 ? 2 : 1, false, is_there);
}

static struct test_case random_kv_rope(const struct rig_operator *op, struct random *random,
                                       enum case_dtype dtype)
{
    static const char *const modes[] = {"Norm",  "PA",          "PA_BNSD",
                                        "PA_NZ", "PA_BLK_BNSD", "PA_BLK_NZ"};
    const enum case_dtype own = norm_some_single(op, random, dtype);
    struct test_case test = norm_start(op, random, own);
    const char *mode = modes[random_below(random, 6)];
    const bool is_norm = strcmp(mode, "Norm") == 0, is_nz = strstr(mode, "NZ") != NULL;
    const bool is_whole[] = {random_once_in(random, 2), random_once_in(random, 2)};
    const bool writes = random_once_in(random, 2),
               has_offset[] = {random_once_in(random, 2), random_once_in(random, 2)};
    const int64_t batch = random_between(random, 1, 3), heads = random_once_in(random, 2) ? 1 : 2;
    const int64_t length = random_between(random, 1, 4), rows = random_between(random, 1, 4);
    const int64_t keys = is_nz ? 32 : 2 * random_between(random, 1, 9);
    const int64_t values =
        is_nz ? 32 * random_between(random, 1, 2) : random_between(random, 1, 20);
    const int64_t blocks = is_norm ? batch + random_below(random, 2) : random_between(random, 1, 6);
    const int64_t kv[] = {batch, heads, length, keys + values};
    const int64_t turns[] = {batch, 1, random_once_in(random, 2) ? 1 : length, keys};
    const int64_t parts = (length + rows - 1) / rows;
    const int64_t index[] = {is_norm ? batch : batch * (strstr(mode, "BLK") ? parts : length),
                             length};
    random_tensor(&test, random, "kv", own, kv, 4, false);
    random_tensor(&test, random, "gamma", own, &values, 1, false);
    random_tensor(&test, random, "cos", own, turns, 4, false);
    random_tensor(&test, random, "sin", own, turns, 4, false);
    random_tensor(&test, random, "index", CASE_I64, index, is_norm ? 2 : 1, true);
    for (int i = 0; i < 2; i++) {
        const int64_t columns = i == 0 ? keys : values;
        const int64_t cache[] = {blocks, is_norm ? heads : rows, is_norm ? rows : heads, columns};
        struct case_argument *argument =
            random_tensor(&test, random, i == 0 ? "kCacheRef" : "ckvCacheRef",
                          is_whole[i] ? CASE_I8 : own, cache, 4, true);
        if (is_nz) argument->layout = CASE_CONTIGUOUS;
    }
    add_numbers(&test, random, "kRopeScaleOptional", heads, keys, is_whole[0]);
    add_numbers(&test, random, "cKvScaleOptional", heads, values, is_whole[1]);
    add_numbers(&test, random, "kRopeOffsetOptional", heads, keys, is_whole[0] && has_offset[0]);
    add_numbers(&test, random, "cKvOffsetOptional", heads, values, is_whole[1] && has_offset[1]);
    random_number(&test, "epsilon", 1e-5);
    add_text(&test, "cacheModeOptional", mode);
    random_number(&test, "isOutputKv", writes);
    for (int i = 0; i < 2; i++) {
        const int64_t to[] = {batch, heads, length, i == 0 ? keys : values};
        norm_optional(&test, random, i == 0 ? "kRopeOut" : "cKvOut", own, to, 4, true, writes);
    }
    return test;
}

const struct oracle_row oracle_slots_rows[] = {
    {.name = "aclnnScatterPaKvCache",
     .oracle = scatter,
     .random = random_scatter,
     .fill = fill_scatter},
    {.name = "aclnnGatherPaKvCache",
     .oracle = gather,
     .random = random_gather,
     .fill = fill_gather},
    {.name = "aclnnKvRmsNormRopeCache",
     .oracle = kv_rope,
     .random = random_kv_rope,
     .fill = fill_kv_rope},
    {.name = NULL},
};
