/* SPDX-License-Identifier: Apache-2.0 */
/* What a program asks about a graph: its name, its number, its tasks; and the end of its handle.
 * Locks: the name is guarded by the lock of stream_capture.c. A sealed graph is read without one.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "runtime/capture/capture_lock.h"
#include "runtime/capture/graph.h"
#include "runtime/capture/stream_capture.h"
#include "runtime/capture/task_group.h"
#include "runtime/schedule/context.h"
#include "runtime/support/alloc.h"
#include "runtime/support/error.h"
#include "runtime/support/log.h"
#include "runtime/support/utf8.h"

enum { LONGEST_NAME = 511 };

static aclError acquire_ready(const char *who, aclmdlRI handle, struct rt_graph **graph)
{
    aclError status = rt_graph_acquire(who, handle, graph);
    if (status != ACL_SUCCESS) return status;
    if (atomic_load_explicit(&(*graph)->status, memory_order_acquire) == RT_GRAPH_READY)
        return ACL_SUCCESS;
    status = rt_error_report(ACL_ERROR_RT_MODEL_CAPTURED, who,
                             "graph %" PRIu32 " is still being captured", (*graph)->id);
    rt_object_release(&(*graph)->object);
    return status;
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
    struct rt_graph *graph;
    RT_CHECK(modelRI, ACL_ERROR_INVALID_PARAM, "modelRI is NULL");
    if (!rt_context_peek() && !rt_registry_find(modelRI, RT_OBJECT_GRAPH)) return ACL_SUCCESS;
    aclError status = acquire_ready(__func__, modelRI, &graph);
    if (status != ACL_SUCCESS) return status;
    rt_graph_destroy(graph);
    rt_object_release(&graph->object);
    return ACL_SUCCESS;
}

/* --- name and number ----------------------------------------------------------------------------
 */

aclError aclmdlRISetName(aclmdlRI modelRI, const char *name)
{
    struct rt_graph *graph;
    RT_CHECK(name, ACL_ERROR_INVALID_PARAM, "name is NULL");
    const size_t length = strnlen(name, LONGEST_NAME + 1);
    RT_CHECK(length <= LONGEST_NAME, ACL_ERROR_RT_PARAM_INVALID,
             "name has more than %d bytes, the most that a graph's name may have", LONGEST_NAME);
    aclError status = rt_graph_acquire(__func__, modelRI, &graph);
    if (status != ACL_SUCCESS) return status;
    char *copy = rt_alloc(length + 1);
    if (copy) {
        memcpy(copy, name, length);
        copy[length] = '\0';
        rt_capture_lock();
        char *old = graph->name;
        graph->name = copy;
        rt_capture_unlock();
        rt_free(old);
    }
    rt_object_release(&graph->object);
    RT_CHECK(copy, ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a name");
    return ACL_SUCCESS;
}

static void copy_name(struct rt_graph *graph, char *name, size_t size)
{
    rt_capture_lock();
    snprintf(name, size, "%s", graph->name ? graph->name : "");
    rt_capture_unlock();
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name)
{
    struct rt_graph *graph;
    RT_CHECK(name, ACL_ERROR_INVALID_PARAM, "name is NULL");
    RT_CHECK(maxLen > 0, ACL_ERROR_RT_PARAM_INVALID, "maxLen is 0; it must be greater than 0");
    aclError status = rt_graph_acquire(__func__, modelRI, &graph);
    if (status != ACL_SUCCESS) return status;
    copy_name(graph, name, maxLen);
    rt_object_release(&graph->object);
    return ACL_SUCCESS;
}

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId)
{
    struct rt_graph *graph;
    RT_CHECK(modelRIId, ACL_ERROR_INVALID_PARAM, "modelRIId is NULL");
    aclError status = rt_graph_acquire(__func__, modelRI, &graph);
    if (status != ACL_SUCCESS) return status;
    *modelRIId = graph->id;
    rt_object_release(&graph->object);
    return ACL_SUCCESS;
}

/* --- tasks
 * ---------------------------------------------------------------------------------------- */

/* What a task in a group does is read in the lock: it may be replaced. */
static const char *name_of(struct rt_graph *graph, const struct rt_node *node)
{
    if (!node->slot) return rt_task_name(&node->task);
    pthread_mutex_lock(&graph->lock);
    const char *name = rt_task_name(&node->slot->shown->task);
    pthread_mutex_unlock(&graph->lock);
    return name;
}

