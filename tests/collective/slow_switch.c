/* SPDX-License-Identifier: Apache-2.0 */
/* slow_switch DELAY_US LOSS SEED HOST...: a switch between hosts that are network namespaces, each
 * of which gets a device eth0 by it (a TAP). A frame arrives DELAY_US later, and LOSS of 10,000
 * never do. For kernels that have no netem. Says "ready" when the devices are there; runs until it
 * is ended. Ends with 77 where such devices cannot be made. */
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { HOSTS_MAX = 16, FRAME = 1536, UNDER_WAY = 8192, ADDRESS = 6, SKIPPED = 77 };

struct frame {
    int64_t due_ns;
    int from;
    ssize_t size;
    unsigned char bytes[FRAME];
};

static struct {
    int hosts;
    int device[HOSTS_MAX];
    unsigned char address[HOSTS_MAX][ADDRESS]; /* as their frames have told */
    struct frame *frames;                      /* a ring: all are late by the same time */
    size_t first, count;
    int64_t delay_ns;
    uint64_t random;
    unsigned loss;
} net;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void skip(const char *what)
{
    perror(what);
    exit(SKIPPED);
}

/* A device in the namespace of that name, or the end. */
static int open_device(const char *host)
{
    char path[256];
    struct ifreq device = {.ifr_name = "eth0", .ifr_flags = IFF_TAP | IFF_NO_PI};
    snprintf(path, sizeof(path), "/run/netns/%s", host);
    int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET) != 0) skip(path);
    close(space);
    int tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (tap < 0 || ioctl(tap, TUNSETIFF, &device) != 0) skip("/dev/net/tun");
    return tap;
}

static bool is_lost(void)
{
    net.random = net.random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (net.random >> 33) % 10000 < net.loss;
}

/* One that finds no room is lost, as in any switch. */
static void take(int from)
{
    struct frame other,
        *frame = net.count < UNDER_WAY ? &net.frames[(net.first + net.count) % UNDER_WAY] : &other;
    frame->size = read(net.device[from], frame->bytes, FRAME);
    if (frame->size < 2 * ADDRESS) return;
    memcpy(net.address[from], frame->bytes + ADDRESS, ADDRESS);
    if (frame == &other || is_lost()) return;
    frame->from = from;
    frame->due_ns = now_ns() + net.delay_ns;
    net.count++;
}

static void deliver(const struct frame *frame)
{
    int to = 0;
    while (to < net.hosts && memcmp(net.address[to], frame->bytes, ADDRESS) != 0)
        to++;
    for (int i = 0; i < net.hosts; i++) {
        if (i == frame->from || (to < net.hosts && i != to)) continue;
        if (write(net.device[i], frame->bytes, (size_t)frame->size) < 0) continue; /* lost */
    }
}

static void run(void)
{
    struct pollfd ready[HOSTS_MAX];
    for (int i = 0; i < net.hosts; i++)
        ready[i] = (struct pollfd){.fd = net.device[i], .events = POLLIN};
    for (;;) {
        const struct frame *oldest = &net.frames[net.first];
        int64_t left = net.count > 0 ? oldest->due_ns - now_ns() : 1000000000;
        if (left <= 0) {
            deliver(oldest);
            net.first = (net.first + 1) % UNDER_WAY;
            net.count--;
            continue;
        }
        struct timespec patience = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        if (ppoll(ready, (nfds_t)net.hosts, &patience, NULL) <= 0) continue;
        for (int i = 0; i < net.hosts; i++)
            if (ready[i].revents & POLLIN) take(i);
    }
}

int main(int argc, char **argv)
{
    net.hosts = argc - 4;
    if (net.hosts < 2 || net.hosts > HOSTS_MAX) return EXIT_FAILURE;
    net.delay_ns = strtoll(argv[1], NULL, 10) * 1000;
    net.loss = (unsigned)strtoul(argv[2], NULL, 10);
    net.random = strtoull(argv[3], NULL, 10);
    net.frames = calloc(UNDER_WAY, sizeof(*net.frames));
    if (!net.frames) return EXIT_FAILURE;
    for (int i = 0; i < net.hosts; i++)
        net.device[i] = open_device(argv[4 + i]);
    puts("ready");
    fflush(stdout);
    run();
}
