/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/support/cgroup.h"
#include "runtime/support/config.h"
#include "runtime/support/log.h"
#include "tests/unit/capture.h"

static void clear_environment(void)
{
    static const char *const names[] = {
        "ACLNN_CPU_DEVICES",      "ACLNN_CPU_THREADS",       "ACLNN_CPU_DEVICE_MEMORY",
        "ACLNN_CPU_MATH",         "ACLNN_CPU_SOC",           "ACLNN_CPU_LOG",
        "ASCEND_LAUNCH_BLOCKING", "ASCEND_GLOBAL_LOG_LEVEL", "ASCEND_SLOG_PRINT_TO_STDOUT",
        "ACLNN_CPU_STRICT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

TestSuite(config, .init = clear_environment);

Test(config, defaults)
{
    const struct rt_config *config = rt_config();
    cr_assert_not_null(config);
    cr_expect_eq(rt_config(), config);
    cr_expect(config->threads >= 1);
    cr_expect_eq(config->devices, 1);
    cr_expect_not(config->launch_blocking);
    cr_expect_not(config->exact_math);
    cr_expect_not(config->strict);
    cr_expect_eq(config->log_topics, 0);
    cr_expect_eq(config->log_level, 3);
    cr_expect_not(config->log_asked);
    cr_expect_not(config->log_to_stdout);
    cr_expect(config->device_memory > 16 << 20);
    cr_expect_str_eq(config->soc_name, "Ascend910B1");
}

Test(config, values)
{
    setenv("ACLNN_CPU_THREADS", "7", 1);
    setenv("ACLNN_CPU_DEVICES", "64", 1);
    setenv("ACLNN_CPU_DEVICE_MEMORY", "3G", 1);
    setenv("ACLNN_CPU_MATH", "exact", 1);
    setenv("ACLNN_CPU_SOC", "Ascend910_9391", 1);
    setenv("ACLNN_CPU_LOG", ",plan,", 1);
    setenv("ACLNN_CPU_STRICT", "1", 1);
    setenv("ASCEND_LAUNCH_BLOCKING", "1", 1);
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "2", 1);
    setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1);
    const struct rt_config *config = rt_config();
    cr_expect_eq(config->threads, 7);
    cr_expect_eq(config->devices, 64);
    cr_expect(config->strict);
    cr_expect_eq(config->device_memory, (size_t)3 << 30);
    cr_expect(config->exact_math);
    cr_expect_str_eq(config->soc_name, "Ascend910_9391");
    cr_expect_eq(config->log_topics, RT_LOG_PLAN);
    cr_expect(config->launch_blocking);
    cr_expect_eq(config->log_level, 2);
    cr_expect(config->log_asked);
    cr_expect(config->log_to_stdout);
}

struct bytes {
    char text[24];
    size_t expected; /* 0: unreadable */
};

