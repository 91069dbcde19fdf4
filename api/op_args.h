/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of operators.def as parameters, names and values. Tests expand them in their own
 * way.
 *
 * Kinds: IN, OUT a tensor; OPTIONAL, OPTIONAL_OUT one that may be NULL; REF one that is read and
 * written, OPTIONAL_REF one of those that may be NULL; INS, OUTS, REFS lists of tensors,
 * OPTIONAL_INS, OPTIONAL_OUTS, OPTIONAL_REFS those that may be NULL; SCALAR an operand,
 * OPTIONAL_SCALAR one that may be NULL, COEFFICIENT one whose type has no say in the result's;
 * SCALARS a list; INTS, FLOATS, BOOLS arrays; BOOL, INT8, INT, INT64, UINT64, FLOAT, DOUBLE
 * numbers; TYPE an aclDataType; MATH cubeMathType; TEXT a string. Some prototypes of CANN have
 * const where something is written, or none where it is only read: OUT_CONST, OPTIONAL_OUT_CONST,
 * REF_CONST, OUTS_CONST, REFS_CONST, OPTIONAL_REFS_CONST, IN_MUTABLE, OPTIONAL_MUTABLE,
 * INTS_MUTABLE, FLOATS_MUTABLE, TEXT_MUTABLE, COEFFICIENT_MUTABLE. */
#ifndef ACLNN_CPU_API_OP_ARGS_H
#define ACLNN_CPU_API_OP_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"

enum op_kind {
    OP_IN,
    OP_OPTIONAL,
    OP_OUT,
    OP_OPTIONAL_OUT,
    OP_OPTIONAL_REF,
    OP_REF,
    OP_INS,
    OP_OPTIONAL_INS,
    OP_OUTS,
    OP_OPTIONAL_OUTS,
    OP_OPTIONAL_REFS,
    OP_REFS,
    OP_SCALAR,
    OP_OPTIONAL_SCALAR,
    OP_COEFFICIENT,
    OP_SCALARS,
    OP_INTS,
    OP_FLOATS,
    OP_BOOLS,
    OP_BOOL,
    OP_INT8,
    OP_INT,
    OP_INT64,
    OP_UINT64,
    OP_FLOAT,
    OP_DOUBLE,
    OP_TYPE_OF,
    OP_MATH,
    OP_TEXT_OF,
};

struct op_value {
    enum op_kind kind;
    const char *name;
    union {
        const aclTensor *tensor;
        const aclTensorList *tensors;
        const aclScalar *scalar;
        const aclScalarList *scalars;
        const aclIntArray *ints;
        const aclFloatArray *floats;
        const aclBoolArray *bools;
        const char *text;
        const void *pointer; /* any of those above */
        int64_t integer;     /* BOOL, INT8, INT, INT64, UINT64, TYPE, MATH */
        double real;         /* FLOAT, DOUBLE */
    };
};

/* OP_LIST(M_, (IN(self), OUT(out))) is M_IN(self), M_OUT(out); OP_EACH the same without commas. */
#define OP_LIST(m, arguments) OP_LIST_(m, OP_STRIP arguments)
#define OP_LIST_(m, ...)      OP_JOIN(OP_LIST_, OP_COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define OP_EACH(m, arguments) OP_EACH_(m, OP_STRIP arguments)
#define OP_EACH_(m, ...)      OP_JOIN(OP_EACH_, OP_COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define OP_STRIP(...)         __VA_ARGS__
#define OP_JOIN(a, b)         OP_JOIN_(a, b)
#define OP_JOIN_(a, b)        a##b
#define OP_TEXT(list)         OP_TEXT_(OP_STRIP list)
#define OP_TEXT_(...)         OP_TEXT__(__VA_ARGS__)
#define OP_TEXT__(...)        #__VA_ARGS__
#define OP_COUNT(...)                                                                              \
    OP_COUNT_(__VA_ARGS__, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, \
              30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10,  \
              9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define OP_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, \
                  a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34,  \
                  a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, count,     \
                  ...)                                                                             \
    count
