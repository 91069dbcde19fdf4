/* SPDX-License-Identifier: Apache-2.0 */
/* Widened, computed and rounded in registers: one pass over memory instead of one for each. */
#include "kernels/half/half.h"

#include <math.h>
#include <string.h>

#include "kernels/elementwise/wide.h"
#include "kernels/vector/block.h"
#include "kernels/vector/by_lane.h"
#include "kernels/vector/math.h"

#include "kernels/elementwise/as_f32.h"
#include "kernels/elementwise/numbers.h"
/* They call functions of numbers.h. */
#include "kernels/elementwise/activations.h"
#include "kernels/elementwise/functions.h"
#include "kernels/elementwise/reals.h"
#include "kernels/half/single.h"

typedef void half_body(vf *y, const vf *x, const vf *s);

/* Blocks are rounded without a test for NaN: NaNs of half types stay NaNs, so the numbers are NaNs
 * of that kind, too. */
K_TEMPLATE
vf half_number(double number)
{
    return v_all(isnan(number) ? NAN : (float)number);
}

K_TEMPLATE
void run_half(enum k_dtype dt, half_body *body, int operand_count, unsigned constants,
              const struct k_elementwise *e, const void *const operands[], void *result,
              int64_t count)
{
    enum { MOST = 3, STEP = 2 * VL };
    const char *from[MOST];
    char *to = result, rest[MOST + 1][STEP * 2] = {{0}};
    vf numbers[K_NUMBERS], x[2][MOST], y[2];
    int tensors = 0, constant_count = 0;
    for (int i = 0; i < K_NUMBERS; i++)
        numbers[i] = half_number(e->reals[i]);
    for (int i = 0; i < operand_count; i++) {
        if (constants >> i & 1)
            x[0][i] = x[1][i] = numbers[constant_count++];
        else
            from[i] = operands[tensors++];
    }
    const int64_t remainder = count % STEP;
    int64_t end = count - remainder;
    /* The last elements go through whole blocks of the stack. */
    for (bool is_last = end == 0;; is_last = true) {
        if (is_last) {
            if (remainder == 0) return;
            for (int i = 0; i < operand_count; i++) {
                if (constants >> i & 1) continue;
                memcpy(rest[i], from[i] + end * 2, (size_t)remainder * 2);
                from[i] = rest[i];
            }
            to = rest[MOST];
        }
        for (int64_t i = 0; i < (is_last ? STEP : end); i += STEP) {
            for (int j = 0; j < operand_count; j++) {
                if (constants >> j & 1) continue;
                const struct k_block block = block_load(dt, from[j] + i * 2);
                x[0][j] = block.a;
                x[1][j] = block.b;
            }
            for (int half = 0; half < 2; half++)
                body(&y[half], x[half], numbers + constant_count);
            const vf words = block_elements(dt, (struct k_block){y[0], y[1]});
            memcpy(to + i * 2, &words, sizeof words);
        }
        if (is_last) break;
    }
    memcpy((char *)result + end * 2, rest[MOST], (size_t)remainder * 2);
}

enum {
#define K_CORE(name, results, operands, types, cost) name##_operands = (operands),
#include "kernels/elementwise/cores.def"
};

#define TILE(core, body, constants, type, dtype)                                                   \
    static void core##_##constants##_##type(const void *e, const void *const from[],               \
                                            void *const to[], int64_t count)                       \
    {                                                                                              \
        run_half(dtype, body##_f32, core##_operands, constants, e, from, to[0], count);            \
    }
#define K_HALF(core, body, constants)                                                              \
    TILE(core, body, constants, f16, K_F16) TILE(core, body, constants, bf16, K_BF16)
#include "kernels/half/forms.def"

k_tile_fn *k_half_tile(const struct k_elementwise *e)
{
    const bool is_f16 = e->loop.compute == K_AS_F16;
    switch (e->core * K_CONSTANTS + e->constants) {
#define K_HALF(core, body, constants)                                                              \
    case K_CORE_##core *K_CONSTANTS + (constants):                                                 \
        return is_f16 ? core##_##constants##_f16 : core##_##constants##_bf16;
#include "kernels/half/forms.def"
    default:
        return NULL; /* no form: k_elementwise_finish has seen to that */
    }
}
