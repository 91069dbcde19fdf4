/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of every kind that is taken, used by two streams and given up while they still use it, by
 * several threads on a device with little of it. Each thread's program is run once with all of this
 * in flight and once with a wait behind each step: the bytes it saw must be the same. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "acl/acl.h"
#include "runtime/memory/blocks.h"
#include "tests/support/random.h"

enum {
    THREADS = 4,
    STREAMS = 2,
    SLOTS = 8,
    STEPS = 5000,
    PAGE = 4096,
    LARGEST = 64 * PAGE, /* all slots of all threads together: half of the device's memory */
};

enum kind { BLOCK, MAPPED, PINNED, REGISTERED, KINDS };

struct slot {
    enum kind kind;
    char *memory; /* NULL: none */
    size_t size;
    aclrtDrvMemHandle piece;
    int stream;
};

struct program {
    struct random random;
    bool waits; /* behind each step */
    aclrtStream streams[STREAMS];
    aclrtEvent event;
    struct slot slots[SLOTS];
    char *seen; /* pinned: one byte for each step */
};

static char *host_pages(struct program *program, struct slot *slot)
{
    char *pages = mmap(NULL, LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    slot->size = LARGEST;
    (void)program;
    return aclrtHostRegisterV2(pages, LARGEST, ACL_HOST_REG_PINNED) ? NULL : pages;
}

static bool map_piece(struct slot *slot)
{
    const aclrtPhysicalMemProp prop = {.memAttr = ACL_MEM_NORMAL,
                                       .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
    return !aclrtReserveMemAddress((void **)&slot->memory, slot->size, 0, NULL, 0) &&
           !aclrtMallocPhysical(&slot->piece, slot->size, &prop, 0) &&
           !aclrtMapMem(slot->memory, slot->size, 0, slot->piece, 0);
}

static bool take(struct program *program, struct slot *slot)
{
    *slot = (struct slot){.kind = (enum kind)random_below(&program->random, KINDS)};
    slot->size = (size_t)random_between(&program->random, 1, LARGEST / PAGE) * PAGE;
    slot->stream = (int)random_below(&program->random, STREAMS);
    switch (slot->kind) {
    case BLOCK:
        return !aclrtMalloc((void **)&slot->memory, slot->size, ACL_MEM_MALLOC_HUGE_FIRST);
    case PINNED:
        return !aclrtMallocHost((void **)&slot->memory, slot->size);
    case MAPPED:
        return map_piece(slot);
    default:
        return (slot->memory = host_pages(program, slot)) != NULL;
    }
}

/* Everything but the program's own memory is given up at once. */
static bool give(struct program *program, struct slot *slot)
{
    void *memory = slot->memory;
    slot->memory = NULL;
    switch (slot->kind) {
    case BLOCK:
        return !aclrtFree(memory);
    case PINNED:
        return !aclrtFreeHost(memory);
    case MAPPED:
        return !aclrtUnmapMem(memory) && !aclrtFreePhysical(slot->piece) &&
               !aclrtReleaseMemAddress(memory);
    default:
        for (int i = 0; i < STREAMS; i++)
            if (aclrtSynchronizeStream(program->streams[i])) return false;
        return !aclrtHostUnregister(memory) && munmap(memory, slot->size) == 0;
    }
}

/* What is queued on stream `to` from now on comes after what is queued on `from` now. */
static bool order(struct program *program, int from, int to)
{
    if (from == to) return true;
    return !aclrtRecordEvent(program->event, program->streams[from]) &&
           !aclrtStreamWaitEvent(program->streams[to], program->event);
}

static bool copy(struct program *program, const struct slot *to, const struct slot *from)
{
    size_t size = to->size < from->size ? to->size : from->size;
    return order(program, from->stream, to->stream) &&
           !aclrtMemcpyAsync(to->memory, to->size, from->memory, size, ACL_MEMCPY_DEFAULT,
                             program->streams[to->stream]) &&
           order(program, to->stream, from->stream);
}

static bool step(struct program *program, int number)
{
    struct slot *slot = &program->slots[random_below(&program->random, SLOTS)];
    const struct slot *other = &program->slots[random_below(&program->random, SLOTS)];
    if (!slot->memory) {
        return take(program, slot) && !aclrtMemsetAsync(slot->memory, slot->size, number,
                                                        slot->size, program->streams[slot->stream]);
    }
    switch (random_below(&program->random, 4)) {
    case 0:
        return give(program, slot);
    case 1:
        return !other->memory || other == slot || copy(program, slot, other);
    case 2: {
        size_t from = (size_t)random_below(&program->random, (int64_t)slot->size);
        return !aclrtMemsetAsync(slot->memory + from, slot->size - from, number, slot->size - from,
                                 program->streams[slot->stream]);
    }
    default: {
        size_t at = (size_t)random_below(&program->random, (int64_t)slot->size);
        return !aclrtMemcpyAsync(program->seen + number, 1, slot->memory + at, 1,
                                 ACL_MEMCPY_DEFAULT, program->streams[slot->stream]);
    }
    }
}

static bool synchronize(struct program *program)
{
    for (int i = 0; i < STREAMS; i++)
        if (aclrtSynchronizeStream(program->streams[i])) return false;
    return true;
}

static bool run(struct program *program)
{
    for (int i = 0; i < STEPS; i++) {
        if (!step(program, i) || (program->waits && !synchronize(program))) return false;
    }
    for (int i = 0; i < SLOTS; i++) {
        if (program->slots[i].memory && !give(program, &program->slots[i])) return false;
    }
    return synchronize(program);
}

static bool begin(struct program *program, uint64_t seed, bool waits)
{
    *program = (struct program){.random = {seed}, .waits = waits};
    if (aclrtSetDevice(0) || aclrtCreateEventExWithFlag(&program->event, ACL_EVENT_SYNC))
        return false;
    for (int i = 0; i < STREAMS; i++)
        if (aclrtCreateStream(&program->streams[i])) return false;
    if (aclrtMallocHost((void **)&program->seen, STEPS)) return false;
    memset(program->seen, 0, STEPS);
    return true;
}

static bool end(struct program *program)
{
    for (int i = 0; i < STREAMS; i++)
        if (aclrtDestroyStream(program->streams[i])) return false;
    return !aclrtDestroyEvent(program->event) && !aclrtFreeHost(program->seen);
}

static _Atomic int64_t failures, differences;

static void *run_both(void *number)
{
    uint64_t seed = random_test_seed() + (uintptr_t)number;
    static _Thread_local struct program in_flight, one_by_one;
    bool good = begin(&in_flight, seed, false) && begin(&one_by_one, seed, true) &&
                run(&in_flight) && run(&one_by_one);
    if (!good) atomic_fetch_add(&failures, 1);
    if (good && memcmp(in_flight.seen, one_by_one.seen, STEPS) != 0)
        atomic_fetch_add(&differences, 1);
    if (!end(&in_flight) || !end(&one_by_one)) atomic_fetch_add(&failures, 1);
    return NULL;
}

Test(memory_in_flight, same_bytes_as_one_by_one, .timeout = 600)
{
    setenv("ACLNN_CPU_DEVICE_MEMORY", "16M", 1);
    pthread_t threads[THREADS];
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    for (uintptr_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, run_both, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(failures, 0);
    cr_expect_eq(differences, 0);
    cr_assert_eq(aclrtSynchronizeDevice(), ACL_SUCCESS);
    cr_expect_eq(rt_blocks_usage(0).used, 0, "%zu bytes are left", rt_blocks_usage(0).used);
    cr_assert_eq(aclFinalize(), ACL_SUCCESS);
}
