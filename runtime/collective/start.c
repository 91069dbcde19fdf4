/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators are made, changed and ended here. */
#include "runtime/collective/start.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char info_magic[8] = "ACLNNCC";

/* What a root info holds. */
struct info {
    char magic[8];
    struct co_root root;
};
_Static_assert(sizeof(struct info) <= sizeof(HcclRootInfo), "a root info has room for ours");

HcclResult co_check_config(const char *who, const HcclCommConfig *config)
{
    uint32_t magic;
    if (!config) return HCCL_SUCCESS;
    memcpy(&magic, config->reserved + sizeof(size_t), sizeof(magic));
    if (magic != HCCL_COMM_CONFIG_MAGIC_WORD)
        return co_report(HCCL_E_PARA, who,
                         "config has not been filled by HcclCommConfigInit: its magic word is %#x",
                         magic);
    if (memchr(config->hcclCommName, 0, COMM_NAME_MAX_LENGTH)) return HCCL_SUCCESS;
    return co_report(HCCL_E_PARA, who,
                     "config's hcclCommName has no end; it must be shorter than %u",
                     COMM_NAME_MAX_LENGTH);
}

HcclResult co_start(const char *who, const struct co_root *root, uint32_t size, uint32_t rank,
                    const HcclCommConfig *config, HcclComm *comm)
{
    struct co_fault fault = {0};
    const int64_t deadline = co_now_ms() + co_connect_timeout();
    uint32_t *members = malloc(size * sizeof(*members));
    if (!members) return co_report(HCCL_E_MEMORY, who, "no host memory for %u ranks", size);
    for (uint32_t r = 0; r < size; r++)
        members[r] = r;
    struct co_control *control = co_control_join(root, size, rank, deadline, &fault);
    struct co_communicator *made = NULL;
    if (control)
        made = co_communicator_new(control, members, size, rank,
                                   co_hash(1, root->token, sizeof(root->token)), config, deadline,
                                   &fault);
    free(members);
    if (!made) return co_report(fault.code, who, "%s", fault.text);
    *comm = made;
    return HCCL_SUCCESS;
}

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)
{
    struct co_fault fault = {0};
    struct info info = {.root.process = co_process()};
    CO_CHECK(rootInfo, HCCL_E_PTR, "rootInfo is NULL");
    CO_CHECK(co_random(info.root.token, sizeof(info.root.token)), HCCL_E_SYSCALL,
             "no random numbers for a token");
    memcpy(info.magic, info_magic, sizeof(info.magic));
    if (!co_own_address(&info.root.address, &fault) ||
        !co_root_serve(&info.root, co_connect_timeout(), &fault))
        return co_report(fault.code, __func__, "%s", fault.text);
    memset(rootInfo, 0, sizeof(*rootInfo));
    memcpy(rootInfo->internal, &info, sizeof(info));
    return HCCL_SUCCESS;
}

static HcclResult init_root_info(const char *who, uint32_t size, const HcclRootInfo *root,
                                 uint32_t rank, const HcclCommConfig *config, HcclComm *comm)
{
    struct info info;
    if (!comm) return co_report(HCCL_E_PTR, who, "comm is NULL");
    if (!root) return co_report(HCCL_E_PTR, who, "rootInfo is NULL");
    if (size == 0 || size > CO_RANKS_MAX)
        return co_report(HCCL_E_PARA, who, "nRanks is %u; it must be 1 to %d", size, CO_RANKS_MAX);
    if (rank >= size)
        return co_report(HCCL_E_PARA, who, "rank is %u; it must be less than nRanks, %u", rank,
                         size);
    memcpy(&info, root->internal, sizeof(info));
    if (memcmp(info.magic, info_magic, sizeof(info.magic)) != 0)
        return co_report(HCCL_E_PARA, who, "rootInfo does not come from HcclGetRootInfo");
    HcclResult status = co_check_config(who, config);
    return status == HCCL_SUCCESS ? co_start(who, &info.root, size, rank, config, comm) : status;
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                HcclComm *comm)
{
    return init_root_info(__func__, nRanks, rootInfo, rank, NULL, comm);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                      const HcclCommConfig *config, HcclComm *comm)
{
    return init_root_info(__func__, nRanks, rootInfo, rank, config, comm);
}