/* " after lane 1 task 3, ..." or "". */
static void describe_waits(const struct rt_graph *graph, const struct rt_node *node, char *text,
                           size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t w = 0; w < node->wait_count && used < size; w++) {
        const struct rt_node_wait *wait = &graph->waits[node->first_wait + w];
        used += (size_t)snprintf(text + used, size - used, "%slane %" PRIu32 " task %" PRIu32,
                                 w == 0 ? "" : ", ", wait->lane, wait->count - 1);
    }
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
    struct rt_graph *graph;
    char text[256];
    aclError status = acquire_ready(__func__, modelRI, &graph);
    if (status != ACL_SUCCESS) return status;
    copy_name(graph, text, sizeof(text));
    rt_log(ACL_INFO, "graph %" PRIu32 " \"%s\": %" PRIu32 " lanes, %" PRIu32 " tasks", graph->id,
           text, graph->lane_count, graph->node_count);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct rt_node *node = &graph->nodes[i];
        describe_waits(graph, node, text, sizeof(text));
        rt_log(ACL_INFO,
               "graph %" PRIu32 " lane %" PRIu32 " (stream %" PRIu32 ") task %" PRIu32 ": %s%s%s",
               graph->id, node->lane, graph->lanes[node->lane].stream_id, node->index,
               name_of(graph, node), node->wait_count > 0 ? " after " : "", text);
    }
    rt_object_release(&graph->object);
    return ACL_SUCCESS;
}

/* One microsecond for each task, after all it waits for. Lanes are taken round until no task's
 * place changes: places only grow, and a task waits for earlier ones, so that ends. */
static void place_tasks(const struct rt_graph *graph, uint32_t *place)
{
    memset(place, 0, (size_t)graph->node_count * sizeof(*place));
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < graph->node_count; i++) {
            const struct rt_node *node = &graph->nodes[i];
            uint32_t least = node->index > 0 ? place[i - 1] + 1 : 0;
            for (uint32_t w = 0; w < node->wait_count; w++) {
                const struct rt_node_wait *wait = &graph->waits[node->first_wait + w];
                uint32_t after = place[graph->lanes[wait->lane].first + wait->count - 1] + 1;
                if (least < after) least = after;
            }
            moved |= place[i] < least;
            if (place[i] < least) place[i] = least;
        }
    }
}

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    rt_json_put_text(file, text, SIZE_MAX);
    fputc('"', file);
}

static void write_json(FILE *file, struct rt_graph *graph, const uint32_t *place, bool is_verbose)
{
    char text[LONGEST_NAME + 1];
    copy_name(graph, text, sizeof(text));
    fprintf(file,
            "{\"traceEvents\": [\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %" PRIu32
            ", \"args\": {\"name\": ",
            graph->id);
    write_string(file, text[0] ? text : "graph");
    fprintf(file, "}}");
    for (uint32_t i = 0; i < graph->lane_count; i++)
        fprintf(file,
                ",\n{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %" PRIu32
                ", \"tid\": %" PRIu32 ", \"args\": {\"name\": \"lane %" PRIu32 ", stream %" PRIu32
                "\"}}",
                graph->id, i, i, graph->lanes[i].stream_id);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct rt_node *node = &graph->nodes[i];
        fprintf(file, ",\n{\"ph\": \"X\", \"name\": ");
        write_string(file, name_of(graph, node));
        fprintf(file,
                ", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", \"ts\": %" PRIu32
                ", \"dur\": 1, \"args\": {\"task\": %" PRIu32,
                graph->id, node->lane, place[i], node->index);
        if (is_verbose && node->wait_count > 0) {
            describe_waits(graph, node, text, sizeof(text));
            fprintf(file, ", \"after\": \"%s\"", text);
        }
        fprintf(file, "}}");
    }
    fprintf(file, "\n]}\n");
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
    struct rt_graph *graph;
    RT_CHECK(path, ACL_ERROR_INVALID_PARAM, "path is NULL");
    RT_CHECK(flags <= ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE, ACL_ERROR_RT_PARAM_INVALID,
             "flags is 0x%" PRIx32 "; it must be SUMMARY (0) or VERBOSE (1)", flags);
    aclError status = acquire_ready(__func__, modelRI, &graph);
    if (status != ACL_SUCCESS) return status;
    uint32_t *place = rt_alloc(((size_t)graph->node_count + 1) * sizeof(*place));
    FILE *file = place ? fopen(path, "w") : NULL;
    bool ok = file != NULL;
    if (ok) {
        place_tasks(graph, place);
        write_json(file, graph, place, flags == ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE);
        ok = ferror(file) == 0;
        ok = fclose(file) == 0 && ok;
    }
    if (!place)
        status =
            RT_ERROR(ACL_ERROR_RT_MEMORY_ALLOCATION, "no host memory for a picture of a graph");
    else if (!ok)
        status = RT_ERROR(ACL_ERROR_RT_FILE_WRITE, "%s cannot be written", path);
    rt_free(place);
    rt_object_release(&graph->object);
    return status;
}
