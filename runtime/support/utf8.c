/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/utf8.h"

#include <string.h>

size_t rt_utf8_character(const char *bytes)
{
    const unsigned char *text = (const unsigned char *)bytes;
    static const struct {
        unsigned char mask, lead;
    } leads[] = {{0x80, 0x00}, {0xE0, 0xC0}, {0xF0, 0xE0}, {0xF8, 0xF0}};
    size_t length = 0;
    while (length < 4 && (text[0] & leads[length].mask) != leads[length].lead)
        length++;
    if (length == 4) return 0;
    for (size_t i = 1; i <= length; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    /* Longer than it need be, half of a pair, or beyond the last one. */
    if (length == 1 && text[0] < 0xC2) return 0;
    if (length == 2 && ((text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F)))
        return 0;
    if (length == 3 && ((text[0] == 0xF0 && text[1] < 0x90) || text[0] > 0xF4 ||
                        (text[0] == 0xF4 && text[1] > 0x8F)))
        return 0;
    return length + 1;
}

void rt_json_put_text(FILE *file, const char *text, size_t longest)
{
    const char *at = text;
    const char *end = at + strnlen(text, longest);
    while (at < end) {
        size_t length = rt_utf8_character(at);
        if (length == 0 || length > (size_t)(end - at)) {
            fputc('?', file);
            at++;
            continue;
        }
        if ((unsigned char)*at < 0x20)
            fprintf(file, "\\u%04x", *at);
        else
            fprintf(file, "%s%.*s", *at == '"' || *at == '\\' ? "\\" : "", (int)length, at);
        at += length;
    }
}
