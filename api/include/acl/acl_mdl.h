/* SPDX-License-Identifier: Apache-2.0 */
/* Types of compiled models, and capture and replay. The functions that load and run compiled models
 * are not part of this library. */
#ifndef INC_EXTERNAL_ACL_ACL_MODEL_H_
#define INC_EXTERNAL_ACL_ACL_MODEL_H_

#include "acl_base.h"
#include "acl_rt.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_DIM_ENDPOINTS       2
#define ACL_MAX_DIM_CNT         128
#define ACL_MAX_TENSOR_NAME_LEN 128
#define ACL_MAX_BATCH_NUM       128
#define ACL_MAX_HW_NUM          128
#define ACL_MAX_SHAPE_COUNT     128
#define ACL_INVALID_NODE_INDEX  0xFFFFFFFF

#define ACL_MDL_LOAD_FROM_FILE          1
#define ACL_MDL_LOAD_FROM_FILE_WITH_MEM 2
#define ACL_MDL_LOAD_FROM_MEM           3
#define ACL_MDL_LOAD_FROM_MEM_WITH_MEM  4
#define ACL_MDL_LOAD_FROM_FILE_WITH_Q   5
#define ACL_MDL_LOAD_FROM_MEM_WITH_Q    6

#define ACL_DYNAMIC_TENSOR_NAME                 "ascend_mbatch_shape_data"
#define ACL_DYNAMIC_AIPP_NAME                   "ascend_dynamic_aipp_data"
#define ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES "_datadump_original_op_names"

#define ACL_WORKSPACE_MEM_OPTIMIZE_DEFAULT     0
#define ACL_WORKSPACE_MEM_OPTIMIZE_INPUTOUTPUT 1

typedef struct aclmdlDataset aclmdlDataset;
typedef struct aclmdlDesc aclmdlDesc;
typedef struct aclmdlAIPP aclmdlAIPP;
typedef struct aclAippExtendInfo aclAippExtendInfo;
typedef struct aclmdlConfigHandle aclmdlConfigHandle;
typedef struct aclmdlExecConfigHandle aclmdlExecConfigHandle;

typedef enum {
    ACL_YUV420SP_U8 = 1,
    ACL_XRGB8888_U8 = 2,
    ACL_RGB888_U8 = 3,
    ACL_YUV400_U8 = 4,
    ACL_NC1HWC0DI_FP16 = 5,
    ACL_NC1HWC0DI_S8 = 6,
    ACL_ARGB8888_U8 = 7,
    ACL_YUYV_U8 = 8,
    ACL_YUV422SP_U8 = 9,
    ACL_AYUV444_U8 = 10,
    ACL_RAW10 = 11,
    ACL_RAW12 = 12,
    ACL_RAW16 = 13,
    ACL_RAW24 = 14,
    ACL_AIPP_RESERVED = 0xFFFF,
} aclAippInputFormat;

typedef enum {
    ACL_MDL_PRIORITY_INT32 = 0,
    ACL_MDL_LOAD_TYPE_SIZET,
    ACL_MDL_PATH_PTR,
    ACL_MDL_MEM_ADDR_PTR,
    ACL_MDL_MEM_SIZET,
    ACL_MDL_WEIGHT_ADDR_PTR,
    ACL_MDL_WEIGHT_SIZET,
    ACL_MDL_WORKSPACE_ADDR_PTR,
    ACL_MDL_WORKSPACE_SIZET,
    ACL_MDL_INPUTQ_NUM_SIZET,
    ACL_MDL_INPUTQ_ADDR_PTR,
    ACL_MDL_OUTPUTQ_NUM_SIZET,
    ACL_MDL_OUTPUTQ_ADDR_PTR,
    ACL_MDL_WORKSPACE_MEM_OPTIMIZE,
    ACL_MDL_WEIGHT_PATH_PTR,
    ACL_MDL_MODEL_DESC_PTR,
    ACL_MDL_MODEL_DESC_SIZET,
    ACL_MDL_KERNEL_PTR,
    ACL_MDL_KERNEL_SIZET,
    ACL_MDL_KERNEL_ARGS_PTR,
    ACL_MDL_KERNEL_ARGS_SIZET,
    ACL_MDL_STATIC_TASK_PTR,
    ACL_MDL_STATIC_TASK_SIZET,
    ACL_MDL_DYNAMIC_TASK_PTR,
    ACL_MDL_DYNAMIC_TASK_SIZET,
    ACL_MDL_MEM_MALLOC_POLICY_SIZET,
    ACL_MDL_FIFO_PTR,
    ACL_MDL_FIFO_SIZET
} aclmdlConfigAttr;

