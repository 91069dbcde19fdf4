/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/collective/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "aclnnext/aclnnext_extend.h"
#include "hccl/hccl.h"

bool co_fail(struct co_fault *fault, HcclResult code, const char *format, ...)
{
    va_list list;
    if (!co_is_well(fault)) return false;
    fault->code = code;
    va_start(list, format);
    vsnprintf(fault->text, sizeof(fault->text), format, list);
    va_end(list);
    return false;
}

HcclResult co_report(HcclResult code, const char *who, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    aclnnextReportError((int32_t)code, who, text);
    return code;
}

const char *HcclGetErrorString(HcclResult code)
{
    static const char *const texts[] = {
        [HCCL_SUCCESS] = "no error",
        [HCCL_E_PARA] = "parameter error",
        [HCCL_E_PTR] = "empty pointer",
        [HCCL_E_MEMORY] = "memory error",
        [HCCL_E_INTERNAL] = "internal error",
        [HCCL_E_NOT_SUPPORT] = "not supported",
        [HCCL_E_NOT_FOUND] = "resource not found",
        [HCCL_E_UNAVAIL] = "resource unavailable",
        [HCCL_E_SYSCALL] = "system call error",
        [HCCL_E_TIMEOUT] = "timeout",
        [HCCL_E_OPEN_FILE_FAILURE] = "file cannot be opened",
        [HCCL_E_TCP_CONNECT] = "TCP connect error",
        [HCCL_E_ROCE_CONNECT] = "RoCE connect error",
        [HCCL_E_TCP_TRANSFER] = "TCP transfer error",
        [HCCL_E_ROCE_TRANSFER] = "RoCE transfer error",
        [HCCL_E_RUNTIME] = "runtime error",
        [HCCL_E_DRV] = "driver error",
        [HCCL_E_PROFILING] = "profiling error",
        [HCCL_E_CCE] = "CCE error",
        [HCCL_E_NETWORK] = "network error",
        [HCCL_E_AGAIN] = "try again",
        [HCCL_E_REMOTE] = "remote error",
        [HCCL_E_SUSPENDING] = "the communicator is suspended",
    };
    const unsigned index = (unsigned)code;
    return index < sizeof(texts) / sizeof(*texts) ? texts[index] : "unknown error";
}
