/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime: devices, contexts, streams, events, memory. Semantics are those of CANN 8.1 on a
 * host with an Ascend card, except that the card is this machine's CPU and its memory is host
 * memory.
 *
 * Asynchronous calls return when the work is queued. Work of one stream runs in the order in which
 * it was submitted; streams are ordered among each other by events only. A stream argument that is
 * NULL means the default stream of the calling thread's current context. Work that fails leaves a
 * code on its stream, which the next synchronise returns; the first is kept, later ones are logged.
 * Streams and events belong to the context that was current when they were made. A stream used
 * under another is ACL_ERROR_RT_STREAM_CONTEXT, and so is recording or resetting an event in a
 * stream of another; any stream may wait for any event. A call that needs a context and finds none
 * is ACL_ERROR_RT_CONTEXT_NULL; a stream or event that is none of ours, or was destroyed, is
 * ACL_ERROR_RT_INVALID_HANDLE. Queueing work can fail for want of host memory
 * (ACL_ERROR_RT_MEMORY_ALLOCATION), as can making objects. Calls that wait for a stream, event or
 * device are ACL_ERROR_RT_FEATURE_NOT_SUPPORT inside of a task. */
#ifndef INC_EXTERNAL_ACL_ACL_RT_H_
#define INC_EXTERNAL_ACL_ACL_RT_H_

#include "acl_base.h"
#include "acl_rt_allocator.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Constants and types ---- */

#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 13
#define ACL_PATCH_VERSION 0

#define ACL_EVENT_SYNC                    0x00000001u
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002u
#define ACL_EVENT_TIME_LINE               0x00000008u
#define ACL_EVENT_DEVICE_USE_ONLY         0x00000010u /* newer */
#define ACL_EVENT_EXTERNAL                0x00000020u
#define ACL_EVENT_IPC                     0x00000040u /* newer */

#define ACL_EVENT_RECORD_DEFAULT  0x0u /* newer, as the next three */
#define ACL_EVENT_RECORD_EXTERNAL 0x01u
#define ACL_EVENT_WAIT_DEFAULT    0x0u
#define ACL_EVENT_WAIT_EXTERNAL   0x01u

#define ACL_STREAM_FAST_LAUNCH     0x00000001u
#define ACL_STREAM_FAST_SYNC       0x00000002u
#define ACL_STREAM_PERSISTENT      0x00000004u /* newer, as the next three */
#define ACL_STREAM_HUGE            0x00000008u
#define ACL_STREAM_CPU_SCHEDULE    0x00000010u
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020u

#define ACL_STREAM_WAIT_VALUE_GEQ 0x00000000u /* newer, as the next three */
#define ACL_STREAM_WAIT_VALUE_EQ  0x00000001u
#define ACL_STREAM_WAIT_VALUE_AND 0x00000002u
#define ACL_STREAM_WAIT_VALUE_NOR 0x00000003u

#define ACL_CONTINUE_ON_FAILURE 0x00000000u
#define ACL_STOP_ON_FAILURE     0x00000001u

#define ACL_NOTIFY_DEFAULT                0x00000000u /* newer, as the rest of this block */
#define ACL_NOTIFY_DEVICE_USE_ONLY        0x00000001u
#define ACL_DEV_FEATURE_SUPPORT           0x00000001
#define ACL_DEV_FEATURE_NOT_SUPPORT       0x00000000
#define ACL_HOST_REG_MAPPED               0x2UL
#define ACL_HOST_REG_IOMEMORY             0x4UL
#define ACL_HOST_REG_READONLY             0x8UL
#define ACL_HOST_REG_PINNED               0x10000000UL
#define ACL_RT_MEM_TYPE_DEV               (0X2U)
#define ACL_RT_MEM_TYPE_DVPP              (0X8U)
#define ACL_RT_MEM_TYPE_RSVD              (0X10U)
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB   2
#define ACL_DEVICE_FORM_FACTOR_POD        0
#define ACL_DEVICE_FORM_FACTOR_A_K        1
#define ACL_DEVICE_FORM_FACTOR_A_X        2
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD  3

#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128
#define UCE_INFO_RESERVED_SIZE      14

#define ACL_PKG_VERSION_MAX_SIZE       128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

typedef enum aclrtRunMode {
    ACL_DEVICE, /* the program runs on the device itself and need not copy */
    ACL_HOST,   /* the program runs on a host and copies to and from the device */
} aclrtRunMode;

typedef enum aclrtTsId {
    ACL_TS_ID_AICORE = 0,
    ACL_TS_ID_AIVECTOR = 1,
    ACL_TS_ID_RESERVED = 2,
} aclrtTsId;

typedef enum aclrtEventStatus {
    ACL_EVENT_STATUS_COMPLETE = 0,
    ACL_EVENT_STATUS_NOT_READY = 1,
    ACL_EVENT_STATUS_RESERVED = 2,
} aclrtEventStatus;

/* Note the sense: here 0 is "not ready". */
typedef enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;

typedef enum aclrtEventWaitStatus {
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
    ACL_EVENT_WAIT_STATUS_RESERVED = 0xFFFF,
} aclrtEventWaitStatus;

typedef enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE = 0,
    ACL_STREAM_STATUS_NOT_READY = 1,
    ACL_STREAM_STATUS_RESERVED = 0xFFFF,
} aclrtStreamStatus;

typedef enum aclrtCallbackBlockType {
    ACL_CALLBACK_NO_BLOCK,
    ACL_CALLBACK_BLOCK,
} aclrtCallbackBlockType;

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_MEMCPY_DEFAULT,
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE,
} aclrtMemcpyKind;

typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEM_MALLOC_HUGE_ONLY,
    ACL_MEM_MALLOC_NORMAL_ONLY,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
    ACL_MEM_MALLOC_HUGE1G_ONLY,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000,
} aclrtMemMallocPolicy;

typedef enum {
    ACL_HOST_REGISTER_MAPPED = 0,
    ACL_HOST_REGISTER_IOMEMORY = 0x04, /* newer */
    ACL_HOST_REGISTER_READONLY = 0x08, /* newer */
} aclrtHostRegisterType;

typedef enum {
    ACL_RT_MEM_ATTR_RSV = 0,
    ACL_RT_MEM_ATTR_MODULE_ID,
    ACL_RT_MEM_ATTR_DEVICE_ID,
    ACL_RT_MEM_ATTR_VA_FLAG, /* newer */
} aclrtMallocAttrType;