typedef enum {
    ACL_MDL_STREAM_SYNC_TIMEOUT = 0,
    ACL_MDL_EVENT_SYNC_TIMEOUT,
    ACL_MDL_WORK_ADDR_PTR,
    ACL_MDL_WORK_SIZET,
    ACL_MDL_MPAIMID_SIZET,
    ACL_MDL_AICQOS_SIZET,
    ACL_MDL_AICOST_SIZET,
    ACL_MDL_MEC_TIMETHR_SIZET
} aclmdlExecConfigAttr;

typedef enum {
    ACL_DATA_WITHOUT_AIPP = 0,
    ACL_DATA_WITH_STATIC_AIPP,
    ACL_DATA_WITH_DYNAMIC_AIPP,
    ACL_DYNAMIC_AIPP_NODE
} aclmdlInputAippType;

typedef struct aclmdlIODims {
    char name[ACL_MAX_TENSOR_NAME_LEN];
    size_t dimCount;
    int64_t dims[ACL_MAX_DIM_CNT];
} aclmdlIODims;

typedef struct aclmdlIODimsRange {
    size_t rangeCount;
    int64_t range[ACL_MAX_DIM_CNT][ACL_DIM_ENDPOINTS];
} aclmdlIODimsRange;

typedef struct aclAippDims {
    aclmdlIODims srcDims;
    size_t srcSize;
    aclmdlIODims aippOutdims;
    size_t aippOutSize;
} aclAippDims;

typedef struct aclmdlBatch {
    size_t batchCount;
    uint64_t batch[ACL_MAX_BATCH_NUM];
} aclmdlBatch;

typedef struct aclmdlHW {
    size_t hwCount;
    uint64_t hw[ACL_MAX_HW_NUM][2];
} aclmdlHW;

typedef struct aclAippInfo {
    aclAippInputFormat inputFormat;
    int32_t srcImageSizeW;
    int32_t srcImageSizeH;
    int8_t cropSwitch;
    int32_t loadStartPosW;
    int32_t loadStartPosH;
    int32_t cropSizeW;
    int32_t cropSizeH;
    int8_t resizeSwitch;
    int32_t resizeOutputW;
    int32_t resizeOutputH;
    int8_t paddingSwitch;
    int32_t leftPaddingSize;
    int32_t rightPaddingSize;
    int32_t topPaddingSize;
    int32_t bottomPaddingSize;
    int8_t cscSwitch;
    int8_t rbuvSwapSwitch;
    int8_t axSwapSwitch;
    int8_t singleLineMode;
    int32_t matrixR0C0;
    int32_t matrixR0C1;
    int32_t matrixR0C2;
    int32_t matrixR1C0;
    int32_t matrixR1C1;
    int32_t matrixR1C2;
    int32_t matrixR2C0;
    int32_t matrixR2C1;
    int32_t matrixR2C2;
    int32_t outputBias0;
    int32_t outputBias1;
    int32_t outputBias2;
    int32_t inputBias0;
    int32_t inputBias1;
    int32_t inputBias2;
    int32_t meanChn0;
    int32_t meanChn1;
    int32_t meanChn2;
    int32_t meanChn3;
    float minChn0;
    float minChn1;
    float minChn2;
    float minChn3;
    float varReciChn0;
    float varReciChn1;
    float varReciChn2;
    float varReciChn3;
    aclFormat srcFormat;
    aclDataType srcDatatype;
    size_t srcDimNum;
    size_t shapeCount;
    aclAippDims outDims[ACL_MAX_SHAPE_COUNT];
    aclAippExtendInfo *aippExtend;
} aclAippInfo;

typedef struct aclmdlExeOMDesc {
    size_t workSize;
    size_t weightSize;
    size_t modelDescSize;
    size_t kernelSize;
    size_t kernelArgsSize;
    size_t staticTaskSize;
    size_t dynamicTaskSize;
    size_t fifoTaskSize;
    size_t reserved[8];
} aclmdlExeOMDesc;

/* Writing the operands of a model's operators to files. Nothing is written here: InitDump and
 * SetDump return ACL_ERROR_API_NOT_SUPPORT, and ACL_ERROR_INVALID_PARAM for NULL; FinalizeDump
 * ACL_ERROR_DUMP_NOT_RUN, since no dump has begun. */
ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char *dumpCfgPath);
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

