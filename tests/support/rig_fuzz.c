/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rig_fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fuzz_bytes.h"

/* Oracles of rows know real numbers; complex types come as those of broken calls. */
enum { SMALL = 1 << 14, MOST_WORK = 1 << 20, BAD_INDEX = 507015, REAL_TYPES = CASE_C64 };

static struct rig rig;

static rig_fuzz_contract *contract;

void rig_fuzz_begin(rig_fuzz_contract *of_calls)
{
    contract = of_calls;
    rig_begin(&rig);
}

/* ---- changes of the problem: the oracle follows them ---- */

static void set_entry(struct bytes *bytes, int *length, int64_t *values, int axes, int64_t least)
{
    uint8_t choice = take(bytes);
    *length = choice & 1 ? axes : 1;
    if (choice == 254) *length = CASE_NO_ARRAY;
    for (int i = 0; i < *length; i++)
        values[i] = least + take(bytes) % 9;
}

static void change_tensors(struct bytes *bytes, struct test_case *test, uint8_t what)
{
    enum case_layout *layouts[] = {&test->x_layout, &test->dx_layout, &test->y_layout,
                                   &test->dy_layout, &test->i_layout};
    switch (what % 8) {
    case 0:
        *layouts[take(bytes) % CASE_TENSORS] = (enum case_layout)(take(bytes) % CASE_LAYOUTS);
        break;
    case 1:
        test->format = (enum case_format)(take(bytes) % CASE_FORMATS);
        break;
    case 2:
        test->batch = test->batched ? take(bytes) % 4 : 1;
        break;
    case 3:
        test->channels = take(bytes) % 20;
        break;
    case 4:
        test->batched = !test->batched;
        test->batch = 1;
        break;
    case 5:
        test->dtype = (enum case_dtype)(take(bytes) % REAL_TYPES);
        break;
    case 6:
        test->offset = take(bytes);
        break;
    default:
        test->wide_indices = !test->wide_indices;
    }
}

static void change_options(struct bytes *bytes, struct test_case *test, uint8_t what)
{
    switch (what % 8) {
    case 0:
        test->ceil = !test->ceil;
        break;
    case 1:
        test->exclude_pad = !test->exclude_pad;
        break;
    case 2:
        test->divisor = take_wild(bytes);
        break;
    case 3:
        test->math = take(bytes) % 6;
        break;
    case 4:
        test->auto_pad = take(bytes) % 5;
        break;
    case 5:
        test->storage_order = take(bytes) % 3;
        break;
    case 6:
        test->data = (enum case_data)(take(bytes) % CASE_DATA);
        break;
    default:
        test->picks = (enum case_picks)(take(bytes) % CASE_PICKS);
    }
}

static void change_window(struct bytes *bytes, struct test_case *test, uint8_t what)
{
    switch (what % 8) {
    case 0:
        set_entry(bytes, &test->kernel_length, test->kernel, test->axes, 1);
        if (test->kernel_length < 0) test->kernel_length = 1;
        break;
    case 1:
        set_entry(bytes, &test->stride_length, test->stride, test->axes, 1);
        break;
    case 2:
        set_entry(bytes, &test->pad_length, test->pad, test->axes, 0);
        break;
    case 3:
        set_entry(bytes, &test->pad_end_length, test->pad_end, test->axes, 0);
        break;
    case 4:
        set_entry(bytes, &test->dilation_length, test->dilation, test->axes, 1);
        break;
    case 5:
        test->has_output = true;
        test->output[take(bytes) % test->axes] = take(bytes) % 20;
        break;
    default:
        test->input[take(bytes) % test->axes] = take(bytes) % 40;
    }
}

/* Is it a tensor, and one that is read alone? */
static bool is_tensor(const struct rig_operator *op, const char *name, bool *is_read)
{
    for (int i = 0; op->tensor[i]; i++)
        if (strcmp(op->tensor[i], name) == 0) {
            *is_read = op->operand[i].role == RIG_READ;
            return true;
        }
    return false;
}

