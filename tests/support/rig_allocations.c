/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with the n-th host allocation failing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rig_flight.h"

typedef int64_t fail_at_fn(int64_t n);

enum { TOO_MANY = 200, LATER_RUNS = 20 };

static bool complain(struct rig *rig, const char *what, int64_t n)
{
    char line[CASE_LINE];
    const char *message = aclGetRecentErrMsg();
    snprintf(rig->text, sizeof rig->text, "%s\n  allocation %" PRId64 ": %s (%s)",
             case_print(&rig->test, line), n, what, message ? message : "no text");
    return false;
}

static void allocate(struct rig_flight *flight)
{
    flight->workspace = aligned_alloc(64, (flight->call.workspace_size + 64) / 64 * 64);
    if (!flight->workspace) abort();
}

static bool says_memory(aclnnStatus status)
{
    const char *text = aclGetRecentErrMsg();
    return status >= 161000 && text && strstr(text, "memory");
}

/* *failed: whether some allocation of the phase failed. */
static bool fail_phase_1(struct rig *rig, fail_at_fn *fail_at, int64_t n, bool *failed)
{
    struct rig_flight flight = rig_prepare(rig, rig->problem.op, &rig->test);
    bool ok = true;
    fail_at(n);
    aclnnStatus status = rig_phase1(&flight.call);
    fail_at(0);
    *failed = status != ACLNN_SUCCESS;
    if (!*failed)
        aclDestroyAclOpExecutor(flight.call.executor);
    else if (!says_memory(status))
        ok = complain(rig, "phase 1 gives no code or text of memory", n);
    else if (flight.call.workspace_size != RIG_UNWRITTEN_SIZE || flight.call.executor)
        ok = complain(rig, "phase 1 failed and wrote its outputs", n);
    rig_finish(&flight);
    return ok;
}

static bool after_phase_2(struct rig *rig, struct rig_flight *flight, aclnnStatus status, int64_t n,
                          bool is_repeatable)
{
    if (status == ACLNN_SUCCESS) return rig_is_right(rig, flight);
    if (!says_memory(status)) return complain(rig, "phase 2 gives no code or text of memory", n);
    if (!rig_is_unwritten(flight)) return complain(rig, "phase 2 failed and wrote", n);
    if (!is_repeatable) return true;
    if (rig_launch(flight, rig->stream) != ACLNN_SUCCESS) return complain(rig, "later run", n);
    aclrtSynchronizeStream(rig->stream);
    return rig_is_right(rig, flight);
}

static bool fail_phase_2(struct rig *rig, fail_at_fn *fail_at, int64_t n, bool is_repeatable,
                         bool *failed)
{
    struct rig_flight flight = rig_prepare(rig, rig->problem.op, &rig->test);
    if (rig_phase1(&flight.call) != ACLNN_SUCCESS) return complain(rig, "phase 1", n);
    if (is_repeatable) aclSetAclOpExecutorRepeatable(flight.call.executor);
    allocate(&flight);
    fail_at(n);
    aclnnStatus status = rig_launch(&flight, rig->stream);
    aclError synchronized = aclrtSynchronizeStream(rig->stream);
    fail_at(0);
    *failed = status != ACLNN_SUCCESS;
    bool ok = synchronized == rig->problem.sync_code || *failed
                  ? after_phase_2(rig, &flight, status, n, is_repeatable)
                  : complain(rig, "synchronise", n);
    if (is_repeatable) aclDestroyAclOpExecutor(flight.call.executor);
    rig_finish(&flight);
    return ok;
}

static bool later_runs(struct rig *rig, fail_at_fn *fail_at)
{
    struct rig_flight flight = rig_prepare(rig, rig->problem.op, &rig->test);
    if (rig_phase1(&flight.call) != ACLNN_SUCCESS) return complain(rig, "phase 1", 0);
    aclSetAclOpExecutorRepeatable(flight.call.executor);
    allocate(&flight);
    bool ok = true;
    for (int run = 0; run < LATER_RUNS; run++) {
        if (run == 1) fail_at(0); /* counts from here */
        ok &= rig_launch(&flight, rig->stream) == ACLNN_SUCCESS;
        aclrtSynchronizeStream(rig->stream);
    }
    int64_t made = fail_at(0);
    if (!ok) complain(rig, "a later run of a repeatable executor failed", made);
    if (ok && made > 0 && rig->problem.sync_code == ACL_SUCCESS)
        ok = complain(rig, "made by later runs of a repeatable executor", made);
    aclDestroyAclOpExecutor(flight.call.executor);
    rig_finish(&flight);
    return ok;
}

bool rig_check_allocations(struct rig *rig, const struct rig_operator *op, const char *line,
                           int64_t (*fail_at)(int64_t n))
{
    struct test_case test;
    bool failed = true, ok = true;
    if (!case_parse(line, &test, rig->text, sizeof rig->text)) return false;
    rig_load(rig, op, &test);
    int64_t n = 0;
    while (ok && failed && n < TOO_MANY)
        ok = fail_phase_1(rig, fail_at, ++n, &failed);
    if (ok && (n == 1 || n == TOO_MANY)) ok = complain(rig, "last one tried", n);
    for (int is_repeatable = 0; ok && is_repeatable < 2; is_repeatable++) {
        failed = true;
        for (n = 0; ok && failed && n < TOO_MANY;)
            ok = fail_phase_2(rig, fail_at, ++n, is_repeatable, &failed);
        if (ok && n == TOO_MANY) ok = complain(rig, "last one tried", n);
    }
    return ok && later_runs(rig, fail_at);
}
