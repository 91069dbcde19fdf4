/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels take of their threads' stacks: no more than their rows in kernel_stack.def say, and
 * a thread that runs tasks has that. Each step of random plans runs on a stack that was painted. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "executor/executor.h"
#include "kernels/gemm/k_gemm.h"
#include "kernels/isa.h"
#include "kernels/kernel_stack.h"
#include "kernels/way.h"
#include "runtime/support/base.h"
#include "runtime/support/stack.h"
#include "tests/support/rows_all.h"

enum {
    KIB = 1024,
    STACK = 2 * RT_TASK_STACK,
    PAINT = 0xA5,
    ROWS = 64,
    RESERVE = 64,  /* KiB of a task, for what calls the kernel */
    PROBLEMS = 20, /* of an operator */
    ALIGNMENT = 64,
};

_Static_assert(RT_TASK_STACK <= 4 << 20, "a convolution's scratch, of each worker");

static unsigned char *stack; /* painted */
static unsigned char paint[KIB];
static int64_t taken_by_nothing;
static bool is_seen[ROWS];

/* ---- a step on a painted stack ---- */

struct run {
    const struct ex_step *step; /* or NULL */
    const void *parameters;
    void *buffers[EX_FEW_STEP_BUFFERS + 1];
};

static void *run_step(void *argument)
{
    struct run *run = argument;
    struct k_fault fault = {.position = INT64_MAX};
    if (!run->step) return NULL;
    if (run->step->describe) run->buffers[run->step->buffer_count] = &fault;
    run->step->kernel(run->parameters, run->buffers, (struct k_slice){0, run->step->work.items});
    return NULL;
}

static size_t taken_by(struct run *run)
{
    pthread_attr_t attributes;
    pthread_t thread;
    size_t untouched = 0;
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstack(&attributes, stack, STACK), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, run_step, run), 0);
    pthread_attr_destroy(&attributes);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    while (untouched < STACK && memcmp(stack + untouched, paint, KIB) == 0)
        untouched += KIB;
    while (untouched < STACK && stack[untouched] == PAINT)
        untouched++;
    memset(stack + untouched, PAINT, STACK - untouched);
    return STACK - untouched;
}

/* Sanitizers and builds that do not optimise make frames larger. */
static int64_t allowed(const struct k_stack *row)
{
#if defined(__OPTIMIZE__) && !RT_WITH_ASAN && !defined(__SANITIZE_THREAD__)
    return row->kib;
#else
    (void)row;
    return RT_TASK_STACK / KIB - RESERVE;
#endif
}

static void check_step(const char *operator_name, struct run *run)
{
    const struct k_stack row = k_stack_of(run->step->kernel), *rows;
    const int64_t kib = ((int64_t)taken_by(run) - taken_by_nothing) / KIB;
    cr_assert_leq(kib, allowed(&row), "%s, %s: %d KiB of stack, not %d", operator_name,
                  run->step->name, (int)kib, row.kib);
    for (int r = k_stacks(&rows); r-- > 0;)
        if (rows[r].kernel == row.kernel) is_seen[r] = true;
}

static void check_plan(const struct ex_plan *plan)
{
    char *workspace = aligned_alloc(ALIGNMENT, (plan->workspace_size / ALIGNMENT + 1) * ALIGNMENT);
    cr_assert_not_null(workspace);
    for (int i = 0; i < plan->step_count; i++) {
        const struct ex_step *step = &plan->steps[i];
        struct run run = {.step = step, .parameters = plan->step_bytes + step->parameters};
        cr_assert_leq(step->buffer_count, EX_FEW_STEP_BUFFERS);
        for (int b = 0; b < step->buffer_count; b++) {
            const struct ex_buffer *buffer = ex_step_buffer(plan, step, b);
            char *base = workspace;
            if (buffer->operand >= 0)
                base = atomic_load(&plan->operands[buffer->operand].tensor->address);
            run.buffers[b] = base + buffer->offset;
        }
        check_step(plan->operator_name, &run);
    }
    free(workspace);
}

static void check_executor(aclOpExecutor *handle)
{
    struct ex_executor *executor = ex_handle_end(handle);
    cr_assert_not_null(executor);
    check_plan(&executor->plan);
    ex_executor_release(executor);
}

/* ---- plans ---- */

