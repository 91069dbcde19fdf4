/* SPDX-License-Identifier: Apache-2.0 */
/* glibc's backtrace() and dladdr(): both are there wherever the library is, need no package, and
 * take the unwind tables that every program of today has. What dladdr does not know, since it is
 * not exported, symbols.c reads from the file. addr2line takes the offset in brackets. */
#include "runtime/check/site.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/check/symbols.h"
#include "runtime/support/alloc.h"

/* The stack is read beside its variables. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNCHECKED __attribute__((no_sanitize("address", "thread")))
#elif defined(__clang__)
#define UNCHECKED __attribute__((no_sanitize("address", "thread", "memory")))
#else
#define UNCHECKED
#endif

enum { BUCKETS = 4096, OWN_FRAMES = 8 };

static struct rt_check_site *buckets[BUCKETS];
static uint32_t site_count;
static _Atomic uintptr_t own_first, own_end; /* where this library's code lies */

static int find_own(struct dl_phdr_info *about, size_t size, void *context)
{
    const uintptr_t here = (uintptr_t)context;
    (void)size;
    for (int i = 0; i < about->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &about->dlpi_phdr[i];
        const uintptr_t first = about->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || here < first || here >= first + part->p_memsz) continue;
        atomic_store_explicit(&own_end, first + part->p_memsz, memory_order_relaxed);
        atomic_store_explicit(&own_first, first, memory_order_release);
        return 1;
    }
    return 0;
}

/* Walking the stack costs a microsecond, and most calls come from where the last ones came: a
 * thread remembers some stacks by the place of the frame that asks, with the places in memory
 * where their return addresses lie. While these hold the same addresses the stack is the same. */
enum { REMEMBERED = 64 };

struct remembered {
    const char *base; /* NULL: none */
    struct rt_check_stack stack;
    uint16_t words[RT_CHECK_FRAMES]; /* where each return address lies, from base */
};

static _Thread_local struct remembered *remembered;
static _Thread_local const char *stack_begin, *stack_end;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
    if (pthread_key_create(&key, rt_free) != 0) key = (pthread_key_t)-1;
}

static bool begin_to_remember(void)
{
    pthread_attr_t about;
    void *lowest;
    size_t size;
    pthread_once(&once, make_key);
    if (pthread_getattr_np(pthread_self(), &about) != 0) return false;
    if (pthread_attr_getstack(&about, &lowest, &size) == 0) {
        stack_begin = lowest;
        stack_end = stack_begin + size;
    }
    pthread_attr_destroy(&about);
    remembered = rt_alloc_zeroed(REMEMBERED * sizeof *remembered);
    if (remembered) pthread_setspecific(key, remembered);
    return remembered != NULL;
}

UNCHECKED static const void *word_at(const char *base, size_t word)
{
    return ((const void *const volatile *)(const void *)base)[word];
}

UNCHECKED static bool holds(const struct remembered *one, const char *base)
{
    if (one->base != base) return false;
    for (int i = 0; i < one->stack.depth; i++)
        if (word_at(base, one->words[i]) != one->stack.frames[i]) return false;
    return true;
}

/* The outermost return address is looked for from the end of the stack downwards, the next one
 * below it, and so on: copies that dead frames have left lie lower than the frames that live. base
 * NULL when one is not found. */
UNCHECKED static void remember(struct remembered *one, const char *base,
                               const struct rt_check_stack *stack)
{
    const size_t words = (size_t)(stack_end - base) / sizeof(void *);
    one->base = NULL;
    one->stack = *stack;
    if (words > UINT16_MAX) return;
    size_t word = words;
    for (int i = stack->depth; i-- > 0;) {
        while (word > 0 && word_at(base, word - 1) != stack->frames[i])
            word--;
        if (word == 0) return;
        one->words[i] = (uint16_t)--word;
    }
    one->base = base;
}