typedef union {
    uint16_t moduleId;
    uint32_t deviceId;
    uint32_t vaFlag; /* newer */
    uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct {
    aclrtMallocAttrType attr;
    aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct {
    aclrtMallocAttribute *attrs;
    size_t numAttrs;
} aclrtMallocConfig;

typedef enum aclrtMemAttr {
    ACL_DDR_MEM,
    ACL_HBM_MEM,
    ACL_DDR_MEM_HUGE,
    ACL_DDR_MEM_NORMAL,
    ACL_HBM_MEM_HUGE,
    ACL_HBM_MEM_NORMAL,
    ACL_DDR_MEM_P2P_HUGE,
    ACL_DDR_MEM_P2P_NORMAL,
    ACL_HBM_MEM_P2P_HUGE,
    ACL_HBM_MEM_P2P_NORMAL,
    ACL_HBM_MEM_HUGE1G,
    ACL_HBM_MEM_P2P_HUGE1G,
    ACL_MEM_NORMAL, /* newer, as all that follow */
    ACL_MEM_HUGE,
    ACL_MEM_HUGE1G,
    ACL_MEM_P2P_NORMAL,
    ACL_MEM_P2P_HUGE,
    ACL_MEM_P2P_HUGE1G,
} aclrtMemAttr;

typedef enum aclrtGroupAttr {
    ACL_GROUP_AICORE_INT,
    ACL_GROUP_AIV_INT,
    ACL_GROUP_AIC_INT,
    ACL_GROUP_SDMANUM_INT,
    ACL_GROUP_ASQNUM_INT,
    ACL_GROUP_GROUPID_INT,
} aclrtGroupAttr;

typedef enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION = 0,
    ACL_RT_OVERFLOW_MODE_INFNAN,
    ACL_RT_OVERFLOW_MODE_UNDEF,
} aclrtFloatOverflowMode;

typedef enum {
    ACL_RT_STREAM_WORK_ADDR_PTR = 0, /* void * */
    ACL_RT_STREAM_WORK_SIZE,         /* size_t */
    ACL_RT_STREAM_FLAG,              /* size_t */
    ACL_RT_STREAM_PRIORITY,          /* uint32_t */
} aclrtStreamConfigAttr;

typedef struct aclrtStreamConfigHandle {
    void *workptr;
    size_t workSize;
    size_t flag;
    uint32_t priority;
} aclrtStreamConfigHandle;

typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

/* Percentages. */
typedef struct aclrtUtilizationInfo {
    int32_t cubeUtilization;
    int32_t vectorUtilization;
    int32_t aicpuUtilization;
    int32_t memoryUtilization;
    aclrtUtilizationExtendInfo *utilizationExtend; /* must be NULL */
} aclrtUtilizationInfo;

typedef struct tagRtGroupInfo aclrtGroupInfo;
typedef struct rtExceptionInfo aclrtExceptionInfo;

typedef enum aclrtMemLocationType {
    ACL_MEM_LOCATION_TYPE_HOST = 0,
    ACL_MEM_LOCATION_TYPE_DEVICE,
    ACL_MEM_LOCATION_TYPE_UNREGISTERED, /* newer, as all that follow */
    ACL_MEM_LOCATION_TYPE_MANAGED,
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
} aclrtMemLocationType;

typedef struct aclrtMemLocation {
    uint32_t id;
    aclrtMemLocationType type;
} aclrtMemLocation;

typedef struct aclrtPtrAttributes {
    aclrtMemLocation location;
    uint32_t pageSize;
    uint32_t rsv[4];
} aclrtPtrAttributes;

typedef enum aclrtMemAllocationType {
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0,
} aclrtMemAllocationType;

typedef enum aclrtMemHandleType {
    ACL_MEM_HANDLE_TYPE_NONE = 0,
    ACL_MEM_HANDLE_TYPE_POSIX = 2, /* newer */
} aclrtMemHandleType;

typedef struct aclrtPhysicalMemProp {
    aclrtMemHandleType handleType;
    aclrtMemAllocationType allocationType;
    aclrtMemAttr memAttr;
    aclrtMemLocation location;
    uint64_t reserve;
} aclrtPhysicalMemProp;

typedef enum aclrtMemGranularityOptions {
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED,
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF,
} aclrtMemGranularityOptions;

typedef void *aclrtDrvMemHandle;
typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args); /* newer */
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo *exceptionInfo);

typedef enum aclrtDeviceStatus {
    ACL_RT_DEVICE_STATUS_NORMAL = 0,
    ACL_RT_DEVICE_STATUS_ABNORMAL,
    ACL_RT_DEVICE_STATUS_END = 0xFFFF,
} aclrtDeviceStatus;

typedef void *aclrtBinary;
typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;
typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;

/* A recorded graph of tasks. */
typedef void *aclmdlRI;

typedef enum {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED,
} aclmdlRICaptureMode;

typedef enum {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED,
} aclmdlRICaptureStatus;

