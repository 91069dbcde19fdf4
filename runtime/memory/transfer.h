/* SPDX-License-Identifier: Apache-2.0 */
/* Moves and fills bytes, large ranges on all threads. */
#ifndef ACLNN_CPU_RUNTIME_MEMORY_TRANSFER_H
#define ACLNN_CPU_RUNTIME_MEMORY_TRANSFER_H

#include <stddef.h>

/* height rows of width bytes, rows the pitches apart: memmove of each row, in any order. One row,
 * or rows without gaps on both sides, is one memmove. */
struct rt_rows {
    char *to;
    size_t to_pitch;
    const char *from;
    size_t from_pitch;
    size_t width;
    size_t height;
};

void rt_move(void *to, const void *from, size_t size);
void rt_move_rows(const struct rt_rows *rows);
void rt_fill(void *to, int value, size_t size);

#endif
