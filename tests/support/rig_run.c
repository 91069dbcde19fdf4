/* SPDX-License-Identifier: Apache-2.0 */
/* A case loaded, run between guard pages and compared. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle_rows.h"

enum { POISON = 0xFF /* a NaN in every floating type */, WORKSPACE_ALIGNMENT = 32 };

static void need(bool condition, const char *what)
{
    if (condition) return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "test rig: %s failed: %s\n", what, message ? message : "");
    abort();
}

void rig_begin(struct rig *rig)
{
    *rig = (struct rig){0};
    need(aclInit(NULL) == ACL_SUCCESS, "aclInit");
    need(aclrtSetDevice(0) == ACL_SUCCESS, "aclrtSetDevice");
    need(aclrtCreateStream(&rig->stream) == ACL_SUCCESS, "aclrtCreateStream");
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
        free(tensor->near);
        free(tensor->given);
    }
    guard_free(&rig->workspace);
    need(aclrtDestroyStream(rig->stream) == ACL_SUCCESS, "aclrtDestroyStream");
    need(aclrtResetDevice(0) == ACL_SUCCESS, "aclrtResetDevice");
    need(aclFinalize() == ACL_SUCCESS, "aclFinalize");
}

/* ---- loading ---- */

static void *resize(void *memory, int64_t count, size_t size)
{
    void *grown = realloc(memory, ((size_t)count + 1) * size);
    need(grown != NULL, "realloc");
    return grown;
}

static void reserve(struct rig_tensor *tensor)
{
    if (tensor->count <= tensor->capacity && tensor->values) return;
    tensor->capacity = 2 * tensor->count;
    tensor->values = resize(tensor->values, tensor->capacity, sizeof *tensor->values);
    tensor->bits = resize(tensor->bits, tensor->capacity, sizeof *tensor->bits);
    tensor->sums = resize(tensor->sums, tensor->capacity, sizeof *tensor->sums);
    tensor->want = resize(tensor->want, tensor->capacity, sizeof *tensor->want);
    tensor->near = resize(tensor->near, tensor->capacity, sizeof *tensor->near);
    tensor->given = resize(tensor->given, tensor->capacity, sizeof *tensor->given);
}