static void check_row(struct rig *rig, const struct rig_operator *op, struct test_case test)
{
    rig_load(rig, op, &test);
    struct rig_call call = rig_call_of(op, &test);
    for (int i = 0; i < rig_operand_count(op); i++) {
        struct operand *operand = &call.operand[i];
        if (op->operand[i].role == RIG_SHAPE || call.is_null[i]) continue;
        const size_t size = operand_bytes(operand);
        operand->data = aligned_alloc(ALIGNMENT, (size / ALIGNMENT + 1) * ALIGNMENT);
        cr_assert_not_null(operand->data);
        operand_poison(operand, 0xFF);
        if (op->operand[i].role == RIG_READ)
            operand_write_bits(operand, rig->problem.tensor[i].bits);
    }
    rig_open(&call);
    cr_assert_eq(rig_phase1(&call), ACLNN_SUCCESS, "%s", aclGetRecentErrMsg());
    check_executor(call.executor);
    rig_close(&call);
    for (int i = 0; i < rig_operand_count(op); i++)
        free(call.operand[i].data);
}

/* Products of matrices that random problems seldom ask for: m rows of a, b dense or transposed. */
static void check_product(const char *way, enum k_dtype dtype, int64_t m, bool is_transposed)
{
    enum { N = 90, K = 600 };
    struct k_gemm g = {.m = m, .n = N, .k = K, .batch = {1, 1, 1, 1}, .alpha = 1};
    g.a = (struct k_gemm_matrix){.dtype = dtype, .row = K, .column = 1};
    g.b = (struct k_gemm_matrix){.dtype = dtype, .row = N, .column = 1};
    g.c = g.b;
    if (is_transposed) g.b.row = 1, g.b.column = K;
    double *numbers = calloc((size_t)(m * K + K * N + m * N), sizeof *numbers);
    cr_assert_not_null(numbers);
    const struct k_problem problem = {&g, dtype, k_best()};
    k_way_force(way);
    const struct k_chosen chosen = k_way_choose(K_CHOICE_gemm, &problem);
    k_way_force(NULL);
    const struct ex_step step = {
        .name = chosen.way->name, .kernel = chosen.run, .work = chosen.work};
    struct run run = {.step = &step, .parameters = &g};
    run.buffers[K_GEMM_A] = numbers;
    run.buffers[K_GEMM_B] = numbers + m * K;
    run.buffers[K_GEMM_C] = numbers + m * K + K * N;
    check_step("product", &run);
    free(numbers);
}

