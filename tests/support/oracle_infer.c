/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of inference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/attention.h"
#include "tests/support/oracle_infer.h"

#define SHARED "keySharedPrefix keySharedPrefixOptional"
#define K_ROPE "keyRope keyRopeOptional"

bool infer_by_rows(const char *layout)
{
    return strchr(layout, 'T') != NULL;
}

/* Where a row of a head begins, in rows of columns. */
static int64_t place(const char *layout, int64_t batch, int64_t b, int64_t n, int64_t heads,
                     int64_t i, int64_t rows)
{
    int64_t at = 0;
    for (const char *axis = layout; *axis; axis++)
        switch (*axis) {
        case 'B':
            at = at * batch + b;
            break;
        case 'S':
        case 'T':
            at = at * rows + i;
            break;
        case 'N':
        case 'H':
            at = at * heads + n;
            break;
        default:
            break;
        }
    return at;
}

void infer_split_layout(const char *text, struct infer_sizes *s)
{
    static const char *const all[] = {"BSH", "BSND", "BNSD", "NBSD", "TND", "NTD"};
    const char *behind = strchr(text, '_');
    const size_t length = behind ? (size_t)(behind - text) : strlen(text);
    for (int i = 0; i < 6; i++) {
        if (strncmp(all[i], text, length) == 0 && !all[i][length]) s->in = all[i];
        if (strcmp(all[i], behind ? behind + 1 : text) == 0) s->out = all[i];
    }
}

static const struct rig_array *array_of(const struct rig_problem *problem, const char *words)
{
    for (int i = 0; problem->op->array[i]; i++)
        if (norm_has_word(words, problem->op->array[i])) return &problem->call.array[i];
    return NULL;
}

bool infer_is_incremental(const struct rig_operator *op)
{
    return strncmp(op->name, "aclnnIncre", 10) == 0;
}

/* Rows before a sequence that stands at the end of its tensor. */
static int64_t padded_first(const struct rig_problem *problem, bool of_keys, int64_t rows,
                            int64_t length)
{
    const int padding = norm_one_of(problem, of_keys ? "kvPaddingSize kvPaddingSizeOptional"
                                                     : "queryPaddingSize queryPaddingSizeOptional");
    if (padding < 0) return 0;
    const int64_t behind = oracle_whole_value(problem, padding, 0);
    if (behind > rows - length) return -1;
    return rows - length - (behind > 0 ? behind : 0);
}

static void find_lengths(const struct rig_problem *problem, bool of_keys, struct infer_sizes *s)
{
    const struct rig_array *of =
        of_keys == infer_is_incremental(problem->op)
            ? array_of(problem, "actualSeqLengths actualSeqLengthsOptional")
            : array_of(problem, "actualSeqLengthsKv actualSeqLengthsKvOptional");
    const bool ends = infer_by_rows(s->in) && !(of_keys && s->block);
    const bool is_given = of && !of->is_null && of->length > 0 &&
                          (of_keys || ends || s->queries != 1) &&
                          (of_keys || !infer_is_incremental(problem->op));
    int64_t *lengths = of_keys ? s->of_key : s->of_query, *first = s->first[of_keys];
    for (int64_t b = 0; b < s->batch; b++) {
        const int64_t rows = of_keys ? s->rows[b] : s->queries;
        lengths[b] = is_given ? of->values[of->length == 1 ? 0 : b] : rows;
        if (ends) {
            first[b] = b == 0 ? 0 : of->values[b - 1];
            lengths[b] -= first[b];
        } else if (is_given && !(of_keys && (s->block || s->in_list))) {
            first[b] = padded_first(problem, of_keys, rows, lengths[b]);
            if (first[b] < 0 && of_keys && s->queries == 1) lengths[b] = 0;
            if (first[b] < 0) first[b] = 0;
        }
        if (of_keys) lengths[b] += s->shared;
    }
}

static int64_t rows_of(const struct rig_problem *problem, const struct infer_sizes *s, int operand)
{
    return problem->tensor[operand].view.dims[strcspn(s->in, "ST")];
}