/* Capture and replay. Between Begin and End the tasks submitted to a stream are not run: they go
 * into a graph (a "model runtime instance", aclmdlRI), which then is replayed any number of times
 * with one call each. Captured are launches of operators, asynchronous copies and fills of memory
 * from aclrtMalloc and aclrtMallocHost, records of and waits for events, notifies, writes of and
 * waits for values, host functions, and callbacks, whose thread the graph keeps subscribed. A task
 * that cannot be captured is refused with 107027 and invalidates the capture.
 *
 * Other streams join: a captured stream records an event of aclrtCreateEventExWithFlag, another
 * stream waits for it and is captured from then on. What a stream that has joined did last must be
 * recorded and waited for by the stream that began, directly or by way of others. Events of other
 * kinds are refused with 207000, except those with ACL_EVENT_EXTERNAL: records, waits and resets of
 * these are tasks of the graph, which happen anew in each replay.
 *
 * Meanwhile synchronising, querying or destroying a captured stream, and synchronising the device,
 * is refused with 107027, synchronising or asking a captured event with 107028. Calls that act on
 * memory at once (aclrtMemcpy, aclrtMemcpy2d, aclrtMemset, asynchronous copies with pageable
 * memory) are refused with 107030, and invalidate the capture, unless the mode allows them: GLOBAL
 * allows them to no thread, THREAD_LOCAL to other threads than the one that captures, RELAXED to
 * all.
 *
 * The graph keeps executors and what else a task needs; addresses are those of the capture, and the
 * program keeps the memory behind them. The semantics are those of CANN's documentation and open
 * runtime. All functions may be called from any thread. */

/* Begins to capture a stream, in a mode that says which calls are forbidden meanwhile (see above).
 * Errors: stream NULL 100000; a mode that is none 107000; the default stream 107031; a stream that
 * is captured 107027. */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/* Whether a stream is captured, and into which graph; that one is still incomplete and may be named
 * and asked for its id, not replayed or destroyed. *modelRI is NULL when the stream is not
 * captured. Either pointer may be NULL. Errors: both NULL, or stream NULL, 100000. */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureGetInfo(aclrtStream stream,
                                                    aclmdlRICaptureStatus *status,
                                                    aclmdlRI *modelRI);

/* Ends a capture and hands over its graph, which the caller destroys. On any error but the first
 * three the capture is over and there is no graph. Errors: a NULL pointer 100000; a stream that is
 * not captured 107029, that has only joined 107036; another thread than the one that began, in a
 * mode other than RELAXED, 107038; an invalidated capture 507903; an open task group 107033; a
 * stream that joined and did not come back 107025; no host memory 207001. */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);

/* Writes the graph's lanes, tasks and waits to the log (level INFO). Errors: NULL 100000, no graph
 * 107017, one that is still captured 107026. */
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugPrint(aclmdlRI modelRI);

/* Sets the calling thread's mode, GLOBAL at first, and returns the old one in *mode. RELAXED allows
 * the thread all calls during captures; THREAD_LOCAL those that captures of other threads forbid.
 * Errors: NULL 100000, a mode that is none 107000. */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/* Replays a graph, as one task of the stream (NULL: the default stream). Returns at once. Lanes
 * that do not depend on each other run in parallel. Replays of one graph run one after the other,
 * in whatever streams they are. Errors of its tasks are the stream's. Errors: modelRI NULL 100000,
 * no graph 107017, one that is still captured 107026, another context's 107004; a captured stream
 * 107027. */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

/* Destroys a graph. Replays that are queued still run; what the graph holds is released after the
 * last. Errors: NULL 100000, no graph 107017 (success when the thread has no context, for a graph
 * that went with its own), one that is still captured 107026. */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

/* Tasks that may be replaced. Operators that are submitted to a captured stream between GrpBegin
 * and GrpEnd form a group, whose handle lives as long as the graph. Between UpdateBegin and
 * UpdateEnd as many operators are submitted to a stream that is not captured: each takes the place
 * of one of the group, in order, when the stream comes to it, and is not run there. A replay must
 * not come to a task while it is being replaced: one stream, or an event with ACL_EVENT_EXTERNAL,
 * sees to that. Errors: NULL 100000; a stream that is not captured (107029), or is (107027,
 * updates); a group that is open, or none, or updated twice at once 107033; a task that is no
 * operator 507009; another stream of the capture submitting while a group is open 107034, to it and
 * to GrpEnd; more or fewer tasks than the group has 507000; no such handle 107017. */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream,
                                                            aclrtTaskGrp handle);
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