typedef struct aclrtMemUceInfo {
    void *addr;
    size_t len;
    size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

typedef enum aclrtCmoType {
    ACL_RT_CMO_TYPE_PREFETCH = 0,
    ACL_RT_CMO_TYPE_WRITEBACK,
    ACL_RT_CMO_TYPE_INVALID,
    ACL_RT_CMO_TYPE_FLUSH,
} aclrtCmoType;

typedef enum aclrtLastErrLevel {
    ACL_RT_THREAD_LEVEL = 0,
} aclrtLastErrLevel;

typedef enum aclrtBinaryLoadOptionType {
    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
    ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
} aclrtBinaryLoadOptionType;

typedef union aclrtBinaryLoadOptionValue {
    uint32_t isLazyLoad;
    uint32_t magic;
    uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct {
    aclrtBinaryLoadOptionType type;
    aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
    aclrtBinaryLoadOption *options;
    size_t numOpt;
} aclrtBinaryLoadOptions;

typedef enum aclrtLaunchKernelAttrId {
    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
} aclrtLaunchKernelAttrId;

typedef union aclrtLaunchKernelAttrValue {
    uint8_t schemMode;
    uint32_t localMemorySize;
    uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

typedef struct aclrtLaunchKernelAttr {
    aclrtLaunchKernelAttrId id;
    aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

typedef struct aclrtLaunchKernelCfg {
    aclrtLaunchKernelAttr *attrs;
    size_t numAttrs;
} aclrtLaunchKernelCfg;

typedef enum aclCANNPackageName {
    ACL_PKG_NAME_CANN,
    ACL_PKG_NAME_RUNTIME,
    ACL_PKG_NAME_COMPILER,
    ACL_PKG_NAME_HCCL,
    ACL_PKG_NAME_TOOLKIT,
    ACL_PKG_NAME_OPP,
    ACL_PKG_NAME_OPP_KERNEL,
    ACL_PKG_NAME_DRIVER,
} aclCANNPackageName;

typedef struct aclCANNPackageVersion {
    char version[ACL_PKG_VERSION_MAX_SIZE];
    char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

/* ---- Types that came with newer runtimes ---- */

typedef enum {
    ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
    ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
    ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,
    ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4,
} aclrtCntNotifyRecordMode;

typedef struct {
    aclrtCntNotifyRecordMode mode;
    uint32_t value;
} aclrtCntNotifyRecordInfo;

typedef enum {
    ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4,
} aclrtCntNotifyWaitMode;

typedef struct {
    aclrtCntNotifyWaitMode mode;
    uint32_t value;
    uint32_t timeout;
    uint8_t isClear;
    uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

typedef enum {
    ACL_STREAM_ATTR_FAILURE_MODE = 1,
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
    ACL_STREAM_ATTR_PRIORITY = 5,
} aclrtStreamAttr;

typedef union {
    uint64_t failureMode;
    uint32_t overflowSwitch;
    uint32_t userCustomTag;
    uint32_t cacheOpInfoSwitch;
    uint32_t streamPriority;
    uint32_t reserve[4];
} aclrtStreamAttrValue;

typedef enum {
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
    ACL_DEV_ATTR_WARP_SIZE = 202,
    ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
    ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204, /* the older name of the next */
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
    ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
    ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
    ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
    ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
    ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301, /* bytes */
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302,         /* bytes */
    ACL_DEV_ATTR_SMP_ID = 401,
    ACL_DEV_ATTR_PHY_CHIP_ID = 402,
    ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403, /* the older name of the next, misspelled by CANN */
    ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
    ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
    ACL_DEV_ATTR_SUPER_POD_ID = 405,
    ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
    ACL_DEV_ATTR_MAINBOARD_ID = 407,
    ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
    ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
    ACL_DEV_ATTR_IS_VIRTUAL = 501,
    ACL_DEV_ATTR_NPU_ARCH = 601,
} aclrtDevAttr;

typedef enum {
    ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
    ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21,
} aclrtDevFeatureType;

typedef enum {
    ACL_RT_DEV_RES_CUBE_CORE = 0,
    ACL_RT_DEV_RES_VECTOR_CORE,
} aclrtDevResLimitType;

typedef struct aclrtMemUsageInfo {
    char name[32];
    uint64_t curMemSize;
    uint64_t memPeakSize;
    size_t reserved[8];
} aclrtMemUsageInfo;

typedef struct aclrtUuid {
    char bytes[16];
} aclrtUuid;

typedef struct {
    aclrtMemLocation dstLoc;
    aclrtMemLocation srcLoc;
    uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/* ---- Library ---- */

/* Starts the library; a program that never calls it works too. configPath names a JSON file and may
 * be NULL or empty. Of its keys two are used: err_msg_mode ("0": error texts are kept per thread,
 * the default; "1": per process), and defaultDevice ({"default_device": "0"}: threads that have no
 * context use that device's default one). ACL_ERROR_INVALID_FILE when it is no regular file or
 * cannot be read, ACL_ERROR_PARSE_FILE when it is not a JSON object, ACL_ERROR_INVALID_PARAM for a
 * value that one of the two keys cannot have. A second call is ACL_ERROR_REPEAT_INITIALIZE, which a
 * caller may ignore, counts as a reference and reads no file. */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/* Ends the library whatever the count of references: waits for queued work as aclrtResetDevice
 * does, ends all threads, frees all streams, events, contexts and the memory that the library
 * keeps for reuse. Blocks that the program still holds stay usable; destroying descriptors and
 * freeing memory remains harmless afterwards. ACL_ERROR_REPEAT_FINALIZE when there was no aclInit
 * since the last end. */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/* Newer. Gives one reference back and ends the library with the last. refCount, which may be NULL,
 * receives the count that is left, on failure too: ACL_ERROR_REPEAT_FINALIZE when it is 0
 * already. */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);

/* The version of this interface: 1, 13, 0. */
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion,
                                             int32_t *patchVersion);

/* The version of CANN that this library stands for. ACL_ERROR_INVALID_FILE for a package that is
 * not there (HCCL, DRIVER), ACL_ERROR_INVALID_PARAM outside the enumeration. */
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name,
                                                  aclCANNPackageVersion *version);

/* Newer. The version of one package as a string, by its name: "runtime", "opbase", "ops_math" and
 * "ops_nn". versionStr has room for ACL_PKG_VERSION_MAX_SIZE bytes. ACL_ERROR_INVALID_PARAM for
 * NULL, ACL_ERROR_INVALID_FILE for a package that is not there. */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char *pkgName, char *versionStr);

/* Always ACL_HOST: programs then copy explicitly, which is always right. */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode *runMode);

/* ---- Errors ---- */

/* The texts of the failures of this thread (of the process, see aclInit) since the last call, a
 * line each, or NULL when there was none. Beyond 4 KiB the oldest are left out. What a second
 * aclInit or aclFinalize and a look for a context (aclrtGetCurrentContext, aclrtGetDevice) say is
 * told only as long as nothing else has failed. Valid until the next call on the same thread. */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

/* The last code of rt_error_codes.h that this thread got, ACL_SUCCESS when there was none since the
 * last aclrtGetLastError. ACL_ERROR_INVALID_PARAM for another level than ACL_RT_THREAD_LEVEL. */
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/* The same, and forgets it. */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/* The number of the last task that this thread submitted, counted from 1 in the task's stream; 0
 * when it has submitted none. */
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/* ---- Devices ---- */

/* How many devices there are: ACLNN_CPU_DEVICES, else 1. Needs no context. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t *count);

/* Makes the device's default context, which all threads share, the calling thread's current one,
 * and counts a use of the device. ACL_ERROR_RT_INVALID_DEVICEID outside [0, count). */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/* Gives one use back. With the last: waits for the default context's work, then frees that context,
 * its streams and events; work behind a wait that can never end (for an event that nobody has
 * recorded, or for each other) is dropped. ACL_ERROR_RT_CONTEXT_NULL when the device has been reset
 * as often as set. */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/* The same, whatever the count of uses. */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/* The device of the calling thread's current context; ACL_ERROR_RT_CONTEXT_NULL without one. */
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t *deviceId);

/* Waits for all streams of the current context's device, of whichever context. Returns the first
 * code found there; the codes of further streams are left to their own synchronise. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/* The same for at most timeout milliseconds, -1 meaning for ever; then
 * ACL_ERROR_RT_STREAM_SYNC_TIMEOUT. ACL_ERROR_RT_PARAM_INVALID for 0 and below -1. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/* Accepted and without effect: there is one scheduler. ACL_ERROR_INVALID_PARAM outside the
 * enumeration. */
ACL_FUNC_VISIBILITY aclError aclrtSetTsDevice(aclrtTsId tsId);

/* How busy the machine is, in per cent: the load of the last minute over the threads of this
 * library; memoryUtilization is -1, unknown. utilizationInfo->utilizationExtend must be NULL. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
                                                           aclrtUtilizationInfo *utilizationInfo);

/* Always ACL_RT_DEVICE_STATUS_NORMAL for a device that exists. */
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId,
                                                    aclrtDeviceStatus *deviceStatus);

