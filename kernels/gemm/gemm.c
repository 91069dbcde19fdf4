/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution whose windows are single elements, as products of matrices by BLIS. The only file
 * that includes blis.h.
 *
 * BLIS decides at its first use which CPU it runs on, and takes plain C code on those it does not
 * know. So its choice is made here, from our own look at the CPU, by the one switch that it has:
 * BLIS_ARCH_TYPE. A user's own value stays. Calls run on the calling thread, whatever threads BLIS
 * was built with or told to use. */
#include "kernels/conv/conv_plan.h"

#ifdef K_BUILD_blis
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <blis.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    LEAST = 32,    /* channels and positions below which packing costs more than it brings */
    COLUMNS = 832, /* positions of an item, at most */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_usable;
static const char *name;

/* BLIS's number of the kernels that suit this CPU; -1: leave the choice to it. */
static int preferred(void)
{
#if defined(__x86_64__)
    unsigned eax, ebx, ecx, edx;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return -1;
    const bool has_512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                         __builtin_cpu_supports("avx512dq");
    if (!__builtin_cpu_is("amd")) return has_512 ? BLIS_ARCH_SKX : BLIS_ARCH_HASWELL;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return -1;
    const unsigned family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
    /* Up to family 25 vectors of 512 bits take two turns. */
    return has_512 && family > 25 ? BLIS_ARCH_SKX : BLIS_ARCH_ZEN3;
#else
    return -1;
#endif
}

static void choose(void)
{
    static const char *const variable = "BLIS_ARCH_TYPE";
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    const bool is_ours = getenv(variable) == NULL && preferred() >= 0;
    if (is_ours) {
        char number[16];
        snprintf(number, sizeof number, "%d", preferred());
        setenv(variable, number, 0);
    }
    bli_init();
    const arch_t arch = bli_arch_query_id();
    if (is_ours) unsetenv(variable);
    is_usable = arch != BLIS_ARCH_GENERIC;
    name = bli_arch_string(arch);
}

const char *k_blis_arch(void)
{
    pthread_once(&once, choose);
    return name;
}

/* Elements from one position to the next. */
static int64_t step_of(const struct k_conv *conv, const struct k_conv_tensor *tensor)
{
    for (int axis = K_CONV_AXES - 1; axis > 0; axis--)
        if (conv->axis[axis].small > 1) return tensor->axis[axis];
    return tensor->axis[0];
}

/* Positions lie evenly, or their channels do. */
static bool is_dense(const struct k_conv *conv, const struct k_conv_tensor *tensor)
{
    const int64_t width = conv->axis[2].small, plane = conv->axis[1].small * width;
    const int64_t step = step_of(conv, tensor);
    return tensor->dtype == K_F32 && tensor->inner > 0 && step > 0 &&
           (step == 1 || tensor->inner == 1) && (tensor->axis[2] == step || width == 1) &&
           (tensor->axis[1] == width * step || conv->axis[1].small == 1) &&
           (tensor->axis[0] == plane * step || conv->axis[0].small == 1);
}

static int64_t positions_of(const struct k_conv *conv)
{
    return conv->axis[0].small * conv->axis[1].small * conv->axis[2].small;
}

static bool is_last(const struct k_conv_tensor *tensor)
{
    return tensor->inner == 1;
}

/* The large side from the small one, of dense FLOAT with the channels last, worth packing:
 * docs/performance/convolution.md has the measurements. Everywhere else our own kernels are faster. */
bool k_conv_is_gemm(const struct k_conv *conv)
{
    const struct k_conv_tensor *w = &conv->weight;
    if (w->dtype != K_F32 || w->outer <= 0 || w->inner <= 0 || !conv->to_large) return false;
    if (!conv_outer_joins(conv) || conv->rounding != K_ROUND_NONE ||
        !is_dense(conv, &conv->small) || !is_dense(conv, &conv->large) || !is_last(&conv->small) ||
        !is_last(&conv->large) || strcmp(k_best()->isa, "base") == 0 ||
        conv->small_channels < LEAST || conv->large_channels < LEAST || positions_of(conv) < LEAST)
        return false;
    k_blis_arch();
    return is_usable;
}

static int64_t column_blocks(const struct k_conv *conv)
{
    return conv_up(positions_of(conv), COLUMNS);
}