static void find_shared(const struct rig_problem *problem, struct infer_sizes *s)
{
    const int operand = norm_one_of(problem, SHARED);
    const struct rig_array *length = array_of(problem, "actualSharedPrefixLenOptional");
    if (operand < 0) return;
    s->shared_rows = s->shared = rows_of(problem, s, operand);
    if (length && !length->is_null && length->length > 0) s->shared = length->values[0];
}

/* Rows of keys of each sequence, and the most of them. */
static void find_rows(const struct rig_problem *problem, struct infer_sizes *s)
{
    const int64_t all = s->keys;
    s->in_list = problem->call.count[1] > 1;
    for (int64_t b = 0; b < s->batch; b++) {
        s->rows[b] = s->in_list ? rows_of(problem, s, 1 + (int)b) : all;
        if (s->rows[b] > s->keys) s->keys = s->rows[b];
    }
}

static struct infer_sizes sizes_of(const struct rig_problem *problem)
{
    const int value = norm_operand(problem, "value");
    const struct operand *q = &problem->tensor[0].view, *k = &problem->tensor[1].view;
    const int64_t *v = problem->tensor[value].view.dims;
    const int table = norm_one_of(problem, INFER_TABLE), rope = norm_one_of(problem, K_ROPE);
    struct infer_sizes s = {.in = NULL, .value = value, .is_whole = q->dtype == CASE_I8};
    infer_split_layout(problem->call.text[0], &s);
    s.queries = rows_of(problem, &s, 0);
    s.keys = rows_of(problem, &s, 1);
    s.packed = k->dtype == CASE_I32 ? 8 : 1;
    s.is_quantised = k->dtype != q->dtype;
    s.heads = norm_integer(problem, "numHeads", 1);
    s.key_heads = norm_integer(problem, "numKeyValueHeads", 0);
    if (s.key_heads == 0) s.key_heads = s.heads;
    const bool joins = table >= 0 ? k->rank == 3 : strchr(s.in, 'H') != NULL; /* heads of keys */
    const int64_t each = joins ? s.key_heads : 1;
    s.d = strchr(s.in, 'H') ? q->dims[2] / s.heads : q->dims[q->rank - 1];
    s.in_panels = k->rank == 5;
    s.dv = v[k->rank - 1] * (s.in_panels ? v[2] : 1) * s.packed / each;
    if (rope >= 0) {
        const int64_t *of_rope = problem->tensor[rope].view.dims;
        s.rope = of_rope[k->rank - 1] * (s.in_panels ? of_rope[2] : 1) / each;
    }
    if (table >= 0) {
        s.block = k->dims[k->rank - 2];
        s.keys = problem->tensor[table].view.dims[1] * s.block;
    }
    s.batch = infer_by_rows(s.in)
                  ? array_of(problem, "actualSeqLengths actualSeqLengthsOptional")->length
                  : q->dims[0];
    find_rows(problem, &s);
    find_shared(problem, &s);
    find_lengths(problem, false, &s);
    find_lengths(problem, true, &s);
    return s;
}

/* ---- from the operator's tensors to the definition's ---- */

/* The block of a row of keys, or -1. */
static int64_t block_of(struct rig_problem *problem, const struct infer_sizes *s, int64_t b,
                        int64_t i)
{
    const int table = norm_one_of(problem, INFER_TABLE);
    const int64_t at = b * problem->tensor[table].view.dims[1] + i / s->block;
    return index_of(problem, table, at, problem->tensor[1].view.dims[0], false, at,
                    problem->op->tensor[table]);
}

/* Column d of the row of keys that the table names, or -1: there is no such block. columns: of a
 * row of a head of that operand. */
static int64_t paged_place(struct rig_problem *problem, const struct infer_sizes *s, int operand,
                           int64_t b, int64_t n, int64_t i, int64_t d, int64_t columns)
{
    const int64_t block = block_of(problem, s, b, i), *dims = problem->tensor[operand].view.dims;
    if (block < 0) return -1;
    if (s->in_panels)
        return (((block * dims[1] + n) * dims[2] + d / dims[4]) * dims[3] + i % s->block) *
                   dims[4] +
               d % dims[4];
    return place(problem->tensor[1].view.rank == 4 ? "BNSD" : "BSND", 0, block, n, s->key_heads,
                 i % s->block, s->block) *
               columns +
           d;
}

