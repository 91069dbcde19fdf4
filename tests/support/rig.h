/* SPDX-License-Identifier: Apache-2.0 */
/* One rig for every operator. A table row says what an operator is (struct rig_operator); the rig
 * makes tensors from a case, runs both phases between guard pages and compares with the oracle.
 *
 * Every check returns false and leaves a sentence in rig->text, which begins with the line of the
 * case; the line alone reproduces it (ACLNN_TEST_CASE). */
#ifndef ACLNN_CPU_TESTS_RIG_H
#define ACLNN_CPU_TESTS_RIG_H

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "api/op_args.h"
#include "tests/support/compare.h"
#include "tests/support/guard.h"
#include "tests/support/operand.h"
#include "tests/support/oracle.h"
#include "tests/support/random.h"

enum {
    RIG_SLOTS = 48,     /* arguments of an operator */
    RIG_OPERANDS = 144, /* tensors of a call, those in lists among them */
    RIG_ARRAYS = 8,
    RIG_NUMBERS = 24,
    RIG_SCALARS = 8,  /* aclScalar and aclScalarList */
    RIG_ENTRIES = 64, /* of an array or a list */
    RIG_TEXT = 6144
};

/* ---- what an operator is ---- */

enum rig_role {
    RIG_READ,  /* input */
    RIG_SHAPE, /* input of which only the shape matters: it has no memory at all */
    RIG_SUM,   /* output, compared with a bound (compare.h) */
    RIG_EXACT, /* output, compared bit for bit; any NaN equals any other */
    RIG_NEAR, /* output, compared with problem.near: an EXACT one becomes it when the oracle sets it
               */
};

struct rig_operand {
    enum rig_role role;
    enum case_tensor tensor; /* gives shape, type and layout */
    /* Changes type or shape where the tensor's are not the ones (operand_reshape); may be NULL. */
    void (*adjust)(const struct test_case *test, struct operand *operand);
    bool is_changed; /* an output that is read as well */
};

struct rig_array {
    bool is_null;
    int length;
    int64_t values[RIG_ENTRIES];
    double reals[RIG_ENTRIES]; /* the same, of an array of floats */
};

/* An aclScalar, or a list of them. */
struct rig_scalar {
    bool is_null;
    enum case_dtype dtype;
    aclDataType type; /* what the object says */
    double real;      /* the same value twice; integer: cut */
    int64_t integer;
};
struct rig_scalars {
    bool is_null; /* the list */
    int count;    /* 1 of a single one */
    struct rig_scalar value[RIG_ENTRIES];
};

/* One call of phase 1. Plain values, until rig_open makes the objects. A slot is an argument that
 * is a tensor or a list of tensors; its operands are operand[first[slot]] and on. Without lists the
 * i-th operand is the i-th slot's. */
struct rig_call {
    const struct rig_operator *op;
    int operands;
    struct operand operand[RIG_OPERANDS];
    bool is_null[RIG_OPERANDS];
    int slot[RIG_OPERANDS];
    int first[RIG_SLOTS], count[RIG_SLOTS];
    bool no_list[RIG_SLOTS];
    struct rig_array array[RIG_ARRAYS];
    struct rig_scalars scalar[RIG_SCALARS];
    int64_t number[RIG_NUMBERS];
    double real[RIG_NUMBERS]; /* of a FLOAT or DOUBLE, in place of number */
    const char *text[RIG_NUMBERS];
    bool no_size, no_executor;
    /* What op->phase1 passes on, by slot, array, scalar. */
    aclTensor *tensor[RIG_SLOTS];
    aclTensorList *list[RIG_SLOTS];
    aclIntArray *ints[RIG_ARRAYS]; /* by the array's kind one of these three */
    aclBoolArray *bools[RIG_ARRAYS];
    aclFloatArray *floats[RIG_ARRAYS];
    aclScalar *one_scalar[RIG_SCALARS];
    aclScalarList *scalars[RIG_SCALARS];
    uint64_t *size;
    aclOpExecutor **out;
    /* What it left. */
    uint64_t workspace_size;
    aclOpExecutor *executor;
};

/* An operand of the case that runs, dense, channels first. */
struct rig_tensor {
    struct operand view;
    int64_t count;           /* elements */
    double *values;          /* of an input; of an output: what the last run gave */
    uint64_t *bits;          /* the same as bits */
    struct oracle_sum *sums; /* RIG_SUM: what the oracle wants */
    uint64_t *want;          /* RIG_EXACT: what the oracle wants */
    uint64_t *most;          /* where digits is not 0: whole numbers from want to this */
    int digits;              /* are right; of so many bits, with a sign, side by side */
    double *near;            /* RIG_NEAR: the same, not rounded */
    double *slack;           /* RIG_NEAR: by how much more each may differ */
    uint64_t *given;         /* of an output that is read as well: what it holds before */
    int64_t capacity;
    struct guard guard;
};

