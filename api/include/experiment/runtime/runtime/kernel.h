/* SPDX-License-Identifier: Apache-2.0 */
/* The layer below acl_rt.h, as far as programs need it to link: code of a device's cores, which a
 * CPU cannot run. Every function returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000), and
 * ACL_ERROR_INVALID_PARAM (100000) for NULL where a pointer is asked for, with a text for
 * aclGetRecentErrMsg. */
#ifndef CCE_RUNTIME_KERNEL_H
#define CCE_RUNTIME_KERNEL_H

#include <stdint.h>

#define RTS_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t rtError_t;
typedef char char_t;
typedef void *rtStream_t;
typedef struct tagRtSmCtrl rtSmDesc_t;

typedef struct tagRtDevBinary {
    uint32_t magic;
    uint32_t version;
    const void *data;
    uint64_t length;
} rtDevBinary_t;

/* Registers a file of such code. */
RTS_API rtError_t rtDevBinaryRegister(const rtDevBinary_t *bin, void **hdl);

/* Names one of its functions. */
RTS_API rtError_t rtFunctionRegister(void *binHandle, const void *stubFunc, const char_t *stubName,
                                     const void *kernelInfoExt, uint32_t funcMode);

/* Runs a function that was named. */
RTS_API rtError_t rtKernelLaunch(const void *stubFunc, uint32_t blockDim, void *args,
                                 uint32_t argsSize, rtSmDesc_t *smDesc, rtStream_t stm);

/* Where cores of the two kinds meet each other. */
RTS_API rtError_t rtGetC2cCtrlAddr(uint64_t *addr, uint32_t *len);

#ifdef __cplusplus
}
#endif

#endif
