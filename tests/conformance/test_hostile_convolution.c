/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 1 of every convolution operator with integers that no program means: a code of the contract
 * and a text, or a plan; never a crash, an overflow or a wait. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/conv_rig.h"
#include "tests/support/wild.h"

static struct conv_rig rig;

static void begin(void)
{
    conv_rig_begin(&rig);
}

static void end(void)
{
    conv_rig_end(&rig);
}

TestSuite(hostile_convolution, .init = begin, .fini = end, .timeout = 300);

enum { CASES = 40, UNWRITTEN = 4711 };

enum { WILD = sizeof wild / sizeof wild[0] };

static void check_call(const char *what)
{
    uint64_t size = UNWRITTEN;
    aclOpExecutor *executor = NULL;
    for (int i = 0; i < CONV_TENSORS; i++)
        operand_open(&rig.operand[i]);
    aclGetRecentErrMsg(); /* forget earlier texts */
    const aclnnStatus status = conv_rig_phase1(&rig, &size, &executor);
    for (int i = 0; i < CONV_TENSORS; i++)
        operand_close(&rig.operand[i]);
    const char *name = conv_operator_name(rig.test.op);
    if (status == ACLNN_SUCCESS) {
        cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
        return;
    }
    const char *text = aclGetRecentErrMsg();
    cr_assert(status == ACLNN_ERR_PARAM_INVALID || status == ACLNN_ERR_PARAM_NULLPTR, "%s, %s: %d",
              name, what, (int)status);
    cr_assert(text && strstr(text, name), "%s, %s: %s", name, what, text ? text : "no text");
    cr_assert(size == UNWRITTEN && !executor, "%s, %s: outputs of a refused call", name, what);
}

static void check_field(int64_t *field, const char *what)
{
    const int64_t sound = *field;
    for (int v = 0; v < WILD; v++) {
        *field = wild[v];
        check_call(what);
    }
    *field = sound;
}

static void check_operand(struct operand *operand)
{
    const struct operand sound = *operand;
    for (int axis = 0; axis < sound.rank; axis++) {
        check_field(&operand->dims[axis], "size");
        check_field(&operand->strides[axis], "stride");
    }
    check_field(&operand->offset, "offset");
    check_field(&operand->storage, "storage");
    for (operand->rank = 0; operand->rank < OPERAND_RANK; operand->rank++)
        check_call("rank");
    *operand = sound;
    for (int type = -2; type < 64; type++) {
        operand->type = (aclDataType)type;
        check_call("type");
    }
    *operand = sound;
    for (int format = -2; format < 70; format++) {
        operand->format = (aclFormat)format;
        check_call("format");
    }
    *operand = sound;
}

static void check_array(struct rig_array *array)
{
    const struct rig_array sound = *array;
    for (int entry = 0; entry < sound.length; entry++)
        check_field(&array->values[entry], "entry");
    for (array->length = 0; array->length <= 6; array->length++)
        check_call("length");
    *array = sound;
    array->is_null = true;
    check_call("NULL");
    *array = sound;
}

static void check_all(void)
{
    for (int i = 0; i < CONV_TENSORS; i++)
        check_operand(&rig.operand[i]);
    for (int i = 0; i < CONV_ARRAYS; i++)
        check_array(&rig.call.array[i]);
    check_array(&rig.call.kernel);
    check_field(&rig.call.groups, "groups");
    check_field(&rig.call.auto_pad, "autoPad");
    for (int i = 0; i < CONV_TENSORS; i++) {
        const bool sound = rig.call.is_null[i];
        rig.call.is_null[i] = true;
        check_call("NULL tensor");
        rig.call.is_null[i] = sound;
    }
}

Test(hostile_convolution, each_integer)
{
    for (int op = 0; op < CONV_OPERATORS; op++) {
        struct random random = {random_test_seed() + 90 + (uint64_t)op};
        for (int64_t i = random_test_count(CASES) + 2; i > 0; i--) {
            struct conv_case test =
                conv_random_case(&random, (enum conv_operator)op, CASE_F32, false);
            conv_rig_load(&rig, &test);
            check_all();
            /* The same as an empty problem. */
            test.conv.batch = 0;
            conv_rig_load(&rig, &test);
            check_all();
        }
    }
}