/* Whether one device can use the other's memory: 1 or 0. ACL_ERROR_INVALID_PARAM when both are the
 * same. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId,
                                                      int32_t peerDeviceId);

/* From the current context's device to its peer, one direction. Nothing depends on it: devices of
 * one process reach each other's memory with or without it. ACL_ERROR_INVALID_PARAM for the
 * current device itself; ACL_ERROR_FEATURE_UNSUPPORTED unless flags is 0. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/* What arithmetic does on overflow. The mode is stored and given back; arithmetic is always that of
 * ACL_RT_OVERFLOW_MODE_INFNAN, as IEEE 754 has it. */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/* An option of the process, 0 unless it was set. ACL_OPT_DETERMINISTIC changes nothing: every
 * operator always gives the same bits. */
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/* The same for the current context; reading one that was never set is
 * ACL_ERROR_RT_SYSPARAMOPT_NOT_SET. */
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/* Newer. A property of a device; ACL_ERROR_RT_FEATURE_NOT_SUPPORT for one that a CPU does not
 * have. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr,
                                                int64_t *value);

/* Newer. A number that no other device has and that stays the same: made of the machine's id and
 * the device's number. ACL_ERROR_RT_INVALID_DEVICEID for no such device. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid);

/* Newer. The device's own number of the one that the program calls userDevid: the same, because
 * nothing renumbers devices here. ACL_ERROR_RT_INVALID_DEVICEID for no such device. */
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
                                                           int32_t *const logicDevId);

/* Newer. The process as the device knows it: its id. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t *pid);

/* Newer. How many of a device's cores operators may use. Here cores of both kinds are the same
 * threads: an operator runs on as many as the smaller of the two limits. A stream's limits, where
 * they are set, count instead of its device's; what begins later follows them. value: from 1 to the
 * number of threads (ACLNN_CPU_THREADS), which it is where nothing is set or after a reset.
 * ACL_ERROR_INVALID_PARAM for other values, types and NULL, ACL_ERROR_RT_INVALID_DEVICEID for no
 * such device, and the codes of other calls that take a stream, where NULL is the default one. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                                    uint32_t *value);
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                                    uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                                    uint32_t *value);
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                                    uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

/* Newer. Whose limits aclrtGetResInCurrentThread tells: the stream's from then on, until Unuse or
 * another stream; else those of the current context's device. Work here follows the limits of the
 * stream that it runs on, whatever its thread uses. */
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/* Newer. ACL_DEV_FEATURE_SUPPORT or ACL_DEV_FEATURE_NOT_SUPPORT. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCapability(int32_t deviceId,
                                                      aclrtDevFeatureType devFeatureType,
                                                      int32_t *value);

/* Newer. Smaller numbers come first: least is 7, greatest is 0. Either pointer may be NULL. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
                                                               int32_t *greatestPriority);

/* ---- Contexts ---- */

/* Makes a context with its own default stream, and makes it current on the calling thread. */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);

/* Waits for its work as aclrtResetDevice does, then frees it, its streams and events. Only for
 * contexts of aclrtCreateContext: a device's default context is ACL_ERROR_INVALID_PARAM and goes
 * with aclrtResetDevice. ACL_ERROR_RT_CONTEXT_NULL for what is no context. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/* For the calling thread; the last call wins. A context may be current on many threads.
 * ACL_ERROR_RT_CONTEXT_NULL for what is no context. */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/* ACL_ERROR_RT_CONTEXT_NULL when the calling thread has none. */
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);

/* Newer. The stream that a NULL stream means on this thread. */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/* Newer. Whether the device's default context exists: 1 or 0. flags must be NULL. */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags,
                                                     int32_t *active);

/* ---- Streams ---- */

/* A queue of work in the current context, of the greatest priority. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);

/* The same with a priority (0 first to 7 last; larger is taken as 7; kept and given back) and a set
 * of ACL_STREAM_ flags. ACL_STREAM_PERSISTENT, CPU_SCHEDULE and DEVICE_USE_ONLY make
 * aclrtSynchronizeStream return at once; the others are hints. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority,
                                                         uint32_t flag);

/* A zeroed configuration for aclrtCreateStreamV2, or NULL when host memory is exhausted. */
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);

ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);

/* Copies valueSize bytes from attrValue into the member; valueSize must be the member's size. */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
                                                     aclrtStreamConfigAttr attr,
                                                     const void *attrValue, size_t valueSize);

