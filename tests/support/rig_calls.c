/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rig_calls.h"

#include "api/op_args.h"

/* ---- names, by kind ---- */

#define TENSOR_IN(name)       #name,
#define TENSOR_OPTIONAL(name) #name,
#define TENSOR_OUT(name)      #name,
#define TENSOR_REF(name)      #name,
#define TENSOR_INTS(name)
#define TENSOR_BOOLS(name)
#define TENSOR_BOOL(name)
#define TENSOR_INT(name)
#define TENSOR_INT64(name)
#define TENSOR_MATH(name)

#define ARRAY_IN(name)
#define ARRAY_OPTIONAL(name)
#define ARRAY_OUT(name)
#define ARRAY_REF(name)
#define ARRAY_INTS(name)  #name,
#define ARRAY_BOOLS(name) #name,
#define ARRAY_BOOL(name)
#define ARRAY_INT(name)
#define ARRAY_INT64(name)
#define ARRAY_MATH(name)

#define IS_BOOLS_IN(name)
#define IS_BOOLS_OPTIONAL(name)
#define IS_BOOLS_OUT(name)
#define IS_BOOLS_REF(name)
#define IS_BOOLS_INTS(name)  false,
#define IS_BOOLS_BOOLS(name) true,
#define IS_BOOLS_BOOL(name)
#define IS_BOOLS_INT(name)
#define IS_BOOLS_INT64(name)
#define IS_BOOLS_MATH(name)

#define SCALAR_IN(name)
#define SCALAR_OPTIONAL(name)
#define SCALAR_OUT(name)
#define SCALAR_REF(name)
#define SCALAR_INTS(name)
#define SCALAR_BOOLS(name)
#define SCALAR_BOOL(name)  #name,
#define SCALAR_INT(name)   #name,
#define SCALAR_INT64(name) #name,
#define SCALAR_MATH(name)  #name,

/* ---- calls: each argument from its place ---- */

#define TAKE_IN(name)       const aclTensor *name = call->tensor[tensor++];
#define TAKE_OPTIONAL(name) const aclTensor *name = call->tensor[tensor++];
#define TAKE_OUT(name)      aclTensor *name = call->tensor[tensor++];
#define TAKE_REF(name)      aclTensor *name = call->tensor[tensor++];
#define TAKE_INTS(name)     const aclIntArray *name = call->ints[array++];
#define TAKE_BOOLS(name)    const aclBoolArray *name = call->bools[array++];
#define TAKE_BOOL(name)     bool name = call->scalar[scalar++] != 0;
#define TAKE_INT(name)      int name = (int)call->scalar[scalar++];
#define TAKE_INT64(name)    int64_t name = call->scalar[scalar++];
#define TAKE_MATH(name)     int8_t name = (int8_t)call->scalar[scalar++];

#define NAME_IN(name)       name
#define NAME_OPTIONAL(name) name
#define NAME_OUT(name)      name
#define NAME_REF(name)      name
#define NAME_INTS(name)     name
#define NAME_BOOLS(name)    name
#define NAME_BOOL(name)     name
#define NAME_INT(name)      name
#define NAME_INT64(name)    name
#define NAME_MATH(name)     name

#define DEFINE(operator, arguments)                                                                \
    const char *const operator##_tensors[] = {OP_EACH(TENSOR_, arguments) NULL};                   \
    const char *const operator##_arrays[] = {OP_EACH(ARRAY_, arguments) NULL};                     \
    const bool operator##_bools[] = {OP_EACH(IS_BOOLS_, arguments) false};                         \
    const char *const operator##_scalars[] = {OP_EACH(SCALAR_, arguments) NULL};                   \
    aclnnStatus operator##_phase1(struct rig_call *call)                                           \
    {                                                                                              \
        int tensor = 0, array = 0, scalar = 0;                                                     \
        OP_EACH(TAKE_, arguments)                                                                  \
        (void)tensor, (void)array, (void)scalar;                                                   \
        return operator##GetWorkspaceSize(OP_LIST(NAME_, arguments), call->size, call->out);       \
    }
#define OPERATOR(name, family, core, types, rule, arguments)            DEFINE(name, arguments)
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments) DEFINE(name, arguments)
#include "api/operators.def"
