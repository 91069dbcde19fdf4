/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs against an oracle: what is reachable from what in the graph of all operations,
 * computed by closure and not by clocks. A program is judged rightly when each pair that is
 * reported conflicts and is not ordered, and when the first operation that conflicts with an
 * earlier one is the first that a report names as second; none reported when there is none.
 *     random_orders [programs] [seed]       --long: 100,000 programs, as when ACLNN_TEST_SCALE is
 *                                           what `./dev test --long` sets, 25 */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tests/check/program.h"
#include "tests/support/random.h"

enum { NODES = 48, LINE = 16384, HOST = STREAMS, LANES };

struct node {
    int lane;          /* a stream, or the host */
    int buffer, other; /* that it writes and reads; -1: none */
    size_t begin, end, other_begin;
    uint64_t serial;
    bool after[NODES];
};

struct oracle {
    struct node nodes[NODES];
    int count;
    bool known[LANES][NODES]; /* what the lane's next node comes after */
    bool recorded[EVENTS][NODES];
    bool is_recorded[EVENTS];
};

static uint64_t state, serial;
static bool is_quiet; /* few operations meet, many are ordered: the first race comes late */

static uint32_t dice(uint32_t sides)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % sides;
}

static void join(bool *to, const bool *from)
{
    for (int i = 0; i < NODES; i++)
        to[i] |= from[i];
}

static struct node *add_node(struct oracle *o, int lane)
{
    struct node *node = &o->nodes[o->count];
    *node = (struct node){.lane = lane, .buffer = -1, .other = -1, .serial = ++serial};
    join(o->known[lane], o->known[HOST]); /* queued by the host */
    join(node->after, o->known[lane]);
    o->known[lane][o->count++] = true;
    return node;
}

static bool meets(int a, size_t a_begin, size_t a_end, int b, size_t b_begin, size_t b_end)
{
    return a >= 0 && a == b && a_begin < b_end && b_begin < a_end;
}

static bool conflicts(const struct node *a, const struct node *b)
{
    const size_t a_bytes = a->end - a->begin, b_bytes = b->end - b->begin;
    return meets(a->buffer, a->begin, a->end, b->buffer, b->begin, b->end) ||
           meets(a->buffer, a->begin, a->end, b->other, b->other_begin, b->other_begin + b_bytes) ||
           meets(a->other, a->other_begin, a->other_begin + a_bytes, b->buffer, b->begin, b->end);
}

static bool races(const struct oracle *o, int first, int second)
{
    return !o->nodes[second].after[first] && conflicts(&o->nodes[first], &o->nodes[second]);
}

static void place(struct node *node)
{
    node->begin = dice(32) * 64;
    node->end = node->begin + (1 + dice(is_quiet ? 2 : 32)) * 64;
    node->buffer = (int)dice(2);
}

static void step(struct world *w, struct oracle *o)
{
    const int lane = (int)dice(STREAMS), event = (int)dice(EVENTS);
    struct node *node;
    switch (is_quiet && dice(2) ? 6 + dice(3) : dice(12)) {
    case 0:
    case 1:
    case 2:
        node = add_node(o, lane);
        place(node);
        put_part(w, lane, node->buffer, node->begin, node->end);
        break;
    case 3:
    case 4:
    case 5:
        node = add_node(o, lane);
        place(node);
        node->other = node->buffer;
        node->buffer = 2 + lane % 2; /* from a buffer that is shared much to one that is less */
        node->other_begin = node->begin;
        copy_part(w, lane, w->d[node->buffer] + node->begin, w->d[node->other] + node->other_begin,
                  node->end - node->begin);
        break;
    case 6:
    case 7:
        OK(aclrtRecordEvent(w->e[event], w->s[lane]));
        serial++;
        join(o->known[lane], o->known[HOST]);
        memcpy(o->recorded[event], o->known[lane], sizeof o->recorded[event]);
        o->is_recorded[event] = true;
        break;
    case 8:
    case 9:
        if (!o->is_recorded[event]) break;
        OK(aclrtStreamWaitEvent(w->s[lane], w->e[event]));
        serial++;
        join(o->known[lane], o->recorded[event]);
        break;
    case 10:
        if (!o->is_recorded[event]) break;
        OK(aclrtSynchronizeEvent(w->e[event]));
        join(o->known[HOST], o->recorded[event]);
        break;
    default:
        if (dice(3) == 0) {
            OK(aclrtSynchronizeStream(w->s[lane]));
            join(o->known[HOST], o->known[lane]);
        } else {
            node = add_node(o, HOST);
            place(node);
            OK(aclrtMemset(w->d[node->buffer] + node->begin, node->end - node->begin, 1,
                           node->end - node->begin));
        }
    }
}

