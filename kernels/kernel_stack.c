/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernel_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/way.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const struct k_stack rows[] = {
#define K_STACK(kernel, kib, what) {#kernel, kib, what},
#include "kernels/kernel_stack.def"
#undef K_STACK
};

/* Where a table has a kernel's functions. */
static const struct {
    const char *name;
    size_t offset;
    int count;
} places[] = {
#define K_KERNEL(name)     {#name, offsetof(struct k_table, name), K_DTYPES},
#define K_KERNEL_ANY(name) {#name, offsetof(struct k_table, name), 1},
#include "kernels/kernels.def"
};

static const char *name_of(k_fn *kernel)
{
    const char *table = (const char *)k_best();
    for (int i = 0; i < LENGTH(places); i++)
        for (int j = 0; j < places[i].count; j++) {
            k_fn *function;
            memcpy(&function, table + places[i].offset + (size_t)j * sizeof function,
                   sizeof function);
            if (function == kernel) return places[i].name;
        }
    return "";
}

/* Is the name, behind so many letters, that of one of the kernel's ways? */
static bool is_way(const char *name, size_t length)
{
    const struct k_way *ways;
    for (int i = 0, count = k_ways(&ways); i < count; i++)
        if (strlen(ways[i].kernel) == length && strncmp(ways[i].kernel, name, length) == 0 &&
            name[length] == '_' && strcmp(ways[i].name, name + length + 1) == 0)
            return true;
    return false;
}

struct k_stack k_stack_of(k_fn *kernel)
{
    const char *name = name_of(kernel);
    for (int i = 0; i < LENGTH(rows); i++)
        if (strcmp(rows[i].kernel, name) == 0) return rows[i];
    /* The ways of a kernel have its row. */
    for (int i = 0; i < LENGTH(rows); i++) {
        const size_t length = strlen(rows[i].kernel);
        if (strncmp(rows[i].kernel, name, length) == 0 && is_way(name, length)) return rows[i];
    }
    return (struct k_stack){.kib = K_STACK_LITTLE, .what = "little"};
}

int k_stacks(const struct k_stack **all)
{
    *all = rows;
    return LENGTH(rows);
}
