/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rig_refusals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 };

struct named_value {
    const char *name;
    int value;
};

static const struct named_value type_names[] = {
    {"undefined", ACL_DT_UNDEFINED},
    {"complex64", ACL_COMPLEX64},
    {"string", ACL_STRING},
    {NULL, 0},
};

static const struct named_value format_names[] = {
    {"nchw", ACL_FORMAT_NCHW},
    {"ncl", ACL_FORMAT_NCL},
    {"nd", ACL_FORMAT_ND},
    {"nhwc", ACL_FORMAT_NHWC},
    {"ncdhw", ACL_FORMAT_NCDHW},
    {"ndhwc", ACL_FORMAT_NDHWC},
    {"nc1hwc0", ACL_FORMAT_NC1HWC0},
    {"fractal_z", ACL_FORMAT_FRACTAL_Z},
    {"hwcn", ACL_FORMAT_HWCN},
    {"nc", ACL_FORMAT_NC},
    {"undefined", ACL_FORMAT_UNDEFINED},
    {NULL, 0},
};

/* ---- one assignment: object, field, index, value ---- */

struct assignment {
    char object[WORD], field[WORD], value[WORD];
    int index;   /* field[index]=, or object[index]= when there is no field; -1: none */
    int element; /* object[element], -1: none */
};

static void die(const char *change, const char *why)
{
    fprintf(stderr, "test rig: '%s': %s\n", change, why);
    abort();
}

/* The number in brackets, which go; -1: there are none. */
static int take_index(char *word)
{
    char *bracket = strchr(word, '[');
    if (!bracket) return -1;
    *bracket = '\0';
    return atoi(bracket + 1);
}

static bool next_assignment(const char **at, struct assignment *one)
{
    const char *change = *at + strspn(*at, " ");
    size_t length = strcspn(change, " "), name = strcspn(change, "=");
    if (length == 0) return false;
    if (name >= length || length >= WORD) die(change, "is no assignment");
    *one = (struct assignment){.index = -1, .element = -1};
    memcpy(one->value, change + name + 1, length - name - 1);
    memcpy(one->object, change, name);
    char *dot = strchr(one->object, '.');
    if (dot) {
        *dot = '\0';
        strcpy(one->field, dot + 1);
        one->index = take_index(one->field);
    }
    one->element = take_index(one->object);
    if (!dot) one->index = one->element;
    *at = change + length;
    return true;
}

static int64_t number(const struct assignment *one)
{
    char *end;
    if (strcmp(one->value, "max") == 0) return INT64_MAX;
    if (strcmp(one->value, "min") == 0) return INT64_MIN;
    int64_t value = strtoll(one->value, &end, 10);
    if (*end != '\0' || end == one->value) die(one->value, "is no number");
    return value;
}

static int named(const struct assignment *one, const struct named_value *names)
{
    for (; names->name; names++) {
        if (strcmp(names->name, one->value) == 0) return names->value;
    }
    return (int)number(one);
}

static aclDataType type_of(const struct assignment *one)
{
    for (int i = 0; i < CASE_DTYPES; i++) {
        if (strcmp(case_dtype_name((enum case_dtype)i), one->value) == 0)
            return operand_acl_type((enum case_dtype)i);
    }
    return (aclDataType)named(one, type_names);
}

static void give_strides(struct operand *operand)
{
    if (operand->no_strides) memset(operand->strides, 0, sizeof operand->strides);
    operand->no_strides = false;
}

static void change_operand(struct rig_call *call, int i, const struct assignment *one)
{
    struct operand *operand = &call->operand[i];
    const char *field = one->field;
    if (one->index >= OPERAND_RANK) die(field, "has too large an index");
    if (field[0] == '\0' && strcmp(one->value, "null") == 0) {
        call->is_null[i] = true;
    } else if (strcmp(field, "type") == 0) {
        operand->type = type_of(one);
    } else if (strcmp(field, "format") == 0) {
        operand->format = (aclFormat)named(one, format_names);
    } else if (strcmp(field, "tag") == 0) {
        operand->format = (aclFormat)named(one, format_names);
        operand->keeps_order = true;
    } else if (strcmp(field, "rank") == 0) {
        operand->rank = (int)number(one);
    } else if (strcmp(field, "storage") == 0) {
        operand->storage = number(one);
    } else if (strcmp(field, "offset") == 0) {
        operand->offset = number(one);
    } else if (strcmp(field, "dims") == 0 && one->index >= 0) {
        operand->dims[one->index] = number(one);
    } else if (strcmp(field, "strides") == 0 && one->index >= 0) {
        give_strides(operand);
        operand->strides[one->index] = number(one);
    } else {
        die(field, "is no field of a tensor");
    }
}