/* An element of a tensor of a scale or an offset; -1: its block is none. i: the row of keys. */
static int64_t factor_place(struct rig_problem *problem, const struct infer_sizes *s, int operand,
                            bool of_values, int64_t b, int64_t n, int64_t i, int64_t d)
{
    const struct operand *view = &problem->tensor[operand].view;
    const bool is_joint = norm_one_of(problem, "keyAntiquantScaleOptional") < 0;
    const char *number = is_joint    ? "antiquantMode"
                         : of_values ? "valueAntiquantMode"
                                     : "keyAntiquantMode";
    const int64_t mode = norm_integer(problem, number, 0), columns = of_values ? s->dv : s->d;
    const int64_t count = problem->tensor[operand].count / (is_joint ? 2 : 1);
    const int64_t first = is_joint && of_values ? count : 0, rows = view->dims[view->rank - 1];
    if (mode == 0) return first + (count == 1 ? 0 : n * columns + d);
    if (mode == 1) return first + b * rows + i;
    if (mode == 2) return n;
    if (mode == 3) return (b * s->key_heads + n) * rows + i;
    const int64_t block = block_of(problem, s, b, i);
    if (block < 0) return -1;
    return (mode == 4 ? block : block * s->key_heads + n) * s->block + i % s->block;
}

static double factor_of(struct rig_problem *problem, const struct infer_sizes *s, bool of_values,
                        bool is_offset, int64_t b, int64_t n, int64_t i, int64_t d)
{
    static const char *const own[] = {"keyAntiquantScaleOptional", "keyAntiquantOffsetOptional",
                                      "valueAntiquantScaleOptional",
                                      "valueAntiquantOffsetOptional"};
    static const char *const joint[] = {"antiquantScale antiquantScaleOptional",
                                        "antiquantOffset antiquantOffsetOptional"};
    const bool is_joint = norm_one_of(problem, own[0]) < 0;
    const int operand =
        norm_one_of(problem, is_joint ? joint[is_offset] : own[2 * of_values + is_offset]);
    if (operand < 0) return 0;
    const int64_t at = factor_place(problem, s, operand, of_values, b, n, i, d);
    return at < 0 ? 0 : oracle_value(problem, operand, at);
}

/* The whole number of 4 or 8 bits. */
static double whole_of(const struct rig_problem *problem, const struct infer_sizes *s, int operand,
                       int64_t at)
{
    if (s->packed == 1) return (double)oracle_whole_value(problem, operand, at);
    const int64_t word = oracle_whole_value(problem, operand, at / 8);
    const int64_t four = (int64_t)((uint64_t)word >> at % 8 * 4 & 15);
    return (double)(four < 8 ? four : four - 16);
}

/* An operand that is in two tensors: rows of its own behind shared ones; rope: its columns behind
 * the others. -1: there is none. */
struct operands {
    int own, shared, rope;
};

/* Of a query of INT8: the factor of an operand's numbers, or of those of its second part. */
static double whole_factor(const struct rig_problem *problem, const struct infer_sizes *s,
                           int operand, bool of_rope, int64_t b, int64_t i, int64_t n)
{
    static const char *const products[] = {NULL, "deqScale1 deqScale1Optional",
                                           "deqScale2 deqScale2Optional"};
    static const char *const scales[] = {"dequantScaleQueryOptional", "keyAntiquantScaleOptional",
                                         "valueAntiquantScaleOptional"};
    const int which = operand == 0 ? 0 : operand == s->value ? 2 : 1;
    const int query = norm_one_of(problem, scales[0]);
    if (query >= 0) {
        const int64_t row = place(s->in, s->batch, b, n, s->heads, i, s->queries);
        const double of_query = oracle_value(problem, query, row);
        const double of_key = oracle_value(problem, norm_one_of(problem, scales[1]), 0);
        if (of_rope) return which == 0 ? of_query * of_key : 1;
        if (which < 2) return which == 0 ? of_query : of_key;
        return oracle_value(problem, norm_one_of(problem, scales[2]), 0);
    }
    if (which == 0) return 1;
    const int factor = norm_one_of(problem, products[which]);
    const uint32_t low = (uint32_t)rig_given(problem, factor)[0];
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value; /* FLOAT, or the lower half of UINT64 */
}

