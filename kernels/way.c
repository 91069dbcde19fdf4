/* SPDX-License-Identifier: Apache-2.0 */
/* The choice among ways. ACLNN_CPU_WAY is read once. */
#include "kernels/way.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"

#define ROW(k, w, r, u, p, dtypes)                                                                 \
    {.choice = K_CHOICE_##k,                                                                       \
     .kernel = #k,                                                                                 \
     .name = #w,                                                                                   \
     .refuses = (r),                                                                               \
     .unwise = (u),                                                                                \
     .plan = (p),                                                                                  \
     .slot = offsetof(struct k_table, k##_##w),                                                    \
     .by_dtype = (dtypes)},

static const struct k_way rows[] = {
#define K_WAY(kernel, way, refuses, unwise, plan)     ROW(kernel, way, refuses, unwise, plan, true)
#define K_WAY_ANY(kernel, way, refuses, unwise, plan) ROW(kernel, way, refuses, unwise, plan, false)
#define K_WAY_VECTOR                                  K_WAY
#define K_WAY_ANY_VECTOR                              K_WAY_ANY
#include "kernels/ways.def"
};

enum { ROWS = sizeof rows / sizeof rows[0], UNKNOWN = 128 };

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static const struct k_way *first[K_CHOICES], *forced[K_CHOICES];
static char unknown[UNKNOWN];

const char *k_way_always(const struct k_problem *problem)
{
    (void)problem;
    return NULL;
}

static const struct k_way *find(const char *name, size_t length)
{
    for (int i = 0; i < ROWS; i++) {
        const size_t kernel = strlen(rows[i].kernel);
        if (length == kernel + 1 + strlen(rows[i].name) && name[kernel] == ':' &&
            strncmp(name, rows[i].kernel, kernel) == 0 &&
            strncmp(name + kernel + 1, rows[i].name, length - kernel - 1) == 0)
            return &rows[i];
    }
    return NULL;
}

static void read_list(const char *list)
{
    memset(forced, 0, sizeof forced);
    unknown[0] = '\0';
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        const struct k_way *way = find(list, length);
        if (way)
            forced[way->choice] = way;
        else if (length > 0 && unknown[0] == '\0')
            snprintf(unknown, sizeof unknown, "%.*s", (int)(length < UNKNOWN ? length : UNKNOWN),
                     list);
        list += length;
        list += *list == ',';
    }
}

static void prepare(void)
{
    for (int i = ROWS - 1; i >= 0; i--)
        first[rows[i].choice] = &rows[i];
    read_list(getenv("ACLNN_CPU_WAY"));
}

/* NULL where the level has none. */
static k_fn *function_of(const struct k_way *way, const struct k_problem *problem)
{
    k_fn *run;
    const size_t index = way->by_dtype ? (size_t)problem->dtype : 0;
    memcpy(&run, (const char *)problem->level + way->slot + index * sizeof run, sizeof run);
    return run;
}

static const char *objection(const struct k_way *way, const struct k_problem *problem)
{
    if (way->by_dtype && problem->dtype >= K_DTYPES) return "not for this type";
    if (!function_of(way, problem)) return "not on this level";
    return way->refuses(problem);
}

struct k_chosen k_way_choose(enum k_choice choice, const struct k_problem *problem)
{
    pthread_once(&prepared, prepare);
    const struct k_way *way = forced[choice];
    if (!way || objection(way, problem)) {
        way = first[choice];
        while (objection(way, problem) || way->unwise(problem))
            way++;
    }
    return (struct k_chosen){
        .way = way, .run = function_of(way, problem), .work = way->plan(problem)};
}

const char *k_way_reasons(const struct k_way *way, const struct k_problem *problem, char *text,
                          size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct k_way *row = first[way->choice]; row < way && used < size; row++) {
        const char *reason = objection(row, problem);
        if (!reason) reason = row->unwise(problem);
        if (!reason) continue; /* another one was forced */
        const int length =
            snprintf(text + used, size - used, "%s%s: %s", used > 0 ? "; " : "", row->name, reason);
        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}

bool k_way_is_forced(const struct k_way *way)
{
    pthread_once(&prepared, prepare);
    return forced[way->choice] == way;
}

const char *k_way_unknown(void)
{
    pthread_once(&prepared, prepare);
    return unknown[0] != '\0' ? unknown : NULL;
}

int k_ways(const struct k_way **all)
{
    *all = rows;
    return ROWS;
}

void k_way_force(const char *list)
{
    pthread_once(&prepared, prepare);
    read_list(list);
}
