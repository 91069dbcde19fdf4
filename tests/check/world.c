/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check/program.h"

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_median.h"

void *device(size_t bytes)
{
    void *memory = NULL;
    OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    return memory;
}

aclTensor *tensor_of(void *memory, int64_t count)
{
    const int64_t one = 1;
    return aclCreateTensor(&count, 1, ACL_FLOAT, &one, 0, ACL_FORMAT_ND, &count, 1, memory);
}

void put_part(struct world *w, int stream, int buffer, size_t begin, size_t end)
{
    OK(aclrtMemsetAsync(w->d[buffer] + begin, end - begin, 0, end - begin, w->s[stream]));
}

void put(struct world *w, int stream, int buffer)
{
    put_part(w, stream, buffer, 0, BYTES);
}

void copy_part(struct world *w, int stream, char *to, const char *from, size_t bytes)
{
    OK(aclrtMemcpyAsync(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, w->s[stream]));
}

void copy(struct world *w, int stream, int to, int from)
{
    copy_part(w, stream, w->d[to], w->d[from], BYTES);
}

void upload(struct world *w, int stream, int buffer)
{
    OK(aclrtMemcpyAsync(w->d[buffer], BYTES, w->pinned, BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                        w->s[stream]));
}

void download(struct world *w, int stream, int buffer)
{
    OK(aclrtMemcpyAsync(w->pinned, BYTES, w->d[buffer], BYTES, ACL_MEMCPY_DEVICE_TO_HOST,
                        w->s[stream]));
}

static void queue_absolute(struct world *w, int stream, aclTensor *out, aclTensor *in)
{
    uint64_t size;
    aclOpExecutor *executor;
    OK(aclnnAbsGetWorkspaceSize(in, out, &size, &executor));
    OK(aclnnAbs(NULL, 0, executor, w->s[stream]));
    aclDestroyTensor(in);
    aclDestroyTensor(out);
}

void absolute(struct world *w, int stream, void *to, const void *from)
{
    queue_absolute(w, stream, tensor_of(to, FLOATS), tensor_of((void *)(size_t)from, FLOATS));
}

/* Its first element may lie anywhere: the tensor's own address is a multiple of 32. */
static aclTensor *view_of(const void *memory, int64_t rows, int64_t columns, int64_t pitch)
{
    const size_t skipped = (size_t)memory % 32;
    const int64_t sizes[] = {rows, columns}, strides[] = {pitch, 1};
    const int64_t offset = (int64_t)(skipped / sizeof(float));
    const int64_t storage = offset + (rows - 1) * pitch + columns;
    return aclCreateTensor(sizes, 2, ACL_FLOAT, strides, offset, ACL_FORMAT_ND, &storage, 1,
                           (char *)(size_t)memory - skipped);
}

void absolute_view(struct world *w, int stream, void *to, const void *from, int64_t rows,
                   int64_t columns, int64_t pitch)
{
    aclTensor *out = view_of(to, rows, columns, pitch), *in = view_of(from, rows, columns, pitch);
    queue_absolute(w, stream, out, in);
}

/* The median copies its input to sort it. */
struct median {
    aclTensor *in, *out;
    aclOpExecutor *executor;
    uint64_t size;
};

static struct median plan_median(struct world *w, int to, int from)
{
    struct median median = {.in = tensor_of(w->d[from], FLOATS)};
    median.out = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, w->d[to]);
    OK(aclnnMedianGetWorkspaceSize(median.in, median.out, &median.size, &median.executor));
    if (median.size == 0) {
        fprintf(stderr, "the median needs no workspace: take another operator\n");
        exit(3);
    }
    return median;
}

static void destroy_tensors(const struct median *median)
{
    aclDestroyTensor(median->in);
    aclDestroyTensor(median->out);
}

size_t workspace_bytes(struct world *w)
{
    const struct median median = plan_median(w, 1, 0);
    OK(aclDestroyAclOpExecutor(median.executor));
    destroy_tensors(&median);
    return median.size;
}

int run_with_workspace(struct world *w, int stream, int to, int from, void *workspace,
                       size_t workspace_size)
{
    const struct median median = plan_median(w, to, from);
    const int status = aclnnMedian(workspace, workspace_size, median.executor, w->s[stream]);
    destroy_tensors(&median);
    return status;
}

void with_workspace(struct world *w, int stream, int to, int from, void *workspace,
                    size_t workspace_size)
{
    OK(run_with_workspace(w, stream, to, from, workspace, workspace_size));
}

void after(struct world *w, int before, int event, int behind)
{
    OK(aclrtRecordEvent(w->e[event], w->s[before]));
    OK(aclrtStreamWaitEvent(w->s[behind], w->e[event]));
}
