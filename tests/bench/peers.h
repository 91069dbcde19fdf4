/* SPDX-License-Identifier: Apache-2.0 */
/* The contenders as the bench holds them: programs started once per thread count, on the first CPUs
 * of this process, asked one at a time. contender.h describes the conversation. */
#ifndef ACLNN_CPU_TESTS_BENCH_PEERS_H
#define ACLNN_CPU_TESTS_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <cjson/cJSON.h>

#include "tests/bench/contender.h"

enum role {
    ROLE_FLOOR,
    ROLE_OURS,
    ROLE_ONEDNN,         /* in the layout of the case */
    ROLE_ONEDNN_BLOCKED, /* in the layout it likes best, whatever that of the case is */
    ROLE_TORCH,
    ROLES
};

const char *role_name(enum role role);

enum { PEERS_MOST = 16, PEER_NAME = 64, PEER_WHY = 160 };

struct peer {
    enum role role;
    char name[PEER_NAME]; /* "oneDNN 3.13.2 SYCL" */
    pid_t process;        /* 0 when it has died */
    int to, from;
    char *buffer; /* what has been read beyond the last line */
    size_t buffered;
};

struct peers {
    int threads, count;
    struct peer peer[PEERS_MOST];
    char lacking[4][PEER_WHY]; /* what is not here, and how to get it */
    int lacking_count;
};

/* The programs of a bench: files beside it (oneDNN's by pattern, NULL: not asked) and PyTorch's
 * driver. */
struct peers_programs {
    const char *floor, *ours, *onednn, *torch;
    bool has_blocked; /* each oneDNN twice, the second one as ROLE_ONEDNN_BLOCKED */
};

/* Starts the floor, ours and, if asked, the peers that are found. Without the first two returns
 * false. */
bool peers_start(struct peers *peers, const struct peers_programs *programs, int threads,
                 bool with_peers);
/* Starts `program` twice: as it is, and with the libraries in `folder` before its own. */
bool peers_start_pair(struct peers *peers, const char *program, const char *folder, int threads);
void peers_stop(struct peers *peers);

/* Sends a request, which it releases. A contender answers one request after the other. */
void peer_send(struct peer *peer, cJSON *request);
/* Waits for the next answer. NULL when the contender refuses, dies or is silent for a minute; why
 * receives the reason. The caller releases the answer. */
cJSON *peer_receive(struct peer *peer, char *why, size_t why_size);
/* Both in one. */
cJSON *peer_ask(struct peer *peer, cJSON *request, char *why, size_t why_size);

#endif