#define OP_LIST_1(m, a)       m##a
#define OP_EACH_1(m, a)       m##a
#define OP_LIST_2(m, a, ...)  m##a, OP_LIST_1(m, __VA_ARGS__)
#define OP_LIST_3(m, a, ...)  m##a, OP_LIST_2(m, __VA_ARGS__)
#define OP_LIST_4(m, a, ...)  m##a, OP_LIST_3(m, __VA_ARGS__)
#define OP_LIST_5(m, a, ...)  m##a, OP_LIST_4(m, __VA_ARGS__)
#define OP_LIST_6(m, a, ...)  m##a, OP_LIST_5(m, __VA_ARGS__)
#define OP_LIST_7(m, a, ...)  m##a, OP_LIST_6(m, __VA_ARGS__)
#define OP_LIST_8(m, a, ...)  m##a, OP_LIST_7(m, __VA_ARGS__)
#define OP_LIST_9(m, a, ...)  m##a, OP_LIST_8(m, __VA_ARGS__)
#define OP_LIST_10(m, a, ...) m##a, OP_LIST_9(m, __VA_ARGS__)
#define OP_LIST_11(m, a, ...) m##a, OP_LIST_10(m, __VA_ARGS__)
#define OP_LIST_12(m, a, ...) m##a, OP_LIST_11(m, __VA_ARGS__)
#define OP_LIST_13(m, a, ...) m##a, OP_LIST_12(m, __VA_ARGS__)
#define OP_LIST_14(m, a, ...) m##a, OP_LIST_13(m, __VA_ARGS__)
#define OP_LIST_15(m, a, ...) m##a, OP_LIST_14(m, __VA_ARGS__)
#define OP_LIST_16(m, a, ...) m##a, OP_LIST_15(m, __VA_ARGS__)
#define OP_LIST_17(m, a, ...) m##a, OP_LIST_16(m, __VA_ARGS__)
#define OP_LIST_18(m, a, ...) m##a, OP_LIST_17(m, __VA_ARGS__)
#define OP_LIST_19(m, a, ...) m##a, OP_LIST_18(m, __VA_ARGS__)
#define OP_LIST_20(m, a, ...) m##a, OP_LIST_19(m, __VA_ARGS__)
#define OP_LIST_21(m, a, ...) m##a, OP_LIST_20(m, __VA_ARGS__)
#define OP_LIST_22(m, a, ...) m##a, OP_LIST_21(m, __VA_ARGS__)
#define OP_LIST_23(m, a, ...) m##a, OP_LIST_22(m, __VA_ARGS__)
#define OP_LIST_24(m, a, ...) m##a, OP_LIST_23(m, __VA_ARGS__)
#define OP_LIST_25(m, a, ...) m##a, OP_LIST_24(m, __VA_ARGS__)
#define OP_LIST_26(m, a, ...) m##a, OP_LIST_25(m, __VA_ARGS__)
#define OP_LIST_27(m, a, ...) m##a, OP_LIST_26(m, __VA_ARGS__)
#define OP_LIST_28(m, a, ...) m##a, OP_LIST_27(m, __VA_ARGS__)
#define OP_LIST_29(m, a, ...) m##a, OP_LIST_28(m, __VA_ARGS__)
#define OP_LIST_30(m, a, ...) m##a, OP_LIST_29(m, __VA_ARGS__)
#define OP_LIST_31(m, a, ...) m##a, OP_LIST_30(m, __VA_ARGS__)
#define OP_LIST_32(m, a, ...) m##a, OP_LIST_31(m, __VA_ARGS__)
#define OP_LIST_33(m, a, ...) m##a, OP_LIST_32(m, __VA_ARGS__)
#define OP_LIST_34(m, a, ...) m##a, OP_LIST_33(m, __VA_ARGS__)
#define OP_LIST_35(m, a, ...) m##a, OP_LIST_34(m, __VA_ARGS__)
#define OP_LIST_36(m, a, ...) m##a, OP_LIST_35(m, __VA_ARGS__)
#define OP_LIST_37(m, a, ...) m##a, OP_LIST_36(m, __VA_ARGS__)
#define OP_LIST_38(m, a, ...) m##a, OP_LIST_37(m, __VA_ARGS__)
#define OP_LIST_39(m, a, ...) m##a, OP_LIST_38(m, __VA_ARGS__)
#define OP_LIST_40(m, a, ...) m##a, OP_LIST_39(m, __VA_ARGS__)
#define OP_LIST_41(m, a, ...) m##a, OP_LIST_40(m, __VA_ARGS__)
#define OP_LIST_42(m, a, ...) m##a, OP_LIST_41(m, __VA_ARGS__)
#define OP_LIST_43(m, a, ...) m##a, OP_LIST_42(m, __VA_ARGS__)
#define OP_LIST_44(m, a, ...) m##a, OP_LIST_43(m, __VA_ARGS__)
#define OP_LIST_45(m, a, ...) m##a, OP_LIST_44(m, __VA_ARGS__)
#define OP_LIST_46(m, a, ...) m##a, OP_LIST_45(m, __VA_ARGS__)
#define OP_LIST_47(m, a, ...) m##a, OP_LIST_46(m, __VA_ARGS__)
#define OP_LIST_48(m, a, ...) m##a, OP_LIST_47(m, __VA_ARGS__)
#define OP_EACH_2(m, a, ...)  m##a OP_EACH_1(m, __VA_ARGS__)
#define OP_EACH_3(m, a, ...)  m##a OP_EACH_2(m, __VA_ARGS__)
#define OP_EACH_4(m, a, ...)  m##a OP_EACH_3(m, __VA_ARGS__)
#define OP_EACH_5(m, a, ...)  m##a OP_EACH_4(m, __VA_ARGS__)
#define OP_EACH_6(m, a, ...)  m##a OP_EACH_5(m, __VA_ARGS__)
#define OP_EACH_7(m, a, ...)  m##a OP_EACH_6(m, __VA_ARGS__)
#define OP_EACH_8(m, a, ...)  m##a OP_EACH_7(m, __VA_ARGS__)
#define OP_EACH_9(m, a, ...)  m##a OP_EACH_8(m, __VA_ARGS__)
#define OP_EACH_10(m, a, ...) m##a OP_EACH_9(m, __VA_ARGS__)
#define OP_EACH_11(m, a, ...) m##a OP_EACH_10(m, __VA_ARGS__)
#define OP_EACH_12(m, a, ...) m##a OP_EACH_11(m, __VA_ARGS__)
#define OP_EACH_13(m, a, ...) m##a OP_EACH_12(m, __VA_ARGS__)
#define OP_EACH_14(m, a, ...) m##a OP_EACH_13(m, __VA_ARGS__)
#define OP_EACH_15(m, a, ...) m##a OP_EACH_14(m, __VA_ARGS__)
#define OP_EACH_16(m, a, ...) m##a OP_EACH_15(m, __VA_ARGS__)
#define OP_EACH_17(m, a, ...) m##a OP_EACH_16(m, __VA_ARGS__)
#define OP_EACH_18(m, a, ...) m##a OP_EACH_17(m, __VA_ARGS__)
#define OP_EACH_19(m, a, ...) m##a OP_EACH_18(m, __VA_ARGS__)
#define OP_EACH_20(m, a, ...) m##a OP_EACH_19(m, __VA_ARGS__)
#define OP_EACH_21(m, a, ...) m##a OP_EACH_20(m, __VA_ARGS__)
#define OP_EACH_22(m, a, ...) m##a OP_EACH_21(m, __VA_ARGS__)
#define OP_EACH_23(m, a, ...) m##a OP_EACH_22(m, __VA_ARGS__)
#define OP_EACH_24(m, a, ...) m##a OP_EACH_23(m, __VA_ARGS__)
#define OP_EACH_25(m, a, ...) m##a OP_EACH_24(m, __VA_ARGS__)
#define OP_EACH_26(m, a, ...) m##a OP_EACH_25(m, __VA_ARGS__)
#define OP_EACH_27(m, a, ...) m##a OP_EACH_26(m, __VA_ARGS__)
#define OP_EACH_28(m, a, ...) m##a OP_EACH_27(m, __VA_ARGS__)
#define OP_EACH_29(m, a, ...) m##a OP_EACH_28(m, __VA_ARGS__)
#define OP_EACH_30(m, a, ...) m##a OP_EACH_29(m, __VA_ARGS__)
#define OP_EACH_31(m, a, ...) m##a OP_EACH_30(m, __VA_ARGS__)
#define OP_EACH_32(m, a, ...) m##a OP_EACH_31(m, __VA_ARGS__)
#define OP_EACH_33(m, a, ...) m##a OP_EACH_32(m, __VA_ARGS__)
#define OP_EACH_34(m, a, ...) m##a OP_EACH_33(m, __VA_ARGS__)
#define OP_EACH_35(m, a, ...) m##a OP_EACH_34(m, __VA_ARGS__)
#define OP_EACH_36(m, a, ...) m##a OP_EACH_35(m, __VA_ARGS__)
#define OP_EACH_37(m, a, ...) m##a OP_EACH_36(m, __VA_ARGS__)
#define OP_EACH_38(m, a, ...) m##a OP_EACH_37(m, __VA_ARGS__)
#define OP_EACH_39(m, a, ...) m##a OP_EACH_38(m, __VA_ARGS__)
#define OP_EACH_40(m, a, ...) m##a OP_EACH_39(m, __VA_ARGS__)
#define OP_EACH_41(m, a, ...) m##a OP_EACH_40(m, __VA_ARGS__)
#define OP_EACH_42(m, a, ...) m##a OP_EACH_41(m, __VA_ARGS__)
#define OP_EACH_43(m, a, ...) m##a OP_EACH_42(m, __VA_ARGS__)
#define OP_EACH_44(m, a, ...) m##a OP_EACH_43(m, __VA_ARGS__)
#define OP_EACH_45(m, a, ...) m##a OP_EACH_44(m, __VA_ARGS__)
#define OP_EACH_46(m, a, ...) m##a OP_EACH_45(m, __VA_ARGS__)
#define OP_EACH_47(m, a, ...) m##a OP_EACH_46(m, __VA_ARGS__)
#define OP_EACH_48(m, a, ...) m##a OP_EACH_47(m, __VA_ARGS__)

