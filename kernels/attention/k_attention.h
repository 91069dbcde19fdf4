/* SPDX-License-Identifier: Apache-2.0 */
/* Attention, and its gradient. For each sequence and head, of query i and key j:
 *
 *     s[i][j] = scale * sum over d of q[i][d] * k[j][d] + bias          (how a bias counts: below)
 *     p[i][j] = exp(s[i][j] - m[i]) / l[i]  where (i, j) is visible, 0 elsewhere
 *     out[i][] = sum over j of kept[i][j] * p[i][j] * v[j][]
 *
 * with m the maximum and l the sum of exponentials over visible keys, and a sink if there is one: a
 * score of the head that has no value. kept is 1, or with dropout 1 / keep or 0. Of inference, q
 * and k may have a second part in a tensor of its own (rope), keys may begin with those that all
 * sequences share, k and v may be quantised, and so may be out and exp(s[i][j] - m[i]) before v,
 * with the maximum m[i] of keys so far, but not in l. No matrix of queries by keys is ever stored:
 * a block of keys meets 48 queries (flash attention), or few. One without keys has 0.
 *
 * The gradient computes p again from m and l:
 *
 *     dv[j] = sum over i of kept p dy[i]         ds = p (kept (dy[i] . v[j]) - dy[i] . out[i])
 *     dq[i] = scale * sum over j of ds k[j]      dk[j] = scale * sum over i of ds q[i]
 *
 * and -exp(sink - m[i]) / l[i] dy[i] . out[i], over all i, is a sink's. In three steps, and one for
 * sinks: attention_rows, what each query needs; attention_grad, keys by blocks, which
 * leaves sums for dq in scratch, one part for each chunk of keys; attention_query_grad, which adds
 * the parts. All is computed in f32; the cut follows from the shape alone. */
#ifndef ACLNN_CPU_KERNELS_ATTENTION_K_ATTENTION_H
#define ACLNN_CPU_KERNELS_ATTENTION_K_ATTENTION_H

#include "kernels/cache/k_quantised.h"
#include "kernels/gemm/k_gemm.h"

enum {
    K_ATTENTION_HEAD = 512,                     /* elements of a head, at most */
    K_ATTENTION_ROPE = 64,                      /* of its second part */
    K_ATTENTION_TILE = K_GEMM_TILE,             /* queries that are computed together */
    K_ATTENTION_KEYS = 144,                     /* keys of a block, at most */
    K_ATTENTION_QUERIES = 4 * K_ATTENTION_TILE, /* of an item, at most */
    K_ATTENTION_FLOATS = 24576,                 /* of packed queries of an item, at most */
    K_ATTENTION_SUMS = 17408,                   /* of a block of keys, at most */
    K_ATTENTION_ROPE_FLOATS = 27648,            /* the same two where there is a second part */
    K_ATTENTION_ROPE_SUMS = 18432,
    K_ATTENTION_CHUNKS = 16,   /* parts of a sequence's keys, at most */
    K_ATTENTION_FEW = 8,       /* queries whose keys are not packed, */
    K_ATTENTION_FEW_ROWS = 16, /* and rows of them and of heads with the same keys */
    K_ATTENTION_STATS = 8,     /* places with each maximum and sum, all the same */
};

/* Strides in elements. Rows are those of a sequence; batch is 0 where sequences are rows of one
 * matrix. */
struct k_attention_side {
    int64_t batch, head, row, column;
};

enum k_attention_bias {
    K_ATTENTION_NONE,
    K_ATTENTION_AFTER,  /* scale * x + bias */
    K_ATTENTION_BEFORE, /* scale * (x + bias) */
    K_ATTENTION_LINEAR, /* scale * x - slope of the head * |key - query| */
    K_ATTENTION_ROOT,   /* scale * x - slope of the head * sqrt(|key - query|) */
};

/* What is told of each query: maximum and sum, eight times; the sum's logarithm plus the maximum,
 * once, where the maxima would be; nothing. */
enum k_attention_stats { K_ATTENTION_MAX_AND_SUM, K_ATTENTION_LOG, K_ATTENTION_NO_STATS };

/* What is counted over all sequences: blocks of queries of an item, tiles of queries, chunks of
 * keys; each times the heads that it is done for. */
enum k_attention_unit {
    K_ATTENTION_BLOCK,
    K_ATTENTION_TILES,
    K_ATTENTION_CHUNK,
    K_ATTENTION_UNITS
};

struct k_attention_sequence {
    int64_t batch, query, key; /* of the sides, and the first row of each */
    int64_t queries, keys;
    int64_t query_shift, key_shift; /* rows before the first of each, in masks and statistics too */
    int64_t low, high,
        prefix; /* visible: low <= j - i <= high, or j < prefix; |low|, |high| <= 2^60 */
    int64_t weights, stats; /* elements of p, and rows of statistics, before the sequence's */
    int64_t before[K_ATTENTION_UNITS]; /* how many units there are, for one head */
};

