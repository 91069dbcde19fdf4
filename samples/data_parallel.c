/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks train one network together: each takes its share of every batch, AllReduce adds up the
 * gradients. Those of the full layers travel on a stream of their own while the convolutions'
 * are still computed. Rank 0 also trains alone on the whole batches: both losses are the same.
 *
 *     ranks.sh 2 data_parallel     starts two on this machine; ranks.h tells of other ways
 */
#include "digits.h"
#include "lenet.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 64, STEPS = 40, TELL = 8, TIMED = 50 };

/* At four times this rate a maximum that changes its place by a rounding sets the runs apart. */
static const float rate = 0.005F, momentum = 0.9F;

struct trainer {
    struct ranks ranks;
    struct lenet net;
    aclrtStream travel;
    aclrtEvent computed, travelled;
};

static void open_trainer(struct trainer *t, const char *file)
{
    ranks_open(&t->ranks, file);
    if (BATCH % t->ranks.count != 0) {
        fprintf(stderr, "%u ranks cannot share %d images\n", t->ranks.count, BATCH);
        exit(EXIT_FAILURE);
    }
    lenet_open(&t->net, BATCH / t->ranks.count, rate, momentum, 1);
    CHECK(aclrtCreateStream(&t->travel));
    CHECK(aclrtCreateEvent(&t->computed));
    CHECK(aclrtCreateEvent(&t->travelled));
    /* The mean of all is the sum of the ranks' means, each divided by the number of ranks. */
    const float scale = 1 / (float)t->ranks.count;
    CHECK(aclrtMemcpy(t->net.address[LENET_SCALE], sizeof scale, &scale, sizeof scale,
                      ACL_MEMCPY_HOST_TO_DEVICE));
}

static void close_trainer(struct trainer *t)
{
    CHECK(aclrtDestroyEvent(t->computed));
    CHECK(aclrtDestroyEvent(t->travelled));
    CHECK(aclrtDestroyStream(t->travel));
    lenet_close(&t->net);
    ranks_close(&t->ranks);
}

static void add_up(struct trainer *t, void *values, uint64_t count)
{
    CHECK((int)HcclAllReduce(values, values, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                             t->ranks.comm, t->travel));
}

/* Queues the sum of these layers' gradients, behind what computes them. */
static void send_gradients(struct trainer *t, int first_layer, int last_layer)
{
    uint64_t count;
    float *gradients = lenet_gradients(&t->net, first_layer, last_layer, &count);
    CHECK(aclrtRecordEvent(t->computed, t->net.stream));
    CHECK(aclrtStreamWaitEvent(t->travel, t->computed));
    add_up(t, gradients, count);
}

/* A step of all ranks; returns the mean loss of the whole batch. */
static float step_together(struct trainer *t)
{
    float loss;
    CHECK(aclmdlRIExecuteAsync(t->net.full, t->net.stream));
    send_gradients(t, 3, 5);
    CHECK(aclmdlRIExecuteAsync(t->net.convolutions, t->net.stream));
    send_gradients(t, 1, 2);
    add_up(t, t->net.address[LENET_LOSS], 1);
    CHECK(aclrtRecordEvent(t->travelled, t->travel));
    CHECK(aclrtStreamWaitEvent(t->net.stream, t->travelled));
    CHECK(aclmdlRIExecuteAsync(t->net.update, t->net.stream));
    CHECK(aclrtSynchronizeStream(t->net.stream));
    CHECK(aclrtMemcpy(&loss, sizeof loss, t->net.address[LENET_LOSS], sizeof loss,
                      ACL_MEMCPY_DEVICE_TO_HOST));
    return loss / (float)t->ranks.count;
}

static float step_alone(const struct lenet *net)
{
    float loss;
    CHECK(aclmdlRIExecuteAsync(net->full, net->stream));
    CHECK(aclmdlRIExecuteAsync(net->convolutions, net->stream));
    CHECK(aclmdlRIExecuteAsync(net->update, net->stream));
    CHECK(aclrtSynchronizeStream(net->stream));
    CHECK(aclrtMemcpy(&loss, sizeof loss, net->address[LENET_LOSS], sizeof loss,
                      ACL_MEMCPY_DEVICE_TO_HOST));
    return loss;
}

