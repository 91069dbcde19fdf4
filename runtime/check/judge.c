/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/check/judge.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/check/alive.h"
#include "runtime/check/report.h"
#include "runtime/check/sizes.h"
#include "runtime/support/alloc.h"

enum { NOTED_ROWS = 256, TEXT = 640 }; /* rows of one view that are noted one by one */

/* --- sentences ------------------------------------------------------------------------------ */

/* "aclnnAdd (#12 in stream 3)" */
static void write_operation(char *text, size_t room, const char *name, uint64_t number,
                            uint32_t stream)
{
    if (stream)
        snprintf(text, room, "%s (#%" PRIu64 " in stream %" PRIu32 ")", name, number, stream);
    else
        snprintf(text, room, "%s (#%" PRIu64 " of the host)", name, number);
}

/* "input 0", "workspace" */
static void write_role(char *text, size_t room, const char *role, int argument)
{
    if (argument >= 0)
        snprintf(text, room, "%s %d", role, argument);
    else
        snprintf(text, room, "%s", role);
}

/* --- judging an access ---------------------------------------------------------------------- */

struct judgement {
    const struct rt_check_step *step;
    const struct rt_check_place *place;
    const struct rt_check_access *access;
    struct rt_check_block *block;
    struct rt_check_use use;
    bool has_told_unwritten, has_told_plain;
};

static struct rt_check_party party_of_step(const struct judgement *j, const char *title)
{
    return (struct rt_check_party){.title = title,
                                   .name = j->step->name,
                                   .serial = j->step->serial,
                                   .stream = j->place->stream,
                                   .site = j->step->site};
}

static struct rt_check_party party_of_use(const struct rt_check_use *use, const char *title)
{
    const struct rt_check_operation *operation = use->operation;
    return (struct rt_check_party){.title = title,
                                   .name = operation->name,
                                   .serial = operation->serial,
                                   .stream = operation->stream,
                                   .site = operation->site};
}

static void report_race(void *context, const struct rt_check_use *first, size_t begin, size_t end)
{
    const struct judgement *j = context;
    char text[TEXT], cure[TEXT], one[160], two[160], role_one[48], role_two[48];
    write_operation(one, sizeof one, first->operation->name, first->operation->serial,
                    first->operation->stream);
    write_operation(two, sizeof two, j->step->name, j->step->serial, j->place->stream);
    write_role(role_one, sizeof role_one, first->role, first->argument);
    write_role(role_two, sizeof role_two, j->access->role, j->access->argument);
    snprintf(text, sizeof text,
             "%s and %s both use bytes %zu to %zu of the %s at %p, as %s and as %s, and nothing "
             "orders them%s",
             one, two, begin, end - 1, rt_check_thing_name(j->block->thing),
             (const void *)j->block->node.memory, role_one, role_two,
             first->is_bounding || j->access->is_bounding
                 ? " (the bounds of a view with gaps: they may miss each other)"
                 : "");
    if (!first->operation->stream)
        snprintf(cure, sizeof cure, "let the host do %s before it queues %s", one, two);
    else if (!j->place->stream)
        snprintf(cure, sizeof cure, "synchronise stream %" PRIu32 " between %s and %s",
                 first->operation->stream, one, two);
    else if (first->operation->stream == j->place->stream)
        snprintf(cure, sizeof cure, "join the captured streams by an event between the two");
    else
        snprintf(cure, sizeof cure,
                 "record an event in stream %" PRIu32 " behind %s, and let stream %" PRIu32
                 " wait for it before %s",
                 first->operation->stream, one, j->place->stream, two);
    const struct rt_check_report report = {
        .kind = "race",
        .rule = "unordered",
        .text = text,
        .cure = cure,
        .parties = {party_of_use(first, "first"),
                    party_of_step(j, "second"),
                    {.title = "allocated", .site = j->block->site}},
        .count = 3};
    if (rt_check_report(&report) && rt_check_hooks.raced)
        rt_check_hooks.raced(first->operation->serial, j->step->serial);
}