/* Parameters of phase 1. */
/* clang-format off */
#define OP_PARAMETER_IN(name)             const aclTensor *name
#define OP_PARAMETER_IN_MUTABLE(name)     aclTensor *name
#define OP_PARAMETER_OPTIONAL(name)       const aclTensor *name
#define OP_PARAMETER_OPTIONAL_MUTABLE(name) aclTensor *name
#define OP_PARAMETER_OUT(name)            aclTensor *name
#define OP_PARAMETER_OUT_CONST(name)      const aclTensor *name
#define OP_PARAMETER_OPTIONAL_OUT(name)   aclTensor *name
#define OP_PARAMETER_OPTIONAL_OUT_CONST(name) const aclTensor *name
#define OP_PARAMETER_REF(name)            aclTensor *name
#define OP_PARAMETER_REF_CONST(name)      const aclTensor *name
#define OP_PARAMETER_OPTIONAL_REF(name)   aclTensor *name
#define OP_PARAMETER_INS(name)            const aclTensorList *name
#define OP_PARAMETER_OPTIONAL_INS(name)   const aclTensorList *name
#define OP_PARAMETER_OUTS(name)           aclTensorList *name
#define OP_PARAMETER_OPTIONAL_OUTS(name)  aclTensorList *name
#define OP_PARAMETER_OUTS_CONST(name)     const aclTensorList *name
#define OP_PARAMETER_REFS(name)           aclTensorList *name
#define OP_PARAMETER_REFS_CONST(name)     const aclTensorList *name
#define OP_PARAMETER_OPTIONAL_REFS_CONST(name) const aclTensorList *name
#define OP_PARAMETER_SCALAR(name)         const aclScalar *name
#define OP_PARAMETER_OPTIONAL_SCALAR(name) const aclScalar *name
#define OP_PARAMETER_COEFFICIENT(name)    const aclScalar *name
#define OP_PARAMETER_COEFFICIENT_MUTABLE(name) aclScalar *name
#define OP_PARAMETER_SCALARS(name)        const aclScalarList *name
#define OP_PARAMETER_INTS(name)           const aclIntArray *name
#define OP_PARAMETER_INTS_MUTABLE(name)   aclIntArray *name
#define OP_PARAMETER_FLOATS_MUTABLE(name) aclFloatArray *name
#define OP_PARAMETER_FLOATS(name)         const aclFloatArray *name
#define OP_PARAMETER_BOOLS(name)          const aclBoolArray *name
#define OP_PARAMETER_BOOL(name)           bool name
#define OP_PARAMETER_INT8(name)           int8_t name
#define OP_PARAMETER_INT(name)            int name
#define OP_PARAMETER_INT64(name)          int64_t name
#define OP_PARAMETER_UINT64(name)         uint64_t name
#define OP_PARAMETER_FLOAT(name)          float name
#define OP_PARAMETER_DOUBLE(name)         double name
#define OP_PARAMETER_TYPE(name)           aclDataType name
#define OP_PARAMETER_MATH(name)           int8_t name
#define OP_PARAMETER_TEXT(name)           const char *name
#define OP_PARAMETER_TEXT_MUTABLE(name)   char *name

