/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up with what can be wrong: tokens, ranks, strangers, time. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/collective/ranks.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void expect_sum(struct rank *rank)
{
    float one = 1;
    RANK_CALL(rank, HcclAllReduce(&one, &one, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank->comm,
                                  rank->stream));
    RANK_CALL(rank, aclrtSynchronizeStream(rank->stream));
    RANK_EXPECT(rank, one == (float)rank->size, "%g", (double)one);
}

/* Rank 2 has another token and is refused at once; ranks 0 and 1 start undisturbed. */
static void wrong_token(struct rank *rank)
{
    rank_device(rank);
    rank_get_info(rank);
    HcclRootInfo info = rank->shared->info;
    if (rank->id < 2) {
        rank->size = 2;
        rank_await_mark(rank, 0, 1);
        RANK_CALL(rank, HcclCommInitRootInfo(2, &info, rank->id, &rank->comm));
        expect_sum(rank);
    } else {
        for (int i = 0; i < 256; i++)
            info.internal[i] = (char)(info.internal[i] ^ (i >= 136 && i < 168));
        HcclResult code = HcclCommInitRootInfo(2, &info, 1, &rank->comm);
        RANK_EXPECT(rank, code == HCCL_E_PARA, "%d", (int)code);
        RANK_EXPECT(rank, strstr(rank_text(), "token is another") != NULL, "another text");
        atomic_store(&rank->shared->mark[0], 1);
    }
    rank_end(rank);
}

Test(start, a_wrong_token_is_refused, .timeout = 600)
{
    cr_expect_eq(ranks_run(3, wrong_token), 0);
}

/* Rank 2 says that it is rank 1. */
static void doubled(struct rank *rank)
{
    rank_device(rank);
    rank_get_info(rank);
    if (rank->id == 2) rank_await_mark(rank, 0, 1);
    if (rank->id == 0) rank_await_mark(rank, 1, 1);
    if (rank->id == 1) atomic_store(&rank->shared->mark[0], 1);
    if (rank->id == 1) rank->size = 2;
    if (rank->id == 2) {
        rank_await_joined(rank, 1);
        HcclResult code = HcclCommInitRootInfo(2, &rank->shared->info, 1, &rank->comm);
        const char *text = rank_text();
        RANK_EXPECT(rank, code == HCCL_E_PARA, "%d", (int)code);
        RANK_EXPECT(rank, strstr(text, "rank 1 is there already") != NULL, "%s", text);
        atomic_store(&rank->shared->mark[1], 1);
    } else {
        rank->size = 2;
        RANK_CALL(rank, HcclCommInitRootInfo(2, &rank->shared->info, rank->id, &rank->comm));
        expect_sum(rank);
    }
    rank_end(rank);
}

Test(start, a_doubled_rank_is_refused, .timeout = 600)
{
    cr_expect_eq(ranks_run(3, doubled), 0);
}

/* Rank 1 of 3 never comes: the others hear which one, in time. */
static void missing(struct rank *rank)
{
    setenv("HCCL_CONNECT_TIMEOUT", "3", 1);
    rank_device(rank);
    rank_get_info(rank);
    atomic_fetch_add(&rank->shared->mark[0], 1);
    rank_await_mark(rank, 0, 3); /* however long a process takes to begin */
    if (rank->id != 1) {
        double begin = seconds();
        HcclResult code = HcclCommInitRootInfo(3, &rank->shared->info, rank->id, &rank->comm);
        const char *text = rank_text();
        RANK_EXPECT(rank, code == HCCL_E_TIMEOUT, "%d", (int)code);
        RANK_EXPECT(rank, strstr(text, "2 of 3 ranks came within 3 s; missing: 1") != NULL, "%s",
                    text);
        RANK_EXPECT(rank, seconds() - begin < 60, "%g s", seconds() - begin);
    }
    rank_end(rank);
}

Test(start, a_missing_rank_is_named, .timeout = 600)
{
    cr_expect_eq(ranks_run(3, missing), 0);
}

