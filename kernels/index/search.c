/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/index/k_search.h"
#include "kernels/vector/instance.h"

/* One value's sequence, its values looked up through the sorter's row if there is one. */
struct sequence {
    const void *elements;
    const int64_t *sorter;
    int64_t first; /* of the sorter's row, for the report */
    struct k_fault *fault;
};

static inline int64_t element_of(const struct k_search *p, const struct sequence *s, int64_t j)
{
    if (!p->has_sorter) return j;
    const int64_t element = s->sorter[j];
    if ((uint64_t)element < (uint64_t)p->length) return element;
    k_fault_note(s->fault, s->first + j);
    return 0;
}

/* Does value i stand behind element j? A NaN stands behind all. */
K_TEMPLATE
bool is_passed(enum k_dtype dt, bool is_right, const void *elements, int64_t j, const void *values,
               int64_t i)
{
    if (dt == K_F32) {
        const float a = ((const float *)elements)[j], b = ((const float *)values)[i];
        return is_right ? !(a > b) : !(a >= b);
    }
    if (dt == K_F64) {
        const double a = ((const double *)elements)[j], b = ((const double *)values)[i];
        return is_right ? !(a > b) : !(a >= b);
    }
    if (dt == K_I32) {
        const int32_t a = ((const int32_t *)elements)[j], b = ((const int32_t *)values)[i];
        return is_right ? a <= b : a < b;
    }
    const int64_t a = ((const int64_t *)elements)[j], b = ((const int64_t *)values)[i];
    return is_right ? a <= b : a < b;
}

K_TEMPLATE
void search(enum k_dtype dt, const struct k_search *p, void *const buffers[], struct k_slice slice)
{
    const size_t size = dt == K_F32 || dt == K_I32 ? 4 : 8;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const int64_t first = i / p->per_sequence * p->length;
        const struct sequence s = {
            .elements = (const char *)buffers[K_SEARCH_SEQUENCE] + (size_t)first * size,
            .sorter = p->has_sorter ? (const int64_t *)buffers[K_SEARCH_SORTER] + first : NULL,
            .first = first,
            .fault = buffers[K_SEARCH_BUFFERS]};
        int64_t begin = 0, end = p->length;
        while (begin < end) {
            const int64_t middle = begin + (end - begin) / 2;
            if (is_passed(dt, p->is_right, s.elements, element_of(p, &s, middle),
                          buffers[K_SEARCH_VALUES], i))
                begin = middle + 1;
            else
                end = middle;
        }
        if (p->is_wide)
            ((int64_t *)buffers[K_SEARCH_TO])[i] = begin;
        else
            ((int32_t *)buffers[K_SEARCH_TO])[i] = (int32_t)begin;
    }
}

void k_search(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_search *p = parameters;
    if (p->dtype == K_F32)
        search(K_F32, p, buffers, slice);
    else if (p->dtype == K_F64)
        search(K_F64, p, buffers, slice);
    else if (p->dtype == K_I32)
        search(K_I32, p, buffers, slice);
    else
        search(K_I64, p, buffers, slice);
}
