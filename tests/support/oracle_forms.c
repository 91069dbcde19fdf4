/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operators: promotion, broadcasting and casts around the forms of
 * oracle_elementwise.def. */
#include "tests/support/oracle_elementwise.h"

#include <float.h>
#include <math.h>

enum { TERMS = 16 };

/* One element's operands, coefficients and results, found by their place in the row. */
struct terms {
    int operands, coefficients, results;
    int place;          /* of the lists; -1: there are none */
    int operand[TERMS]; /* of the call; -1: the scalar below, NULL: it is not given */
    const struct rig_scalar *scalar[TERMS], *coefficient[TERMS];
    int result[TERMS];
};

const struct oracle_elementwise *oracle_elementwise_of(const struct rig_operator *op)
{
    return op->oracle == oracle_elementwise ? op->row->more : NULL;
}

/* The operand of a slot for the n-th place of the lists; -1: it is not given. */
static int operand_at(const struct rig_call *call, int slot, int n)
{
    const int operand = call->first[slot] + (rig_is_list(call->op, slot) ? n : 0);
    return call->is_null[operand] ? -1 : operand;
}

static const struct rig_scalar *scalar_at(const struct rig_call *call, int at, int n)
{
    const struct rig_scalars *scalars = &call->scalar[at];
    if (scalars->is_null) return NULL;
    return &scalars->value[call->op->names->scalar_kind[at] == OP_SCALARS ? n : 0];
}

static void add_tensor(struct terms *terms, const struct rig_call *call, int slot, int n)
{
    const struct rig_operand *one = &call->op->operand[slot];
    const int operand = operand_at(call, slot, n);
    if (operand < 0 && rig_is_output(one)) return;
    if (!rig_is_output(one) || one->is_changed) terms->operand[terms->operands++] = operand;
    if (rig_is_output(one)) terms->result[terms->results++] = operand;
}

static bool has_lists(const struct rig_operator *op)
{
    for (int slot = 0; op->tensor[slot]; slot++)
        if (rig_is_list(op, slot)) return true;
    return false;
}

static struct terms terms_of(const struct rig_call *call, int n)
{
    struct terms terms = {.place = has_lists(call->op) ? n : -1};
    int slot = 0, scalar = 0;
    for (const struct rig_argument *at = call->op->names->argument; at->name; at++) {
        if (at->kind <= OP_REFS) {
            add_tensor(&terms, call, slot++, n);
        } else if (at->kind == OP_COEFFICIENT) {
            terms.coefficient[terms.coefficients++] = scalar_at(call, scalar++, n);
        } else if (at->kind <= OP_SCALARS) {
            const struct rig_scalar *one = scalar_at(call, scalar++, n);
            terms.operand[terms.operands] = -1;
            terms.scalar[terms.operands++] = one;
        }
    }
    return terms;
}

static enum case_dtype type_of(const struct rig_problem *problem, const struct terms *terms,
                               const struct oracle_elementwise *one)
{
    enum case_dtype type = CASE_DTYPES;
    for (int i = 0; i < terms->operands; i++) {
        if (terms->operand[i] < 0 || one->selectors >> i & 1) continue;
        const enum case_dtype mine = problem->tensor[terms->operand[i]].view.dtype;
        type = type == CASE_DTYPES ? mine : oracle_promote(type, mine);
    }
    for (int i = 0; i < terms->operands; i++)
        if (terms->operand[i] < 0 && terms->scalar[i])
            type = oracle_promote_scalar(type, terms->scalar[i]->dtype);
    if (oracle_is_of_reals(one->result, problem->call.number) && !oracle_is_float(type))
        return CASE_F32;
    return type;
}

static unsigned given(const struct terms *terms)
{
    unsigned set = 0;
    for (int i = 0; i < terms->operands; i++)
        if (terms->operand[i] >= 0 || terms->scalar[i]) set |= 1U << i;
    return set;
}

static bool is_truth(const struct oracle_elementwise *one)
{
    return one->result == ORACLE_BOOL || one->result == ORACLE_REAL_BOOL;
}

/* A number of the computing type. */
static double real_scalar(const struct rig_scalar *scalar, enum case_dtype type)
{
    const double value = oracle_is_float(scalar->dtype) ? scalar->real : (double)scalar->integer;
    return type == CASE_F64 ? value : oracle_round(CASE_F32, value);
}

/* A floating one is cut to 64 bits first. */
static int64_t integer_scalar(const struct rig_scalar *scalar, enum case_dtype type)
{
    const int64_t value = oracle_is_float(scalar->dtype)
                              ? (int64_t)oracle_cast_real(CASE_I64, scalar->real)
                              : scalar->integer;
    return oracle_integer(type, oracle_cast_whole(type, value));
}

