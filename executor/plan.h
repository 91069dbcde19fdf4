/* SPDX-License-Identifier: Apache-2.0 */
/* Building a plan: operands, scratch, steps. The builder is sticky: after its first failure it
 * ignores the rest, and ex_seal returns that failure, so a recipe needs no checks between its
 * lines. A sealed plan is read-only and is what the user holds as an aclOpExecutor.
 *
 * One thread builds a plan. */
#ifndef ACLNN_CPU_EXECUTOR_PLAN_H
#define ACLNN_CPU_EXECUTOR_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"
#include "executor/view.h"
#include "kernels/kernel.h"
#include "kernels/way.h"

struct ex_plan;

/* A new plan for the operator of that name (static storage). Until it is sealed or freed the thread
 * has the default floating-point environment, so that no plan depends on the program's. NULL when
 * memory is exhausted; every function below, ex_seal too, takes NULL and reports that. */
struct ex_plan *ex_plan_new(const char *operator_name);
/* Gives a plan up before it is sealed. NULL is fine. */
void ex_plan_free(struct ex_plan *plan);

/* The operator's tensor arguments, in the order of its declaration, used by the plan or not: the
 * indices of aclSetInputTensorAddr and its kin count them. The plan keeps them alive. Returns the
 * buffer number of the tensor's first element. NULL (an optional argument) returns -1. */
int ex_input(struct ex_plan *plan, struct ex_descriptor *tensor);
int ex_output(struct ex_plan *plan, struct ex_descriptor *tensor);

/* The same for a list, which is one argument. Its tensors have consecutive buffer numbers, of which
 * the first is returned. The number of a NULL element is one that no step may use. A list that is
 * NULL or empty returns -1. */
int ex_input_list(struct ex_plan *plan, const aclTensorList *list);
int ex_output_list(struct ex_plan *plan, const aclTensorList *list);

/* Scratch in the workspace, alive from the first step that names it to the last. */
int ex_scratch(struct ex_plan *plan, size_t bytes);

/* Adds a step: kernel is called with a copy of parameters and the addresses of these buffers. name
 * (static storage) is what explain prints. */
void ex_step(struct ex_plan *plan, const char *name, k_fn *kernel, const void *parameters,
             size_t parameter_size, struct k_work work, const int *buffers, int buffer_count);

/* Says in a sentence what is wrong at a position that a kernel noted, once its step has run. */
typedef void ex_describe_fault(const void *parameters, void *const buffers[], int64_t position,
                               char *text, size_t size);

/* The same for a kernel that notes faults in the data (struct k_fault): it finds the record behind
 * its last buffer. A fault becomes the stream's error ACL_ERROR_RT_AICORE_EXCEPTION with the
 * operator's name and describe's sentence; later steps run. */
void ex_step_with_faults(struct ex_plan *plan, const char *name, k_fn *kernel,
                         const void *parameters, size_t parameter_size, struct k_work work,
                         const int *buffers, int buffer_count, ex_describe_fault *describe);

/* The same for a kernel that has ways (kernels/way.h): chooses one, which finishes the plan in a
 * copy of parameters. describe is NULL where no faults are noted. Returns the way, or NULL when the
 * plan has failed. */
const struct k_way *ex_step_way(struct ex_plan *plan, const char *name, enum k_choice choice,
                                enum k_dtype dtype, const void *parameters, size_t parameter_size,
                                const int *buffers, int buffer_count, ex_describe_fault *describe);

#define EX_BUFFERS(...)                                                                            \
    (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

/* The plan has failed: what its builder needed of memory was not there. */
void ex_no_memory(struct ex_plan *plan);

/* A device would put what the buffer holds in another order there; here it stays as it is. The plan
 * needs no step for that; a checker hears of it as of a write. */
void ex_rearranges(struct ex_plan *plan, int buffer);

/* What the operator computes, in floating-point operations: for timelines and the summary. */
void ex_flops(struct ex_plan *plan, double flops);

/* The operator's problem as a line in the language of tests/cases, which each phase 2 prints when
 * ACLNN_CPU_LOG=calls asks. Copied. */
void ex_call(struct ex_plan *plan, const char *line);

/* Packs the scratch, freezes the plan and hands it over: *workspace_size and *executor are written
 * on success only. On failure the plan is freed and its first failure returned, reported. */
aclnnStatus ex_seal(struct ex_plan *plan, uint64_t *workspace_size, aclOpExecutor **executor);

/* What is said of a handle that names no executor. */
#define EX_NO_EXECUTOR "executor is not one that phase 1 returned, or was used up or destroyed"

/* The workspace that an executor's phase 2 will ask for. false: it is none, or used up. */
bool ex_workspace_size(const aclOpExecutor *handle, size_t *size);

#endif
