/* SPDX-License-Identifier: Apache-2.0 */
/* Recording a timeline from inside a program. Names, values and the order of calls are those of
 * CANN 8.1: aclprofInit, aclprofCreateConfig, aclprofStart, the work, aclprofStop with the same
 * configuration, aclprofDestroyConfig, aclprofFinalize. Programs link libmsprofiler.so.
 *
 * What is written is not CANN's set of binary files: each aclprofStop leaves one file in Chrome's
 * trace format, which https://ui.perfetto.dev opens, and beside it a folder PROF_..., from which
 * the program msprof makes tables and a trace under the toolkit's names. The environment variable
 * ACLNN_CPU_TIMELINE records a whole run without these calls; they then fail with
 * ACL_ERROR_PROF_ALREADY_RUN (100042), as they do on a device under msprof, but for the marks and
 * ranges, which go into its file.
 *
 * All functions may be called from any thread. Those that fail leave a text for
 * aclGetRecentErrMsg. Not part of this library, and so not declared: subscriptions to models
 * (aclprofModelSubscribe, aclprofGetOp*) and the steps of models. */
#ifndef INC_EXTERNAL_ACL_PROF_H_
#define INC_EXTERNAL_ACL_PROF_H_

#include "acl_base.h"

#define MSVP_PROF_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* What to record, for aclprofCreateConfig; a sum. */
#define ACL_PROF_ACL_API      0x00000001ULL /* calls: phase 1, submits, copies, waits */
#define ACL_PROF_TASK_TIME    0x00000002ULL /* what streams run, operators with their steps */
#define ACL_PROF_MSPROFTX     0x00000080ULL /* the program's marks and ranges */
#define ACL_PROF_RUNTIME_API  0x00000100ULL /* as ACL_PROF_ACL_API */
#define ACL_PROF_TASK_TIME_L0 0x00000800ULL /* what streams run, without steps */

/* A CPU has nothing of these: they are accepted and select nothing. */
#define ACL_PROF_AICORE_METRICS 0x00000004ULL
#define ACL_PROF_AICPU          0x00000008ULL
#define ACL_PROF_L2CACHE        0x00000010ULL
#define ACL_PROF_HCCL_TRACE     0x00000020ULL
#define ACL_PROF_TRAINING_TRACE 0x00000040ULL
#define ACL_PROF_TASK_MEMORY    0x00001000ULL
#define ACL_PROF_OP_ATTR        0x00004000ULL

#define ACL_PROF_MAX_OP_NAME_LEN 257
#define ACL_PROF_MAX_OP_TYPE_LEN 65

/* Counters of a device's cores; none of them is recorded here. */
typedef enum {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    ACL_AICORE_PIPE_UTILIZATION = 1,
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    ACL_AICORE_L0B_AND_WIDTH = 3,
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    ACL_AICORE_MEMORY_UB = 5,
    ACL_AICORE_L2_CACHE = 6,
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
    ACL_AICORE_MEMORY_ACCESS = 8,
    ACL_AICORE_NONE = 0xFF
} aclprofAicoreMetrics;

typedef enum { ACL_STEP_START = 0, ACL_STEP_END = 1 } aclprofStepTag;

/* Further data that a device can sample. */
typedef enum {
    ACL_PROF_ARGS_MIN = 0,
    ACL_PROF_STORAGE_LIMIT,
    ACL_PROF_AIV_METRICS,
    ACL_PROF_SYS_HARDWARE_MEM_FREQ,
    ACL_PROF_LLC_MODE,
    ACL_PROF_SYS_IO_FREQ,
    ACL_PROF_SYS_INTERCONNECTION_FREQ,
    ACL_PROF_DVPP_FREQ,
    ACL_PROF_HOST_SYS,
    ACL_PROF_HOST_SYS_USAGE,
    ACL_PROF_HOST_SYS_USAGE_FREQ,
    ACL_PROF_ARGS_MAX
} aclprofConfigType;

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofStopConfig aclprofStopConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;
typedef struct aclprofStepInfo aclprofStepInfo;

/* Names the folder that takes the files, by `length` bytes of profilerResultPath; it is made if it
 * is not there (its parent must be). Each aclprofStop writes aclnn-cpu-<process>-<n>.json into it.
 * ACL_ERROR_INVALID_PARAM (100000) for NULL, a length of 0, above 4000 or beyond the string,
 * ACL_ERROR_INVALID_FILE (100003) when it is no folder that can be written to,
 * ACL_ERROR_REPEAT_INITIALIZE (100002) before aclprofFinalize, 100042 with ACLNN_CPU_TIMELINE. */
MSVP_PROF_API aclError aclprofInit(const char *profilerResultPath, size_t length);

