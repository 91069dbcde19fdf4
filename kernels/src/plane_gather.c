/* SPDX-License-Identifier: Apache-2.0 */
/* values[plane][i] = cells[plane][indices[plane][i]], 0 and a note where that is outside of the
 * plane. Slices are cut anywhere among the entries. */
#include <string.h>

#include "kernels/k_plane.h"
#include "kernels/simd/instance.h"

K_TEMPLATE
void gather_entries(int size, int index_size, const struct k_plane *shape, void *const buffers[],
                    struct k_slice slice)
{
    char *values = buffers[K_PLANE_VALUES];
    const char *indices = buffers[K_PLANE_INDICES];
    struct k_fault *fault = buffers[K_PLANE_BUFFERS];
    int64_t end;
    for (int64_t begin = slice.begin; begin < slice.end; begin = end) {
        const int64_t plane = begin / shape->entries;
        const char *cells = (const char *)buffers[K_PLANE_CELLS] + plane * shape->cells * size;
        end = (plane + 1) * shape->entries < slice.end ? (plane + 1) * shape->entries : slice.end;
        for (int64_t i = begin; i < end; i++) {
            int32_t narrow;
            int64_t index;
            if (index_size == 4) {
                memcpy(&narrow, indices + i * 4, 4);
                index = narrow;
            } else {
                memcpy(&index, indices + i * 8, 8);
            }
            if (__builtin_expect((uint64_t)index < (uint64_t)shape->cells, 1)) {
                memcpy(values + i * size, cells + index * size, (size_t)size);
            } else {
                memset(values + i * size, 0, (size_t)size);
                k_fault_note(fault, i);
            }
        }
    }
}

/* The index size becomes a constant here, the element size at the caller. */
K_TEMPLATE
void gather(int size, const struct k_plane *shape, void *const buffers[], struct k_slice slice)
{
    if (shape->index_size == 4)
        gather_entries(size, 4, shape, buffers, slice);
    else
        gather_entries(size, 8, shape, buffers, slice);
}

k_fn K_SYMBOL(plane_gather);

void K_SYMBOL(plane_gather)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_plane *shape = parameters;
    switch (shape->element_size) {
    case 1:
        gather(1, shape, buffers, slice);
        break;
    case 2:
        gather(2, shape, buffers, slice);
        break;
    case 4:
        gather(4, shape, buffers, slice);
        break;
    default:
        gather(8, shape, buffers, slice);
        break;
    }
}
