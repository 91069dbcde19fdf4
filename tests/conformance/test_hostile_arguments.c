/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 1 of every operator of the rig with arguments that no program means: a code of the contract
 * and a text, or a plan that runs; never a crash, an overflow or a wait. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_all.h"
#include "tests/support/wild.h"

RIG_SUITE(hostile_arguments);

/* ---- one call ---- */

static char line[CASE_LINE];

static struct rig_call call_of_case(const struct rig_operator *op, const struct test_case *test)
{
    static _Alignas(64) unsigned char memory[64]; /* an address; phase 1 never touches it */
    case_print(test, line);
    struct rig_call call = rig_call_of(op, test);
    for (int i = 0; i < call.operands; i++)
        call.operand[i].data = memory;
    return call;
}

static struct rig_call call_of(const struct rig_operator *op, uint64_t seed)
{
    static struct test_case test; /* its texts are the call's */
    struct random random = {seed};
    test = rig_random_case(op, &random, CASE_F32);
    return call_of_case(op, &test);
}

/* The text names the operator, and the words. */
static void check_refused(const struct rig_call *call, aclnnStatus status, const char *what,
                          const char *words)
{
    const char *text = aclGetRecentErrMsg();
    cr_assert(status == NULLPTR || status == INVALID, "%s, %s: %" PRId32, line, what, status);
    cr_assert(text && strstr(text, call->op->name) && strstr(text, words), "%s, %s: %s", line, what,
              text ? text : "no text");
    cr_assert(call->workspace_size == RIG_UNWRITTEN_SIZE && !call->executor,
              "%s, %s: outputs of a refused call are written", line, what);
}

/* Any code of the contract. */
static void check_call(struct rig_call *call, const char *what)
{
    aclGetRecentErrMsg(); /* forget earlier texts */
    rig_open(call);
    const aclnnStatus status = rig_phase1(call);
    rig_close(call);
    if (status != ACLNN_SUCCESS)
        check_refused(call, status, what, "");
    else
        cr_assert_eq(aclDestroyAclOpExecutor(call->executor), ACLNN_SUCCESS);
}

/* ---- NULL ---- */

static bool may_be_null(const struct rig_operator *op, const char *array)
{
    if (op->row) return true; /* an array that a rule needs, it refuses itself */
    if (strcmp(op->name, "aclnnAvgPool2dBackward") == 0) return strcmp(array, "stride") == 0;
    return strncmp(op->name, "aclnnext", 8) == 0 && strcmp(array, "kernelSize") != 0;
}

static void check_null(struct rig_call *call, const char *argument)
{
    char sentence[64];
    snprintf(sentence, sizeof sentence, "%s is NULL", argument);
    aclGetRecentErrMsg();
    rig_open(call);
    const aclnnStatus status = rig_phase1(call);
    rig_close(call);
    cr_assert_eq(status, NULLPTR, "%s without %s: %" PRId32, line, argument, status);
    check_refused(call, status, argument, sentence);
}

/* What the row says may be NULL is not asked for; all else is named. */
static void check_slot(struct rig_call *call, int slot)
{
    const struct rig_operator *op = call->op;
    if (rig_may_be_null(op, slot))
        check_call(call, op->tensor[slot]);
    else
        check_null(call, op->tensor[slot]);
}

static void check_null_tensors(const struct rig_operator *op)
{
    for (int slot = 0; op->tensor[slot]; slot++) {
        struct rig_call call = call_of(op, 1);
        if (rig_is_list(op, slot))
            call.no_list[slot] = true;
        else
            call.is_null[call.first[slot]] = true;
        check_slot(&call, slot);
        if (!rig_is_list(op, slot) || call.count[slot] == 0) continue;
        call = call_of(op, 1);
        call.is_null[call.first[slot]] = true; /* an element */
        check_null(&call, rig_operand_name(&call, call.first[slot]).text);
    }
}

Test(hostile_arguments, each_null)
{
    for (int r = 0; r < rows_all(); r++) {
        const struct rig_operator *op = rows_all_at(r);
        check_null_tensors(op);
        for (int i = 0; op->names->scalar[i]; i++) {
            struct rig_call call = call_of(op, 1);
            call.scalar[i].is_null = true;
            if (rig_is_optional(op->names->scalar_kind[i]))
                check_call(&call, op->names->scalar[i]);
            else
                check_null(&call, op->names->scalar[i]);
        }
        for (int i = 0; op->array[i]; i++) {
            struct rig_call call = call_of(op, 1);
            call.array[i].is_null = true;
            if (may_be_null(op, op->array[i]))
                check_call(&call, op->array[i]);
            else
                check_null(&call, op->array[i]);
        }
        for (int i = 0; op->names->text[i]; i++) {
            struct rig_call call = call_of(op, 1);
            call.text[i] = NULL;
            check_call(&call, op->names->text[i]);
        }
        struct rig_call call = call_of(op, 1);
        call.no_size = true;
        check_null(&call, "workspaceSize");
        call = call_of(op, 1);
        call.no_executor = true;
        check_null(&call, "executor");
    }
}

