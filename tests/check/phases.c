/* SPDX-License-Identifier: Apache-2.0 */
/* What runs here between the two phases of an operator, and would not on a device. */
#include "acl/acl_op_compiler.h"
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"

#include "tests/check/program.h"

enum { SIDE = 16 };

struct call {
    aclTensor *in, *out;
    aclOpExecutor *executor;
};

static struct call plan(void *to, void *from, int64_t count)
{
    uint64_t size;
    struct call call = {.in = tensor_of(from, count), .out = tensor_of(to, count)};
    OK(aclnnAbsGetWorkspaceSize(call.in, call.out, &size, &call.executor));
    return call;
}

static void destroy_tensors(const struct call *call)
{
    aclDestroyTensor(call->in);
    aclDestroyTensor(call->out);
}

/* --- executors ------------------------------------------------------------------------------ */

static void phase_2_twice(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0], FLOATS);
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    aclnnAbs(NULL, 0, call.executor, w->s[0]);
    destroy_tensors(&call);
}

static void phase_2_of_a_destroyed_executor(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0], FLOATS);
    OK(aclDestroyAclOpExecutor(call.executor));
    aclnnAbs(NULL, 0, call.executor, w->s[0]);
    destroy_tensors(&call);
}

/* Too late: phase 2 has ended it. */
static void repeatable_after_phase_2(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0], FLOATS);
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    aclSetAclOpExecutorRepeatable(call.executor);
    aclnnAbs(NULL, 0, call.executor, w->s[0]);
    destroy_tensors(&call);
}

static void phase_2_twice_of_a_repeatable(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0], FLOATS);
    OK(aclSetAclOpExecutorRepeatable(call.executor));
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    OK(aclDestroyAclOpExecutor(call.executor));
    destroy_tensors(&call);
}

/* --- tensors -------------------------------------------------------------------------------- */

static void tensor_destroyed_between_phases(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0], FLOATS);
    aclDestroyTensor(call.in);
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    aclDestroyTensor(call.out);
}

/* The second run uses them too. */
static void tensor_destroyed_between_runs(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0], FLOATS);
    OK(aclSetAclOpExecutorRepeatable(call.executor));
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    destroy_tensors(&call);
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    OK(aclDestroyAclOpExecutor(call.executor));
}

static void concatenate(struct world *w, int is_early)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *parts[] = {tensor_of(w->d[0], FLOATS / 2), tensor_of(w->d[1], FLOATS / 2)};
    aclTensorList *list = aclCreateTensorList((const aclTensor *const *)parts, 2);
    aclTensor *out = tensor_of(w->d[2], FLOATS);
    OK(aclnnCatGetWorkspaceSize(list, 0, out, &size, &executor));
    if (is_early) aclDestroyTensorList(list);
    OK(aclnnCat(NULL, 0, executor, w->s[0]));
    if (!is_early) aclDestroyTensorList(list);
    aclDestroyTensor(out);
}

static void list_destroyed_between_phases(struct world *w)
{
    concatenate(w, 1);
}

static void list_destroyed_after_phase_2(struct world *w)
{
    concatenate(w, 0);
}

static void tensors_destroyed_after_phase_2(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0], FLOATS);
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    destroy_tensors(&call);
}

/* Nobody runs it. */
static void tensors_destroyed_before_their_executor(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0], FLOATS);
    OK(aclSetAclOpExecutorRepeatable(call.executor));
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    destroy_tensors(&call);
    OK(aclDestroyAclOpExecutor(call.executor));
}

/* A new tensor may have the old one's address. */
static void tensor_made_anew(struct world *w)
{
    destroy_tensors(&(struct call){.in = tensor_of(w->d[0], 1), .out = tensor_of(w->d[1], 1)});
    tensors_destroyed_after_phase_2(w);
}

/* --- sizes that an operator settles when it runs --------------------------------------------- */

/* Queues it; the places' tensor is returned, whose size is known when it has run. */
static aclTensor *places_of(struct world *w, int stream)
{
    uint64_t size;
    aclOpExecutor *executor;
    const int64_t sizes[] = {SIDE, 1};
    aclTensor *from = tensor_of(w->d[0], SIDE);
    aclTensor *to = aclCreateTensor(sizes, 2, ACL_INT64, NULL, 0, ACL_FORMAT_ND, sizes, 2, w->d[1]);
    OK(aclnnNonzeroGetWorkspaceSize(from, to, &size, &executor));
    OK(aclnnNonzero(w->workspace, WORKSPACE, executor, w->s[stream]));
    aclDestroyTensor(from);
    return to;
}

static void places_destroyed_at_once(struct world *w)
{
    aclDestroyTensor(places_of(w, 0));
}

/* Another stream's end says nothing of it. */
static void places_destroyed_behind_another_stream(struct world *w)
{
    aclTensor *places = places_of(w, 0);
    OK(aclrtSynchronizeStream(w->s[1]));
    aclDestroyTensor(places);
}