/* One argument that the case names. */
static void change_argument(struct bytes *bytes, const struct rig_operator *op,
                            struct test_case *test)
{
    struct case_argument *argument = &test->argument[take(bytes) % test->arguments];
    const uint8_t what = take(bytes);
    bool is_read;
    if (what % 6 == 5) {
        test->dtype = (enum case_dtype)(take(bytes) % REAL_TYPES);
        return;
    }
    if (!is_tensor(op, argument->name, &is_read)) {
        argument->real = (double)(argument->dims[0] = take(bytes) % 9);
        return;
    }
    switch (what % 6) {
    case 0:
        argument->rank = take(bytes) % (CASE_RANK + 1);
        break;
    case 1:
        argument->dims[take(bytes) % CASE_RANK] = take(bytes) % 9;
        break;
    case 2:
        argument->layout = (enum case_layout)(take(bytes) % CASE_LAYOUTS);
        if (argument->layout == CASE_BROADCAST && !is_read) argument->layout = CASE_STRIDED;
        break;
    case 3:
        argument->has_dtype = true;
        argument->dtype = (enum case_dtype)(take(bytes) % REAL_TYPES);
        break;
    default:
        argument->offset = take(bytes);
    }
}

/* Free output extents that were never set are those of the formula. */
static void settle_outputs(struct test_case *test, bool had_output)
{
    if (!test->has_output || had_output || test->kernel_length == 0) return;
    for (int i = 0; i < test->axes; i++) {
        if (test->output[i] != 0) continue;
        struct test_case formula = *test;
        formula.has_output = false;
        test->output[i] = case_window(&formula, i).output;
    }
}

static int count_names(const char *const *names)
{
    int count = 0;
    while (names[count])
        count++;
    return count;
}

static bool same_arrays(const struct rig_call *a, const struct rig_call *b)
{
    for (int i = 0; i < count_names(a->op->array); i++) {
        const struct rig_array *one = &a->array[i], *other = &b->array[i];
        if (one->is_null != other->is_null || one->length != other->length) return false;
        if (memcmp(one->values, other->values, sizeof one->values) != 0) return false;
    }
    size_t scalars = (size_t)count_names(a->op->number);
    return memcmp(a->number, b->number, scalars * sizeof a->number[0]) == 0;
}

/* Does the operator see what changed in the attributes? The oracle would, so others are undone. */
static bool takes_change(const struct rig_operator *op, const struct test_case *before,
                         const struct test_case *after)
{
    struct rig_call first = {.op = op}, second = {.op = op};
    struct test_case old = *before, new = *after;
    new.has_output = old.has_output = true; /* extents that follow are no attributes */
    for (int i = 0; i < before->axes; i++)
        new.output[i] = old.output[i] = 1;
    op->arguments(&old, &first);
    op->arguments(&new, &second);
    return !same_arrays(&first, &second);
}

static struct test_case take_case(struct bytes *bytes, const struct rig_operator *op,
                                  bool *is_changed)
{
    struct random random = {(uint64_t)take(bytes) << 8 | take(bytes)};
    struct test_case test =
        rig_random_case(op, &random, (enum case_dtype)(take(bytes) % CASE_FLOATS));
    bool had_output = test.has_output;
    int changes = take(bytes) % 8;
    *is_changed = changes > 0;
    for (int i = 0; i < changes; i++) {
        uint8_t what = take(bytes);
        struct test_case before = test;
        if (test.arguments > 0) {
            change_argument(bytes, op, &test);
            continue;
        }
        if (what < 100)
            change_window(bytes, &test, what);
        else if (what < 180)
            change_options(bytes, &test, what);
        else
            change_tensors(bytes, &test, what);
        bool is_attribute = what < 100 ? what % 8 < 5 : what < 180 && what % 8 < 6;
        if (is_attribute && !takes_change(op, &before, &test)) test = before;
    }
    settle_outputs(&test, had_output);
    return test;
}

