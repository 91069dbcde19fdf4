/* SPDX-License-Identifier: Apache-2.0 */
/* Attention: its arguments, read and checked once for both directions, and its plans. */
#ifndef ACLNN_CPU_API_OP_ATTENTION_H
#define ACLNN_CPU_API_OP_ATTENTION_H

#include "api/op_shape.h"
#include "kernels/attention/k_attention.h"

/* Axes of query, key and value; -1: there is none. Without an axis of heads a row has all heads,
 * one behind the other. */
struct op_attention_layout {
    const char *name;
    int rank, batch, rows, heads, columns;
};

/* Scales and offsets of quantised keys or values. */
struct op_attention_factors {
    const struct op_value *scale, *offset; /* offset: NULL: there is none */
    const char *axes;                      /* of the scale: op_attention_quant.c says which */
    int skipped;                           /* axes before them */
    int64_t part;                          /* of the first axis, where that is for both */
};

struct op_attention {
    bool is_infer;                   /* an operator of inference alone */
    const struct op_value *value[3]; /* query, key, value */
    const aclTensor *tensor[3];
    const struct op_attention_layout *layout, *key_layout, *out_layout; /* out: of inference */
    const struct op_attention_layout *read_layout; /* of keys as attention reads them */
    const aclIntArray *lengths[2]; /* of query and key of each sequence, or of all, or NULL */
    const struct op_value *mask_from, *bias_from; /* the arguments, which may be NULL */
    const struct op_value *table; /* which block holds which keys; NULL: they are not in blocks */
    int64_t blocks, block;        /* how many there are, rows of one */
    bool in_panels; /* blocks are (N, columns / width, rows, width), with 5 dimensions in all */
    bool in_list;   /* each sequence has a tensor of keys of its own */
    int64_t batch, heads, key_heads, queries, keys, d, dv; /* batch: sequences */
    const aclIntArray *query_ends, *key_ends; /* of sequences behind each other, or NULL */
    int64_t most_queries, most_keys, weights;
    bool is_uneven; /* sequences differ in length */
    enum k_attention_bias bias;
    double keep;
    bool draws;      /* what is kept is drawn, with the call's seed */
    bool is_by_rows; /* statistics are */
    int64_t mode;    /* sparseMode, where a mask is given */
    bool is_masked;  /* it is */
    bool has_mask;   /* and is read */
    const aclIntArray *prefix;
    /* Of inference alone; NULL where it is not there. */
    const struct op_value *rope[2]; /* second parts of query and key */
    int64_t rope_columns;
    const struct op_value *shared_from[2]; /* keys and values before those of each sequence */
    int64_t shared;                        /* how many */
    const struct op_value *padding[2];     /* rows behind each sequence, of query and of key */
    bool is_quantised, is_four;            /* keys and values; those are of 4 bits */
    int64_t packed; /* columns that an element of key holds, 8 of INT32; else 1 */
    struct op_attention_factors factors[2];
    const struct op_value *out_scale, *out_offset;
    bool is_whole; /* query, and so keys and values, are INT8; factors are of one element */
    const struct op_value *query_scale; /* of each row and head, or NULL: weights are whole, too, */
    const struct op_value *weight_scale; /* times this */
};

/* The arguments of a problem whose types are right, or what is wrong. */
aclnnStatus op_attention_read(const struct op_problem *problem, struct op_attention *attention);

/* Rows of sequence i; for keys in a list those of its tensor. */
int64_t op_attention_length(const struct op_attention *attention, bool is_key, int64_t i);
/* The argument that one direction calls one name and the other another. */
const struct op_value *op_attention_value(const struct op_problem *problem, const char *name,
                                          const char *other);
bool op_attention_is_bias(const char *name);

/* Which axis of (batch, heads, queries, keys) the i-th of a mask or a bias is. */
int op_attention_axis(const struct op_attention *attention, int rank, int i);
/* Whether that argument is given; an empty tensor is none to inference. */
bool op_attention_is_given(const struct op_attention *attention, const struct op_value *value);

/* Of inference: layouts by the name of query's and attentionOut's, */
aclnnStatus op_attention_find_layouts(const struct op_problem *problem,
                                      struct op_attention *attention);
/* lengths of sequences that are not the tensors' own, whether a bias counts. */
aclnnStatus op_attention_find_lengths(const struct op_problem *problem,
                                      struct op_attention *attention);
bool op_attention_has_bias(const struct op_problem *problem);
/* What else it has: shared keys, which count as each sequence's first ones; second parts; sequences
 * at the end of their tensors; quantised keys, before their sizes are known and after. */
aclnnStatus op_attention_find_shared(const struct op_problem *problem,
                                     struct op_attention *attention);
aclnnStatus op_attention_find_rope(const struct op_problem *problem,
                                   struct op_attention *attention);
/* Gradients of second parts, which are none where there are no such. */
aclnnStatus op_attention_check_rope_grads(const struct op_problem *problem,
                                          const struct op_attention *attention);
aclnnStatus op_attention_find_padding(const struct op_problem *problem,
                                      struct op_attention *attention);
aclnnStatus op_attention_find_quantised(const struct op_problem *problem,
                                        struct op_attention *attention);
aclnnStatus op_attention_find_factors(const struct op_problem *problem,
                                      struct op_attention *attention);
/* The argument of that name, or of that name and "Optional"; NULL: it is empty or not given. */
const struct op_value *op_attention_given(const struct op_problem *problem, const char *name);
/* What belongs to a query of INT8. */
aclnnStatus op_attention_find_whole(const struct op_problem *problem,
                                    struct op_attention *attention);
/* The types that keys may have beside query's. */
uint64_t op_attention_quantised_types(const struct op_problem *problem);
/* Keys in blocks: the table, or NULL; what the tensors and the lengths must be; and the step that
 * puts rows of a tensor in blocks side by side; layout: of that tensor. */
const struct op_value *op_attention_table(const struct op_problem *problem);
aclnnStatus op_attention_find_pages(const struct op_problem *problem,
                                    struct op_attention *attention);
aclnnStatus op_attention_check_pages(const struct op_problem *problem,
                                     const struct op_attention *attention,
                                     const struct op_value *lengths);
struct op_place op_attention_gather(const struct op_shape_call *call,
                                    const struct op_attention *attention,
                                    const struct op_place *from,
                                    const struct op_attention_layout *layout, int64_t heads);
struct op_place op_attention_gather_panels(const struct op_shape_call *call,
                                           const struct op_attention *attention,
                                           const struct op_place *from);
/* A tensor of keys for each sequence: what they must be, and the steps that put their rows behind
 * each other. */
aclnnStatus op_attention_find_list(const struct op_problem *problem,
                                   struct op_attention *attention);
aclnnStatus op_attention_check_list_lengths(const struct op_problem *problem,
                                            const struct op_attention *attention,
                                            const struct op_value *lengths);
int64_t op_attention_list_rows(const struct op_attention *attention, int64_t i);
/* The ends of sequences behind each other. */
aclnnStatus op_attention_check_ends(const struct op_problem *problem, const struct op_value *value,
                                    int64_t rows, const aclIntArray **ends);

void op_attention_plan(const struct op_shape_call *call);
void op_attention_plan_infer(const struct op_shape_call *call);
void op_attention_plan_grad(const struct op_shape_call *call);

#endif