static void change_array(struct rig_array *array, const struct assignment *one)
{
    if (strcmp(one->value, "null") == 0)
        array->is_null = true;
    else if (strcmp(one->field, "length") == 0)
        array->length = (int)number(one);
    else if (one->index >= 0 && one->index < RIG_ENTRIES)
        array->values[one->index] = number(one);
    else
        die(one->object, "is an array");
}

static int find(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], name) == 0) return i;
    }
    return -1;
}

/* x=null, x.length=2 of a list; the rest of x[1] or of what is none. */
static void change_slot(struct rig_call *call, int slot, const struct assignment *one)
{
    const bool is_list = rig_is_list(call->op, slot), is_whole = one->element < 0;
    if (is_list && is_whole && strcmp(one->value, "null") == 0) {
        call->no_list[slot] = true;
    } else if (is_list && is_whole && strcmp(one->field, "length") == 0) {
        call->count[slot] = (int)number(one);
    } else {
        const int at = is_whole ? 0 : one->element;
        if (at >= call->count[slot]) die(one->object, "has no such element");
        change_operand(call, call->first[slot] + at, one);
    }
}

/* alpha=null, alpha=2, alpha.type=f64; of a list as well scalars[1]=null, scalars.length=3. */
static void change_scalar(struct rig_scalars *scalars, const struct assignment *one)
{
    struct rig_scalar *scalar = &scalars->value[one->element < 0 ? 0 : one->element];
    const bool is_null = strcmp(one->value, "null") == 0;
    if (is_null && one->element < 0)
        scalars->is_null = true;
    else if (is_null)
        scalar->is_null = true;
    else if (strcmp(one->field, "length") == 0)
        scalars->count = (int)number(one);
    else if (strcmp(one->field, "type") == 0)
        scalar->type = type_of(one);
    else
        scalar->real = (double)(scalar->integer = number(one));
}

static void apply_one(struct rig_call *call, const struct assignment *one)
{
    const struct rig_operator *op = call->op;
    const int slot = find(op->tensor, one->object), array = find(op->array, one->object);
    const int scalar = find(op->names->scalar, one->object);
    const int at = find(op->number, one->object), text = find(op->names->text, one->object);
    if (slot >= 0)
        change_slot(call, slot, one);
    else if (array >= 0)
        change_array(&call->array[array], one);
    else if (scalar >= 0)
        change_scalar(&call->scalar[scalar], one);
    else if (at >= 0 && op->names->number_kind[at] == OP_TYPE_OF)
        call->number[at] = type_of(one);
    else if (at >= 0)
        call->real[at] = (double)(call->number[at] = number(one));
    else if (text >= 0)
        call->text[text] = NULL;
    else if (strcmp(one->object, "workspaceSize") == 0)
        call->no_size = true;
    else if (strcmp(one->object, "executor") == 0)
        call->no_executor = true;
    else
        die(one->object, "is no parameter of the operator");
}

static void apply(struct rig_call *call, const char *change)
{
    struct assignment one;
    while (next_assignment(&change, &one))
        apply_one(call, &one);
}

/* ---- calls ---- */

static _Alignas(64) unsigned char memory[64]; /* an address; phase 1 never touches it */

static struct rig_call sound_call(const struct rig_operator *op, const char *line)
{
    struct test_case test;
    char error[256];
    if (!case_parse(line, &test, error, sizeof error)) die(line, error);
    struct rig_call call = rig_call_of(op, &test);
    for (int i = 0; i < call.operands; i++) {
        call.operand[i].data = memory;
        call.operand[i].no_strides =
            case_tensor_layout(&test, rig_role_of(&call, i)->tensor) == CASE_CONTIGUOUS;
    }
    return call;
}

static aclnnStatus try(struct rig_call *call)
{
    rig_open(call);
    aclGetRecentErrMsg(); /* forget earlier texts */
    aclnnStatus status = rig_phase1(call);
    rig_close(call);
    return status;
}