/* ---- changes of the call: anything at all ---- */

static void break_operand(struct bytes *bytes, struct rig_call *call, int i)
{
    struct operand *operand = &call->operand[i];
    uint8_t what = take(bytes), axis = take(bytes) % OPERAND_RANK;
    switch (what % 8) {
    case 0:
        operand->type = (aclDataType)(take(bytes) % 36 - 1);
        break;
    case 1:
        operand->format = (aclFormat)(take(bytes) % 50 - 1);
        break;
    case 2:
        operand->rank = take(bytes) % OPERAND_RANK;
        break;
    case 3:
        operand->dims[axis] = take_wild(bytes);
        break;
    case 4:
        operand->strides[axis] = take_wild(bytes);
        break;
    case 5:
        operand->storage = take_wild(bytes);
        break;
    case 6:
        operand->offset = take_wild(bytes);
        break;
    default:
        call->is_null[i] = true;
    }
}

static void break_array(struct bytes *bytes, struct rig_array *array)
{
    uint8_t what = take(bytes);
    if (what % 8 == 0)
        array->is_null = true;
    else if (what % 8 < 3)
        array->length = take(bytes) % (RIG_ENTRIES + 1);
    else
        array->values[take(bytes) % RIG_ENTRIES] = take_wild(bytes);
}

static void break_scalars(struct bytes *bytes, struct rig_scalars *scalars)
{
    const uint8_t what = take(bytes);
    struct rig_scalar *one = &scalars->value[take(bytes) % RIG_ENTRIES];
    if (what % 8 == 0)
        scalars->is_null = true;
    else if (what % 8 == 1)
        scalars->count = take(bytes) % (RIG_ENTRIES + 1);
    else if (what % 8 == 2)
        one->is_null = true;
    else if (what % 8 == 3)
        one->type = (aclDataType)(take(bytes) % 36 - 1);
    else
        one->real = (double)(one->integer = take_wild(bytes));
}

/* A list of tensors, as a whole. */
static void break_slot(struct bytes *bytes, struct rig_call *call, int slot)
{
    if (!rig_is_list(call->op, slot)) return;
    if (take(bytes) % 4 == 0)
        call->no_list[slot] = true;
    else if (call->count[slot] > 0)
        call->count[slot]--;
}

static bool break_call(struct bytes *bytes, struct rig_call *call)
{
    const struct rig_operator *op = call->op;
    const int arrays = count_names(op->array), numbers = count_names(op->number);
    const int scalars = count_names(op->names->scalar);
    uint8_t count = take(bytes) % 6;
    for (int i = 0; i < count; i++) {
        uint8_t what = take(bytes), which = take(bytes);
        if (what < 120 && call->operands > 0)
            break_operand(bytes, call, which % call->operands);
        else if (what < 128)
            break_slot(bytes, call, which % rig_operand_count(op));
        else if (what < 200 && arrays > 0)
            break_array(bytes, &call->array[which % arrays]);
        else if (what < 225 && scalars > 0)
            break_scalars(bytes, &call->scalar[which % scalars]);
        else if (what < 250 && numbers > 0)
            call->number[which % numbers] = take_wild(bytes);
        else if (what & 1)
            call->no_size = true;
        else
            call->no_executor = true;
    }
    return count > 0;
}

/* ---- what phase 1 may not accept ---- */

struct reach {
    bool is_sound, is_empty;
    int64_t elements, last; /* when sound and not empty */
};

static struct reach reach_of(const struct operand *operand)
{
    struct reach reach = {.is_sound = true, .elements = 1, .last = operand->offset};
    for (int i = 0; i < operand->rank; i++) {
        reach.is_empty |= operand->dims[i] == 0;
        reach.is_sound &= operand->dims[i] >= 0;
    }
    if (reach.is_empty || !reach.is_sound) return reach;
    reach.is_sound = operand->offset >= 0;
    for (int i = 0; reach.is_sound && i < operand->rank; i++) {
        int64_t step = 0, extent = operand->dims[i];
        reach.is_sound &= !__builtin_mul_overflow(reach.elements, extent, &reach.elements);
        if (extent == 1) continue;
        reach.is_sound &= operand->strides[i] >= 0 &&
                          !__builtin_mul_overflow(extent - 1, operand->strides[i], &step) &&
                          !__builtin_add_overflow(reach.last, step, &reach.last);
    }
    return reach;
}

