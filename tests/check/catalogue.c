/* SPDX-License-Identifier: Apache-2.0 */
/* Runs each program of the catalogue in a process of its own under ACLNN_CPU_CHECK=all, and holds
 * the kinds and rules of its reports to what its table says: nothing else, nothing less. Then one
 * program under files of suppressions.
 *     catalogue            all
 *     catalogue NAME       one, in this process: for who looks at its reports
 */
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check/program.h"

enum { LINE = 16384, RULES = 512, FOUND_SOMETHING = 86 };

static void open_world(struct world *w)
{
    void *pinned;
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    for (int i = 0; i < STREAMS; i++)
        OK(aclrtCreateStream(&w->s[i]));
    for (int i = 0; i < EVENTS; i++)
        OK(aclrtCreateEvent(&w->e[i]));
    for (int i = 0; i < BUFFERS; i++) {
        w->d[i] = device(BYTES);
        OK(aclrtMemset(w->d[i], BYTES, 0, BYTES));
    }
    w->workspace = device(WORKSPACE);
    OK(aclrtMemset(w->workspace, WORKSPACE, 0, WORKSPACE));
    OK(aclrtMallocHost(&pinned, BYTES));
    w->pinned = pinned;
    memset(w->pageable, 0, sizeof w->pageable);
}