/* The element of an operand at a column of a row of a sequence; -1: its block is none. */
static int64_t element_of(struct rig_problem *problem, const struct infer_sizes *s, int operand,
                          bool is_key, bool is_shared, int64_t b, int64_t i, int64_t n, int64_t d,
                          int64_t columns)
{
    const int64_t own = s->first[is_key][b] + i - (is_key ? s->shared : 0);
    const int64_t heads = is_key ? s->key_heads : s->heads;
    if (is_key && s->block) return paged_place(problem, s, operand, b, n, i, d, columns);
    if (is_key && s->in_list) return place(s->in, 1, 0, n, heads, own, s->rows[b]) * columns + d;
    const int64_t rows = is_shared ? s->shared_rows : is_key ? s->keys : s->queries;
    return place(s->in, s->batch, is_shared ? 0 : b, n, heads, is_shared ? i : own, rows) *
               columns +
           d;
}

static void dense_row(struct rig_problem *problem, const struct infer_sizes *s,
                      const struct operands *of, int64_t b, int64_t i, int64_t n, int64_t columns,
                      double *to)
{
    const bool is_key = of->own > 0, is_shared = is_key && i < s->shared;
    const bool of_values = of->own == s->value;
    const int operand = is_shared ? of->shared : of->own + (is_key && s->in_list ? (int)b : 0);
    for (int64_t d = 0; d < columns; d++) {
        const int64_t at = element_of(problem, s, operand, is_key, is_shared, b, i, n, d, columns);
        const int64_t row = s->first[is_key][b] + i; /* of factors: they count the prefix's, too */
        if (s->is_whole)
            to[d] = (at < 0 ? 0 : (double)oracle_whole_value(problem, operand, at)) *
                    whole_factor(problem, s, of->own, false, b, row, n);
        else if (!is_key || !s->is_quantised)
            to[d] = at < 0 ? 0 : oracle_value(problem, operand, at);
        else
            to[d] = ((at < 0 ? 0 : whole_of(problem, s, operand, at)) +
                     factor_of(problem, s, of_values, true, b, n, row, d)) *
                    factor_of(problem, s, of_values, false, b, n, row, d);
    }
    for (int64_t d = 0; of->rope >= 0 && d < s->rope; d++) {
        const int64_t at = element_of(problem, s, of->rope, is_key, false, b, i, n, d, s->rope);
        to[columns + d] = at < 0 ? 0 : oracle_value(problem, of->rope, at);
        if (s->is_whole)
            to[columns + d] *=
                whole_factor(problem, s, of->own, true, b, s->first[is_key][b] + i, n);
    }
}

static double *dense(struct rig_problem *problem, const struct infer_sizes *s, struct operands of,
                     int64_t columns)
{
    const bool is_key = of.own > 0;
    const int64_t heads = is_key ? s->key_heads : s->heads;
    const int64_t rows = is_key ? s->shared + s->keys : s->queries;
    const int64_t all = columns + (of.rope >= 0 ? s->rope : 0);
    double *to = calloc((size_t)(s->batch * heads * rows * all) + 1, sizeof *to), *at = to;
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t i = 0; i < (is_key ? s->of_key : s->of_query)[b]; i++)
            for (int64_t n = 0; n < heads; n++, at += all)
                dense_row(problem, s, &of, b, i, n, columns, at);
    return to;
}

static double *beside(const struct rig_problem *problem, const struct infer_sizes *s,
                      const char *names)
{
    const int operand = norm_one_of(problem, names);
    if (operand < 0) return NULL;
    const struct operand *view = &problem->tensor[operand].view;
    double *to =
        calloc((size_t)(s->batch * s->heads * s->queries * (s->shared + s->keys)) + 1, sizeof *to);
    int64_t at = 0;
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t n = 0; n < s->heads; n++)
            for (int64_t r = 0; r < s->of_query[b]; r++)
                for (int64_t c = 0; c < s->of_key[b]; c++) {
                    /* Of a padded sequence all rows of the tensors count. */
                    const bool by_rows = infer_by_rows(s->in);
                    const int64_t i = r + (by_rows ? 0 : s->first[0][b]);
                    const int64_t j = c + (by_rows ? 0 : s->first[1][b]);
                    const int64_t of_two[] = {s->queries == 1 && !by_rows ? b : i, j};
                    const int64_t of_three[] = {b, i, j}, of_four[] = {b, n, i, j};
                    const int64_t *index = view->rank == 2   ? of_two
                                           : view->rank == 3 ? of_three
                                                             : of_four;
                    int64_t element = 0;
                    for (int axis = 0; axis < view->rank; axis++)
                        element =
                            element * view->dims[axis] + (view->dims[axis] == 1 ? 0 : index[axis]);
                    to[at++] = oracle_is_float(view->dtype)
                                   ? oracle_value(problem, operand, element)
                                   : (double)oracle_whole_value(problem, operand, element);
                }
    return to;
}

