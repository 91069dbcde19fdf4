/* SPDX-License-Identifier: Apache-2.0 */
/* A plan in words, for ACLNN_CPU_LOG=plan:
 *
 *     plan aclnnAvgPool2dBackward: isa avx512, 1 step, workspace 0 B, operands 16056320 B
 *       step 0 avg_pool_grad: 2048 items, at least 64 a slice; arg0+0 (3211264 B) arg2+0 ...
 *           way avg_pool_grad:rows (not flat: rows are too long)
 *           each thread's stack: 256 KiB, rows of quotients, images of rows
 *       step 1 deliver: ...; scratch[0..4096) arg2+0 ...
 *
 * A step whose kernel takes little of its threads' stacks has no line about it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "executor/executor.h"
#include "kernels/kernel_stack.h"
#include "runtime/support/log.h"

enum { NAMED = 12 }; /* buffers of a step */

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

static void name_buffer(char *text, size_t size, const struct ex_buffer *buffer)
{
    if (buffer->operand >= 0)
        append(text, size, " arg%d+%zu (%zu B)", buffer->operand, buffer->offset, buffer->size);
    else
        append(text, size, " scratch[%zu..%zu)", buffer->offset, buffer->offset + buffer->size);
}

static void explain_way(const struct ex_plan *plan, const struct ex_step *step)
{
    /* The questions only read the parameters. */
    void *parameters = (void *)(uintptr_t)(plan->step_bytes + step->parameters);
    const struct k_problem problem = {parameters, step->dtype, k_best()};
    char reasons[512];
    k_way_reasons(step->way, &problem, reasons, sizeof reasons);
    rt_log_topic(RT_LOG_PLAN, "      way %s:%s%s%s%s%s", step->way->kernel, step->way->name,
                 k_way_is_forced(step->way) ? " (ACLNN_CPU_WAY)" : "", reasons[0] ? " (not " : "",
                 reasons, reasons[0] ? ")" : "");
}

void ex_explain(const struct ex_plan *plan)
{
    rt_log_topic(RT_LOG_PLAN, "plan %s: isa %s, %d step%s, workspace %zu B, operands %zu B",
                 plan->operator_name, plan->isa, plan->step_count, plan->step_count == 1 ? "" : "s",
                 plan->workspace_size, plan->operand_bytes);
    for (int i = 0; i < plan->step_count; i++) {
        const struct ex_step *step = &plan->steps[i];
        char text[768] = "";
        for (int b = 0; b < step->buffer_count && b < NAMED; b++)
            name_buffer(text, sizeof text, ex_step_buffer(plan, step, b));
        if (step->buffer_count > NAMED)
            append(text, sizeof text, " and %d more", step->buffer_count - NAMED);
        rt_log_topic(RT_LOG_PLAN,
                     "  step %d %s: %" PRId64 " items, at least %" PRId64 " a slice;%s", i,
                     step->name, step->work.items, step->work.grain, text);
        if (step->way) explain_way(plan, step);
        const struct k_stack stack = k_stack_of(step->kernel);
        if (stack.kernel)
            rt_log_topic(RT_LOG_PLAN, "      each thread's stack: %d KiB, %s", stack.kib,
                         stack.what);
    }
}