struct k_attention {
    enum k_dtype dtype, bias_type;
    int64_t heads, group; /* group: query heads for each head of keys */
    int64_t d, dv;        /* elements of a row of q and k, and of v */
    int64_t rope, row;    /* of q_rope and k_rope, which stand behind those of q and k; of both */
    int64_t shared;       /* keys before those of each sequence: rows of shared_k and shared_v */
    /* Where a sequence has fewer rows than the tensors have, its last one stands as many before the
     * end as the call's tensor says (less than 0: 0). Where keys would begin before the tensor, one
     * query has none, and of several they begin with it. */
    bool pads_queries, pads_keys;
    int64_t query_rows, key_rows;  /* of a sequence in the tensors; of padded ones */
    struct k_quantised k_as, v_as; /* of one kind */
    struct k_quantised out_as;     /* INT8, then */
    bool rounds;                   /* exponentials: times a scale, to the nearest of INT8 */
    double scale, keep;            /* keep: 1, or the probability with which a weight is kept */
    enum k_attention_bias bias;
    double shift; /* key - query, of the first of each */
    bool has_mask, has_sink;
    enum k_attention_stats stats;
    int64_t stat_rows; /* of a head, where that is more than its queries */
    bool is_by_rows;   /* statistics are [query][head] in place of [head][query] */
    struct k_attention_side q, k, v, out, dy, dq, dk, dv_to, mask, bias_at;
    struct k_attention_side q_rope, k_rope, shared_k, shared_v;
    /* Queries of an item of the forward pass, and how many heads of one head of keys it has; keys
     * of a block; chunks of a sequence. */
    int64_t block, together, keys, chunks;
    int64_t tiles; /* of all heads */
    int64_t sequences;
    struct k_attention_sequence sequence[];
};

/* Buffers of each step; any other one where there is none. */
enum {
    K_ATTENTION_Q,
    K_ATTENTION_K,
    K_ATTENTION_V,
    K_ATTENTION_MASK, /* a byte for each pair: not 0 is not visible */
    K_ATTENTION_BIAS,
    K_ATTENTION_DROP, /* bit i of byte i / 8: weight number i is kept */
    K_ATTENTION_MAX,  /* [sequence][head][query][8] (is_by_rows: else), f32 */
    K_ATTENTION_SUM,
    K_ATTENTION_SINK, /* f32, [head] */
    K_ATTENTION_OUT,  /* of the gradient: what the forward pass gave */
    K_ATTENTION_BUFFERS,
    K_ATTENTION_DY = K_ATTENTION_BUFFERS,
    K_ATTENTION_ROWS,  /* scratch: [tile][3][48]: m, 1 / l, dy . out */
    K_ATTENTION_PARTS, /* scratch: [chunk][tile][d][48], dq before the scale */
    K_ATTENTION_DQ,
    K_ATTENTION_DK,
    K_ATTENTION_DV,
    K_ATTENTION_GRAD_BUFFERS,
    /* Of inference, and of the forward pass with second parts: what never meets has one place. */
    K_ATTENTION_SHARED_K = K_ATTENTION_BUFFERS,
    K_ATTENTION_SHARED_V,
    K_ATTENTION_K_SCALE,
    K_ATTENTION_K_OFFSET,
    K_ATTENTION_V_SCALE,
    K_ATTENTION_V_OFFSET,
    K_ATTENTION_INFER_BUFFERS,
    K_ATTENTION_Q_PADDING = K_ATTENTION_SHARED_K, /* INT64 */
    K_ATTENTION_K_PADDING,
    K_ATTENTION_Q_ROPE = K_ATTENTION_K_OFFSET,
    K_ATTENTION_K_ROPE = K_ATTENTION_V_OFFSET,
    K_ATTENTION_WEIGHT_SCALE = K_ATTENTION_K_OFFSET, /* FLOAT, of exponentials that are rounded */
    K_ATTENTION_OUT_SCALE = K_ATTENTION_DROP,
    K_ATTENTION_OUT_OFFSET = K_ATTENTION_SINK,
    K_ATTENTION_DSINK = K_ATTENTION_DQ, /* of attention_sink_grad: f32, [head] */
};

/* Finds the cut: block, keys, chunks, tiles, and what is before each sequence. sequences, their
 * sizes, and all sizes are set. Returns the work of the forward pass, whose ways call it. */
struct k_work k_attention_cut(struct k_attention *attention, bool is_few);
/* Of the three steps of the gradient. */
struct k_work k_attention_rows_work(const struct k_attention *attention);
struct k_work k_attention_grad_work(const struct k_attention *attention);
/* How many blocks of keys a sequence has, and how many chunks. */
int64_t k_attention_blocks(const struct k_attention *attention, int64_t keys);
int64_t k_attention_chunks(const struct k_attention *attention, int64_t keys);

#endif
