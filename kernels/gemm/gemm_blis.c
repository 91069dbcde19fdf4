/* SPDX-License-Identifier: Apache-2.0 */
/* Products of f32 and f64 by BLIS, straight to c; the epilogue goes over c then. */
#include "kernels/blis/k_blis.h"
#include "kernels/gemm/gemm_item.h"

#ifndef K_ISA_base
static void finish(const struct gemm_item *item)
{
    const struct k_gemm *g = item->gemm;
    float sums[FINISH_RUN];
    for (int64_t row = 0; row < item->rows; row++) {
        if (g->c.dtype == K_F64) {
            gemm_finish_doubles(item, row, v_address(item->c, 8 * row * g->c.row), g->c.column);
            continue;
        }
        for (int64_t at = 0; at < item->columns; at += FINISH_RUN) {
            const int64_t some = gemm_min(item->columns - at, FINISH_RUN);
            widen(K_F32, v_address(item->c, 4 * (row * g->c.row + at * g->c.column)), g->c.column,
                  some, sums);
            gemm_finish(item, row, at, some, sums);
        }
    }
}

k_fn K_SYMBOL(gemm_blis);

void K_SYMBOL(gemm_blis)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_gemm_view view = k_gemm_view_of(parameters);
    const struct k_gemm *g = &view.gemm;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct gemm_item item = gemm_item_at(&view, buffers, i);
        const struct k_gemm_blis product = {item.rows, item.columns, g->k,     item.a,
                                            item.b,    item.c,       g->a.row, g->a.column,
                                            g->b.row,  g->b.column,  g->c.row, g->c.column};
        k_blis_multiply(g->c.dtype, &product);
        if (gemm_has_epilogue(g)) finish(&item);
    }
}
#endif