/* The configuration is read now; it may be destroyed afterwards. Of it priority and flag are
 * used. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamV2(aclrtStream *stream,
                                                 const aclrtStreamConfigHandle *handle);

/* Waits for the queued work, then frees the stream. The default stream, by its handle or NULL, is
 * ACL_ERROR_INVALID_PARAM. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/* Drops work that has not begun, waits for what has, then frees the stream. A record that is
 * dropped counts as complete for those who wait for it. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/* Waits until all work submitted before has run, and returns the first code that it left since the
 * last synchronise. Meanwhile the calling thread runs the stream's work itself, as far as nobody
 * else does. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/* The same for at most timeout milliseconds, -1 meaning for ever; then
 * ACL_ERROR_RT_STREAM_SYNC_TIMEOUT. ACL_ERROR_RT_PARAM_INVALID for 0 and below -1. With a limit the
 * calling thread only waits. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/* Whether all work has run, without waiting. */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);

ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);

/* ACL_CONTINUE_ON_FAILURE (as made) or ACL_STOP_ON_FAILURE: after a failure of any stream of the
 * context, queued work of all its streams is dropped, and submitting, recording and synchronising
 * there return the failure's code. Back to continuing is ACL_ERROR_RT_FEATURE_NOT_SUPPORT. */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/* 1 looks for overflow in later work, 0 does not. Stored and given back. ACL_ERROR_INVALID_PARAM
 * for other values. */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag);

/* Newer. One attribute of a stream. FAILURE_MODE and FLOAT_OVERFLOW_CHECK are those of the
 * functions above, PRIORITY that of aclrtCreateStreamWithConfig, which cannot be set later
 * (ACL_ERROR_RT_FEATURE_NOT_SUPPORT). USER_CUSTOM_TAG and CACHE_OP_INFO (0 or 1) are stored and
 * given back: a graph knows its operators in any case. ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID outside the enumeration. */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(aclrtStream stream,
                                                     aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue *value);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(aclrtStream stream,
                                                     aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue *value);

/* Newer. What the stream was made with. */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority);
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags);

/* Drops all work of the stream that has not begun, waits included; the next synchronise returns
 * ACL_ERROR_RT_STREAM_ABORT. Returns when the running operator or copy has ended, which a CPU
 * cannot stop half way; a running host function or callback is not waited for. Records that are
 * dropped count as complete. NULL is the default stream. */
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

/* Newer. The same for all streams of the device, of whichever context, and an end to their errors:
 * streams that ACL_STOP_ON_FAILURE had stopped take work again, and no synchronise tells of what
 * was dropped. Meanwhile submitting returns ACL_ERROR_RT_DEVICE_TASK_ABORT. Waits for at most
 * timeout milliseconds, 0 meaning for ever; then ACL_ERROR_RT_WAIT_TIMEOUT, and the streams take
 * nothing until it is called again. What the dropped and the failed work should have written is
 * undefined. From inside a task or a callback ACL_ERROR_RT_FEATURE_NOT_SUPPORT. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

/* Newer. Ends the wait (for an event, a notify, a value, a callback that has not begun) that the
 * stream stands at, or the next one of those queued by now that it comes to; what is queued behind
 * it runs, and the synchronise after that returns ACL_ERROR_RT_TASK_ABORT_STOP.
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT when the stream runs something else, ACL_ERROR_RT_PARAM_INVALID
 * for NULL. */
ACL_FUNC_VISIBILITY aclError aclrtStreamStop(aclrtStream stream);

/* ---- Events ---- */

/* An event that can order streams and take times. A wait on it waits for its latest record, and
 * for the first one when there is none yet. */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);

/* The same for a set of ACL_EVENT_ flags; ACL_EVENT_EXTERNAL stands alone. */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);

/* An event that may be recorded again and again. A wait refers to the latest record submitted
 * before the wait, and does not wait when there is none. Not for aclrtResetEvent, aclrtQueryEvent,
 * aclrtQueryEventWaitStatus (ACL_ERROR_RT_FEATURE_NOT_SUPPORT). */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);

/* Allowed while work that uses the event is queued: it is freed when that has run. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/* Asynchronous: the event is complete when all work submitted to the stream before has run. */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/* Makes the event as it was before any record, for calls that come after this one; waits that were
 * submitted before keep the record they wait for. Nothing happens to an event that takes times
 * (ACL_EVENT_TIME_LINE; aclrtCreateEvent's does). */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/* Asynchronous: later work of the stream runs after the event's record, the latest one submitted
 * before this call or, when there is none, the next one (see the three kinds of events above). The
 * caller does not wait, and no thread does. */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/* Newer. The same with a limit of its own in place of aclrtSetOpWaitTimeout's: timeout seconds, 0
 * meaning none. ACL_ERROR_RT_PARAM_INVALID below 0. */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
                                                             int32_t timeout);

/* Whether the latest record is complete; an event without a record is. */
ACL_DEPRECATED_MESSAGE("aclrtQueryEvent is deprecated, use aclrtQueryEventStatus instead")
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);

/* Whether the latest record is complete. An event without a record is complete when it was made by
 * aclrtCreateEventExWithFlag, else not ready. */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event,
                                                   aclrtEventRecordedStatus *status);

/* Whether every wait that was submitted on the event has been passed. */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event,
                                                       aclrtEventWaitStatus *status);

/* Waits on the calling thread until the latest record is complete; at once when there is none.
 * Returns, as aclrtSynchronizeStream would, the code that work left on the record's stream. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/* The same for at most timeout milliseconds, -1 meaning for ever; then
 * ACL_ERROR_RT_EVENT_SYNC_TIMEOUT. ACL_ERROR_RT_PARAM_INVALID for 0 and below -1. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/* Milliseconds between two complete records. ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID when one is not
 * recorded, ACL_ERROR_RT_EVENT_NOT_COMPLETE when one has not run,
 * ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL when the end came first,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an event with ACL_EVENT_EXTERNAL. */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent,
                                                   aclrtEvent endEvent);

/* The time of the latest record in microseconds of a clock that never goes back. Errors as
 * aclrtEventElapsedTime. */
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);

/* Newer. */
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId);

/* The longest that a wait submitted from now on may hold its stream back, in seconds; 0, the
 * default, means for ever. Then the wait ends with ACL_ERROR_RT_WAIT_TIMEOUT on its stream, and
 * later work runs. For the whole process. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/* The longest that one operator may take, in seconds or milliseconds. Accepted and without effect:
 * a CPU cannot abandon an operator half way. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/* Newer. The same in microseconds. *actualTimeout becomes what holds: UINT64_MAX, no limit. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout);

/* ---- Callbacks ---- */

