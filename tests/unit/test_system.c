/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/schedule/context.h"
#include "runtime/support/alloc.h"
#include "runtime/support/config.h"
#include "runtime/support/error.h"
#include "tests/unit/process.h"
#include "tests/unit/refusal.h"

TestSuite(init, .timeout = 600);

/* ---- References ---- */

Test(init, repeated_start_is_told_and_counted)
{
    uint64_t count = 77;
    cr_expect_eq(aclInit(NULL), ACL_SUCCESS);
    expect_refused(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "reference 2");
    expect_refused(aclInit("/nonexistent"), ACL_ERROR_REPEAT_INITIALIZE, "reference 3");
    cr_expect_eq(aclFinalizeReference(&count), ACL_SUCCESS);
    cr_expect_eq(count, 2);
    cr_expect_eq(aclFinalizeReference(NULL), ACL_SUCCESS);
    cr_expect_eq(aclFinalizeReference(&count), ACL_SUCCESS);
    cr_expect_eq(count, 0);
    count = 77;
    expect_refused(aclFinalizeReference(&count), ACL_ERROR_REPEAT_FINALIZE, "0 already");
    cr_expect_eq(count, 0);
    expect_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "no aclInit since");
}

Test(init, finalize_ends_all_references)
{
    uint64_t count;
    cr_expect_eq(aclInit(NULL), ACL_SUCCESS);
    cr_expect_eq(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    cr_expect_eq(aclFinalize(), ACL_SUCCESS);
    expect_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "finalised already");
    expect_refused(aclFinalizeReference(&count), ACL_ERROR_REPEAT_FINALIZE, "0 already");
    cr_expect_eq(aclInit(NULL), ACL_SUCCESS);
    cr_expect_eq(aclFinalize(), ACL_SUCCESS);
}

Test(init, finalize_without_a_start_ends_once)
{
    cr_expect_eq(aclrtSetDevice(0), ACL_SUCCESS);
    expect_refused(aclFinalizeReference(NULL), ACL_ERROR_REPEAT_FINALIZE, "0 already");
    cr_expect_eq(aclFinalize(), ACL_SUCCESS);
    expect_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "no aclInit since");
}

/* What went wrong, NULL when nothing did. */
static const char *start_and_end(void)
{
    for (int i = 0; i < 200; i++) {
        aclError status = aclInit(NULL);
        if (status != ACL_SUCCESS && status != ACL_ERROR_REPEAT_INITIALIZE) return "init";
        if (aclFinalizeReference(NULL) != ACL_SUCCESS) return "end";
    }
    return NULL;
}

static void *run_thread(void *unused)
{
    (void)unused;
    return (void *)start_and_end();
}

Test(init, threads_start_and_end)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run_thread, NULL);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_expect_null(wrong, "%s", (const char *)wrong);
    }
    uint64_t count;
    cr_expect_eq(aclFinalizeReference(&count), ACL_ERROR_REPEAT_FINALIZE);
    cr_expect_eq(count, 0);
}

/* A program's life: everything is used once, some of it left for aclFinalize to clean up. Returns
 * how many calls were refused. */
static int live_once(void)
{
    int refused = aclInit(NULL) != ACL_SUCCESS;
    refused += aclrtSetDevice(0) != ACL_SUCCESS;
    aclrtStream streams[8] = {0};
    aclrtEvent event = NULL;
    refused += aclrtCreateEvent(&event) != ACL_SUCCESS;
    void *memory = NULL, *host = NULL;
    refused += aclrtMalloc(&memory, 8 << 20, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS;
    refused += aclrtMallocHost(&host, 1000) != ACL_SUCCESS;
    for (int i = 0; memory && i < 8; i++) {
        refused += aclrtCreateStream(&streams[i]) != ACL_SUCCESS;
        char *part = (char *)memory + ((size_t)i << 20); /* streams may not share bytes */
        refused += aclrtMemsetAsync(part, 1 << 20, i, 1 << 20, streams[i]) != ACL_SUCCESS;
    }
    refused += aclrtRecordEvent(event, streams[0]) != ACL_SUCCESS;
    refused += aclrtStreamWaitEvent(streams[1], event) != ACL_SUCCESS;
    refused += aclrtFree(memory) != ACL_SUCCESS;
    refused += aclrtFreeHost(host) != ACL_SUCCESS;
    refused += aclFinalize() != ACL_SUCCESS;
    return refused;
}

static void *live_in_thread(void *refused)
{
    *(int *)refused += live_once();
    return NULL;
}

/* Bytes that malloc has given out. Each life has a thread of its own and there is one arena: what a
 * thread keeps for itself counts as given out, and how much that is, and how many arenas there are,
 * depends on which thread was interrupted when. */
static size_t bytes_after_lives(int lives)
{
    int refused = 0;
    for (int life = 0; life < lives; life++) {
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, live_in_thread, &refused), 0);
        pthread_join(thread, NULL);
    }
    cr_expect_eq(refused, 0, "%d calls were refused", refused);
    return mallinfo2().uordblks;
}