/* ---- every integer of a call, alone ---- */

/* Field n of an operand gets a value; false: there are not so many. */
static bool set_field(struct operand *operand, int n, int64_t value)
{
    if (n < OPERAND_RANK) {
        operand->dims[n] = value;
    } else if (n < 2 * OPERAND_RANK) {
        operand->strides[n - OPERAND_RANK] = value;
    } else if (n == 2 * OPERAND_RANK) {
        operand->offset = value;
    } else if (n == 2 * OPERAND_RANK + 1) {
        operand->storage = value;
    } else {
        return false;
    }
    return true;
}

static void check_operands(const struct rig_operator *op, const struct test_case *test)
{
    struct rig_call call = call_of_case(op, test);
    for (int i = 0; i < call.operands; i++) {
        const char *name = op->tensor[call.slot[i]];
        const struct operand sound = call.operand[i];
        if (call.is_null[i]) continue;
        for (int n = 0; set_field(&call.operand[i], n, 0); n++) {
            for (int v = 0; v < LENGTH(wild); v++) {
                set_field(&call.operand[i], n, wild[v]);
                check_call(&call, name);
            }
            call.operand[i] = sound;
        }
        for (call.operand[i].rank = 0; call.operand[i].rank < OPERAND_RANK; call.operand[i].rank++)
            check_call(&call, name);
        call.operand[i] = sound;
        for (int type = -2; type < 64; type++) {
            call.operand[i].type = (aclDataType)type;
            check_call(&call, name);
        }
        call.operand[i] = sound;
        for (int format = -2; format < 70; format++) {
            call.operand[i].format = (aclFormat)format;
            check_call(&call, name);
        }
        call.operand[i] = sound;
    }
}

static void check_reals(struct rig_call *call)
{
    static const double reals[] = {-1e308, -1, -0.0, 0, 1e-45, 1, 1e308, INFINITY, NAN};
    for (int i = 0; call->op->number[i]; i++) {
        const double sound = call->real[i];
        const enum op_kind kind = call->op->names->number_kind[i];
        for (int v = 0; v < LENGTH(reals) && (kind == OP_FLOAT || kind == OP_DOUBLE); v++) {
            call->real[i] = reals[v];
            check_call(call, call->op->number[i]);
        }
        call->real[i] = sound;
    }
}

static void check_scalars(struct rig_call *call)
{
    for (int i = 0; call->op->names->scalar[i]; i++) {
        const char *name = call->op->names->scalar[i];
        struct rig_scalars *scalars = &call->scalar[i];
        const struct rig_scalars sound = *scalars;
        for (int type = 0; type < 32; type++) {
            scalars->value[0].type = (aclDataType)type;
            check_call(call, name);
        }
        *scalars = sound;
        for (int v = 0; v < LENGTH(wild); v++) {
            scalars->value[0].real = (double)(scalars->value[0].integer = wild[v]);
            check_call(call, name);
        }
        *scalars = sound;
        if (call->op->names->scalar_kind[i] != OP_SCALARS) continue;
        for (scalars->count = 0; scalars->count <= sound.count + 2; scalars->count++)
            check_call(call, name);
        *scalars = sound;
    }
}

static void check_attributes(const struct rig_operator *op, const struct test_case *test)
{
    struct rig_call call = call_of_case(op, test);
    for (int i = 0; op->array[i]; i++) {
        const struct rig_array sound = call.array[i];
        for (int v = 0; v < LENGTH(wild); v++) {
            for (int entry = 0; entry < sound.length; entry++) {
                call.array[i].values[entry] = wild[v];
                check_call(&call, op->array[i]);
                if (entry + 1 < sound.length) call.array[i] = sound;
            }
            for (int entry = 0; entry < sound.length; entry++)
                call.array[i].values[entry] = wild[v]; /* all at once */
            check_call(&call, op->array[i]);
            call.array[i] = sound;
        }
        for (int length = 0; length <= sound.length + 4 && length <= RIG_ENTRIES; length++) {
            call.array[i].length = length;
            check_call(&call, op->array[i]);
        }
        call.array[i] = sound;
    }
    for (int i = 0; op->number[i]; i++) {
        const int64_t sound = call.number[i];
        for (int v = 0; v < LENGTH(wild); v++) {
            call.number[i] = wild[v];
            check_call(&call, op->number[i]);
        }
        call.number[i] = sound;
    }
    check_reals(&call);
    check_scalars(&call);
}

