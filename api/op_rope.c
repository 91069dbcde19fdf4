/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary embeddings by a table of cosines and sines: aclnnRopeWithSinCosCache. */
#include <stdio.h>
#include <string.h>

#include "api/op_sample.h"
#include "kernels/kernels.h"
#include "kernels/rotary/k_rope.h"

static const aclTensor *tensor_of(const struct op_problem *problem, const char *name)
{
    return op_argument_named(problem, name)->tensor;
}

/* Sections that are not NULL, empty or all 0. */
static const aclIntArray *sections_of(const struct op_problem *problem)
{
    const aclIntArray *sections = op_argument_named(problem, "mropeSection")->ints;
    for (uint64_t i = 0; sections && i < sections->size; i++)
        if (sections->values[i] != 0) return sections;
    return NULL;
}

static aclnnStatus rope_types(struct op_problem *problem)
{
    static const char *const like[] = {"keyIn", "cosSinCache", "queryOut", "keyOut"};
    const struct op_value *query = op_argument_named(problem, "queryIn");
    const char *name = problem->row->name;
    OP_TRY(op_check_type(name, "positions", tensor_of(problem, "positions"),
                         OP_TYPE(ACL_INT32) | OP_TYPE(ACL_INT64), "INT32, INT64"));
    OP_TRY(op_check_type(name, query->name, query->tensor, problem->row->types,
                         problem->row->type_names));
    for (size_t i = 0; i < RT_LENGTH(like); i++)
        OP_TRY(op_check_same_type(name, like[i], tensor_of(problem, like[i]), query->name,
                                  query->tensor));
    problem->type = problem->result = (aclDataType)query->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

static aclnnStatus check_sections(const struct op_problem *problem, int64_t half)
{
    const aclIntArray *sections = sections_of(problem);
    int64_t sum = 0;
    if (!sections) return ACLNN_SUCCESS;
    OP_CHECK(problem->row->name, sections->size <= K_ROPE_SECTIONS, ACLNN_ERR_PARAM_INVALID,
             "mropeSection has %" PRIu64 " elements; it must have at most %d", sections->size,
             K_ROPE_SECTIONS);
    for (uint64_t i = 0; i < sections->size; i++) {
        OP_CHECK(problem->row->name, sections->values[i] >= 0 && sections->values[i] <= half - sum,
                 ACLNN_ERR_PARAM_INVALID,
                 "mropeSection[%" PRIu64 "] is %" PRId64 "; it must be from 0 to %" PRId64
                 ", the pairs that are left",
                 i, sections->values[i], half - sum);
        sum += sections->values[i];
    }
    OP_CHECK(problem->row->name, sum == half, ACLNN_ERR_PARAM_INVALID,
             "mropeSection has %" PRId64 " pairs together; they must be as many as cosSinCache's, "
             "%" PRId64,
             sum, half);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_rows(const struct op_problem *problem, const char *in, const char *out,
                              int64_t head)
{
    const struct op_value *from = op_argument_named(problem, in);
    OP_TRY(op_check_rank(problem->row->name, in, from->tensor, 2, 2));
    const int64_t *sizes = from->tensor->descriptor.sizes;
    OP_CHECK(problem->row->name, sizes[1] % head == 0, ACLNN_ERR_PARAM_INVALID,
             "%s has rows of %" PRId64 " elements; they must be a multiple of headSize, %" PRId64,
             in, sizes[1], head);
    return op_check_same_shape(problem->row->name, out, tensor_of(problem, out), in, from->tensor);
}

static aclnnStatus rope_shapes(struct op_problem *problem)
{
    const struct op_value *positions = op_argument_named(problem, "positions");
    const struct op_value *key = op_argument_named(problem, "keyIn");
    const struct op_value *table = op_argument_named(problem, "cosSinCache");
    const int64_t head = op_integer_named(problem, "headSize", 0);
    const aclIntArray *sections = sections_of(problem);
    const char *name = problem->row->name;
    OP_CHECK(name, head >= 1, ACLNN_ERR_PARAM_INVALID,
             "headSize is %" PRId64 "; it must be greater than 0", head);
    OP_TRY(check_rows(problem, "queryIn", "queryOut", head));
    OP_TRY(check_rows(problem, "keyIn", "keyOut", head));
    const int64_t tokens = tensor_of(problem, "queryIn")->descriptor.sizes[0];
    OP_CHECK(name, key->tensor->descriptor.sizes[0] == tokens, ACLNN_ERR_PARAM_INVALID,
             "keyIn has %" PRId64 " rows; it must have as many as queryIn, %" PRId64,
             key->tensor->descriptor.sizes[0], tokens);
    OP_TRY(op_check_rank(name, table->name, table->tensor, 2, 2));
    const int64_t columns = table->tensor->descriptor.sizes[1];
    OP_CHECK(name, columns % 2 == 0 && columns <= head, ACLNN_ERR_PARAM_INVALID,
             "cosSinCache has %" PRId64 " columns; they must be even, at most headSize, %" PRId64,
             columns, head);
    OP_TRY(check_sections(problem, columns / 2));
    const int64_t sizes[] = {sections ? (int64_t)sections->size : tokens, tokens};
    return op_check_shape(problem, positions, positions->tensor, sections ? 2 : 1, sizes);
}

/* ---- plan ---- */

static void describe(const void *parameters, void *const buffers[], int64_t position, char *text,
                     size_t size)
{
    const struct k_rope *r = parameters;
    const void *positions = buffers[K_ROPE_POSITIONS];
    const int64_t value = r->is_wide ? ((const int64_t *)positions)[position]
                                     : ((const int32_t *)positions)[position];
    snprintf(text, size, "element %" PRId64 " of %s is %" PRId64 "; it must be from 0 to %" PRId64,
             position, r->name, value, r->positions - 1);
}

static struct k_rope rope_of(const struct op_problem *problem)
{
    const aclIntArray *sections = sections_of(problem);
    const int64_t *table = tensor_of(problem, "cosSinCache")->descriptor.sizes;
    struct k_rope r = {.is_double = problem->type == ACL_DOUBLE,
                       .is_wide =
                           tensor_of(problem, "positions")->descriptor.data_type == ACL_INT64,
                       .are_neighbours = op_integer_named(problem, "isNeoxStyle", 1) == 0,
                       .tokens = tensor_of(problem, "queryIn")->descriptor.sizes[0],
                       .head = op_integer_named(problem, "headSize", 1),
                       .half = table[1] / 2,
                       .positions = table[0],
                       .sections = sections ? (int64_t)sections->size : 1,
                       .name = "positions"};
    r.end[0] = r.half;
    for (uint64_t i = 0; sections && i < sections->size; i++)
        r.end[i] = (i > 0 ? r.end[i - 1] : 0) + sections->values[i];
    return r;
}

static void rope(const struct op_shape_call *call)
{
    static const char *const pairs[][2] = {{"queryIn", "queryOut"}, {"keyIn", "keyOut"}};
    const struct op_problem *problem = call->problem;
    const int argument = (int)(op_argument_named(problem, "positions") - problem->values);
    struct k_rope r = rope_of(problem);
    if (r.tokens == 0) return;
    const int positions = op_dense_source(call, argument).buffer;
    const int table = op_image_source(call, "cosSinCache");
    for (int i = 0; i < 2; i++) {
        const aclTensor *x = tensor_of(problem, pairs[i][0]);
        if (op_is_empty(x)) continue;
        r.heads = x->descriptor.sizes[1] / r.head;
        const int from = op_image_source(call, pairs[i][0]);
        const struct op_place to = op_image_target(call, pairs[i][1]);
        ex_step_with_faults(call->plan, "rope", k_best()->rope, &r, sizeof r, k_rope_plan(&r),
                            EX_BUFFERS(from, positions, table, to.buffer), describe);
        op_image_deliver(call, &to, pairs[i][1]);
    }
}

const struct op_rule op_rule_rope = {.types = rope_types,
                                     .shapes = rope_shapes,
                                     .runs_empty = true,
                                     .more = &(const struct op_shape_rule){rope}};