Test(init, end_leaves_no_thread_no_file_and_no_byte)
{
    enum { LIVES = 50, ALLOWANCE = 16 * LIVES }; /* less than the smallest block of each life */
    mallopt(M_ARENA_MAX, 1);
    setenv("ACLNN_CPU_THREADS", "2", 1); /* as many live at once in some life of the first lot */
    int files = process_count(PROCESS_FILES);
    int threads = process_count(PROCESS_THREADS);
    size_t before = bytes_after_lives(LIVES);
    size_t after = bytes_after_lives(LIVES);
    cr_expect(after < before + ALLOWANCE, "%zu bytes, %zu before", after, before);
    cr_expect(process_settles(PROCESS_FILES, files));
    cr_expect(process_settles(PROCESS_THREADS, threads));
}

Test(init, child_of_a_busy_process_can_start)
{
    process_begin_forks();
    pthread_t thread;
    pthread_create(&thread, NULL, run_thread, NULL);
    for (int round = 0; round < 20; round++) {
        pid_t child = fork();
        if (child == 0) {
            process_begin_child();
            aclError status = aclInit(NULL);
            _exit(status != ACL_SUCCESS && status != ACL_ERROR_REPEAT_INITIALIZE);
        }
        int status;
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert_eq(status, 0, "round %d: %x", round, status);
    }
    pthread_join(thread, NULL);
}

/* ---- The file ---- */

/* A file with this text; static storage. */
static const char *file_with(const char *text, size_t length)
{
    static char path[64];
    strcpy(path, P_tmpdir "/aclnn-cpu-test-XXXXXX");
    int file = mkstemp(path);
    cr_assert(file >= 0);
    cr_assert_eq(write(file, text, length), (ssize_t)length);
    close(file);
    return path;
}

static aclError init_with(const char *text)
{
    const char *path = file_with(text, strlen(text));
    aclError status = aclInit(path);
    unlink(path);
    return status;
}

struct file_case {
    char text[200];
    aclError expected;
};

