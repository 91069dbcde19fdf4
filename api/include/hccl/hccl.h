/* SPDX-License-Identifier: Apache-2.0 */
/* Collective communication: ranks, each a process, on one machine or on many. docs/collective.md
 * shows how to start them, and which networks to trust: nothing is encrypted.
 *
 * Starting and ending are synchronous and collective: every rank calls, and each returns when all
 * have come, or HCCL_E_TIMEOUT after HCCL_CONNECT_TIMEOUT seconds (120).
 *
 * All work is asynchronous: a function checks its arguments and queues a task on the stream, which
 * begins when what was queued before has run. Every rank of a communicator must queue the same
 * collectives in the same order, with the same counts, types, operations and roots; two
 * communicators are independent of each other. Tasks can be captured into a graph, by all ranks,
 * and replayed. Buffers and counts are as the rank's own view needs them: counts are numbers of
 * elements, V forms take arrays of uint64_t with an entry per rank, copied by the call;
 * displacements count elements too. Buffers must not overlap but where a function says so (in
 * place). A count of 0 is fine.
 *
 * A reduction has the same bits on every rank and in every run with the same number of ranks: each
 * element is reduced in one order of ranks that depends on its place alone. FP16 and BFP16 are
 * computed in FP32 and rounded after each rank.
 *
 * Returned at once: HCCL_E_PTR for a required pointer that is NULL (a buffer with a count other
 * than 0, comm, stream), HCCL_E_PARA for a value, HCCL_E_NOT_SUPPORT for a data type or operation,
 * HCCL_E_NOT_FOUND for what is no communicator, HCCL_E_SUSPENDING while suspended, the earlier
 * failure's code on a communicator that has failed. What goes wrong later is the stream's error,
 * with a sentence, at its next synchronise: 107020 after HCCL_EXEC_TIMEOUT seconds (1836) without
 * progress, 507057 when a rank is gone or has failed. The communicator has failed then, on every
 * rank, and HcclGetCommAsyncError says so; HcclCommResume makes it new. */
#ifndef HCCL_H_
#define HCCL_H_

#include <stddef.h>

#include "acl/acl.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- starting -------------------------------------------------------------------------------- */

/* Makes a root info, of one communicator to be. This process, commonly rank 0, then serves whoever
 * joins with it, on a thread of its own, until all have left. It listens at HCCL_IF_IP, else at an
 * interface of HCCL_SOCKET_IFNAME, else at the first interface that is no loopback. */
HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo);

/* Joins nRanks ranks as one of them, 0 to nRanks - 1. The process listens where it was told to
 * (see HcclGetRootInfo), else on the interface of its route to the root. HCCL_E_PARA also when
 * the root refuses: another token, another nRanks, a rank that is there already. */
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                HcclComm *comm);
/* config may be NULL. */
HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                      const HcclCommConfig *config, HcclComm *comm);

/* The same by a rank table (JSON, version 1.0: docs/collective.md), whose path is clusterInfo. The
 * process of rank 0 listens at its server's host_ip, or server_id, port HCCL_IF_BASE_PORT (60000).
 */
HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm);
HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank,
                                         HcclCommConfig *config, HcclComm *comm);

/* ndev communicators of this one process, comms[i] for rank i on devices[i]; devices NULL: 0, 1,
 * ... */
HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms);

/* Makes a communicator of some ranks of another: rankIds, of which the caller is number
 * subCommRankId. All of them call it with the same rankNum, rankIds and subCommId; others need not,
 * or call it with rankIds NULL and rankNum 0, and get no communicator. config may be NULL. */
HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds,
                                   uint64_t subCommId, uint32_t subCommRankId,
                                   HcclCommConfig *config, HcclComm *subComm);

/* Ends what still runs on it with an error, closes all connections, ends its threads. Work that is
 * to be done must be synchronised before. */
HcclResult HcclCommDestroy(HcclComm comm);

/* Ends what runs on it with HCCL_E_SUSPENDING and refuses more; this rank's only, but what others
 * wait for from it fails there. */
HcclResult HcclCommSuspend(HcclComm comm);
/* Makes a suspended or failed communicator new: all ranks call it, and have synchronised their
 * streams before. A rank that is gone makes it fail. */
HcclResult HcclCommResume(HcclComm comm);

/* --- asking ---------------------------------------------------------------------------------- */

HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize);
HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank);
/* At most COMM_NAME_MAX_LENGTH bytes with the zero: the config's name, else one that no other has.
 */