/* The operation stands behind an event that is recorded afterwards. */
static void places_destroyed_before_what_waits(struct world *w)
{
    OK(aclrtResetEvent(w->e[0], w->s[0]));
    OK(aclrtStreamWaitEvent(w->s[0], w->e[0]));
    aclTensor *places = places_of(w, 0);
    aclDestroyTensor(places);
    OK(aclrtRecordEvent(w->e[0], w->s[1]));
}

static void places_destroyed_behind_the_stream(struct world *w)
{
    aclTensor *places = places_of(w, 0);
    OK(aclrtSynchronizeStream(w->s[0]));
    aclDestroyTensor(places);
}

static void places_destroyed_behind_an_event(struct world *w)
{
    aclTensor *places = places_of(w, 0);
    OK(aclrtRecordEvent(w->e[0], w->s[0]));
    OK(aclrtSynchronizeEvent(w->e[0]));
    aclDestroyTensor(places);
}

/* A replay settles it; the capture has run nothing. */
static void places_of_what_was_captured(struct world *w)
{
    aclmdlRI graph;
    OK(aclmdlRICaptureBegin(w->s[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    aclTensor *places = places_of(w, 0);
    OK(aclmdlRICaptureEnd(w->s[0], &graph));
    aclDestroyTensor(places);
    OK(aclmdlRIExecuteAsync(graph, w->s[0]));
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclmdlRIDestroy(graph));
}

/* --- workspaces ----------------------------------------------------------------------------- */

static void workspace_smaller_than_asked(struct world *w)
{
    if (run_with_workspace(w, 0, 1, 0, w->workspace, 32) == 0) exit(3);
}

/* A constant that is right here: the device's phase 1 may say 65536. */
static void workspace_smaller_than_said(struct world *w)
{
    void *small = device(512);
    struct call call = plan(w->d[1], w->d[0], FLOATS);
    OK(aclnnAbs(small, 65536, call.executor, w->s[0]));
    destroy_tensors(&call);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtFree(small));
}

static void workspace_that_is_too_large(struct world *w)
{
    with_workspace(w, 0, 1, 0, w->workspace, WORKSPACE);
}

/* --- alignment ------------------------------------------------------------------------------ */

static void tensor_at_the_second_float(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0] + 4, FLOATS - 8);
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    destroy_tensors(&call);
}

static void tensor_at_byte_32(struct world *w)
{
    struct call call = plan(w->d[1], w->d[0] + 32, FLOATS - 8);
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    destroy_tensors(&call);
}

/* The offset of a view may be any. */
static void view_from_the_second_float(struct world *w)
{
    uint64_t size;
    const int64_t count = FLOATS - 8, one = 1, all = FLOATS;
    struct call call = {.out = tensor_of(w->d[1], count)};
    call.in = aclCreateTensor(&count, 1, ACL_FLOAT, &one, 1, ACL_FORMAT_ND, &all, 1, w->d[0]);
    OK(aclnnAbsGetWorkspaceSize(call.in, call.out, &size, &call.executor));
    OK(aclnnAbs(NULL, 0, call.executor, w->s[0]));
    destroy_tensors(&call);
}

/* --- formats of the device's own ------------------------------------------------------------ */

static aclTensor *matrix(void *memory, aclFormat format)
{
    const int64_t sizes[] = {SIDE, SIDE}, strides[] = {SIDE, 1};
    return aclCreateTensor(sizes, 2, ACL_FLOAT16, strides, 0, format, sizes, 2, memory);
}

static void rearrange(struct world *w, int buffer)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *weight = matrix(w->d[buffer], ACL_FORMAT_ND);
    OK(aclnnTransMatmulWeightGetWorkspaceSize(weight, &size, &executor));
    OK(aclnnTransMatmulWeight(NULL, 0, executor, w->s[0]));
    aclDestroyTensor(weight);
}

static void multiply(struct world *w, int weight, aclFormat format)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclTensor *a = matrix(w->d[0], ACL_FORMAT_ND), *b = matrix(w->d[weight], format);
    aclTensor *c = matrix(w->d[3], ACL_FORMAT_ND);
    OK(aclnnMmGetWorkspaceSize(a, b, c, 0, &size, &executor));
    OK(aclnnMm(w->workspace, WORKSPACE, executor, w->s[0]));
    aclDestroyTensor(a);
    aclDestroyTensor(b);
    aclDestroyTensor(c);
}

static void weight_that_is_called_nz(struct world *w)
{
    upload(w, 0, 1);
    multiply(w, 1, ACL_FORMAT_FRACTAL_NZ);
}

/* The rearranged bytes are overwritten. */
static void weight_loaded_after_rearranging(struct world *w)
{
    upload(w, 0, 1);
    rearrange(w, 1);
    upload(w, 0, 1);
    multiply(w, 1, ACL_FORMAT_FRACTAL_NZ);
}

static void weight_computed_and_called_nz(struct world *w)
{
    absolute(w, 0, w->d[1], w->d[0]);
    multiply(w, 1, ACL_FORMAT_FRACTAL_NZ);
}

static void weight_rearranged(struct world *w)
{
    upload(w, 0, 1);
    rearrange(w, 1);
    multiply(w, 1, ACL_FORMAT_FRACTAL_NZ);
}