ParameterizedTestParameters(init, files)
{
    static struct file_case cases[] = {
        {"{}", ACL_SUCCESS},
        {" {\n} \n", ACL_SUCCESS},
        {"{\"dump\": {\"dump_list\": [], \"dump_path\": \"/x\"}, \"profiler\": {\"switch\": "
         "\"on\"},"
         " \"StackSize\": {\"aicore_stack_size\": 32768}, \"unknown\": [1, 2.5, null, true]}",
         ACL_SUCCESS},
        {"{\"err_msg_mode\": \"0\"}", ACL_SUCCESS},
        {"{\"err_msg_mode\": \"1\"}", ACL_SUCCESS},
        {"{\"err_msg_mode\": 1}", ACL_SUCCESS},
        {"{\"err_msg_mode\": \"2\"}", ACL_ERROR_INVALID_PARAM},
        {"{\"err_msg_mode\": \"\"}", ACL_ERROR_INVALID_PARAM},
        {"{\"err_msg_mode\": 0.5}", ACL_ERROR_INVALID_PARAM},
        {"{\"err_msg_mode\": 1e300}", ACL_ERROR_INVALID_PARAM},
        {"{\"err_msg_mode\": null}", ACL_ERROR_INVALID_PARAM},
        {"{\"defaultDevice\": {\"default_device\": \"0\"}}", ACL_SUCCESS},
        {"{\"defaultDevice\": {\"default_device\": \"-1\"}}", ACL_ERROR_INVALID_PARAM},
        {"{\"defaultDevice\": {\"default_device\": \"1000000\"}}", ACL_ERROR_INVALID_PARAM},
        {"{\"defaultDevice\": {\"default_device\": \"zero\"}}", ACL_ERROR_INVALID_PARAM},
        {"{\"defaultDevice\": {}}", ACL_ERROR_INVALID_PARAM},
        {"{\"defaultDevice\": \"0\"}", ACL_ERROR_INVALID_PARAM},
        {"", ACL_ERROR_PARSE_FILE},
        {"{", ACL_ERROR_PARSE_FILE},
        {"{} {}", ACL_ERROR_PARSE_FILE},
        {"{\"dump\": }", ACL_ERROR_PARSE_FILE},
        {"[]", ACL_ERROR_PARSE_FILE},
        {"\"text\"", ACL_ERROR_PARSE_FILE},
        {"null", ACL_ERROR_PARSE_FILE},
        {"{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":[]}}}}}}}}}", ACL_SUCCESS},
        {"{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":[[]]}}}}}}}}}",
         ACL_ERROR_PARSE_FILE},
    };
    return cr_make_param_array(struct file_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct file_case *file, init, files)
{
    aclError status = init_with(file->text);
    cr_expect_eq(status, file->expected, "%s: %d", file->text, status);
    if (status == ACL_SUCCESS) {
        cr_expect_eq(aclFinalize(), ACL_SUCCESS);
        return;
    }
    expect_text("aclInit(", status == ACL_ERROR_PARSE_FILE ? "configPath, " : "in the file");
    cr_expect_eq(aclInit(NULL), ACL_SUCCESS, "a failed start counts");
    cr_expect_eq(aclFinalize(), ACL_SUCCESS);
}

Test(init, unreadable_files)
{
    expect_refused(aclInit("/nonexistent/acl.json"), ACL_ERROR_INVALID_FILE, "cannot be opened");
    expect_refused(aclInit("/"), ACL_ERROR_INVALID_FILE, "is not a regular file");
    expect_refused(aclInit("/dev/zero"), ACL_ERROR_INVALID_FILE, "is not a regular file");
    char fifo[] = "/tmp/test_system_XXXXXX";
    cr_assert(mkdtemp(fifo));
    rmdir(fifo);
    cr_assert_eq(mkfifo(fifo, 0600), 0);
    expect_refused(aclInit(fifo), ACL_ERROR_INVALID_FILE, "is not a regular file");
    unlink(fifo);
    cr_expect_eq(aclInit(""), ACL_SUCCESS);
    cr_expect_eq(aclFinalize(), ACL_SUCCESS);
}

Test(init, file_that_is_too_large)
{
    size_t size = 2 << 20;
    char *text = malloc(size);
    memset(text, ' ', size);
    memcpy(text, "{}", 2);
    const char *path = file_with(text, size);
    expect_refused(aclInit(path), ACL_ERROR_INVALID_FILE, "cannot be read");
    unlink(path);
    free(text);
}

Test(init, deep_nesting_does_not_overflow)
{
    enum { DEEP = 100000 };
    char *text = malloc(DEEP);
    memset(text, '[', DEEP);
    const char *path = file_with(text, DEEP);
    expect_refused(aclInit(path), ACL_ERROR_PARSE_FILE, "is not a JSON object");
    unlink(path);
    free(text);
}

Test(init, no_memory_for_the_file)
{
    const char *path = file_with("{}", 2);
    rt_alloc_fail_at(1);
    expect_refused(aclInit(path), ACL_ERROR_BAD_ALLOC, "no memory");
    cr_expect_eq(aclInit(path), ACL_SUCCESS);
    cr_expect_eq(aclFinalize(), ACL_SUCCESS);
    unlink(path);
}

static void *fail_in_thread(void *unused)
{
    (void)unused;
    rt_error_report(107000, "thread", "text");
    return NULL;
}