/* Ways that random problems seldom take. */
static const char *const rare_rows[] = {
    "max_pool2d_with_indices f32 n2c3 14x14 k2 s2",
    "max_pool2d_with_indices f32 n2c3 40x40 k2 s2",
    "max_pool2d_with_indices f32 n2c35 9x9 k3 s1 p1 nhwc",
    "max_pool2d_with_indices f32 n2c5 17x19 k3 s2 p1 nhwc",
    "max_pool2d_with_indices_backward f32 n2c3 14x14 k2 s2",
    "max_pool2d_with_indices_backward f32 n2c3 9x11 k3 s1 p1",
    "max_pool2d_with_indices_backward f32 n2c3 40x40 k2 s2",
    "max_pool2d_with_indices_backward f32 n2c35 9x9 k3 s1 p1 nhwc",
    "aclnnext_max_pool_grad f32 n2c3 14x14 k2 s2",
    "aclnnext_max_pool_backward bf16 n2c35 9x9 k3 s1 p1 nhwc",
    "addcmul bf16 self=70x90 tensor1=70x90:s1x70 tensor2=90 value=2 out=70x90:strided",
    "equal bf16 self=70x90:s1x70 other=70x90:strided out=1:bool",
    "reduce_sum bf16 self=70x9000 dims=1 dtype=bf16 out=70",
    "mean bf16 self=900x700 dim=0 dtype=bf16 out=700",
    "max_dim bf16 self=70x9000 dim=1 out=70 indices=70:i32",
    "max_dim bf16 self=900x700 dim=0 out=700 indices=700:i32",
    "cumsum bf16 self=900x700 dim=0 dtype=bf16 out=900x700",
    "cumsum bf16 self=70x9000 dim=1 dtype=bf16 out=70x9000",
    "sort f64 self=2x40000 dim=1 valuesOut=2x40000 indicesOut=2x40000:i64",
    "inplace_normal bf16 selfRef=9000 mean=1 std=2",
    "multinomial bf16 self=3x40 numsamples=900 replacement=1 out=3x900:i64",
    "softmax bf16 self=40x37x50 dim=1 out=40x37x50",
    "layer_norm_backward f32 gradOut=70x300 input=70x300 normalizedShape=300 mean=70 rstd=70 "
    "weightOptional=300 outputMask=1x1x1 gradInputOut=70x300 gradWeightOut=300 gradBiasOut=300",
    "layer_norm f32 input=70x9000 normalizedShape=9000 weightOptional=9000 eps=1 out=70x9000",
    "group_norm f32 self=2x6x70x50 gamma=6 N=2 C=6 HxW=3500 group=3 eps=1 out=2x6x70x50 "
    "meanOut=2x3 "
    "rstdOut=2x3",
    "rms_norm f32 x=50x33:s1x50 gamma=33 epsilon=1 yOut=50x33:s1x50",
    "rotary_position_embedding bf16 x=2x64x30:s1920x1x64 cos=2x64x30 sin=2x64x30 out=2x64x30",
    "softmax f32 self=40x9000 dim=1 out=40x9000",
    "grid_sampler2_d f32 input=2x3x4x5 grid=2x6x7x2 out=2x3x6x7",
    "grid_sampler2_d_backward f32 gradOutput=2x3x6x7 input=2x3x4x5 grid=2x6x7x2 outputMask=1x1 "
    "inputGrad=2x3x4x5 gridGrad=2x6x7x2",
    "mse_loss bf16 self=170x180:s1x170 target=170x180 reduction=1 out=scalar",
    "flash_attention_score bf16 query=1x60x512 key=1x40x512 value=1x40x512 dropMaskOptional=400:u8 "
    "keepProb=0.5 headNum=1 inputLayout=BSH attenMaskOptional=60x40:u8 softmaxMaxOut=1x1x60x8:f32 "
    "softmaxSumOut=1x1x60x8:f32 attentionOutOut=1x60x512",
    "flash_attention_score f32 query=1x60x64 key=1x200x64 value=1x200x64 keepProb=1 headNum=1 "
    "inputLayout=BSH softmaxMaxOut=1x1x60x8 softmaxSumOut=1x1x60x8 attentionOutOut=1x60x64",
    "flash_attention_score_grad bf16 query=1x60x512 keyIn=1x40x512 value=1x40x512 dy=1x60x512 "
    "dropMaskOptional=400:u8 keepProb=0.5 headNum=1 inputLayout=BSH attenMaskOptional=60x40:u8 "
    "softmaxMaxOptional=1x1x60x8:f32 softmaxSumOptional=1x1x60x8:f32 "
    "attentionInOptional=1x60x512 dqOut=1x60x512 dkOut=1x40x512 dvOut=1x40x512",
    "flash_attention_score_grad f32 query=1x60x64 keyIn=1x200x64 value=1x200x64 dy=1x60x64 "
    "keepProb=1 headNum=1 inputLayout=BSH softmaxMaxOptional=1x1x60x8 "
    "softmaxSumOptional=1x1x60x8 attentionInOptional=1x60x64 dqOut=1x60x64 dkOut=1x200x64 "
    "dvOut=1x200x64",
    "median_dim bf16 self=7x9000 dim=1 valuesOut=7 indicesOut=7:i32",
    "weight_quant_batch_matmul_v2 f16 x=5x2100 weight=2100x70:i8:s1x2100 antiquantScale=66x70 "
    "antiquantOffsetOptional=66x70 quantScaleOptional=null quantOffsetOptional=null "
    "biasOptional=null antiquantGroupSize=32 y=5x70",
    "weight_quant_batch_matmul_v2 f16 x=300x600 weight=600x300:i8:s1x600 antiquantScale=19x300 "
    "antiquantOffsetOptional=19x300 quantScaleOptional=null quantOffsetOptional=null "
    "biasOptional=null antiquantGroupSize=32 y=300x300",
    "quant_matmul_v3 i8 x1=300x2100 x2=2100x300 scale=300:f32 offset=null bias=null transposeX1=0 "
    "transposeX2=0 out=300x300:f16",
    "grouped_matmul bf16 x=[300x300,300x300] weight=[300x300,300x300] splitItem=2 y=[600x300]",
    "grouped_matmul f16 x=[300x640,300x640] weight=[640x300:i8:s1x640,640x300:i8:s1x640] "
    "antiquantScaleOptional=[10x300,10x300] splitItem=2 y=[600x300]",
    "grouped_matmul i8 x=[300x2100,300x2100] weight=[2100x300,2100x300] splitItem=2 "
    "y=[600x300:i32]",
    "grouped_matmul_swiglu_quant i8 x=300x2100 weight=1x2100x100:i32 bias=1x800:f32 offset=null "
    "weightScale=1x3x800:u64 xScale=300:f32 groupList=1:i64 output=300x400 outputScale=300:f32 "
    "outputOffset=null",
    "dequant_swiglu_quant i32 x=7x12000 weightScaleOptional=12000:f32 "
    "activationScaleOptional=7:f32 biasOptional=12000:f32 quantScaleOptional=6000:f32 "
    "quantOffsetOptional=null groupIndexOptional=null activateLeft=1 quantModeOptional=dynamic "
    "yOut=7x6000:i8 scaleOut=7:f32",
    "moe_gating_top_k f32 x=9x2048 biasOptional=2048 k=1000 kGroup=4 groupCount=8 "
    "groupSelectMode=1 "
    "renorm=0 normType=1 outFlag=1 routedScalingFactor=1 eps=0 yOut=9x1000 expertIdxOut=9x1000:i32 "
    "outOut=9x2048",
    /* Windows of one element and of very many. */
    "convolution f32 input=2x16x8x8:nchw weight=32x16x1x1:nchw stride=1x1 padding=0x0 dilation=1x1 "
    "groups=1 output=2x32x8x8:nchw",
    "convolution_backward f32 gradOutput=1x1x101:ncl input=1x2x5100:ncl weight=1x2x5000:ncl "
    "stride=1 "
    "padding=0 dilation=1 outputPadding=0 groups=1 outputMask=0x1x0 gradWeight=1x2x5000:ncl",
};