static void report_unwritten(void *context, const struct rt_check_use *nobody, size_t begin,
                             size_t end)
{
    struct judgement *j = context;
    char text[TEXT], operation[160], role[48];
    (void)nobody;
    if (j->has_told_unwritten) return;
    j->has_told_unwritten = true;
    write_operation(operation, sizeof operation, j->step->name, j->step->serial, j->place->stream);
    write_role(role, sizeof role, j->access->role, j->access->argument);
    snprintf(text, sizeof text,
             "%s reads bytes %zu to %zu of the %s at %p, as %s, and nobody has written them since "
             "they were allocated",
             operation, begin, end - 1, rt_check_thing_name(j->block->thing),
             (const void *)j->block->node.memory, role);
    rt_check_report(&(struct rt_check_report){
        .kind = "init",
        .rule = "unwritten",
        .text = text,
        .parties = {party_of_step(j, "read"), {.title = "allocated", .site = j->block->site}},
        .count = 2});
}

/* The device would read the bytes in another order than they were written in. */
static void report_plain(void *context, const struct rt_check_use *first, size_t begin, size_t end)
{
    struct judgement *j = context;
    char text[TEXT], one[160], two[160], role[48];
    (void)begin, (void)end;
    if (j->has_told_plain) return;
    j->has_told_plain = true;
    write_operation(one, sizeof one, first->operation->name, first->operation->serial,
                    first->operation->stream);
    write_operation(two, sizeof two, j->step->name, j->step->serial, j->place->stream);
    write_role(role, sizeof role, j->access->role, j->access->argument);
    snprintf(text, sizeof text,
             "%s takes its %s as FRACTAL_NZ, and %s has written it row by row: so it is read here, "
             "the chip reads blocks (CANN's document of aclnnMatmulWeightNz)",
             two, role, one);
    rt_check_report(
        &(struct rt_check_report){.kind = "device",
                                  .rule = "format",
                                  .text = text,
                                  .cure = "let aclnnTransMatmulWeight put it in that format first",
                                  .parties = {party_of_step(j, "read"),
                                              party_of_use(first, "written"),
                                              {.title = "allocated", .site = j->block->site}},
                                  .count = 3});
}

static void report_memory(const struct judgement *j, const char *rule, const char *what,
                          const struct rt_check_site *born, const struct rt_check_site *died)
{
    char text[TEXT], operation[160], role[48];
    write_operation(operation, sizeof operation, j->step->name, j->step->serial, j->place->stream);
    write_role(role, sizeof role, j->access->role, j->access->argument);
    snprintf(text, sizeof text, "%s: its %s, %zu bytes at %p, %s", operation, role,
             j->access->width + (j->access->rows - 1) * j->access->pitch, j->access->address, what);
    struct rt_check_report report = {.kind = "memory",
                                     .rule = rule,
                                     .text = text,
                                     .parties = {party_of_step(j, "used")},
                                     .count = 1};
    if (born)
        report.parties[report.count++] =
            (struct rt_check_party){.title = "allocated", .site = born};
    if (died)
        report.parties[report.count++] = (struct rt_check_party){.title = "freed", .site = died};
    rt_check_report(&report);
}

static size_t left_in(const struct rt_check_block *block, const char *address)
{
    return block->node.capacity - (size_t)(address - block->node.memory);
}

/* How many bytes there are from here on, as far as they are wanted: pieces of mapped memory that
 * lie side by side are one. */
static size_t room_at(const struct rt_check_block *block, const char *address, size_t wanted)
{
    size_t room = left_in(block, address);
    while (room < wanted && block->thing == RT_CHECK_MAPPED_MEMORY) {
        block = rt_check_block_find(address + room);
        if (!block || block->thing != RT_CHECK_MAPPED_MEMORY) break;
        room += left_in(block, address + room);
    }
    return room;
}

/* The block that the access begins in, or NULL unless there is room for it. Tells what is wrong. */
static struct rt_check_block *find_block(const struct judgement *j)
{
    const struct rt_check_access *access = j->access;
    const size_t span = access->width + (access->rows - 1) * access->pitch;
    const bool tells = (rt_check_flags & RT_CHECK_MEMORY) != 0;
    struct rt_check_block *block = rt_check_block_find(access->address);
    if (!block) {
        if (!tells || (rt_check_hooks.is_known && rt_check_hooks.is_known(access->address, 1)))
            return NULL;
        const struct rt_check_grave *grave = rt_check_grave_find(access->address);
        /* The program's own memory may lie where some was freed and given back to the system. */
        const bool may_be_own = access->may_be_foreign && !rt_check_hooks.is_kept(access->address);
        if (grave && !may_be_own)
            report_memory(j, "freed", "was freed before", grave->born, grave->died);
        else if (!access->may_be_foreign)
            report_memory(j, "unknown", "is no memory that this library has allocated", NULL, NULL);
        return NULL;
    }
    const size_t room = room_at(block, access->address, span);
    if (span > room) {
        char what[128];
        snprintf(what, sizeof what, "ends %zu bytes behind the allocation of %zu bytes at %p",
                 span - room, block->node.capacity, (const void *)block->node.memory);
        if (tells) report_memory(j, "past-its-end", what, block->site, NULL);
        return NULL;
    }
    if (tells && access->needs_device && block->thing == RT_CHECK_HOST_MEMORY)
        report_memory(j, "host-memory", "is host memory where device memory is due", block->site,
                      NULL);
    return block;
}

