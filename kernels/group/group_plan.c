/* SPDX-License-Identifier: Apache-2.0 */
/* How products of groups are cut, and the table of the groups. */
#include "kernels/group/k_group.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "kernels/way.h"

enum {
    WIDE = K_GEMM_COLUMNS, /* columns of an item */
    NARROW = 96,           /* where there are few items */
    ENOUGH = 32,
};
_Static_assert(WIDE % NARROW == 0 && NARROW % K_GEMM_TILE == 0 && NARROW % K_QUANT_COLUMNS == 0,
               "items are whole tiles of every kernel");

static int64_t up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

static struct k_work cut(const struct k_problem *problem, int64_t few, bool has_tiles)
{
    struct k_group *group = problem->parameters;
    struct k_gemm *gemm = &group->gemm;
    int64_t blocks = up(gemm->m, K_GROUP_ROWS);
    if (group->by_terms)
        blocks *= group->groups;
    else if (blocks + group->groups < gemm->m)
        blocks += group->groups;
    else
        blocks = gemm->m;
    group->few = few;
    group->has_tiles = has_tiles;
    if (group->kind == K_GROUP_WHOLE) group->int8.has_dots = k_dots_int8();
    k_gemm_packed_plan(&(struct k_problem){gemm, K_F32, problem->level}); /* for its pairs */
    int64_t columns = WIDE;
    if (blocks * up(gemm->n, columns) < ENOUGH) columns = NARROW;
    group->column_blocks = up(gemm->n, columns);
    gemm->cut = (struct k_gemm_cut){.pairs = gemm->cut.pairs && group->kind == K_GROUP_PLAIN,
                                    .rows = K_GROUP_ROWS,
                                    .columns = columns,
                                    .row_blocks = 1,
                                    .column_blocks = group->column_blocks};
    return (struct k_work){.items = blocks * group->column_blocks, .grain = 1};
}

/* ---- ways ---- */

const char *k_group_few_refuses(const struct k_problem *problem)
{
    struct k_group *g = problem->parameters;
    const struct k_gemm_matrix *weight = &g->gemm.b;
    if (g->kind == K_GROUP_WHOLE) return "INT8";
    if (g->kind == K_GROUP_WEIGHT)
        return k_quant_dots_refuses(&(struct k_problem){&g->quant, K_F32, problem->level});
    if (!problem->level->gemm_dots) return "not on this level";
    if (g->by_terms && g->gemm.m > K_GEMM_FEW) return "more than 4 rows";
    return weight->row != 1 && weight->column != 1 ? "no contiguous axis" : NULL;
}

struct k_work k_group_few_plan(const struct k_problem *problem)
{
    const struct k_group *g = problem->parameters;
    return cut(problem, g->kind == K_GROUP_WEIGHT ? K_QUANT_FEW : K_GEMM_FEW, false);
}

const char *k_group_tiles_refuses(const struct k_problem *problem)
{
    struct k_group *g = problem->parameters;
    if (g->kind != K_GROUP_WHOLE) return "no INT8";
    return k_int8_tiles_refuses(&(struct k_problem){&g->int8, K_F32, problem->level});
}

struct k_work k_group_tiles_plan(const struct k_problem *problem)
{
    return cut(problem, 0, true);
}

struct k_work k_group_packed_plan(const struct k_problem *problem)
{
    return cut(problem, 0, false);
}

/* ---- the table ---- */

/* How long group i is, or -1: that cannot be. */
static int64_t length_of(const struct k_group_ranges *r, const int64_t *list, int64_t i,
                         int64_t begin)
{
    const int64_t number = list[r->form == K_GROUP_PAIRS ? 2 * i + 1 : i];
    const int64_t least = r->form == K_GROUP_ENDS ? begin : 0;
    const int64_t most = r->form == K_GROUP_ENDS ? r->extent : r->extent - begin;
    return number < least || number > most ? -1 : number - least;
}

void k_group_ranges(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_group_ranges *r = parameters;
    const int64_t *list = r->is_given ? r->list : buffers[K_GROUP_LIST];
    struct k_group_range *to = buffers[K_GROUP_TABLE];
    struct k_fault *fault = r->is_given ? NULL : buffers[K_GROUP_TABLE + 1];
    int64_t begin = 0, blocks = 0;
    bool is_wrong = false;
    (void)slice;
    for (int64_t i = 0; i < r->groups; i++) {
        const int64_t weight = r->form == K_GROUP_PAIRS ? list[2 * i] : i;
        int64_t length = is_wrong ? 0 : length_of(r, list, i, begin);
        const bool has_weight =
            r->form != K_GROUP_PAIRS || length == 0 || (weight >= 0 && weight < r->weights);
        if (length < 0 || !has_weight) {
            if (fault) k_fault_note(fault, r->form == K_GROUP_PAIRS ? 2 * i + has_weight : i);
            is_wrong = true;
            length = 0;
        }
        to[i] = (struct k_group_range){begin, begin + length, length > 0 ? weight : 0, blocks};
        begin += length;
        blocks += up(length, K_GROUP_ROWS);
    }
    to[r->groups] = (struct k_group_range){begin, begin, 0, blocks};
}

void k_group_pick(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_group_pick *p = parameters;
    const struct k_group_range *ranges = buffers[K_GROUP_PICK_TABLE];
    const void *from = buffers[K_GROUP_PICK_FROM];
    int64_t *to = buffers[K_GROUP_PICK_TO];
    const int64_t end = ranges[p->groups].begin;
    (void)slice;
    for (int64_t row = 0; row < p->rows; row++) {
        const int64_t number =
            p->is_wide ? ((const int64_t *)from)[row] : ((const int32_t *)from)[row];
        const bool is_there = number >= 0 && number < p->limit;
        if (row < end && !is_there) k_fault_note(buffers[K_GROUP_PICK_BUFFERS], row);
        to[row] = row < end && is_there ? number : -1;
    }
}
