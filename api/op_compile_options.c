/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a compiler of operators, kept to be given back.
 * Locks: `lock` guards `values`; nothing is taken inside it. */
#include <pthread.h>
#include <string.h>

#include "runtime/support/alloc.h"
#include "runtime/support/error.h"

#include "acl/acl_op_compiler.h"

enum { OPTIONS = ACL_OP_DEBUG_OPTION + 1, LONGEST_VALUE = 4095 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *values[OPTIONS]; /* NULL: not set */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void guard_fork(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

static void take_lock(void)
{
    pthread_once(&once, guard_fork);
    pthread_mutex_lock(&lock);
}

static const char *value_of(aclCompileOpt opt)
{
    if (values[opt]) return values[opt];
    return opt == ACL_OP_JIT_COMPILE ? "disable" : ""; /* nothing is compiled at run time */
}

aclError aclSetCompileopt(aclCompileOpt opt, const char *value)
{
    RT_CHECK((unsigned)opt < OPTIONS, ACL_ERROR_INVALID_PARAM,
             "opt is %d; it must be a value of aclCompileOpt", (int)opt);
    RT_CHECK(value, ACL_ERROR_INVALID_PARAM, "value is NULL");
    const size_t length = strnlen(value, LONGEST_VALUE + 1);
    RT_CHECK(length <= LONGEST_VALUE, ACL_ERROR_INVALID_PARAM,
             "value has more than %d bytes, the most there may be", LONGEST_VALUE);
    char *own = rt_alloc(length + 1);
    RT_CHECK(own, ACL_ERROR_BAD_ALLOC, "no host memory for the value");
    memcpy(own, value, length + 1);
    take_lock();
    char *old = values[opt];
    values[opt] = own;
    pthread_mutex_unlock(&lock);
    rt_free(old);
    return ACL_SUCCESS;
}

size_t aclGetCompileoptSize(aclCompileOpt opt)
{
    if ((unsigned)opt >= OPTIONS) {
        RT_ERROR(ACL_ERROR_INVALID_PARAM, "opt is %d; it must be a value of aclCompileOpt",
                 (int)opt);
        return 0;
    }
    take_lock();
    const size_t size = strlen(value_of(opt)) + 1;
    pthread_mutex_unlock(&lock);
    return size;
}

aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length)
{
    RT_CHECK((unsigned)opt < OPTIONS, ACL_ERROR_INVALID_PARAM,
             "opt is %d; it must be a value of aclCompileOpt", (int)opt);
    RT_CHECK(value, ACL_ERROR_INVALID_PARAM, "value is NULL");
    take_lock();
    const char *text = value_of(opt);
    const size_t size = strlen(text) + 1;
    if (size <= length) memcpy(value, text, size);
    pthread_mutex_unlock(&lock);
    RT_CHECK(size <= length, ACL_ERROR_INVALID_PARAM, "length is %zu; the value takes %zu", length,
             size);
    return ACL_SUCCESS;
}
