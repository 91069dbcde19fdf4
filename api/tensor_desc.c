/* SPDX-License-Identifier: Apache-2.0 */
/* aclTensorDesc: type, format and shape of a tensor for the older single-operator interface. A
 * shape may have sizes that are not known yet, -1, and ranges for them; the shape {-2} has a rank
 * that is not known. The shape and format that a program sets later are those of the memory (CANN:
 * storage); the getters answer with the original ones. */
#include "api/tensor_desc.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/op_check.h"
#include "executor/view.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/error.h"

#include "acl/acl_base.h"

enum { UNKNOWN_SIZE = -1, UNKNOWN_RANK = -2 };

struct shape {
    size_t rank;
    int64_t *sizes; /* NULL when rank is 0 */
};

struct aclTensorDesc {
    aclDataType type;
    aclFormat format;
    aclFormat storage_format;
    struct shape shape;
    struct shape storage;
    size_t range_count;
    int64_t (*ranges)[ACL_TENSOR_SHAPE_RANGE_NUM];
    char *name;
    size_t constant_size; /* bytes of contents that are known early; 0: none are */
    void *constant;       /* a copy of them */
    aclMemType placement;
};

/* A copy of bytes; NULL without memory, and for none. */
static void *copy_of(const void *bytes, size_t size)
{
    if (size == 0) return NULL;
    void *copy = rt_alloc(size);
    if (copy) memcpy(copy, bytes, size);
    return copy;
}

/* Replaces *shape; false without memory. */
static bool set_shape(struct shape *shape, int rank, const int64_t *sizes)
{
    int64_t *copy = copy_of(sizes, (size_t)rank * sizeof *sizes);
    if (rank > 0 && !copy) return false;
    rt_free(shape->sizes);
    *shape = (struct shape){.rank = (size_t)rank, .sizes = copy};
    return true;
}

static aclError check_shape(const char *who, int rank, const int64_t *sizes)
{
    if (rank < 0) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "numDims is %d; it must not be negative", rank);
    }
    if (rank > 0 && !sizes) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "dims is NULL");
    return ACL_SUCCESS;
}

aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims,
                                   aclFormat format)
{
    if (check_shape(__func__, numDims, dims) != ACL_SUCCESS) return NULL;
    aclTensorDesc *desc = rt_alloc_zeroed(sizeof *desc);
    if (desc && set_shape(&desc->shape, numDims, dims)) {
        desc->type = dataType;
        desc->format = format;
        desc->storage_format = ACL_FORMAT_UNDEFINED;
        return desc;
    }
    rt_free(desc);
    RT_ERROR(ACL_ERROR_BAD_ALLOC, "no host memory for a description of a tensor");
    return NULL;
}

void aclDestroyTensorDesc(const aclTensorDesc *desc)
{
    if (!desc) return;
    rt_free(desc->shape.sizes);
    rt_free(desc->storage.sizes);
    rt_free(desc->ranges);
    rt_free(desc->name);
    rt_free(desc->constant);
    rt_free((void *)desc);
}

/* ---- Asking ---- */

aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
    return desc ? desc->type : ACL_DT_UNDEFINED;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
    return desc ? desc->format : ACL_FORMAT_UNDEFINED;
}

static bool has_unknown_rank(const struct shape *shape)
{
    return shape->rank == 1 && shape->sizes[0] == UNKNOWN_RANK;
}

size_t aclGetTensorDescElementCount(const aclTensorDesc *desc)
{
    if (!desc) return 0;
    size_t count = 1;
    for (size_t i = 0; i < desc->shape.rank; i++) {
        int64_t size = desc->shape.sizes[i];
        if (size < 0 || !rt_size_mul_ok(count, (size_t)size, &count)) return 0;
    }
    return count;
}

