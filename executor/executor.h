/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan is made of, and the executor that holds it. Only the executor room looks inside.
 *
 * A sealed plan never changes, but that phase 2 of a single-use executor releases tensors. Its
 * references: the user's handle (until that phase 2, else until aclDestroyAclOpExecutor) and one
 * per launch in flight; the last one frees it. What the user holds is no pointer to it, see slot.h.
 */
#ifndef ACLNN_CPU_EXECUTOR_EXECUTOR_H
#define ACLNN_CPU_EXECUTOR_EXECUTOR_H

#include <pthread.h>
#include <stdbool.h>

#include "executor/plan.h"
#include "executor/slot.h"
#include "runtime/support/asan.h"
#include "runtime/support/float_env.h"

/* Room in the plan itself. What needs more moves to the heap. */
enum {
    EX_FEW_ARGUMENTS = 16,
    EX_FEW_OPERANDS = 16,
    EX_FEW_BUFFERS = 24,
    EX_FEW_STEPS = 16,
    EX_FEW_NUMBERS = 96,      /* buffer numbers of all steps together */
    EX_FEW_STEP_BYTES = 4096, /* kernel parameters of all steps together */
};

/* Buffers of a step whose addresses a launch keeps on the stack. */
enum { EX_FEW_STEP_BUFFERS = 16 };

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
    size_t parameters; /* where they begin in step_bytes */
    size_t bytes;      /* of its buffers together */
    int buffer_count;
    int numbers; /* of its buffers: where they begin in the plan's */
};

/* What a caller counts: a tensor, which may be missing, or a list. */
struct ex_argument {
    int operand, count; /* its operands; a list may have none */
    bool is_list;
    bool is_output;
};

struct ex_operand {
    struct ex_descriptor *tensor; /* NULL: not given */
    int argument;
    bool is_used;    /* by some step, so its address must not be NULL */
    bool is_settled; /* see ex_settle_size */
};

struct ex_plan {
    const char *operator_name;
    aclnnStatus status; /* the builder's first failure */
    int argument_count, operand_count, buffer_count, step_count;
    size_t numbers_used, step_bytes_used;
    int wide; /* addresses of the widest step that has more than EX_FEW_STEP_BUFFERS; else 0 */
    size_t workspace_size;
    size_t operand_bytes; /* moved by all operands together */
    double flops;         /* what the entry says they compute; 0: nothing worth counting */
    bool rearranges;      /* see ex_rearranges */
    int64_t begun_at;     /* when planning began, while that is recorded; else 0 */
    char *call;           /* ACLNN_CPU_LOG=calls: the line to print; or NULL */
    const char *isa;
    struct rt_float_env float_env; /* of the thread that builds the plan */
    /* The few below, or on the heap. */
    bool has_grown; /* some are on the heap */
    struct ex_argument *arguments;
    struct ex_operand *operands;
    struct ex_buffer *buffers;
    struct ex_step *steps;
    int *numbers;
    unsigned char *step_bytes; /* each step's begin at a multiple of 16 */
    size_t argument_room, operand_room, buffer_room, step_room, number_room, step_bytes_room;
    /* Nothing behind here is written before it is used. */
    struct ex_argument few_arguments[EX_FEW_ARGUMENTS];
    struct ex_operand few_operands[EX_FEW_OPERANDS];
    struct ex_buffer few_buffers[EX_FEW_BUFFERS];
    struct ex_step few_steps[EX_FEW_STEPS];
    int few_numbers[EX_FEW_NUMBERS];
    _Alignas(16) unsigned char few_step_bytes[EX_FEW_STEP_BYTES];
};

static inline const struct ex_buffer *ex_step_buffer(const struct ex_plan *plan,
                                                     const struct ex_step *step, int i)
{
    return &plan->buffers[plan->numbers[step->numbers + i]];
}

struct ex_executor {
    struct ex_slot *slot;
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

/* Releases the tensors that no step of a plan writes the size of; what else it holds, too. */
void ex_plan_release_tensors(struct ex_plan *plan);
void ex_plan_clear(struct ex_plan *plan);

/* Room for the addresses of one launch, first the operands', then those of the widest step.
 * Recycled, so that later launches allocate nothing. NULL when memory is exhausted. Thread-safe. */
void **ex_executor_take_block(struct ex_executor *executor);
void ex_executor_return_block(struct ex_executor *executor, void **block);

/* Writes the plan to the log, one line per step. */
void ex_explain(const struct ex_plan *plan);

#endif
