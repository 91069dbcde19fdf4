/* SPDX-License-Identifier: Apache-2.0 */
/* What the address sanitizer shall think of memory; nothing without it. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_ASAN_H
#define ACLNN_CPU_RUNTIME_SUPPORT_ASAN_H

#if defined(__SANITIZE_ADDRESS__)
#define RT_WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RT_WITH_ASAN 1
#endif
#endif
#ifndef RT_WITH_ASAN
#define RT_WITH_ASAN 0
#endif

#if RT_WITH_ASAN
#include <sanitizer/asan_interface.h>
#define RT_POISON(memory, size)   ASAN_POISON_MEMORY_REGION(memory, size)
#define RT_UNPOISON(memory, size) ASAN_UNPOISON_MEMORY_REGION(memory, size)
#else
#define RT_POISON(memory, size)   ((void)(memory), (void)(size))
#define RT_UNPOISON(memory, size) ((void)(memory), (void)(size))
#endif

#endif