HcclResult HcclGetCommName(HcclComm comm, char *commName);
/* *asyncError: what has gone wrong, HCCL_SUCCESS while nothing has. */
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError);
/* What a code means in a few words. Static storage. */
const char *HcclGetErrorString(HcclResult code);

/* Of the process. */
HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);
HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue);
#ifdef __cplusplus
uint32_t HcclGetCommConfigCapability();
#else
uint32_t HcclGetCommConfigCapability(void);
#endif

/* Fills a configuration with "not set". NULL is left alone. */
#ifdef __cplusplus
inline
#else
static inline
#endif
    void
    HcclCommConfigInit(HcclCommConfig *config)
{
    struct {
        size_t size;
        uint32_t magicWord;
        uint32_t version;
        uint64_t reserved;
    } info;
    size_t i;
    if (!config) return;
    info.size = sizeof(HcclCommConfig);
    info.magicWord = HCCL_COMM_CONFIG_MAGIC_WORD;
    info.version = HCCL_COMM_CONFIG_VERSION;
    info.reserved = 0;
    for (i = 0; i < sizeof(info); i++)
        config->reserved[i] = ((const char *)&info)[i];
    config->hcclBufferSize = HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
    config->hcclDeterministic = HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET;
    config->hcclCommName[0] = '\0';
    config->hcclUdi[0] = '\0';
    config->hcclOpExpansionMode = HCCL_COMM_DEFAULT_OP_EXPANSION_MODE;
    config->hcclRdmaTrafficClass = HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET;
    config->hcclRdmaServiceLevel = HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET;
}

/* --- work ------------------------------------------------------------------------------------ */

/* recvBuf[i] = op over all ranks r of sendBuf_r[i], on every rank. In place: recvBuf == sendBuf. */
HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, HcclComm comm, aclrtStream stream);
/* The same on the root only; recvBuf is not used elsewhere. In place: recvBuf == sendBuf. */
HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType,
                      HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream);
/* recvBuf[i] = op over all ranks of sendBuf_r[rank * recvCount + i]. In place: recvBuf == sendBuf +
 * rank * recvCount elements. */
HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                             aclrtStream stream);
/* recvBuf[i] = op over all ranks of sendBuf_r[sendDispls[rank] + i], i < sendCounts[rank], which is
 * recvCount. sendCounts are the same on all ranks. */
HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls,
                              void *recvBuf, uint64_t recvCount, HcclDataType dataType,
                              HcclReduceOp op, HcclComm comm, aclrtStream stream);

/* buf of the root to all others. */
HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root,
                         HcclComm comm, aclrtStream stream);
/* recvBuf = sendBuf_root[rank * recvCount ...]; sendBuf is not used elsewhere. In place on the
 * root: recvBuf == sendBuf + root * recvCount elements. */
HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,
                       uint32_t root, HcclComm comm, aclrtStream stream);
/* recvBuf[r * sendCount ...] = sendBuf_r, on every rank. In place: sendBuf == recvBuf + rank *
 * sendCount elements. */
HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream);
/* recvBuf[recvDispls[r] ...] = sendBuf_r, recvCounts[r] elements; recvCounts[rank] is sendCount. In
 * place as AllGather. */
HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
                          const void *recvDispls, HcclDataType dataType, HcclComm comm,
                          aclrtStream stream);

/* recvBuf[r * count ...] = sendBuf_r[rank * count ...]; sends and receives have as many bytes. */
HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType,
                        const void *recvBuf, uint64_t recvCount, HcclDataType recvType,
                        HcclComm comm, aclrtStream stream);
/* To rank r go sendCounts[r] elements from sdispls[r], from it come recvCounts[r] to rdispls[r]. */
HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls,
                         HcclDataType sendType, const void *recvBuf, const void *recvCounts,
                         const void *rdispls, HcclDataType recvType, HcclComm comm,
                         aclrtStream stream);
/* sendCountMatrix[i * ranks + j]: what rank i sends to rank j, the same on all ranks; both buffers
 * are dense, in the order of ranks. */
HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType,
                          const void *recvBuf, HcclDataType recvType, HcclComm comm,
                          aclrtStream stream);

/* Between two ranks; the n-th send to a rank meets its n-th receive from this one. A rank does not
 * send to itself. */
HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                    HcclComm comm, aclrtStream stream);
HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                    HcclComm comm, aclrtStream stream);
/* Several at once, in any order. A rank's sends to itself meet its receives from itself here. */
HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream);

/* Runs when all ranks have come to it. */
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
