/* SPDX-License-Identifier: Apache-2.0 */
/* Ways: the algorithms that a kernel has, one row each in its family's ways.def. Phase 1 takes the
 * first row that can compute the problem and is worth it, and finishes the plan there; the kernel
 * decides nothing.
 *
 * Rows, best first; the last one of a kernel takes every problem:
 *     K_CHOICE(kernel)                        the rows of this kernel follow
 *     K_WAY(kernel, way, refuses, unwise, plan)
 * Variants of K_WAY: _VECTOR: not on the base level; _ANY: one function for all element types
 * instead of one for each of K_DTYPES; _ANY_VECTOR: both. The way's function is <kernel>_<way> in
 * struct k_table. */
#ifndef ACLNN_CPU_KERNELS_WAY_H
#define ACLNN_CPU_KERNELS_WAY_H

#include "kernels/kernel.h"

/* The kernels that have ways. */
enum k_choice {
#define K_CHOICE(kernel) K_CHOICE_##kernel,
#define K_WAY(kernel, way, refuses, unwise, plan)
#include "kernels/ways.def"
    K_CHOICES
};

/* What a way is asked about. */
struct k_problem {
    void *parameters; /* of the kernel's step: the problem, and room for what a plan adds */
    enum k_dtype dtype;
    const struct k_table *level;
};

/* NULL: no objection; else the reason in a few words, static storage. It reads the problem alone,
 * never what a plan adds. */
typedef const char *k_way_question(const struct k_problem *problem);
/* Finishes the plan for this way in the parameters and says how the work may be cut. */
typedef struct k_work k_way_plan(const struct k_problem *problem);

k_way_question k_way_always; /* never objects */

struct k_way {
    enum k_choice choice;
    const char *kernel, *name;
    k_way_question *refuses; /* why it cannot compute the problem */
    k_way_question *unwise;  /* why a later way is better */
    k_way_plan *plan;
    size_t slot; /* its function, or functions by type, in struct k_table */
    bool by_dtype;
};

struct k_chosen {
    const struct k_way *way;
    k_fn *run;
    struct k_work work;
};

/* The first way that neither refuses nor is unwise, or the one that ACLNN_CPU_WAY=kernel:way names
 * (several with commas), if it does not refuse. */
struct k_chosen k_way_choose(enum k_choice choice, const struct k_problem *problem);

/* Why the ways before this one were not taken, as "name: reason; name: reason". Returns text. */
const char *k_way_reasons(const struct k_way *way, const struct k_problem *problem, char *text,
                          size_t size);
bool k_way_is_forced(const struct k_way *way);

/* What ACLNN_CPU_WAY asks for and no row has, or NULL. */
const char *k_way_unknown(void);

/* All rows; returns how many. */
int k_ways(const struct k_way **rows);

/* For tests: as if ACLNN_CPU_WAY had been this (NULL: not set). Not while others plan. */
void k_way_force(const char *list);

/* The functions that the rows name are declared here, as families define them in their *_plan.c. */
#define K_WAY(kernel, way, refuses, unwise, plan)                                                  \
    k_way_question refuses, unwise;                                                                \
    k_way_plan plan;
#include "kernels/ways.def"

#endif