/* Gives an input its elements through its view, because a broadcast view shares some. */
static void settle(struct rig_tensor *tensor, const uint64_t *bits, enum case_data kind,
                   struct random *random)
{
    struct operand view = tensor->view;
    view.data = resize(NULL, view.span, operand_element_size(view.dtype));
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

static bool any_is_empty(const struct rig_problem *problem)
{
    for (int i = 0; i < problem->operands; i++) {
        if (!problem->call.is_null[i] && problem->tensor[i].count == 0) return true;
    }
    return false;
}

static bool has_oracle(const struct rig_problem *problem)
{
    return problem->op->runs_empty || !any_is_empty(problem);
}

/* Role of an operand of what is loaded. */
static const struct rig_operand *role(const struct rig_problem *problem, int i)
{
    return rig_role_of(&problem->call, i);
}

static bool is_output(const struct rig_problem *problem, int i)
{
    return rig_is_output(role(problem, i)) && !problem->call.is_null[i];
}

static bool is_given(const struct rig_problem *problem, int i)
{
    const struct rig_operand *one = role(problem, i);
    return (one->role == RIG_READ || one->is_changed) && !problem->call.is_null[i];
}

static void load_input(struct rig_problem *problem, int i, struct random *random)
{
    struct rig_tensor *tensor = &problem->tensor[i];
    if (role(problem, i)->tensor == CASE_I) {
        randomize_indices(problem->test, tensor->bits, tensor->count, random);
        settle(tensor, tensor->bits, problem->test->data, random);
    } else {
        settle(tensor, NULL, problem->test->data, random);
    }
}

static void load_inputs(struct rig_problem *problem, struct random *random)
{
    for (int i = 0; i < problem->operands; i++)
        if (is_given(problem, i)) load_input(problem, i, random);
    if (problem->op->fill && !any_is_empty(problem)) {
        problem->op->fill(problem, random);
        for (int i = 0; i < problem->operands; i++)
            if (is_given(problem, i))
                settle(&problem->tensor[i], problem->tensor[i].bits, problem->test->data, random);
    }
    for (int i = 0; i < problem->operands; i++) {
        struct rig_tensor *tensor = &problem->tensor[i];
        if (!role(problem, i)->is_changed) continue;
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
    problem->headroom = 1;
    problem->near = (struct compare_near){.via = CASE_DTYPES};
    if (problem->op->row) {
        problem->near.ulp = problem->op->row->ulp;
        problem->near.absolute = problem->op->row->absolute;
    }
    problem->sync_code = ACL_SUCCESS;
    problem->sync_words[0] = '\0';
    if (has_oracle(problem)) problem->op->oracle(problem);
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
        need(rig->problem.tensor[i].count == counts[i], "the same shape");
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
    need(aclrtMalloc(&memory, size + 1, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS, "aclrtMalloc");
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
    const struct rig_operand *one = role(&rig->problem, i);
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
    run->before[i] = resize(NULL, (int64_t)bytes, 1);
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
        if (run->device[i]) need(aclrtFree(run->device[i]) == ACL_SUCCESS, "aclrtFree");
    }
    if (run->is_workspace_device) need(aclrtFree(run->workspace) == ACL_SUCCESS, "aclrtFree");
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
        if (role(problem, i)->role == RIG_SHAPE || run->device[i] || run->call.is_null[i]) continue;
        if (!guard_intact(&problem->tensor[i].guard))
            return complain(rig, "changed bytes around", rig_operand_name(&problem->call, i).text);
        if (is_output(problem, i) && !operand_gaps_hold(operand, POISON))
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
        if (is_output(&rig->problem, i)) {
            operand_read(&run.call.operand[i], tensor->values);
            operand_read_bits(&run.call.operand[i], tensor->bits);
        }
        free(run.before[i]);
    }
    return ok;
}

/* ---- comparing ---- */

static void print_position(const struct operand *view, int64_t index, char *text, size_t size)
{
    int64_t at[OPERAND_RANK];
    for (int i = view->rank - 1; i >= 0; i--) {
        at[i] = index % view->dims[i];
        index /= view->dims[i];
    }
    size_t used = 0;
    for (int i = 0; i < view->rank && used < size; i++) {
        const char *prefix = i == view->channels_at ? "c" : i < view->channels_at ? "n" : "";
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s%" PRId64, i ? " " : "", prefix, at[i]);
    }
}

static bool wrong_element(struct rig *rig, int operand, int64_t i, const char *what)
{
    char line[CASE_LINE], position[200];
    print_position(&rig->problem.tensor[operand].view, i, position, sizeof position);
    snprintf(rig->text, sizeof rig->text, "%s\n  isa %s: %s[%s]: %s", case_print(&rig->test, line),
             getenv("ACLNN_CPU_ISA") ? getenv("ACLNN_CPU_ISA") : "best",
             rig_operand_name(&rig->problem.call, operand).text, position, what);
    return false;
}

static bool compare_sums(struct rig *rig, int operand)
{
    const struct rig_tensor *tensor = &rig->problem.tensor[operand];
    struct compare_rule rule = {tensor->view.dtype, rig->problem.roundings, rig->problem.headroom};
    for (int64_t i = 0; i < tensor->count; i++) {
        const struct oracle_sum *want = &tensor->sums[i];
        double bound, got = tensor->values[i];
        if (compare_sum(&rule, want, got, &bound)) continue;
        char what[256];
        snprintf(what, sizeof what,
                 "expected %.9g (%" PRId64 " terms), got %.9g, off by %.3g, bound %.3g",
                 want->value, want->terms, got, fabs(got - want->value), bound);
        return wrong_element(rig, operand, i, what);
    }
    return true;
}

static bool compare_exactly(struct rig *rig, int operand)
{
    const struct rig_tensor *tensor = &rig->problem.tensor[operand];
    enum case_dtype dtype = tensor->view.dtype;
    for (int64_t i = 0; i < tensor->count; i++) {
        uint64_t want = tensor->want[i], got = tensor->bits[i];
        if (got == want || (oracle_is_nan(dtype, want) && oracle_is_nan(dtype, got))) continue;
        char what[256];
        snprintf(what, sizeof what, "expected %.17g (%" PRIx64 "), got %.17g (%" PRIx64 ")",
                 oracle_from_bits(dtype, want), want, oracle_from_bits(dtype, got), got);
        return wrong_element(rig, operand, i, what);
    }
    return true;
}

static bool compare_closely(struct rig *rig, int operand)
{
    const struct rig_tensor *tensor = &rig->problem.tensor[operand];
    const enum case_dtype dtype = tensor->view.dtype;
    for (int64_t i = 0; i < tensor->count; i++) {
        const double want = tensor->near[i], got = oracle_from_bits(dtype, tensor->bits[i]);
        if (compare_near(rig->problem.near, dtype, want, got)) continue;
        char what[256];
        snprintf(what, sizeof what, "expected %.17g, got %.17g, %.3g ulp away", want, got,
                 fabs(got - want) / oracle_ulp(dtype == CASE_F64 ? CASE_F64 : CASE_F32, want));
        return wrong_element(rig, operand, i, what);
    }
    return true;
}

static bool is_unwritten(struct rig *rig, int operand)
{
    const struct rig_tensor *tensor = &rig->problem.tensor[operand];
    for (int64_t i = 0; role(&rig->problem, operand)->is_changed && i < tensor->count; i++) {
        const uint64_t found = tensor->bits[i], given = tensor->given[i];
        const bool is_nan = oracle_is_nan(tensor->view.dtype, given);
        if (found != given && !(is_nan && oracle_is_nan(tensor->view.dtype, found)))
            return wrong_element(rig, operand, i, "written although all is empty");
    }
    if (tensor->count == 0 || role(&rig->problem, operand)->is_changed) return true;
    struct operand one = tensor->view;
    uint64_t poison = 0, found = 0;
    memset(&poison, POISON, operand_element_size(one.dtype));
    if (oracle_is_nan(one.dtype, poison)) poison = oracle_to_bits(one.dtype, (double)NAN);
    for (int64_t i = 0; i < tensor->count; i++) {
        found = tensor->bits[i];
        if (found != poison) return wrong_element(rig, operand, i, "written although all is empty");
    }
    return true;
}

static bool compare(struct rig *rig, int i)
{
    const struct compare_near *near = &rig->problem.near;
    const bool is_near = near->ulp > 0 || near->absolute > 0;
    const enum rig_role how = role(&rig->problem, i)->role;
    if (how == RIG_SUM) return compare_sums(rig, i);
    if (how == RIG_NEAR || (is_near && oracle_is_float(rig->problem.tensor[i].view.dtype)))
        return compare_closely(rig, i);
    return compare_exactly(rig, i);
}

bool rig_compare(struct rig *rig)
{
    bool ok = true;
    for (int i = 0; ok && i < rig->problem.operands; i++) {
        if (!is_output(&rig->problem, i)) continue;
        ok = has_oracle(&rig->problem) ? compare(rig, i) : is_unwritten(rig, i);
    }
    return ok;
}

/* ---- checks ---- */

static const char *const way_names[RIG_WAYS] = {"at the front of a page", "at the end of a page",
                                                "with contiguous views", "with memory freed early"};

/* The outputs' bits of the last run into, or against, a copy. */
static bool same_bits(struct rig *rig, uint64_t *kept[RIG_OPERANDS], const char *way)
{
    for (int i = 0; i < rig->problem.operands; i++) {
        const struct rig_tensor *tensor = &rig->problem.tensor[i];
        if (!is_output(&rig->problem, i)) continue;
        for (int64_t j = 0; j < tensor->count; j++) {
            if (tensor->bits[j] == kept[i][j]) continue;
            char what[160];
            snprintf(what, sizeof what, "%" PRIx64 " %s, %" PRIx64 " in another run",
                     tensor->bits[j], way, kept[i][j]);
            return wrong_element(rig, i, j, what);
        }
    }
    return true;
}

static void keep_bits(const struct rig *rig, uint64_t *kept[RIG_OPERANDS])
{
    for (int i = 0; i < rig->problem.operands; i++) {
        const struct rig_tensor *tensor = &rig->problem.tensor[i];
        kept[i] = resize(NULL, tensor->count, sizeof *tensor->bits);
        memcpy(kept[i], tensor->bits, (size_t)tensor->count * sizeof *tensor->bits);
    }
}

bool rig_check(struct rig *rig, const struct rig_operator *op, const struct test_case *test)
{
    uint64_t *kept[RIG_OPERANDS] = {NULL};
    rig_load(rig, op, test);
    bool ok = rig_run(rig, RIG_FRONT) && rig_compare(rig);
    keep_bits(rig, kept);
    for (int way = RIG_END; ok && way < RIG_WAYS; way++)
        ok = rig_run(rig, (enum rig_way)way) && same_bits(rig, kept, way_names[way]);
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
        if (!is_output(&rig->problem, i)) continue;
        operand_read_bits(operand, rig->problem.tensor[i].bits);
        operand_poison(operand, POISON);
        if (role(&rig->problem, i)->is_changed)
            operand_write_bits(operand, rig->problem.tensor[i].given);
    }
}

