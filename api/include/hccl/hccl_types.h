/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the collective communication interface; names, values and layouts are CANN's. */
#ifndef HCCL_TYPES_H_
#define HCCL_TYPES_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return. Texts of the last failure: aclGetRecentErrMsg. */
typedef enum {
    HCCL_SUCCESS = 0,              /* done, or queued */
    HCCL_E_PARA = 1,               /* an argument's value is not allowed */
    HCCL_E_PTR = 2,                /* a required pointer is NULL */
    HCCL_E_MEMORY = 3,             /* no host memory */
    HCCL_E_INTERNAL = 4,           /* a fault of the library */
    HCCL_E_NOT_SUPPORT = 5,        /* a type or operation that there is not */
    HCCL_E_NOT_FOUND = 6,          /* no such file, interface or communicator */
    HCCL_E_UNAVAIL = 7,            /* a resource is not available */
    HCCL_E_SYSCALL = 8,            /* a call of the system failed */
    HCCL_E_TIMEOUT = 9,            /* a rank did not come, or nothing came from it, in time */
    HCCL_E_OPEN_FILE_FAILURE = 10, /* a file cannot be read */
    HCCL_E_TCP_CONNECT = 11,       /* a connection cannot be made */
    HCCL_E_ROCE_CONNECT = 12,
    HCCL_E_TCP_TRANSFER = 13,
    HCCL_E_ROCE_TRANSFER = 14,
    HCCL_E_RUNTIME = 15, /* the stream's task could not be queued */
    HCCL_E_DRV = 16,
    HCCL_E_PROFILING = 17,
    HCCL_E_CCE = 18,
    HCCL_E_NETWORK = 19,
    HCCL_E_AGAIN = 20,
    HCCL_E_REMOTE = 21,     /* another rank is gone or has failed */
    HCCL_E_SUSPENDING = 22, /* the communicator is suspended: HcclCommResume */
    HCCL_E_RESERVED
} HcclResult;

/* A communicator. */
typedef void *HcclComm;

/* Element by element over all ranks. Integers wrap; a NaN wins in max and min. */
typedef enum {
    HCCL_REDUCE_SUM = 0,
    HCCL_REDUCE_PROD = 1,
    HCCL_REDUCE_MAX = 2,
    HCCL_REDUCE_MIN = 3,
    HCCL_REDUCE_RESERVED = 255
} HcclReduceOp;

/* All but INT128 are moved and reduced. */
typedef enum {
    HCCL_DATA_TYPE_INT8 = 0,
    HCCL_DATA_TYPE_INT16 = 1,
    HCCL_DATA_TYPE_INT32 = 2,
    HCCL_DATA_TYPE_FP16 = 3,
    HCCL_DATA_TYPE_FP32 = 4,
    HCCL_DATA_TYPE_INT64 = 5,
    HCCL_DATA_TYPE_UINT64 = 6,
    HCCL_DATA_TYPE_UINT8 = 7,
    HCCL_DATA_TYPE_UINT16 = 8,
    HCCL_DATA_TYPE_UINT32 = 9,
    HCCL_DATA_TYPE_FP64 = 10,
    HCCL_DATA_TYPE_BFP16 = 11,
    HCCL_DATA_TYPE_INT128 = 12, /* refused with HCCL_E_NOT_SUPPORT */
    HCCL_DATA_TYPE_RESERVED = 255
} HcclDataType;

/* Settings of the process, HcclSetConfig. */
typedef enum {
    HCCL_DETERMINISTIC = 0, /* 0 or 1; results have the same bits in every run with either */
    HCCL_CONFIG_RESERVED
} HcclConfig;

typedef union HcclConfigValue {
    int32_t value;
} HcclConfigValue;

/* Sizes, and values of HcclCommConfig: constants in C++ as in CANN, macros in C, where a constant
 * is no array's length. */
#ifdef __cplusplus
const uint32_t HCCL_ROOT_INFO_BYTES = 4108;
const uint32_t COMM_NAME_MAX_LENGTH = 128; /* its zero included */
const uint32_t UDI_MAX_LENGTH = 128;
const uint32_t HCCL_COMM_CONFIG_INFO_BYTES = 24;
const uint32_t HCCL_COMM_CONFIG_MAGIC_WORD = 0xf0f0f0f0;
const uint32_t HCCL_COMM_CONFIG_VERSION = 5;
const uint32_t HCCL_COMM_DEFAULT_BUFFSIZE = 200;
const uint32_t HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET = 0xffffffff;
const uint32_t HCCL_COMM_DEFAULT_DETERMINISTIC = 0;
const uint32_t HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET = 0xffffffff;
const uint32_t HCCL_COMM_DEFAULT_OP_EXPANSION_MODE = 0;
const uint32_t HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET = 0xffffffff;
const uint32_t HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET = 0xffffffff;
#else
#define HCCL_ROOT_INFO_BYTES                   4108U
#define COMM_NAME_MAX_LENGTH                   128U
#define UDI_MAX_LENGTH                         128U
#define HCCL_COMM_CONFIG_INFO_BYTES            24U
#define HCCL_COMM_CONFIG_MAGIC_WORD            0xf0f0f0f0U
#define HCCL_COMM_CONFIG_VERSION               5U
#define HCCL_COMM_DEFAULT_BUFFSIZE             200U
#define HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET      0xffffffffU
#define HCCL_COMM_DEFAULT_DETERMINISTIC        0U
#define HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET 0xffffffffU
#define HCCL_COMM_DEFAULT_OP_EXPANSION_MODE    0U
#define HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET 0xffffffffU
#define HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET 0xffffffffU
#endif

/* What the root hands to all ranks, by any means of the program's: where the root's process is to
 * be reached, and a random token without which it talks to nobody. For one communicator. */
typedef struct HcclRootInfoDef {
    char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

/* To be filled by HcclCommConfigInit first. What is used here is hcclCommName; the sizes, modes and
 * classes are a device's and are only looked at. */
typedef struct HcclCommConfigDef {
    char reserved[HCCL_COMM_CONFIG_INFO_BYTES]; /* size, magic word, version */
    uint32_t hcclBufferSize;
    uint32_t hcclDeterministic; /* as HCCL_DETERMINISTIC, for this communicator */
    char hcclCommName[COMM_NAME_MAX_LENGTH];
    char hcclUdi[UDI_MAX_LENGTH];
    uint32_t hcclOpExpansionMode;
    uint32_t hcclRdmaTrafficClass;
    uint32_t hcclRdmaServiceLevel;
} HcclCommConfig;

/* HcclGetCommConfigCapability returns a number: what is less is known. */
typedef enum {
    HCCL_COMM_CONFIG_BUFFER_SIZE = 0,
    HCCL_COMM_CONFIG_DETERMINISTIC = 1,
    HCCL_COMM_CONFIG_COMM_NAME = 2,
    HCCL_COMM_CONFIG_OP_EXPANSION_MODE = 3,
    HCCL_COMM_CONFIG_SUPPORT_INIT_BY_ENV = 4,
    HCCL_COMM_CONFIG_RESERVED
} HcclCommConfigCapability;

typedef enum { HCCL_SEND = 0, HCCL_RECV = 1, HCCL_SEND_RECV_RESERVED } HcclSendRecvType;

/* One of HcclBatchSendRecv. */
typedef struct HcclSendRecvItemDef {
    HcclSendRecvType sendRecvType;
    void *buf;
    uint64_t count;
    HcclDataType dataType;
    uint32_t remoteRank;
} HcclSendRecvItem;

#ifdef __cplusplus
}
#endif

#endif
