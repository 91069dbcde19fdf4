/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/peers.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SILENCE_MS = 60000, CHUNK = 4096, PATH = 1024, ARGUMENTS = 4 };

const char *role_name(enum role role)
{
    static const char *const names[ROLES] = {"floor", "aclnn-cpu", "oneDNN", "oneDNN blocked",
                                             "PyTorch"};
    return names[role];
}

/* The first CPUs of those that this process may use. */
static void keep_cpus(int count)
{
    cpu_set_t allowed, kept;
    CPU_ZERO(&kept);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int cpu = 0; cpu < CPU_SETSIZE && count > 0; cpu++) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        CPU_SET(cpu, &kept);
        count--;
    }
    sched_setaffinity(0, sizeof kept, &kept);
}

/* Each library's own way to be told how many threads, and to keep them in place. */
static void set_environment(int threads)
{
    char number[16];
    snprintf(number, sizeof number, "%d", threads);
    setenv("ACLNN_CPU_THREADS", number, 1);
    setenv("OMP_NUM_THREADS", number, 1);
    setenv("OMP_PROC_BIND", "close", 1);
    setenv("OMP_PLACES", "threads", 1);
    setenv("OMP_DYNAMIC", "false", 1);
    /* Long enough to stay awake from one call to the next, short enough not to take a CPU from the
     * contender that comes after. */
    setenv("GOMP_SPINCOUNT", "20000", 1);
    setenv("DPCPP_CPU_NUM_CUS", number, 1);
    if (threads > 1) {
        setenv("DPCPP_CPU_PLACES", "cores", 1);
        setenv("DPCPP_CPU_CU_AFFINITY", "close", 1);
    }
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1); /* huge pages for every malloc */
}

static void become(const char *const arguments[], enum role role, int threads, int input,
                   int output)
{
    keep_cpus(threads);
    set_environment(threads);
    /* GNU's OpenMP, which BLIS may bring along, would bind the thread that loads it to one CPU, and
     * all threads that come from it. */
    if (role == ROLE_OURS) {
        unsetenv("OMP_PROC_BIND");
        unsetenv("OMP_PLACES"); /* which means the same */
    }
    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0) _exit(127);
    execvp(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static void peer_stop(struct peer *peer)
{
    if (peer->process <= 0) return;
    close(peer->to);
    close(peer->from);
    kill(peer->process, SIGKILL);
    waitpid(peer->process, NULL, 0);
    peer->process = 0;
    free(peer->buffer);
    peer->buffer = NULL;
    peer->buffered = 0;
}

/* One line from the contender, to be freed; NULL when it ends or is silent. */
static char *read_line(struct peer *peer)
{
    for (;;) {
        char *end = peer->buffered == 0 ? NULL : memchr(peer->buffer, '\n', peer->buffered);
        if (end != NULL) {
            size_t length = (size_t)(end - peer->buffer);
            char *line = strndup(peer->buffer, length);
            peer->buffered -= length + 1;
            memmove(peer->buffer, end + 1, peer->buffered);
            return line;
        }
        struct pollfd ready = {.fd = peer->from, .events = POLLIN};
        int polled = poll(&ready, 1, SILENCE_MS);
        if (polled < 0 && errno == EINTR) continue;
        char *larger = polled <= 0 ? NULL : realloc(peer->buffer, peer->buffered + CHUNK);
        if (larger == NULL) return NULL;
        peer->buffer = larger;
        ssize_t got = read(peer->from, peer->buffer + peer->buffered, CHUNK);
        if (got <= 0) return NULL;
        peer->buffered += (size_t)got;
    }
}

static bool write_all(int to, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t wrote = write(to, text, length);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        text += wrote;
        length -= (size_t)wrote;
    }
    return true;
}

void peer_send(struct peer *peer, cJSON *request)
{
    char *text = peer->process > 0 ? cJSON_PrintUnformatted(request) : NULL;
    if (text != NULL && write_all(peer->to, text, strlen(text)))
        write_all(peer->to, "\n", 1); /* a failure shows when the answer does not come */
    cJSON_free(text);
    cJSON_Delete(request);
}

cJSON *peer_receive(struct peer *peer, char *why, size_t why_size)
{
    char *line = peer->process > 0 ? read_line(peer) : NULL;
    cJSON *answer = line == NULL ? NULL : cJSON_Parse(line);
    free(line);
    if (answer == NULL) {
        if (peer->process > 0)
            fprintf(stderr, "%s ended or fell silent; the bench goes on without it\n", peer->name);
        peer_stop(peer);
        snprintf(why, why_size, "the program ended");
        return NULL;
    }
    if (cJSON_IsTrue(cJSON_GetObjectItem(answer, "ok"))) return answer;
    const char *reason = cJSON_GetStringValue(cJSON_GetObjectItem(answer, "why"));
    snprintf(why, why_size, "%s", reason == NULL ? "no reason given" : reason);
    cJSON_Delete(answer);
    return NULL;
}

