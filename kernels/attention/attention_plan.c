/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/attention/k_attention.h"
#include "kernels/way.h"

enum {
    WORK = 1 << 18,      /* products that are worth a thread */
    ENOUGH = 32,         /* items of the forward pass, and of the gradient half as many */
    ENOUGH_TOGETHER = 4, /* items that are left where heads share one */
    STEP = 16,           /* keys of a block are a multiple of it */
    FEW_TIMES = 4,       /* what a product takes whose keys are not packed, in terms of others */
};

static int64_t parts(int64_t count, int64_t each)
{
    return (count + each - 1) / each;
}

int64_t k_attention_blocks(const struct k_attention *a, int64_t keys)
{
    return parts(keys, a->keys);
}

int64_t k_attention_chunks(const struct k_attention *a, int64_t keys)
{
    const int64_t blocks = k_attention_blocks(a, keys);
    return blocks < a->chunks ? blocks : a->chunks;
}

static int64_t units_of(const struct k_attention *a, const struct k_attention_sequence *s,
                        enum k_attention_unit unit)
{
    if (unit == K_ATTENTION_CHUNK) return k_attention_chunks(a, s->keys);
    return parts(s->queries, unit == K_ATTENTION_BLOCK ? a->block : K_ATTENTION_TILE);
}

/* Returns how many there are of one head. */
static int64_t count_units(struct k_attention *a, enum k_attention_unit unit)
{
    int64_t before = 0;
    for (int64_t i = 0; i < a->sequences; i++) {
        a->sequence[i].before[unit] = before;
        before += units_of(a, &a->sequence[i], unit);
    }
    return before;
}

static struct k_work work_of(const struct k_attention *a, enum k_attention_unit unit, int64_t heads,
                             double each)
{
    const struct k_attention_sequence *last = &a->sequence[a->sequences - 1];
    const double grain = WORK / (each > 1 ? each : 1);
    return (struct k_work){.items = heads * (last->before[unit] + units_of(a, last, unit)),
                           .grain = grain > 1 ? (int64_t)grain : 1};
}

/* Rows of the longest sequence. */
static double most_rows(const struct k_attention *a, bool is_key)
{
    int64_t most = 0;
    for (int64_t i = 0; i < a->sequences; i++) {
        const int64_t rows = is_key ? a->sequence[i].keys : a->sequence[i].queries;
        most = rows > most ? rows : most;
    }
    return (double)most;
}

/* Few queries wait for the packing of keys: heads with the same ones share it. */
static void share_keys(struct k_attention *a, int64_t room)
{
    a->together = a->group < room ? a->group : room;
    while (a->group % a->together != 0 ||
           (a->together > 1 && a->sequences * (a->heads / a->together) < ENOUGH_TOGETHER))
        a->together--;
    if (a->together > 1) a->block = K_ATTENTION_TILE;
}

/* How many heads of few queries may share keys: keys that one row reads are read where they lie. */
static int64_t few_heads(const struct k_attention *a)
{
    const int64_t queries = (int64_t)most_rows(a, false);
    if (queries > 1) return K_ATTENTION_FEW_ROWS / queries;
    return a->k_as.is_there ? K_ATTENTION_FEW_ROWS : 1;
}

struct k_work k_attention_cut(struct k_attention *a, bool is_few)
{
    const int64_t row = parts(a->row, K_ATTENTION_TILE) * K_ATTENTION_TILE;
    const int64_t floats = a->rope > 0 ? K_ATTENTION_ROPE_FLOATS : K_ATTENTION_FLOATS;
    a->keys = (a->rope > 0 ? K_ATTENTION_ROPE_SUMS : K_ATTENTION_SUMS) / row / STEP * STEP;
    const int64_t values = K_ATTENTION_SUMS / (parts(a->d, STEP) * STEP) / STEP * STEP;
    if (a->keys > values) a->keys = values; /* with a second part a row of k is longer than of v */
    if (a->keys > K_ATTENTION_KEYS) a->keys = K_ATTENTION_KEYS;
    a->block = floats / a->row / K_ATTENTION_TILE * K_ATTENTION_TILE;
    if (a->block > K_ATTENTION_QUERIES) a->block = K_ATTENTION_QUERIES;
    if (is_few)
        share_keys(a, few_heads(a));
    else
        share_keys(a, most_rows(a, false) > K_ATTENTION_TILE ? 1 : a->block / K_ATTENTION_TILE);
    while (a->block > K_ATTENTION_TILE &&
           count_units(a, K_ATTENTION_BLOCK) < parts(ENOUGH, a->heads))
        a->block -= K_ATTENTION_TILE;
    a->chunks = parts(ENOUGH / 2, a->sequences * (a->heads / a->group));
    if (a->chunks > K_ATTENTION_CHUNKS) a->chunks = K_ATTENTION_CHUNKS;
    count_units(a, K_ATTENTION_BLOCK);
    count_units(a, K_ATTENTION_CHUNK);
    a->tiles = a->heads * count_units(a, K_ATTENTION_TILES);
    const double queries = is_few ? FEW_TIMES * most_rows(a, false) : (double)a->block;
    return work_of(a, K_ATTENTION_BLOCK, a->heads / a->together,
                   (double)(a->together * (a->row + a->dv)) * queries * most_rows(a, true));
}

const char *k_attention_few_queries_refuses(const struct k_problem *problem)
{
    const struct k_attention *a = problem->parameters;
    if (a->keep != 1) return "weights are dropped";
    return most_rows(a, false) > K_ATTENTION_FEW ? "more than eight queries" : NULL;
}

struct k_work k_attention_few_queries_plan(const struct k_problem *problem)
{
    return k_attention_cut(problem->parameters, true);
}

struct k_work k_attention_tiles_plan(const struct k_problem *problem)
{
    return k_attention_cut(problem->parameters, false);
}

struct k_work k_attention_rows_work(const struct k_attention *a)
{
    return work_of(a, K_ATTENTION_TILES, a->heads, (double)(K_ATTENTION_TILE * (a->d + a->dv)));
}

struct k_work k_attention_grad_work(const struct k_attention *a)
{
    const double keys = most_rows(a, true) / (double)a->chunks;
    return work_of(a, K_ATTENTION_CHUNK, a->heads / a->group,
                   keys * (double)((3 * a->d + 2 * a->dv) * a->group) * most_rows(a, false));
}
