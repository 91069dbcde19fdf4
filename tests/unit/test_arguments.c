/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of every kind, from a line to the objects of a call, and from those to the line that
 * ACLNN_CPU_LOG=calls prints. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/op_call.h"
#include "api/tensor.h"
#include "executor/executor.h"
#include "tests/support/oracle_elementwise.h"

enum { KINDS = 17 };

/* No operator has all of them: this one takes a call's objects and keeps the line. */
static char told[CASE_LINE];

static aclnnStatus tell(struct rig_call *call)
{
    const struct op_value values[KINDS] = {
        {OP_IN, "self", {.tensor = call->tensor[0]}},
        {OP_OPTIONAL, "bias", {.tensor = call->tensor[1]}},
        {OP_INS, "x", {.tensors = call->list[2]}},
        {OP_REFS, "y", {.tensors = call->list[3]}},
        {OP_REF, "selfRef", {.tensor = call->tensor[4]}},
        {OP_SCALAR, "other", {.scalar = call->one_scalar[0]}},
        {OP_COEFFICIENT, "alpha", {.scalar = call->one_scalar[1]}},
        {OP_SCALARS, "scalars", {.scalars = call->scalars[2]}},
        {OP_INTS, "dims", {.ints = call->ints[0]}},
        {OP_FLOATS, "scales", {.floats = call->floats[1]}},
        {OP_BOOLS, "mask", {.bools = call->bools[2]}},
        {OP_BOOL, "keepDim", {.integer = call->number[0]}},
        {OP_INT64, "dim", {.integer = call->number[1]}},
        {OP_DOUBLE, "eps", {.real = call->real[2]}},
        {OP_TYPE_OF, "dtype", {.integer = call->number[3]}},
        {OP_TEXT_OF, "layout", {.text = call->text[0]}},
        {OP_TEXT_OF, "reduce", {.text = call->text[1]}},
    };
    struct ex_plan *plan = ex_plan_new("aclnnTell");
    op_call_note_row(plan, "aclnnTell", values, KINDS);
    snprintf(told, sizeof told, "%s", plan->call ? plan->call : "nothing");
    ex_plan_free(plan);
    return ACLNN_SUCCESS;
}

static const struct rig_names names = {
    .tensor = {"self", "bias", "x", "y", "selfRef"},
    .tensor_kind = {OP_IN, OP_OPTIONAL, OP_INS, OP_REFS, OP_REF},
    .scalar = {"other", "alpha", "scalars"},
    .scalar_kind = {OP_SCALAR, OP_COEFFICIENT, OP_SCALARS},
    .array = {"dims", "scales", "mask"},
    .array_kind = {OP_INTS, OP_FLOATS, OP_BOOLS},
    .number = {"keepDim", "dim", "eps", "dtype"},
    .number_kind = {OP_BOOL, OP_INT64, OP_DOUBLE, OP_TYPE_OF},
    .text = {"layout", "reduce"},
};

static const struct rig_operator op = {
    .word = "tell",
    .name = "aclnnTell",
    .tensor = names.tensor,
    .array = names.array,
    .number = names.number,
    .names = &names,
    .phase1 = tell,
    .operand = {{.tensor = CASE_NAMED},
                {.tensor = CASE_NAMED},
                {.tensor = CASE_NAMED},
                {.tensor = CASE_NAMED},
                {.tensor = CASE_NAMED}},
};

/* The call's texts are the problem's. */
static struct rig_call call_of(const char *line, struct test_case *test)
{
    char error[256];
    cr_assert(case_parse(line, test, error, sizeof error), "%s: %s", line, error);
    return rig_call_of(&op, test);
}

static void expect(const char *line, const char *printed)
{
    for (int turn = 0; turn < 2; turn++) { /* what was printed prints itself */
        static struct rig_call call;
        static struct test_case test;
        call = call_of(turn == 0 ? line : told, &test);
        rig_open(&call);
        cr_assert_eq(rig_phase1(&call), ACLNN_SUCCESS);
        rig_close(&call);
        cr_expect_str_eq(told, printed, "%s\nprinted  %s\nexpected %s", line, told, printed);
    }
}

