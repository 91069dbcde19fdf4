/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_CPU_EXECUTOR_NOTICES_H
#define ACLNN_CPU_EXECUTOR_NOTICES_H

/* Says on stderr, once per process, which settings of the kernels are not honoured, and what is
 * taken instead. Kernels read them and know no log. */
void ex_tell_unhonoured(void);

#endif
