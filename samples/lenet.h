/* SPDX-License-Identifier: Apache-2.0 */
/* LeNet and its training step, made of aclnn calls: two convolutions with pooling and three full
 * layers, the loss, all gradients, and descent with momentum. All tensors and workspaces lie in one
 * block of memory that a plan makes small; the steps are captured once, to be replayed. */
#ifndef ACLNN_CPU_SAMPLES_LENET_H
#define ACLNN_CPU_SAMPLES_LENET_H

#include "acl/acl.h"
#include "aclnnext/aclnnext_memory_plan.h"

#include <stdint.h>

enum { LENET_LAYERS = 5, LENET_PARAMETERS = 2 * LENET_LAYERS /* a weight and a bias of each */ };

/* Tensors that a program may read and write between replays: they keep their values. */
enum lenet_tensor {
    LENET_IMAGES, /* [batch][1][28][28], float */
    LENET_LABELS, /* [batch], int64 */
    LENET_LOSS,   /* the mean of the batch, float */
    LENET_HITS,   /* how many of the batch were recognised, int64 */
    LENET_SCALE,  /* of the gradients, float: 1 unless a program writes another number */
    LENET_PARAMETER,
    LENET_VELOCITY = LENET_PARAMETER + LENET_PARAMETERS,
    LENET_GRADIENT = LENET_VELOCITY + LENET_PARAMETERS,
    LENET_KEPT = LENET_GRADIENT + LENET_PARAMETERS,
    LENET_TENSORS = LENET_KEPT + 24 /* and those of the step itself */
};

struct lenet {
    int64_t batch;
    float rate, momentum;
    aclrtStream stream;
    /* Graphs for aclmdlRIExecuteAsync: */
    aclmdlRI full;         /* from images and labels to the loss and the full layers' gradients */
    aclmdlRI convolutions; /* the gradients of the convolutions, after `full` */
    aclmdlRI update; /* velocity = momentum * velocity + gradient; parameter -= rate * velocity */
    aclmdlRI test;   /* from images and labels to the loss and the hits */
    aclnnextMemoryPlan *plan;
    void *block;
    void *address[LENET_TENSORS];
};

/* Plans, allocates and captures the network for batches of one size, on the calling thread's
 * device. Parameters begin as random numbers of the seed. */
void lenet_open(struct lenet *net, int64_t batch, float rate, float momentum, uint64_t seed);
void lenet_close(struct lenet *net);

/* The gradients of layers first to last (1 to 5) as one array of floats: *count of them. Between
 * two tensors may be a few zeros. */
float *lenet_gradients(const struct lenet *net, int first, int last, uint64_t *count);

/* Bytes of a tensor. */
uint64_t lenet_bytes(const struct lenet *net, int tensor);

/* Ends the program with the library's text unless code is 0. */
void lenet_check(int code, const char *call);
#define CHECK(call) lenet_check((call), #call)

#endif
