/* SPDX-License-Identifier: Apache-2.0 */
/* A case loaded, run between guard pages and compared. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_rows.h"
#include "tests/support/rig_parts.h"

enum { WORKSPACE_ALIGNMENT = 32 };

void rig_begin(struct rig *rig)
{
    *rig = (struct rig){0};
    rig_need(aclInit(NULL) == ACL_SUCCESS, "aclInit");
    rig_need(aclrtSetDevice(0) == ACL_SUCCESS, "aclrtSetDevice");
    rig_need(aclrtCreateStream(&rig->stream) == ACL_SUCCESS, "aclrtCreateStream");
}

void rig_end(struct rig *rig)
{
    for (int i = 0; i < RIG_OPERANDS; i++) {
        struct rig_tensor *tensor = &rig->problem.tensor[i];
        guard_free(&tensor->guard);
        free(tensor->values);
        free(tensor->bits);
        free(tensor->sums);
        free(tensor->want);
        free(tensor->most);
        free(tensor->near);
        free(tensor->slack);
        free(tensor->given);
    }
    guard_free(&rig->workspace);
    rig_need(aclrtDestroyStream(rig->stream) == ACL_SUCCESS, "aclrtDestroyStream");
    rig_need(aclrtResetDevice(0) == ACL_SUCCESS, "aclrtResetDevice");
    rig_need(aclFinalize() == ACL_SUCCESS, "aclFinalize");
}

/* ---- loading ---- */

static void reserve(struct rig_tensor *tensor)
{
    if (tensor->count <= tensor->capacity && tensor->values) return;
    tensor->capacity = 2 * tensor->count;
    tensor->values = rig_resize(tensor->values, tensor->capacity, sizeof *tensor->values);
    tensor->bits = rig_resize(tensor->bits, tensor->capacity, sizeof *tensor->bits);
    tensor->sums = rig_resize(tensor->sums, tensor->capacity, sizeof *tensor->sums);
    tensor->want = rig_resize(tensor->want, tensor->capacity, sizeof *tensor->want);
    tensor->most = rig_resize(tensor->most, tensor->capacity, sizeof *tensor->most);
    tensor->near = rig_resize(tensor->near, tensor->capacity, sizeof *tensor->near);
    tensor->slack = rig_resize(tensor->slack, tensor->capacity, sizeof *tensor->slack);
    tensor->given = rig_resize(tensor->given, tensor->capacity, sizeof *tensor->given);
}

/* Gives an input its elements through its view, because a broadcast view shares some. */
static void settle(struct rig_tensor *tensor, const uint64_t *bits, enum case_data kind,
                   struct random *random)
{
    struct operand view = tensor->view;
    view.data = rig_resize(NULL, view.span, operand_element_size(view.dtype));
    if (bits)
        operand_write_bits(&view, bits);
    else
        operand_randomize(&view, kind, random);
    operand_read_raw(&view, tensor->bits);
    operand_read(&view, tensor->values);
    free(view.data);
}

/* Any element of the large side's plane. */
static void randomize_indices(const struct test_case *test, uint64_t *bits, int64_t count,
                              struct random *random)
{
    int64_t plane = 1;
    for (int i = 0; i < test->axes; i++)
        plane *= test->input[i];
    for (int64_t i = 0; i < count; i++)
        bits[i] = plane > 0 ? (uint64_t)random_below(random, plane) : 0;
}

static void load_input(struct rig_problem *problem, int i, struct random *random)
{
    struct rig_tensor *tensor = &problem->tensor[i];
    if (rig_role_at(problem, i)->tensor == CASE_I) {
        randomize_indices(problem->test, tensor->bits, tensor->count, random);
        settle(tensor, tensor->bits, problem->test->data, random);
    } else {
        settle(tensor, NULL, problem->test->data, random);
    }
}

