/* SPDX-License-Identifier: Apache-2.0 */
/* What frameworks report to a recording (acl/acl_prof.h, ACLNN_CPU_TIMELINE): calls with their
 * times become ranges of the calling thread's track. All functions may be called from any thread
 * and return 0 or a value of MsprofErrorCode with a text for aclGetRecentErrMsg. */
#ifndef PROF_API_H
#define PROF_API_H

#include <stddef.h>
#include <stdint.h>

#ifndef MSVP_PROF_API
#define MSVP_PROF_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MSPROF_REPORT_DATA_MAGIC_NUM      0x5A5AU
#define MSPROF_COMPACT_INFO_DATA_LENGTH   (40)
#define MSPROF_ADDTIONAL_INFO_DATA_LENGTH (232)
#define PATH_LEN_MAX                      1023
#define PARAM_LEN_MAX                     4095
#define MSPROF_MAX_DEV_NUM                64

typedef void *VOID_PTR;

enum MsprofErrorCode {
    MSPROF_ERROR_NONE = 0,
    MSPROF_ERROR_MEM_NOT_ENOUGH,
    MSPROF_ERROR_GET_ENV,
    MSPROF_ERROR_CONFIG_INVALID,
    MSPROF_ERROR_ACL_JSON_OFF,
    MSPROF_ERROR,
    MSPROF_ERROR_UNINITIALIZE,
};

enum ProfCtrlType {
    PROF_CTRL_INVALID = 0,
    PROF_CTRL_SWITCH,
    PROF_CTRL_REPORTER,
    PROF_CTRL_STEPINFO,
    PROF_CTRL_BUTT
};

enum MsprofCommandHandleType {
    PROF_COMMANDHANDLE_TYPE_INIT = 0,
    PROF_COMMANDHANDLE_TYPE_START,
    PROF_COMMANDHANDLE_TYPE_STOP,
    PROF_COMMANDHANDLE_TYPE_FINALIZE,
    PROF_COMMANDHANDLE_TYPE_MODEL_SUBSCRIBE,
    PROF_COMMANDHANDLE_TYPE_MODEL_UNSUBSCRIBE
};

struct MsprofCommandHandleParams {
    uint32_t pathLen;
    uint32_t storageLimit;
    uint32_t profDataLen;
    char path[PATH_LEN_MAX + 1];
    char profData[PARAM_LEN_MAX + 1];
};

struct MsprofCommandHandle {
    uint64_t profSwitch; /* what is recorded: a sum of ACL_PROF_* */
    uint64_t profSwitchHi;
    uint32_t devNums;
    uint32_t devIdList[MSPROF_MAX_DEV_NUM];
    uint32_t modelId;
    uint32_t type; /* a value of MsprofCommandHandleType */
    uint32_t cacheFlag;
    struct MsprofCommandHandleParams params;
};

/* A call from beginTime to endTime, both of MsprofSysCycleTime; itemId is its name's, of
 * MsprofGetHashId. */
struct MsprofApi {
    uint16_t magicNumber; /* MSPROF_REPORT_DATA_MAGIC_NUM */
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t reserve;
    uint64_t beginTime;
    uint64_t endTime;
    uint64_t itemId;
};

struct MsprofCompactInfo {
    uint16_t magicNumber;
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t dataLen;
    uint64_t timeStamp;
    uint8_t data[MSPROF_COMPACT_INFO_DATA_LENGTH];
};

struct MsprofAdditionalInfo {
    uint16_t magicNumber;
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t dataLen;
    uint64_t timeStamp;
    uint8_t data[MSPROF_ADDTIONAL_INFO_DATA_LENGTH];
};

/* type is a value of ProfCtrlType, data a struct MsprofCommandHandle of len bytes. */
typedef int32_t (*ProfCommandHandle)(uint32_t type, void *data, uint32_t len);

/* Keeps a function for a module; a second one replaces the first. It is called with
 * PROF_CTRL_SWITCH and START when a recording begins, by the thread that begins it, with STOP
 * before it ends, and at once when there is a recording already. What it returns is ignored.
 * MSPROF_ERROR for NULL, MSPROF_ERROR_MEM_NOT_ENOUGH for more than 64 modules. */
MSVP_PROF_API int32_t MsprofRegisterCallback(uint32_t moduleId, ProfCommandHandle handle);

/* A range of the calling thread's track while calls are recorded (ACL_PROF_ACL_API), else nothing.
 * Whatever agingFlag and threadId are. MSPROF_ERROR for NULL, another magicNumber and an end before
 * its begin. */
MSVP_PROF_API int32_t MsprofReportApi(uint32_t agingFlag, const struct MsprofApi *api);

/* What operators are and which tensors they take: the recording knows both from the operators
 * themselves, so these are checked and not kept. MSPROF_ERROR for NULL and for another length or
 * magicNumber than those of the two structs. */
MSVP_PROF_API int32_t MsprofReportCompactInfo(uint32_t agingFlag, const VOID_PTR data,
                                              uint32_t length);
MSVP_PROF_API int32_t MsprofReportAdditionalInfo(uint32_t agingFlag, const VOID_PTR data,
                                                 uint32_t length);

/* The number of a text of `length` bytes, the same in every run; the text is kept for
 * MsprofReportApi, up to 65,536 different ones. 0 for NULL and an empty text. */
MSVP_PROF_API uint64_t MsprofGetHashId(const char *hashInfo, size_t length);

/* The clock of recordings. */
MSVP_PROF_API uint64_t MsprofSysCycleTime(void);

#ifdef __cplusplus
}
#endif

#endif
