/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in the case language: a character that ends a word, or could begin a number, is a % and its
 * byte in two hex digits. */
#ifndef ACLNN_CPU_TESTS_CASES_TEXT_H
#define ACLNN_CPU_TESTS_CASES_TEXT_H

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cases.h"

enum { CASE_PRINTED_TEXT = 3 * CASE_TEXT };

static inline int case_digit_of(char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* a%2Cb to "a,b"; false: it is too long, or no character stands behind a %. */
static inline bool case_read_text(const char *word, char text[CASE_TEXT])
{
    for (int used = 0; used < CASE_TEXT; used++, word++) {
        text[used] = *word;
        if (*word == '\0') return true;
        if (*word != '%') continue;
        const int high = case_digit_of(word[1]), low = high < 0 ? -1 : case_digit_of(word[2]);
        if (low < 0 || high + low == 0) return false;
        text[used] = (char)(16 * high + low);
        word += 2;
    }
    return false;
}

/* As the log of calls writes it (put_text in api/op_call.c); returns printed. */
static inline const char *case_print_text(const char *text, char printed[CASE_PRINTED_TEXT])
{
    char *to = printed;
    *to = '\0';
    for (const char *at = text; *at; at++) {
        const unsigned char byte = (unsigned char)*at;
        const bool is_plain =
            at == text ? isalpha(byte) || *at == '_' : isalnum(byte) || strchr("_+-*/.>", *at);
        to += sprintf(to, is_plain ? "%c" : "%%%02X", byte);
    }
    return printed;
}

#endif