Test(init, err_msg_mode)
{
    pthread_t thread;
    cr_assert_eq(init_with("{\"err_msg_mode\": \"1\"}"), ACL_SUCCESS);
    pthread_create(&thread, NULL, fail_in_thread, NULL);
    pthread_join(thread, NULL);
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text);
    cr_expect_str_eq(text, "thread: text");
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    pthread_create(&thread, NULL, fail_in_thread, NULL);
    pthread_join(thread, NULL);
    cr_expect_null(aclGetRecentErrMsg());
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

/* What a thread that never set a device finds. */
static const char *use_without_setting(void)
{
    int32_t device = -1;
    void *block = NULL;
    aclrtStream stream = NULL;
    if (aclrtMalloc(&block, 64, ACL_MEM_MALLOC_NORMAL_ONLY) != ACL_SUCCESS) return "no memory";
    if (aclrtMemsetAsync(block, 64, 1, 64, NULL) != ACL_SUCCESS) return "no default stream";
    if (aclrtSynchronizeStream(NULL) != ACL_SUCCESS) return "not synchronised";
    if (aclrtGetDevice(&device) != ACL_SUCCESS || device != 0) return "another device";
    if (aclrtCreateStream(&stream) != ACL_SUCCESS) return "no stream";
    return aclrtFree(block) == ACL_SUCCESS ? NULL : "not freed";
}

static void *use_in_thread(void *unused)
{
    (void)unused;
    return (void *)use_without_setting();
}

Test(init, threads_without_a_context_use_the_default_device)
{
    pthread_t thread;
    void *wrong;
    for (int round = 0; round < 2; round++) {
        cr_assert_eq(init_with("{\"defaultDevice\": {\"default_device\": \"0\"}}"), ACL_SUCCESS);
        pthread_create(&thread, NULL, use_in_thread, NULL);
        pthread_join(thread, &wrong);
        cr_expect_null(wrong, "%s", (const char *)wrong);
        expect_refused(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_NULL, "is not set");
        cr_expect_eq(aclrtSetDevice(0), ACL_SUCCESS, "the same device, set as well");
        cr_expect_eq(aclrtResetDevice(0), ACL_SUCCESS);
        cr_assert_eq(aclFinalize(), ACL_SUCCESS);
    }
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    pthread_create(&thread, NULL, use_in_thread, NULL);
    pthread_join(thread, &wrong);
    cr_expect_not_null(wrong, "without the file's key a thread has no context");
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}

Test(init, default_device)
{
    cr_expect_eq(rt_context_default_device(), -1);
    cr_assert_eq(init_with("{\"defaultDevice\": {\"default_device\": \"0\"}}"), ACL_SUCCESS);
    cr_expect_eq(rt_context_default_device(), 0);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
    cr_expect_eq(rt_context_default_device(), -1);
}

/* ---- What this is ---- */

Test(version, of_the_interface)
{
    int32_t major, minor, patch;
    cr_expect_eq(aclrtGetVersion(&major, &minor, &patch), ACL_SUCCESS);
    cr_expect(major == 1 && minor == 13 && patch == 0);
    expect_refused(aclrtGetVersion(NULL, &minor, &patch), ACL_ERROR_INVALID_PARAM, "majorVersion");
    expect_refused(aclrtGetVersion(&major, NULL, &patch), ACL_ERROR_INVALID_PARAM, "minorVersion");
    expect_refused(aclrtGetVersion(&major, &minor, NULL), ACL_ERROR_INVALID_PARAM, "patchVersion");
}

