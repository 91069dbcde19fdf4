/* SPDX-License-Identifier: Apache-2.0 */
/* aclopAttr: named values for the older single-operator interface. Each is kept as the text that
 * tells it. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "api/op_check.h"
#include "api/tensor_desc.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"

enum { VALUE_TEXT = 256 }; /* a longer value is cut, at its end stands "..." */

struct attribute {
    struct attribute *next; /* in the order of their first setting */
    char *name;             /* behind the struct */
    char value[VALUE_TEXT];
};

struct aclopAttr {
    struct attribute *first;
};

/* A value that is being written. */
struct value {
    char text[VALUE_TEXT];
    size_t length;
};

#define APPEND(value, ...) op_append((value)->text, VALUE_TEXT, &(value)->length, __VA_ARGS__)

aclopAttr *aclopCreateAttr(void)
{
    aclopAttr *attr = rt_alloc_zeroed(sizeof *attr);
    if (!attr) RT_ERROR(ACL_ERROR_BAD_ALLOC, "no host memory for attributes");
    return attr;
}

void aclopDestroyAttr(const aclopAttr *attr)
{
    if (!attr) return;
    for (struct attribute *attribute = attr->first; attribute;) {
        struct attribute *next = attribute->next;
        rt_free(attribute);
        attribute = next;
    }
    rt_free((void *)attr);
}

static aclError check(const char *who, const aclopAttr *attr, const char *name)
{
    if (!attr) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "attr is NULL");
    if (!name) return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "attrName is NULL");
    return ACL_SUCCESS;
}

static aclError check_list(const char *who, const aclopAttr *attr, const char *name, int count,
                           const void *values)
{
    aclError status = check(who, attr, name);
    if (status != ACL_SUCCESS) return status;
    if (count < 0) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who,
                               "the number of values is %d; it must not be negative", count);
    }
    if (count > 0 && !values) {
        return rt_error_report(ACL_ERROR_INVALID_PARAM, who, "values is NULL");
    }
    return ACL_SUCCESS;
}

static aclError put(const char *who, aclopAttr *attr, const char *name, struct value *value)
{
    if (value->length == VALUE_TEXT - 1) memcpy(value->text + VALUE_TEXT - 4, "...", 3);
    struct attribute **link = &attr->first;
    while (*link && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    if (!*link) {
        size_t size = strlen(name) + 1;
        struct attribute *fresh = rt_alloc_zeroed(sizeof *fresh + size);
        if (!fresh) {
            return rt_error_report(ACL_ERROR_BAD_ALLOC, who, "no host memory for an attribute");
        }
        fresh->name = (char *)(fresh + 1);
        memcpy(fresh->name, name, size);
        *link = fresh;
    }
    memcpy((*link)->value, value->text, sizeof value->text);
    return ACL_SUCCESS;
}

static const char *comma(int i)
{
    return i > 0 ? ", " : "";
}

aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName, uint8_t attrValue)
{
    struct value value = {0};
    aclError status = check(__func__, attr, attrName);
    if (status != ACL_SUCCESS) return status;
    APPEND(&value, "%s", attrValue ? "true" : "false");
    return put(__func__, attr, attrName, &value);
}

aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue)
{
    struct value value = {0};
    aclError status = check(__func__, attr, attrName);
    if (status != ACL_SUCCESS) return status;
    APPEND(&value, "%" PRId64, attrValue);
    return put(__func__, attr, attrName, &value);
}

aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName, float attrValue)
{
    struct value value = {0};
    aclError status = check(__func__, attr, attrName);
    if (status != ACL_SUCCESS) return status;
    APPEND(&value, "%.9g", (double)attrValue);
    return put(__func__, attr, attrName, &value);
}

aclError aclopSetAttrString(aclopAttr *attr, const char *attrName, const char *attrValue)
{
    struct value value = {0};
    aclError status = check(__func__, attr, attrName);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(attrValue, ACL_ERROR_INVALID_PARAM, "attrValue is NULL");
    APPEND(&value, "\"%s\"", attrValue);
    return put(__func__, attr, attrName, &value);
}

aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName, aclDataType attrValue)
{
    struct value value = {0};
    aclError status = check(__func__, attr, attrName);
    if (status != ACL_SUCCESS) return status;
    APPEND(&value, "%s", op_data_type_name(attrValue));
    return put(__func__, attr, attrName, &value);
}