/* Functions of the program as work of a stream. None of them may wait for a stream, an event or the
 * device, nor destroy a stream or a context, reset a device or finalise: these calls return
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT there. Submitting is allowed. A stream has either callbacks or
 * host functions: what comes second is ACL_ERROR_RT_STREAM_SUBSCRIBE. */

/* From now on the thread (as pthread_self tells it) runs the stream's callbacks, inside
 * aclrtProcessReport. A thread may serve many streams, a stream has one thread
 * (ACL_ERROR_RT_STREAM_SUBSCRIBE for a second), and at most 1,024 threads serve
 * (ACL_ERROR_RT_OVER_LIMIT). Destroying the stream ends it. */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/* Callbacks of the stream that have not run do not run any more, which leaves
 * ACL_ERROR_RT_STREAM_NO_CB_REG on the stream. ACL_ERROR_RT_THREAD_SUBSCRIBE when another thread is
 * subscribed, ACL_ERROR_RT_STREAM_SUBSCRIBE when none is. */
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/* Asynchronous: fn(userData) runs on the subscribed thread after all that was submitted before.
 * What is submitted later waits for it with ACL_CALLBACK_BLOCK, and does not with
 * ACL_CALLBACK_NO_BLOCK. In a capture it runs once for each replay, on the thread that is
 * subscribed now, which stays subscribed until the graph is destroyed.
 * ACL_ERROR_RT_STREAM_NO_CB_REG when no thread is subscribed or that thread has ended,
 * ACL_ERROR_RT_PARAM_INVALID when fn is NULL, ACL_ERROR_INVALID_PARAM for another blockType. */
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void *userData,
                                                 aclrtCallbackBlockType blockType,
                                                 aclrtStream stream);

/* Runs the callbacks that have come for the calling thread; when there is none, waits for one for
 * timeout milliseconds, -1 meaning for ever. ACL_ERROR_RT_REPORT_TIMEOUT when none has come,
 * ACL_ERROR_RT_THREAD_SUBSCRIBE when the thread is subscribed to no stream or ceases to be,
 * ACL_ERROR_INVALID_PARAM for 0 and below -1. */
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

/* Newer. Asynchronous: fn(args) runs on a thread of the library, in the stream's context, after all
 * that was submitted before; what is submitted later waits for it. It may block for as long as it
 * likes: other streams do not wait. It begins in the default floating-point environment.
 * ACL_ERROR_RT_PARAM_INVALID when fn is NULL. */
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);

/* callback is called when a task has failed, on a thread of the library, one failure after the
 * other; the synchronise that returns the error returns after the call. NULL takes it back, and so
 * does aclFinalize. What it is given lives as long as the call. For the whole process. */
ACL_FUNC_VISIBILITY aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/* Newer. More callbacks beside that one; each is called once, however often it was registered.
 * ACL_ERROR_RT_PARAM_INVALID for NULL. One that is not registered may be unregistered. */
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/* Of the task that failed: its number in its stream (see aclrtGetThreadLastTaskId), its stream's id
 * (see aclrtStreamGetId), the thread that submitted to the stream last (gettid), the device, the
 * code. 0xFFFFFFFF when info is NULL. */
ACL_FUNC_VISIBILITY uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/* ---- Notifies and values (newer) ---- */

/* A flag that one stream raises and another waits for and lowers. flag is ACL_NOTIFY_DEFAULT or
 * ACL_NOTIFY_DEVICE_USE_ONLY, which mean the same (ACL_ERROR_RT_PARAM_INVALID for others). */
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag);

/* Allowed while work that uses it is queued: it is freed when that has run. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

/* Asynchronous: raises the flag. One that is up stays up. */
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/* Asynchronous: later work of the stream waits until the flag is up, and lowers it, so that each
 * record lets one wait pass, the first that came. After timeout seconds (0: no limit) the wait ends
 * with ACL_ERROR_RT_WAIT_TIMEOUT on the stream, and later work runs. No thread waits. */
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,
                                                     uint32_t timeout);

ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);

/* Lowers the flags now; none when one of the num handles is none. */
ACL_FUNC_VISIBILITY aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num);

/* A notify that counts, from 0. */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag);
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/* Asynchronous: the number becomes info->value, or number + value, number | value, number & value,
 * by info->mode. info is read now. ACL_ERROR_RT_PARAM_INVALID for another mode. */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                                                  aclrtCntNotifyRecordInfo *info);

/* Asynchronous: later work of the stream waits until the number is less than info->value, equal to
 * it, greater, greater or equal, or has all its bits, by info->mode; then the number becomes 0 if
 * info->isClear. info->timeout as aclrtWaitAndResetNotify's. info is read now.
 * ACL_ERROR_RT_PARAM_INVALID for another mode. */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify,
                                                           aclrtStream stream,
                                                           aclrtCntNotifyWaitInfo *info);

/* Asynchronous: the number becomes 0. */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId);

/* Asynchronous: writes 8 bytes of device memory at once. flag is 0. ACL_ERROR_RT_PARAM_INVALID for
 * another flag and for what is not device memory, ACL_ERROR_RT_ADDR_UNALIGNED when devAddr
 * is not a multiple of 8. */
ACL_FUNC_VISIBILITY aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag,
                                             aclrtStream stream);

/* Asynchronous: later work of the stream waits until the 8 bytes at devAddr compare to value as
 * flag says: ACL_STREAM_WAIT_VALUE_GEQ (their difference, as a signed number, is not negative), EQ,
 * AND (they have a bit in common), NOR (not every bit is in one of them). What writes them does not
 * matter. Work of a stream is seen when it has run, other writes within some milliseconds. Errors
 * as aclrtValueWrite. */
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag,
                                            aclrtStream stream);

/* ---- Memory ---- */

/* size bytes of device memory, not cleared, aligned to 512 bytes, for the device of the current
 * context; at least 32 bytes past the end may be read. Any policy is accepted. Waits for nothing,
 * unless the block fits only when freed ones are released that queued work still uses: then for
 * that work, a tenth of a second at most, after which freed blocks no longer count against it.
 * ACL_ERROR_INVALID_PARAM for size 0 and for one that does not fit a size_t when it is rounded up,
 * ACL_ERROR_RT_MEMORY_ALLOCATION when there is not enough, with a text that says how much was asked
 * for, is used and is free. */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* The same without the readable bytes past the end. */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size,
                                                aclrtMemMallocPolicy policy);

