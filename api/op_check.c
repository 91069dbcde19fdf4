/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_check.h"

#include <stdio.h>
#include <string.h>

#include "api/overlap.h"
#include "runtime/memory/blocks.h"
#include "runtime/support/base.h"

struct name_of {
    int value;
    const char *name;
};

static const struct name_of data_type_names[] = {
    {ACL_FLOAT, "FLOAT"},
    {ACL_FLOAT16, "FLOAT16"},
    {ACL_INT8, "INT8"},
    {ACL_INT32, "INT32"},
    {ACL_UINT8, "UINT8"},
    {ACL_INT16, "INT16"},
    {ACL_UINT16, "UINT16"},
    {ACL_UINT32, "UINT32"},
    {ACL_INT64, "INT64"},
    {ACL_UINT64, "UINT64"},
    {ACL_DOUBLE, "DOUBLE"},
    {ACL_BOOL, "BOOL"},
    {ACL_STRING, "STRING"},
    {ACL_COMPLEX64, "COMPLEX64"},
    {ACL_COMPLEX128, "COMPLEX128"},
    {ACL_BF16, "BF16"},
    {ACL_INT4, "INT4"},
    {ACL_UINT1, "UINT1"},
    {ACL_COMPLEX32, "COMPLEX32"},
    {ACL_DT_UNDEFINED, "UNDEFINED"},
};

static const struct name_of format_names[] = {
    {ACL_FORMAT_UNDEFINED, "UNDEFINED"},
    {ACL_FORMAT_NCHW, "NCHW"},
    {ACL_FORMAT_NHWC, "NHWC"},
    {ACL_FORMAT_ND, "ND"},
    {ACL_FORMAT_NC1HWC0, "NC1HWC0"},
    {ACL_FORMAT_FRACTAL_Z, "FRACTAL_Z"},
    {ACL_FORMAT_NC1HWC0_C04, "NC1HWC0_C04"},
    {ACL_FORMAT_HWCN, "HWCN"},
    {ACL_FORMAT_NDHWC, "NDHWC"},
    {ACL_FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
    {ACL_FORMAT_NCDHW, "NCDHW"},
    {ACL_FORMAT_NDC1HWC0, "NDC1HWC0"},
    {ACL_FRACTAL_Z_3D, "FRACTAL_Z_3D"},
    {ACL_FORMAT_NC, "NC"},
    {ACL_FORMAT_NCL, "NCL"},
};

static const char *find_name(const struct name_of *names, size_t count, int value)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].value == value) return names[i].name;
    return "unknown";
}

const char *op_data_type_name(aclDataType data_type)
{
    return find_name(data_type_names, RT_LENGTH(data_type_names), (int)data_type);
}

const char *op_format_name(aclFormat format)
{
    return find_name(format_names, RT_LENGTH(format_names), (int)format);
}

const char *op_shape_of(struct op_shape_text *text, int rank, const int64_t *sizes)
{
    size_t used = (size_t)snprintf(text->text, sizeof text->text, "(");
    for (int i = 0; i < rank && used < sizeof text->text; i++)
        used += (size_t)snprintf(text->text + used, sizeof text->text - used, "%s%" PRId64,
                                 i ? ", " : "", sizes[i]);
    if (used < sizeof text->text) snprintf(text->text + used, sizeof text->text - used, ")");
    return text->text;
}

const char *op_shape(struct op_shape_text *text, const aclTensor *tensor)
{
    return op_shape_of(text, tensor->descriptor.rank, tensor->descriptor.sizes);
}