static bool dtype_of(aclDataType type, enum case_dtype *dtype)
{
    for (int i = 0; i < CASE_DTYPES; i++) {
        *dtype = (enum case_dtype)i;
        if (operand_acl_type(*dtype) == type) return true;
    }
    return false;
}

static bool has_empty(const struct rig_call *call)
{
    for (int i = 0; i < call->operands; i++) {
        if (!call->is_null[i] && reach_of(&call->operand[i]).is_empty) return true;
    }
    return false;
}

/* Can it be run here? Aborts when it should have been refused. */
static bool check_views(const struct rig_call *call, const char *line)
{
    bool is_small = true, is_empty = has_empty(call);
    uint64_t most = (1 << 16) + call->op->scratch;
    for (int i = 0; i < call->operands; i++) {
        const char *name = call->op->tensor[call->slot[i]];
        struct reach reach = reach_of(&call->operand[i]);
        enum case_dtype dtype;
        if (rig_role_of(call, i)->role == RIG_SHAPE) continue;
        if (call->is_null[i] && rig_may_be_null(call->op, call->slot[i])) continue;
        EXPECT(!call->is_null[i], "%s: no %s", line, name);
        if (rig_is_idle(call, i) && !reach.is_sound) {
            is_small = false;
            continue;
        }
        EXPECT(is_empty || reach.is_sound, "%s: accepted the view of %s", line, name);
        EXPECT(dtype_of(call->operand[i].type, &dtype), "%s: type of %s", line, name);
        if (reach.is_empty) continue;
        is_small &= reach.is_sound && reach.elements <= SMALL && reach.last <= SMALL;
        if (reach.is_sound && !__builtin_mul_overflow(reach.elements, 16, &reach.elements))
            most += (uint64_t)reach.elements;
    }
    EXPECT(!is_small || call->workspace_size <= most, "%s: workspace of %" PRIu64, line,
           call->workspace_size);
    return is_small;
}

/* ---- running a broken call that was accepted ---- */

static bool reads_indices(const struct rig_operator *op)
{
    for (int i = 0; i < rig_operand_count(op); i++) {
        if (op->operand[i].tensor == CASE_I && op->operand[i].role == RIG_READ) return true;
    }
    return op->fill != NULL; /* not all data is right */
}

static void give_memory(struct rig_call *call, int i, struct random *random)
{
    struct operand *operand = &call->operand[i];
    struct reach reach = reach_of(operand);
    const struct rig_operand *one = rig_role_of(call, i);
    if (one->role == RIG_SHAPE || call->is_null[i]) return;
    dtype_of(operand->type, &operand->dtype);
    operand->span = reach.is_empty ? 0 : reach.last + 1;
    operand->data = malloc(operand_bytes(operand));
    EXPECT(operand->data, "malloc");
    operand_poison(operand, 0xFF);
    if ((rig_is_output(one) && !one->is_changed) || reach.is_empty) return;
    operand_randomize(operand, one->tensor == CASE_I ? CASE_TIES : CASE_PLAIN, random);
}

