/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/stats.h"
#include "tests/support/oracle.h"

enum { SETS = 4, ROUNDS_MOST = 64, RANDOM_BLOCK = 1 << 16 };
#define BATCH_SECONDS 4e-3 /* what a batch takes at least */
#define AGREE         0.03
#define SETTLE_SECONDS                                                                             \
    2e-3 /* for a contender's idle threads to stop spinning before the next one */

struct turn {
    struct peer *peer;
    char note[PEER_WHY];
    int64_t count; /* runs in a batch */
    double estimate;
    bool is_out; /* takes no part any more */
    int rounds;
    double seconds[SETS * ROUNDS_MOST];
};

/* The floor first, then ours, then the peers. */
struct match {
    int turns;
    struct turn turn[PEERS_MOST];
};

static void add_extents(cJSON *request, const char *key, const struct test_case *test,
                        int64_t (*extent)(const struct case_window *))
{
    cJSON *list = cJSON_AddArrayToObject(request, key);
    for (int axis = 0; axis < test->axes; axis++) {
        struct case_window window = case_window(test, axis);
        cJSON_AddItemToArray(list, cJSON_CreateNumber((double)extent(&window)));
    }
}

#define EXTENT(field)                                                                              \
    static int64_t field##_of(const struct case_window *window)                                    \
    {                                                                                              \
        return window->field;                                                                      \
    }
EXTENT(input)
EXTENT(output)
EXTENT(kernel)
EXTENT(stride)
EXTENT(pad)

static cJSON *set_up_request(const struct bench_problem *problem)
{
    const struct test_case *test = &problem->test;
    char line[CASE_LINE];
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "set_up");
    cJSON_AddStringToObject(request, "line", case_print(test, line));
    cJSON_AddStringToObject(request, "format", bench_format_name(problem->format));
    cJSON_AddStringToObject(request, "data", problem->data);
    cJSON_AddStringToObject(request, "op", test->op);
    cJSON_AddStringToObject(request, "dtype", case_dtype_name(test->dtype));
    cJSON_AddNumberToObject(request, "batch", (double)test->batch);
    cJSON_AddNumberToObject(request, "channels", (double)test->channels);
    add_extents(request, "input", test, input_of);
    add_extents(request, "output", test, output_of);
    add_extents(request, "kernel", test, kernel_of);
    add_extents(request, "stride", test, stride_of);
    add_extents(request, "pad", test, pad_of);
    cJSON_AddBoolToObject(request, "ceil", test->ceil);
    cJSON_AddBoolToObject(request, "exclude_pad", test->exclude_pad);
    cJSON_AddNumberToObject(request, "divisor", (double)test->divisor);
    return request;
}

/* Seconds of one run; negative when the contender failed. */
static double ask_run(struct peer *peer, int64_t count)
{
    char why[PEER_WHY];
    cJSON *request = cJSON_CreateObject();
    cJSON_AddStringToObject(request, "do", "run");
    cJSON_AddNumberToObject(request, "count", (double)count);
    cJSON *answer = peer_ask(peer, request, why, sizeof why);
    if (answer == NULL) return -1;
    double seconds = cJSON_GetNumberValue(cJSON_GetObjectItem(answer, "seconds"));
    cJSON_Delete(answer);
    return seconds;
}

/* Sets a contender up, checks it and finds its batch; false when it does not take part. */
static bool enter(struct match *match, struct peer *peer, const struct bench_problem *problem,
                  struct results *results)
{
    struct turn *turn = &match->turn[match->turns];
    *turn = (struct turn){.peer = peer};
    struct bench_problem own = *problem;
    char line[CASE_LINE], why[PEER_WHY];
    if (peer->role == ROLE_ONEDNN_BLOCKED) own.format = BENCH_BLOCKED;
    cJSON *answer = peer_ask(peer, set_up_request(&own), why, sizeof why);
    if (answer == NULL) {
        if (peer->role == ROLE_OURS || peer->role == ROLE_FLOOR)
            fprintf(stderr, "%s: %s: %s\n", case_print(&problem->test, line), peer->name, why);
        return false;
    }
    const char *note = cJSON_GetStringValue(cJSON_GetObjectItem(answer, "note"));
    snprintf(turn->note, sizeof turn->note, "%s", note == NULL ? "" : note);
    cJSON_Delete(answer);
    const char *wrong = peer->role == ROLE_FLOOR ? NULL : check_contender(peer, problem);
    if (wrong != NULL) {
        fprintf(stderr, "%s: %s is wrong: %s\n", case_print(&problem->test, line), peer->name,
                wrong);
        results->wrong++;
        return false;
    }
    turn->estimate = ask_run(peer, 1);
    if (turn->estimate > 0 && turn->estimate < BATCH_SECONDS)
        turn->estimate = ask_run(peer, (int64_t)ceil(0.1 * BATCH_SECONDS / turn->estimate));
    if (turn->estimate <= 0) return false;
    turn->count = (int64_t)ceil(BATCH_SECONDS / turn->estimate);
    match->turns++;
    return true;
}

