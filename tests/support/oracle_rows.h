/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators that are rows of api/operators.def must compute.
 *
 * To add an oracle:
 * - An elementwise operator is one line of a table: oracle_elementwise.h says how.
 * - Any other family has a file tests/support/oracle_<family>.c that ends with a table
 *       const struct oracle_row oracle_<family>[] = {
 *           {.name = "aclnnReduceSum", .oracle = reduce_sum, .random = random_reduce, .ulp = 4},
 *           {.name = NULL},
 *       };
 *   and is named in oracle_rows.c. tests/ops/test_rows.c then asks it everything.
 *
 * The oracle reads problem->tensor[i], whose view has dims and dtype: operand i of the call, in the
 * order of the arguments, elements in row-major order. rig_given() has the bits of what is read,
 * oracle_value() a number of it. problem->call has all other arguments by their place among those
 * of their kind: call.number[0], call.real[0] (FLOAT, DOUBLE), call.array[0].values,
 * call.scalar[0].value[0].real, call.text[0]; is_null[i] of a tensor that is not there; lists:
 * first[slot], count[slot]. It gives every element of every output a value: oracle_real(),
 * oracle_whole(). It is asked for empty tensors too.
 *
 * A random problem is a test_case whose arguments are added by case_add() and the functions below;
 * small (some hundred elements), for there are many. Only problems that the operator accepts. */
#ifndef ACLNN_CPU_TESTS_ORACLE_ROWS_H
#define ACLNN_CPU_TESTS_ORACLE_ROWS_H

#include "tests/support/rig.h"

struct oracle_row {
    const char *name; /* "aclnnAdd", or several with blanks between them */
    void (*oracle)(struct rig_problem *problem);
    struct test_case (*random)(const struct rig_operator *op, struct random *random,
                               enum case_dtype dtype);
    /* Replaces random inputs that are not free (rig.h); may be NULL. */
    void (*fill)(struct rig_problem *problem, struct random *random);
    /* 0 and 0: bit for bit, any NaN for any other, the same on all levels. Else outputs of floating
     * types may differ (compare_near), and the base level may differ from the others. */
    double ulp, absolute;
    /* The order of sums follows the strides, too, and the level: bits are compared for one of each.
     */
    bool by_strides;
    /* Directed cases, "add f32 self=2x3 other=3 alpha=2 out=2x3"; NULL at the end, NULL: none. */
    const char *const *lines;
    /* A line that is accepted, for the refusals of a family other than elementwise: each tensor's
     * rank, format, sizes and view is broken in it. NULL: no such test. */
    const char *sound;
    const void *more; /* the family's own */
};

/* NULL: there is none. */
const struct oracle_row *oracle_row_of(const char *name);

/* ---- for oracles ---- */

/* The number that an element of an operand is before the call. */
double oracle_value(const struct rig_problem *problem, int operand, int64_t i);
/* The same of an integer or bool, exactly. */
int64_t oracle_whole_value(const struct rig_problem *problem, int operand, int64_t i);

/* Element i of an output: a value of type `via` (rounded to it, or wrapped) as the output's type.
 * As a rule via is the output's own type. */
void oracle_real(struct rig_problem *problem, int operand, int64_t i, enum case_dtype via,
                 double value);
void oracle_whole(struct rig_problem *problem, int operand, int64_t i, enum case_dtype via,
                  int64_t value);

/* Element i of an output is what a value rounds to, ties to even and the nearest end beyond, 0 from
 * a NaN, as an INT8 (digits 8) or an INT4 (4, eight of them in each INT32 of the output); where the
 * value may be wrong by an error, what any value within it rounds to. */
void oracle_rounded(struct rig_problem *problem, int operand, int64_t i, int digits, double value,
                    double error);

/* Bits of `to` from a value: floating to integer is cut and saturates, NaN is 0; an integer to a
 * smaller one keeps its low bits; anything to bool is whether it is not 0; one rounding to nearest
 * even. */
uint64_t oracle_cast_real(enum case_dtype to, double value);
uint64_t oracle_cast_whole(enum case_dtype to, int64_t value);

/* The element of `from` that element i of `to` meets when from is broadcast to it. */
int64_t oracle_broadcast(const struct operand *to, int64_t i, const struct operand *from);

/* torch.result_type of two tensors; and of a tensor and a scalar, which counts only where its kind
 * (bool, integer, floating) is higher. */
enum case_dtype oracle_promote(enum case_dtype a, enum case_dtype b);
enum case_dtype oracle_promote_scalar(enum case_dtype tensor, enum case_dtype scalar);
int oracle_kind(enum case_dtype dtype); /* 0 bool, 1 integer, 2 floating */

/* ---- for random problems ---- */

/* The case of an operator, without arguments: seed, data (a third: special values). */
struct test_case random_start(const struct rig_operator *op, struct random *random,
                              enum case_dtype dtype);
/* A shape of 0 to 8 dimensions and about that many elements at most; once in 60 axes it is 0. */
int random_shape(struct random *random, int64_t dims[CASE_RANK], int64_t elements);
/* A tensor with some layout and offset, zero strides among them if it is only read. */
struct case_argument *random_tensor(struct test_case *test, struct random *random, const char *name,
                                    enum case_dtype dtype, const int64_t *dims, int rank,
                                    bool is_written);
/* A number of that type: whole, small, at times NaN, infinite or huge. */
struct case_argument *random_scalar(struct test_case *test, struct random *random, const char *name,
                                    enum case_dtype dtype);
struct case_argument *random_number(struct test_case *test, const char *name, double value);
/* An aclDataType. */
struct case_argument *random_type(struct test_case *test, const char *name, enum case_dtype dtype);
struct case_argument *random_ints(struct test_case *test, const char *name, const int64_t *values,
                                  int count); /* any count up to RIG_ENTRIES */
/* One of the row's types. */
enum case_dtype random_dtype(const struct rig_operator *op, struct random *random);

#endif
