/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/data.h"
#include "tests/bench/stats.h"

enum { SETS_MOST = 4, ROUNDS_MOST = 64, PEER_ROUNDS = 4 };
#define BATCH_SECONDS 4e-3 /* what a batch takes at least */
#define LONG_SECONDS                                                                               \
    4e-2               /* a run as long as this is a batch, whatever else it shared the time with */
#define FAR_BEHIND 3.0 /* a peer that needs so many times our time is known after PEER_ROUNDS */
#define HOPELESS   10.0 /* and one that needs so many after two */
#define BEHIND     1.2  /* so is one that another of its role beats by this */
#define AGREE      0.03
#define SETTLE_SECONDS                                                                             \
    1e-3 /* for a contender's idle threads to stop spinning before the next one */

struct turn {
    struct peer *peer;
    char note[PEER_WHY];
    int64_t count; /* runs in a batch */
    double estimate;
    bool is_out; /* takes no part any more */
    int rounds;
    double seconds[SETS_MOST * ROUNDS_MOST];
};

/* The floor first, then ours, then the peers. */
struct match {
    int turns;
    struct turn turn[PEERS_MOST];
};

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

static struct bench_problem problem_for(const struct peer *peer,
                                        const struct bench_problem *problem)
{
    struct bench_problem own = *problem;
    if (peer->role == ROLE_ONEDNN_BLOCKED) own.format = BENCH_BLOCKED;
    return own;
}

/* oneDNN's own layout is what it would choose where the caller leaves the choice: it is measured
 * once, beside the channels-last form of a case. */
static bool is_asked(const struct peer *peer, const struct bench_problem *problem)
{
    return peer->role != ROLE_ONEDNN_BLOCKED || problem->format == BENCH_NHWC;
}

static bool must_play(const struct peer *peer)
{
    return peer->role == ROLE_OURS || peer->role == ROLE_FLOOR;
}

/* Hears what a contender said to set_up and check; false when it does not take part. */
static bool hear(struct turn *turn, const struct bench_problem *problem, bool explains,
                 struct results *results)
{
    struct peer *peer = turn->peer;
    char line[CASE_LINE], why[PEER_WHY];
    cJSON *set_up = peer_receive(peer, why, sizeof why);
    cJSON *check = peer->role == ROLE_FLOOR ? NULL : peer_receive(peer, turn->note, PEER_WHY);
    if (set_up == NULL) {
        if (explains || must_play(peer))
            fprintf(stderr, "%s: %s: %s\n", case_print(&problem->test, line), peer->name, why);
        cJSON_Delete(check);
        return false;
    }
    const char *note = cJSON_GetStringValue(cJSON_GetObjectItem(set_up, "note"));
    const char *wrong = NULL;
    if (peer->role != ROLE_FLOOR)
        wrong = check == NULL ? turn->note : check_answer(peer, problem, check);
    if (wrong != NULL) {
        fprintf(stderr, "%s: %s is wrong: %s\n", case_print(&problem->test, line), peer->name,
                wrong);
        results->wrong++;
    }
    snprintf(turn->note, sizeof turn->note, "%s", note == NULL ? "" : note);
    if (check != NULL) turn->estimate = cJSON_GetNumberValue(cJSON_GetObjectItem(check, "seconds"));
    cJSON_Delete(set_up);
    cJSON_Delete(check);
    return wrong == NULL;
}

/* How many runs make a batch; false when it does not run. */
static bool find_batch(struct turn *turn)
{
    if (must_play(turn->peer) || turn->estimate < LONG_SECONDS)
        turn->estimate = ask_run(turn->peer, 1);
    if (turn->estimate > 0 && turn->estimate < BATCH_SECONDS)
        turn->estimate = ask_run(turn->peer, (int64_t)ceil(0.1 * BATCH_SECONDS / turn->estimate));
    if (turn->estimate <= 0) return false;
    turn->count = (int64_t)ceil(BATCH_SECONDS / turn->estimate);
    return true;
}

/* All contenders set up and check their results at the same time. The floor, which looks for the
 * best way to move the bytes, has the machine to itself. */
static void gather(struct match *match, struct peers *peers, const struct bench_problem *problem,
                   bool explains, struct results *results)
{
    match->turns = 0;
    for (int i = 0; i < peers->count; i++) {
        struct peer *peer = &peers->peer[i];
        struct bench_problem own = problem_for(peer, problem);
        if (peer->role == ROLE_FLOOR || !is_asked(peer, problem)) continue;
        peer_send(peer, request_set_up(&own));
        peer_send(peer, check_request(peer, problem));
    }
    struct turn *first = &match->turn[0];
    for (int i = 0; i < peers->count; i++) {
        struct turn *turn = &match->turn[match->turns];
        if (!is_asked(&peers->peer[i], problem)) continue;
        *turn = (struct turn){.peer = &peers->peer[i]};
        if (turn->peer->role == ROLE_FLOOR || hear(turn, problem, explains, results))
            match->turns++;
    }
    peer_send(first->peer, request_set_up(problem));
    int players = 0;
    for (int i = 0; i < match->turns; i++) {
        if (i == 0 && !hear(first, problem, explains, results)) continue;
        if (!find_batch(&match->turn[i])) continue;
        if (players != i) match->turn[players] = match->turn[i];
        players++;
    }
    match->turns = players;
}

/* The floor and ours go on until their medians agree; a peer goes on while that costs little. */
static bool plays_on(const struct turn *turn)
{
    return must_play(turn->peer) || turn->estimate < BATCH_SECONDS;
}

/* Whether more rounds of a peer would tell nothing that is asked. */
static bool is_known(const struct match *match, const struct turn *turn)
{
    if (must_play(turn->peer) || turn->rounds < 2) return false;
    double seconds = stats_median(turn->seconds, turn->rounds);
    const struct turn *ours = &match->turn[1];
    double times_ours = seconds / stats_median(ours->seconds, ours->rounds);
    if (times_ours > HOPELESS) return true;
    if (turn->rounds < PEER_ROUNDS) return false;
    if (times_ours > FAR_BEHIND) return true;
    for (int i = 0; i < match->turns; i++) {
        const struct turn *other = &match->turn[i];
        if (other->peer->role == turn->peer->role && other->rounds >= PEER_ROUNDS &&
            seconds > BEHIND * stats_median(other->seconds, other->rounds))
            return true;
    }
    return false;
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
    for (int i = 0; i < match->turns; i++)
        match->turn[i].is_out |= is_known(match, &match->turn[i]);
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
    result->bytes = bench_bytes(problem);
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
    enum bench_format format = bench_format_of_case(test);
    if (!bench_problem_of(test, format, &problem, why, sizeof why)) {
        fprintf(stderr, "%s: %s\n", case_print(test, line), why);
        return false;
    }
    if (!data_open(&problem)) return false;
    gather(&match, peers, &problem, options->explains, results);
    if (match.turns < 2 || match.turn[0].peer->role != ROLE_FLOOR ||
        match.turn[1].peer->role != ROLE_OURS)
        return false;
    int sets = 0, rounds = options->rounds;
    bool is_settled = false;
    while (sets < options->sets && !is_settled) {
        for (int round = 0; round < rounds; round++)
            if (!play_round(&match, peers->threads)) return false;
        is_settled = has_settled(&match, ++sets, rounds);
        for (int i = 0; sets == 1 && i < match.turns; i++)
            match.turn[i].is_out |= !plays_on(&match.turn[i]);
    }
    record(&match, &problem, peers->threads, is_settled || options->sets == 1, results);
    return true;
}
