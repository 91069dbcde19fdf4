/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/support/alloc.h"

/* Sanitizers stop the process at a request that is too large unless told otherwise. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* operator delete[](void *) and std::nothrow: a C++ runtime is in this program when a library of it
 * (a sanitizer's, say) brings one. */
extern void _ZdaPv(void *memory) __attribute__((weak));
extern const char _ZSt7nothrow __attribute__((weak));

static void delete_array(void *memory)
{
    if (&_ZSt7nothrow)
        _ZdaPv(memory);
    else
        free(memory);
}

Test(alloc, gives_memory_of_any_size)
{
    static const size_t sizes[] = {0, 1, 63, 64, 4096, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *plain = rt_alloc(sizes[i]);
        unsigned char *zeroed = rt_alloc_zeroed(sizes[i]);
        cr_assert(plain && zeroed);
        for (size_t at = 0; at < sizes[i]; at++) {
            plain[at] = 0xFF;
            cr_assert_eq(zeroed[at], 0);
        }
        rt_free(plain);
        rt_free(zeroed);
    }
    rt_free(NULL);
}

Test(alloc, aligns)
{
    for (size_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
        void *memory = rt_alloc_aligned(alignment, 100);
        cr_assert_not_null(memory);
        cr_expect_eq((uintptr_t)memory % alignment, 0);
        rt_free(memory);
    }
}

Test(alloc, exhaustion_is_null)
{
    cr_expect_null(rt_alloc(SIZE_MAX / 2));
    cr_expect_null(rt_alloc_zeroed(SIZE_MAX / 2));
    cr_expect_null(rt_alloc_aligned(64, SIZE_MAX / 2));
}

Test(alloc, fails_the_nth_request_once)
{
    rt_alloc_fail_at(3);
    void *first = rt_alloc(1);
    void *second = rt_alloc_zeroed(1);
    cr_expect(first && second);
    cr_expect_null(rt_alloc_aligned(64, 1));
    void *fourth = rt_alloc_for_delete(1);
    cr_expect_not_null(fourth);
    cr_expect_eq(rt_alloc_fail_at(1), 4);
    cr_expect_null(rt_alloc_for_delete(1));
    cr_expect_eq(rt_alloc_fail_at(0), 1);
    void *last = rt_alloc(1);
    cr_expect_not_null(last);
    cr_expect_eq(rt_alloc_fail_at(0), 1);
    rt_free(first);
    rt_free(second);
    delete_array(fourth);
    rt_free(last);
}

enum { THREADS = 4, REQUESTS = 1000 };

static void *request_often(void *refused)
{
    for (int i = 0; i < REQUESTS; i++) {
        void *memory = rt_alloc(16);
        if (!memory) ++*(int *)refused;
        rt_free(memory);
    }
    return NULL;
}

Test(alloc, one_request_of_all_threads_fails)
{
    pthread_t threads[THREADS];
    int refused[THREADS] = {0};
    rt_alloc_fail_at(THREADS * REQUESTS / 2);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, request_often, &refused[i]);
    }
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += refused[i];
    }
    cr_expect_eq(sum, 1);
    cr_expect_eq(rt_alloc_fail_at(0), THREADS * REQUESTS);
}

Test(alloc, memory_for_delete_is_deleted_or_freed)
{
    int64_t *array = rt_alloc_for_delete(5 * sizeof *array);
    cr_assert_not_null(array);
    for (int i = 0; i < 5; i++)
        array[i] = i;
    delete_array(array);
}
