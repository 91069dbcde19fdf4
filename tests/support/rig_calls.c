/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rig_calls.h"

/* A line each for what an argument is, where a call has it, and how it is passed on. */
/* clang-format off */
#define KIND_IN(name)              {#name, OP_IN},
#define KIND_IN_MUTABLE(name)      {#name, OP_IN},
#define KIND_OPTIONAL_MUTABLE(name) {#name, OP_OPTIONAL},
#define KIND_OPTIONAL(name)        {#name, OP_OPTIONAL},
#define KIND_OUT(name)             {#name, OP_OUT},
#define KIND_OUT_CONST(name)       {#name, OP_OUT},
#define KIND_OPTIONAL_OUT(name)    {#name, OP_OPTIONAL_OUT},
#define KIND_OPTIONAL_OUT_CONST(name){#name, OP_OPTIONAL_OUT},
#define KIND_OPTIONAL_REF(name)    {#name, OP_OPTIONAL_REF},
#define KIND_REF(name)             {#name, OP_REF},
#define KIND_REF_CONST(name)       {#name, OP_REF},
#define KIND_INS(name)             {#name, OP_INS},
#define KIND_OPTIONAL_INS(name)    {#name, OP_OPTIONAL_INS},
#define KIND_OPTIONAL_OUTS(name)   {#name, OP_OPTIONAL_OUTS},
#define KIND_OUTS(name)            {#name, OP_OUTS},
#define KIND_OUTS_CONST(name)      {#name, OP_OUTS},
#define KIND_REFS(name)            {#name, OP_REFS},
#define KIND_OPTIONAL_REFS_CONST(name) {#name, OP_OPTIONAL_REFS},
#define KIND_REFS_CONST(name)      {#name, OP_REFS},
#define KIND_SCALAR(name)          {#name, OP_SCALAR},
#define KIND_OPTIONAL_SCALAR(name) {#name, OP_OPTIONAL_SCALAR},
#define KIND_COEFFICIENT(name)     {#name, OP_COEFFICIENT},
#define KIND_COEFFICIENT_MUTABLE(name) {#name, OP_COEFFICIENT},
#define KIND_SCALARS(name)         {#name, OP_SCALARS},
#define KIND_INTS(name)            {#name, OP_INTS},
#define KIND_INTS_MUTABLE(name)    {#name, OP_INTS},
#define KIND_FLOATS_MUTABLE(name)  {#name, OP_FLOATS},
#define KIND_FLOATS(name)          {#name, OP_FLOATS},
#define KIND_BOOLS(name)           {#name, OP_BOOLS},
#define KIND_BOOL(name)            {#name, OP_BOOL},
#define KIND_INT8(name)            {#name, OP_INT8},
#define KIND_INT(name)             {#name, OP_INT},
#define KIND_INT64(name)           {#name, OP_INT64},
#define KIND_UINT64(name)          {#name, OP_UINT64},
#define KIND_FLOAT(name)           {#name, OP_FLOAT},
#define KIND_DOUBLE(name)          {#name, OP_DOUBLE},
#define KIND_TYPE(name)            {#name, OP_TYPE_OF},
#define KIND_MATH(name)            {#name, OP_MATH},
#define KIND_TEXT(name)            {#name, OP_TEXT_OF},
#define KIND_TEXT_MUTABLE(name)    {#name, OP_TEXT_OF},

