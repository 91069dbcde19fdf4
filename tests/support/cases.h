/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
/* The case language: one problem per line, read by tests, bench and fuzz alike.
 *
 *     avg_pool2d_backward bf16 n2c19 35x41 k3x5 s2x1 p1x2 ceil exclude_pad divisor=7 nhwc
 *     max_pool3d_with_argmax f32 n2c3 9x8x7 k3 s2 p1 d2x1x1 idx=i64 fmt=ndhwc y=strided data=ties
 *     aclnnext_max_pool_backward f16 n1c4 11 k3 s2 p1 q0
 *     max_unpool2d i16 c5 9x11 o4x5 picks=any
 *
 * operator, dtype (f32 f16 bf16 f64 i8 u8 i16 u16 i32 u32 i64 u64 bool), shape (n2c19; c19 alone is the
 * unbatched form), extents of the large side (one to six: 64, 35x41, 8x35x41), then in any order:
 *     k3 k3x5        kernel, as an array of that length; required unless o says the small side
 *     s2 s2x1        stride; absent: an array of length 0, which means the kernel (1 for max_pool)
 *     p1 p1x2        padding at the beginning; absent: p0
 *     q1 q1x0        padding at the end, where the operator takes it apart; absent: as p
 *     d2 d2x1        dilation; absent: d1
 *     snull ...      s, p, q or d is a null pointer
 *     pempty ...     p, q or d is an array of length 0
 *     o4x5           extents of the small side (the pooled one), absent: what the formula gives
 *     ceil           ceilMode
 *     exclude_pad    countIncludePad is false
 *     divisor=N      divisorOverride, absent: 0
 *     math=N         cubeMathType, absent: 0
 *     auto=N         autoPad, absent: 0; other than 0 it replaces p and q
 *     order=N        storageOrder, absent: 0
 *     idx=i32|i64    type of the indices, absent: i32
 *     to=f16         type of the result where it may be another than the operand's
 *     picks=window|any|bad   indices that are read: as the windows give them; anywhere in the
 *                    plane, repeated; some outside
 *     fmt=nhwc       format of all tensors: nchw ncl nd nhwc ncdhw ndhwc; absent: by the rank
 *     nhwc, strided, broadcast   layout of all tensors; x= dx= (large side), y= dy= i= (small
 *                    side) for one of them
 *     offset=N       elements before the first one of each tensor
 *     data=special   NaN, Inf and huge values among the data; huge: values near the largest;
 *                    ties: few different values
 *     seed=N         of the data and of the strides of `strided`
 *     name=WORD      what the bench calls it
 *
 * Or each argument by its public name. Operators that are no more than a row of api/operators.def have this form only, and
 * every other operator has it too (rows_every.h):
 *
 *     abs f32 self=2x3x1 out=2x3x1:strided
 *     abs i8 self=4x5:s1x4@3 out=4x5 data=special seed=7
 *     adaptive_avg_pool2d f32 self=2x3x8x9:nchw outputSize=4x5 out=2x3x4x5:nchw
 *
 * operator, dtype, then in any order, a tensor as its extents (scalar: it has none), and perhaps
 *     :f16           its type, where it is not the line's
 *     :nchw          its format, as above; absent: nd. Extents are in the descriptor's order
 *     :strided       its layout, as above, but :last for dimension 1 innermost; or :s1x4, its strides
 *     @3             elements before the first one
 * a number as itself (-1, 0.5; a flag as 0, 1, false or true), an array as its numbers (3x5, 0.5,2; scalar: it has none, one
 * alone is 3), an aclScalar as its value and perhaps :f64, its type (else i64 for whole numbers, bool for false and true, f32 for
 * others), a list in brackets, each element as it is alone (x=[2x3,4:f16:strided] scalars=[1,0.5], empty: []), an aclDataType as
 * f16, a text as itself (layout=BSH, nothing: layout=""; a comma or another sign in it as %2C: its byte in two hex digits). What is =null or not named is a null pointer, a number that is not
 * named is 0. seed=, data=, name= as above; seed= is also an argument of that name. ACLNN_CPU_LOG=calls prints this language.
 * A # starts a comment. case_print writes the same problem back, defaults left out. */
/* clang-format on */
#ifndef ACLNN_CPU_TESTS_CASES_H
#define ACLNN_CPU_TESTS_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CASE_AXES = 6,
    CASE_WORD = 56,
    CASE_LINE = 4096,
    CASE_ARGUMENTS = 160, /* elements of lists among them */
    CASE_RANK = 8,
    CASE_TEXT = 24
};

enum case_dtype {
    CASE_F32,
    CASE_F16,
    CASE_BF16,
    CASE_FLOATS, /* how many types every floating operator takes */
    CASE_F64 = CASE_FLOATS,
    CASE_I8,
    CASE_U8,
    CASE_I16,
    CASE_U16,
    CASE_I32,
    CASE_I64,
    CASE_BOOL,
    CASE_U32,
    CASE_U64,
    CASE_C64, /* complex: in 64 bits, the real part's below */
    CASE_DTYPES
};

/* The tensors of pooling: the large side and its gradient, the small side, its gradient, and the
 * indices, which have the small side's shape. Unpooling reads y and i and writes x. CASE_NAMED: the
 * line names each tensor. */
