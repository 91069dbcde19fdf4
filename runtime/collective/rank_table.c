/* SPDX-License-Identifier: Apache-2.0 */
/* {"version": "1.0", "status": "completed", "server_count": "1", "server_list":
 *   [{"server_id": "10.0.0.1", "host_ip": "10.0.0.1", "device": [{"device_id": "0", "rank_id":
 * "0"}]}]} Numbers are strings, or numbers. host_ip may be left out. */
#include "runtime/collective/rank_table.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl/hccl.h"
#include "runtime/collective/communicator.h"
#include "runtime/collective/start.h"

enum { TABLE_MAX = 16 << 20, BASE_PORT = 60000 };

/* The file, zero-terminated; NULL: fault says why. */
static char *read_file(const char *path, struct co_fault *fault)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        co_fail(fault, HCCL_E_OPEN_FILE_FAILURE, "clusterInfo, %.80s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = malloc(TABLE_MAX + 1);
    size_t length = text ? fread(text, 1, TABLE_MAX + 1, file) : 0;
    bool is_read = text && !ferror(file) && length <= TABLE_MAX;
    fclose(file);
    if (is_read) {
        text[length] = '\0';
        return text;
    }
    free(text);
    co_fail(fault, HCCL_E_OPEN_FILE_FAILURE, "clusterInfo, %.80s, cannot be read", path);
    return NULL;
}

/* A number or a string that is one; -1: neither. */
static long number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    char *end;
    if (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e9)
        return (long)item->valuedouble;
    if (!cJSON_IsString(item) || !*item->valuestring) return -1;
    long value = strtol(item->valuestring, &end, 10);
    return *end || value < 0 ? -1 : value;
}

static uint16_t base_port(void)
{
    const char *text = co_setting("HCCL_IF_BASE_PORT");
    char *end;
    long port = text ? strtol(text, &end, 10) : BASE_PORT;
    return text && (*end || port < 1 || port > 65535) ? BASE_PORT : (uint16_t)port;
}

/* Where the server of rank 0 is to be reached. */
static bool find_address(const cJSON *server, union co_address *address, struct co_fault *fault)
{
    static const char *const names[] = {"host_ip", "server_id"};
    for (int i = 0; i < 2; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(server, names[i]);
        if (cJSON_IsString(item) && co_parse_address(item->valuestring, base_port(), address))
            return true;
    }
    return co_fail(fault, HCCL_E_PARA,
                   "the rank table's server of rank 0 has no IP address as host_ip or server_id");
}

static bool take_device(const cJSON *server, const cJSON *device, bool *is_there, uint32_t *count,
                        struct co_root *root, struct co_fault *fault)
{
    long rank = number_of(device, "rank_id");
    if (rank < 0 || rank >= CO_RANKS_MAX)
        return co_fail(fault, HCCL_E_PARA,
                       "the rank table has a device without a rank_id, or above %d",
                       CO_RANKS_MAX - 1);
    if (is_there[rank])
        return co_fail(fault, HCCL_E_PARA, "the rank table has rank %ld twice", rank);
    is_there[rank] = true;
    ++*count;
    return rank != 0 || find_address(server, &root->address, fault);
}

static bool take_servers(const cJSON *table, uint32_t *size, struct co_root *root,
                         struct co_fault *fault)
{
    bool is_there[CO_RANKS_MAX] = {false};
    uint32_t count = 0;
    const cJSON *servers = cJSON_GetObjectItemCaseSensitive(table, "server_list"), *server, *device;
    cJSON_ArrayForEach(server, servers)
    {
        cJSON_ArrayForEach(device, cJSON_GetObjectItemCaseSensitive(server, "device"))
        {
            if (!take_device(server, device, is_there, &count, root, fault)) return false;
        }
    }
    if (count == 0)
        return co_fail(fault, HCCL_E_PARA, "the rank table has no server_list with devices");
    for (uint32_t r = 0; r < count; r++)
        if (!is_there[r])
            return co_fail(fault, HCCL_E_PARA, "the rank table has %u ranks, but none is %u", count,
                           r);
    *size = count;
    return true;
}

bool co_rank_table(const char *path, uint32_t *size, struct co_root *root, struct co_fault *fault)
{
    char *text = read_file(path, fault);
    if (!text) return false;
    for (uint64_t i = 0; i < sizeof(root->token) / sizeof(i); i++) {
        const uint64_t hash = co_hash(i, text, strlen(text));
        memcpy(root->token + i * sizeof(hash), &hash, sizeof(hash));
    }
    cJSON *table = cJSON_Parse(text);
    if (!table) co_fail(fault, HCCL_E_PARA, "clusterInfo, %.80s, is no JSON", path);
    bool is_well = table && take_servers(table, size, root, fault);
    cJSON_Delete(table);
    free(text);
    return is_well;
}

static HcclResult init_cluster_info(const char *who, const char *path, uint32_t rank,
                                    const HcclCommConfig *config, HcclComm *comm)
{
    struct co_fault fault = {0};
    struct co_root root = {.process = co_process()};
    uint32_t size = 0;
    if (!path) return co_report(HCCL_E_PTR, who, "clusterInfo is NULL");
    if (!comm) return co_report(HCCL_E_PTR, who, "comm is NULL");
    HcclResult status = co_check_config(who, config);
    if (status != HCCL_SUCCESS) return status;
    if (!co_rank_table(path, &size, &root, &fault))
        return co_report(fault.code, who, "%s", fault.text);
    if (rank >= size)
        return co_report(HCCL_E_PARA, who, "rank is %u; the rank table has %u", rank, size);
    if (rank == 0 && !co_root_serve(&root, co_connect_timeout(), &fault))
        return co_report(fault.code, who, "%s", fault.text);
    if (rank != 0) root.process = 0;
    return co_start(who, &root, size, rank, config, comm);
}

HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm)
{
    return init_cluster_info(__func__, clusterInfo, rank, NULL, comm);
}

HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank,
                                         HcclCommConfig *config, HcclComm *comm)
{
    return init_cluster_info(__func__, clusterInfo, rank, config, comm);
}
