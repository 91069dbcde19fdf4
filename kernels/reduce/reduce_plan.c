/* SPDX-License-Identifier: Apache-2.0 */
/* Axes, drivers and parts of reductions: by the shape alone. */
#include "kernels/reduce/k_reduce.h"

enum {
    WORK = 1 << 15,      /* elements that are worth a thread */
    ITEMS = 64,          /* fewer items than this are cut into parts */
    PART = 1 << 14,      /* elements of a part at least, */
    PART_ROWS = 64,      /* or rows of columns */
    FEW = 16,            /* reductions this short go by columns whatever the steps */
    COLUMN_BYTES = 4096, /* of a tile of columns */
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static void swap_kept(struct k_kept *kept, int a, int b)
{
    int64_t *const lists[] = {kept->sizes, kept->from, kept->to, kept->auxiliary, kept->index};
    for (int i = 0; i < 5; i++) {
        const int64_t value = lists[i][a];
        lists[i][a] = lists[i][b];
        lists[i][b] = value;
    }
}

static bool continues(const struct k_kept *kept, int a, int b)
{
    const int64_t *const steps[] = {kept->from, kept->to, kept->auxiliary, kept->index};
    for (int i = 0; i < 4; i++) {
        int64_t whole;
        if (__builtin_mul_overflow(steps[i][b], kept->sizes[b], &whole) || steps[i][a] != whole)
            return false;
    }
    return true;
}

void k_kept_merge(struct k_kept *kept)
{
    int rank = 0, last = 0;
    for (int axis = 0; axis < kept->rank; axis++)
        if (kept->sizes[axis] != 1) swap_kept(kept, rank++, axis);
    for (int i = 1; i < rank; i++)
        for (int j = i; j > 0 && kept->from[j] > kept->from[j - 1]; j--)
            swap_kept(kept, j, j - 1);
    for (int axis = 1; axis < rank; axis++) {
        if (continues(kept, last, axis)) {
            const int64_t size = kept->sizes[last] * kept->sizes[axis];
            swap_kept(kept, last, axis);
            kept->sizes[last] = size;
        } else {
            swap_kept(kept, ++last, axis);
        }
    }
    kept->rank = rank == 0 ? 0 : last + 1;
}

static void swap_reduced(struct k_reduce *r, int a, int b)
{
    const int64_t size = r->reduced_sizes[a], step = r->reduced_steps[a];
    r->reduced_sizes[a] = r->reduced_sizes[b];
    r->reduced_steps[a] = r->reduced_steps[b];
    r->reduced_sizes[b] = size;
    r->reduced_steps[b] = step;
}

static void merge_reduced(struct k_reduce *r)
{
    int rank = 0, last = 0;
    r->count = 1;
    for (int axis = 0; axis < r->reduced_rank; axis++) {
        r->count *= r->reduced_sizes[axis];
        if (r->reduced_sizes[axis] != 1) swap_reduced(r, rank++, axis);
    }
    for (int axis = 1; axis < rank; axis++) {
        int64_t whole;
        if (!__builtin_mul_overflow(r->reduced_steps[axis], r->reduced_sizes[axis], &whole) &&
            r->reduced_steps[last] == whole) {
            r->reduced_sizes[last] *= r->reduced_sizes[axis];
            r->reduced_steps[last] = r->reduced_steps[axis];
        } else {
            swap_reduced(r, ++last, axis);
        }
    }
    r->reduced_rank = last + 1;
    if (rank > 0 && r->count > 0) return;
    r->reduced_rank = 1;
    r->reduced_sizes[0] = r->count;
    r->reduced_steps[0] = 1;
}

static int64_t results(const struct k_kept *kept)
{
    int64_t all = 1;
    for (int axis = 0; axis < kept->rank; axis++)
        all *= kept->sizes[axis];
    return all;
}

/* Vectors run along results where some lie behind the reduced axes, or there is little to reduce.
 */
static bool goes_by_columns(const struct k_reduce *r)
{
    if (r->kept.rank == 0 || (r->has_index && r->count > INT32_MAX)) return false;
    return r->inner >= 4 || (r->count < FEW && results(&r->kept) >= 4);
}

static int64_t column_elements(const struct k_reduce *r)
{
    return COLUMN_BYTES / k_dtype_size(k_dtype_of(r->compute));
}

static struct k_work work_of(const struct k_reduce *r)
{
    int64_t items = results(&r->kept), each = r->part;
    if (r->by_columns) {
        items = items / r->kept.sizes[r->kept.rank - 1] * r->column_tiles;
        each *= r->columns;
    }
    const int64_t grain = WORK / (each > 0 ? each : 1);
    return (struct k_work){.items = items * r->parts, .grain = grain > 0 ? grain : 1};
}

struct k_work k_reduce_plan(struct k_reduce *r)
{
    k_kept_merge(&r->kept);
    merge_reduced(r);
    r->part = r->count;
    r->parts = 1;
    r->to_part = 0;
    r->by_columns = goes_by_columns(r);
    if (r->by_columns) {
        const int64_t size = r->kept.sizes[r->kept.rank - 1];
        r->columns = smaller(size, column_elements(r));
        r->column_tiles = quotient_up(size, r->columns);
    }
    return work_of(r);
}

static enum k_fold fold_of_parts(enum k_fold fold)
{
    static const enum k_fold folds[K_FOLDS] = {
        [K_FOLD_product] = K_FOLD_product,  [K_FOLD_greatest] = K_FOLD_greatest,
        [K_FOLD_least] = K_FOLD_least,      [K_FOLD_some] = K_FOLD_greatest,
        [K_FOLD_every] = K_FOLD_least,      [K_FOLD_size_greatest] = K_FOLD_greatest,
        [K_FOLD_size_least] = K_FOLD_least,
    };
    return folds[fold]; /* the others are sums */
}

int64_t k_reduce_split(struct k_reduce *r, struct k_reduce *second, struct k_work *work,
                       struct k_work *second_work)
{
    const int64_t least = r->by_columns ? PART_ROWS : PART, all = results(&r->kept);
    const int64_t items = r->by_columns ? quotient_up(all, column_elements(r)) : all;
    if (items >= ITEMS || r->count < 2 * least) return 0;
    const int64_t parts = smaller(quotient_up(r->count, least), quotient_up(ITEMS, items));
    const int64_t unit = r->by_columns ? 1 : K_REDUCE_BLOCK;
    r->part = quotient_up(quotient_up(r->count, parts), unit) * unit;
    r->parts = quotient_up(r->count, r->part);
    if (r->parts < 2) return 0;
    *second = *r;
    int64_t step = r->by_columns ? 1 : r->parts;
    for (int axis = r->kept.rank - 1; axis >= 0; axis--) {
        r->kept.to[axis] = r->kept.index[axis] = second->kept.from[axis] = step;
        step *= r->kept.sizes[axis];
    }
    r->to_part = r->by_columns ? step : 1;
    r->finish = K_FINISH_NONE;
    r->to = r->result = second->from = second->via = k_dtype_of(r->compute);
    r->has_value = true;
    r->index_type = K_I64;
    *work = work_of(r);
    second->fold = fold_of_parts(r->fold);
    second->has_auxiliary = r->has_auxiliary && second->finish == K_FINISH_LOG_ADD;
    second->translates = r->has_index;
    second->inner = r->by_columns ? all : 1;
    second->reduced_rank = 1;
    second->reduced_sizes[0] = r->parts;
    second->reduced_steps[0] = r->to_part;
    *second_work = k_reduce_plan(second);
    return all * r->parts;
}

struct k_work k_scan_plan(struct k_scan *s)
{
    k_kept_merge(&s->kept);
    const int inner = s->kept.rank - 1;
    int64_t items = results(&s->kept), each = s->count;
    s->by_columns = inner >= 0 && s->kept.sizes[inner] >= 4 &&
                    (s->count == 1 || s->kept.from[inner] < s->from_step);
    if (s->by_columns) {
        s->columns = smaller(s->kept.sizes[inner], COLUMN_BYTES / 8);
        s->column_tiles = quotient_up(s->kept.sizes[inner], s->columns);
        items = items / s->kept.sizes[inner] * s->column_tiles;
        each *= s->columns;
    }
    const int64_t grain = WORK / 8 / (each > 0 ? each : 1);
    return (struct k_work){.items = items, .grain = grain > 0 ? grain : 1};
}

struct k_work k_select_plan(struct k_select *s)
{
    k_kept_merge(&s->kept);
    s->count = 1;
    for (int axis = 0; axis < s->reduced_rank; axis++)
        s->count *= s->reduced_sizes[axis];
    if (s->reduced_rank == 0) {
        s->reduced_rank = 1;
        s->reduced_sizes[0] = s->reduced_steps[0] = 1;
    }
    const int64_t grain = WORK / 16 / (s->count > 0 ? s->count : 1);
    return (struct k_work){.items = results(&s->kept), .grain = grain > 0 ? grain : 1};
}