/* Bytes without a gap, which may reach into the next pieces of mapped memory. */
static void judge_row(struct judgement *j, const char *row, size_t width,
                      const struct rt_check_query *query)
{
    while (width > 0) {
        if (row < j->block->node.memory || row >= j->block->node.memory + j->block->node.capacity)
            j->block = rt_check_block_find(row);
        const size_t begin = (size_t)(row - j->block->node.memory);
        const size_t left = left_in(j->block, row), part = left < width ? left : width;
        rt_check_block_access(j->block, begin, begin + part, j->access->reads, j->access->writes,
                              &j->use, query);
        row += part;
        width -= part;
    }
}

static void judge_access(struct judgement *j)
{
    const struct rt_check_access *access = j->access;
    j->block = find_block(j);
    if (!j->block) return;
    j->use.role = access->role;
    j->use.argument = access->argument;
    const bool is_dense = access->rows <= NOTED_ROWS;
    j->use.is_bounding = access->is_bounding || !is_dense;
    j->use.is_plain = access->is_plain;
    const bool asks_init = (rt_check_flags & RT_CHECK_INIT) != 0 && !j->use.is_bounding &&
                           j->block->thing == RT_CHECK_DEVICE_MEMORY;
    const bool asks_format = (rt_check_flags & RT_CHECK_DEVICE) != 0 && access->is_blocked;
    const struct rt_check_query query = {
        .clock = j->place->clock,
        .before = j->step->before,
        .conflicts = (rt_check_flags & RT_CHECK_RACE) != 0 ? report_race : NULL,
        .unwritten = asks_init ? report_unwritten : NULL,
        .plain = asks_format ? report_plain : NULL,
        .context = j,
    };
    const size_t rows = is_dense ? access->rows : 1;
    const size_t width =
        is_dense ? access->width : access->width + (access->rows - 1) * access->pitch;
    const char *row = access->address;
    for (size_t i = 0; i < rows; i++, row += access->pitch)
        judge_row(j, row, width, &query);
}

void rt_check_judge(const struct rt_check_step *step, const struct rt_check_place *place)
{
    struct rt_check_operation *operation = rt_alloc(sizeof *operation);
    if (!operation) return;
    *operation = (struct rt_check_operation){.references = 1,
                                             .slot = place->slot,
                                             .epoch = place->epoch,
                                             .serial = step->serial,
                                             .stream = place->stream,
                                             .name = step->name,
                                             .site = step->site};
    if ((rt_check_flags & RT_CHECK_DEVICE) != 0) rt_check_sizes_placed(step, place);
    struct judgement j = {.step = step, .place = place, .use.operation = operation};
    /* Reads first: an operation that writes its operand in place has read it before. */
    for (int writes = 0; writes < 2; writes++)
        for (size_t i = 0; i < step->count; i++) {
            j.access = &step->accesses[i];
            if (j.access->writes == (writes != 0) && j.access->width > 0 && j.access->rows > 0)
                judge_access(&j);
        }
    rt_check_operation_release(operation);
}

void rt_check_judge_early(const struct rt_check_block *block, const struct rt_check_use *use,
                          const struct rt_check_site *site)
{
    char text[TEXT], operation[160], role[48];
    write_operation(operation, sizeof operation, use->operation->name, use->operation->serial,
                    use->operation->stream);
    write_role(role, sizeof role, use->role, use->argument);
    snprintf(text, sizeof text, "the %s at %p, %zu bytes, is freed while %s may still use it as %s",
             rt_check_thing_name(block->thing), (const void *)block->node.memory,
             block->node.capacity, operation, role);
    rt_check_report(
        &(struct rt_check_report){.kind = "memory",
                                  .rule = "freed-early",
                                  .text = text,
                                  .cure = "synchronise the stream before the memory is freed",
                                  .parties = {party_of_use(use, "used"),
                                              {.title = "freed", .site = site},
                                              {.title = "allocated", .site = block->site}},
                                  .count = 3});
}
