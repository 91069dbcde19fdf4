/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a program maps by itself: pieces side by side, as pools that grow have them. */
#include "tests/check/program.h"

enum { PIECES = 2, PIECE = 2 << 20, AT_THE_SEAM = PIECE - BYTES / 2 };

struct map {
    char *memory;
    aclrtDrvMemHandle pieces[PIECES];
};

static void open_map(struct map *map)
{
    void *memory;
    aclrtPhysicalMemProp kind = {.handleType = ACL_MEM_HANDLE_TYPE_NONE,
                                 .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                 .memAttr = ACL_HBM_MEM_HUGE,
                                 .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
    OK(aclrtReserveMemAddress(&memory, PIECES * PIECE, 0, NULL, 1));
    map->memory = memory;
    for (int i = 0; i < PIECES; i++) {
        OK(aclrtMallocPhysical(&map->pieces[i], PIECE, &kind, 0));
        OK(aclrtMapMem(map->memory + i * PIECE, PIECE, 0, map->pieces[i], 0));
    }
}

static void close_map(struct map *map)
{
    for (int i = 0; i < PIECES; i++) {
        OK(aclrtUnmapMem(map->memory + i * PIECE));
        OK(aclrtFreePhysical(map->pieces[i]));
    }
    OK(aclrtReleaseMemAddress(map->memory));
}

static void across_the_seam(struct world *w)
{
    struct map map;
    open_map(&map);
    absolute(w, 0, map.memory + AT_THE_SEAM, w->d[0]);
    absolute(w, 0, w->d[1], map.memory + AT_THE_SEAM);
    OK(aclrtSynchronizeStream(w->s[0]));
    close_map(&map);
}

/* What a piece held before it was mapped anew is there. */
static void mapped_again(struct world *w)
{
    struct map map;
    char seen = 0;
    open_map(&map);
    OK(aclrtMemset(map.memory, BYTES, 7, BYTES));
    OK(aclrtUnmapMem(map.memory));
    OK(aclrtMapMem(map.memory, PIECE, 0, map.pieces[0], 0));
    absolute(w, 0, w->d[1], map.memory);
    OK(aclrtSynchronizeStream(w->s[0]));
    OK(aclrtMemcpy(&seen, 1, map.memory, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    if (seen != 7) exit(3);
    close_map(&map);
}

static void race_behind_the_seam(struct world *w)
{
    struct map map;
    open_map(&map);
    absolute(w, 0, map.memory + AT_THE_SEAM, w->d[0]);
    copy_part(w, 1, w->d[1], map.memory + PIECE, 4);
    OK(aclrtSynchronizeDevice());
    close_map(&map);
}

static void past_the_last_piece(struct world *w)
{
    struct map map;
    open_map(&map);
    copy_part(w, 0, map.memory + PIECES * PIECE - BYTES / 2, w->d[0], BYTES / 2);
    absolute(w, 0, map.memory + PIECES * PIECE - BYTES / 2, w->d[0]);
    OK(aclrtSynchronizeDevice());
    close_map(&map);
}

static void unmapped_early(struct world *w)
{
    struct map map;
    open_map(&map);
    absolute(w, 0, map.memory + AT_THE_SEAM, w->d[0]);
    close_map(&map);
}

#define PROGRAM(name, expected)                                                                    \
    {                                                                                              \
#name, name, expected                                                                      \
    }
const struct program wrong_maps[] = {
    PROGRAM(race_behind_the_seam, "race/unordered"),
    PROGRAM(past_the_last_piece, "memory/past-its-end"),
    PROGRAM(unmapped_early, "memory/freed-early"),
};
const size_t wrong_map_count = sizeof wrong_maps / sizeof *wrong_maps;

const struct program right_maps[] = {
    PROGRAM(across_the_seam, ""),
    PROGRAM(mapped_again, ""),
};
const size_t right_map_count = sizeof right_maps / sizeof *right_maps;