#define TAKE_IN(name)              OP_PARAMETER_IN(name) = call->tensor[next_.slot++];
#define TAKE_IN_MUTABLE(name)      OP_PARAMETER_IN_MUTABLE(name) = call->tensor[next_.slot++];
#define TAKE_OPTIONAL_MUTABLE(name) OP_PARAMETER_OPTIONAL_MUTABLE(name) = call->tensor[next_.slot++];
#define TAKE_OPTIONAL(name)        OP_PARAMETER_OPTIONAL(name) = call->tensor[next_.slot++];
#define TAKE_OUT(name)             OP_PARAMETER_OUT(name) = call->tensor[next_.slot++];
#define TAKE_OUT_CONST(name)       OP_PARAMETER_OUT_CONST(name) = call->tensor[next_.slot++];
#define TAKE_OPTIONAL_OUT(name)    OP_PARAMETER_OPTIONAL_OUT(name) = call->tensor[next_.slot++];
#define TAKE_OPTIONAL_OUT_CONST(name)OP_PARAMETER_OPTIONAL_OUT_CONST(name) = call->tensor[next_.slot++];
#define TAKE_OPTIONAL_REF(name)    OP_PARAMETER_OPTIONAL_REF(name) = call->tensor[next_.slot++];
#define TAKE_REF(name)             OP_PARAMETER_REF(name) = call->tensor[next_.slot++];
#define TAKE_REF_CONST(name)       OP_PARAMETER_REF_CONST(name) = call->tensor[next_.slot++];
#define TAKE_INS(name)             OP_PARAMETER_INS(name) = call->list[next_.slot++];
#define TAKE_OPTIONAL_INS(name)    OP_PARAMETER_OPTIONAL_INS(name) = call->list[next_.slot++];
#define TAKE_OPTIONAL_OUTS(name)   OP_PARAMETER_OPTIONAL_OUTS(name) = call->list[next_.slot++];
#define TAKE_OUTS(name)            OP_PARAMETER_OUTS(name) = call->list[next_.slot++];
#define TAKE_OUTS_CONST(name)      OP_PARAMETER_OUTS_CONST(name) = call->list[next_.slot++];
#define TAKE_REFS(name)            OP_PARAMETER_REFS(name) = call->list[next_.slot++];
#define TAKE_OPTIONAL_REFS_CONST(name) OP_PARAMETER_OPTIONAL_REFS_CONST(name) = call->list[next_.slot++];
#define TAKE_REFS_CONST(name)      OP_PARAMETER_REFS_CONST(name) = call->list[next_.slot++];
#define TAKE_SCALAR(name)          OP_PARAMETER_SCALAR(name) = call->one_scalar[next_.scalar++];
#define TAKE_OPTIONAL_SCALAR(name) OP_PARAMETER_OPTIONAL_SCALAR(name) = call->one_scalar[next_.scalar++];
#define TAKE_COEFFICIENT(name)     OP_PARAMETER_COEFFICIENT(name) = call->one_scalar[next_.scalar++];
#define TAKE_COEFFICIENT_MUTABLE(name) OP_PARAMETER_COEFFICIENT_MUTABLE(name) = call->one_scalar[next_.scalar++];
#define TAKE_SCALARS(name)         OP_PARAMETER_SCALARS(name) = call->scalars[next_.scalar++];
#define TAKE_INTS(name)            OP_PARAMETER_INTS(name) = call->ints[next_.array++];
#define TAKE_INTS_MUTABLE(name)    OP_PARAMETER_INTS_MUTABLE(name) = call->ints[next_.array++];
#define TAKE_FLOATS_MUTABLE(name)  OP_PARAMETER_FLOATS_MUTABLE(name) = call->floats[next_.array++];
#define TAKE_FLOATS(name)          OP_PARAMETER_FLOATS(name) = call->floats[next_.array++];
#define TAKE_BOOLS(name)           OP_PARAMETER_BOOLS(name) = call->bools[next_.array++];
#define TAKE_BOOL(name)            OP_PARAMETER_BOOL(name) = call->number[next_.number++] != 0;
#define TAKE_INT8(name)            OP_PARAMETER_INT8(name) = (int8_t)call->number[next_.number++];
#define TAKE_INT(name)             OP_PARAMETER_INT(name) = (int)call->number[next_.number++];
#define TAKE_INT64(name)           OP_PARAMETER_INT64(name) = call->number[next_.number++];
#define TAKE_UINT64(name)          OP_PARAMETER_UINT64(name) = (uint64_t)call->number[next_.number++];
#define TAKE_FLOAT(name)           OP_PARAMETER_FLOAT(name) = (float)call->real[next_.number++];
#define TAKE_DOUBLE(name)          OP_PARAMETER_DOUBLE(name) = call->real[next_.number++];
#define TAKE_TYPE(name)            OP_PARAMETER_TYPE(name) = (aclDataType)call->number[next_.number++];
#define TAKE_MATH(name)            OP_PARAMETER_MATH(name) = (int8_t)call->number[next_.number++];
#define TAKE_TEXT(name)            OP_PARAMETER_TEXT(name) = call->text[next_.text++];
#define TAKE_TEXT_MUTABLE(name)    OP_PARAMETER_TEXT_MUTABLE(name) = (char *)(uintptr_t)call->text[next_.text++];

/* clang-format on */

/* Where the next argument of each kind stands; next_ is a name that no argument has. */
struct rig_next {
    int slot, array, scalar, number, text;
};

#define DEFINE(operator, arguments)                                                                \
    struct rig_names operator##_names = {.argument = {OP_EACH(KIND_, arguments){.name = NULL}}};   \
    aclnnStatus operator##_phase1(struct rig_call *call)                                           \
    {                                                                                              \
        struct rig_next next_ = {0};                                                               \
        OP_EACH(TAKE_, arguments)                                                                  \
        (void)next_;                                                                               \
        return operator##GetWorkspaceSize(OP_LIST(OP_NAME_, arguments), call->size, call->out);    \
    }
#define OPERATOR(name, family, core, types, rule, arguments)            DEFINE(name, arguments)
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments) DEFINE(name, arguments)
#include "api/operators.def"

static struct rig_names *const all[] = {
#define OPERATOR(name, family, core, types, rule, arguments)            &name##_names,
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments) &name##_names,
#include "api/operators.def"
};

static void add(const char **names, enum op_kind *kinds, const struct rig_argument *argument)
{
    int count = 0;
    while (names[count])
        count++;
    names[count] = argument->name;
    if (kinds) kinds[count] = argument->kind;
}

static void sort(struct rig_names *names)
{
    for (const struct rig_argument *at = names->argument; at->name; at++) {
        if (at->kind <= OP_REFS)
            add(names->tensor, names->tensor_kind, at);
        else if (at->kind <= OP_SCALARS)
            add(names->scalar, names->scalar_kind, at);
        else if (at->kind <= OP_BOOLS)
            add(names->array, names->array_kind, at);
        else if (at->kind <= OP_MATH)
            add(names->number, names->number_kind, at);
        else
            add(names->text, NULL, at);
    }
}

/* Before main: rows are constants that point at these lists. */
__attribute__((constructor)) static void sort_all(void)
{
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        sort(all[i]);
}
