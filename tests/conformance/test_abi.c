/* SPDX-License-Identifier: Apache-2.0 */
/* Programs compiled against CANN's headers and against ours must mean the same. Most of this file
 * fails, if it fails, in the compiler. */
#include <criterion/criterion.h>
#include <stddef.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool2d_backward.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "driver/ascend_hal.h"
#include "experiment/msprof/toolchain/prof_api.h"
#include "experiment/runtime/runtime/kernel.h"

#define ABI_VALUE(name, value) _Static_assert((name) == (value), #name " is not " #value);
#define ABI_SIZE(type, size)                                                                       \
    _Static_assert(sizeof(type) == (size), #type " is not " #size " bytes");
#define ABI_OFFSET(type, member, offset)                                                           \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member " is not at " #offset);
#define ABI_CODE(name, value)
#include "tests/conformance/abi.def"
#undef ABI_VALUE
#undef ABI_SIZE
#undef ABI_OFFSET
#undef ABI_CODE

_Static_assert(_Generic((aclnnStatus)0, aclError : 1, default : 0),
               "deleters mix aclnnStatus and aclError");
_Static_assert(_Generic((aclFloat16)0, uint16_t : 1, default : 0), "a half is its bits");

/* Codes are objects: programs take their address, so they must not become macros. */
Test(abi, codes_are_objects_with_cann_values)
{
#define ABI_VALUE(name, value)
#define ABI_SIZE(type, size)
#define ABI_OFFSET(type, member, offset)
#define ABI_CODE(name, value)                                                                      \
    cr_expect_eq(*&name, (value), #name " is %lld, not " #value, (long long)name);
#include "tests/conformance/abi.def"
    cr_expect_eq(*&OK, 0);
}

/* A pointer of the expected type to each function: a prototype that differs does not compile, a
 * function that is declared but not there does not link. */
Test(abi, functions_have_cann_prototypes)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define ABI_FUNCTION(result, name, parameters)                                                     \
    {                                                                                              \
        result(*function) parameters = name;                                                       \
        functions[count++] = (void (*)(void))function;                                             \
    }
    static void (*functions[512])(void);
    size_t count = 0;
#include "tests/conformance/abi_functions.def"
#pragma GCC diagnostic pop
    cr_assert_gt(count, 100);
    for (size_t i = 0; i < count; i++)
        cr_expect(functions[i] != NULL, "function %zu of the list is not there", i);
}