struct k_work k_conv_gemm_work(const struct k_conv *conv)
{
    const double item = 2.0 * (double)conv_rows(conv) * (double)conv_depth_channels(conv) *
                        (double)conv_up(positions_of(conv), column_blocks(conv));
    const double grain = (double)CONV_GRAIN / item;
    return (struct k_work){.items = conv->batch * conv->groups * column_blocks(conv),
                           .grain = grain > 1 ? (int64_t)grain : 1};
}

static float bias_of(const struct k_conv *conv, const void *bias, int64_t channel)
{
    const char *at =
        (const char *)bias + channel * conv->bias_stride * (conv->bias_dtype == K_F32 ? 4 : 2);
    if (conv->bias_dtype == K_F32) {
        float value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    uint16_t half;
    memcpy(&half, at, sizeof half);
    if (conv->bias_dtype == K_BF16) {
        const uint32_t bits = (uint32_t)half << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    /* The product moves the exponent's bias and makes subnormal numbers normal, exactly. */
    uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    value *= 0x1p112F;
    if ((half & 0x7c00) == 0x7c00) {
        bits |= 0x7f800000;
        memcpy(&value, &bits, sizeof value);
    }
    return half & 0x8000 ? -value : value;
}

/* One item: rows of the result, `columns` positions. */
static void multiply(const struct k_conv *conv, const float *weight, const float *from, float *to,
                     int64_t columns, const void *bias, int64_t channel)
{
    const struct k_conv_tensor *of_from = conv->to_large ? &conv->small : &conv->large;
    const struct k_conv_tensor *of_to = conv->to_large ? &conv->large : &conv->small;
    const struct k_conv_tensor *w = &conv->weight;
    const int64_t rows = conv_rows(conv), step = step_of(conv, of_to);
    float one = 1, zero = 0;
    rntm_t threads = BLIS_RNTM_INITIALIZER; /* BLIS 1 has no function for it */
    bli_rntm_set_num_threads(1, &threads);
    /* Its kernels for unpacked operands read beyond the end of a result that they add to. */
    bli_rntm_disable_l3_sup(&threads);
    /* BLIS takes operands that it only reads as if it wrote them. */
    bli_sgemm_ex(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, rows, columns, conv_depth_channels(conv),
                 &one, (float *)(uintptr_t)weight, conv->to_large ? w->inner : w->outer,
                 conv->to_large ? w->outer : w->inner, (float *)(uintptr_t)from, of_from->inner,
                 step_of(conv, of_from), &zero, to, of_to->inner, step, NULL, &threads);
    for (int64_t row = 0; conv->has_bias && row < rows; row++) {
        const float value = bias_of(conv, bias, channel + row);
        for (int64_t i = 0; i < columns; i++)
            to[row * of_to->inner + i * step] += value;
    }
}

/* Items are (batch, group, column block), the last fastest. */
void k_conv_gemm(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_conv *conv = parameters;
    const struct k_conv_tensor *from = conv->to_large ? &conv->small : &conv->large;
    const struct k_conv_tensor *to = conv->to_large ? &conv->large : &conv->small;
    const int64_t blocks = column_blocks(conv), positions = positions_of(conv);
    const int64_t columns = conv_up(positions, blocks);
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const int64_t column = i % blocks * columns, rest = i / blocks;
        const int64_t group = rest % conv->groups, batch = rest / conv->groups;
        const int64_t left = positions - column, channel = group * conv_rows(conv);
        if (left <= 0) continue;
        multiply(conv,
                 (const float *)buffers[K_CONV_DIRECT_WEIGHT] +
                     group * conv->small_channels * conv->weight.outer,
                 (const float *)buffers[K_CONV_DIRECT_FROM] + batch * from->outer +
                     group * conv_depth_channels(conv) * from->inner + column * step_of(conv, from),
                 (float *)buffers[K_CONV_DIRECT_TO] + batch * to->outer + channel * to->inner +
                     column * step_of(conv, to),
                 left < columns ? left : columns,
                 conv->has_bias ? buffers[K_CONV_DIRECT_BIAS] : NULL, channel);
    }
}

#else
const char *k_blis_arch(void)
{
    return NULL;
}

bool k_conv_is_gemm(const struct k_conv *conv)
{
    (void)conv;
    return false;
}

struct k_work k_conv_gemm_work(const struct k_conv *conv)
{
    (void)conv;
    return (struct k_work){0};
}

void k_conv_gemm(const void *parameters, void *const buffers[], struct k_slice slice)
{
    (void)parameters, (void)buffers, (void)slice;
}
#endif