cJSON *peer_ask(struct peer *peer, cJSON *request, char *why, size_t why_size)
{
    peer_send(peer, request);
    return peer_receive(peer, why, why_size);
}

static bool peer_start(struct peers *peers, enum role role, const char *const arguments[])
{
    int down[2], up[2];
    if (peers->count == PEERS_MOST || pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
        return false;
    struct peer *peer = &peers->peer[peers->count];
    *peer = (struct peer){.role = role, .to = down[1], .from = up[0]};
    peer->process = fork();
    if (peer->process == 0) become(arguments, role, peers->threads, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    char *line = peer->process < 0 ? NULL : read_line(peer);
    cJSON *hello = line == NULL ? NULL : cJSON_Parse(line);
    free(line);
    if (hello == NULL) {
        peer_stop(peer);
        return false;
    }
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(hello, "name"));
    const char *version = cJSON_GetStringValue(cJSON_GetObjectItem(hello, "version"));
    snprintf(peer->name, sizeof peer->name, "%s%s%s%s", name == NULL ? "?" : name,
             version == NULL ? "" : " ", version == NULL ? "" : version,
             role == ROLE_ONEDNN_BLOCKED ? " blocked" : "");
    cJSON_Delete(hello);
    peers->count++;
    return true;
}

static void lack(struct peers *peers, const char *text)
{
    snprintf(peers->lacking[peers->lacking_count++], PEER_WHY, "%s", text);
}

/* The folder that this program is in. */
static void own_folder(char folder[PATH])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH - 1);
    folder[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL) *slash = '\0';
}

static bool start_onednn(struct peers *peers, const struct peers_programs *programs,
                         const char *folder)
{
    char pattern[PATH + 32];
    glob_t found;
    bool any = false;
    snprintf(pattern, sizeof pattern, "%s/%s", folder, programs->onednn);
    if (glob(pattern, 0, NULL, &found) != 0) return false;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *const arguments[] = {found.gl_pathv[i], NULL};
        if (!peer_start(peers, ROLE_ONEDNN, arguments)) continue;
        if (programs->has_blocked) peer_start(peers, ROLE_ONEDNN_BLOCKED, arguments);
        any = true;
    }
    globfree(&found);
    return any;
}

static bool start_torch(struct peers *peers, const char *driver)
{
    const char *pythons[ARGUMENTS] = {getenv("ACLNN_BENCH_PYTHON"),
                                      BENCH_SOURCE_DIR "/.venv/torch/bin/python3", "python3",
                                      "/usr/bin/python3"};
    for (int i = 0; i < ARGUMENTS; i++) {
        if (pythons[i] == NULL) continue;
        char probe[PATH + 64];
        snprintf(probe, sizeof probe, "'%s' -c 'import torch' >/dev/null 2>&1", pythons[i]);
        if (system(probe) != 0) continue;
        const char *const arguments[] = {pythons[i], driver, NULL};
        if (peer_start(peers, ROLE_TORCH, arguments)) return true;
    }
    return false;
}

bool peers_start(struct peers *peers, const struct peers_programs *programs, int threads,
                 bool with_peers)
{
    char folder[PATH], path[PATH + 32];
    *peers = (struct peers){.threads = threads};
    signal(SIGPIPE, SIG_IGN);
    own_folder(folder);
    const struct {
        enum role role;
        const char *program;
    } needed[] = {{ROLE_FLOOR, programs->floor}, {ROLE_OURS, programs->ours}};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, needed[i].program);
        const char *const arguments[] = {path, NULL};
        if (peer_start(peers, needed[i].role, arguments)) continue;
        fprintf(stderr, "%s does not start\n", path);
        peers_stop(peers);
        return false;
    }
    if (!with_peers) return true;
    if (programs->onednn && !start_onednn(peers, programs, folder))
        lack(peers, "oneDNN is not here: `./dev deps bench` fetches it, then run again");
    if (!start_torch(peers, programs->torch))
        lack(peers,
             "no python3 here imports torch: `./dev deps bench` installs it (python3-torch), "
             "or name a python in ACLNN_BENCH_PYTHON");
    return true;
}

bool peers_start_pair(struct peers *peers, const char *program, const char *folder, int threads)
{
    char own[PATH], path[PATH + 32], libraries[PATH + 32];
    *peers = (struct peers){.threads = threads};
    signal(SIGPIPE, SIG_IGN);
    own_folder(own);
    snprintf(path, sizeof path, "%s/%s", own, program);
    snprintf(libraries, sizeof libraries, "LD_LIBRARY_PATH=%s", folder);
    const char *const ours[] = {path, NULL}, *const theirs[] = {"env", libraries, path, NULL};
    if (peer_start(peers, ROLE_OURS, ours) && peer_start(peers, ROLE_OURS, theirs)) return true;
    fprintf(stderr, "%s does not start, or not with the libraries in %s\n", path, folder);
    peers_stop(peers);
    return false;
}

void peers_stop(struct peers *peers)
{
    for (int i = 0; i < peers->count; i++)
        peer_stop(&peers->peer[i]);
    peers->count = 0;
}
