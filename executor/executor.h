/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan is made of, and the executor that holds it. Only the executor room looks inside.
 *
 * A sealed plan never changes. Its references: the user's handle (until phase 2 of a single-use
 * executor, else until aclDestroyAclOpExecutor) and one per launch in flight; the last one frees
 * it. What the user holds is no pointer to it, see slot.h. */
#ifndef ACLNN_CPU_EXECUTOR_EXECUTOR_H
#define ACLNN_CPU_EXECUTOR_EXECUTOR_H

#include <pthread.h>
#include <stdbool.h>

#include "executor/plan.h"
#include "executor/slot.h"
#include "runtime/support/asan.h"
#include "runtime/support/float_env.h"

struct ex_buffer {
    int operand;     /* its number among the operands; -1 for scratch */
    size_t offset;   /* bytes from the operand's storage base, or from the workspace */
    size_t size;     /* bytes touched */
    int first, last; /* scratch: the steps that use it */
};

struct ex_step {
    const char *name;
    k_fn *kernel;
    const struct k_way *way;     /* NULL: the kernel has one only */
    enum k_dtype dtype;          /* that the way was asked about */
    ex_describe_fault *describe; /* NULL: the kernel notes no faults */
    struct k_work work;
    uint16_t parameters; /* where they begin in step_bytes */
    uint16_t parameter_size;
    size_t bytes; /* of its buffers together */
    uint8_t buffer_count;
    uint8_t buffers[EX_MAX_STEP_BUFFERS];
};

struct ex_operand {
    struct ex_descriptor *tensor; /* NULL: an optional argument that was not given */
    bool is_output;
    bool is_used; /* by some step, so its address must not be NULL */
};

struct ex_plan {
    const char *operator_name;
    aclnnStatus status; /* the builder's first failure */
    int operand_count;
    int buffer_count, step_count;
    size_t step_bytes_used;
    size_t workspace_size;
    size_t operand_bytes; /* moved by all operands together */
    double flops;         /* what the entry says they compute; 0: nothing worth counting */
    int64_t begun_at;     /* when planning began, while that is recorded; else 0 */
    char *call;           /* ACLNN_CPU_LOG=calls: the line to print; or NULL */
    const char *isa;
    struct rt_float_env float_env; /* of the thread that builds the plan */
    struct ex_operand operands[EX_MAX_PARAMETERS];
    struct ex_buffer buffers[EX_MAX_BUFFERS];
    struct ex_step steps[EX_MAX_STEPS];
    _Alignas(16) unsigned char step_bytes[EX_STEP_BYTES];
};

struct ex_executor {
    struct ex_slot *slot; /* NULL before the plan is sealed */
    pthread_mutex_t blocks_lock;
    void **free_blocks; /* of launches that are done; linked through their first word */
    struct ex_plan plan;
};

enum { EX_SCRATCH_ALIGNMENT = 64 };

/* Debug and sanitizer builds keep a red zone between scratch pieces. */
#if !defined(NDEBUG) || RT_WITH_ASAN
enum { EX_SCRATCH_GAP = 64 };
#else
enum { EX_SCRATCH_GAP = 0 };
#endif

/* Of an executor that no handle names. */
void ex_executor_free(struct ex_executor *executor);

/* Room for the addresses of one launch, recycled so that later launches allocate nothing. NULL when
 * memory is exhausted. Thread-safe. */
void **ex_executor_take_block(struct ex_executor *executor);
void ex_executor_return_block(struct ex_executor *executor, void **block);

/* Writes the plan to the log, one line per step. */
void ex_explain(const struct ex_plan *plan);

#endif