ParameterizedTestParameters(config, device_memory)
{
    static struct bytes cases[] = {
        {"1", 1},
        {"1000000", 1000000},
        {"5K", 5 << 10},
        {"5k", 5 << 10},
        {"2M", 2 << 20},
        {"2MB", 2 << 20},
        {"2MiB", 2 << 20},
        {"4g", (size_t)4 << 30},
        {"1T", (size_t)1 << 40},
        {"123B", 123},
        {"0", 0},
        {"-1", 0},
        {"+1", 0},
        {" 1", 0},
        {"G", 0},
        {"1X", 0},
        {"1GG", 0},
        {"1 G", 0},
        {"1.5G", 0},
        {"1iB", 0},
        {"99999999999999999999", 0},
        {"18446744073709551615G", 0},
    };
    return cr_make_param_array(struct bytes, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct bytes *bytes, config, device_memory, .init = clear_environment)
{
    setenv("ACLNN_CPU_DEVICE_MEMORY", bytes->text, 1);
    size_t memory = rt_config()->device_memory;
    if (bytes->expected)
        cr_expect_eq(memory, bytes->expected, "%s: %zu", bytes->text, memory);
    else
        cr_expect(memory > 16 << 20 && memory < (size_t)1 << 50, "%s: %zu", bytes->text, memory);
}

Test(config, nonsense_keeps_defaults_and_is_told)
{
    setenv("ACLNN_CPU_THREADS", "many", 1);
    setenv("ACLNN_CPU_DEVICES", "65", 1);
    setenv("ACLNN_CPU_DEVICE_MEMORY", "lots", 1);
    setenv("ACLNN_CPU_MATH", "approximate", 1);
    setenv("ACLNN_CPU_SOC", "a name that is longer than any chip's name", 1);
    setenv("ACLNN_CPU_LOG", "plan,everything", 1);
    setenv("ASCEND_LAUNCH_BLOCKING", "yes", 1);
    setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "2", 1);
    struct capture capture = capture_begin(STDERR_FILENO);
    const struct rt_config *config = rt_config();
    static char text[8192];
    capture_end(&capture, text, sizeof text);
    cr_expect(config->threads >= 1);
    cr_expect_eq(config->devices, 1);
    cr_expect_not(config->exact_math);
    cr_expect_not(config->launch_blocking);
    cr_expect_not(config->log_to_stdout);
    cr_expect_eq(config->log_topics, RT_LOG_PLAN);
    cr_expect_str_eq(config->soc_name, "Ascend910B1");
    static const char *const told[] = {"ACLNN_CPU_THREADS",       "ACLNN_CPU_DEVICES",
                                       "ACLNN_CPU_DEVICE_MEMORY", "ACLNN_CPU_MATH",
                                       "ACLNN_CPU_SOC",           "ACLNN_CPU_LOG",
                                       "ASCEND_LAUNCH_BLOCKING",  "ASCEND_SLOG_PRINT_TO_STDOUT"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        char *line = strstr(text, told[i]);
        cr_assert_not_null(line, "%s is not told", told[i]);
        cr_expect_null(strstr(line + 1, told[i]), "%s is told twice", told[i]);
    }
}

Test(config, says_what_is_taken_instead)
{
    setenv("ACLNN_CPU_THREADS", "abc", 1);
    struct capture capture = capture_begin(STDERR_FILENO);
    const int threads = rt_config()->threads;
    char text[512], wanted[256];
    capture_end(&capture, text, sizeof text);
    snprintf(wanted, sizeof wanted,
             "aclnn-cpu: ACLNN_CPU_THREADS=abc is not taken: it must be a whole number from 1 to "
             "4096; %d is taken\n",
             threads);
    cr_expect_str_eq(text, wanted);
}

Test(config, is_silent_when_that_is_asked_for)
{
    setenv("ACLNN_CPU_THREADS", "abc", 1);
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "4", 1);
    struct capture capture = capture_begin(STDERR_FILENO);
    rt_config();
    char text[512];
    cr_expect_eq(capture_end(&capture, text, sizeof text), 0, "%s", text);
}

Test(config, empty_is_unset)
{
    setenv("ACLNN_CPU_THREADS", "", 1);
    setenv("ACLNN_CPU_SOC", "", 1);
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "", 1);
    cr_expect(rt_config()->threads >= 1);
    cr_expect_str_eq(rt_config()->soc_name, "Ascend910B1");
    cr_expect_not(rt_config()->log_asked);
}

struct number {
    char text[16];
};

ParameterizedTestParameters(config, unreadable_threads)
{
    static struct number cases[] = {{"0"}, {"-3"}, {"4097"}, {"2x"}, {"999999999999"}, {"1e3"}};
    return cr_make_param_array(struct number, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct number *number, config, unreadable_threads, .init = clear_environment)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    setenv("ACLNN_CPU_THREADS", number->text, 1);
    cr_expect_eq(rt_config()->threads, 1, "%s", number->text);
}

Test(config, threads_are_the_cpus_of_the_mask)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_expect_eq(rt_config()->threads, 1);
    cr_expect(rt_config()->threads_fill_cpus);
}

Test(config, more_threads_than_cpus_are_not_pinned)
{
    setenv("ACLNN_CPU_THREADS", "4096", 1);
    cr_expect_eq(rt_config()->threads, 4096);
    cr_expect_not(rt_config()->threads_fill_cpus);
}

static void *read_in_thread(void *unused)
{
    (void)unused;
    return (void *)rt_config();
}

Test(config, threads_read_one_configuration)
{
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, read_in_thread, NULL);
    for (int i = 0; i < 8; i++) {
        void *config;
        pthread_join(threads[i], &config);
        cr_expect_eq(config, (void *)rt_config());
    }
}