/* Does text hold one of the words of "a|b|c"? */
static bool mentions(const char *text, const char *words)
{
    while (words) {
        char word[128];
        size_t length = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        if (strstr(text, word)) return true;
        words = words[length] ? words + length + 1 : NULL;
    }
    return false;
}

static bool check_refused(struct rig_call *call, const struct rig_fault *fault, const char *beside,
                          char *text)
{
    aclnnStatus status = try(call);
    const char *message = aclGetRecentErrMsg();
    if (!message) message = "no text";
    const char *why = NULL;
    if (status != fault->code)
        why = "another code";
    else if (call->workspace_size != RIG_UNWRITTEN_SIZE || call->executor)
        why = "its outputs are written";
    else if (!strstr(message, call->op->name))
        why = "the text does not name the operator";
    else if (fault->argument && !mentions(message, fault->argument))
        why = "the text does not name the argument";
    else if (fault->value && !mentions(message, fault->value))
        why = "the text does not name the value";
    if (status == ACLNN_SUCCESS) aclDestroyAclOpExecutor(call->executor);
    if (why)
        snprintf(text, RIG_TEXT,
                 "%s with %s (beside: %s), expected %" PRId32 " '%s' '%s': %s: %" PRId32 " %s",
                 call->op->name, fault->change, beside, fault->code,
                 fault->argument ? fault->argument : "", fault->value ? fault->value : "", why,
                 status, message);
    return why == NULL;
}

/* ---- which faults can be combined ---- */

/* An entry of an array and its length are apart, unless the entry is behind the end then. */
static bool same_field(const struct rig_operator *op, const struct assignment *a,
                       const struct assignment *b)
{
    if (strcmp(a->object, b->object) != 0) return false;
    if (a->element >= 0 && b->element >= 0 && a->element != b->element) return false;
    const bool a_length = strcmp(a->field, "length") == 0 && b->index >= 0;
    const bool b_length = strcmp(b->field, "length") == 0 && a->index >= 0;
    const bool is_array = find(op->array, a->object) >= 0;
    if (is_array && a_length) return number(a) <= b->index;
    if (is_array && b_length) return number(b) <= a->index;
    bool is_whole = a->field[0] == '\0' || b->field[0] == '\0';
    return is_whole || is_array || strcmp(a->field, b->field) == 0;
}

static bool share_a_field(const struct rig_operator *op, const char *a, const char *b)
{
    struct assignment one, other;
    while (next_assignment(&a, &one)) {
        for (const char *rest = b; next_assignment(&rest, &other);) {
            if (same_field(op, &one, &other)) return true;
        }
    }
    return false;
}

bool rig_check_refusals(const struct rig_refusals *table, char *text)
{
    const char *const nothing = "";
    if (!rig_check_accepted(table->op, table->sound, &nothing, 1, text)) return false;
    for (int i = 0; i < table->count; i++) {
        const struct rig_fault *earlier = &table->faults[i];
        struct rig_call call = sound_call(table->op, table->sound);
        apply(&call, earlier->change);
        if (!check_refused(&call, earlier, "nothing", text)) return false;
        for (int j = i + 1; j < table->count; j++) {
            const struct rig_fault *later = &table->faults[j];
            if (share_a_field(table->op, earlier->change, later->change)) continue;
            if (table->excused && table->excused(earlier, later)) continue;
            call = sound_call(table->op, table->sound);
            apply(&call, later->change);
            apply(&call, earlier->change);
            if (!check_refused(&call, earlier, later->change, text)) return false;
        }
    }
    return true;
}

bool rig_check_accepted(const struct rig_operator *op, const char *sound,
                        const char *const *changes, int count, char *text)
{
    for (int i = 0; i < count; i++) {
        struct rig_call call = sound_call(op, sound);
        apply(&call, changes[i]);
        aclnnStatus status = try(&call);
        const char *message = aclGetRecentErrMsg();
        if (status == ACLNN_SUCCESS) {
            aclDestroyAclOpExecutor(call.executor);
            continue;
        }
        snprintf(text, RIG_TEXT, "%s\n  with %s must be accepted: %" PRId32 " %s", sound,
                 changes[i], status, message ? message : "");
        return false;
    }
    return true;
}