static void rearranged_weight_copied(struct world *w)
{
    upload(w, 0, 1);
    rearrange(w, 1);
    copy(w, 0, 2, 1);
    multiply(w, 2, ACL_FORMAT_FRACTAL_NZ);
}

static void weight_in_rows(struct world *w)
{
    upload(w, 0, 1);
    multiply(w, 1, ACL_FORMAT_ND);
}

/* A device writes the weight at this place: another stream must not read it meanwhile. */
static void weight_rearranged_while_it_is_read(struct world *w)
{
    upload(w, 0, 1);
    after(w, 0, 0, 1);
    rearrange(w, 1);
    download(w, 1, 1);
}

/* --- operators by their names ---------------------------------------------------------------- */

enum { HIDDEN = 4, IN_PLACES = 6, OUT_PLACES = 8 };

static aclTensorDesc *described(const int64_t *sizes, int rank)
{
    return aclCreateTensorDesc(rank ? ACL_FLOAT : ACL_DT_UNDEFINED, rank, sizes, ACL_FORMAT_ND);
}

/* What the library makes for such a call, and frees at once, is its own. */
static void layer_by_its_name(struct world *w)
{
    const int64_t x[] = {1, 1, HIDDEN}, weight[] = {2 * HIDDEN, 4 * HIDDEN}, bias[] = {4 * HIDDEN};
    aclTensorDesc *in[IN_PLACES] = {described(x, 3), described(weight, 2), described(bias, 1)};
    aclTensorDesc *out[OUT_PLACES];
    aclDataBuffer *from[IN_PLACES], *to[OUT_PLACES];
    aclopAttr *attributes = aclopCreateAttr();
    OK(aclopSetAttrString(attributes, "gate_order", "ifjo"));
    for (int i = 0; i < IN_PLACES; i++) {
        if (!in[i]) in[i] = described(NULL, 0);
        from[i] = aclCreateDataBuffer(w->d[0], 2 * 4 * HIDDEN * HIDDEN * sizeof(float));
    }
    for (int i = 0; i < OUT_PLACES; i++) {
        out[i] = described(x, 3);
        to[i] = aclCreateDataBuffer(w->d[1] + 64 * i, HIDDEN * sizeof(float));
    }
    OK(aclopCompileAndExecuteV2("DynamicRNN", IN_PLACES, in, from, OUT_PLACES, out, to, attributes,
                                ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, w->s[0]));
    for (int i = 0; i < IN_PLACES; i++) {
        aclDestroyTensorDesc(in[i]);
        aclDestroyDataBuffer(from[i]);
    }
    for (int i = 0; i < OUT_PLACES; i++) {
        aclDestroyTensorDesc(out[i]);
        aclDestroyDataBuffer(to[i]);
    }
    aclopDestroyAttr(attributes);
}

#define PROGRAM(name, expected)                                                                    \
    {                                                                                              \
#name, name, expected                                                                      \
    }
const struct program wrong_phases[] = {
    PROGRAM(phase_2_twice, "device/executor"),
    PROGRAM(phase_2_of_a_destroyed_executor, "device/executor"),
    PROGRAM(repeatable_after_phase_2, "device/executor"),
    PROGRAM(tensor_destroyed_between_phases, "device/tensor"),
    PROGRAM(tensor_destroyed_between_runs, "device/tensor"),
    PROGRAM(list_destroyed_between_phases, "device/tensor"),
    PROGRAM(places_destroyed_at_once, "device/size"),
    PROGRAM(places_destroyed_behind_another_stream, "device/size"),
    PROGRAM(places_destroyed_before_what_waits, "device/size"),
    PROGRAM(workspace_smaller_than_asked, "device/workspace"),
    PROGRAM(workspace_smaller_than_said, "device/workspace"),
    PROGRAM(tensor_at_the_second_float, "device/alignment"),
    PROGRAM(weight_that_is_called_nz, "device/format"),
    PROGRAM(weight_loaded_after_rearranging, "device/format"),
    PROGRAM(weight_computed_and_called_nz, "device/format"),
    PROGRAM(weight_rearranged_while_it_is_read, "race/unordered"),
};
const size_t wrong_phase_count = sizeof wrong_phases / sizeof *wrong_phases;

const struct program right_phases[] = {
    PROGRAM(phase_2_twice_of_a_repeatable, ""),
    PROGRAM(list_destroyed_after_phase_2, ""),
    PROGRAM(tensors_destroyed_after_phase_2, ""),
    PROGRAM(tensors_destroyed_before_their_executor, ""),
    PROGRAM(tensor_made_anew, ""),
    PROGRAM(places_destroyed_behind_the_stream, ""),
    PROGRAM(places_destroyed_behind_an_event, ""),
    PROGRAM(places_of_what_was_captured, ""),
    PROGRAM(workspace_that_is_too_large, ""),
    PROGRAM(tensor_at_byte_32, ""),
    PROGRAM(view_from_the_second_float, ""),
    PROGRAM(weight_rearranged, ""),
    PROGRAM(rearranged_weight_copied, ""),
    PROGRAM(weight_in_rows, ""),
    PROGRAM(layer_by_its_name, ""),
};
const size_t right_phase_count = sizeof right_phases / sizeof *right_phases;
