/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/file_name.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool rt_file_name_append(char path[PATH_MAX], const char *text)
{
    const size_t used = strlen(path), length = strlen(text);
    if (used + length >= PATH_MAX) return false;
    memcpy(path + used, text, length + 1);
    return true;
}

bool rt_file_name(const char *pattern, char path[PATH_MAX], bool *has_id)
{
    char id[24];
    *has_id = false;
    path[0] = '\0';
    for (const char *at = pattern; *at; at++) {
        const char one[2] = {*at, '\0'};
        const char *text = one;
        if (at[0] == '%' && at[1] == 'p') {
            snprintf(id, sizeof(id), "%d", (int)getpid());
            text = id;
            *has_id = true;
        }
        if (at[0] == '%' && (at[1] == 'p' || at[1] == '%')) at++;
        if (!rt_file_name_append(path, text)) return false;
    }
    return true;
}