/* The same as aclrtMalloc; aclrtMemFlush and aclrtMemInvalidate may be used on it. */
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void **devPtr, size_t size,
                                               aclrtMemMallocPolicy policy);

/* The same as aclrtMalloc. cfg may be NULL; attributes that are not known are ignored. */
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void **devPtr, size_t size,
                                                aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig *cfg);

/* Does not wait: work that is queued and uses the block still can, and the block is released after
 * it. ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_MEMORY_FREE for an address that is not the
 * beginning of a live block. */
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);

/* Newer. Waits for the device first. */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void *devPtr);

/* Host memory that copies can use without waiting, aligned to 512 bytes. Needs a context; errors as
 * aclrtMalloc. */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);

/* cfg may be NULL; attributes that are not known are ignored. */
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size,
                                                    aclrtMallocConfig *cfg);

/* As aclrtFree. */
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);

/* Newer. Waits for the device first. */
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void *hostPtr);

/* Registers memory of the program's own: asynchronous copies to and from it need not wait any more,
 * as with aclrtMallocHost's. The memory must not be freed before it is unregistered. ptr is a
 * multiple of 4 KiB. *devPtr is ptr: the device's memory is the host's. Needs a context.
 * ACL_ERROR_INVALID_PARAM for NULL and size 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another type
 * than MAPPED, ACL_ERROR_RT_PARAM_INVALID for another ptr,
 * ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED when some of the range is registered. */
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type,
                                               void **devPtr);

/* Newer. The same; flag combines ACL_HOST_REG_MAPPED, with which aclrtHostGetDevicePointer gives an
 * address, and ACL_HOST_REG_PINNED. ACL_ERROR_RT_FEATURE_NOT_SUPPORT for IOMEMORY and READONLY,
 * ACL_ERROR_RT_PARAM_INVALID for 0 and for other bits. */
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag);

/* Newer. The device's address of memory that was registered as mapped, which is pHost itself. flag
 * is 0. ACL_ERROR_RT_PARAM_INVALID when no such range begins at pHost. */
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag);

/* ACL_ERROR_HOST_MEMORY_NOT_REGISTERED when no registered range begins at ptr. */
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void *ptr);

/* Where an address lies: DEVICE, HOST for pinned and registered host memory, or UNREGISTERED for
 * memory that is not this library's, with a pageSize of 0. id is the device. */
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void *ptr,
                                                       aclrtPtrAttributes *attributes);

/* Free and total bytes of the current context's device, the same for every attribute; both 0 for a
 * value outside the enumeration. The total is ACLNN_CPU_DEVICE_MEMORY, else this device's
 * equal share of what this process may use of the machine's memory. A block that was freed counts
 * as used as long as queued work may use it. */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

/* Newer. What programs use of a device's memory and the most they used at once, in bytes, in one
 * entry named APP; *outputNum becomes 1. ACL_ERROR_RT_INVALID_DEVICEID for no such device,
 * ACL_ERROR_RT_PARAM_INVALID for an inputNum of 0. */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo,
                                                  size_t inputNum, size_t *outputNum);

/* Caches are coherent here: both check their arguments and do nothing. */
ACL_FUNC_VISIBILITY aclError aclrtMemFlush(void *devPtr, size_t size);
ACL_FUNC_VISIBILITY aclError aclrtMemInvalidate(void *devPtr, size_t size);

/* A hint for caches, which are coherent here: checks its arguments and queues nothing. */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType,
                                           aclrtStream stream);

/* ---- Virtual memory ---- */

/* A program reserves a range of addresses, allocates physical memory in pieces, and maps pieces
 * into the range: they lie side by side, whenever they came. Mapped memory is device or host memory
 * like any other, and copies treat it so. A child of fork shares it with its parent. Semantics are
 * those of CANN's documentation of these functions. No context is needed. */

/* What sizes and addresses must be multiples of: 4 KiB, 2 MiB or 1 GiB for memory attributes that
 * end in NORMAL, HUGE and HUGE1G; RECOMMENDED is 2 MiB at least. ACL_ERROR_INVALID_PARAM for an
 * attribute that cannot be had at the location (DDR is host memory, HUGE1G device memory),
 * ACL_ERROR_RT_INVALID_DEVICEID for no such device, ACL_ERROR_RT_FEATURE_NOT_SUPPORT for HOST_NUMA,
 * ACL_ERROR_RT_PARAM_INVALID for another option. */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                                              aclrtMemGranularityOptions option,
                                                              size_t *granularity);

/* size bytes of addresses that nothing may touch until memory is mapped there, aligned to 2 MiB,
 * from 1 GiB on to 1 GiB. alignment is 0. expectPtr is where they shall begin, a multiple of 2 MiB,
 * or NULL. flags is 0 or 1, which mean the same. ACL_ERROR_INVALID_PARAM for size 0 and other
 * flags, ACL_ERROR_RT_PARAM_INVALID for another alignment and for addresses that are in use. */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment,
                                                    void *expectPtr, uint64_t flags);

/* ACL_ERROR_RT_PARAM_INVALID while memory is mapped there, and for an address that is not the
 * beginning of a reserved range. */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void *virPtr);

/* A piece of zeroed memory, size rounded up to the granularity; device memory counts as used. flags
 * is 0, prop->handleType NONE, prop->allocationType PINNED: ACL_ERROR_INVALID_PARAM for others and
 * for size 0. Errors of prop as aclrtMemGetAllocationGranularity, of memory as aclrtMalloc. */
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
                                                 const aclrtPhysicalMemProp *prop, uint64_t flags);

/* The handle is gone; the memory stays as long as it is mapped, or queued work uses it.
 * ACL_ERROR_RT_INVALID_HANDLE for what is not a handle, or was freed. */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/* Lays the handle's memory at virPtr, anywhere inside of one reserved range. size is that of
 * aclrtMallocPhysical, as it was given or rounded up, and all of the piece is mapped; offset and
 * flags are 0. One piece may be mapped in several places. Where memory was unmapped that queued
 * work still uses, waits for that work as aclrtMalloc does. ACL_ERROR_RT_PARAM_INVALID for another
 * size, offset or a size and address that are not multiples of the granularity, for addresses that
 * are not reserved or where something is mapped already; ACL_ERROR_RT_INVALID_HANDLE as
 * aclrtFreePhysical. */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void *virPtr, size_t size, size_t offset,
                                         aclrtDrvMemHandle handle, uint64_t flags);