/* --- all ranks in one process ------------------------------------------------------------------
 */

static const char for_all[] = "HcclCommInitAll";

struct member {
    pthread_t thread;
    const HcclRootInfo *info;
    uint32_t size, rank;
    HcclResult status;
    HcclComm comm;
    char text[256]; /* of a failure, whose thread ends */
};

static void *init_member(void *argument)
{
    struct member *member = argument;
    member->status =
        init_root_info(for_all, member->size, member->info, member->rank, NULL, &member->comm);
    if (member->status != HCCL_SUCCESS) {
        const char *text = aclGetRecentErrMsg(); /* which begins with who says it */
        const size_t name = sizeof(for_all) - 1 + strlen(": ");
        snprintf(member->text, sizeof(member->text), "%s",
                 text && strlen(text) > name ? text + name : "");
    }
    return NULL;
}

/* As many as have started join; one that has not makes the others time out. */
static HcclResult init_members(uint32_t count, struct member *members, const HcclRootInfo *info)
{
    uint32_t started = 0;
    for (; started < count; started++) {
        struct member *member = &members[started];
        *member = (struct member){.info = info, .size = count, .rank = started};
        if (pthread_create(&member->thread, NULL, init_member, member) != 0) break;
    }
    HcclResult status = started == count ? HCCL_SUCCESS : HCCL_E_SYSCALL;
    const char *text = "a thread could not be started";
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(members[i].thread, NULL);
        if (status != HCCL_SUCCESS || members[i].status == HCCL_SUCCESS) continue;
        status = members[i].status;
        text = members[i].text;
    }
    if (status == HCCL_SUCCESS) return status;
    for (uint32_t i = 0; i < started; i++)
        if (members[i].status == HCCL_SUCCESS) HcclCommDestroy(members[i].comm);
    return co_report(status, for_all, "%s", text);
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms)
{
    HcclRootInfo info;
    uint32_t there = 0;
    CO_CHECK(comms, HCCL_E_PTR, "comms is NULL");
    CO_CHECK(aclrtGetDeviceCount(&there) == ACL_SUCCESS, HCCL_E_RUNTIME,
             "aclrtGetDeviceCount failed");
    CO_CHECK(ndev > 0 && ndev <= there, HCCL_E_PARA, "ndev is %u; there are %u devices", ndev,
             there);
    for (uint32_t i = 0; i < ndev && devices; i++) {
        CO_CHECK(devices[i] >= 0 && (uint32_t)devices[i] < there, HCCL_E_PARA,
                 "devices[%u] is %d; it must be less than %u", i, devices[i], there);
        for (uint32_t k = 0; k < i; k++)
            CO_CHECK(devices[k] != devices[i], HCCL_E_PARA, "devices has %d twice", devices[i]);
    }
    HcclResult status = HcclGetRootInfo(&info);
    if (status != HCCL_SUCCESS) return status;
    struct member *members = calloc(ndev, sizeof(*members));
    CO_CHECK(members, HCCL_E_MEMORY, "no host memory for %u ranks", ndev);
    status = init_members(ndev, members, &info);
    for (uint32_t i = 0; i < ndev && status == HCCL_SUCCESS; i++)
        comms[i] = members[i].comm;
    free(members);
    return status;
}

/* --- from another one ------------------------------------------------------------------------- */

static HcclResult check_members(const struct co_communicator *comm, uint32_t count,
                                const uint32_t *ranks, uint32_t own)
{
    static const char who[] = "HcclCreateSubCommConfig";
    if (count == 0 || count > comm->size)
        return co_report(HCCL_E_PARA, who, "rankNum is %u; it must be 1 to %u", count, comm->size);
    if (own >= count || ranks[own] != comm->rank)
        return co_report(HCCL_E_PARA, who,
                         "subCommRankId is %u; rankIds must have this rank, %u, there", own,
                         comm->rank);
    for (uint32_t i = 0; i < count; i++) {
        if (ranks[i] >= comm->size)
            return co_report(HCCL_E_PARA, who, "rankIds[%u] is %u; it must be less than %u", i,
                             ranks[i], comm->size);
        for (uint32_t k = 0; k < i; k++)
            if (ranks[k] == ranks[i])
                return co_report(HCCL_E_PARA, who, "rankIds has %u twice", ranks[i]);
    }
    return HCCL_SUCCESS;
}

