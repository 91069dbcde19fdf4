/* SPDX-License-Identifier: Apache-2.0 */
/* Trains a network with aclnn calls only: LeNet learns to read digits that the program draws.
 *
 * The step was captured once (lenet.c) and is replayed. The host draws the next batch while the
 * stream learns from the last one; two batches of host memory and an event for each keep them
 * apart. At the end the network reads digits that it has never seen. */
#include "digits.h"
#include "lenet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 64, STEPS = 200, TELL = 20, TEST_BATCHES = 20 };

/* Host memory of a batch, and the event after which it may be drawn over. */
struct batch {
    float *images;
    int64_t *labels;
    aclrtEvent copied;
};

static void open_batch(struct batch *batch)
{
    CHECK(aclrtMallocHost((void **)&batch->images, sizeof(float) * BATCH * DIGITS_PIXELS));
    CHECK(aclrtMallocHost((void **)&batch->labels, sizeof(int64_t) * BATCH));
    CHECK(aclrtCreateEvent(&batch->copied));
}

static void close_batch(struct batch *batch)
{
    CHECK(aclrtFreeHost(batch->images));
    CHECK(aclrtFreeHost(batch->labels));
    CHECK(aclrtDestroyEvent(batch->copied));
}

/* Draws a batch and queues its way to the device. */
static void feed(const struct lenet *net, struct batch *batch, uint64_t *seed)
{
    const uint64_t images = lenet_bytes(net, LENET_IMAGES), labels = lenet_bytes(net, LENET_LABELS);
    CHECK(aclrtSynchronizeEvent(batch->copied));
    digits_draw(seed, BATCH, batch->images, batch->labels);
    CHECK(aclrtMemcpyAsync(net->address[LENET_IMAGES], images, batch->images, images,
                           ACL_MEMCPY_HOST_TO_DEVICE, net->stream));
    CHECK(aclrtMemcpyAsync(net->address[LENET_LABELS], labels, batch->labels, labels,
                           ACL_MEMCPY_HOST_TO_DEVICE, net->stream));
    CHECK(aclrtRecordEvent(batch->copied, net->stream));
}

static void read_back(const struct lenet *net, int tensor, void *to)
{
    const uint64_t bytes = lenet_bytes(net, tensor);
    CHECK(aclrtSynchronizeStream(net->stream));
    CHECK(aclrtMemcpy(to, bytes, net->address[tensor], bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

static void tell_memory(const struct lenet *net)
{
    const double mib = 1 << 20;
    aclnnextMemoryPlanSummary summary;
    CHECK(aclnnextMemoryPlanGetSummary(net->plan, &summary));
    printf("tensors and workspaces: %.2f MiB each by itself, %.2f MiB in the plan's block\n",
           (double)summary.separateSize / mib, (double)summary.totalSize / mib);
}

static void train(const struct lenet *net, struct batch batches[2], uint64_t *seed)
{
    for (int step = 1; step <= STEPS; step++) {
        float loss;
        feed(net, &batches[step % 2], seed);
        CHECK(aclmdlRIExecuteAsync(net->full, net->stream));
        CHECK(aclmdlRIExecuteAsync(net->convolutions, net->stream));
        CHECK(aclmdlRIExecuteAsync(net->update, net->stream));
        if (step != 1 && step % TELL != 0) continue;
        read_back(net, LENET_LOSS, &loss);
        printf("step %3d: loss %.4f\n", step, (double)loss);
    }
}

/* The share of new digits that the network reads right. */
static double test(const struct lenet *net, struct batch batches[2], uint64_t *seed)
{
    int64_t sum = 0, hits;
    for (int i = 0; i < TEST_BATCHES; i++) {
        feed(net, &batches[i % 2], seed);
        CHECK(aclmdlRIExecuteAsync(net->test, net->stream));
        read_back(net, LENET_HITS, &hits);
        sum += hits;
    }
    return (double)sum / (TEST_BATCHES * BATCH);
}

int main(void)
{
    struct lenet net;
    struct batch batches[2];
    uint64_t seed = 1;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    lenet_open(&net, BATCH, /* rate */ 0.02F, /* momentum */ 0.9F, seed);
    open_batch(&batches[0]);
    open_batch(&batches[1]);
    tell_memory(&net);

    train(&net, batches, &seed);
    const double right = test(&net, batches, &seed);
    printf("of %d new digits it reads %.1f %%\n", TEST_BATCHES * BATCH, 100 * right);

    close_batch(&batches[0]);
    close_batch(&batches[1]);
    lenet_close(&net);
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return right > 0.97 ? EXIT_SUCCESS : EXIT_FAILURE;
}