static void other_size(struct rank *rank)
{
    rank_device(rank);
    rank_get_info(rank);
    if (rank->id == 1) {
        rank_await_mark(rank, 0, 1);
        rank_await_joined(rank, 0);
        HcclResult code = HcclCommInitRootInfo(3, &rank->shared->info, 1, &rank->comm);
        const char *text = rank_text();
        RANK_EXPECT(rank, code == HCCL_E_PARA && strstr(text, "nRanks is 3, and 2") != NULL, "%s",
                    text);
        RANK_CALL(rank, HcclCommInitRootInfo(2, &rank->shared->info, 1, &rank->comm));
    } else {
        atomic_store(&rank->shared->mark[0], 1);
        RANK_CALL(rank, HcclCommInitRootInfo(2, &rank->shared->info, 0, &rank->comm));
    }
    rank_end(rank);
}

Test(start, another_number_of_ranks_is_refused, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, other_size), 0);
}

/* The root's port, which the root info begins with. */
static int stranger(const HcclRootInfo *info)
{
    struct sockaddr_in address;
    memcpy(&address, info->internal + 8, sizeof(address));
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(socket_, (struct sockaddr *)&address, sizeof(address)) == 0) return socket_;
    close(socket_);
    return -1;
}

/* Connections that say nothing, nonsense, or close, before and while ranks start. */
static void strangers(struct rank *rank)
{
    static const char nonsense[] =
        "GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n and more of this kind";
    int sockets[40];
    rank_device(rank);
    rank_get_info(rank);
    for (int i = 0; i < 40; i++) {
        sockets[i] = stranger(&rank->shared->info);
        RANK_EXPECT(rank, sockets[i] >= 0, "no connection");
        if (i % 3 == 0) close(sockets[i]);
        if (i % 3 == 1)
            RANK_EXPECT(rank, send(sockets[i], nonsense, sizeof(nonsense), MSG_NOSIGNAL) > 0,
                        "sent");
    }
    RANK_CALL(rank, HcclCommInitRootInfo(rank->size, &rank->shared->info, rank->id, &rank->comm));
    expect_sum(rank);
    for (int i = 0; i < 40; i++)
        if (i % 3 != 0) close(sockets[i]);
    rank_end(rank);
}

Test(start, strangers_do_not_disturb, .timeout = 600)
{
    cr_expect_eq(ranks_run(2, strangers), 0);
}

static void refused_arguments(struct rank *rank)
{
    HcclCommConfig config;
    HcclComm comm = NULL;
    char name[COMM_NAME_MAX_LENGTH];
    rank_device(rank);
    rank_get_info(rank);
    const HcclRootInfo *info = &rank->shared->info;
    HcclRootInfo empty = {{0}};
    memset(&config, 0, sizeof(config));
    RANK_EXPECT(rank, HcclGetRootInfo(NULL) == HCCL_E_PTR, "root info");
    RANK_EXPECT(rank, HcclCommInitRootInfo(1, NULL, 0, &comm) == HCCL_E_PTR, "rootInfo");
    RANK_EXPECT(rank, HcclCommInitRootInfo(1, info, 0, NULL) == HCCL_E_PTR, "comm");
    RANK_EXPECT(rank, HcclCommInitRootInfo(0, info, 0, &comm) == HCCL_E_PARA, "no ranks");
    RANK_EXPECT(rank, HcclCommInitRootInfo(1, info, 1, &comm) == HCCL_E_PARA, "rank");
    RANK_EXPECT(rank, HcclCommInitRootInfo(1, &empty, 0, &comm) == HCCL_E_PARA, "empty");
    RANK_EXPECT(rank, HcclCommInitRootInfoConfig(1, info, 0, &config, &comm) == HCCL_E_PARA,
                "config");
    HcclCommConfigInit(&config);
    strcpy(config.hcclCommName, "a name");
    RANK_CALL(rank, HcclCommInitRootInfoConfig(1, info, 0, &config, &rank->comm));
    RANK_CALL(rank, HcclGetCommName(rank->comm, name));
    RANK_EXPECT(rank, strcmp(name, "a name") == 0, "%s", name);
    uint32_t size = 0, id = 9;
    RANK_CALL(rank, HcclGetRankSize(rank->comm, &size));
    RANK_CALL(rank, HcclGetRankId(rank->comm, &id));
    RANK_EXPECT(rank, size == 1 && id == 0, "%u %u", size, id);
    HcclConfigValue value = {1}, got = {0};
    RANK_CALL(rank, HcclSetConfig(HCCL_DETERMINISTIC, value));
    RANK_CALL(rank, HcclGetConfig(HCCL_DETERMINISTIC, &got));
    RANK_EXPECT(rank, got.value == 1, "%d", got.value);
    value.value = 2;
    RANK_EXPECT(rank, HcclSetConfig(HCCL_DETERMINISTIC, value) == HCCL_E_PARA, "2");
    RANK_EXPECT(rank, HcclGetCommConfigCapability() == HCCL_COMM_CONFIG_RESERVED, "capability");
    RANK_EXPECT(rank, strcmp(HcclGetErrorString(HCCL_E_TIMEOUT), "timeout") == 0, "text");
    RANK_EXPECT(rank, HcclGetErrorString((HcclResult)99) != NULL, "text");
    expect_sum(rank);
    rank_end(rank);
}