/* The parameters' names. */
#define OP_NAME_IN(name)                  name
#define OP_NAME_IN_MUTABLE(name)          name
#define OP_NAME_OPTIONAL(name)            name
#define OP_NAME_OPTIONAL_MUTABLE(name)    name
#define OP_NAME_OUT(name)                 name
#define OP_NAME_OUT_CONST(name)           name
#define OP_NAME_OPTIONAL_OUT(name)        name
#define OP_NAME_OPTIONAL_OUT_CONST(name)  name
#define OP_NAME_REF(name)                 name
#define OP_NAME_REF_CONST(name)           name
#define OP_NAME_OPTIONAL_REF(name)        name
#define OP_NAME_INS(name)                 name
#define OP_NAME_OPTIONAL_INS(name)        name
#define OP_NAME_OUTS(name)                name
#define OP_NAME_OPTIONAL_OUTS(name)       name
#define OP_NAME_OUTS_CONST(name)          name
#define OP_NAME_REFS(name)                name
#define OP_NAME_REFS_CONST(name)          name
#define OP_NAME_OPTIONAL_REFS_CONST(name) name
#define OP_NAME_SCALAR(name)              name
#define OP_NAME_OPTIONAL_SCALAR(name)     name
#define OP_NAME_COEFFICIENT(name)         name
#define OP_NAME_COEFFICIENT_MUTABLE(name) name
#define OP_NAME_SCALARS(name)             name
#define OP_NAME_INTS(name)                name
#define OP_NAME_INTS_MUTABLE(name)        name
#define OP_NAME_FLOATS_MUTABLE(name)      name
#define OP_NAME_FLOATS(name)              name
#define OP_NAME_BOOLS(name)               name
#define OP_NAME_BOOL(name)                name
#define OP_NAME_INT8(name)                name
#define OP_NAME_INT(name)                 name
#define OP_NAME_INT64(name)               name
#define OP_NAME_UINT64(name)              name
#define OP_NAME_FLOAT(name)               name
#define OP_NAME_DOUBLE(name)              name
#define OP_NAME_TYPE(name)                name
#define OP_NAME_MATH(name)                name
#define OP_NAME_TEXT(name)                name
#define OP_NAME_TEXT_MUTABLE(name)        name