Test(arguments, of_every_kind)
{
    expect("tell f32 self=2x3 x=[2x3,4:f16,5x2:s1x7@2] y=[scalar] selfRef=3:bf16 other=3 alpha=0.5 "
           "scalars=[1,0.25,true,2:u8] dims=1x-2 scales=0.5,2 mask=1x0 keepDim=true dim=-1 "
           "eps=1e-5 dtype=f16 layout=BSH reduce=\"\"",
           "tell f32 self=2x3 x=[2x3,4:f16,5x2:s1x7@2] y=[scalar] selfRef=3:bf16 other=3:i64 "
           "alpha=0.5:f32 scalars=[1:i64,0.25:f32,1:bool,2:u8] dims=1x-2 scales=[0.5,2] "
           "mask=[1,0] keepDim=1 dim=-1 eps=1.0000000000000001e-05 dtype=f16 layout=BSH "
           "reduce=\"\"");
}

Test(arguments, that_are_nothing)
{
    expect("tell i8 self=0 bias=null x=[] y=[null,2] dims=scalar scales=[] scalars=[] "
           "other=-2:i8 alpha=-inf reduce=add dtype=bool",
           "tell i8 self=0 x=[] y=[null,2] other=-2:i8 alpha=-inf:f32 scalars=[] dims=scalar "
           "scales=scalar keepDim=0 dim=0 eps=0 dtype=bool layout=null reduce=add");
}

/* A format is a format, whatever a layout of all tensors is called. */
Test(arguments, that_have_a_format)
{
    expect("tell f32 self=2x3x4x5:nhwc x=[2x3x4x5:nchw:last,2x5x3:ncl]",
           "tell f32 self=2x3x4x5:nhwc x=[2x3x4x5:nchw:s60x1x15x3,2x5x3:ncl] keepDim=0 dim=0 eps=0 "
           "dtype=f32 layout=null reduce=null");
}

Test(arguments, that_are_long)
{
    expect("tell f64 self=2 dims=1,2,3,4,5,6,7,8,9,10",
           "tell f64 self=2 dims=[1,2,3,4,5,6,7,8,9,10] keepDim=0 dim=0 eps=0 dtype=f32 "
           "layout=null reduce=null");
}

/* What would end a word of the line, or begin a number, is written as its byte. */
Test(arguments, that_are_texts_with_signs)
{
    static struct test_case test;
    const struct rig_call call =
        call_of("tell f32 self=2 layout=ab%2Cc-%3EAB reduce=%32%20%25", &test);
    cr_expect_str_eq(call.text[0], "ab,c->AB");
    cr_expect_str_eq(call.text[1], "2 %");
    expect("tell f32 self=2 layout=ab%2Cc-%3EAB reduce=%32%20%25",
           "tell f32 self=2 keepDim=0 dim=0 eps=0 dtype=f32 layout=ab%2Cc->AB reduce=%32%20%25");
}

Test(arguments, reach_the_call)
{
    static struct rig_call call;
    static struct test_case test;
    call = call_of("tell f32 self=2x3 x=[2x3,4:f16] y=null other=2.5:f16 scalars=[7,-1:f64] "
                   "scales=0.5 mask=1x0x1 dim=5",
                   &test);
    cr_assert_eq(call.operands, 5); /* y has none, bias is not given */
    cr_expect(call.first[2] == 2 && call.count[2] == 2 && call.slot[3] == 2);
    cr_expect(call.is_null[1] && call.no_list[3] && call.is_null[4]);
    cr_expect_str_eq(rig_operand_name(&call, 3).text, "x[1]");
    cr_expect_eq(call.operand[3].dtype, CASE_F16);
    cr_expect(call.scalar[0].value[0].real == 2.5 && call.scalar[0].value[0].dtype == CASE_F16);
    cr_expect(call.scalar[1].is_null && call.scalar[2].count == 2);
    cr_expect(call.scalar[2].value[0].integer == 7 && call.scalar[2].value[1].real == -1);
    cr_expect(call.array[0].is_null && call.array[1].reals[0] == 0.5);
    cr_expect(call.array[2].length == 3 && call.array[2].values[2] == 1);
}