static void check_rare_rows(struct rig *rig, const char *line)
{
    struct test_case test;
    char error[200];
    cr_assert(case_parse(line, &test, error, sizeof error), "%s", error);
    const struct rig_operator *op = rows_all_of(&test);
    cr_assert_not_null(op, "no row for %s", line);
    check_row(rig, op, test);
}

/* A way may be none of this level's, or of this CPU's. */
static bool level_has(const char *kernel)
{
    const struct k_way *ways;
    char name[64];
    for (int i = 0, count = k_ways(&ways); i < count; i++) {
        k_fn *run;
        memcpy(&run, (const char *)k_best() + ways[i].slot, sizeof run);
        snprintf(name, sizeof name, "%s_%s", ways[i].kernel, ways[i].name);
        if (strcmp(name, "gemm_tiles") == 0 && !k_tiles_bf16()) run = NULL;
        if (strcmp(name, kernel) == 0) return run != NULL;
    }
    return true;
}

Test(kernel_stack, is_what_the_table_says, .timeout = 600)
{
    static struct rig rig;
    struct random random = {1};
    const struct k_stack *rows;
    struct run nothing = {0};
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(stack, MAP_FAILED);
    memset(stack, PAINT, STACK);
    memset(paint, PAINT, KIB);
    taken_by_nothing = (int64_t)taken_by(&nothing);

    rig_begin(&rig);
    for (int i = 0; i < ROWS_BY_HAND * PROBLEMS; i++) {
        const struct rig_operator *op = rows_all_at(i % ROWS_BY_HAND);
        const enum case_dtype dtype = (enum case_dtype)(i / ROWS_BY_HAND % CASE_FLOATS);
        check_row(&rig, op, rig_random_case(op, &random, dtype));
    }
    for (int i = 0; i < (int)RT_LENGTH(rare_rows); i++)
        check_rare_rows(&rig, rare_rows[i]);
    rig_end(&rig);

    check_product("gemm:dots", K_F32, 8, true);
    check_product("gemm:sweep", K_F32, 3, false);
    check_product("gemm:packed", K_F32, 300, false);
    check_product("gemm:doubles", K_F64, 300, false);
    if (k_tiles_bf16()) check_product("gemm:tiles", K_BF16, 300, false);
    for (int r = k_stacks(&rows); r-- > 0;)
        cr_assert(is_seen[r] || !level_has(rows[r].kernel), "no plan has a step %s",
                  rows[r].kernel);
    munmap(stack, STACK);
}

Test(kernel_stack, is_less_than_tasks_have)
{
    const struct k_stack *rows;
    const int count = k_stacks(&rows);
    cr_assert_leq(count, ROWS);
    for (int r = 0; r < count; r++) {
        cr_assert_gt(rows[r].kib, K_STACK_LITTLE);
        cr_assert_leq(rows[r].kib, RT_TASK_STACK / KIB - RESERVE, "%s", rows[r].kernel);
    }
}
