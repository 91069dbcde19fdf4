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

/* Problem i of the work: which operator's, and which of its lines, or a random one behind them. */
struct at {
    const struct rig_work *work;
    int64_t number;
};

static int64_t problems_of(const struct rig_work *work)
{
    const bool has_random = work->op->random_case || work->op->random_row;
    return work->line_count + (has_random ? random_test_count(work->random_cases) : 0);
}

static struct at at(const struct rig_work *work, int64_t i)
{
    while (i >= problems_of(work))
        i -= problems_of(work++);
    return (struct at){work, i};
}

static struct test_case case_at(struct at at, struct random *random)
{
    struct test_case test;
    char error[256];
    if (at.number >= at.work->line_count)
        return rig_random_case(at.work->op, random, (enum case_dtype)(at.number % CASE_FLOATS));
    if (!case_parse(at.work->lines[at.number], &test, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", at.work->lines[at.number], error);
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
static void send_checksums(const struct rig_work *work, int64_t count, int to)
{
    static struct rig rig;
    struct random random = start();
    rig_begin(&rig);
    for (int64_t i = 0; i < count; i++) {
        const struct rig_operator *op = at(work, i).work->op;
        const struct test_case test = case_at(at(work, i), &random);
        /* An oracle is asked only where indices may be bad: it says what synchronising must. */
        (test.picks == CASE_BAD || op->fill ? rig_load : rig_load_inputs)(&rig, op, &test);
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
static bool run_child(const struct rig_work *work, int64_t count, const char *variable,
                      const char *value, uint64_t *sums, char *text)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0) abort();
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        close(ends[0]);
        alarm(500); /* a hang must not outlive the test */
        if (value) setenv(variable, value, 1);
        send_checksums(work, count, ends[1]);
    }
    close(ends[1]);
    size_t wanted = (size_t)count * sizeof *sums, got = 0;
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

static bool equal(const struct rig_work *work, int64_t count, const struct rig_setting *setting,
                  const char *value, const uint64_t *want, const uint64_t *got, char *text)
{
    struct random random = start();
    for (int64_t i = 0; i < count; i++) {
        const struct test_case test = case_at(at(work, i), &random);
        char line[CASE_LINE];
        if (got[i] == want[i]) continue;
        snprintf(text, RIG_TEXT, "%s\n  other bits with %s=%s (ACLNN_TEST_SEED=%" PRIu64 ")",
                 case_print(&test, line), setting->variable, value, random_test_seed());
        return false;
    }
    return true;
}

bool rig_same_bits(const struct rig_work *work, int operators, const struct rig_setting *setting,
                   char *text)
{
    if (strcmp(setting->variable, rig_isas.variable) == 0 && getenv("ACLNN_TEST_NOT_BEST"))
        return true;
    int64_t count = 0;
    for (int i = 0; i < operators; i++)
        count += problems_of(&work[i]);
    uint64_t *want = calloc((size_t)count + 1, sizeof *want);
    uint64_t *got = calloc((size_t)count + 1, sizeof *got);
    if (!want || !got) abort();
    bool ok = run_child(work, count, setting->variable, NULL, want, text);
    for (int i = 0; ok && setting->values[i]; i++) {
        const char *value = setting->values[i];
        ok = run_child(work, count, setting->variable, value, got, text) &&
             equal(work, count, setting, value, want, got, text);
    }
    free(want);
    free(got);
    return ok;
}