static void walk(struct rt_check_stack *stack)
{
    void *all[RT_CHECK_FRAMES + OWN_FRAMES];
    if (atomic_load_explicit(&own_first, memory_order_acquire) == 0)
        dl_iterate_phdr(find_own, (void *)(uintptr_t)rt_check_stack_take);
    const uintptr_t first = atomic_load_explicit(&own_first, memory_order_acquire);
    const uintptr_t end = atomic_load_explicit(&own_end, memory_order_relaxed);
    const int count = backtrace(all, RT_CHECK_FRAMES + OWN_FRAMES);
    int from = 0;
    while (from < count && (uintptr_t)all[from] >= first && (uintptr_t)all[from] < end)
        from++;
    if (from == count) from = 0; /* a program with the library inside */
    stack->depth = count - from < RT_CHECK_FRAMES ? count - from : RT_CHECK_FRAMES;
    memcpy(stack->frames, all + from, (size_t)stack->depth * sizeof *all);
}

void rt_check_stack_take(struct rt_check_stack *stack)
{
    /* What lies below the caller's own copy is nothing of its callers'. */
    const char *base = (const char *)(stack + 1);
    if ((!remembered && !begin_to_remember()) || base < stack_begin || base >= stack_end) {
        walk(stack); /* on a stack of the program's own making */
        return;
    }
    struct remembered *one = &remembered[(uintptr_t)base / 16 % REMEMBERED];
    if (!holds(one, base)) {
        walk(stack);
        remember(one, base, stack);
    } else {
        stack->depth = one->stack.depth;
        memcpy(stack->frames, one->stack.frames, sizeof stack->frames);
    }
}

const struct rt_check_site *rt_check_site_of(const struct rt_check_stack *stack)
{
    uint64_t hash = UINT64_C(1469598103934665603);
    for (int i = 0; i < stack->depth; i++)
        hash = (hash ^ (uintptr_t)stack->frames[i]) * UINT64_C(1099511628211);
    struct rt_check_site **bucket = &buckets[(hash ^ hash >> 32) % BUCKETS];
    const size_t bytes = (size_t)stack->depth * sizeof *stack->frames;
    for (struct rt_check_site *site = *bucket; site; site = site->next)
        if (site->hash == hash && site->depth == stack->depth &&
            memcmp(site->frames, stack->frames, bytes) == 0)
            return site;
    struct rt_check_site *site = rt_alloc_zeroed(sizeof *site);
    if (!site) return NULL;
    site->hash = hash;
    site->number = ++site_count;
    site->depth = stack->depth;
    memcpy(site->frames, stack->frames, bytes);
    site->next = *bucket;
    *bucket = site;
    return site;
}

void rt_check_site_frame(const struct rt_check_site *site, int frame,
                         char text[RT_CHECK_FRAME_TEXT])
{
    Dl_info about;
    struct link_map *map = NULL;
    const char *address = site->frames[frame];
    /* A return address may lie behind its function: one byte before is inside. */
    if (!dladdr1(address - 1, &about, (void **)&map, RTLD_DL_LINKMAP) || !about.dli_fname) {
        snprintf(text, RT_CHECK_FRAME_TEXT, "%p", (const void *)address);
        return;
    }
    const char *slash = strrchr(about.dli_fname, '/');
    const char *file = slash ? slash + 1 : about.dli_fname;
    char name[RT_CHECK_FRAME_TEXT / 2];
    size_t offset = 0;
    const uintptr_t place = (uintptr_t)address - 1 - (map ? map->l_addr : 0);
    const char *path = map && map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
    if (about.dli_sname)
        snprintf(text, RT_CHECK_FRAME_TEXT, "%s+0x%zx (%s)", about.dli_sname,
                 (size_t)(address - (const char *)about.dli_saddr), file);
    else if (rt_check_symbol_find(path, place, name, sizeof name, &offset))
        snprintf(text, RT_CHECK_FRAME_TEXT, "%s+0x%zx (%s+0x%zx)", name, offset + 1, file,
                 place + 1);
    else
        snprintf(text, RT_CHECK_FRAME_TEXT, "%s+0x%zx", file,
                 (size_t)(address - (const char *)about.dli_fbase));
}

bool rt_check_site_has(const struct rt_check_site *site, const char *wanted)
{
    char text[RT_CHECK_FRAME_TEXT];
    for (int i = 0; site && i < site->depth; i++) {
        rt_check_site_frame(site, i, text);
        if (strstr(text, wanted)) return true;
    }
    return false;
}