/* The element of operand i that meets element `at` of the result, as one of the type. */
static uint64_t cast_element(const struct rig_problem *problem, const struct terms *terms, int i,
                             int64_t at, enum case_dtype type)
{
    const int operand = terms->operand[i];
    const struct rig_tensor *tensor = &problem->tensor[operand];
    const struct operand *to = &problem->tensor[terms->result[0]].view;
    const bool is_beside =
        terms->place >= 0 && !rig_is_list(problem->op, problem->call.slot[operand]);
    const int64_t element = !is_beside          ? oracle_broadcast(to, at, &tensor->view)
                            : tensor->count > 1 ? terms->place
                                                : 0;
    const uint64_t bits = rig_given(problem, operand)[element];
    if (tensor->view.dtype == type) return bits;
    return oracle_is_float(tensor->view.dtype)
               ? oracle_cast_real(type, oracle_from_bits(tensor->view.dtype, bits))
               : oracle_cast_whole(type, oracle_integer(tensor->view.dtype, bits));
}

/* What the form of this element told. */
static double cancelling;
static double single_by;   /* negative: not in f32 throughout */
static bool is_single_too; /* FLOAT as well */

double oracle_cancelling(double size, double value)
{
    cancelling = size;
    return value;
}

double oracle_single(double value, double by)
{
    single_by = isfinite(by) ? fabs(by) : 0;
    return value;
}

double oracle_single_too(double value, double by)
{
    is_single_too = true;
    return oracle_single(value, by);
}

static double slack_of(enum case_dtype type, double value)
{
    if (type == CASE_F64) return cancelling * 0x1p-50;
    const bool is_half = type == CASE_F16 || type == CASE_BF16;
    if (is_single_too && !is_half) return cancelling * 0x1p-22 + single_by * FLT_TRUE_MIN;
    if (single_by < 0 || !is_half) return cancelling * 0x1p-27;
    return (cancelling + (isfinite(value) ? fabs(value) : 0)) * 0x1p-20 + single_by * FLT_MIN;
}

static void of_reals(struct rig_problem *problem, const struct terms *terms,
                     const struct oracle_elementwise *one, enum case_dtype type, int64_t at)
{
    const enum case_dtype via = is_truth(one) ? CASE_BOOL : type;
    const bool is_exact = problem->near.ulp == 0 && problem->near.absolute == 0;
    double x[TERMS] = {0}, c[TERMS] = {0};
    for (int i = 0; i < terms->operands; i++) {
        if (!(given(terms) >> i & 1)) continue;
        const bool selects = one->selectors >> i & 1;
        const enum case_dtype as = selects ? CASE_BOOL : type;
        x[i] = terms->operand[i] < 0
                   ? real_scalar(terms->scalar[i], type)
                   : oracle_from_bits(as, cast_element(problem, terms, i, at, as));
    }
    for (int i = 0; i < terms->coefficients; i++)
        c[i] = terms->coefficient[i] ? real_scalar(terms->coefficient[i], type) : 0;
    for (int k = 0; k < terms->results; k++) {
        cancelling = 0;
        single_by = -1;
        is_single_too = false;
        double value = one->real(k, x, c, problem->call.real, type == CASE_F64, given(terms));
        if (is_exact && type != CASE_F64) value = oracle_round(CASE_F32, value);
        oracle_real(problem, terms->result[k], at, via, value);
        problem->tensor[terms->result[k]].slack[at] = slack_of(type, value);
    }
}

static void of_integers(struct rig_problem *problem, const struct terms *terms,
                        const struct oracle_elementwise *one, enum case_dtype type, int64_t at)
{
    const enum case_dtype via = is_truth(one) ? CASE_BOOL : type;
    int64_t x[TERMS] = {0}, c[TERMS] = {0};
    for (int i = 0; i < terms->operands; i++) {
        if (!(given(terms) >> i & 1)) continue;
        const bool selects = one->selectors >> i & 1;
        const enum case_dtype as = selects ? CASE_BOOL : type;
        x[i] = terms->operand[i] < 0 ? integer_scalar(terms->scalar[i], type)
                                     : oracle_integer(as, cast_element(problem, terms, i, at, as));
    }
    for (int i = 0; i < terms->coefficients; i++)
        c[i] = terms->coefficient[i] ? integer_scalar(terms->coefficient[i], type) : 0;
    for (int k = 0; k < terms->results; k++)
        oracle_whole(problem, terms->result[k], at, via,
                     one->integer(k, x, c, problem->call.real, given(terms)));
}

/* How many places the lists have; 1 without lists. */
static int places(const struct rig_call *call)
{
    for (int slot = 0; call->op->tensor[slot]; slot++)
        if (rig_is_list(call->op, slot)) return call->count[slot];
    return 1;
}

void oracle_elementwise(struct rig_problem *problem)
{
    const struct oracle_elementwise *one = problem->op->row->more;
    for (int n = 0; n < places(&problem->call); n++) {
        const struct terms terms = terms_of(&problem->call, n);
        const enum case_dtype type = type_of(problem, &terms, one);
        const int64_t count = problem->tensor[terms.result[0]].count;
        for (int64_t at = 0; at < count; at++)
            (oracle_is_float(type) ? of_reals : of_integers)(problem, &terms, one, type, at);
    }
}