/* ---- lists of tensors with an elementwise oracle ---- */

static double product(int k, const double *x, const double *c, const double *p, bool is_double,
                      unsigned given)
{
    (void)k, (void)c, (void)p, (void)is_double, (void)given;
    return x[0] * x[1];
}

static int64_t whole_product(int k, const int64_t *x, const int64_t *c, const double *p,
                             unsigned given)
{
    (void)k, (void)c, (void)p, (void)given;
    return times(x[0], x[1]);
}

static const struct oracle_elementwise products = {
    .result = ORACLE_SAME, .real = product, .integer = whole_product};
static const struct oracle_row product_row = {
    .oracle = oracle_elementwise, .random = random_elementwise, .more = &products};
static const enum case_dtype product_types[] = {CASE_F32, CASE_I16};

static const struct rig_names product_names = {
    .argument = {{"x", OP_INS}, {"scalars", OP_SCALARS}, {"out", OP_OUTS}},
    .tensor = {"x", "out"},
    .tensor_kind = {OP_INS, OP_OUTS},
    .scalar = {"scalars"},
    .scalar_kind = {OP_SCALARS},
};

static const struct rig_operator foreach = {
    .word = "foreach",
    .name = "aclnnForeach",
    .tensor = product_names.tensor,
    .array = product_names.array,
    .number = product_names.number,
    .names = &product_names,
    .operand = {{RIG_READ, CASE_NAMED, NULL, false}, {RIG_EXACT, CASE_NAMED, NULL, false}},
    .oracle = oracle_elementwise,
    .random_row = random_elementwise,
    .row = &product_row,
    .types = product_types,
    .type_count = 2,
    .rule = "same",
    .runs_empty = true,
};

static struct rig rig;

Test(lists, each_element_has_its_own_scalar)
{
    struct test_case test;
    char error[256];
    cr_assert(case_parse("foreach f32 x=[2x3,4,0] scalars=[2,-3,1] out=[2x3:strided,4,0] seed=1",
                         &test, error, sizeof error),
              "%s", error);
    rig_load(&rig, &foreach, &test);
    cr_assert_eq(rig.problem.operands, 6);
    for (int i = 0; i < 3; i++) {
        const struct rig_tensor *from = &rig.problem.tensor[i], *to = &rig.problem.tensor[3 + i];
        cr_assert_eq(from->count, to->count);
        for (int64_t j = 0; j < to->count; j++)
            cr_expect_eq(oracle_from_bits(CASE_F32, to->want[j]),
                         oracle_round(CASE_F32, from->values[j] * (i == 0 ? 2 : -3)));
    }
}

Test(lists, random_ones_are_problems)
{
    struct random random = {3};
    int longest = 0, shortest = 99;
    for (int n = 0; n < 300; n++) {
        char line[CASE_LINE], again[CASE_LINE], error[256];
        struct test_case test = rig_random_case(&foreach, &random, n % 2 ? CASE_F32 : CASE_I16);
        case_print(&test, line);
        cr_assert(case_parse(line, &test, error, sizeof error), "%s: %s", line, error);
        cr_assert_str_eq(case_print(&test, again), line);
        rig_load(&rig, &foreach, &test);
        const int count = rig.problem.call.count[0];
        cr_assert(count == rig.problem.call.count[1] && count == rig.problem.call.scalar[0].count);
        for (int i = 0; i < count; i++)
            cr_assert_eq(rig.problem.tensor[i].count, rig.problem.tensor[count + i].count);
        if (count > longest) longest = count;
        if (count < shortest) shortest = count;
    }
    cr_expect(longest == 20 && shortest == 0);
}

/* ---- types and casts ---- */

