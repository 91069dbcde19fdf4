/* SPDX-License-Identifier: Apache-2.0 */
/* Extents as the lines of tests/cases have them. */
#ifndef ACLNN_CPU_TESTS_SUPPORT_EXTENTS_H
#define ACLNN_CPU_TESTS_SUPPORT_EXTENTS_H

#include <stdint.h>
#include <stdlib.h>

/* "3" or "3x5x5"; how many numbers, 0 when it is neither or there are more than `most`. */
static inline int extents_read(const char *text, int64_t numbers[], int most)
{
    for (int count = 0; count < most; count++) {
        char *end;
        numbers[count] = strtoll(text, &end, 10);
        if (end == text || numbers[count] < 0) return 0;
        if (*end == '\0') return count + 1;
        if (*end != 'x') return 0;
        text = end + 1;
    }
    return 0;
}

#endif