size_t aclGetTensorDescSize(const aclTensorDesc *desc)
{
    size_t bytes;
    if (!desc) return 0;
    size_t count = aclGetTensorDescElementCount(desc);
    return rt_size_mul_ok(count, ex_element_size(desc->type), &bytes) ? bytes : 0;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)
{
    if (!desc) return 0;
    return has_unknown_rank(&desc->shape) ? (size_t)ACL_UNKNOWN_RANK : desc->shape.rank;
}

static aclError check_index(const char *who, const aclTensorDesc *desc, size_t index)
{
    if (!desc) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "desc is NULL");
    if (has_unknown_rank(&desc->shape)) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "the rank of desc is not known");
    }
    if (index < desc->shape.rank) return ACL_SUCCESS;
    return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                           "index is %zu; it must be less than the rank, %zu", index,
                           desc->shape.rank);
}

int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index)
{
    return check_index(__func__, desc, index) == ACL_SUCCESS ? desc->shape.sizes[index] : -1;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize)
{
    RT_CHECK(dimSize, ACL_ERROR_INVALID_PARAM, "dimSize is NULL");
    aclError status = check_index(__func__, desc, index);
    if (status == ACL_SUCCESS) *dimSize = desc->shape.sizes[index];
    return status;
}

/* A size that is known is its own range. */
aclError aclGetTensorDescDimRange(const aclTensorDesc *desc, size_t index, size_t dimRangeNum,
                                  int64_t *dimRange)
{
    RT_CHECK(dimRange, ACL_ERROR_INVALID_PARAM, "dimRange is NULL");
    RT_CHECK(dimRangeNum >= ACL_TENSOR_SHAPE_RANGE_NUM, ACL_ERROR_INVALID_PARAM,
             "dimRangeNum is %zu; it must be %d", dimRangeNum, ACL_TENSOR_SHAPE_RANGE_NUM);
    aclError status = check_index(__func__, desc, index);
    if (status != ACL_SUCCESS) return status;
    int64_t size = desc->shape.sizes[index];
    RT_CHECK(size >= 0 || index < desc->range_count, ACL_ERROR_INVALID_PARAM,
             "size %zu is not known and has no range", index);
    dimRange[0] = index < desc->range_count ? desc->ranges[index][0] : size;
    dimRange[1] = index < desc->range_count ? desc->ranges[index][1] : size;
    return ACL_SUCCESS;
}

const char *aclGetTensorDescName(aclTensorDesc *desc)
{
    return desc && desc->name ? desc->name : "";
}

/* ---- Setting ---- */

void aclSetTensorDescName(aclTensorDesc *desc, const char *name)
{
    if (!desc) return;
    char *copy = name ? copy_of(name, strlen(name) + 1) : NULL;
    if (name && !copy) {
        RT_ERROR(ACL_ERROR_BAD_ALLOC, "no host memory for a name");
        return;
    }
    rt_free(desc->name);
    desc->name = copy;
}

static aclError change_shape(const char *who, const aclTensorDesc *desc, struct shape *shape,
                             int rank, const int64_t *sizes)
{
    if (!desc) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "desc is NULL");
    aclError status = check_shape(who, rank, sizes);
    if (status != ACL_SUCCESS || set_shape(shape, rank, sizes)) return status;
    return rt_error_report(ACL_ERROR_BAD_ALLOC, who, "no host memory for a shape");
}

aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    return change_shape(__func__, desc, desc ? &desc->storage : NULL, numDims, dims);
}

aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    return change_shape(__func__, desc, desc ? &desc->shape : NULL, numDims, dims);
}

aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format)
{
    RT_CHECK(desc, ACL_ERROR_INVALID_PARAM, "desc is NULL");
    desc->storage_format = format;
    return ACL_SUCCESS;
}

aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format)
{
    RT_CHECK(desc, ACL_ERROR_INVALID_PARAM, "desc is NULL");
    desc->format = format;
    return ACL_SUCCESS;
}