/* The floor and ours go on until their medians agree; a peer goes on while that costs little. */
static bool plays_on(const struct turn *turn)
{
    return turn->peer->role == ROLE_FLOOR || turn->peer->role == ROLE_OURS ||
           turn->estimate < BATCH_SECONDS;
}

/* Every contender once. Those after a contender with threads wait until these have gone to sleep.
 */
static bool play_round(struct match *match, int threads)
{
    for (int i = 0; i < match->turns; i++) {
        struct turn *turn = &match->turn[i];
        if (turn->is_out) continue;
        if (threads > 1) stats_pause(SETTLE_SECONDS);
        double seconds = ask_run(turn->peer, turn->count);
        if (seconds <= 0) return false;
        turn->seconds[turn->rounds++] = seconds;
    }
    return true;
}

/* Do the medians of the last two sets agree, for all that took part in both? */
static bool has_settled(const struct match *match, int sets, int rounds)
{
    if (sets < 2) return false;
    for (int i = 0; i < match->turns; i++) {
        const struct turn *turn = &match->turn[i];
        if (turn->rounds < sets * rounds) continue;
        double before = stats_median(turn->seconds + (sets - 2) * rounds, rounds);
        double after = stats_median(turn->seconds + (sets - 1) * rounds, rounds);
        if (fabs(after / before - 1) > AGREE) return false;
    }
    return true;
}

static void record(const struct match *match, const struct bench_problem *problem, int threads,
                   bool is_settled, struct results *results)
{
    const struct turn *floor = &match->turn[0], *ours = &match->turn[1];
    struct result *result = results_add(results);
    result->test = problem->test;
    result->format = problem->format;
    result->threads = threads;
    result->bytes = (double)(problem->dy_bytes + problem->dx_bytes);
    result->is_settled = is_settled;
    for (int i = 0; i < match->turns; i++) {
        const struct turn *turn = &match->turn[i];
        struct entry *entry = &result->entry[result->entries++];
        entry->role = turn->peer->role;
        entry->rounds = turn->rounds;
        entry->seconds = stats_median(turn->seconds, turn->rounds);
        entry->ratio = stats_ratio(turn->seconds, ours->seconds, turn->rounds);
        entry->share = stats_ratio(floor->seconds, turn->seconds, turn->rounds);
        snprintf(entry->name, sizeof entry->name, "%s", turn->peer->name);
        snprintf(entry->note, sizeof entry->note, "%s", turn->note);
    }
}

bool measure_case(struct peers *peers, const struct test_case *test,
                  const struct measure_options *options, struct results *results)
{
    static struct match match;
    struct bench_problem problem;
    char why[PEER_WHY], line[CASE_LINE];
    enum bench_format format = test->dy_layout == CASE_CHANNELS_LAST ? BENCH_NHWC : BENCH_NCHW;
    if (!bench_problem_of(test, format, &problem, why, sizeof why)) {
        fprintf(stderr, "%s: %s\n", case_print(test, line), why);
        return false;
    }
    problem.data = options->data[test->dtype];
    match.turns = 0;
    for (int i = 0; i < peers->count; i++) {
        bool is_peer = peers->peer[i].role != ROLE_FLOOR && peers->peer[i].role != ROLE_OURS;
        if (is_peer && match.turns < 2) break; /* nothing to compare with */
        enter(&match, &peers->peer[i], &problem, results);
    }
    if (match.turns < 2 || match.turn[1].peer->role != ROLE_OURS) return false;
    int sets = 0, rounds = options->rounds;
    bool is_settled = false;
    while (sets < SETS && !is_settled) {
        for (int round = 0; round < rounds; round++)
            if (!play_round(&match, peers->threads)) return false;
        is_settled = has_settled(&match, ++sets, rounds);
        for (int i = 0; sets == 1 && i < match.turns; i++)
            match.turn[i].is_out = !plays_on(&match.turn[i]);
    }
    record(&match, &problem, peers->threads, is_settled, results);
    return true;
}

/* A block of random values, repeated: far apart enough for a cache not to see it. */
bool measure_make_data(enum case_dtype dtype, int64_t elements, const char *path)
{
    static char block[RANDOM_BLOCK * 4];
    size_t size = dtype == CASE_F32 ? 4 : 2;
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < RANDOM_BLOCK; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        double magnitude = 0x1p-4 + (double)(state >> 40) * (0x1p-24 - 0x1p-28);
        uint32_t bits = oracle_to_bits(dtype, state & 1 ? magnitude : -magnitude);
        memcpy(block + i * size, &bits, size);
    }
    FILE *file = fopen(path, "wb");
    bool is_written = file != NULL;
    for (int64_t done = 0; is_written && done < elements; done += RANDOM_BLOCK)
        is_written = fwrite(block, size, RANDOM_BLOCK, file) == RANDOM_BLOCK;
    if (file != NULL && fclose(file) != 0) is_written = false;
    return is_written;
}