struct rig_problem {
    const struct rig_operator *op;
    const struct test_case *test;
    struct rig_tensor tensor[RIG_OPERANDS];
    struct rig_call call; /* of the case, without memory: attributes for the oracle */
    int operands;         /* as call.operands */
    /* For RIG_SUM: compare.h. 0 and 1 unless the oracle sets them. */
    double roundings, headroom;
    /* An oracle that sets it makes outputs of floating types RIG_SUM ones, whose `sums` it fills.
     */
    bool is_sum;
    /* For RIG_NEAR; an oracle that sets ulp or absolute makes RIG_EXACT outputs of floating types
     * RIG_NEAR ones, whose `near` it fills. */
    struct compare_near near;
    /* What synchronising must say, and words its text must have; ACL_SUCCESS unless the oracle sets
     * it. */
    aclError sync_code;
    char sync_words[128];
};

/* The arguments of an operator's row, and the same by what they are; names end with NULL. */
struct rig_argument {
    const char *name;
    enum op_kind kind;
};
struct rig_names {
    struct rig_argument argument[RIG_SLOTS + 1];
    const char *tensor[RIG_SLOTS + 1], *array[RIG_SLOTS + 1], *number[RIG_SLOTS + 1];
    const char *scalar[RIG_SLOTS + 1], *text[RIG_SLOTS + 1];
    enum op_kind tensor_kind[RIG_SLOTS], array_kind[RIG_SLOTS], number_kind[RIG_SLOTS];
    enum op_kind scalar_kind[RIG_SLOTS];
};

typedef aclnnStatus rig_phase2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

struct rig_operator {
    const char *word; /* in the case language, and of the tests: "avg_pool3d" */
    const char *name; /* "aclnnAvgPool3d": every text of a refusal has it */
    /* From the operator's row (rig_calls.h): public names, each list with NULL at its end, and the
     * phases. phase1 calls ...GetWorkspaceSize with the objects of the call. */
    const char *const *tensor; /* lists of tensors as well: the slots */
    const char *const *array;
    const char *const *number; /* numbers of all kinds, and types */
    const struct rig_names *names;
    aclnnStatus (*phase1)(struct rig_call *call);
    rig_phase2 *phase2;
    struct rig_operand operand[RIG_SLOTS]; /* of each slot */
    /* Arrays and scalars from the case; NULL: the case has them under their public names. */
    void (*arguments)(const struct test_case *test, struct rig_call *call);
    /* Random inputs are there; replaces those that are not free, e.g. indices. May be NULL. */
    void (*fill)(struct rig_problem *problem, struct random *random);
    /* From the inputs' values or bits to sums and want of the outputs. Not called when an operand
     * is empty, unless runs_empty: then outputs must stay unwritten. */
    void (*oracle)(struct rig_problem *problem);
    bool runs_empty;
    /* Slots, by their bits, that may be NULL though their kinds do not say so: other arguments
     * decide. */
    unsigned nullable;
    /* Is this output, though it is there, one that the call does not ask for? Then no byte of it
     * may change, and nobody looks at its view. May be NULL. */
    bool (*is_idle)(const struct rig_call *call, int operand);
    /* Bytes of workspace that a small problem may take beside 16 for each element. */
    uint64_t scratch;
    bool is_batched; /* the rank tells how many axes there are: without a batch it is another
                        problem */
    /* A random problem that the operator accepts (rig_random.h); NULL: random_row, which is told
     * the operator, makes it. */
    struct test_case (*random_case)(struct random *random, enum case_dtype dtype);
    struct test_case (*random_row)(const struct rig_operator *op, struct random *random,
                                   enum case_dtype dtype);
    /* Of an operator that is no more than a row (rows_table.h): its oracle (oracle_rows.h) and what
     * the row says. */
    const struct oracle_row *row;
    const enum case_dtype *types;
    int type_count;
    const char *rule;
};

/* Slots, which are operands too unless there are lists. */
int rig_operand_count(const struct rig_operator *op);
bool rig_is_output(const struct rig_operand *one);
bool rig_is_list(const struct rig_operator *op, int slot);
bool rig_is_optional(enum op_kind kind);
/* A tensor, or a list of them. */
bool rig_may_be_null(const struct rig_operator *op, int slot);
bool rig_is_idle(const struct rig_call *call, int operand);
/* What an operand of a call is. */
const struct rig_operand *rig_role_of(const struct rig_call *call, int operand);
/* "self", or "x[2]" of a list. */
struct rig_name {
    char text[CASE_WORD + 8];
};
struct rig_name rig_operand_name(const struct rig_call *call, int operand);
/* Bits that an operand holds before the call: of what is read. */
const uint64_t *rig_given(const struct rig_problem *problem, int operand);
/* A random problem, by whichever of the two the operator has. */
struct test_case rig_random_case(const struct rig_operator *op, struct random *random,
                                 enum case_dtype dtype);

/* Arrays of a case, for op->arguments. Where the language has no array they are NULL or empty as
 * the case says; an absent p is {0}, an absent d {1}, an absent q is p. */