static void check_integers(const struct rig_operator *op, const struct test_case *test)
{
    check_operands(op, test);
    check_attributes(op, test);
}

Test(hostile_arguments, each_integer)
{
    for (int r = 0; r < rows_all(); r++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct random random = {seed};
            const struct test_case test = rig_random_case(rows_all_at(r), &random, CASE_F32);
            check_integers(rows_all_at(r), &test);
        }
}

/* Arguments of convolution depend on each other in more ways; the same as empty problems, too. */
Test(hostile_arguments, each_integer_of_convolutions)
{
    enum { CONVOLUTIONS = 30 };
    for (int r = 0; r < ROWS_CONVOLUTIONS; r++) {
        struct random random = {random_test_seed() + 90 + (uint64_t)r};
        for (int64_t i = random_test_count(CONVOLUTIONS) + 2; i > 0; i--) {
            struct conv_problem problem =
                conv_random(&random, rows_convolution[r], CASE_F32, false);
            struct test_case test = conv_case(&problem);
            check_integers(rows_convolution[r], &test);
            problem.batch = 0;
            test = conv_case(&problem);
            check_integers(rows_convolution[r], &test);
        }
    }
}

/* ---- entries that no window has ---- */

static bool is_of_window(const struct rig_operator *op, const char *array)
{
    static const char *const names[] = {"kernel", "stride", "pad", "dilation"};
    if (strncmp(op->word, "max_unpool", 10) == 0) return false; /* has them for nothing */
    for (int i = 0; i < LENGTH(names); i++)
        if (strncmp(array, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static void check_entry(const struct rig_operator *op, int array, int64_t value)
{
    struct rig_call call = call_of(op, 1);
    struct rig_array *changed = &call.array[array];
    char sentence[64];
    snprintf(sentence, sizeof sentence, "%s[0] is %" PRId64, op->array[array], value);
    if (changed->is_null || changed->length == 0) *changed = (struct rig_array){.length = 1};
    changed->values[0] = value;
    for (int i = 0; op->number[i]; i++)
        if (strcmp(op->number[i], "autoPad") == 0) call.number[i] = 0; /* else it hides the pads */
    aclGetRecentErrMsg();
    rig_open(&call);
    const aclnnStatus status = rig_phase1(&call);
    rig_close(&call);
    cr_assert_eq(status, INVALID, "%s with %s: %" PRId32, line, sentence, status);
    check_refused(&call, status, sentence, sentence);
}

/* Kernels multiply entries with each other, so those beyond 32 bits are refused, by name. */
Test(hostile_arguments, entries_of_windows)
{
    static const int64_t values[] = {INT64_MIN, -1, (int64_t)1 << 31, INT64_MAX};
    int64_t checked = 0;
    for (int r = 0; r < ROWS_POOLING; r++)
        for (int i = 0; rows_pooling[r]->array[i]; i++)
            for (int v = 0;
                 v < LENGTH(values) && is_of_window(rows_pooling[r], rows_pooling[r]->array[i]);
                 v++) {
                check_entry(rows_pooling[r], i, values[v]);
                checked++;
            }
    cr_assert(checked > 0);
}

/* ---- windows and tensors that fit each other, near the limits ---- */

enum { AXES = 3, SMALL = 4096, PROBLEMS = 400 };

struct axis {
    int64_t input, kernel, stride, pad, dilation, output;
};

static int64_t pick(struct random *random, const int64_t *values, int count)
{
    return values[random_below(random, count)];
}

/* By the contract's formula; false: no window, or more than an int64_t counts. */
static bool settle(struct axis *axis, bool ceil)
{
    const __int128 room = (__int128)axis->input + 2 * (__int128)axis->pad -
                          (__int128)axis->dilation * (axis->kernel - 1) - 1;
    const __int128 up = ceil ? axis->stride - 1 : 0;
    if (room + up < 0) return false;
    __int128 count = (room + up) / axis->stride + 1;
    if (ceil && (count - 1) * axis->stride >= (__int128)axis->input + axis->pad) count--;
    axis->output = (int64_t)count;
    return count > 0 && count <= INT64_MAX;
}

static struct axis random_axis(struct random *random, bool is_wild, bool ceil)
{
    static const int64_t sizes[] = {
        1, 2, 3, 7, 65537, INT32_MAX, (int64_t)1 << 31, ((int64_t)1 << 32) + 1, (int64_t)1 << 40};
    static const int64_t lengths[] = {1,
                                      2,
                                      3,
                                      5,
                                      INT32_MAX,
                                      (int64_t)1 << 31,
                                      ((int64_t)1 << 32) + 1,
                                      (int64_t)1 << 40,
                                      (int64_t)1 << 62,
                                      INT64_MAX - 1,
                                      INT64_MAX};
    const int many = is_wild ? LENGTH(lengths) : 4;
    struct axis axis;
    do {
        axis.input = pick(random, sizes, is_wild ? LENGTH(sizes) : 4);
        axis.kernel = pick(random, lengths, many);
        axis.stride = pick(random, lengths, many);
        axis.dilation = random_once_in(random, 2) ? 1 : pick(random, lengths, many);
        axis.pad = random_once_in(random, 2) ? 0 : axis.kernel / 2;
    } while (!settle(&axis, ceil));
    return axis;
}

static int64_t *entry_of(struct axis *axis, const char *array)
{
    if (strncmp(array, "kernel", 6) == 0) return &axis->kernel;
    if (strncmp(array, "stride", 6) == 0) return &axis->stride;
    if (strncmp(array, "pad", 3) == 0) return &axis->pad;
    return strncmp(array, "dilation", 8) == 0 ? &axis->dilation : NULL;
}

static bool has_window(const struct rig_operator *op)
{
    return op->array[0] && (op->array[1] || strcmp(op->array[0], "outputSize") != 0) &&
           strncmp(op->word, "max_unpool", 10) != 0;
}

static int64_t limited(__int128 value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* The buffer of bytes that the mask operators call indices. */
static void mask_sizes(struct operand *mask, const struct axis *axes)
{
    const __int128 windows = (__int128)axes[0].output * axes[1].output;
    mask->dims[mask->rank - 2] = limited((__int128)axes[0].kernel * axes[1].kernel);
    mask->dims[mask->rank - 1] = limited(((windows + 15) / 16 + 1) * 32);
}

/* Sizes and windows of the call are those of the axes. */
static void fit(struct rig_call *call, struct axis *axes, int count, int64_t outer)
{
    const struct rig_operator *op = call->op;
    for (int i = 0; i < rig_operand_count(op); i++) {
        struct operand *operand = &call->operand[i];
        const enum case_tensor tensor = op->operand[i].tensor;
        const bool is_large = tensor == CASE_X || tensor == CASE_DX;
        for (int axis = 0; axis < count; axis++)
            operand->dims[operand->rank - count + axis] =
                is_large ? axes[axis].input : axes[axis].output;
        if (operand->type == ACL_INT8 && strstr(op->word, "mask")) mask_sizes(operand, axes);
        operand->dims[0] = outer;
        operand->no_strides = true;
        operand->offset = 0;
        operand->storage = INT64_MAX;
    }
    for (int i = 0; op->array[i]; i++) {
        const char *name = op->array[i];
        call->array[i] = (struct rig_array){.length = count};
        call->array[i].is_null = strcmp(name, "inputShape") == 0;
        for (int axis = 0; axis < count; axis++) {
            const int64_t *entry = entry_of(&axes[axis], name);
            const bool is_unpool = strncmp(op->word, "max_unpool", 10) == 0;
            call->array[i].values[axis] = entry       ? *entry
                                          : is_unpool ? axes[axis].input
                                                      : axes[axis].output;
        }
    }
}

static size_t bytes_of(const struct rig_call *call, bool *is_small)
{
    size_t most = 0;
    *is_small = true;
    for (int i = 0; i < rig_operand_count(call->op); i++) {
        double elements = 1;
        for (int axis = 0; axis < call->operand[i].rank; axis++)
            elements *= (double)call->operand[i].dims[axis];
        *is_small = *is_small && elements <= SMALL;
        if (*is_small && (size_t)elements > most) most = (size_t)elements;
    }
    return 8 * most + 8;
}

/* Zeros everywhere: every index is sound. */
static void run(struct rig_call *call, size_t bytes)
{
    void *memory[RIG_OPERANDS] = {NULL}, *workspace = NULL;
    const int count = rig_operand_count(call->op);
    for (int i = 0; i < count; i++) {
        memory[i] = calloc(1, bytes);
        aclSetRawTensorAddr(call->tensor[i], memory[i]);
    }
    if (call->workspace_size > 0)
        cr_assert_eq(posix_memalign(&workspace, 64, call->workspace_size), 0);
    cr_assert_eq(call->op->phase2(workspace, call->workspace_size, call->executor, rig.stream), 0,
                 "%s: %s", line, aclGetRecentErrMsg());
    cr_assert_eq(aclrtSynchronizeStream(rig.stream), ACL_SUCCESS, "%s: %s", line,
                 aclGetRecentErrMsg());
    for (int i = 0; i < count; i++)
        free(memory[i]);
    free(workspace);
}

static void print_axes(const struct rig_call *call, const struct axis *axes, int count)
{
    int used = snprintf(line, sizeof line, "%s", call->op->word);
    for (int i = 0; i < count; i++)
        used +=
            snprintf(line + used, sizeof line - (size_t)used,
                     " %" PRId64 "->%" PRId64 " k%" PRId64 " s%" PRId64 " p%" PRId64 " d%" PRId64,
                     axes[i].input, axes[i].output, axes[i].kernel, axes[i].stride, axes[i].pad,
                     axes[i].dilation);
}

/* Returns whether the problem was accepted, or refused as one that is too large. */
static bool check_fitting(const struct rig_operator *op, struct random *random)
{
    struct rig_call call = call_of(op, (uint64_t)random_below(random, 1000));
    struct axis axes[AXES];
    int count = call.operand[0].rank - 2;
    if (op->is_batched || strstr(op->word, "2d") || strcmp(op->word, "max_pool") == 0) count = 2;
    if (strstr(op->word, "3d")) count = 3;
    if (count > AXES || strncmp(op->word, "global", 6) == 0) return true;
    const bool ceil = random_once_in(random, 2);
    const int wild_axis = (int)random_below(random, count);
    for (int i = 0; i < count; i++) {
        axes[i] = random_axis(random, i == wild_axis, ceil);
        if (has_window(op)) continue;
        axes[i].output = random_axis(random, i == wild_axis, ceil).input;
    }
    fit(&call, axes, count, random_once_in(random, 8) ? ((int64_t)1 << 31) + 1 : 1);
    for (int i = 0; op->number[i]; i++) {
        if (strcmp(op->number[i], "ceilMode") == 0) call.number[i] = ceil;
        if (strcmp(op->number[i], "autoPad") == 0)
            call.number[i] = random_once_in(random, 4) ? random_below(random, 4) : 0;
    }
    print_axes(&call, axes, count);
    aclGetRecentErrMsg();
    rig_open(&call);
    const aclnnStatus status = rig_phase1(&call);
    bool is_small;
    const size_t bytes = bytes_of(&call, &is_small);
    if (status != ACLNN_SUCCESS)
        check_refused(&call, status, "near the limits", "");
    else if (is_small && call.workspace_size < 1 << 24)
        run(&call, bytes);
    else
        aclDestroyAclOpExecutor(call.executor);
    rig_close(&call);
    return status == ACLNN_SUCCESS;
}

Test(hostile_arguments, problems_near_the_limits)
{
    struct random random = {random_test_seed() + 41};
    for (int r = 0; r < ROWS_POOLING; r++) {
        int64_t accepted = 0;
        const int64_t count = random_test_count(PROBLEMS) + 200;
        for (int64_t i = 0; i < count; i++)
            accepted += check_fitting(rows_pooling[r], &random);
        cr_assert(accepted > 0, "%s: nothing was accepted", rows_pooling[r]->word);
    }
}

/* What windows that are all padding but for a few cells make is right too. */
Test(hostile_arguments, windows_as_large_as_they_may_be)
{
    static const struct rig_operator *const ops[] = {
        &rig_avg_pool2d,
        &rig_avg_pool2d_backward,
        &rig_aclnnext_avg_pool_grad,
        &rig_max_pool2d_with_indices,
        &rig_max_pool2d_with_indices_backward,
        &rig_aclnnext_max_pool_backward,
    };
    static const char *const problems[] = {
        "f32 n1c2 3x7 k3x2147483647 s1x3 p1x1073741823 seed=1",
        "bf16 n2c5 7x3 k2147483647x2 s2x1 p1073741823x0 nhwc ceil exclude_pad seed=2",
        "f32 n1c2 5x6 k2147483647 s2147483646 p1073741823 seed=3",
        "f16 n1c1 9x4 k2147483647x2147483646 s1 p1073741823 ceil seed=4",
    };
    char text[CASE_LINE];
    for (int r = 0; r < LENGTH(ops); r++)
        for (int i = 0; i < LENGTH(problems); i++) {
            snprintf(text, sizeof text, "%s %s", ops[r]->word, problems[i]);
            check_line(ops[r], text);
        }
}
