/* SPDX-License-Identifier: Apache-2.0 */
/* Oracles of operators that are told places by indices: what they share. */
#ifndef ACLNN_CPU_TESTS_ORACLE_INDEX_H
#define ACLNN_CPU_TESTS_ORACLE_INDEX_H

#include "tests/support/oracle.h"
#include "tests/support/oracle_shape.h"

/* The operand of that name, or -1. */
int index_operand(const struct rig_problem *problem, const char *name);
/* The number of that name (INT64, BOOL), or `absent`. */
int64_t index_number(const struct rig_problem *problem, const char *name, int64_t absent);

/* Element `element` of an operand of indices, below size; counted from the end if it wraps. -1 if
 * it names no element: synchronising must then say so, in the words "element <told> of <name> is".
 */
int64_t index_of(struct rig_problem *problem, int operand, int64_t element, int64_t size,
                 bool wraps, int64_t told, const char *name);

/* Random indices of an axis of `size` elements; in one problem of twelve some are bad. */
void index_fill(struct rig_problem *problem, struct random *random, int operand, int64_t size,
                bool wraps);
/* Of an axis `dim` of the first operand, for those named index or indices. */
void index_fill_dim(struct rig_problem *problem, struct random *random);
/* A shape none of whose axes is empty. */
struct shape index_full(struct random *random, int least, int most);
/* The type of a tensor of indices. */
enum case_dtype index_dtype(struct random *random);

/* Element i of an output stays as the rig has poisoned it. */
void index_unwritten(struct rig_problem *problem, int operand, int64_t i);

/* A list of tensors of indices into `self`: which shape, in which place of it, the result has. */
struct index_list {
    int count, element[RANK], axis[RANK];
    bool is_indexed[RANK];
    struct shape joint, result;
    int first;
};
struct index_list index_list_of(const struct rig_problem *problem, int self);
/* The element of self that an element of the result is, or -1. */
int64_t index_list_place(struct rig_problem *problem, const struct index_list *list, int self,
                         const int64_t at[RANK]);
/* Adds `indices` to a problem whose self has that shape; result: what they select. */
void index_list_random(struct test_case *test, struct random *random, const struct shape *self,
                       struct shape *result);
void index_list_fill(struct rig_problem *problem, struct random *random);

#endif
