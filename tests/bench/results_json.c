/* SPDX-License-Identifier: Apache-2.0 */
/* The results as a JSON file, and back: tables and charts can be made again without a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/results.h"

static void add_entry(cJSON *list, const struct entry *entry)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "role", role_name(entry->role));
    cJSON_AddStringToObject(item, "name", entry->name);
    cJSON_AddStringToObject(item, "note", entry->note);
    cJSON_AddNumberToObject(item, "milliseconds", entry->seconds * 1e3);
    cJSON_AddNumberToObject(item, "times_ours", entry->ratio);
    cJSON_AddNumberToObject(item, "share_of_floor", entry->share);
    cJSON_AddNumberToObject(item, "batches", entry->rounds);
    cJSON_AddItemToArray(list, item);
}

static cJSON *result_to_json(const struct result *result)
{
    char line[CASE_LINE];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "case", case_print(&result->test, line));
    cJSON_AddStringToObject(item, "layout", bench_format_name(result->format));
    cJSON_AddNumberToObject(item, "threads", result->threads);
    cJSON_AddNumberToObject(item, "bytes", result->bytes);
    cJSON_AddBoolToObject(item, "settled", result->is_settled);
    cJSON *list = cJSON_AddArrayToObject(item, "contenders");
    for (int i = 0; i < result->entries; i++)
        add_entry(list, &result->entry[i]);
    return item;
}

static void add_texts(cJSON *root, const char *key, const char *first, size_t step, int count)
{
    cJSON *list = cJSON_AddArrayToObject(root, key);
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(first + (size_t)i * step));
}

bool results_write(const struct results *results, const char *path)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", results->name);
    cJSON_AddStringToObject(root, "cpu", results->cpu);
    cJSON_AddStringToObject(root, "date", results->date);
    cJSON_AddNumberToObject(root, "last_level_cache", (double)results->last_level_cache);
    cJSON_AddNumberToObject(root, "wrong", results->wrong);
    cJSON_AddNumberToObject(root, "cpus_used_by_others", results->others);
    add_texts(root, "contenders", results->peer[0], sizeof results->peer[0], results->peers);
    add_texts(root, "lacking", results->lacking[0], sizeof results->lacking[0],
              results->lacking_count);
    cJSON_AddItemToObject(root, "figures", cJSON_Duplicate(results->figures, true));
    cJSON *list = cJSON_AddArrayToObject(root, "results");
    for (int i = 0; i < results->count; i++)
        cJSON_AddItemToArray(list, result_to_json(&results->result[i]));
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    FILE *file = fopen(path, "w");
    bool is_written = file != NULL && fprintf(file, "%s\n", text) > 0;
    if (file != NULL && fclose(file) != 0) is_written = false;
    cJSON_free(text);
    return is_written;
}

static const char *text_of(const cJSON *item, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(item, key));
    return text == NULL ? "" : text;
}

static double number_of(const cJSON *item, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(item, key));
}

static bool entry_from_json(const cJSON *item, struct entry *entry)
{
    int role = 0;
    while (role < ROLES && strcmp(role_name((enum role)role), text_of(item, "role")) != 0)
        role++;
    if (role == ROLES) return false;
    entry->role = (enum role)role;
    snprintf(entry->name, sizeof entry->name, "%s", text_of(item, "name"));
    snprintf(entry->note, sizeof entry->note, "%s", text_of(item, "note"));
    entry->seconds = number_of(item, "milliseconds") * 1e-3;
    entry->ratio = number_of(item, "times_ours");
    entry->share = number_of(item, "share_of_floor");
    entry->rounds = (int)number_of(item, "batches");
    return true;
}

static bool result_from_json(const cJSON *item, struct result *result)
{
    char error[128];
    if (!case_parse(text_of(item, "case"), &result->test, error, sizeof error)) return false;
    result->format = bench_format_of(text_of(item, "layout"));
    if (result->format == BENCH_FORMATS) return false;
    result->threads = (int)number_of(item, "threads");
    result->bytes = number_of(item, "bytes");
    result->is_settled = cJSON_IsTrue(cJSON_GetObjectItem(item, "settled"));
    const cJSON *entry;
    cJSON_ArrayForEach(entry, cJSON_GetObjectItem(item, "contenders"))
    {
        if (result->entries == PEERS_MOST) return false;
        if (!entry_from_json(entry, &result->entry[result->entries++])) return false;
    }
    return result_ours(result) != NULL;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size < 0 ? NULL : calloc((size_t)size + 1, 1);
    rewind(file);
    if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = '\0';
    fclose(file);
    return text;
}

static int read_texts(const cJSON *list, char *first, size_t step, int most)
{
    int count = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (count == most) break;
        const char *text = cJSON_GetStringValue(item);
        snprintf(first + (size_t)count++ * step, step, "%s", text == NULL ? "" : text);
    }
    return count;
}

bool results_read(struct results *results, const char *path)
{
    char *text = read_text(path);
    cJSON *root = text == NULL ? NULL : cJSON_Parse(text);
    free(text);
    if (root == NULL) {
        fprintf(stderr, "%s is not a file of results\n", path);
        return false;
    }
    results_open(results, text_of(root, "name"));
    snprintf(results->cpu, sizeof results->cpu, "%s", text_of(root, "cpu"));
    snprintf(results->date, sizeof results->date, "%s", text_of(root, "date"));
    results->last_level_cache = (size_t)number_of(root, "last_level_cache");
    results->wrong = (int)number_of(root, "wrong");
    results->others = number_of(root, "cpus_used_by_others");
    results->peers = read_texts(cJSON_GetObjectItem(root, "contenders"), results->peer[0],
                                sizeof results->peer[0], RESULT_NAMES);
    results->lacking_count = read_texts(cJSON_GetObjectItem(root, "lacking"), results->lacking[0],
                                        sizeof results->lacking[0], 4);
    cJSON_Delete(results->figures);
    results->figures = cJSON_DetachItemFromObject(root, "figures");
    bool is_read = results->figures != NULL;
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "results"))
    {
        if (!is_read) break;
        is_read = result_from_json(item, results_add(results));
    }
    cJSON_Delete(root);
    if (!is_read) fprintf(stderr, "%s holds results of another shape\n", path);
    return is_read;
}
