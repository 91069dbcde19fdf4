/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the program's exception callbacks of tasks that failed. */
#ifndef ACLNN_CPU_RUNTIME_CALLBACK_EXCEPTION_H
#define ACLNN_CPU_RUNTIME_CALLBACK_EXCEPTION_H

/* For aclFinalize: forgets all callbacks. */
void rt_exception_end(void);

#endif