/* ---- Control groups ---- */

static char root[64];

static void make_root(void)
{
    strcpy(root, P_tmpdir "/aclnn-cpu-test-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
}

static void remove_root(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(cgroup, .init = make_root, .fini = remove_root);

/* Writes a file below root, making its folders. */
static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

static struct rt_cgroup limits_of(const char *groups)
{
    put("groups", groups);
    char path[128];
    snprintf(path, sizeof path, "%s/groups", root);
    return rt_cgroup_limits(root, path);
}

Test(cgroup, nothing_to_read_limits_nothing)
{
    struct rt_cgroup limits = rt_cgroup_limits(root, "/nonexistent/groups");
    cr_expect_eq(limits.cpus, 0);
    cr_expect_eq(limits.memory, 0);
    limits = limits_of("0::/some/where\n");
    cr_expect_eq(limits.cpus, 0);
    cr_expect_eq(limits.memory, 0);
}

Test(cgroup, version_2_rounds_the_quota_up)
{
    put("job/cpu.max", "250000 100000\n");
    put("job/memory.max", "1073741824\n");
    struct rt_cgroup limits = limits_of("0::/job\n");
    cr_expect_eq(limits.cpus, 3);
    cr_expect_eq(limits.memory, (size_t)1 << 30);
}

Test(cgroup, version_2_without_limits)
{
    put("job/cpu.max", "max 100000\n");
    put("job/memory.max", "max\n");
    struct rt_cgroup limits = limits_of("0::/job\n");
    cr_expect_eq(limits.cpus, 0);
    cr_expect_eq(limits.memory, 0);
}

Test(cgroup, tightest_of_the_ancestors)
{
    put("a/cpu.max", "200000 100000\n");
    put("a/b/cpu.max", "800000 100000\n");
    put("a/b/c/cpu.max", "max 100000\n");
    put("a/memory.max", "8000000\n");
    put("a/b/memory.max", "4000000\n");
    struct rt_cgroup limits = limits_of("0::/a/b/c\n");
    cr_expect_eq(limits.cpus, 2);
    cr_expect_eq(limits.memory, 4000000);
}

Test(cgroup, version_1)
{
    put("cpu,cpuacct/job/cpu.cfs_quota_us", "150000\n");
    put("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    put("memory/job/memory.limit_in_bytes", "2147483648\n");
    put("cpuset/job/cpu.max", "1 1\n");
    struct rt_cgroup limits = limits_of("3:cpuset:/job\n2:cpu,cpuacct:/job\n1:memory:/job\n0::/\n");
    cr_expect_eq(limits.cpus, 2);
    cr_expect_eq(limits.memory, (size_t)2 << 30);
}

Test(cgroup, version_1_without_limits)
{
    put("cpu/cpu.cfs_quota_us", "-1\n");
    put("cpu/cpu.cfs_period_us", "100000\n");
    put("memory/memory.limit_in_bytes", "9223372036854771712\n");
    struct rt_cgroup limits = limits_of("2:cpu:/\n1:memory:/\n");
    cr_expect_eq(limits.cpus, 0);
    cr_expect_eq(limits.memory, 0);
}

/* Inside a container the file names the host's group; the mount shows the container's root. */
Test(cgroup, group_that_is_not_mounted)
{
    put("memory/memory.limit_in_bytes", "1000000\n");
    put("cpu.max", "100000 100000\n");
    struct rt_cgroup limits = limits_of("1:memory:/docker/0123\n0::/docker/0123\n");
    cr_expect_eq(limits.memory, 1000000);
    cr_expect_eq(limits.cpus, 1);
}

Test(cgroup, nonsense_does_not_limit)
{
    put("job/cpu.max", "0 0\n");
    put("job/memory.max", "-5\n");
    struct rt_cgroup limits = limits_of("garbage\n0::\n:::\n0::/job\n\n0:");
    cr_expect_eq(limits.cpus, 0);
    cr_expect_eq(limits.memory, 0);
    put("job/cpu.max", "99999999999999999999 1\n");
    put("job/memory.max", "words\n");
    limits = limits_of("0::/job\n");
    cr_expect_eq(limits.cpus, 0);
    cr_expect_eq(limits.memory, 0);
}