/* Then a second run sees what the first one wrote. */
static bool changes_any(const struct rig_problem *problem)
{
    for (int i = 0; i < problem->operands; i++)
        if (role(problem, i)->is_changed) return true;
    return false;
}

bool rig_check_repeatable(struct rig *rig, const struct rig_operator *op, const char *line)
{
    struct test_case test;
    uint64_t *kept[RIG_OPERANDS] = {NULL};
    if (!parse(rig, op, line, &test)) return false;
    rig_load(rig, op, &test);
    bool ok = rig_run(rig, RIG_END) && rig_compare(rig);
    keep_bits(rig, kept);

    struct run run = {.call = rig_call_of(op, &test)};
    for (int i = 0; i < rig->problem.operands; i++)
        place_operand(rig, &run, i, RIG_END);
    rig_open(&run.call);
    aclnnStatus status = rig_phase1(&run.call);
    if (status != ACLNN_SUCCESS) ok = fail(rig, "phase 1", status);
    if (ok) {
        need(aclSetAclOpExecutorRepeatable(run.call.executor) == ACLNN_SUCCESS, "repeatable");
        void *first = place_workspace(rig, &run, RIG_END);
        void *second = resize(NULL, (int64_t)run.call.workspace_size + WORKSPACE_ALIGNMENT, 1);
        uintptr_t aligned = ((uintptr_t)second + WORKSPACE_ALIGNMENT - 1) & ~(uintptr_t)(31);
        for (int turn = 0; ok && turn < 2; turn++) {
            ok = launch(rig, &run.call, first) && synchronize(rig);
            read_outputs(rig, &run);
            ok = ok && same_bits(rig, kept, "from a repeatable executor");
        }
        if (ok && !changes_any(&rig->problem)) {
            ok = launch(rig, &run.call, first) && launch(rig, &run.call, (void *)aligned) &&
                 synchronize(rig);
            read_outputs(rig, &run);
            ok = ok && same_bits(rig, kept, "from two runs in flight");
        }
        need(aclDestroyAclOpExecutor(run.call.executor) == ACLNN_SUCCESS, "destroy");
        free(second);
    }
    rig_close(&run.call);
    for (int i = 0; i < RIG_OPERANDS; i++) {
        free(kept[i]);
        free(run.before[i]);
    }
    return ok;
}