Test(start, arguments_and_questions, .timeout = 600)
{
    cr_expect_eq(ranks_run(1, refused_arguments), 0);
}

static void wrong_interface(struct rank *rank)
{
    HcclRootInfo info;
    setenv("HCCL_IF_IP", "nonsense", 1);
    RANK_EXPECT(rank, HcclGetRootInfo(&info) == HCCL_E_PARA, "%s", rank_text());
    setenv("HCCL_IF_IP", "203.0.113.1", 1); /* no address of this machine */
    RANK_EXPECT(rank, HcclGetRootInfo(&info) == HCCL_E_TCP_CONNECT, "%s", rank_text());
    unsetenv("HCCL_IF_IP");
    setenv("HCCL_SOCKET_IFNAME", "nosuch", 1);
    RANK_EXPECT(rank, HcclGetRootInfo(&info) == HCCL_E_NOT_FOUND, "%s", rank_text());
    setenv("HCCL_SOCKET_IFNAME", "=lo", 1);
    rank_start(rank);
    expect_sum(rank);
    rank_end(rank);
}

Test(start, interfaces, .timeout = 600)
{
    cr_expect_eq(ranks_run(1, wrong_interface), 0);
}

/* --- rank tables -------------------------------------------------------------------------------
 */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

static const char table[] = "{\"version\": \"1.0\", \"status\": \"completed\", \"server_list\": ["
                            "{\"server_id\": \"a\", \"host_ip\": \"127.0.0.1\", \"device\": ["
                            "{\"device_id\": \"0\", \"rank_id\": \"0\"}]},"
                            "{\"server_id\": \"127.0.0.1\", \"device\": ["
                            "{\"device_id\": \"0\", \"rank_id\": \"2\"}, {\"rank_id\": 1}]}]}";

static const char *table_path(void)
{
    return getenv("ACLNN_TEST_TABLE");
}

static void choose_table(void)
{
    char path[64];
    snprintf(path, sizeof(path), "/tmp/aclnn_cpu_table_%d.json", (int)getpid());
    setenv("ACLNN_TEST_TABLE", path, 1);
}

static void by_table(struct rank *rank)
{
    HcclCommConfig config;
    char name[COMM_NAME_MAX_LENGTH];
    rank_device(rank);
    HcclCommConfigInit(&config);
    strcpy(config.hcclCommName, "table");
    RANK_CALL(rank, HcclCommInitClusterInfoConfig(table_path(), rank->id, &config, &rank->comm));
    expect_sum(rank);
    RANK_CALL(rank, HcclGetCommName(rank->comm, name));
    RANK_EXPECT(rank, strcmp(name, "table") == 0, "%s", name);
    rank_end(rank);
}

/* A port that nobody has at this moment. */
static void choose_port(void)
{
    char text[16];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(socket_, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(getsockname(socket_, (struct sockaddr *)&address, &size), 0);
    close(socket_);
    snprintf(text, sizeof(text), "%u", ntohs(address.sin_port));
    setenv("HCCL_IF_BASE_PORT", text, 1);
}

Test(start, by_a_rank_table, .timeout = 600)
{
    choose_table();
    write_file(table_path(), table);
    choose_port();
    cr_expect_eq(ranks_run(3, by_table), 0);
    unlink(table_path());
}

static void bad_tables(struct rank *rank)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"{", "no JSON"},
        {"{}", "no server_list"},
        {"{\"server_list\": [{\"device\": [{\"rank_id\": \"x\"}]}]}", "without a rank_id"},
        {"{\"server_list\": [{\"device\": [{\"rank_id\": \"0\"}]}]}", "no IP address"},
        {"{\"server_list\": [{\"device\": [{\"rank_id\": 1}, {\"rank_id\": 1}]}]}", "rank 1 twice"},
        {"{\"server_list\": [{\"device\": [{\"rank_id\": 1}, {\"rank_id\": 2}]}]}", "none is 0"},
        {table, "rank is 3"},
    };
    HcclComm comm;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        write_file(table_path(), cases[i].text);
        HcclResult code = HcclCommInitClusterInfo(table_path(), 3, &comm);
        const char *text = rank_text();
        RANK_EXPECT(rank, code == HCCL_E_PARA && strstr(text, cases[i].part) != NULL, "%d: %s",
                    (int)code, text);
    }
    RANK_EXPECT(rank,
                HcclCommInitClusterInfo("/nowhere/at/all", 0, &comm) == HCCL_E_OPEN_FILE_FAILURE,
                "%s", rank_text());
    RANK_EXPECT(rank, HcclCommInitClusterInfo(NULL, 0, &comm) == HCCL_E_PTR, "%s", rank_text());
}