static float step_apart(struct trainer *t)
{
    return step_alone(&t->net);
}

/* The gradients' way alone, when they are there. */
static float only_travel(struct trainer *t)
{
    send_gradients(t, 3, 5);
    send_gradients(t, 1, 2);
    add_up(t, t->net.address[LENET_LOSS], 1);
    CHECK(aclrtSynchronizeStream(t->travel));
    return 0;
}

/* The shortest of some runs in milliseconds, each begun by all ranks together. */
static double shortest_ms(struct trainer *t, float (*run)(struct trainer *t))
{
    double shortest = INFINITY;
    for (int i = 0; i < TIMED; i++) {
        struct timespec begin, end;
        CHECK((int)HcclBarrier(t->ranks.comm, t->travel));
        CHECK(aclrtSynchronizeStream(t->travel));
        clock_gettime(CLOCK_MONOTONIC, &begin);
        run(t);
        clock_gettime(CLOCK_MONOTONIC, &end);
        shortest = fmin(shortest, (double)(end.tv_sec - begin.tv_sec) * 1e3 +
                                      (double)(end.tv_nsec - begin.tv_nsec) * 1e-6);
    }
    return shortest;
}

static float without_convolutions(struct trainer *t)
{
    CHECK(aclmdlRIExecuteAsync(t->net.full, t->net.stream));
    CHECK(aclmdlRIExecuteAsync(t->net.update, t->net.stream));
    CHECK(aclrtSynchronizeStream(t->net.stream));
    return 0;
}

/* How much of the gradients' way is hidden: it can be so while the convolutions' are computed. */
static void tell_times(struct trainer *t)
{
    const double apart = shortest_ms(t, step_apart), travel = shortest_ms(t, only_travel);
    const double beside = apart - shortest_ms(t, without_convolutions);
    const double together = shortest_ms(t, step_together);
    if (t->ranks.own != 0) return;
    printf(
        "a step computes %.2f ms, %.2f of them convolutions backward, and sends %.2f ms; both take "
        "%.2f ms: %.2f ms are hidden\n",
        apart, beside, travel, together, apart + travel - together);
}

/* Gives the network its batch, beginning at the image `from`. */
static void feed(const struct lenet *net, const float *images, const int64_t *labels, int64_t from)
{
    const uint64_t bytes = lenet_bytes(net, LENET_IMAGES);
    CHECK(aclrtMemcpy(net->address[LENET_IMAGES], bytes, images + from * DIGITS_PIXELS, bytes,
                      ACL_MEMCPY_HOST_TO_DEVICE));
    const uint64_t label_bytes = lenet_bytes(net, LENET_LABELS);
    CHECK(aclrtMemcpy(net->address[LENET_LABELS], label_bytes, labels + from, label_bytes,
                      ACL_MEMCPY_HOST_TO_DEVICE));
}

int main(int argc, char **argv)
{
    static float images[BATCH * DIGITS_PIXELS];
    static int64_t labels[BATCH];
    struct trainer t;
    struct lenet alone;
    uint64_t seed = 1;
    double apart = 0;
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: data_parallel [times] FILE, FILE is where the ranks meet\n");
        return EXIT_FAILURE;
    }
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    open_trainer(&t, argv[argc - 1]);
    const bool compares = t.ranks.own == 0;
    if (compares) lenet_open(&alone, BATCH, rate, momentum, 1);

    for (int step = 1; step <= STEPS; step++) {
        digits_draw(&seed, BATCH, images, labels);
        feed(&t.net, images, labels, t.ranks.own * t.net.batch);
        const double loss = (double)step_together(&t);
        if (!compares) continue;
        feed(&alone, images, labels, 0);
        const double loss_alone = (double)step_alone(&alone);
        apart = fmax(apart, fabs(loss - loss_alone) / loss_alone);
        if (step == 1 || step % TELL == 0)
            printf("step %3d: loss of %u ranks %.6f, of one process %.6f\n", step, t.ranks.count,
                   loss, loss_alone);
    }
    if (compares) {
        printf("%u ranks: the losses are the same to %.1e\n", t.ranks.count, apart);
        lenet_close(&alone);
    }

    if (argc == 3) tell_times(&t);

    close_trainer(&t);
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return apart < 1e-5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
