/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic of scatters and gathers in planes, of adaptive maxima and of casts; the same for
 * every instruction set. */
#include "kernels/pool/plane_plan.h"
#include "kernels/copy/k_cast.h"
#include "kernels/pool/adaptive_plan.h"
#include "kernels/pool/k_plane.h"
#include "kernels/pool/max_pool_plan.h"

struct k_work k_plane_scatter_work(const struct k_plane *plane)
{
    if (plane->planes == 0 || plane->cells == 0) return (struct k_work){.items = 0, .grain = 1};
    const struct plane_pieces pieces = plane_pieces(plane);
    /* Entries count double: they cost more than the zeros that most cells are. */
    const int64_t bytes = pieces.cells * plane->element_size +
                          plane->entries * 2 * (plane->element_size + plane->index_size);
    const int64_t grain = bytes > 0 && bytes < PLANE_GRAIN ? PLANE_GRAIN / bytes : 1;
    return (struct k_work){.items = plane->planes * pieces.count, .grain = grain};
}

/* Gathering compares a window's index with each of its taps, scattering adds it once; nine
 * comparisons are faster than that, but for half types only where windows are loaded once for all
 * of them. Few planes are better shared by their rows. */
bool k_max_pool_grad_is_scattered(const struct k_max_pool *pool)
{
    enum { TAPS = 9, PLANES = 64 };
    const struct max_plan plan = max_plan_axes(pool);
    if (pool->channels != 1 || pool->space != K_INDEX_OF_PLANE) return false;
    if (!max_can_gather(&plan)) return true;
    const int64_t taps = plan.depth.kernel * plan.height.kernel * plan.width.kernel;
    const int64_t strides = plan.depth.stride * plan.height.stride * plan.width.stride;
    if (pool->outer < PLANES) return false;
    return taps > TAPS ||
           (pool->dtype != K_F32 && taps == TAPS && strides == 1 && !max_is_flat(&plan, pool));
}

struct k_work k_plane_gather_work(const struct k_plane *plane)
{
    const int64_t bytes = 2 * plane->element_size + plane->index_size;
    return (struct k_work){.items = plane->planes * plane->entries, .grain = PLANE_GRAIN / bytes};
}

struct k_work k_cast_elements_work(int64_t elements)
{
    return (struct k_work){.items = elements, .grain = PLANE_GRAIN / 8};
}

struct k_work k_adaptive_max_work(const struct k_adaptive_max *shape)
{
    const struct adaptive_plan plan = adaptive_plan(shape);
    const int64_t size = shape->dtype == K_F64 ? 8 : shape->dtype == K_F32 ? 4 : 2;
    const int64_t rows = (plan.depth.step + 1) * (plan.height.step + 1);
    const int64_t bytes = rows * plan.row * size + plan.width.out * (size + shape->index_size);
    const int64_t grain = bytes < PLANE_GRAIN ? PLANE_GRAIN / bytes : 1;
    return (struct k_work){.items = plan.items, .grain = grain};
}

struct k_work k_adaptive_max_channels_work(const struct k_adaptive_max *shape)
{
    int64_t cells = shape->channels; /* looked at for a row of bins */
    for (int i = 0; i < K_ADAPTIVE_AXES; i++)
        cells *= i < 2 ? shape->in[i] / shape->out[i] + 1 : shape->in[i];
    cells += shape->out[2] * shape->channels;
    const int64_t grain = cells < PLANE_GRAIN / 4 ? PLANE_GRAIN / 4 / cells : 1;
    return (struct k_work){.items = shape->planes * shape->out[0] * shape->out[1], .grain = grain};
}
