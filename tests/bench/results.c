/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/results.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/machine.h"

enum { SMALL_BYTES = 1 << 18 };

void results_open(struct results *results, const char *name)
{
    *results = (struct results){.last_level_cache = machine_cache(3)};
    snprintf(results->name, sizeof results->name, "%s", name);
    for (char *c = results->name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c)) *c = '_'; /* it names files */
    snprintf(results->cpu, sizeof results->cpu, "%s", machine_cpu());
    time_t now = time(NULL);
    struct tm day;
    strftime(results->date, sizeof results->date, "%Y-%m-%d", gmtime_r(&now, &day));
    results->figures = cJSON_CreateArray();
}

void results_close(struct results *results)
{
    cJSON_Delete(results->figures);
    free(results->result);
    *results = (struct results){0};
}

struct result *results_add(struct results *results)
{
    if (results->count == results->capacity) {
        int capacity = results->capacity == 0 ? 64 : 2 * results->capacity;
        struct result *larger =
            realloc(results->result, (size_t)capacity * sizeof *results->result);
        if (larger == NULL) abort();
        results->result = larger;
        results->capacity = capacity;
    }
    struct result *result = &results->result[results->count++];
    memset(result, 0, sizeof *result);
    return result;
}

const struct entry *result_best(const struct result *result, enum role role)
{
    const struct entry *best = NULL;
    for (int i = 0; i < result->entries; i++) {
        const struct entry *entry = &result->entry[i];
        if (entry->role == role && (best == NULL || entry->ratio < best->ratio)) best = entry;
    }
    return best;
}

const struct entry *result_ours(const struct result *result)
{
    return result_best(result, ROLE_OURS);
}

bool result_is_same_case(const struct result *one, const struct result *other)
{
    return one->test.dtype == other->test.dtype && one->format == other->format &&
           strcmp(one->test.name, other->test.name) == 0 &&
           strcmp(one->test.op, other->test.op) == 0;
}

const struct result *results_find(const struct results *results, const struct result *same,
                                  bool is_threaded)
{
    for (int i = 0; i < results->count; i++)
        if ((results->result[i].threads > 1) == is_threaded &&
            result_is_same_case(&results->result[i], same))
            return &results->result[i];
    return NULL;
}

bool result_is_first(const struct results *results, int index)
{
    for (int i = 0; i < index; i++)
        if (result_is_same_case(&results->result[i], &results->result[index])) return false;
    return true;
}

int results_threads(const struct results *results)
{
    int most = 1;
    for (int i = 0; i < results->count; i++)
        if (results->result[i].threads > most) most = results->result[i].threads;
    return most;
}

enum result_kind result_kind(const struct results *results, const struct result *result)
{
    if (result->bytes < SMALL_BYTES) return KIND_SMALL;
    if (result->bytes > (double)results->last_level_cache) return KIND_MEMORY;
    for (int axis = 0; axis < result->test.axes; axis++)
        if (case_window(&result->test, axis).output != 1) return KIND_CACHE;
    return KIND_GLOBAL;
}