/* An array of struct op_value from parameters of these names. */
#define OP_VALUE_IN(n)                {OP_IN, #n, {.tensor = (n)}}
#define OP_VALUE_IN_MUTABLE(n)        {OP_IN, #n, {.tensor = (n)}}
#define OP_VALUE_OPTIONAL(n)          {OP_OPTIONAL, #n, {.tensor = (n)}}
#define OP_VALUE_OPTIONAL_MUTABLE(n)  {OP_OPTIONAL, #n, {.tensor = (n)}}
#define OP_VALUE_OUT(n)               {OP_OUT, #n, {.tensor = (n)}}
#define OP_VALUE_OUT_CONST(n)         {OP_OUT, #n, {.tensor = (n)}}
#define OP_VALUE_OPTIONAL_OUT(n)      {OP_OPTIONAL_OUT, #n, {.tensor = (n)}}
#define OP_VALUE_OPTIONAL_OUT_CONST(n) {OP_OPTIONAL_OUT, #n, {.tensor = (n)}}
#define OP_VALUE_REF(n)               {OP_REF, #n, {.tensor = (n)}}
#define OP_VALUE_REF_CONST(n)         {OP_REF, #n, {.tensor = (n)}}
#define OP_VALUE_OPTIONAL_REF(n)      {OP_OPTIONAL_REF, #n, {.tensor = (n)}}
#define OP_VALUE_INS(n)               {OP_INS, #n, {.tensors = (n)}}
#define OP_VALUE_OPTIONAL_INS(n)      {OP_OPTIONAL_INS, #n, {.tensors = (n)}}
#define OP_VALUE_OPTIONAL_OUTS(n)     {OP_OPTIONAL_OUTS, #n, {.tensors = (n)}}
#define OP_VALUE_OUTS(n)              {OP_OUTS, #n, {.tensors = (n)}}
#define OP_VALUE_OUTS_CONST(n)        {OP_OUTS, #n, {.tensors = (n)}}
#define OP_VALUE_REFS(n)              {OP_REFS, #n, {.tensors = (n)}}
#define OP_VALUE_REFS_CONST(n)        {OP_REFS, #n, {.tensors = (n)}}
#define OP_VALUE_OPTIONAL_REFS_CONST(n) {OP_OPTIONAL_REFS, #n, {.tensors = (n)}}
#define OP_VALUE_SCALAR(n)            {OP_SCALAR, #n, {.scalar = (n)}}
#define OP_VALUE_OPTIONAL_SCALAR(n)   {OP_OPTIONAL_SCALAR, #n, {.scalar = (n)}}
#define OP_VALUE_COEFFICIENT(n)       {OP_COEFFICIENT, #n, {.scalar = (n)}}
#define OP_VALUE_COEFFICIENT_MUTABLE(n) {OP_COEFFICIENT, #n, {.scalar = (n)}}
#define OP_VALUE_SCALARS(n)           {OP_SCALARS, #n, {.scalars = (n)}}
#define OP_VALUE_INTS(n)              {OP_INTS, #n, {.ints = (n)}}
#define OP_VALUE_INTS_MUTABLE(n)      {OP_INTS, #n, {.ints = (n)}}
#define OP_VALUE_FLOATS_MUTABLE(n)    {OP_FLOATS, #n, {.floats = (n)}}
#define OP_VALUE_FLOATS(n)            {OP_FLOATS, #n, {.floats = (n)}}
#define OP_VALUE_BOOLS(n)             {OP_BOOLS, #n, {.bools = (n)}}
#define OP_VALUE_BOOL(n)              {OP_BOOL, #n, {.integer = (int64_t)(n)}}
#define OP_VALUE_INT8(n)              {OP_INT8, #n, {.integer = (int64_t)(n)}}
#define OP_VALUE_INT(n)               {OP_INT, #n, {.integer = (int64_t)(n)}}
#define OP_VALUE_INT64(n)             {OP_INT64, #n, {.integer = (int64_t)(n)}}
#define OP_VALUE_UINT64(n)            {OP_UINT64, #n, {.integer = (int64_t)(n)}}
#define OP_VALUE_FLOAT(n)             {OP_FLOAT, #n, {.real = (n)}}
#define OP_VALUE_DOUBLE(n)            {OP_DOUBLE, #n, {.real = (n)}}
#define OP_VALUE_TYPE(n)              {OP_TYPE_OF, #n, {.integer = (int64_t)(n)}}
#define OP_VALUE_MATH(n)              {OP_MATH, #n, {.integer = (int64_t)(n)}}
#define OP_VALUE_TEXT(n)              {OP_TEXT_OF, #n, {.text = (n)}}
#define OP_VALUE_TEXT_MUTABLE(n)      {OP_TEXT_OF, #n, {.text = (n)}}
/* clang-format on */

#endif