/* Ends the mapping that begins at virPtr, without waiting: work that is queued and uses the memory
 * still can. ACL_ERROR_RT_PARAM_INVALID when none begins there. */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void *virPtr);

/* Newer. Handing a piece to another process, letting processes take it, and taking it there. There
 * is no such handle here: ACL_ERROR_RT_FEATURE_NOT_SUPPORT, and ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
                                                             aclrtMemHandleType handleType,
                                                             uint64_t flags,
                                                             uint64_t *shareableHandle);
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid,
                                                             size_t pidNum);
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle,
                                                               int32_t deviceId,
                                                               aclrtDrvMemHandle *handle);

/* ---- Copies ---- */

/* Copies count bytes now, without waiting for any stream. destMax is the room at dst. Ranges
 * may overlap. kind is checked (ACL_ERROR_INVALID_PARAM outside the enumeration) but the addresses
 * decide. ACL_ERROR_RT_PARAM_INVALID for count 0, destMax 0 and count > destMax. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                                         aclrtMemcpyKind kind);

/* The same as work of the stream. Asynchronous when both addresses are device memory,
 * aclrtMallocHost's or registered; else it returns after the copy, and so after all that was queued
 * before it, so that buffers on the stack may be used. With ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE the
 * source may be reused at once in any case. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src,
                                              size_t count, aclrtMemcpyKind kind,
                                              aclrtStream stream);

/* The same as aclrtMemcpyAsync. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax,
                                                           const void *src, size_t count,
                                                           aclrtMemcpyKind kind,
                                                           aclrtStream stream);

/* Copies height rows of width bytes; the pitches are the bytes from one row to the next. kind is
 * HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE or DEFAULT. ACL_ERROR_INVALID_PARAM for another
 * and for a width beyond a pitch, ACL_ERROR_RT_PARAM_INVALID for a width or height of 0. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch,
                                           size_t width, size_t height, aclrtMemcpyKind kind);

/* As aclrtMemcpyAsync is to aclrtMemcpy. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src,
                                                size_t spitch, size_t width, size_t height,
                                                aclrtMemcpyKind kind, aclrtStream stream);

/* Sets count bytes to the low byte of value now, without waiting for any stream. maxCount is the
 * room at devPtr. ACL_ERROR_RT_PARAM_INVALID for count 0 and count > maxCount. */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value,
                                         size_t count);

/* The same as work of the stream; returns after it when devPtr is neither device memory nor
 * aclrtMallocHost's nor registered. */
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value,
                                              size_t count, aclrtStream stream);

/* Newer. Copies sizes[i] bytes from srcs[i] to dsts[i], which has room for destMaxs[i], now and in
 * any order; each copy is from the host to a device or back. attrs[k] says where the copies from
 * attrsIndexes[k] on, until those of attrs[k + 1], go from and to; attrsIndexes begins with 0 and
 * grows. *failIndex becomes the copy that does not fit its attribute or lies on one side only
 * (ACL_ERROR_RT_PARAM_INVALID, as for wrong indexes), else SIZE_MAX. ACL_ERROR_INVALID_PARAM for
 * NULL arrays, numBatches 0, a size beyond its room and an attribute whose rsv is not 0. When all
 * sizes are 0 nothing else is looked at. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs,
                                              size_t *sizes, size_t numBatches,
                                              aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                              size_t numAttrs, size_t *failIndex);

/* Newer. The same as work of the stream; waits as aclrtMemcpyAsync when some memory is pageable. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs,
                                                   size_t *sizes, size_t numBatches,
                                                   aclrtMemcpyBatchAttr *attrs,
                                                   size_t *attrsIndexes, size_t numAttrs,
                                                   size_t *failIndex, aclrtStream stream);

/* ---- Code of a device's cores ---- */

/* Newer. Loading a file of such code, finding a function in it, and where that lies. A CPU cannot
 * run it: ACL_ERROR_RT_FEATURE_NOT_SUPPORT, and ACL_ERROR_INVALID_PARAM for NULL. */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                                     const aclrtBinaryLoadOptions *options,
                                                     aclrtBinHandle *binHandle);
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle,
                                                    const char *kernelName,
                                                    aclrtFuncHandle *funcHandle);
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr,
                                                  void **aivAddr);

/* --- graphs, beside those of acl_mdl.h; since newer versions ---------------------------------- */

#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0x0UL
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 0x1UL

/* Replays a graph in the default stream and waits for it: for ever (-1) or so many milliseconds.
 * Returns the asynchronous error, 507046 when the time is over; the replay goes on. Errors as
 * aclmdlRIExecuteAsync, and 107000 for another timeout. */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/* Ends the replay that runs now, if one does: tasks that have begun are finished, the others
 * skipped, and the stream's next synchronise returns 507023. Queued replays are not touched.
 * Errors: NULL 100000, no graph 107017. */
ACL_FUNC_VISIBILITY aclError aclmdlRIAbort(aclmdlRI modelRI);

/* Writes the graph to a file in the trace format that Perfetto and chrome://tracing open: a track
 * for each lane, a slice for each task, in an order in which they may run. flags VERBOSE adds each
 * task's waits. Bytes of the graph's name that are no UTF-8 become question marks. Errors: NULL
 * 100000, flags 107000, no graph 107017, one that is still captured 107026, a file that cannot be
 * written 107010. */
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path,
                                                    uint32_t flags);

/* A graph's name: "" at first, at most 511 bytes. GetName writes as much of it as fits into maxLen
 * bytes and a zero. Errors: NULL 100000, a longer name or maxLen 0 107000, no graph 107017. */
ACL_FUNC_VISIBILITY aclError aclmdlRISetName(aclmdlRI modelRI, const char *name);
ACL_FUNC_VISIBILITY aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name);

/* A number that no other graph of the process has. Errors: NULL 100000, no graph 107017. */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId);

#ifdef __cplusplus
}
#endif

#endif