/* Everything that these types ask for samples hardware: ACL_ERROR_PROF_MODULES_UNSUPPORTED
 * (200007). ACL_ERROR_INVALID_PARAM for other values and NULL, ACL_ERROR_PROF_NOT_RUN (100043)
 * before aclprofInit. */
MSVP_PROF_API aclError aclprofSetConfig(aclprofConfigType configType, const char *config,
                                        size_t configLength);

/* Stops what runs, as aclprofStop would. ACL_ERROR_PROF_NOT_RUN (100043) before aclprofInit. */
MSVP_PROF_API aclError aclprofFinalize(void);

/* A configuration, which the caller destroys. deviceIdList: deviceNums different devices; may be
 * NULL with 0 for ACL_PROF_MSPROFTX. aicoreMetrics is not looked at, aicoreEvents must be NULL.
 * dataTypeConfig: a sum of ACL_PROF_*; bits that have no name are ignored. NULL, with a text, when
 * an argument is not valid or host memory is exhausted. */
MSVP_PROF_API aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
                                                 aclprofAicoreMetrics aicoreMetrics,
                                                 const aclprofAicoreEvents *aicoreEvents,
                                                 uint64_t dataTypeConfig);

/* May be destroyed once aclprofStop has used it. ACL_ERROR_INVALID_PARAM for NULL. */
MSVP_PROF_API aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);

/* Records from now on, whatever the device list says. ACL_ERROR_PROF_NOT_RUN (100043) before
 * aclprofInit, ACL_ERROR_PROF_ALREADY_RUN (100042) when recording,
 * ACL_ERROR_PROF_MODULES_UNSUPPORTED (200007) when nothing that is asked for exists on a CPU,
 * ACL_ERROR_INVALID_PARAM for NULL. */
MSVP_PROF_API aclError aclprofStart(const aclprofConfig *profilerConfig);

/* Ends the recording and writes its file. What is queued and has not run is not in it: synchronise
 * before. ACL_ERROR_INVALID_PROFILING_CONFIG (100010) when profilerConfig asks for other data than
 * that of aclprofStart, ACL_ERROR_PROF_NOT_RUN (100043) when nothing is recorded,
 * ACL_ERROR_INVALID_FILE (100003) when the file cannot be written; the recording has ended then.
 */
MSVP_PROF_API aclError aclprofStop(const aclprofConfig *profilerConfig);

/* ---- Marks and ranges of the program ----
 * They need a recording with ACL_PROF_MSPROFTX or ACLNN_CPU_TIMELINE, else
 * ACL_ERROR_PROF_NOT_RUN (100043). A stamp carries a text; it is read when it is used, so a stamp
 * may be used again and destroyed at any time. One stamp is used by one thread at a time. */

/* NULL, with a text, when nothing is recorded or host memory is exhausted. */
MSVP_PROF_API void *aclprofCreateStamp(void);
/* NULL is allowed. */
MSVP_PROF_API void aclprofDestroyStamp(void *stamp);
/* Copies msgLen bytes, 1 to 127 (ACL_ERROR_INVALID_PARAM). */
MSVP_PROF_API aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);

/* A moment on the calling thread's track. */
MSVP_PROF_API aclError aclprofMark(void *stamp);

/* A moment on the calling thread's track and one on the stream's, when what was submitted before
 * has run. msgLen: 1 to 127. The codes of other calls that take a stream. */
MSVP_PROF_API aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream);

/* A range on the calling thread's track, until its aclprofPop. Ranges of a thread nest.
 * aclprofPop: ACL_ERROR_INVALID_PARAM when the thread has no range open. */
MSVP_PROF_API aclError aclprofPush(void *stamp);
MSVP_PROF_API aclError aclprofPop(void);

/* A range that any thread may end, by the number in *rangeId. Such ranges may overlap.
 * aclprofRangeStop: ACL_ERROR_INVALID_PARAM when no such range is open. */
MSVP_PROF_API aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);
MSVP_PROF_API aclError aclprofRangeStop(uint32_t rangeId);

/* ---- Steps of a training ---- */

/* Describes one step; steps are numbered from 1 as they are created. NULL, with a text, when host
 * memory is exhausted. aclprofDestroyStepInfo: NULL is allowed. */
MSVP_PROF_API aclprofStepInfo *aclprofCreateStepInfo(void);
MSVP_PROF_API void aclprofDestroyStepInfo(aclprofStepInfo *stepInfo);

/* Where the step begins or ends: a moment on the calling thread's track, "step 1 begins", and one
 * on the stream's, when what was submitted before has run. Each tag once. Needs a recording of
 * marks, as those do, and has their codes; ACL_ERROR_INVALID_PARAM for a second time, NULL, and
 * other values of tag. */
MSVP_PROF_API aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag,
                                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
