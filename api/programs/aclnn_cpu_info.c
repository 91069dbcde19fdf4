/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn-cpu-info: prints what the library that it finds says of itself; aclnn-cpu-info check: what
 * the kinds of ACLNN_CPU_CHECK find. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnext/aclnnext_info.h"

static const struct {
    const char *kind, *rule, *meaning, *cure;
} rules[] = {
    {"race", "unordered",
     "Two operations use the same bytes, one of them writes, and no stream, event, notify, value, "
     "host "
     "function or host wait orders them.",
     "Record an event behind the first, and let the stream of the second wait for it."},
    {"memory", "freed", "An operand, workspace, source or target lies in memory that was freed.",
     "Free it after the last use."},
    {"memory", "freed-early",
     "Memory is freed while queued work may still use it. It is kept here; a device need not.",
     "Synchronise the stream before, or wait for an event behind the work."},
    {"memory", "past-its-end",
     "An operand, workspace, source or target ends behind its allocation.",
     "Allocate what the view needs: offset, strides and sizes count."},
    {"memory", "host-memory", "Memory of the host stands where device memory is due.",
     "Copy to device memory first, or name the kind of copy that it is."},
    {"memory", "unknown",
     "Memory that this library has not allocated stands where device memory is due.",
     "Use memory of aclrtMalloc."},
    {"init", "unwritten", "Device memory is read that nobody has written since it was allocated.",
     "Fill it, or run the operator that was forgotten."},
    {"leak",
     "device memory, mapped memory, host memory, tensor, executor, stream, event, notify, graph",
     "It was made and never given up, until aclFinalize or the end of the process.",
     "Destroy or free it."},
    {"device", "types, ranks, layouts, math",
     "The call runs here, and the chip that ACLNN_CPU_SOC names refuses it by CANN's document of "
     "the operator. ACLNN_CPU_STRICT=1 refuses it here too.",
     "Cast, reshape, permute, or give another cubeMathType."},
    {"device", "operator", "CANN's document says that the chip does not have the operator.",
     "Use one that it has, or another chip."},
    {"device", "executor",
     "Phase 2 is called with an executor that phase 2 or aclDestroyAclOpExecutor has ended.",
     "Call phase 1 each time, or aclSetAclOpExecutorRepeatable behind it."},
    {"device", "tensor", "A tensor is destroyed between phase 1 and phase 2, which uses it.",
     "Destroy it when phase 2 has returned, or, of a repeatable executor, its last run."},
    {"device", "size",
     "A tensor whose size an operator settles when it runs, such as aclnnNonzero's, is destroyed "
     "before the host has waited for it. Asked with race, memory or init beside device.",
     "Synchronise the stream, ask aclGetViewShape, then destroy the tensor."},
    {"device", "workspace",
     "The workspace is smaller than phase 1 has asked for, or than workspaceSize says.",
     "Allocate what phase 1 asks for, each time."},
    {"device", "alignment", "A tensor's address is no multiple of 32 bytes.",
     "Give the address of the allocation, and where the view begins as its offset."},
    {"device", "format",
     "Bytes that were written row by row are taken as FRACTAL_NZ, the device's own order.",
     "Let aclnnTransMatmulWeight put them in that order first."},
};

static int explain_check(void)
{
    printf("ACLNN_CPU_CHECK=race,memory,init,leak,device or all: what is found, by rule\n");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        printf("\n%s: %s\n    %s\n    cure: %s\n", rules[i].kind, rules[i].rule, rules[i].meaning,
               rules[i].cure);
    return ferror(stdout) || fflush(stdout) != 0;
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "check") == 0) return explain_check();
    if (count > 1) {
        fprintf(stderr, "usage: %s [check]\n", arguments[0]);
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