struct rig_array rig_kernel(const struct test_case *test);
struct rig_array rig_stride(const struct test_case *test);
struct rig_array rig_pad(const struct test_case *test);
struct rig_array rig_pad_end(const struct test_case *test);
struct rig_array rig_dilation(const struct test_case *test);
/* Begins and ends in one array, {top, left, bottom, right}, when q is there; else rig_pad. */
struct rig_array rig_pads(const struct test_case *test);
/* Extents of the small and of the large side. */
struct rig_array rig_small_size(const struct test_case *test);
struct rig_array rig_large_size(const struct test_case *test);

/* ---- pieces ---- */

/* The call of a case, without memory; open makes descriptors and arrays, close destroys them. */
struct rig_call rig_call_of(const struct rig_operator *op, const struct test_case *test);
void rig_open(struct rig_call *call);
void rig_close(struct rig_call *call);

enum { RIG_UNWRITTEN_SIZE = 0xABCD1234 };
/* Sets the outputs to RIG_UNWRITTEN_SIZE and NULL and calls phase 1. */
aclnnStatus rig_phase1(struct rig_call *call);

/* ---- the rig ---- */

struct rig {
    aclrtStream stream;
    struct guard workspace;
    struct rig_problem problem; /* the last one loaded */
    struct test_case test;      /* its case */
    char text[RIG_TEXT];
};

/* Initialises the library, device 0 and a stream; end finalizes. Failing aborts. */
void rig_begin(struct rig *rig);
void rig_end(struct rig *rig);

/* Chooses the inputs of a case and asks the oracle; or does not ask. */
void rig_load_inputs(struct rig *rig, const struct rig_operator *op, const struct test_case *test);
void rig_load(struct rig *rig, const struct rig_operator *op, const struct test_case *test);
/* What is loaded, with changes: another case of the same shapes, data kept; other elements of an
 * input, rounded to its type; asking the oracle again. */
void rig_view(struct rig *rig, const struct test_case *test);
void rig_set(struct rig *rig, int operand, const double *values);
void rig_ask(struct rig *rig);

enum rig_way {
    RIG_FRONT,      /* memory flush behind a guard page */
    RIG_END,        /* memory flush before one */
    RIG_CONTIGUOUS, /* as RIG_END, and every view dense in the descriptor's order */
    RIG_EARLY,      /* inputs and workspace from aclrtMalloc, freed as soon as phase 2 returns */
    RIG_WAYS
};

/* Runs what is loaded, the outputs poisoned with 0xFF; descriptors and arrays are destroyed right
 * after phase 2. Fills values and bits of the outputs. False when a phase fails, synchronising says
 * something else than wanted, an input, a gap or a byte around a tensor changed. */
bool rig_run(struct rig *rig, enum rig_way way);
/* The outputs of the last run against the oracle. */
bool rig_compare(struct rig *rig);

/* Load, run in every way, compare with the oracle, and all runs bit for bit. */
bool rig_check(struct rig *rig, const struct rig_operator *op, const struct test_case *test);
bool rig_check_line(struct rig *rig, const struct rig_operator *op, const char *line);
/* All cases of tests/cases/<file> that name the operator and whose tensors have at most `largest`
 * elements; at least `least` of them. */
bool rig_check_file(struct rig *rig, const struct rig_operator *op, const char *file,
                    int64_t largest, int64_t least);
/* Random cases of one type; their number is scaled by ACLNN_TEST_SCALE. */
bool rig_check_random(struct rig *rig, const struct rig_operator *op, enum case_dtype dtype,
                      int64_t cases);
/* The case of $ACLNN_TEST_CASE; true when it is not set or names another operator. */
bool rig_check_environment(struct rig *rig, const struct rig_operator *op);

/* A repeatable executor run twice, once with both runs in flight, gives the bits of two executors.
 */
bool rig_check_repeatable(struct rig *rig, const struct rig_operator *op, const char *line);

/* Phase 1 and phase 2 with the n-th host allocation failing, for each n: a code and a text, nothing
 * written; the next call works; and a repeatable executor allocates nothing from its second run on.
 * fail_at is rt_alloc_fail_at, which only programs with the static library have. */
bool rig_check_allocations(struct rig *rig, const struct rig_operator *op, const char *line,
                           int64_t (*fail_at)(int64_t n));

/* Runs lines and random cases in child processes, with the variable unset and set to each value:
 * same bits. Must be called while the library is not initialised. text has RIG_TEXT bytes. */
struct rig_setting {
    const char *variable;
    const char *const *values; /* ends with NULL */
};
struct rig_work {
    const struct rig_operator *op;
    const char *const *lines;
    int line_count;
    int64_t random_cases;
};
bool rig_same_bits(const struct rig_work *work, int operators, const struct rig_setting *setting,
                   char *text);
extern const struct rig_setting rig_threads, rig_isas, rig_blocking;

#endif