static void put(struct rig_problem *problem, int operand, int64_t i, double value, double slack)
{
    problem->near.ulp = 2;
    problem->tensor[operand].near[i] = value;
    problem->tensor[operand].slack[i] = slack + 0x1p-149; /* 0 of either sign */
}

/* An element of the result; INT8 where it is quantised. */
static void put_out(struct rig_problem *problem, const struct infer_sizes *s, int64_t at,
                    double value, double slack)
{
    const int to = norm_operand(problem, "attentionOut");
    const int scale = norm_one_of(problem, "quantScale2 quantScale2Optional");
    const int offset = norm_one_of(problem, "quantOffset2 quantOffset2Optional");
    if (problem->tensor[to].view.dtype != CASE_I8) {
        put(problem, to, at, value, slack);
        return;
    }
    /* The layout of the result tells which column of which head it is. */
    const int64_t rows = s->queries, row = at / s->dv, heads = s->heads;
    const int64_t n = strcmp(s->out, "BNSD") == 0   ? row / rows % heads
                      : strcmp(s->out, "NBSD") == 0 ? row / rows / s->batch
                      : strcmp(s->out, "NTD") == 0  ? row / rows
                                                    : row % heads;
    const int64_t column = n * s->dv + at % s->dv;
    const double by = oracle_value(problem, scale, problem->tensor[scale].count == 1 ? 0 : column);
    const double more =
        offset < 0 ? 0
                   : oracle_value(problem, offset, problem->tensor[offset].count == 1 ? 0 : column);
    put(problem, to, at, value * by + more,
        slack * fabs(by) + 0x1p-22 * (fabs(value * by) + fabs(more)));
}

/* One row of a head: what is computed, or that of no sequence. */
static void put_row(struct rig_problem *problem, const struct infer_sizes *s, int64_t at,
                    int64_t stat, const struct attention_values *m,
                    const struct attention_values *l, const struct attention_values *out,
                    const int64_t *from)
{
    const int lse =
        norm_integer(problem, "softmaxLseFlag", 0) ? norm_operand(problem, "softmaxLse") : -1;
    const int to = norm_operand(problem, "attentionOut");
    for (int64_t d = 0; d < s->dv; d++)
        if (from)
            put_out(problem, s, at * s->dv + d, out->value[from[0] * s->dv + d],
                    out->slack[from[0] * s->dv + d]);
        else
            put(problem, to, at * s->dv + d, 0, 0);
    if (lse < 0) return;
    const double sum = from ? l->value[from[1]] : 0;
    const bool sees = sum > 0 && sum < 1e30;
    put(problem, lse, stat, sees ? m->value[from[1]] + log(sum) : -INFINITY,
        sees ? m->slack[from[1]] + l->slack[from[1]] / sum + 0x1p-22 * (fabs(m->value[from[1]]) + 1)
             : 0);
}

static void put_all(struct rig_problem *problem, const struct infer_sizes *s,
                    const struct attention_values *m, const struct attention_values *l,
                    const struct attention_values *out)
{
    const bool by_rows = infer_by_rows(s->in);
    const char *stats = by_rows ? "TN" : "BNS";
    int64_t row = 0, begin = 0;
    for (int64_t b = 0; b < s->batch; b++) {
        for (int64_t i = 0; i < (by_rows ? s->of_query[b] : s->queries); i++)
            for (int64_t n = 0; n < s->heads; n++) {
                const int64_t r = by_rows ? s->first[0][b] + i : i;
                const int64_t own = by_rows ? i : i - s->first[0][b]; /* of the sequence */
                const int64_t from[] = {(row + own) * s->heads + n,
                                        begin + n * s->of_query[b] + own};
                put_row(problem, s, place(s->out, s->batch, b, n, s->heads, r, s->queries),
                        place(stats, s->batch, b, n, s->heads, r, s->queries), m, l, out,
                        own >= 0 && own < s->of_query[b] ? from : NULL);
            }
        row += s->of_query[b];
        begin += s->of_query[b] * s->heads;
    }
    for (int64_t r = row; by_rows && r < s->queries; r++)
        for (int64_t n = 0; n < s->heads; n++)
            put_row(problem, s, place(s->out, 0, 0, n, s->heads, r, s->queries), r * s->heads + n,
                    m, l, out, NULL);
}