Test(start, rank_tables_refused, .timeout = 600)
{
    choose_table();
    cr_expect_eq(ranks_run(1, bad_tables), 0);
    unlink(table_path());
}

static void all_in_one(struct rank *rank)
{
    int32_t devices[] = {0, 0}, far[] = {1};
    uint32_t there = 0;
    HcclComm comms[2];
    rank_device(rank);
    RANK_CALL(rank, aclrtGetDeviceCount(&there));
    RANK_EXPECT(rank, HcclCommInitAll(there + 1, NULL, comms) == HCCL_E_PARA, "%s", rank_text());
    RANK_EXPECT(rank, HcclCommInitAll(0, NULL, comms) == HCCL_E_PARA, "%s", rank_text());
    RANK_EXPECT(rank, HcclCommInitAll(1, far, comms) == HCCL_E_PARA, "%s", rank_text());
    RANK_EXPECT(rank, HcclCommInitAll(1, devices, NULL) == HCCL_E_PTR, "%s", rank_text());
    RANK_CALL(rank, HcclCommInitAll(1, devices, &rank->comm));
    expect_sum(rank);
    rank_end(rank);
}

/* Four devices of one process, in another order: sums on the devices' streams. */
static void four_in_one(struct rank *rank)
{
    enum { DEVICES = 4, COUNT = 5000 };
    int32_t devices[] = {2, 0, 3, 1}, twice[] = {0, 1, 2, 1};
    HcclComm comms[DEVICES];
    aclrtStream streams[DEVICES];
    float *values[DEVICES];
    setenv("ACLNN_CPU_DEVICES", "4", 1);
    RANK_EXPECT(rank, HcclCommInitAll(DEVICES, twice, comms) == HCCL_E_PARA, "%s", rank_text());
    RANK_CALL(rank, HcclCommInitAll(DEVICES, devices, comms));
    for (int i = 0; i < DEVICES; i++) {
        uint32_t id = 0;
        RANK_CALL(rank, HcclGetRankId(comms[i], &id));
        RANK_EXPECT(rank, id == (uint32_t)i, "rank %u", id);
        RANK_CALL(rank, aclrtSetDevice(devices[i]));
        RANK_CALL(rank, aclrtCreateStream(&streams[i]));
        RANK_CALL(rank, aclrtMalloc((void **)&values[i], COUNT * sizeof(float), 0));
        for (int k = 0; k < COUNT; k++)
            values[i][k] = (float)(k % 100 + i);
        RANK_CALL(rank, HcclAllReduce(values[i], values[i], COUNT, HCCL_DATA_TYPE_FP32,
                                      HCCL_REDUCE_SUM, comms[i], streams[i]));
    }
    for (int i = 0; i < DEVICES; i++) {
        RANK_CALL(rank, aclrtSetDevice(devices[i]));
        RANK_CALL(rank, aclrtSynchronizeStream(streams[i]));
        for (int k = 0; k < COUNT; k++)
            RANK_EXPECT(rank, values[i][k] == (float)(4 * (k % 100) + 6), "device %d, %d: %g",
                        devices[i], k, (double)values[i][k]);
        RANK_CALL(rank, aclrtFree(values[i]));
    }
    for (int i = 0; i < DEVICES; i++)
        RANK_CALL(rank, HcclCommDestroy(comms[i]));
    rank_end(rank);
}

Test(start, four_devices_of_a_process, .timeout = 600)
{
    cr_expect_eq(ranks_run(1, four_in_one), 0);
}

Test(start, all_devices_of_a_process, .timeout = 600)
{
    cr_expect_eq(ranks_run(1, all_in_one), 0);
}