/* The addresses come after phase 1, as a program may set them. */
static void run_broken(struct rig_call *call, const char *line)
{
    const struct rig_operator *op = call->op;
    struct random random = {7};
    void *workspace = NULL;
    for (int i = 0; i < call->operands; i++) {
        give_memory(call, i, &random);
        if (call->operand[i].tensor)
            aclSetRawTensorAddr(call->operand[i].tensor, call->operand[i].data);
    }
    if (call->workspace_size > 0)
        EXPECT(posix_memalign(&workspace, 32, call->workspace_size) == 0, "posix_memalign");
    aclnnStatus status = op->phase2(workspace, call->workspace_size, call->executor, rig.stream);
    EXPECT(status == ACLNN_SUCCESS, "%s: phase 2: %" PRId32 " %s", line, status,
           aclGetRecentErrMsg());
    aclError code = aclrtSynchronizeStream(rig.stream);
    EXPECT(code == ACL_SUCCESS || (code == BAD_INDEX && reads_indices(op)), "%s: %d", line, code);
    for (int i = 0; i < call->operands; i++) {
        bool is_written = rig_is_output(rig_role_of(call, i)) && !call->is_null[i];
        EXPECT(!is_written || operand_gaps_hold(&call->operand[i], 0xFF), "%s: %s", line,
               op->tensor[call->slot[i]]);
        free(call->operand[i].data);
    }
    free(workspace);
}

/* ---- a problem that is whole ---- */

static bool is_light(const struct test_case *test)
{
    double work = (double)(test->batch * test->channels);
    for (int i = 0; i < test->axes; i++) {
        struct case_window window = case_window(test, i);
        int64_t taps = window.kernel > 0 ? window.kernel : window.input;
        work *= (double)window.output * (double)taps;
    }
    return work <= MOST_WORK;
}

static void run_whole(const struct rig_operator *op, const struct test_case *test)
{
    rig_load(&rig, op, test);
    EXPECT(rig_run(&rig, RIG_END), "%s", rig.text);
    EXPECT(rig_compare(&rig), "%s", rig.text);
}

/* ---- the target ---- */

static void check_refused(const struct rig_call *call, aclnnStatus status, const char *line)
{
    const char *text = aclGetRecentErrMsg();
    EXPECT(status == ACLNN_ERR_PARAM_INVALID || status == ACLNN_ERR_PARAM_NULLPTR, "%s: %" PRId32,
           line, status);
    EXPECT(text && strstr(text, call->op->name), "%s: %s", line, text ? text : "no text");
    EXPECT(!call->executor && call->workspace_size == RIG_UNWRITTEN_SIZE, "%s: outputs written",
           line);
    EXPECT(!contract || contract(call) != RIG_SOUND, "%s: refused: %s", line, text);
}

static void check_accepted(struct rig_call *call, const struct test_case *test, bool is_broken,
                           const char *line)
{
    EXPECT(call->executor && !call->no_size, "%s: outputs not written", line);
    EXPECT(!contract || contract(call) != RIG_WRONG, "%s: accepted", line);
    bool is_small = check_views(call, line) && is_light(test);
    if (is_small && is_broken) {
        run_broken(call, line);
        return;
    }
    EXPECT(aclDestroyAclOpExecutor(call->executor) == ACLNN_SUCCESS, "%s: destroy", line);
    if (is_small && (test->batched || !call->op->is_batched)) run_whole(call->op, test);
}

int rig_fuzz(const struct rig_operator *const *rows, const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    int count = 0;
    while (rows[count])
        count++;
    const int row = take(&bytes);
    const struct rig_operator *op =
        rows[(count > UINT8_MAX ? row << 8 | take(&bytes) : row) % count];
    bool is_changed;
    char line[CASE_LINE];
    struct test_case test = take_case(&bytes, op, &is_changed);
    struct rig_call call = rig_call_of(op, &test);
    bool is_broken = break_call(&bytes, &call);
    case_print(&test, line);
    rig_open(&call);
    aclGetRecentErrMsg(); /* forget earlier texts */
    aclnnStatus status = rig_phase1(&call);
    if (status == ACLNN_SUCCESS)
        check_accepted(&call, &test, is_broken, line);
    else
        check_refused(&call, status, line);
    EXPECT(status == ACLNN_SUCCESS || is_changed || is_broken, "%s: refused", line);
    rig_close(&call);
    return 0;
}