/* The first versions do not look at it. */
static bool counts_bias(const struct rig_operator *op)
{
    return !norm_has_word("aclnnPromptFlashAttention aclnnIncreFlashAttention", op->name);
}

/* Whether a padding counts: beside lengths, and that of query where there are several. */
static bool is_padded_side(const struct rig_problem *problem, bool of_keys)
{
    const bool is_first = of_keys == infer_is_incremental(problem->op);
    const struct rig_array *of =
        array_of(problem, is_first ? "actualSeqLengths actualSeqLengthsOptional"
                                   : "actualSeqLengthsKv actualSeqLengthsKvOptional");
    const char *names = of_keys ? "kvPaddingSize kvPaddingSizeOptional"
                                : "queryPaddingSize queryPaddingSizeOptional";
    return norm_one_of(problem, names) >= 0 && of && !of->is_null && of->length > 0;
}

/* -1: everything is visible. One query looks at the mask alone. */
static int mode_of(const struct rig_problem *problem, const struct infer_sizes *s)
{
    const int mode = (int)norm_integer(problem, "sparseMode", 0);
    if (norm_one_of(problem, "attenMaskOptional attenMask") < 0) return -1;
    const bool is_padded = is_padded_side(problem, false) || is_padded_side(problem, true);
    const bool has_one = s->queries == 1 && !infer_by_rows(s->in);
    return mode == 0 && (has_one || is_padded) ? 1 : mode;
}

void infer_oracle(struct rig_problem *problem)
{
    const struct infer_sizes s = sizes_of(problem);
    const int64_t rows = s.batch * s.queries * s.heads;
    problem->near.whole = true;
    double *const all[] = {
        dense(problem, &s,
              (struct operands){0, -1, norm_one_of(problem, "queryRope queryRopeOptional")}, s.d),
        dense(problem, &s,
              (struct operands){1, norm_one_of(problem, SHARED), norm_one_of(problem, K_ROPE)},
              s.d),
        dense(problem, &s,
              (struct operands){
                  s.value, norm_one_of(problem, "valueSharedPrefix valueSharedPrefixOptional"), -1},
              s.dv),
        beside(problem, &s, "attenMaskOptional attenMask"),
        counts_bias(problem->op) ? beside(problem, &s, "pseShiftOptional pseShift") : NULL};
    const int weights = norm_one_of(problem, "quantScale1 quantScale1Optional");
    const struct attention a = {.sequences = s.batch,
                                .weight_scale = weights < 0 ? 0 : oracle_value(problem, weights, 0),
                                .block = INFER_BLOCK,
                                .heads = s.heads,
                                .key_heads = s.key_heads,
                                .d = s.d + s.rope,
                                .dv = s.dv,
                                .queries = s.of_query,
                                .keys = s.of_key,
                                .scale = norm_real(problem, "scaleValue", 1),
                                .keep = 1,
                                .mode = mode_of(problem, &s),
                                .before = norm_integer(problem, "preTokens", 0),
                                .after = norm_integer(problem, "nextTokens", 0),
                                .type = all[4] ? BIAS_AFTER : BIAS_NONE,
                                .q = all[0],
                                .k = all[1],
                                .v = all[2],
                                .hidden = all[3],
                                .bias = all[4]};
    struct attention_values m = attention_values_new(rows), l = attention_values_new(rows);
    struct attention_values out = attention_values_new(rows * s.dv);
    attention_forward(&a, &m, &l, &out);
    put_all(problem, &s, &m, &l, &out);
    attention_values_free(&m);
    attention_values_free(&l);
    attention_values_free(&out);
    for (int i = 0; i < 5; i++)
        free(all[i]);
}
