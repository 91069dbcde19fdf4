/* SPDX-License-Identifier: Apache-2.0 */
/* Shape arithmetic of scatters and gathers in planes and of adaptive maxima; the same for every
 * instruction set. */
#include "kernels/pool/plane_plan.h"
#include "kernels/pool/adaptive_plan.h"
#include "kernels/pool/k_plane.h"
#include "kernels/way.h"

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

struct k_work k_plane_gather_work(const struct k_plane *plane)
{
    const int64_t bytes = 2 * plane->element_size + plane->index_size;
    return (struct k_work){.items = plane->planes * plane->entries, .grain = PLANE_GRAIN / bytes};
}

struct k_work k_adaptive_max_planes_plan(const struct k_problem *problem)
{
    struct k_adaptive_max *shape = problem->parameters;
    shape->planes *= shape->channels;
    shape->channels = 1;
    const struct adaptive_plan plan = adaptive_plan(shape);
    const int64_t size = shape->dtype == K_F64 ? 8 : shape->dtype == K_F32 ? 4 : 2;
    const int64_t rows = (plan.depth.step + 1) * (plan.height.step + 1);
    const int64_t bytes = rows * plan.row * size + plan.width.out * (size + shape->index_size);
    const int64_t grain = bytes < PLANE_GRAIN ? PLANE_GRAIN / bytes : 1;
    return (struct k_work){.items = plan.items, .grain = grain};
}

const char *k_adaptive_max_channels_refuses(const struct k_problem *problem)
{
    const struct k_adaptive_max *shape = problem->parameters;
    return shape->is_last ? NULL : "channels are not last";
}

struct k_work k_adaptive_max_channels_plan(const struct k_problem *problem)
{
    const struct k_adaptive_max *shape = problem->parameters;
    int64_t cells = shape->channels; /* looked at for a row of bins */
    for (int i = 0; i < K_ADAPTIVE_AXES; i++)
        cells *= i < 2 ? shape->in[i] / shape->out[i] + 1 : shape->in[i];
    cells += shape->out[2] * shape->channels;
    const int64_t grain = cells < PLANE_GRAIN / 4 ? PLANE_GRAIN / 4 / cells : 1;
    return (struct k_work){.items = shape->planes * shape->out[0] * shape->out[1], .grain = grain};
}
