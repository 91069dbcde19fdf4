/* SPDX-License-Identifier: Apache-2.0 */
/* Parts and merges of sorted rows: by the shape alone. */
#include "kernels/sort/k_sort.h"

enum { WORK = 1 << 11 /* elements that are worth a thread */ };

static int64_t grain_of(int64_t each)
{
    return each >= WORK ? 1 : WORK / (each > 0 ? each : 1);
}

struct k_work k_sort_plan(struct k_sort *s)
{
    s->is_wide = k_dtype_size(s->dtype) == 8 || s->count > INT32_MAX;
    s->parts = k_sort_runs(s, K_SORT_PART);
    s->run = K_SORT_PART;
    s->is_last = s->parts == 1;
    return (struct k_work){.items = s->rows * s->parts, .grain = grain_of(s->count / s->parts)};
}

bool k_sort_merge_plan(struct k_sort *s, struct k_work *work)
{
    if (s->run >= s->count) return false;
    const int64_t made = 2 * s->run, runs = k_sort_runs(s, made);
    const int64_t pieces = (k_sort_kept(s, made) + K_SORT_PIECE - 1) / K_SORT_PIECE;
    s->is_last = runs == 1;
    *work = (struct k_work){.items = s->rows * runs * pieces,
                            .grain = grain_of(k_sort_kept(s, made) / pieces)};
    return true;
}

int64_t k_sort_scratch(const struct k_sort *s, int64_t run)
{
    if (s->count <= K_SORT_PART) return 0;
    return s->rows * k_sort_runs(s, run) * k_sort_kept(s, run) * (s->is_wide ? 16 : 8);
}

struct k_work k_top_work(const struct k_top *top)
{
    return (struct k_work){.items = top->rows, .grain = 4096 / (top->count + 1) + 1};
}
