/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the objects behind the handles share. */
#ifndef ACLNN_CPU_TESTS_UNIT_META_H
#define ACLNN_CPU_TESTS_UNIT_META_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "api/tensor.h"
#include "runtime/support/alloc.h"

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"

/* operator delete[], where the process has a C++ runtime (the sanitizers bring one). */
extern void _ZdaPv(void *array) __attribute__((weak));

static inline void delete_array(int64_t *array)
{
    if (_ZdaPv)
        _ZdaPv(array);
    else
        free(array);
}

/* The text of the last failure names what the test expects it to name. */
#define EXPECT_TEXT(word)                                                                          \
    do {                                                                                           \
        const char *text = aclGetRecentErrMsg();                                                   \
        cr_assert_not_null(text, "no text, expected one with \"%s\"", (word));                     \
        cr_expect_not_null(strstr(text, (word)), "text without \"%s\": %s", (word), text);         \
    } while (0)

#define EXPECT_REFUSED(call, code, word)                                                           \
    do {                                                                                           \
        cr_expect_eq((call), (code), "%s", #call);                                                 \
        EXPECT_TEXT(word);                                                                         \
    } while (0)

#define EXPECT_NO_OBJECT(call, word)                                                               \
    do {                                                                                           \
        cr_expect_null((call), "%s", #call);                                                       \
        EXPECT_TEXT(word);                                                                         \
    } while (0)

static inline aclTensor *plain_tensor(void)
{
    static const int64_t sizes[] = {2, 3};
    return aclCreateTensor(sizes, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, sizes, 2, NULL);
}

/* Counts how often tensors are really freed. */
static _Atomic int freed;
static void (*free_tensor)(struct ex_descriptor *);

static inline void counting_free(struct ex_descriptor *descriptor)
{
    freed++;
    free_tensor(descriptor);
}

static inline aclTensor *counted_tensor(void)
{
    aclTensor *tensor = plain_tensor();
    cr_assert_not_null(tensor);
    free_tensor = tensor->descriptor.free;
    tensor->descriptor.free = counting_free;
    return tensor;
}

#endif