static int node_of(const struct oracle *o, uint64_t number)
{
    for (int i = 0; i < o->count; i++)
        if (o->nodes[i].serial == number) return i;
    return -1;
}

static uint64_t number_behind(const char **at)
{
    static const char key[] = "\"serial\":";
    const char *found = strstr(*at, key);
    if (!found) return 0;
    *at = found + sizeof key - 1;
    return strtoull(*at, NULL, 10);
}

static bool is_judged_rightly(const struct oracle *o, FILE *file)
{
    static char line[LINE];
    int first_second = NODES, expected = NODES;
    for (int second = 0; second < o->count && expected == NODES; second++)
        for (int first = 0; first < second; first++)
            if (races(o, first, second)) expected = second;
    clearerr(file);
    while (fgets(line, sizeof line, file)) {
        const char *at = line;
        const int first = node_of(o, number_behind(&at)), second = node_of(o, number_behind(&at));
        if (first < 0 || second < 0 || !races(o, first, second)) {
            printf("a false report: %s", line);
            return false;
        }
        if (second < first_second) first_second = second;
    }
    if (first_second == expected) return true;
    printf("the first race is at operation %d of %d, reported at %d\n", expected, o->count,
           first_second);
    return false;
}

static bool run(struct world *w, FILE *file)
{
    static struct oracle oracle;
    memset(&oracle, 0, sizeof oracle);
    is_quiet = dice(2);
    const int steps = (is_quiet ? 40 : 4) + (int)dice(40);
    for (int i = 0; i < BUFFERS; i++)
        w->d[i] = device(BYTES);
    for (int i = 0; i < EVENTS; i++)
        OK(aclrtCreateEvent(&w->e[i]));
    for (int i = 0; i < steps && oracle.count < NODES; i++)
        step(w, &oracle);
    OK(aclrtSynchronizeDevice());
    for (int i = 0; i < BUFFERS; i++)
        OK(aclrtFree(w->d[i]));
    for (int i = 0; i < EVENTS; i++)
        OK(aclrtDestroyEvent(w->e[i]));
    return is_judged_rightly(&oracle, file);
}

/* The checker reads its variables when the library is loaded. */
static int again(char **arguments, const char *path)
{
    setenv("ACLNN_CPU_CHECK", "race", 1);
    setenv("ACLNN_CPU_CHECK_FILE", path, 1);
    setenv("ACLNN_CPU_CHECK_REPEAT", "1", 1);
    if (!freopen("/dev/null", "w", stderr)) return 1;
    execv("/proc/self/exe", arguments);
    return 1;
}

static long programs_wanted(int count, char **arguments)
{
    enum { USUAL = 300, LONG_SCALE = 25, LONG = 100000 };
    if (count > 1 && strcmp(arguments[1], "--long") != 0) return strtol(arguments[1], NULL, 10);
    const long scaled = (long)random_test_count(USUAL);
    return count > 1 || scaled >= USUAL * LONG_SCALE ? LONG : scaled;
}

int main(int count, char **arguments)
{
    const char *path = getenv("ACLNN_CPU_CHECK_FILE");
    if (!path) {
        char fresh[] = "/tmp/aclnn-check-XXXXXX";
        const int number = mkstemp(fresh);
        if (number < 0) return 1;
        close(number);
        return again(arguments, fresh);
    }
    static struct world w;
    FILE *file = fopen(path, "r");
    unlink(path);
    const long programs = programs_wanted(count, arguments);
    const uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    long right = 0;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    for (int i = 0; i < STREAMS; i++)
        OK(aclrtCreateStream(&w.s[i]));
    for (long i = 0; file && i < programs; i++) {
        state = seed + (uint64_t)i;
        dice(2);
        const bool is_right = run(&w, file);
        if (!is_right) printf("program %ld of seed %" PRIu64 "\n", i, seed);
        right += is_right;
    }
    for (int i = 0; i < STREAMS; i++)
        OK(aclrtDestroyStream(w.s[i]));
    OK(aclFinalize());
    printf("%ld of %ld random programs are judged rightly\n", right, programs);
    return right == programs && programs > 0 ? 0 : 1;
}