aclError aclSetTensorShapeRange(aclTensorDesc *desc, size_t dimsCount,
                                int64_t dimsRange[][ACL_TENSOR_SHAPE_RANGE_NUM])
{
    RT_CHECK(desc, ACL_ERROR_INVALID_PARAM, "desc is NULL");
    RT_CHECK(dimsRange || dimsCount == 0, ACL_ERROR_INVALID_PARAM, "dimsRange is NULL");
    size_t bytes;
    RT_CHECK(rt_size_mul_ok(dimsCount, sizeof *dimsRange, &bytes), ACL_ERROR_INVALID_PARAM,
             "dimsCount is %zu; so many ranges do not fit a size_t", dimsCount);
    void *copy = copy_of(dimsRange, bytes);
    RT_CHECK(copy || bytes == 0, ACL_ERROR_BAD_ALLOC, "no host memory for ranges");
    rt_free(desc->ranges);
    desc->ranges = copy;
    desc->range_count = dimsCount;
    return ACL_SUCCESS;
}

aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length)
{
    RT_CHECK(desc, ACL_ERROR_INVALID_PARAM, "desc is NULL");
    RT_CHECK(dataBuffer && length > 0, ACL_ERROR_INVALID_PARAM,
             "dataBuffer is %p and length is %zu; there must be contents", dataBuffer, length);
    void *copy = copy_of(dataBuffer, length);
    RT_CHECK(copy, ACL_ERROR_BAD_ALLOC, "no host memory for contents");
    rt_free(desc->constant);
    desc->constant = copy;
    desc->constant_size = length;
    return ACL_SUCCESS;
}

aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType)
{
    RT_CHECK(desc, ACL_ERROR_INVALID_PARAM, "desc is NULL");
    RT_CHECK((unsigned)memType <= ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT, ACL_ERROR_INVALID_PARAM,
             "memType is %d; it must be a value of aclMemType", (int)memType);
    desc->placement = memType;
    return ACL_SUCCESS;
}

/* ---- What its memory has ---- */

struct op_stored_tensor op_stored_tensor(const aclTensorDesc *desc)
{
    static const int64_t none[1];
    const struct shape *shape = desc->storage.sizes ? &desc->storage : &desc->shape;
    return (struct op_stored_tensor){
        .type = desc->type,
        .format =
            desc->storage_format != ACL_FORMAT_UNDEFINED ? desc->storage_format : desc->format,
        .rank = shape->rank < INT_MAX ? (int)shape->rank : INT_MAX,
        .sizes = shape->sizes ? shape->sizes : none,
        .is_on_host = desc->placement != ACL_MEMTYPE_DEVICE,
        .constant = desc->constant,
        .constant_size = desc->constant_size,
    };
}

/* ---- Texts ---- */

void op_append(char *text, size_t room, size_t *length, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int more = vsnprintf(text + *length, room - *length, format, list);
    va_end(list);
    if (more < 0) return;
    *length += (size_t)more;
    if (*length >= room) *length = room - 1;
}

static void append_shape(char *text, size_t room, size_t *length, const struct shape *shape)
{
    op_append(text, room, length, "[");
    for (size_t i = 0; i < shape->rank; i++)
        op_append(text, room, length, "%s%" PRId64, i > 0 ? "," : "", shape->sizes[i]);
    op_append(text, room, length, "]");
}

size_t op_describe_tensor(const aclTensorDesc *desc, char *text, size_t room)
{
    size_t length = 0;
    if (!desc) {
        op_append(text, room, &length, "NULL");
        return length;
    }
    op_append(text, room, &length, "%s", op_data_type_name(desc->type));
    append_shape(text, room, &length, &desc->shape);
    if (desc->storage.sizes) {
        op_append(text, room, &length, " stored as %s", op_format_name(desc->storage_format));
        append_shape(text, room, &length, &desc->storage);
    }
    static const char *const places[] = {
        [ACL_MEMTYPE_DEVICE] = "",
        [ACL_MEMTYPE_HOST] = " on the host",
        [ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT] = " on the host",
    };
    op_append(text, room, &length, "%s", places[desc->placement]);
    if (desc->constant_size > 0)
        op_append(text, room, &length, ", constant, %zu bytes", desc->constant_size);
    return length;
}