Test(version, of_the_packages)
{
    static const aclCANNPackageName there[] = {ACL_PKG_NAME_CANN,     ACL_PKG_NAME_RUNTIME,
                                               ACL_PKG_NAME_COMPILER, ACL_PKG_NAME_TOOLKIT,
                                               ACL_PKG_NAME_OPP,      ACL_PKG_NAME_OPP_KERNEL};
    aclCANNPackageVersion version;
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
        memset(&version, 0x55, sizeof version);
        cr_expect_eq(aclsysGetCANNVersion(there[i], &version), ACL_SUCCESS);
        cr_expect_str_eq(version.version, "8.5.0");
        cr_expect_str_eq(version.majorVersion, "8");
        cr_expect_str_eq(version.minorVersion, "5");
        cr_expect_str_eq(version.releaseVersion, "0");
        cr_expect_str_eq(version.patchVersion, "");
    }
    expect_refused(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, NULL), ACL_ERROR_INVALID_PARAM,
                   "version is NULL");
    expect_refused(aclsysGetCANNVersion(ACL_PKG_NAME_HCCL, &version), ACL_ERROR_INVALID_FILE,
                   "not there");
    expect_refused(aclsysGetCANNVersion(ACL_PKG_NAME_DRIVER, &version), ACL_ERROR_INVALID_FILE,
                   "not there");
    expect_refused(aclsysGetCANNVersion((aclCANNPackageName)8, &version), ACL_ERROR_INVALID_PARAM,
                   "name is 8");
    expect_refused(aclsysGetCANNVersion((aclCANNPackageName)-1, &version), ACL_ERROR_INVALID_PARAM,
                   "name is -1");
}

Test(version, soc_name)
{
    unsetenv("ACLNN_CPU_SOC");
    cr_expect_str_eq(aclrtGetSocName(), "Ascend910B1");
}

Test(version, soc_name_of_the_environment)
{
    setenv("ACLNN_CPU_SOC", "Ascend310P3", 1);
    cr_expect_str_eq(aclrtGetSocName(), "Ascend310P3");
}

Test(version, run_mode)
{
    aclrtRunMode mode = ACL_DEVICE;
    cr_expect_eq(aclrtGetRunMode(&mode), ACL_SUCCESS);
    cr_expect_eq(mode, ACL_HOST);
    expect_refused(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM, "runMode is NULL");
}

Test(version, attributes)
{
    const aclCannAttr *list;
    size_t count;
    int32_t value;
    cr_assert_eq(aclGetCannAttributeList(&list, &count), ACL_SUCCESS);
    cr_expect(count >= 2);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(aclGetCannAttribute(list[i], &value), ACL_SUCCESS);
        cr_expect_eq(value, 1);
    }
    cr_expect_eq(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &value), ACL_SUCCESS);
    cr_expect_eq(value, 1);
    cr_expect_eq(aclGetCannAttribute(ACL_CANN_ATTR_JIT_COMPILE, &value), ACL_SUCCESS);
    cr_expect_eq(value, 0);
    expect_refused(aclGetCannAttributeList(NULL, &count), ACL_ERROR_INVALID_PARAM, "cannAttrList");
    expect_refused(aclGetCannAttributeList(&list, NULL), ACL_ERROR_INVALID_PARAM, "num");
    expect_refused(aclGetCannAttribute(ACL_CANN_ATTR_BF16, NULL), ACL_ERROR_INVALID_PARAM, "value");
    expect_refused(aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &value), ACL_ERROR_INVALID_PARAM,
                   "cannAttr is -1");
    expect_refused(aclGetCannAttribute((aclCannAttr)3, &value), ACL_ERROR_INVALID_PARAM,
                   "cannAttr is 3");
}

Test(version, capabilities)
{
    int64_t value = 0;
    cr_expect_eq(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value), ACL_SUCCESS);
    cr_expect_eq(value, rt_config()->threads);
    cr_expect_eq(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value), ACL_SUCCESS);
    cr_expect_eq(value, rt_config()->threads);
    cr_expect_eq(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value), ACL_SUCCESS);
    cr_expect(value >= 0);
    expect_refused(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, NULL),
                   ACL_ERROR_INVALID_PARAM, "value is NULL");
    expect_refused(aclGetDeviceCapability(UINT32_MAX, ACL_DEVICE_INFO_L2_SIZE, &value),
                   ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 4294967295");
    expect_refused(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value),
                   ACL_ERROR_INVALID_PARAM, "deviceInfo is -1");
    expect_refused(aclGetDeviceCapability(0, (aclDeviceInfo)3, &value), ACL_ERROR_INVALID_PARAM,
                   "deviceInfo is 3");
}
