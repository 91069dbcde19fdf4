/* SPDX-License-Identifier: Apache-2.0 */
/* The environment is read once per process, so each setting runs in a child, which sends back one
 * checksum per case. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/rig.h"

const struct rig_setting rig_threads = {"ACLNN_CPU_THREADS",
                                        (const char *const[]){"1", "3", "8", NULL}};
/* Beside the best, which runs without the setting. The run of the best level compares them all;
 * with_isa says so to the others. */
const struct rig_setting rig_isas = {"ACLNN_CPU_ISA", (const char *const[]){"avx2", "base", NULL}};
const struct rig_setting rig_blocking = {"ASCEND_LAUNCH_BLOCKING",
                                         (const char *const[]){"1", NULL}};

struct workload {
    const struct rig_operator *op;
    const char *const *lines;
    int64_t line_count, count;
};

static struct test_case case_number(const struct workload *load, int64_t number,
                                    struct random *random)
{
    struct test_case test;
    char error[256];
    if (number >= load->line_count)
        return rig_random_case(load->op, random, (enum case_dtype)(number % CASE_FLOATS));
    if (!case_parse(load->lines[number], &test, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", load->lines[number], error);
        abort();
    }
    return test;
}

static struct random start(void)
{
    return (struct random){random_test_seed() + 77};
}

static uint64_t checksum(const struct rig *rig)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a over words */
    for (int i = 0; i < rig->problem.operands; i++) {
        const struct rig_tensor *tensor = &rig->problem.tensor[i];
        for (int64_t j = 0; j < tensor->count; j++)
            hash = (hash ^ tensor->bits[j]) * 0x100000001b3;
    }
    return hash;
}

/* In a child. */
static void send_checksums(const struct workload *load, int to)
{
    static struct rig rig;
    struct random random = start();
    rig_begin(&rig);
    for (int64_t i = 0; i < load->count; i++) {
        struct test_case test = case_number(load, i, &random);
        /* Other operators' oracles say what synchronising must. */
        (load->op->row ? rig_load_inputs : rig_load)(&rig, load->op, &test);
        for (int j = 0; j < rig.problem.operands; j++) {
            struct rig_tensor *tensor = &rig.problem.tensor[j];
            if (rig_role_of(&rig.problem.call, j)->role == RIG_SHAPE)
                memset(tensor->bits, 0, (size_t)tensor->count * sizeof *tensor->bits);
        }
        if (!rig_run(&rig, RIG_END)) {
            fprintf(stderr, "%s\n", rig.text);
            _exit(1);
        }
        uint64_t sum = checksum(&rig);
        if (write(to, &sum, sizeof sum) != (ssize_t)sizeof sum) _exit(2);
    }
    rig_end(&rig);
    _exit(0);
}

/* The checksums with one variable set; NULL leaves the environment as it is. */
static bool run_child(const struct workload *load, const char *variable, const char *value,
                      uint64_t *sums, char *text)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0) abort();
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        close(ends[0]);
        alarm(500); /* a hang must not outlive the test */
        if (value) setenv(variable, value, 1);
        send_checksums(load, ends[1]);
    }
    close(ends[1]);
    size_t wanted = (size_t)load->count * sizeof *sums, got = 0;
    while (got < wanted) {
        ssize_t part = read(ends[0], (char *)sums + got, wanted - got);
        if (part <= 0) break;
        got += (size_t)part;
    }
    close(ends[0]);
    if (waitpid(child, &status, 0) == child && got == wanted && status == 0) return true;
    snprintf(text, RIG_TEXT, "%s=%s: the child ended with %d after %zu of %zu bytes", variable,
             value ? value : "", status, got, wanted);
    return false;
}

static bool equal(const struct workload *load, const struct rig_setting *setting, const char *value,
                  const uint64_t *want, const uint64_t *got, char *text)
{
    struct random random = start();
    for (int64_t i = 0; i < load->count; i++) {
        struct test_case test = case_number(load, i, &random);
        char line[CASE_LINE];
        if (got[i] == want[i]) continue;
        snprintf(text, RIG_TEXT, "%s\n  other bits with %s=%s (ACLNN_TEST_SEED=%" PRIu64 ")",
                 case_print(&test, line), setting->variable, value, random_test_seed());
        return false;
    }
    return true;
}

bool rig_same_bits(const struct rig_operator *op, const struct rig_setting *setting,
                   const char *const *lines, int line_count, int64_t random_cases, char *text)
{
    if (setting == &rig_isas && getenv("ACLNN_TEST_NOT_BEST")) return true;
    struct workload load = {op, lines, line_count, 0};
    load.count =
        line_count + (op->random_case || op->random_row ? random_test_count(random_cases) : 0);
    uint64_t *want = calloc((size_t)load.count + 1, sizeof *want);
    uint64_t *got = calloc((size_t)load.count + 1, sizeof *got);
    if (!want || !got) abort();
    bool ok = run_child(&load, setting->variable, NULL, want, text);
    for (int i = 0; ok && setting->values[i]; i++) {
        const char *value = setting->values[i];
        ok = run_child(&load, setting->variable, value, got, text) &&
             equal(&load, setting, value, want, got, text);
    }
    free(want);
    free(got);
    return ok;
}
