/* SPDX-License-Identifier: Apache-2.0 */
/* The operator compiler, which this library does not have: its options are kept, and operators run
 * by their names as far as acl_op.h says. */
#ifndef INC_EXTERNAL_ACL_ACL_OP_COMPILER_H_
#define INC_EXTERNAL_ACL_ACL_OP_COMPILER_H_

#include "acl_base.h"
#include "acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum aclCompileType {
    ACL_COMPILE_SYS,
    ACL_COMPILE_UNREGISTERED,
} aclopCompileType;

typedef enum {
    ACL_PRECISION_MODE,
    ACL_AICORE_NUM,
    ACL_AUTO_TUNE_MODE,
    ACL_OP_SELECT_IMPL_MODE,
    ACL_OPTYPELIST_FOR_IMPLMODE,
    ACL_OP_DEBUG_LEVEL,
    ACL_DEBUG_DIR,
    ACL_OP_COMPILER_CACHE_MODE,
    ACL_OP_COMPILER_CACHE_DIR,
    ACL_OP_PERFORMANCE_MODE,
    ACL_OP_JIT_COMPILE,
    ACL_OP_DETERMINISTIC,
    ACL_CUSTOMIZE_DTYPES,
    ACL_OP_PRECISION_MODE,
    ACL_ALLOW_HF32,
    ACL_PRECISION_MODE_V2,
    ACL_OP_DEBUG_OPTION,
} aclCompileOpt;

typedef enum aclCompileFlag {
    ACL_OP_COMPILE_DEFAULT,
    ACL_OP_COMPILE_FUZZ,
} aclOpCompileFlag;

typedef struct aclGraphDumpOption aclGraphDumpOption;

/* Compiles an operator and runs it. Nothing is compiled: the same as aclopExecuteV2. */
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecute(
    const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
    const aclDataBuffer *const inputs[], int numOutputs, const aclTensorDesc *const outputDesc[],
    aclDataBuffer *const outputs[], const aclopAttr *attr, aclopEngineType engineType,
    aclopCompileType compileFlag, const char *opPath, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError
aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                         aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                         aclDataBuffer *outputs[], aclopAttr *attr, aclopEngineType engineType,
                         aclopCompileType compileFlag, const char *opPath, aclrtStream stream);

/* An option of the compiler, for the whole process. It is copied and given back, and changes
 * nothing: types stay as they are (must_keep_origin_dtype), results are the same bits in every run,
 * and whether a convolution may round its operands is its own argument (cubeMathType).
 * ACL_ERROR_INVALID_PARAM for NULL, for a value outside the enumeration and for 4096 bytes and
 * more, ACL_ERROR_BAD_ALLOC without host memory. */
ACL_FUNC_VISIBILITY aclError aclSetCompileopt(aclCompileOpt opt, const char *value);

/* The bytes of an option with its closing zero; 0 for a value outside the enumeration. An option
 * that was not set is "", ACL_OP_JIT_COMPILE "disable". */
ACL_FUNC_VISIBILITY size_t aclGetCompileoptSize(aclCompileOpt opt);

/* Copies an option with its closing zero. ACL_ERROR_INVALID_PARAM for NULL, for a value outside the
 * enumeration and for a length below aclGetCompileoptSize. */
ACL_FUNC_VISIBILITY aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length);

#ifdef __cplusplus
}
#endif

#endif
