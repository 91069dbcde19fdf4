/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn-cpu-info: prints what the library that it finds says of itself. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnext/aclnnext_info.h"

int main(int count, char **arguments)
{
    if (count > 1) {
        fprintf(stderr, "usage: %s\n", arguments[0]);
        return 2;
    }
    size_t size = 0;
    aclnnStatus status = aclnnextGetInfo(NULL, 0, &size);
    char *text = status == 0 ? malloc(size) : NULL;
    if (text) status = aclnnextGetInfo(text, size, &size);
    if (!text || status != 0) {
        fprintf(stderr, "%s: %s\n", arguments[0], text ? aclGetRecentErrMsg() : "no memory");
        free(text);
        return 1;
    }
    int written = fputs(text, stdout);
    free(text);
    return written < 0 || fflush(stdout) != 0;
}
