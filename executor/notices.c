/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/notices.h"

#include <pthread.h>

#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "kernels/way.h"
#include "runtime/support/log.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void tell(void)
{
    const char *isa = k_isa_refused(), *way = k_way_unknown();
    if (isa)
        rt_log_unhonoured("ACLNN_CPU_ISA", isa,
                          "this CPU and this build have no such level; %s is used", k_best()->isa);
    if (way)
        rt_log_unhonoured("ACLNN_CPU_WAY", way, "there is no such way; each plan takes its own");
}

void ex_tell_unhonoured(void)
{
    pthread_once(&once, tell);
}
