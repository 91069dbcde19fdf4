/* SPDX-License-Identifier: Apache-2.0 */
/* A refusal is a code and a text that names the function and what is wrong. */
#ifndef ACLNN_CPU_TESTS_UNIT_REFUSAL_H
#define ACLNN_CPU_TESTS_UNIT_REFUSAL_H

#include <criterion/criterion.h>
#include <string.h>

#include "acl/acl.h"

/* expect_refused(aclrtMalloc(NULL, 1, 0), ACL_ERROR_INVALID_PARAM, "devPtr is NULL"): the text must
 * also begin with the name of the function called. Forgets older texts first. */
#define expect_refused(call, code, fragment)                                                       \
    do {                                                                                           \
        aclGetRecentErrMsg();                                                                      \
        aclError refused_with = (call);                                                            \
        cr_expect_eq(refused_with, (code), "%s: %d, expected %d", #call, refused_with,             \
                     (int)(code));                                                                 \
        expect_text(#call, (fragment));                                                            \
    } while (0)

static inline void expect_text(const char *call, const char *fragment)
{
    const char *text = aclGetRecentErrMsg();
    cr_assert_not_null(text, "%s left no text", call);
    size_t name = strcspn(call, "(");
    cr_expect(strncmp(text, call, name) == 0, "%s: the text is not in its name: %s", call, text);
    cr_expect_not_null(strstr(text, fragment), "%s: no \"%s\" in: %s", call, fragment, text);
}

#endif
