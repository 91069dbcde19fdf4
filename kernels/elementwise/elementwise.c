/* SPDX-License-Identifier: Apache-2.0 */
/* Every core in every compute type that it has. */
#include <math.h>
#include <string.h>

#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/wide.h"
#include "kernels/half/half.h"
#include "kernels/loop/loop.h"
#include "kernels/vector/by_lane.h"
#include "kernels/vector/math.h"
#include "kernels/vector/simd.h"

/* Logarithms of sums of powers; equal infinities are their own. */
static double log_add_exp(double a, double b)
{
    if (a == b && isinf(a)) return a;
    return (a < b || isnan(b) ? b : a) + log1p(exp(-fabs(a - b)));
}

static double log_add_exp2(double a, double b)
{
    const double ln2 = 0.69314718055994530942;
    if (a == b && isinf(a)) return a;
    return (a < b || isnan(b) ? b : a) + log1p(exp2(-fabs(a - b))) / ln2;
}

#include "kernels/elementwise/as_f32.h"
#include "kernels/elementwise/numbers.h"
/* They call functions of numbers.h. */
#include "kernels/elementwise/activations.h"
#include "kernels/elementwise/functions.h"
#include "kernels/elementwise/pairs.h"
#include "kernels/elementwise/reals.h"
#include "kernels/elementwise/run.h"

#include "kernels/elementwise/as_f64.h"
#include "kernels/elementwise/numbers.h"
/* They call functions of numbers.h. */
#include "kernels/elementwise/activations.h"
#include "kernels/elementwise/functions.h"
#include "kernels/elementwise/pairs.h"
#include "kernels/elementwise/reals.h"
#include "kernels/elementwise/run.h"

#include "kernels/elementwise/as_i32.h"
#include "kernels/elementwise/numbers.h"
/* They call functions of numbers.h. */
#include "kernels/elementwise/integers.h"
#include "kernels/elementwise/run.h"

#include "kernels/elementwise/as_i64.h"
#include "kernels/elementwise/numbers.h"
/* They call functions of numbers.h. */
#include "kernels/elementwise/integers.h"
#include "kernels/elementwise/run.h"

/* ---- a function for each ---- */

#define TILE(name, type, results, operands, constants)                                             \
    static void name##_##constants##_##type(const void *e, const void *const from[],               \
                                            void *const to[], int64_t count)                       \
    {                                                                                              \
        run_##type(name##_##type, results, operands, constants, e, from, to, count);               \
    }
#define TILES_REALS(name, results, operands, constants)                                            \
    TILE(name, f32, results, operands, constants) TILE(name, f64, results, operands, constants)
#define TILES_INTEGERS(name, results, operands, constants)                                         \
    TILE(name, i32, results, operands, constants) TILE(name, i64, results, operands, constants)
#define TILES_NUMBERS(name, results, operands, constants)                                          \
    TILES_REALS(name, results, operands, constants)                                                \
    TILES_INTEGERS(name, results, operands, constants)

/* These have a file of their own (kernels/loss/wide_cores.h). */
#define TILES_WIDE(name, results, operands, constants)                                             \
    k_tile_fn K_SYMBOL(name##_##constants##_f32), K_SYMBOL(name##_##constants##_f64);

/* The counts of each core, by its name. */
enum {
#define K_CORE(name, results, operands, types, cost)                                               \
    name##_results = (results), name##_operands = (operands),
#include "kernels/elementwise/cores.def"
};

#define K_CORE(name, results, operands, types, cost) TILES_##types(name, results, operands, 0)
#define K_FORM(name, types, constants)                                                             \
    TILES_##types(name, name##_results, name##_operands, constants)
#include "kernels/elementwise/cores.def"

#define ENTRY_REALS(name, constants)                                                               \
    [K_CORE_##name][constants][K_AS_F32] = name##_##constants##_f32,                               \
    [K_CORE_##name][constants][K_AS_F64] = name##_##constants##_f64,
#define ENTRY_INTEGERS(name, constants)                                                            \
    [K_CORE_##name][constants][K_AS_I32] = name##_##constants##_i32,                               \
    [K_CORE_##name][constants][K_AS_I64] = name##_##constants##_i64,
#define ENTRY_NUMBERS(name, constants) ENTRY_REALS(name, constants) ENTRY_INTEGERS(name, constants)
#define ENTRY_WIDE(name, constants)                                                                \
    [K_CORE_##name][constants][K_AS_F32] = K_SYMBOL(name##_##constants##_f32),                     \
    [K_CORE_##name][constants][K_AS_F64] = K_SYMBOL(name##_##constants##_f64),

static k_tile_fn *const tiles[K_CORES][K_CONSTANTS][K_COMPUTES] = {
#define K_CORE(name, results, operands, types, cost) ENTRY_##types(name, 0)
#define K_FORM(name, types, constants)               ENTRY_##types(name, constants)
#include "kernels/elementwise/cores.def"
};

k_tile_fn *k_elementwise_tile(const struct k_elementwise *e)
{
    const bool is_half = e->loop.compute >= K_COMPUTES;
    return is_half ? k_half_tile(e) : tiles[e->core][e->constants][e->loop.compute];
}

k_fn K_SYMBOL(elementwise);

void K_SYMBOL(elementwise)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_elementwise *e = parameters;
    k_loop_run(&e->loop, k_elementwise_tile(e), e, buffers, slice);
}