Test(oracle_rows, promotes_as_torch_does)
{
    static const struct {
        enum case_dtype a, b, want;
    } pairs[] = {
        {CASE_F16, CASE_BF16, CASE_F32}, {CASE_F16, CASE_I64, CASE_F16},
        {CASE_U8, CASE_I8, CASE_I16},    {CASE_U8, CASE_I32, CASE_I32},
        {CASE_BOOL, CASE_U8, CASE_U8},   {CASE_F32, CASE_F64, CASE_F64},
        {CASE_U16, CASE_I16, CASE_I32},  {CASE_BOOL, CASE_BOOL, CASE_BOOL},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        cr_expect_eq(oracle_promote(pairs[i].a, pairs[i].b), pairs[i].want);
        cr_expect_eq(oracle_promote(pairs[i].b, pairs[i].a), pairs[i].want);
    }
    cr_expect_eq(oracle_promote_scalar(CASE_F16, CASE_F64), CASE_F16);
    cr_expect_eq(oracle_promote_scalar(CASE_I8, CASE_F64), CASE_F32);
    cr_expect_eq(oracle_promote_scalar(CASE_BOOL, CASE_I32), CASE_I64);
    cr_expect_eq(oracle_promote_scalar(CASE_I8, CASE_I64), CASE_I8);
}

Test(oracle_rows, casts)
{
    const int64_t half_way = (INT64_C(1) << 53) + (INT64_C(1) << 29); /* between two f32 */
    cr_expect_eq(oracle_cast_real(CASE_I32, 1e20), INT32_MAX);
    cr_expect_eq(oracle_cast_real(CASE_I8, (double)NAN), 0);
    cr_expect_eq(oracle_cast_real(CASE_BOOL, (double)NAN), 1);
    cr_expect_eq(oracle_cast_real(CASE_I16, -2.9), 0xfffe);
    cr_expect_eq(oracle_cast_whole(CASE_U8, -1), 0xff);
    cr_expect_eq(oracle_cast_whole(CASE_BOOL, 256), 1);
    cr_expect_eq(oracle_from_bits(CASE_F32, oracle_cast_whole(CASE_F32, half_way)), 0x1p53);
    cr_expect_eq(oracle_from_bits(CASE_F32, oracle_cast_whole(CASE_F32, half_way + 1)),
                 0x1p53 + 0x1p30);
    cr_expect_eq(oracle_from_bits(CASE_F32, oracle_cast_whole(CASE_F32, -half_way - 1)),
                 -0x1p53 - 0x1p30);
    cr_expect_eq(oracle_from_bits(CASE_F16, oracle_cast_whole(CASE_F16, INT64_MAX)),
                 (double)INFINITY);
}

/* ---- nearness ---- */

Test(near, units_in_the_last_place)
{
    const struct compare_near one = {1, 0, CASE_DTYPES, 0}, half = {1, 0, CASE_F16, 0};
    const double ulp = 0x1p-23;
    cr_expect(compare_near(one, CASE_F32, 1.3, (double)1.3f));
    cr_expect(compare_near(one, CASE_F32, 1.5, 1.5 + ulp));
    cr_expect_not(compare_near(one, CASE_F32, 1.5, 1.5 + 2 * ulp));
    cr_expect_not(compare_near(one, CASE_F32, (double)NAN, 1));
    cr_expect_not(compare_near(one, CASE_F32, 1, (double)NAN));
    cr_expect(compare_near(one, CASE_F32, (double)NAN, (double)NAN));
    cr_expect_not(compare_near(one, CASE_F32, 0, -0.0));
    cr_expect(compare_near(one, CASE_F32, 1e300, (double)INFINITY));
    cr_expect_not(compare_near(one, CASE_F32, 1e30, (double)INFINITY));
    cr_expect_not(compare_near(one, CASE_F32, (double)INFINITY, 3e38));
    /* Half types: the nearest one, unless the value is within an f32's ulp of a tie. */
    cr_expect(compare_near(one, CASE_F16, 1 + 0x1p-11, 1));
    cr_expect(compare_near(one, CASE_F16, 1 + 0x1p-11, 1 + 0x1p-10));
    cr_expect_not(compare_near(one, CASE_F16, 1 + 0x1.1p-11, 1));
    /* An output that is wider than the type of the result. */
    cr_expect(compare_near(half, CASE_F32, 1 + 0x1.1p-11, 1 + 0x1p-10));
    cr_expect_not(compare_near(half, CASE_F32, 1 + 0x1.1p-11, 1 + 0x1.1p-11));
}