static void load_inputs(struct rig_problem *problem, struct random *random)
{
    for (int i = 0; i < problem->operands; i++)
        if (rig_is_given(problem, i)) load_input(problem, i, random);
    if (problem->op->fill && (problem->op->row || !any_is_empty(problem))) {
        problem->op->fill(problem, random);
        for (int i = 0; i < problem->operands; i++)
            if (rig_is_given(problem, i))
                settle(&problem->tensor[i], problem->tensor[i].bits, problem->test->data, random);
    }
    for (int i = 0; i < problem->operands; i++) {
        struct rig_tensor *tensor = &problem->tensor[i];
        if (!rig_role_at(problem, i)->is_changed) continue;
        memcpy(tensor->given, tensor->bits, (size_t)tensor->count * sizeof *tensor->bits);
    }
}

/* Views, and how much memory the values need. */
static void view(struct rig *rig, const struct test_case *test)
{
    struct rig_problem *problem = &rig->problem;
    rig->test = *test;
    problem->test = &rig->test;
    problem->call = rig_call_of(problem->op, test);
    problem->operands = problem->call.operands;
    for (int i = 0; i < problem->operands; i++) {
        struct rig_tensor *tensor = &problem->tensor[i];
        tensor->view = problem->call.operand[i];
        tensor->count = problem->call.is_null[i] ? 0 : operand_elements(&tensor->view);
        reserve(tensor);
    }
}

void rig_ask(struct rig *rig)
{
    struct rig_problem *problem = &rig->problem;
    problem->roundings = 0;
    problem->is_sum = false;
    problem->headroom = 1;
    problem->near = (struct compare_near){.via = CASE_DTYPES};
    for (int i = 0; i < problem->operands; i++)
        problem->tensor[i].digits = 0;
    if (problem->op->row) {
        problem->near.ulp = problem->op->row->ulp;
        problem->near.absolute = problem->op->row->absolute;
    }
    problem->sync_code = ACL_SUCCESS;
    problem->sync_words[0] = '\0';
    if (rig_has_oracle(problem)) problem->op->oracle(problem);
}

void rig_load_inputs(struct rig *rig, const struct rig_operator *op, const struct test_case *test)
{
    struct random random = {test->seed};
    rig->problem.op = op;
    rig->problem.sync_code = ACL_SUCCESS;
    view(rig, test);
    load_inputs(&rig->problem, &random);
}

void rig_load(struct rig *rig, const struct rig_operator *op, const struct test_case *test)
{
    rig_load_inputs(rig, op, test);
    rig_ask(rig);
}

void rig_view(struct rig *rig, const struct test_case *test)
{
    int64_t counts[RIG_OPERANDS];
    const int operands = rig->problem.operands;
    for (int i = 0; i < operands; i++)
        counts[i] = rig->problem.tensor[i].count;
    view(rig, test);
    for (int i = 0; i < operands; i++)
        rig_need(rig->problem.tensor[i].count == counts[i], "the same shape");
}

void rig_set(struct rig *rig, int operand, const double *values)
{
    struct rig_tensor *tensor = &rig->problem.tensor[operand];
    for (int64_t i = 0; i < tensor->count; i++) {
        tensor->given[i] = tensor->bits[i] = oracle_to_bits(tensor->view.dtype, values[i]);
        tensor->values[i] = oracle_from_bits(tensor->view.dtype, tensor->bits[i]);
    }
}

/* ---- running ---- */

static bool fail(struct rig *rig, const char *what, int32_t status)
{
    char line[CASE_LINE];
    const char *message = aclGetRecentErrMsg();
    snprintf(rig->text, sizeof rig->text, "%s\n  %s: %" PRId32 " %s", case_print(&rig->test, line),
             what, status, message ? message : "");
    return false;
}

static bool complain(struct rig *rig, const char *what, const char *name)
{
    char line[CASE_LINE];
    snprintf(rig->text, sizeof rig->text, "%s\n  %s %s", case_print(&rig->test, line), what, name);
    return false;
}

/* Memory of one run. */
struct run {
    struct rig_call call;
    void *before[RIG_OPERANDS]; /* copies of the inputs; NULL for others */
    void *device[RIG_OPERANDS]; /* to be freed early */
    void *workspace;
    bool is_workspace_device;
};