enum case_tensor { CASE_X, CASE_DX, CASE_Y, CASE_DY, CASE_I, CASE_TENSORS, CASE_NAMED };

/* How the descriptors are tagged. */
enum case_format {
    CASE_BY_RANK, /* 3: NCL, 4: NCHW, 5: NCDHW, else ND */
    CASE_NCHW,
    CASE_NCL,
    CASE_ND,
    CASE_NHWC, /* this and NDHWC list the channels last */
    CASE_NCDHW,
    CASE_NDHWC,
    CASE_FORMATS
};

enum case_layout {
    CASE_CONTIGUOUS,
    CASE_CHANNELS_LAST, /* channels innermost, the descriptor still channels first */
    CASE_STRIDED,       /* axes in any order with gaps, chosen by the seed */
    CASE_BROADCAST,     /* some strides are 0, chosen by the seed; for a result: strided */
    CASE_LAYOUTS
};

enum case_data { CASE_PLAIN, CASE_SPECIAL, CASE_HUGE, CASE_TIES, CASE_DATA };

enum case_picks { CASE_WINDOW, CASE_ANY, CASE_BAD, CASE_PICKS };

/* Lengths of arrays that are no list: a null pointer; an array of length 0 where 0 means absent. */
enum { CASE_NO_ARRAY = -1, CASE_EMPTY_ARRAY = -2 };

/* The elements of a list follow each other in test_case.argument, all with its name. */
enum case_place { CASE_ALONE, CASE_FIRST, CASE_NEXT, CASE_NOTHING /* a list of no elements */ };

/* An argument that the line names, or an element of it; dims are an array's entries, too. */
struct case_argument {
    char name[CASE_WORD];
    enum case_place place;
    bool is_null, is_flag; /* is_flag: true or false */
    bool has_real;         /* a number with a fraction */
    double real;           /* of any number */
    char text[CASE_TEXT];  /* of what is no number; "" for others */
    int rank;
    int64_t dims[CASE_RANK], strides[CASE_RANK], offset;
    bool has_dtype, has_strides; /* else the case's dtype, and the layout's strides */
    enum case_dtype dtype;
    enum case_layout layout;
    enum case_format format; /* by the rank: nd */
};

struct test_case {
    char op[CASE_WORD];
    char name[CASE_WORD]; /* "" when absent */
    enum case_dtype dtype;
    bool batched;
    int64_t batch, channels; /* batch is 1 when not batched */
    int axes;                /* spatial axes, 1 to 6 */
    int64_t input[CASE_AXES];
    int64_t output[CASE_AXES]; /* when has_output */
    bool has_output;
    /* Attribute arrays as the user passes them. A length of 0 means absent for all but stride. */
    int kernel_length, stride_length, pad_length, pad_end_length, dilation_length;
    int64_t kernel[CASE_AXES], stride[CASE_AXES], pad[CASE_AXES];
    int64_t pad_end[CASE_AXES], dilation[CASE_AXES];
    bool ceil, exclude_pad;
    int64_t divisor;
    int math, auto_pad, storage_order;
    bool wide_indices; /* int64 */
    bool has_result_dtype;
    enum case_dtype result_dtype; /* when has_result_dtype */
    enum case_picks picks;
    enum case_format format;
    enum case_layout dy_layout, dx_layout, y_layout, x_layout, i_layout;
    int64_t offset;
    enum case_data data;
    uint64_t seed;
    int arguments; /* > 0: nothing above from batch to offset has a meaning, but data and seed */
    struct case_argument argument[CASE_ARGUMENTS];
};

/* Reads one line. On failure returns false and writes a sentence to error. */
bool case_parse(const char *line, struct test_case *out, char *error, size_t error_size);

/* NULL: the line does not name it. */
const struct case_argument *case_argument_named(const struct test_case *test, const char *name);
/* How many elements a list has, of which this is the first; 1 of what is no list. */
int case_elements(const struct test_case *test, const struct case_argument *first);
/* The place for one more argument, or an element, of this name. It is a tensor of no dimensions. */
struct case_argument *case_add(struct test_case *test, const char *name, enum case_place place);

/* Writes the line of a case, without a newline; returns line. */
char *case_print(const struct test_case *test, char line[CASE_LINE]);

/* All cases of a text file, in order; release with free. NULL, and a message with file and line on
 * stderr, when it cannot be read or a line is wrong. */
struct test_case *case_load(const char *path, size_t *count);

/* Path of a file of tests/cases: below $ACLNN_TEST_CASES, else below the source tree it was built
 * from. */
const char *case_path(const char *file);

/* The window of one axis: arrays of length 1 and absent ones spread out, autoPad resolved. */
struct case_window {
    int64_t input, output, kernel, stride, pad, pad_end, dilation;
};
struct case_window case_window(const struct test_case *test, int axis);

enum case_layout case_tensor_layout(const struct test_case *test, enum case_tensor tensor);
enum case_dtype case_tensor_dtype(const struct test_case *test, enum case_tensor tensor);

/* Elements of the small and of the large side; extents must not overflow. */
int64_t case_output_elements(const struct test_case *test);
int64_t case_input_elements(const struct test_case *test);

const char *case_dtype_name(enum case_dtype dtype);
/* False: there is no type of this name. */
bool case_dtype_named(const char *name, enum case_dtype *dtype);

#endif