aclError aclopSetAttrListDataType(aclopAttr *attr, const char *attrName, int numValues,
                                  const aclDataType values[])
{
    struct value value = {0};
    aclError status = check_list(__func__, attr, attrName, numValues, values);
    if (status != ACL_SUCCESS) return status;
    APPEND(&value, "[");
    for (int i = 0; i < numValues; i++)
        APPEND(&value, "%s%s", comma(i), op_data_type_name(values[i]));
    APPEND(&value, "]");
    return put(__func__, attr, attrName, &value);
}

aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName, int numValues,
                              const uint8_t *values)
{
    struct value value = {0};
    aclError status = check_list(__func__, attr, attrName, numValues, values);
    if (status != ACL_SUCCESS) return status;
    APPEND(&value, "[");
    for (int i = 0; i < numValues; i++)
        APPEND(&value, "%s%s", comma(i), values[i] ? "true" : "false");
    APPEND(&value, "]");
    return put(__func__, attr, attrName, &value);
}

static void append_ints(struct value *value, int count, const int64_t *ints)
{
    APPEND(value, "[");
    for (int i = 0; i < count; i++)
        APPEND(value, "%s%" PRId64, comma(i), ints[i]);
    APPEND(value, "]");
}

aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName, int numValues,
                             const int64_t *values)
{
    struct value value = {0};
    aclError status = check_list(__func__, attr, attrName, numValues, values);
    if (status != ACL_SUCCESS) return status;
    append_ints(&value, numValues, values);
    return put(__func__, attr, attrName, &value);
}

aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName, int numValues,
                               const float *values)
{
    struct value value = {0};
    aclError status = check_list(__func__, attr, attrName, numValues, values);
    if (status != ACL_SUCCESS) return status;
    APPEND(&value, "[");
    for (int i = 0; i < numValues; i++)
        APPEND(&value, "%s%.9g", comma(i), (double)values[i]);
    APPEND(&value, "]");
    return put(__func__, attr, attrName, &value);
}

aclError aclopSetAttrListString(aclopAttr *attr, const char *attrName, int numValues,
                                const char **values)
{
    struct value value = {0};
    aclError status = check_list(__func__, attr, attrName, numValues, values);
    if (status != ACL_SUCCESS) return status;
    APPEND(&value, "[");
    for (int i = 0; i < numValues; i++) {
        RT_CHECK(values[i], ACL_ERROR_INVALID_PARAM, "values[%d] is NULL", i);
        APPEND(&value, "%s\"%s\"", comma(i), values[i]);
    }
    APPEND(&value, "]");
    return put(__func__, attr, attrName, &value);
}

aclError aclopSetAttrListListInt(aclopAttr *attr, const char *attrName, int numLists,
                                 const int *numValues, const int64_t *const values[])
{
    struct value value = {0};
    aclError status = check_list(__func__, attr, attrName, numLists, values);
    if (status != ACL_SUCCESS) return status;
    RT_CHECK(numValues || numLists == 0, ACL_ERROR_INVALID_PARAM, "numValues is NULL");
    APPEND(&value, "[");
    for (int i = 0; i < numLists; i++) {
        status = check_list(__func__, attr, attrName, numValues[i], values[i]);
        if (status != ACL_SUCCESS) return status;
        APPEND(&value, "%s", comma(i));
        append_ints(&value, numValues[i], values[i]);
    }
    APPEND(&value, "]");
    return put(__func__, attr, attrName, &value);
}

size_t op_describe_attributes(const aclopAttr *attr, char *text, size_t room)
{
    size_t length = 0;
    op_append(text, room, &length, "{");
    for (const struct attribute *each = attr ? attr->first : NULL; each; each = each->next)
        op_append(text, room, &length, "%s=%s%s", each->name, each->value, each->next ? ", " : "");
    op_append(text, room, &length, "}");
    return length;
}

const char *op_attribute_text(const aclopAttr *attr, const char *name)
{
    const struct attribute *each = attr ? attr->first : NULL;
    while (each && strcmp(each->name, name) != 0)
        each = each->next;
    return each ? each->value : NULL;
}