static void *device_memory(size_t size)
{
    void *memory = NULL;
    rig_need(aclrtMalloc(&memory, size + 1, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS,
             "aclrtMalloc");
    return memory;
}

static struct operand contiguous(const struct operand *view)
{
    struct operand dense = *view;
    operand_reshape(&dense, view->dims, view->rank, CASE_CONTIGUOUS, 0);
    return dense;
}

static void place_operand(struct rig *rig, struct run *run, int i, enum rig_way way)
{
    struct rig_tensor *tensor = &rig->problem.tensor[i];
    const struct rig_operand *one = rig_role_at(&rig->problem, i);
    struct operand *operand = &run->call.operand[i];
    if (one->role == RIG_SHAPE || run->call.is_null[i]) return;
    *operand = tensor->view;
    if (way == RIG_CONTIGUOUS) {
        operand->offset = 0;
        *operand = contiguous(operand);
    }
    size_t bytes = operand_bytes(operand);
    if (way == RIG_EARLY && !rig_is_output(one))
        operand->data = run->device[i] = device_memory(bytes);
    else
        operand->data =
            guard_place(&tensor->guard, bytes, way == RIG_FRONT ? GUARD_FRONT : GUARD_END,
                        operand_element_size(operand->dtype));
    operand_poison(operand, POISON);
    if (one->is_changed) operand_write_bits(operand, tensor->given);
    if (rig_is_output(one)) return;
    operand_write_bits(operand, tensor->bits);
    run->before[i] = rig_resize(NULL, (int64_t)bytes, 1);
    memcpy(run->before[i], operand->data, bytes);
}

static void *place_workspace(struct rig *rig, struct run *run, enum rig_way way)
{
    uint64_t size = run->call.workspace_size;
    if (size == 0) return NULL;
    if (way == RIG_EARLY) {
        run->workspace = device_memory(size);
        run->is_workspace_device = true;
    } else {
        enum guard_side side = way == RIG_FRONT ? GUARD_FRONT : GUARD_END;
        run->workspace = guard_place(&rig->workspace, size, side, WORKSPACE_ALIGNMENT);
    }
    memset(run->workspace, POISON, size);
    return run->workspace;
}

static void free_early(struct run *run)
{
    for (int i = 0; i < RIG_OPERANDS; i++) {
        if (run->device[i]) rig_need(aclrtFree(run->device[i]) == ACL_SUCCESS, "aclrtFree");
    }
    if (run->is_workspace_device) rig_need(aclrtFree(run->workspace) == ACL_SUCCESS, "aclrtFree");
}

static bool synchronize(struct rig *rig)
{
    const struct rig_problem *problem = &rig->problem;
    aclError code = aclrtSynchronizeStream(rig->stream);
    if (code != problem->sync_code) return fail(rig, "synchronize", code);
    if (code == ACL_SUCCESS) return true;
    const char *text = aclGetRecentErrMsg();
    if (text && strstr(text, problem->op->name) && strstr(text, problem->sync_words)) return true;
    return fail(rig, "the text of the stream's error", code);
}

static bool run_phases(struct rig *rig, struct run *run, enum rig_way way)
{
    struct rig_call *call = &run->call;
    aclnnStatus status = rig_phase1(call);
    if (status != ACLNN_SUCCESS) return fail(rig, "phase 1", status);
    void *workspace = place_workspace(rig, run, way);
    status = call->op->phase2(workspace, call->workspace_size, call->executor, rig->stream);
    rig_close(call);
    free_early(run);
    if (status != ACLNN_SUCCESS) return fail(rig, "phase 2", status);
    return synchronize(rig);
}

static bool is_untouched(struct rig *rig, const struct run *run)
{
    const struct rig_problem *problem = &rig->problem;
    for (int i = 0; i < problem->operands; i++) {
        const struct operand *operand = &run->call.operand[i];
        if (run->before[i] && !run->device[i] &&
            memcmp(run->before[i], operand->data, operand_bytes(operand)) != 0)
            return complain(rig, "changed its input", rig_operand_name(&problem->call, i).text);
        if (rig_role_at(problem, i)->role == RIG_SHAPE || run->device[i] || run->call.is_null[i])
            continue;
        if (!guard_intact(&problem->tensor[i].guard))
            return complain(rig, "changed bytes around", rig_operand_name(&problem->call, i).text);
        if (rig_is_written(problem, i) && !operand_gaps_hold(operand, POISON))
            return complain(rig, "changed bytes between the elements of",
                            rig_operand_name(&problem->call, i).text);
    }
    if (run->workspace && !run->is_workspace_device && !guard_intact(&rig->workspace))
        return complain(rig, "changed bytes around", "the workspace");
    return true;
}

bool rig_run(struct rig *rig, enum rig_way way)
{
    struct run run = {.call = rig_call_of(rig->problem.op, &rig->test)};
    int count = rig->problem.operands;
    for (int i = 0; i < count; i++)
        place_operand(rig, &run, i, way);
    rig_open(&run.call);
    bool ok = run_phases(rig, &run, way);
    rig_close(&run.call);
    ok = ok && is_untouched(rig, &run);
    for (int i = 0; i < count; i++) {
        struct rig_tensor *tensor = &rig->problem.tensor[i];
        if (rig_is_written(&rig->problem, i)) {
            operand_read(&run.call.operand[i], tensor->values);
            operand_read_bits(&run.call.operand[i], tensor->bits);
        }
        free(run.before[i]);
    }
    return ok;
}

/* ---- checks ---- */

static const char *const way_names[RIG_WAYS] = {"at the front of a page", "at the end of a page",
                                                "with contiguous views", "with memory freed early"};

bool rig_check(struct rig *rig, const struct rig_operator *op, const struct test_case *test)
{
    uint64_t *kept[RIG_OPERANDS] = {NULL};
    rig_load(rig, op, test);
    bool ok = rig_run(rig, RIG_FRONT) && rig_compare(rig);
    rig_bits_keep(rig, kept);
    for (int way = RIG_END; ok && way < RIG_WAYS; way++) {
        const bool may_differ = way == RIG_CONTIGUOUS && op->row && op->row->by_strides;
        ok = rig_run(rig, (enum rig_way)way) &&
             (may_differ ? rig_compare(rig) : rig_bits_agree(rig, kept, way_names[way]));
    }
    for (int i = 0; i < RIG_OPERANDS; i++)
        free(kept[i]);
    return ok;
}

static bool parse(struct rig *rig, const struct rig_operator *op, const char *line,
                  struct test_case *test)
{
    char error[256];
    if (!case_parse(line, test, error, sizeof error)) {
        snprintf(rig->text, sizeof rig->text, "%s: %s", line, error);
        return false;
    }
    if (strcmp(test->op, op->word) == 0) return true;
    snprintf(rig->text, sizeof rig->text, "%s: not a case of %s", line, op->word);
    return false;
}

bool rig_check_line(struct rig *rig, const struct rig_operator *op, const char *line)
{
    struct test_case test;
    return parse(rig, op, line, &test) && rig_check(rig, op, &test);
}

bool rig_check_file(struct rig *rig, const struct rig_operator *op, const char *file,
                    int64_t largest, int64_t least)
{
    size_t count;
    int64_t checked = 0;
    struct test_case *cases = case_load(case_path(file), &count);
    bool ok = cases != NULL;
    if (!ok) snprintf(rig->text, sizeof rig->text, "%s cannot be read", file);
    for (size_t i = 0; ok && i < count; i++) {
        bool is_small =
            case_input_elements(&cases[i]) <= largest && case_output_elements(&cases[i]) <= largest;
        if (!is_small || strcmp(cases[i].op, op->word) != 0) continue;
        ok = rig_check(rig, op, &cases[i]);
        checked++;
    }
    free(cases);
    if (!ok || checked >= least) return ok;
    snprintf(rig->text, sizeof rig->text, "%s has only %" PRId64 " cases of %s", file, checked,
             op->word);
    return false;
}

bool rig_check_random(struct rig *rig, const struct rig_operator *op, enum case_dtype dtype,
                      int64_t cases)
{
    uint64_t seed = random_test_seed();
    struct random random = {seed + (uint64_t)dtype};
    for (int64_t i = 0, count = random_test_count(cases); i < count; i++) {
        struct test_case test = rig_random_case(op, &random, dtype);
        if (rig_check(rig, op, &test)) continue;
        size_t used = strlen(rig->text);
        snprintf(rig->text + used, sizeof rig->text - used,
                 "\n  case %" PRId64 " of ACLNN_TEST_SEED=%" PRIu64, i, seed);
        return false;
    }
    return true;
}

bool rig_check_environment(struct rig *rig, const struct rig_operator *op)
{
    const char *line = getenv("ACLNN_TEST_CASE");
    size_t length = strlen(op->word);
    if (!line || strncmp(line, op->word, length) != 0 || line[length] != ' ') return true;
    return rig_check_line(rig, op, line);
}

static bool launch(struct rig *rig, struct rig_call *call, void *workspace)
{
    aclnnStatus status =
        call->op->phase2(workspace, call->workspace_size, call->executor, rig->stream);
    return status == ACLNN_SUCCESS || fail(rig, "phase 2 of a repeatable executor", status);
}

static void read_outputs(struct rig *rig, const struct run *run)
{
    for (int i = 0; i < rig->problem.operands; i++) {
        const struct operand *operand = &run->call.operand[i];
        if (!rig_is_written(&rig->problem, i)) continue;
        operand_read_bits(operand, rig->problem.tensor[i].bits);
        operand_poison(operand, POISON);
        if (rig_role_at(&rig->problem, i)->is_changed)
            operand_write_bits(operand, rig->problem.tensor[i].given);
    }
}

/* Then a second run sees what the first one wrote. */
static bool changes_any(const struct rig_problem *problem)
{
    for (int i = 0; i < problem->operands; i++)
        if (rig_role_at(problem, i)->is_changed) return true;
    return false;
}

bool rig_check_repeatable(struct rig *rig, const struct rig_operator *op, const char *line)
{
    struct test_case test;
    uint64_t *kept[RIG_OPERANDS] = {NULL};
    if (!parse(rig, op, line, &test)) return false;
    rig_load(rig, op, &test);
    bool ok = rig_run(rig, RIG_END) && rig_compare(rig);
    rig_bits_keep(rig, kept);

    struct run run = {.call = rig_call_of(op, &test)};
    for (int i = 0; i < rig->problem.operands; i++)
        place_operand(rig, &run, i, RIG_END);
    rig_open(&run.call);
    aclnnStatus status = rig_phase1(&run.call);
    if (status != ACLNN_SUCCESS) ok = fail(rig, "phase 1", status);
    if (ok) {
        rig_need(aclSetAclOpExecutorRepeatable(run.call.executor) == ACLNN_SUCCESS, "repeatable");
        void *first = place_workspace(rig, &run, RIG_END);
        void *second = rig_resize(NULL, (int64_t)run.call.workspace_size + WORKSPACE_ALIGNMENT, 1);
        uintptr_t aligned = ((uintptr_t)second + WORKSPACE_ALIGNMENT - 1) & ~(uintptr_t)(31);
        for (int turn = 0; ok && turn < 2; turn++) {
            ok = launch(rig, &run.call, first) && synchronize(rig);
            read_outputs(rig, &run);
            ok = ok && rig_bits_agree(rig, kept, "from a repeatable executor");
        }
        if (ok && !changes_any(&rig->problem)) {
            ok = launch(rig, &run.call, first) && launch(rig, &run.call, (void *)aligned) &&
                 synchronize(rig);
            read_outputs(rig, &run);
            ok = ok && rig_bits_agree(rig, kept, "from two runs in flight");
        }
        rig_need(aclDestroyAclOpExecutor(run.call.executor) == ACLNN_SUCCESS, "destroy");
        free(second);
    }
    rig_close(&run.call);
    for (int i = 0; i < RIG_OPERANDS; i++) {
        free(kept[i]);
        free(run.before[i]);
    }
    return ok;
}
