/* SPDX-License-Identifier: Apache-2.0 */
/* What the arguments of aclnnGroupedMatmul and its kin mean. */
#ifndef ACLNN_CPU_API_OP_GROUP_H
#define ACLNN_CPU_API_OP_GROUP_H

#include "api/op_shape.h"
#include "kernels/group/k_group.h"

enum { OP_GROUP_TENSORS = 128 /* of a list, groups of an array */, OP_GROUP_MOST = 1024 };
enum { OP_GROUP_NONE = -1, OP_GROUP_ROWS = 0, OP_GROUP_TERMS = 2 }; /* groupType */

/* Lists that are NULL, or have no tensor with elements, are NULL here. */
struct op_group {
    enum k_group_kind kind;
    bool is_four; /* WHOLE: the weight is INT4 */
    int type;
    const struct op_value *x, *weight, *y, *bias, *scale, *token, *offset; /* scale, offset: of the
                                                               weight, or of the sums (WHOLE) */
    const struct op_value *list; /* groupListOptional, or NULL */
    bool is_tensor;              /* the list is one */
    enum k_group_form form;
    bool is_joint; /* one weight holds a matrix for each group */
    int64_t groups;
};

struct op_group op_group_of(const struct op_problem *problem);

/* Rows of tensor i of a list, and of all. */
int64_t op_group_rows(const struct op_value *list, uint64_t i);
int64_t op_group_all_rows(const struct op_value *list);

static inline uint64_t op_group_size(const struct op_value *list)
{
    return list->tensors->size;
}

/* Element i of a list. */
static inline const struct ex_descriptor *op_group_tensor(const struct op_value *list, uint64_t i)
{
    return &list->tensors->elements[i]->descriptor;
}

static inline aclDataType op_group_type(const struct op_value *list)
{
    return (aclDataType)op_group_tensor(list, 0)->data_type;
}

/* INT4, eight of which an INT32 holds. */
static inline bool op_group_is_four(int32_t type)
{
    return type == ACL_INT4 || type == ACL_INT32;
}

/* The columns of a weight. */
static inline int64_t op_group_columns(const struct ex_descriptor *weight)
{
    return weight->sizes[weight->rank - 1] * (weight->data_type == ACL_INT32 ? 8 : 1);
}

aclnnStatus op_group_shapes(struct op_problem *problem);
void op_group_plan(const struct op_shape_call *call);

#endif
