/* SPDX-License-Identifier: Apache-2.0 */
/* For without_gloo.sh: libhccl.so without libhccl_gloo.so beside it has communicators of one rank,
 * and refuses others with a sentence that says what is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "hccl/hccl.h"

static void expect(int is_so, const char *what)
{
    if (is_so) return;
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "without_gloo: %s; %s\n", what, text ? text : "no text");
    exit(EXIT_FAILURE);
}

int main(void)
{
    HcclComm comms[2];
    aclrtStream stream = NULL;
    float one = 1, sum = 0;
    setenv("ACLNN_CPU_DEVICES", "2", 1);
    expect(aclInit(NULL) == ACL_SUCCESS, "aclInit");
    expect(aclrtSetDevice(0) == ACL_SUCCESS && aclrtCreateStream(&stream) == ACL_SUCCESS, "device");
    expect(HcclCommInitAll(2, NULL, comms) == HCCL_E_NOT_SUPPORT, "two ranks are not refused");
    const char *text = aclGetRecentErrMsg();
    static const char begin[] = "HcclCommInitAll: one rank only without gloo (Debian: libgloo";
    expect(text && strncmp(text, begin, sizeof(begin) - 1) == 0, "another text");
    puts(text);
    expect(HcclCommInitAll(1, NULL, comms) == HCCL_SUCCESS, "one rank is refused");
    expect(HcclAllReduce(&one, &sum, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[0], stream) ==
                   HCCL_SUCCESS &&
               aclrtSynchronizeStream(stream) == ACL_SUCCESS && sum == 1,
           "the sum of one rank");
    expect(HcclCommDestroy(comms[0]) == HCCL_SUCCESS, "destroy");
    expect(aclrtDestroyStream(stream) == ACL_SUCCESS && aclFinalize() == ACL_SUCCESS, "end");
    return EXIT_SUCCESS;
}