static void close_world(struct world *w)
{
    OK(aclrtSynchronizeDevice());
    for (int i = 0; i < BUFFERS; i++)
        OK(aclrtFree(w->d[i]));
    OK(aclrtFree(w->workspace));
    OK(aclrtFreeHost(w->pinned));
    for (int i = 0; i < EVENTS; i++)
        OK(aclrtDestroyEvent(w->e[i]));
    for (int i = 0; i < STREAMS; i++)
        OK(aclrtDestroyStream(w->s[i]));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static void read_word(const char *line, const char *key, char *word, size_t room)
{
    const char *at = strstr(line, key);
    at = at ? at + strlen(key) : "\"";
    const size_t length = strcspn(at, "\"");
    snprintf(word, room, "%.*s", (int)(length < room ? length : room - 1), at);
}

/* "kind/rule kind/rule", each once. */
static void read_reports(const char *path, char found[RULES])
{
    static char line[LINE];
    char kind[64], rule[64], both[130];
    FILE *file = fopen(path, "r");
    found[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        read_word(line, "\"kind\":\"", kind, sizeof kind);
        read_word(line, "\"rule\":\"", rule, sizeof rule);
        snprintf(both, sizeof both, "%s/%s", kind, rule);
        if (strstr(found, both)) continue;
        const size_t length = strlen(found);
        snprintf(found + length, RULES - length, "%s%s", length ? " " : "", both);
    }
    if (file) fclose(file);
}

/* Runs the program that the argument names; the file of suppressions may be NULL. Returns its exit
 * status, or minus the signal that ended it; -1 too when it could not be run. */
static int run_program(const char *self, const char *argument, const char *suppress,
                       char found[RULES])
{
    char base[] = "/tmp/aclnn-check-XXXXXX", path[64], pattern[64];
    const int file = mkstemp(base); /* keeps the name; the reports lie beside it */
    found[0] = '\0';
    if (file < 0) return -1;
    close(file);
    snprintf(pattern, sizeof pattern, "%s-%%p", base);
    const pid_t child = fork();
    if (child == 0) {
        setenv("ACLNN_CPU_CHECK", "all", 1);
        setenv("ACLNN_CPU_CHECK_FILE", pattern, 1);
        setenv("ACLNN_CPU_CHECK_EXIT", "1", 1);
        if (suppress) setenv("ACLNN_CPU_CHECK_SUPPRESS", suppress, 1);
        if (!freopen("/dev/null", "w", stderr)) _exit(4);
        execl(self, self, argument, (char *)NULL);
        _exit(4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    snprintf(path, sizeof path, "%s-%d", base, (int)child);
    read_reports(path, found);
    unlink(path);
    unlink(base);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* argument: "w:name", so that right and wrong programs may have the same name. */
static bool holds(const char *self, const struct program *program, char side, int table)
{
    char argument[128], found[RULES];
    snprintf(argument, sizeof argument, "%c%d:%s", side, table, program->name);
    const int code = program->expected[0] ? FOUND_SOMETHING : 0;
    const int status = run_program(self, argument, NULL, found);
    if (status == code && strcmp(found, program->expected) == 0) return true;
    printf("%s: exit status %d instead of %d, reports \"%s\" instead of \"%s\"\n", argument, status,
           code, found, program->expected);
    return false;
}

static const struct table {
    char side;
    const struct program *programs;
    const size_t *count;
} tables[] = {{'w', wrong_orders, &wrong_order_count}, {'r', right_orders, &right_order_count},
              {'w', wrong_lives, &wrong_life_count},   {'r', right_lives, &right_life_count},
              {'w', wrong_chips, &wrong_chip_count},   {'r', right_chips, &right_chip_count},
              {'w', wrong_phases, &wrong_phase_count}, {'r', right_phases, &right_phase_count},
              {'w', wrong_maps, &wrong_map_count},     {'r', right_maps, &right_map_count},
              {'w', wrong_others, &wrong_other_count}, {'r', right_others, &right_other_count}};

/* Files of ACLNN_CPU_CHECK_SUPPRESS for a program with one report, "memory/freed-early", whose
 * operation is aclrtMemsetAsync and whose frames are freed_early's. */
static const char suppressed_program[] = "freed_early";
static const struct suppression {
    const char *lines;
    bool is_silent;
} suppressions[] = {
    {"aclrtMemsetAsync\n", true},        /* text: an operation */
    {"freed_early\n", true},             /* a frame */
    {"memory:aclrtMemsetAsync\n", true}, /* kind:text */
    {"memory:freed_early", true},        /* no end of the line */
    {"# why\n\nanother\nmemory:freed_early  # the reason\n", true},
    {"another_function\n", false},
    {"race:freed_early\n", false}, /* another kind */
    {"memory:another_function\n", false},
    {"mem:freed_early\n", false}, /* a part of the kind */
    {"# freed_early\n", false},
    {"\n", false},
};

static bool suppresses(const char *self, const char *argument, const struct suppression *one)
{
    char path[] = "/tmp/aclnn-suppress-XXXXXX", found[RULES];
    const int number = mkstemp(path);
    FILE *file = number < 0 ? NULL : fdopen(number, "w");
    if (!file) return false;
    fputs(one->lines, file);
    fclose(file);
    const int code = one->is_silent ? 0 : FOUND_SOMETHING;
    const char *expected = one->is_silent ? "" : "memory/freed-early";
    const int status = run_program(self, argument, path, found);
    unlink(path);
    if (status == code && strcmp(found, expected) == 0) return true;
    printf("%s, suppressed by \"%s\": exit status %d instead of %d, reports \"%s\" instead of "
           "\"%s\"\n",
           argument, one->lines, status, code, found, expected);
    return false;
}

static bool all_suppress(const char *self, const char *argument)
{
    const size_t all = sizeof suppressions / sizeof *suppressions;
    size_t right = 0;
    for (size_t i = 0; i < all; i++)
        right += suppresses(self, argument, &suppressions[i]);
    printf("%zu of %zu files of suppressions do as they say\n", right, all);
    return right == all;
}

int main(int count, char **arguments)
{
    size_t right = 0, all = 0;
    bool can_be_silent = false;
    char name[128];
    for (int t = 0; t < (int)(sizeof tables / sizeof *tables); t++)
        for (size_t i = 0; i < *tables[t].count; i++) {
            const struct program *program = &tables[t].programs[i];
            snprintf(name, sizeof name, "%c%d:%s", tables[t].side, t, program->name);
            if (count > 1 && strcmp(arguments[1], name) == 0) {
                static struct world world;
                open_world(&world);
                program->run(&world);
                close_world(&world);
                return 0;
            }
            if (count > 1) continue;
            all++;
            right += holds(arguments[0], program, tables[t].side, t);
            if (strcmp(program->name, suppressed_program) == 0)
                can_be_silent = all_suppress(arguments[0], name);
        }
    if (count > 1) fprintf(stderr, "no program has the name %s\n", arguments[1]);
    printf("%zu of %zu programs are judged rightly\n", right, all);
    return right == all && can_be_silent ? 0 : 1;
}
