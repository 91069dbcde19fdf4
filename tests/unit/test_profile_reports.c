/* SPDX-License-Identifier: Apache-2.0 */
/* What frameworks report reaches the timeline, and they are told of recordings. */
#include <string.h>

#include "tests/unit/profile_program.h"
#include "tests/unit/refusal.h"

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "experiment/msprof/toolchain/prof_api.h"

TestSuite(profile_reports, .init = make_folder, .fini = remove_folder);

static struct {
    int calls;
    uint32_t control, type, devices;
    uint64_t data;
} told[2];

static int32_t note(int who, uint32_t type, void *data, uint32_t length)
{
    const struct MsprofCommandHandle *command = data;
    cr_assert_eq(length, sizeof *command);
    told[who].calls++;
    told[who].control = type;
    told[who].type = command->type;
    told[who].devices = command->devNums;
    told[who].data = command->profSwitch;
    return 0;
}

static int32_t first(uint32_t type, void *data, uint32_t length)
{
    return note(0, type, data, length);
}

static int32_t second(uint32_t type, void *data, uint32_t length)
{
    return note(1, type, data, length);
}

static void report(const char *name, uint64_t begin)
{
    const struct MsprofApi api = {.magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM,
                                  .beginTime = begin,
                                  .endTime = MsprofSysCycleTime(),
                                  .itemId = MsprofGetHashId(name, strlen(name))};
    cr_assert_eq(MsprofReportApi(0, &api), MSPROF_ERROR_NONE);
}

Test(profile_reports, calls_are_ranges_of_their_thread)
{
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    const uint64_t begin = MsprofSysCycleTime();
    report("my \"operator\"", begin);
    const struct MsprofApi nameless = {.magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM,
                                       .beginTime = begin,
                                       .endTime = begin,
                                       .itemId = 0xabc};
    cr_expect_eq(MsprofReportApi(0, &nameless), MSPROF_ERROR_NONE);
    OK(aclFinalize());
    struct timeline timeline = timeline_read(path);
    cr_expect_eq(timeline_count(&timeline, 'X', "my \"operator\""), 1);
    cr_expect_eq(timeline_count(&timeline, 'X', "call abc"), 1);
    timeline_free(&timeline);
}

Test(profile_reports, nothing_is_kept_when_nothing_asks)
{
    report("operator", MsprofSysCycleTime());
    OK(aclInit(NULL));
    OK(aclFinalize());
}

Test(profile_reports, modules_are_told_of_a_recording)
{
    uint32_t device = 0;
    cr_expect_eq(MsprofRegisterCallback(7, first), MSPROF_ERROR_NONE);
    cr_expect_eq(told[0].calls, 0);
    OK(aclInit(NULL));
    OK(aclprofInit(folder, strlen(folder)));
    aclprofConfig *config =
        aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_ACL_API);
    cr_assert_not_null(config);
    OK(aclprofStart(config));
    cr_expect_eq(told[0].calls, 1);
    cr_expect_eq(told[0].control, PROF_CTRL_SWITCH);
    cr_expect_eq(told[0].type, PROF_COMMANDHANDLE_TYPE_START);
    cr_expect_eq(told[0].devices, 1);
    cr_expect_eq(told[0].data, ACL_PROF_ACL_API);
    /* Who comes late is told at once. */
    cr_expect_eq(MsprofRegisterCallback(8, second), MSPROF_ERROR_NONE);
    cr_expect_eq(told[1].calls, 1);
    cr_expect_eq(told[1].type, PROF_COMMANDHANDLE_TYPE_START);
    OK(aclprofStop(config));
    cr_expect_eq(told[0].calls, 2);
    cr_expect_eq(told[0].type, PROF_COMMANDHANDLE_TYPE_STOP);
    cr_expect_eq(told[1].calls, 2);
    /* A second function of a module replaces the first; the end stops what runs. */
    cr_expect_eq(MsprofRegisterCallback(7, second), MSPROF_ERROR_NONE);
    OK(aclprofStart(config));
    OK(aclprofFinalize());
    cr_expect_eq(told[0].calls, 2);
    cr_expect_eq(told[1].calls, 6);
    cr_expect_eq(told[1].type, PROF_COMMANDHANDLE_TYPE_STOP);
    OK(aclprofDestroyConfig(config));
}

Test(profile_reports, the_environment_is_a_recording)
{
    setenv("ACLNN_CPU_TIMELINE", path, 1);
    cr_expect_eq(MsprofRegisterCallback(7, first), MSPROF_ERROR_NONE);
    cr_expect_eq(told[0].calls, 1);
    cr_expect_eq(told[0].type, PROF_COMMANDHANDLE_TYPE_START);
    cr_expect(told[0].data & ACL_PROF_ACL_API);
    OK(aclInit(NULL));
    OK(aclFinalize());
}

Test(profile_reports, names_have_numbers)
{
    char name[32];
    const uint64_t one = MsprofGetHashId("one", 3);
    cr_expect_neq(one, 0);
    cr_expect_neq(one, MsprofGetHashId("two", 3));
    cr_expect_eq(MsprofGetHashId(NULL, 3), 0);
    cr_expect_eq(MsprofGetHashId("one", 0), 0);
    for (int i = 0; i < 70000; i++) {
        snprintf(name, sizeof name, "name %d", i);
        cr_assert_neq(MsprofGetHashId(name, strlen(name)), 0);
    }
    cr_expect_eq(MsprofGetHashId("one and more", 3), one);
}

Test(profile_reports, refusals)
{
    struct MsprofApi api = {.magicNumber = 1};
    struct MsprofCompactInfo compact = {.magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM};
    struct MsprofAdditionalInfo additional = {.magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM};
    expect_refused(MsprofReportApi(0, NULL), MSPROF_ERROR, "api is NULL");
    expect_refused(MsprofReportApi(0, &api), MSPROF_ERROR, "magicNumber is 0x1");
    api = (struct MsprofApi){
        .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM, .beginTime = 2, .endTime = 1};
    expect_refused(MsprofReportApi(0, &api), MSPROF_ERROR, "endTime is 1");
    cr_expect_eq(MsprofReportCompactInfo(0, &compact, sizeof compact), MSPROF_ERROR_NONE);
    cr_expect_eq(MsprofReportAdditionalInfo(0, &additional, sizeof additional), MSPROF_ERROR_NONE);
    expect_refused(MsprofReportCompactInfo(0, NULL, sizeof compact), MSPROF_ERROR, "data is NULL");
    expect_refused(MsprofReportCompactInfo(0, &compact, 3), MSPROF_ERROR, "length is 3");
    compact.magicNumber = additional.magicNumber = 0;
    expect_refused(MsprofReportCompactInfo(0, &compact, sizeof compact), MSPROF_ERROR,
                   "magicNumber is 0x0");
    expect_refused(MsprofReportAdditionalInfo(0, &additional, sizeof additional), MSPROF_ERROR,
                   "magicNumber is 0x0");
    expect_refused(MsprofRegisterCallback(1, NULL), MSPROF_ERROR, "handle is NULL");
    for (uint32_t i = 0; i < 64; i++)
        cr_assert_eq(MsprofRegisterCallback(i, first), MSPROF_ERROR_NONE);
    expect_refused(MsprofRegisterCallback(64, first), MSPROF_ERROR_MEM_NOT_ENOUGH, "64 modules");
}
