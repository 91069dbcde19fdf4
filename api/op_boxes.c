/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes that no better box covers: aclnnNonMaxSuppression. */
#include "api/op_shape.h"
#include "kernels/sample/k_boxes.h"

static const aclTensor *tensor_of(const struct op_problem *problem, const char *name)
{
    return op_argument_named(problem, name)->tensor;
}

/* ---- checks ---- */

static aclnnStatus nms_types(struct op_problem *problem)
{
    const struct op_value *boxes = op_argument_named(problem, "boxes");
    const char *name = problem->row->name;
    OP_TRY(op_check_type(name, boxes->name, boxes->tensor, problem->row->types,
                         problem->row->type_names));
    OP_TRY(op_check_same_type(name, "scores", tensor_of(problem, "scores"), boxes->name,
                              boxes->tensor));
    OP_TRY(op_check_type(name, "selectedIndices", tensor_of(problem, "selectedIndices"),
                         OP_TYPE(ACL_INT32), "INT32"));
    problem->type = problem->result = (aclDataType)boxes->tensor->descriptor.data_type;
    return ACLNN_SUCCESS;
}

/* How many boxes of a class may stay: none if nothing is said. */
static int64_t most_of(const struct op_problem *problem)
{
    const aclIntArray *most = op_argument_named(problem, "maxOutputBoxesPerClass")->ints;
    return most && most->size > 0 ? most->values[0] : 0;
}

static float threshold(const struct op_problem *problem, const char *name)
{
    const aclFloatArray *array = op_argument_named(problem, name)->floats;
    return array && array->size > 0 ? array->values[0] : 0;
}

static aclnnStatus check_numbers(const struct op_problem *problem)
{
    enum { MOST = 700 };
    static const char *const thresholds[] = {"iouThreshold", "scoreThreshold"};
    const int64_t most = most_of(problem), center = op_integer_named(problem, "centerPointBox", 0);
    const char *name = problem->row->name;
    OP_CHECK(name, most >= 0 && most <= MOST, ACLNN_ERR_PARAM_INVALID,
             "maxOutputBoxesPerClass is %" PRId64 "; it must be from 0 to %d", most, MOST);
    for (int i = 0; i < 2; i++)
        OP_CHECK(name,
                 threshold(problem, thresholds[i]) >= 0 && threshold(problem, thresholds[i]) <= 1,
                 ACLNN_ERR_PARAM_INVALID, "%s is %g; it must be from 0 to 1", thresholds[i],
                 (double)threshold(problem, thresholds[i]));
    OP_CHECK(name, center == 0 || center == 1, ACLNN_ERR_PARAM_INVALID,
             "centerPointBox is %" PRId64 "; it must be 0 or 1", center);
    return ACLNN_SUCCESS;
}

static aclnnStatus nms_shapes(struct op_problem *problem)
{
    const struct op_value *boxes = op_argument_named(problem, "boxes");
    const struct op_value *scores = op_argument_named(problem, "scores");
    const struct op_value *to = op_argument_named(problem, "selectedIndices");
    const char *name = problem->row->name;
    OP_TRY(op_check_rank(name, boxes->name, boxes->tensor, 3, 3));
    OP_TRY(op_check_rank(name, scores->name, scores->tensor, 3, 3));
    OP_TRY(op_check_rank(name, to->name, to->tensor, 2, 2));
    const int64_t *of = boxes->tensor->descriptor.sizes;
    const int64_t classes = scores->tensor->descriptor.sizes[1];
    OP_TRY(op_check_shape(problem, boxes, boxes->tensor, 3, (const int64_t[]){of[0], of[1], 4}));
    OP_TRY(op_check_shape(problem, scores, scores->tensor, 3,
                          (const int64_t[]){of[0], classes, of[1]}));
    OP_TRY(op_check_shape(problem, to, to->tensor, 2,
                          (const int64_t[]){to->tensor->descriptor.sizes[0], 3}));
    OP_CHECK(name, of[0] <= INT32_MAX && of[1] <= INT32_MAX && classes <= INT32_MAX,
             ACLNN_ERR_PARAM_INVALID,
             "there are %" PRId64 " batches, %" PRId64 " classes and %" PRId64
             " boxes; INT32 must be able to number them",
             of[0], classes, of[1]);
    return check_numbers(problem);
}

/* ---- plan ---- */

/* FLOAT, side by side. */
static int source(const struct op_shape_call *call, const char *name)
{
    const int argument = (int)(op_argument_named(call->problem, name) - call->problem->values);
    if (call->problem->type == ACL_FLOAT) return op_dense_source(call, argument).buffer;
    const struct op_place own = op_source(call, argument, 0);
    const struct op_place copy =
        op_scratch_place(call->plan, ACL_FLOAT, own.view.rank, own.view.sizes);
    op_copy_place(call->plan, &own, &copy);
    return copy.buffer;
}

static void nms(const struct op_shape_call *call)
{
    const struct op_problem *problem = call->problem;
    const struct op_value *to = op_argument_named(problem, "selectedIndices");
    const int64_t *of = tensor_of(problem, "boxes")->descriptor.sizes;
    const struct k_nms n = {.batch = of[0],
                            .classes = tensor_of(problem, "scores")->descriptor.sizes[1],
                            .boxes = of[1],
                            .most = most_of(problem),
                            .rows = to->tensor->descriptor.sizes[0],
                            .is_center = op_integer_named(problem, "centerPointBox", 0) != 0,
                            .iou = threshold(problem, "iouThreshold"),
                            .score = threshold(problem, "scoreThreshold")};
    if (n.rows == 0) return;
    const int64_t items = n.batch * n.classes;
    const int kept = ex_scratch(call->plan, (size_t)(items * n.most) * sizeof(int32_t));
    if (items > 0 && n.boxes > 0) {
        const int boxes = source(call, "boxes"), scores = source(call, "scores");
        const int order = ex_scratch(call->plan, (size_t)(items * 2 * n.boxes) * sizeof(int64_t));
        ex_step(call->plan, "nms", k_nms, &n, sizeof n, k_nms_work(&n),
                EX_BUFFERS(boxes, scores, order, kept));
    }
    struct k_nms rows = n;
    if (n.boxes == 0) rows.batch = 0; /* no box stays */
    const int argument = (int)(to - problem->values);
    const struct op_place made = op_dense_target(call, argument);
    ex_step(call->plan, "nms_rows", k_nms_rows, &rows, sizeof rows,
            (struct k_work){.items = 1, .grain = 1}, EX_BUFFERS(kept, made.buffer));
    op_deliver(call, &made, argument);
}

const struct op_rule op_rule_nms = {.types = nms_types,
                                    .shapes = nms_shapes,
                                    .runs_empty = true,
                                    .more = &(const struct op_shape_rule){nms}};
