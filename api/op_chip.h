/* SPDX-License-Identifier: Apache-2.0 */
/* What runs here and not on the chip that ACLNN_CPU_SOC names. ACLNN_CPU_STRICT=1 refuses it, the
 * kind `device` of ACLNN_CPU_CHECK tells of it. The tables are chips_*.def. */
#ifndef ACLNN_CPU_API_OP_CHIP_H
#define ACLNN_CPU_API_OP_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/op_args.h"
#include "api/op_numbers.h"

enum op_chip {
    OP_CHIP_910,
    OP_CHIP_310P,
    OP_CHIP_310B,
    OP_CHIP_910B,
    OP_CHIP_910_93,
    OP_CHIP_950,
    OP_CHIPS,
};

enum op_chip_rule {
    OP_CHIP_LACKS,
    OP_CHIP_TYPES,
    OP_CHIP_RANKS,
    OP_CHIP_LAYOUTS,
    OP_CHIP_MATH,
};

struct op_chip_row {
    uint16_t number;       /* enum op_number */
    uint8_t rule;          /* enum op_chip_rule */
    uint8_t chips;         /* bit i: chip i */
    uint8_t source;        /* enum op_chip_source */
    int8_t math;           /* OP_CHIP_MATH: the cubeMathType that is not taken */
    const char *arguments; /* names with spaces between */
    uint64_t values; /* types, ranks or layouts that are taken; OP_CHIP_MATH: types that are not */
};

/* For the tests: all rows, and the repository that a row's document is in ("ops-nn"). */
const struct op_chip_row *op_chip_rows(size_t *count);
const char *op_chip_source(const struct op_chip_row *row);

/* The chip of a name as aclrtGetSocName answers it; OP_CHIPS: one without tables. */
enum op_chip op_chip_of(const char *soc_name);

/* Whether somebody has asked for the tables. */
extern signed char op_chip_state; /* 0: nobody has looked yet; 1: no; 2: yes */
bool op_chip_look(void);
static inline bool op_chip_is_asked(void)
{
    const signed char state = __atomic_load_n(&op_chip_state, __ATOMIC_ACQUIRE);
    return __builtin_expect(state != 1, 0) && (state == 2 || op_chip_look());
}

/* Of a call that is sound otherwise: 161002 and the sentence, or success when nothing is refused.
 */
aclnnStatus op_chip_check(enum op_number number, const char *op, const struct op_value *values,
                          int count);

/* The first rule that the call breaks on the chip, as a sentence; NULL: none. */
struct op_chip_text {
    char text[320];
};
const struct op_chip_row *op_chip_broken(enum op_chip chip, enum op_number number,
                                         const struct op_value *values, int count,
                                         const char *soc_name, struct op_chip_text *sentence);

#endif
