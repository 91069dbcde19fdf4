/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/elementwise/k_elementwise.h"

enum types { REALS = 1, INTEGERS = 2, NUMBERS = 3, WIDE = REALS };

static const struct core {
    const char *name;
    unsigned char results, operands, cost;
    unsigned char types[K_CONSTANTS]; /* by the set of constants */
} cores[] = {
#define K_CORE(core, r, o, t, c)                                                                   \
    [K_CORE_##core].name = #core, [K_CORE_##core].results = (r), [K_CORE_##core].operands = (o),   \
    [K_CORE_##core].cost = (c), [K_CORE_##core].types[0] = (t),
#define K_FORM(core, t, constants) [K_CORE_##core].types[constants] = (t),
#include "kernels/elementwise/cores.def"
};

bool k_elementwise_has(enum k_core core, enum k_compute compute, unsigned constants)
{
    const bool is_real = compute == K_AS_F32 || compute == K_AS_F64;
    return constants < K_CONSTANTS &&
           (cores[core].types[constants] & (is_real ? REALS : INTEGERS)) != 0;
}

const char *k_core_name(enum k_core core)
{
    return cores[core].name;
}

int k_core_operands(enum k_core core)
{
    return cores[core].operands;
}

int k_core_results(enum k_core core)
{
    return cores[core].results;
}

static bool has_half(const struct k_elementwise *e)
{
    switch (e->core * K_CONSTANTS + e->constants) {
#define K_HALF(core, body, constants) case K_CORE_##core *K_CONSTANTS + (constants):
#include "kernels/half/forms.def"
        return true;
    default:
        return false;
    }
}

/* The half type that all tensors have, or the type as it is. */
static enum k_compute half_of(const struct k_elementwise *e)
{
    const struct k_loop *loop = &e->loop;
    const enum k_dtype dtype = loop->operand[0].dtype;
    if ((dtype != K_F16 && dtype != K_BF16) || loop->results == 0 || !has_half(e))
        return loop->compute;
    for (int i = 0; i < loop->results + loop->operands; i++)
        if (loop->operand[i].dtype != dtype || loop->operand[i].via != dtype) return loop->compute;
    return dtype == K_F16 ? K_AS_F16 : K_AS_BF16;
}

/* A choice moves elements: those of half types go as integers, which are not rounded. */
static void move_as_integers(struct k_elementwise *e)
{
    enum { RESULT, CONDITION, FIRST, SECOND };
    static const int moved[] = {RESULT, FIRST, SECOND};
    struct k_loop_operand *operand = e->loop.operand;
    const enum k_dtype dtype = operand[RESULT].dtype;
    if (e->core != K_CORE_where || e->constants != 0 || (dtype != K_F16 && dtype != K_BF16)) return;
    if (operand[CONDITION].dtype != K_BOOL && operand[CONDITION].dtype != K_U8) return;
    for (int i = 0; i < 3; i++)
        if (operand[moved[i]].dtype != dtype || operand[moved[i]].via != dtype) return;
    for (int i = 0; i < 3; i++)
        operand[moved[i]].dtype = operand[moved[i]].via = K_I16;
    operand[CONDITION].via = operand[CONDITION].dtype;
    e->loop.compute = K_AS_I32;
}

struct k_work k_elementwise_finish(struct k_elementwise *e)
{
    move_as_integers(e);
    e->loop.compute = half_of(e);
    e->loop.is_copy = e->core == K_CORE_copy && e->constants == 0;
    return k_loop_finish(&e->loop, cores[e->core].cost);
}
