/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/stack.h"

#include <pthread.h>
#include <stddef.h>

bool rt_stack_look(void)
{
    if (!rt_self.stack_is_known) {
        pthread_attr_t attributes;
        void *low = NULL;
        size_t size = SIZE_MAX; /* as if there were enough, should the system not say */
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstack(&attributes, &low, &size);
            pthread_attr_destroy(&attributes);
        }
        rt_self.stack_first = (uintptr_t)low + RT_TASK_STACK;
        rt_self.stack_room = size > RT_TASK_STACK ? size - RT_TASK_STACK : 0;
        rt_self.stack_is_known = true;
    }
    return (uintptr_t)__builtin_frame_address(0) - rt_self.stack_first < rt_self.stack_room;
}
