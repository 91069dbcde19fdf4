/* SPDX-License-Identifier: Apache-2.0 */
/* What one call of two operators costs the thread that makes it, and how often each phase asks the
 * system's allocator. Exits with 1 when a figure is missed. malloc and its kin are replaced by ones
 * that count, so nothing escapes, whoever calls. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "runtime/support/futex.h"

enum {
    SAMPLES = 2001,
    CHANNELS = 16,
    EXTENT = 14,
    ELEMENTS = CHANNELS * EXTENT * EXTENT,
    ADDED = 1024
};

/* --- the system's allocator, counted -----------------------------------------------------------
 */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic long requests;

static void count_request(void)
{
    atomic_fetch_add_explicit(&requests, 1, memory_order_relaxed);
}

void *malloc(size_t size)
{
    count_request();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    count_request();
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    count_request();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count_request();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    count_request();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

/* --- the call ----------------------------------------------------------------------------------
 */

static aclTensor *dy, *self, *dx;
static aclIntArray *kernel, *stride, *padding;
static aclrtStream stream;
static uint64_t workspace_size;
static aclOpExecutor *executor;

static void check(int status)
{
    if (status == 0) return;
    fprintf(stderr, "bench_launch: %s\n", aclGetRecentErrMsg());
    exit(2);
}

static aclTensor *image(int64_t extent, float *data)
{
    const int64_t sizes[] = {1, CHANNELS, extent, extent};
    return aclCreateTensor(sizes, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, sizes, 4, data);
}

static void phase_1(void)
{
    check(aclnnAvgPool2dBackwardGetWorkspaceSize(dy, self, kernel, stride, padding, false, true, 0,
                                                 0, dx, &workspace_size, &executor));
}

static void phase_2(void)
{
    check(aclnnAvgPool2dBackward(NULL, workspace_size, executor, stream));
}

/* ---- addition ---- */

static aclTensor *x, *y, *sum;
static aclScalar *alpha;

static void add(void)
{
    check(aclnnAddGetWorkspaceSize(x, y, alpha, sum, &workspace_size, &executor));
    check(aclnnAdd(NULL, workspace_size, executor, stream));
}

static void synchronise(void)
{
    check(aclrtSynchronizeStream(stream));
}

/* --- measuring ---------------------------------------------------------------------------------
 */

struct figure {
    const char *name;
    double limit_ns;   /* 0: none */
    long max_requests; /* a call; -1: any number */
    double ns[SAMPLES];
    long requests; /* of the last call */
};

static void measure(struct figure *figure, int sample, void (*call)(void))
{
    long before = atomic_load_explicit(&requests, memory_order_relaxed);
    int64_t start = rt_now_ns();
    call();
    figure->ns[sample] = (double)(rt_now_ns() - start);
    figure->requests = atomic_load_explicit(&requests, memory_order_relaxed) - before;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* False: a limit is missed. */
static bool report(struct figure *figure)
{
    qsort(figure->ns, SAMPLES, sizeof(*figure->ns), by_value);
    double median = figure->ns[SAMPLES / 2];
    bool slow = figure->limit_ns > 0 && median > figure->limit_ns;
    bool greedy = figure->max_requests >= 0 && figure->requests > figure->max_requests;
    printf("%-34s %8.0f ns", figure->name, median);
    if (figure->limit_ns > 0)
        printf(" (at most %4.0f)", figure->limit_ns);
    else
        printf("%15s", "");
    printf("  %ld allocations", figure->requests);
    if (figure->max_requests >= 0) printf(" (at most %ld)", figure->max_requests);
    puts(slow || greedy ? "   MISSED" : "");
    return !slow && !greedy;
}

static aclTensor *vector(float *data)
{
    const int64_t size = ADDED;
    return aclCreateTensor(&size, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &size, 1, data);
}

static void open_call(void)
{
    static float memory[3][ELEMENTS], added[3][ADDED];
    float one = 1;
    check(aclInit(NULL));
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&stream));
    dy = image(EXTENT / 2, memory[0]);
    self = image(EXTENT, memory[1]);
    dx = image(EXTENT, memory[2]);
    kernel = aclCreateIntArray((const int64_t[]){2, 2}, 2);
    stride = aclCreateIntArray((const int64_t[]){2, 2}, 2);
    padding = aclCreateIntArray((const int64_t[]){0, 0}, 2);
    x = vector(added[0]);
    y = vector(added[1]);
    sum = vector(added[2]);
    alpha = aclCreateScalar(&one, ACL_FLOAT);
}

static void close_call(void)
{
    aclTensor *const tensors[] = {dy, self, dx, x, y, sum};
    aclIntArray *const arrays[] = {kernel, stride, padding};
    for (int i = 0; i < 6; i++)
        aclDestroyTensor(tensors[i]);
    for (int i = 0; i < 3; i++)
        aclDestroyIntArray(arrays[i]);
    aclDestroyScalar(alpha);
    check(aclFinalize());
}

int main(void)
{
    static struct figure first = {"phase 1", 1500, -1, {0}, 0},
                         single = {"phase 2", 500, 0, {0}, 0},
                         again = {"phase 2, repeatable executor", 500, 0, {0}, 0},
                         wait = {"its run, synchronised", 0, 0, {0}, 0},
                         both = {"phases 1 and 2", 600, -1, {0}, 0};
    struct figure *const figures[] = {&first, &single, &again, &wait};
    bool met = true;
    open_call();
    for (int i = 0; i < SAMPLES; i++) {
        measure(&first, i, phase_1);
        measure(&single, i, phase_2);
        synchronise();
    }
    phase_1();
    check(aclSetAclOpExecutorRepeatable(executor));
    for (int i = 0; i < SAMPLES; i++) {
        measure(&again, i, phase_2);
        measure(&wait, i, synchronise);
    }
    check(aclDestroyAclOpExecutor(executor));
    for (int i = 0; i < SAMPLES; i++) {
        measure(&both, i, add);
        synchronise();
    }
    printf("aclnnAvgPool2dBackward, %dx%dx%d float: medians of %d calls, 20 ns of the clock's own "
           "included\n",
           CHANNELS, EXTENT, EXTENT, SAMPLES);
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
        met = report(figures[i]) && met;
    printf("aclnnAdd, %d float\n", ADDED);
    met = report(&both) && met;
    close_call();
    return !met;
}
