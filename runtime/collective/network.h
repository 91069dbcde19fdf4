/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets of the start: which address to listen at, connecting with a limit, messages. */
#ifndef ACLNN_CPU_RUNTIME_COLLECTIVE_NETWORK_H
#define ACLNN_CPU_RUNTIME_COLLECTIVE_NETWORK_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "runtime/collective/fault.h"

union co_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_storage storage;
};

/* CLOCK_MONOTONIC. */
int64_t co_now_ms(void);

/* The address that this process is to be reached at: HCCL_IF_IP, else the first of the interfaces
 * that HCCL_SOCKET_IFNAME names, else the first that is no loopback, else the loopback's. Port 0.
 */
bool co_own_address(union co_address *address, struct co_fault *fault);
/* An environment variable that is set and not empty, else NULL. */
const char *co_setting(const char *name);
/* Whether one of the two variables says so. */
bool co_address_is_asked(void);
/* From a literal; port in host order. */
bool co_parse_address(const char *text, uint16_t port, union co_address *address);
void co_print_address(const union co_address *address, char *text, size_t room);
void co_print_host(const union co_address *address, char *text, size_t room);
socklen_t co_address_size(const union co_address *address);

/* A listening socket at the address, whose port is filled in. -1: fault says why. */
int co_listen(union co_address *address, struct co_fault *fault);
/* Tries until the deadline: the other side may not listen yet. -1: fault says why. */
int co_connect(const union co_address *address, int64_t deadline_ms, struct co_fault *fault);

/* A peer that can be reached no more is noticed in 25 seconds, also when nothing is sent. */
void co_keep_alive(int socket);

/* A message: this, then `length` bytes. Numbers are of the machine's own byte order; a machine of
 * the other order reads another magic and is refused. */
struct co_header {
    uint32_t magic, type;
    uint64_t tag;
    uint32_t rank, length;
};

enum { CO_MAGIC = 0x48434c31 };

enum co_message {
    CO_JOIN = 1, /* to the root: struct co_join */
    CO_WELCOME,  /* all have joined; rank: the root's, UINT32_MAX when it is none of them */
    CO_REFUSE,   /* a text */
    CO_EXCHANGE, /* to the root: see control.h; tag */
    CO_COLUMN,   /* what the others had for this rank; tag */
    CO_LEAVE,    /* to the root and on to the others: this rank has come to its end in order */
    CO_FAIL,     /* to the root: a text */
    CO_ALARM,    /* a rank is gone or has failed: a text */
};

struct co_join {
    uint8_t token[32];
    uint32_t size, rank;
    uint64_t process;
};

/* Random bytes from the kernel. */
bool co_random(void *data, size_t size);

/* A closed connection, an error or the deadline: false. */
bool co_write(int socket, const void *data, size_t size, int64_t deadline_ms);
bool co_read(int socket, void *data, size_t size, int64_t deadline_ms);
bool co_write_message(int socket, uint32_t type, uint64_t tag, uint32_t rank, const void *data,
                      size_t length, int64_t deadline_ms);

#endif