static HcclResult create_sub(struct co_communicator *comm, uint32_t count, const uint32_t *ranks,
                             uint64_t sub, uint32_t own, const HcclCommConfig *config,
                             HcclComm *made)
{
    static const char who[] = "HcclCreateSubCommConfig";
    struct co_fault fault = {0};
    HcclResult status = check_members(comm, count, ranks, own);
    if (status != HCCL_SUCCESS) return status;
    uint32_t *members = malloc(count * sizeof(*members));
    if (!members) return co_report(HCCL_E_MEMORY, who, "no host memory for %u ranks", count);
    for (uint32_t i = 0; i < count; i++)
        members[i] = comm->members[ranks[i]];
    uint64_t id = co_hash(co_hash(comm->id, &sub, sizeof(sub)), members, count * sizeof(*members));
    co_control_retain(comm->control);
    *made = co_communicator_new(comm->control, members, count, own, id, config,
                                co_now_ms() + co_connect_timeout(), &fault);
    free(members);
    return *made ? HCCL_SUCCESS : co_report(fault.code, who, "%s", fault.text);
}

HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds,
                                   uint64_t subCommId, uint32_t subCommRankId,
                                   HcclCommConfig *config, HcclComm *subComm)
{
    CO_CHECK(comm && *comm, HCCL_E_PTR, "comm is NULL");
    CO_CHECK(subComm, HCCL_E_PTR, "subComm is NULL");
    HcclResult status = co_check_config(__func__, config);
    if (status != HCCL_SUCCESS) return status;
    struct co_communicator *from = co_communicator_find(*comm);
    CO_CHECK(from, HCCL_E_NOT_FOUND, "comm is no communicator, or has been destroyed");
    *subComm = NULL;
    if (rankIds || rankNum > 0)
        status = rankIds
                     ? create_sub(from, rankNum, rankIds, subCommId, subCommRankId, config, subComm)
                     : co_report(HCCL_E_PTR, __func__, "rankIds is NULL and rankNum is not 0");
    co_communicator_release(from);
    return status;
}

/* --- ends and new lives ------------------------------------------------------------------------
 */

HcclResult HcclCommDestroy(HcclComm comm)
{
    CO_CHECK(comm, HCCL_E_PTR, "comm is NULL");
    struct co_communicator *taken = co_communicator_take(comm);
    CO_CHECK(taken, HCCL_E_NOT_FOUND, "comm is no communicator, or has been destroyed");
    co_communicator_destroy(taken);
    return HCCL_SUCCESS;
}

HcclResult HcclCommSuspend(HcclComm comm)
{
    CO_CHECK(comm, HCCL_E_PTR, "comm is NULL");
    struct co_communicator *found = co_communicator_find(comm);
    CO_CHECK(found, HCCL_E_NOT_FOUND, "comm is no communicator, or has been destroyed");
    HcclResult status = co_communicator_suspend(found);
    co_communicator_release(found);
    return status;
}

HcclResult HcclCommResume(HcclComm comm)
{
    struct co_fault fault = {0};
    CO_CHECK(comm, HCCL_E_PTR, "comm is NULL");
    struct co_communicator *found = co_communicator_find(comm);
    CO_CHECK(found, HCCL_E_NOT_FOUND, "comm is no communicator, or has been destroyed");
    bool is_well = co_communicator_resume(found, co_now_ms() + co_connect_timeout(), &fault);
    co_communicator_release(found);
    return is_well ? HCCL_SUCCESS : co_report(fault.code, __func__, "%s", fault.text);
}
