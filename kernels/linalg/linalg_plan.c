/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/linalg/k_linalg.h"

enum { GRAIN = 16384 }; /* operations worth a thread */

struct k_work k_triangular_work(struct k_triangular *t)
{
    t->strips = (t->columns + K_TRIANGULAR_STRIP - 1) / K_TRIANGULAR_STRIP;
    const double cost = (double)t->order * (double)t->order * K_TRIANGULAR_STRIP / 16;
    return (struct k_work){.items = t->matrices * t->strips,
                           .grain = cost >= GRAIN ? 1 : (int64_t)(GRAIN / (cost + 1)) + 1};
}

struct k_work k_matrix_work(const struct k_matrix *m)
{
    const double size = (double)m->rows * (double)m->columns;
    const double cost = size * (double)(m->rows < m->columns ? m->rows : m->columns);
    return (struct k_work){.items = m->matrices,
                           .grain = cost >= GRAIN ? 1 : (int64_t)(GRAIN / (cost + 1)) + 1};
}
