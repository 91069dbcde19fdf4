/* SPDX-License-Identifier: Apache-2.0 */
/* One line on a terminal that says what is being measured; nothing where standard error is none. */
#ifndef ACLNN_CPU_TESTS_BENCH_PROGRESS_H
#define ACLNN_CPU_TESTS_BENCH_PROGRESS_H

__attribute__((format(printf, 1, 2))) void progress_show(const char *format, ...);
void progress_clear(void);

#endif
