/* SPDX-License-Identifier: Apache-2.0 */
/* Names that programs give may be any bytes; files that others parse are UTF-8. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_UTF8_H
#define ACLNN_CPU_RUNTIME_SUPPORT_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How many bytes the character of UTF-8 at text, a zero-terminated one, has; 0 when it is none. */
size_t rt_utf8_character(const char *text);

/* The inside of a JSON string: at most `longest` bytes of text, escaped, with a question mark for
 * each byte that is no UTF-8. */
void rt_json_put_text(FILE *file, const char *text, size_t longest);

#endif