aclnnStatus op_check_type(const char *op, const char *argument, const aclTensor *tensor,
                          uint64_t types, const char *rule)
{
    int32_t type = tensor->descriptor.data_type;
    OP_CHECK(op, type >= 0 && type < 64 && (types >> type & 1), ACLNN_ERR_PARAM_INVALID,
             "%s has data type %d (%s); it must be %s", argument, (int)type,
             op_data_type_name((aclDataType)type), rule);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_float(const char *op, const char *argument, const aclTensor *tensor)
{
    const uint64_t floats = OP_TYPE(ACL_FLOAT) | OP_TYPE(ACL_FLOAT16) | OP_TYPE(ACL_BF16);
    return op_check_type(op, argument, tensor, floats, "FLOAT, FLOAT16 or BF16");
}

aclnnStatus op_check_same_type(const char *op, const char *argument, const aclTensor *tensor,
                               const char *other_argument, const aclTensor *other)
{
    OP_CHECK(op, tensor->descriptor.data_type == other->descriptor.data_type,
             ACLNN_ERR_PARAM_INVALID, "%s has data type %s; it must be %s's, which is %s", argument,
             op_data_type_name((aclDataType)tensor->descriptor.data_type), other_argument,
             op_data_type_name((aclDataType)other->descriptor.data_type));
    return ACLNN_SUCCESS;
}

enum k_dtype op_k_dtype_of(aclDataType type)
{
    static const uint8_t types[] = {
        [ACL_FLOAT] = K_F32, [ACL_FLOAT16] = K_F16, [ACL_BF16] = K_BF16, [ACL_DOUBLE] = K_F64,
        [ACL_INT8] = K_I8,   [ACL_UINT8] = K_U8,    [ACL_INT16] = K_I16, [ACL_UINT16] = K_U16,
        [ACL_INT32] = K_I32, [ACL_UINT32] = K_U32,  [ACL_INT64] = K_I64, [ACL_UINT64] = K_U64,
        [ACL_BOOL] = K_BOOL,
    };
    return (enum k_dtype)types[type];
}

enum k_dtype op_k_dtype(const aclTensor *tensor)
{
    return op_k_dtype_of((aclDataType)tensor->descriptor.data_type);
}

aclnnStatus op_check_format(const char *op, const char *argument, const aclTensor *tensor,
                            uint64_t formats, const char *rule)
{
    int32_t format = tensor->descriptor.storage_format;
    OP_CHECK(op, format >= 0 && format < 64 && (formats >> format & 1), ACLNN_ERR_PARAM_INVALID,
             "%s has format %d (%s); it must be %s", argument, (int)format,
             op_format_name((aclFormat)format), rule);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_same_format(const char *op, const char *argument, const aclTensor *tensor,
                                 const char *other_argument, const aclTensor *other)
{
    int32_t format = tensor->descriptor.storage_format, wanted = other->descriptor.storage_format;
    OP_CHECK(op, format == wanted, ACLNN_ERR_PARAM_INVALID,
             "%s has format %d (%s); it must be %s's, which is %d (%s)", argument, (int)format,
             op_format_name((aclFormat)format), other_argument, (int)wanted,
             op_format_name((aclFormat)wanted));
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_public_format(const char *op, const char *argument, const aclTensor *tensor)
{
    const uint64_t formats = OP_FORMAT(ACL_FORMAT_NCHW) | OP_FORMAT(ACL_FORMAT_NHWC) |
                             OP_FORMAT(ACL_FORMAT_ND) | OP_FORMAT(ACL_FORMAT_HWCN) |
                             OP_FORMAT(ACL_FORMAT_NDHWC) | OP_FORMAT(ACL_FORMAT_NCDHW) |
                             OP_FORMAT(ACL_FORMAT_NC) | OP_FORMAT(ACL_FORMAT_NCL);
    return op_check_format(op, argument, tensor, formats, "none of the device's own layouts");
}

aclnnStatus op_check_channels_first(const char *op, const char *argument, const aclTensor *tensor,
                                    uint64_t honoured)
{
    const uint64_t last = OP_FORMAT(ACL_FORMAT_NHWC) | OP_FORMAT(ACL_FORMAT_NDHWC);
    const int32_t format = tensor->descriptor.storage_format;
    OP_TRY(op_check_public_format(op, argument, tensor));
    OP_CHECK(
        op, ((last & ~honoured) >> format & 1) == 0, ACLNN_ERR_PARAM_INVALID,
        "%s has format %d (%s); it must have its channels in front of the spatial dimensions%s",
        argument, (int)format, op_format_name((aclFormat)format),
        honoured & OP_FORMAT(ACL_FORMAT_NHWC)    ? ", or be NHWC"
        : honoured & OP_FORMAT(ACL_FORMAT_NDHWC) ? ", or be NDHWC"
                                                 : "");
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_format_rank(const char *op, const char *argument, const aclTensor *tensor)
{
    const int32_t format = tensor->descriptor.storage_format;
    const int rank = format == ACL_FORMAT_NCL                                   ? 3
                     : format == ACL_FORMAT_NCHW || format == ACL_FORMAT_NHWC   ? 4
                     : format == ACL_FORMAT_NCDHW || format == ACL_FORMAT_NDHWC ? 5
                                                                                : 0;
    OP_CHECK(op, rank == 0 || tensor->descriptor.rank == rank, ACLNN_ERR_PARAM_INVALID,
             "%s has format %s and %d dimensions; the format has %d", argument,
             op_format_name((aclFormat)format), tensor->descriptor.rank, rank);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_rank(const char *op, const char *argument, const aclTensor *tensor, int least,
                          int most)
{
    int rank = tensor->descriptor.rank;
    OP_CHECK(op, rank >= least && rank <= most, ACLNN_ERR_PARAM_INVALID,
             "%s has %d dimensions; it must have %d %s %d", argument, rank, least,
             most == least + 1 ? "or" : "to", most);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_same_rank(const char *op, const char *argument, const aclTensor *tensor,
                               const char *other_argument, const aclTensor *other)
{
    OP_CHECK(op, tensor->descriptor.rank == other->descriptor.rank, ACLNN_ERR_PARAM_INVALID,
             "%s has %d dimensions; it must have as many as %s, which has %d", argument,
             tensor->descriptor.rank, other_argument, other->descriptor.rank);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_same_shape(const char *op, const char *argument, const aclTensor *tensor,
                                const char *other_argument, const aclTensor *other)
{
    struct op_shape_text text, other_text;
    OP_CHECK(op, op_same_shape(tensor, other), ACLNN_ERR_PARAM_INVALID,
             "%s has shape %s; it must be %s's, which is %s", argument, op_shape(&text, tensor),
             other_argument, op_shape(&other_text, other));
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_math_type(const char *op, int8_t cube_math_type, int8_t last)
{
    OP_CHECK(op, cube_math_type >= 0 && cube_math_type <= last, ACLNN_ERR_PARAM_INVALID,
             "cubeMathType is %d; it must be 0 to %d", cube_math_type, last);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_sizes(const char *op, const char *argument, const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    int64_t bytes = 16; /* of the largest element type */
    bool fits = true;   /* no product of some of the sizes overflows, of an empty tensor either */
    for (int i = 0; i < d->rank; i++) {
        OP_CHECK(op, d->sizes[i] >= 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has size %" PRId64 " at dimension %d; it must not be negative", argument,
                 d->sizes[i], i);
        if (d->sizes[i] > 0) fits = fits && rt_mul_ok(bytes, d->sizes[i], &bytes);
    }
    OP_CHECK(op, fits, ACLNN_ERR_PARAM_INVALID, "%s has more elements than an address space holds",
             argument);
    return ACLNN_SUCCESS;
}

aclnnStatus op_check_contiguous(const char *op, const char *argument, const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    int64_t expected = 1;
    bool fits = true;
    if (op_is_empty(tensor)) return ACLNN_SUCCESS;
    for (int i = d->rank - 1; i >= 0; i--) {
        OP_CHECK(op, d->sizes[i] == 1 || (fits && d->strides[i] == expected),
                 ACLNN_ERR_PARAM_INVALID,
                 "%s is not contiguous: it has stride %" PRId64 " at dimension %d", argument,
                 d->strides[i], i);
        fits = fits && rt_mul_ok(expected, d->sizes[i], &expected);
    }
    return ACLNN_SUCCESS;
}

int64_t op_element_count(int rank, const int64_t *sizes)
{
    int64_t count = 0;
    (void)ex_element_count(sizes, rank, &count);
    return count;
}

bool op_is_empty(const aclTensor *tensor)
{
    for (int i = 0; i < tensor->descriptor.rank; i++)
        if (tensor->descriptor.sizes[i] == 0) return true;
    return false;
}

bool op_same_shape(const aclTensor *a, const aclTensor *b)
{
    const struct ex_descriptor *da = &a->descriptor, *db = &b->descriptor;
    return da->rank == db->rank &&
           memcmp(da->sizes, db->sizes, sizeof(int64_t) * (size_t)da->rank) == 0;
}

/* Steps along a and b that end at the same element: a_stride * b_steps == b_stride * a_steps. */
static bool axes_meet(int64_t a_size, int64_t a_stride, int64_t b_size, int64_t b_stride)
{
    int64_t x = a_stride, y = b_stride;
    while (y != 0) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return b_stride / x < a_size && a_stride / x < b_size;
}

/* Two elements of an output in one place would make the result depend on who writes last.
 * Dimensions that overlap alone or in pairs, as wrong strides mostly give, are named. */
static aclnnStatus check_no_overlap(const char *op, const char *argument,
                                    const struct ex_descriptor *d)
{
    enum op_overlap overlap = op_find_overlap(d->sizes, d->strides, d->rank);
    if (__builtin_expect(overlap == OP_APART, 1)) return ACLNN_SUCCESS;
    for (int i = 0; i < d->rank; i++) {
        if (d->sizes[i] == 1) continue;
        OP_CHECK(op, d->strides[i] > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has stride 0 at dimension %d of %" PRId64 " elements; an output's elements "
                 "must not share memory",
                 argument, i, d->sizes[i]);
        for (int j = 0; j < i; j++)
            OP_CHECK(op,
                     d->sizes[j] == 1 ||
                         !axes_meet(d->sizes[i], d->strides[i], d->sizes[j], d->strides[j]),
                     ACLNN_ERR_PARAM_INVALID,
                     "%s has strides %" PRId64 " and %" PRId64 " at dimensions %d and %d, which "
                     "overlap; an output's elements must not share memory",
                     argument, d->strides[j], d->strides[i], j, i);
    }
    return rt_error_report(
        ACLNN_ERR_PARAM_INVALID, op,
        "%s has strides %s; an output's elements must not share memory", argument,
        overlap == OP_MEET ? "that overlap when taken together"
                           : "of which it takes too long to tell whether they overlap");
}

/* Programs pass storage shapes that are too small, which a device does not look at: only memory of
 * ours tells for certain that a view reaches behind it. `last`: the last element that it reaches.
 */
static aclnnStatus check_allocation(const char *op, const char *argument,
                                    const struct ex_descriptor *d, int64_t last)
{
    const void *address = atomic_load_explicit(&d->address, memory_order_acquire);
    size_t room, bytes;
    if (!address || !rt_blocks_room(address, &room)) return ACLNN_SUCCESS;
    bytes = ex_element_bytes(d->data_type, (size_t)last + 1);
    OP_CHECK(op, bytes <= room, ACLNN_ERR_PARAM_INVALID,
             "%s reaches byte %zu of memory that has %zu bytes from its address on", argument,
             bytes - 1, room);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_view(const char *op, const char *argument, const aclTensor *tensor)
{
    const struct ex_descriptor *d = &tensor->descriptor;
    int64_t last = d->offset, bytes, storage;
    bool fits = last >= 0;
    if (op_is_empty(tensor)) return ACLNN_SUCCESS;
    for (int i = 0; i < d->rank; i++) {
        int64_t span;
        OP_CHECK(op, d->strides[i] >= 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has stride %" PRId64 " at dimension %d; it must not be negative", argument,
                 d->strides[i], i);
        fits = fits && rt_mul_ok(d->sizes[i] - 1, d->strides[i], &span) &&
               rt_add_ok(last, span, &last);
    }
    OP_CHECK(op, fits && rt_mul_ok(last, 16, &bytes), ACLNN_ERR_PARAM_INVALID,
             "%s has an offset (%" PRId64 ") or strides that reach beyond the address space",
             argument, d->offset);
    OP_CHECK(op, ex_element_count(d->storage_sizes, d->storage_rank, &storage),
             ACLNN_ERR_PARAM_INVALID,
             "%s has a storage shape that is negative or has more than 2^63 elements", argument);
    return last < storage ? ACLNN_SUCCESS : check_allocation(op, argument, d, last);
}

aclnnStatus op_check_input_view(const char *op, const char *argument, const aclTensor *tensor)
{
    return check_view(op, argument, tensor);
}

aclnnStatus op_check_output_view(const char *op, const char *argument, const aclTensor *tensor)
{
    OP_TRY(check_view(op, argument, tensor));
    if (op_is_empty(tensor)) return ACLNN_SUCCESS;
    return check_no_overlap(op, argument, &tensor->descriptor);
}

const char *op_format_axes(aclFormat format)
{
    switch (format) {
    case ACL_FORMAT_ND:
        return "";
    case ACL_FORMAT_NCHW:
        return "NCHW";
    case ACL_FORMAT_NHWC:
        return "NHWC";
    case ACL_FORMAT_HWCN:
        return "HWCN";
    case ACL_FORMAT_NCDHW:
        return "NCDHW";
    case ACL_FORMAT_NDHWC:
        return "NDHWC";
    case ACL_FORMAT_NC:
        return "NC";
    case ACL_FORMAT_NCL:
        return "NCL";
    default:
        return NULL;
    }
}
