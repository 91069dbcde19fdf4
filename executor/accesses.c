/* SPDX-License-Identifier: Apache-2.0 */
/* A view becomes rows of bytes: exactly where it is dense or has one gap per row, else by its
 * bounds. Arithmetic here cannot overflow: phase 1 has checked that the view fits its storage. */
#include "executor/accesses.h"

#include "executor/executor.h"
#include "runtime/support/alloc.h"
#include "runtime/support/checked.h"

enum { FEW = 24 };

struct extent {
    int64_t size, step; /* in elements */
};

static bool is_fractal(int32_t format)
{
    return format == ACL_FORMAT_FRACTAL_NZ ||
           (format >= ACL_FORMAT_FRACTAL_NZ_C0_16 && format <= ACL_FORMAT_FRACTAL_NZ_C0_8);
}

/* Several elements to a byte. */
static int64_t per_byte(int32_t data_type)
{
    switch (data_type) {
    case ACL_UINT1:
        return 8;
    case ACL_INT4:
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT4_E1M2:
        return 2;
    default:
        return 1;
    }
}

/* Extents of more than one element, by their steps; *first becomes the lowest element. */
static int sort_extents(const struct ex_descriptor *tensor, struct extent extents[EX_MAX_RANK],
                        int64_t *first)
{
    int count = 0;
    for (int i = 0; i < tensor->rank; i++) {
        int64_t step = tensor->strides[i];
        if (tensor->sizes[i] == 1 || step == 0) continue;
        if (step < 0) *first += step * (tensor->sizes[i] - 1);
        step = step < 0 ? -step : step;
        int at = count++;
        for (; at > 0 && extents[at - 1].step > step; at--)
            extents[at] = extents[at - 1];
        extents[at] = (struct extent){tensor->sizes[i], step};
    }
    return count;
}

static void lay_out(const struct ex_descriptor *tensor, const char *base,
                    struct rt_check_access *access)
{
    struct extent extents[EX_MAX_RANK];
    int64_t first = tensor->offset, width = 1, pitch = 0, rows = 1;
    const int count = sort_extents(tensor, extents, &first);
    bool has_gaps = false;
    int64_t last = 0;
    for (int i = 0; i < count; i++) {
        const struct extent extent = extents[i];
        last += (extent.size - 1) * extent.step;
        if (rows == 1 && extent.step == width) {
            width *= extent.size;
        } else if (rows == 1 && extent.step > width) {
            rows = extent.size;
            pitch = extent.step;
        } else if (rows > 1 && extent.step == pitch * rows) {
            rows *= extent.size;
        } else {
            has_gaps = true;
        }
    }
    if (has_gaps) {
        width = last + 1;
        rows = 1;
        access->is_bounding = true;
    }
    const int64_t size = (int64_t)ex_element_size(tensor->data_type);
    const int64_t dense = per_byte(tensor->data_type);
    if (dense > 1 && rows > 1) {
        width = (rows - 1) * pitch + width;
        rows = 1;
        access->is_bounding = true;
    }
    access->address = base + first * size / dense;
    access->width = (size_t)((width + dense - 1) / dense * size);
    access->pitch = (size_t)(pitch * size);
    access->rows = (size_t)rows;
}

static bool describe(const struct ex_plan *plan, int number, const char *base,
                     struct rt_check_access *access)
{
    const struct ex_operand *operand = &plan->operands[number];
    const struct ex_descriptor *tensor = operand->tensor;
    int64_t elements;
    if (!operand->is_used || !tensor || tensor->rank > EX_MAX_RANK ||
        !ex_element_count(tensor->sizes, tensor->rank, &elements) || elements == 0)
        return false;
    const bool writes = plan->arguments[operand->argument].is_output;
    const bool is_blocked = is_fractal(tensor->storage_format) || plan->rearranges;
    *access = (struct rt_check_access){.rows = 1,
                                       .role = writes ? "output" : "input",
                                       .argument = operand->argument,
                                       .reads = !writes,
                                       .writes = writes,
                                       .needs_device = true,
                                       .is_blocked = is_blocked,
                                       .is_plain = writes && !is_blocked,
                                       .settles = operand->is_settled ? tensor : NULL};
    if (!is_fractal(tensor->storage_format)) {
        lay_out(tensor, base, access);
    } else if (ex_element_count(tensor->storage_sizes, tensor->storage_rank, &elements)) {
        access->address = base;
        access->width = (size_t)elements * ex_element_size(tensor->data_type);
    }
    return access->width > 0;
}

void ex_tell_accesses(const struct ex_plan *plan, void *const *addresses, const void *workspace,
                      struct rt_stream *stream)
{
    struct rt_check_access few[FEW], *accesses = few;
    const size_t room = (size_t)plan->operand_count + 1;
    if (room > FEW && !(accesses = rt_alloc(room * sizeof *accesses))) return;
    size_t count = 0;
    for (int i = 0; i < plan->operand_count; i++)
        count += describe(plan, i, addresses[i], &accesses[count]);
    if (plan->workspace_size > 0)
        accesses[count++] = (struct rt_check_access){.address = workspace,
                                                     .width = plan->workspace_size,
                                                     .rows = 1,
                                                     .role = "workspace",
                                                     .argument = -1,
                                                     .writes = true,
                                                     .needs_device = true};
    rt_check_hooks.access(stream, plan->operator_name, accesses, count);
    if (accesses != few) rt_free(accesses);
}
