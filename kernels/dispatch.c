/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables of kernels this CPU runs, and the choice among them. The CPU is looked at once;
 * ACLNN_CPU_ISA is read at the same moment. */
#include "kernels/isa.h"
#include "kernels/kernels.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* Levels may be left out of a build. */
#define PROBE __attribute__((unused)) static bool

#if defined(__x86_64__)
/* __builtin_cpu_supports also asks whether the system saves the wide registers. */
PROBE cpu_has_avx2(void)
{
    unsigned eax, ebx, ecx = 0, edx;
    const unsigned f16c = 1U << 29; /* no name for __builtin_cpu_supports in Clang 14 */
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & f16c) != 0 &&
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

PROBE cpu_has_avx512(void)
{
    return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#elif defined(__aarch64__)
PROBE cpu_has_neon(void)
{
    return true; /* part of the architecture */
}
#endif

PROBE cpu_has_base(void)
{
    return true;
}

#define K_ISA(name, probe) extern const struct k_table k_table__##name;
#include "kernels/isa.def"
#undef K_ISA

static const struct {
    const struct k_table *table;
    bool (*probe)(void);
} compiled[] = {
#define K_ISA(name, probe) {&k_table__##name, probe},
#include "kernels/isa.def"
#undef K_ISA
};

enum { COMPILED = sizeof compiled / sizeof compiled[0] };

/* The level that may use dot products, of pairs of bf16 or of bytes; naming it forbids them. What
 * the CPU has to multiply tiles does so where no level is named, or the last of these. */
#if defined(__aarch64__)
static const char *const without_dots = "neon", *const with_dots = "neon_dot";
static const char *const with_tiles = "neon_i8mm";
#else
static const char *const without_dots = "avx512", *const with_dots = "avx512_bf16";
static const char *const with_tiles = "avx512_amx";
#endif

static bool cpu_has_pairs(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16");
#else
    return false;
#endif
}

static bool cpu_has_dots(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512vnni");
#elif defined(__aarch64__)
    enum { DOT_PRODUCTS = 1 << 20 };
    return (getauxval(AT_HWCAP) & DOT_PRODUCTS) != 0;
#else
    return false;
#endif
}

static bool cpu_has_tiles(void)
{
#if defined(__x86_64__) && defined(__linux__)
    enum { FEATURES = 7, TILES = 3 << 24 };
    unsigned a, b, c, d;
    return __get_cpuid_count(FEATURES, 0, &a, &b, &c, &d) && (d & TILES) == TILES;
#elif defined(__aarch64__)
    enum { PRODUCTS_OF_MATRICES = 1 << 13 };
    return (getauxval(AT_HWCAP2) & PRODUCTS_OF_MATRICES) != 0;
#else
    return false;
#endif
}

static bool cpu_has_bf16_tiles(void)
{
#if defined(__x86_64__) && defined(__linux__)
    enum { FEATURES = 7, BF16_TILES = 1 << 22 };
    unsigned a, b, c, d;
    return __get_cpuid_count(FEATURES, 0, &a, &b, &c, &d) && (d & BF16_TILES) != 0;
#else
    return false;
#endif
}

/* The kernel lets a process have tiles when it asks, but not where a signal stack of some thread
 * has no room for them. */
static bool system_gives_tiles(void)
{
#if defined(__x86_64__) && defined(__linux__)
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
    return true;
#endif
}

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static const struct k_table *runnable[COMPILED], *best;
static size_t runnable_count, cache_l2, cache_last_level;
static bool pairs, dots, may_tile, pairs_tile;
static pthread_once_t asked = PTHREAD_ONCE_INIT;
static bool tiles;
static char refused[32]; /* what ACLNN_CPU_ISA asks for and this CPU does not run */

/* What the kernel says of CPU 0's cache of a level, or 0. (sysconf is asked second: under some
 * hypervisors it adds up the caches of a whole socket.) */
static size_t cache_from_sysfs(int level)
{
    char path[96], unit = 0;
    for (int index = 0; index < 8; index++) {
        int found = 0;
        unsigned long size = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
        FILE *file = fopen(path, "re");
        if (!file) return 0;
        if (fscanf(file, "%d", &found) != 1) found = 0;
        fclose(file);
        if (found != level) continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        file = fopen(path, "re");
        if (!file) return 0;
        if (fscanf(file, "%lu%c", &size, &unit) < 1) size = 0;
        fclose(file);
        return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
    }
    return 0;
}

static size_t cache_size(int level, int sysconf_name, size_t otherwise)
{
    size_t bytes = cache_from_sysfs(level);
    if (bytes != 0) return bytes;
    long answer = sysconf(sysconf_name);
    return answer > 0 ? (size_t)answer : otherwise;
}

/* Those that the level with_dots is named after. */
static bool has_named_dots(void)
{
#if defined(__aarch64__)
    return dots;
#else
    return pairs;
#endif
}

static void look(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    for (size_t i = 0; i < COMPILED; i++)
        if (compiled[i].probe()) runnable[runnable_count++] = compiled[i].table;
    best = runnable[0];
    const char *wanted = getenv("ACLNN_CPU_ISA");
    if (wanted && *wanted == '\0') wanted = NULL;
    bool is_found = !wanted;
    for (size_t i = 0; wanted && i < runnable_count; i++) {
        if (strcmp(runnable[i]->isa, wanted) != 0) continue;
        best = runnable[i];
        is_found = true;
    }
    const bool is_plain = wanted && strcmp(wanted, without_dots) == 0;
    const bool is_widest = strcmp(best->isa, without_dots) == 0;
    pairs = is_widest && !is_plain && cpu_has_pairs();
    dots = is_widest && !is_plain && cpu_has_dots();
    may_tile = dots && cpu_has_tiles() && (!wanted || strcmp(wanted, with_tiles) == 0);
    pairs_tile = pairs && cpu_has_bf16_tiles();
    if (wanted && has_named_dots() && strcmp(wanted, with_dots) == 0) is_found = true;
    if (wanted && may_tile && strcmp(wanted, with_tiles) == 0) is_found = true;
    if (!is_found) snprintf(refused, sizeof refused, "%s", wanted);

    cache_l2 = cache_size(2, _SC_LEVEL2_CACHE_SIZE, (size_t)1 << 20);
    cache_last_level = cache_size(3, _SC_LEVEL3_CACHE_SIZE, cache_l2);
    if (cache_last_level < cache_l2) cache_last_level = cache_l2;
}

const struct k_table *k_best(void)
{
    pthread_once(&looked, look);
    return best;
}

const char *k_isa_refused(void)
{
    pthread_once(&looked, look);
    return refused[0] != '\0' ? refused : NULL;
}

bool k_pairs_bf16(void)
{
    pthread_once(&looked, look);
    return pairs;
}

bool k_dots_int8(void)
{
    pthread_once(&looked, look);
    return dots;
}

static void ask_for_tiles(void)
{
    pthread_once(&looked, look);
    tiles = may_tile && system_gives_tiles();
}

bool k_tiles_int8(void)
{
    pthread_once(&asked, ask_for_tiles);
    return tiles;
}

bool k_tiles_bf16(void)
{
    return k_tiles_int8() && pairs_tile; /* in this order: the first one looks */
}

size_t k_tables(const struct k_table *tables[], size_t capacity)
{
    pthread_once(&looked, look);
    for (size_t i = 0; i < runnable_count && i < capacity; i++)
        tables[i] = runnable[i];
    return runnable_count;
}

size_t k_cache_last_level(void)
{
    pthread_once(&looked, look);
    return cache_last_level;
}

size_t k_cache_l2(void)
{
    pthread_once(&looked, look);
    return cache_l2;
}
