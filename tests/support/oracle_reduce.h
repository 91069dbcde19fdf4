/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle of reductions and its random problems share. */
#ifndef ACLNN_CPU_TESTS_ORACLE_REDUCE_H
#define ACLNN_CPU_TESTS_ORACLE_REDUCE_H

#include "tests/support/oracle_rows.h"

enum what {
    SUM,
    NANSUM,
    LOG_SUM,
    MEAN,
    PROD,
    MAX,
    MIN,
    MIN_MAX,
    ANY,
    ALL,
    NORM,
    VAR,
    STD,
    LOG_SUM_EXP,
    TRACE,
    MAX_PLACE,
    MIN_PLACE,
    MEDIAN,
    NAN_MEDIAN,
    KTH,
    CUMSUM,
    CUMPROD,
    CUMMAX,
    CUMMIN,
};

struct reduce_more {
    enum what what;
    bool is_plain; /* special values may overflow on the way: none in random problems */
};

static inline enum what what_of(const struct rig_operator *op)
{
    return ((const struct reduce_more *)op->row->more)->what;
}

struct test_case random_reduce(const struct rig_operator *op, struct random *random,
                               enum case_dtype dtype);

#endif
