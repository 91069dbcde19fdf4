/* SPDX-License-Identifier: Apache-2.0 */
/* Stored inputs of fuzz targets: what is packed is what comes out again. */
#include "tests/support/corpus.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/aclnn_corpus_XXXXXX", path[64];

static void write_file(const char *name, const void *bytes, size_t size)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

static void remove_file(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

struct seen {
    int count, lines[4];
    size_t sizes[4];
    uint8_t bytes[4][4];
};

static void see(void *context, int line, const uint8_t *data, size_t size)
{
    struct seen *seen = context;
    cr_assert(seen->count < 4 && size <= 4);
    seen->lines[seen->count] = line;
    seen->sizes[seen->count] = size;
    memcpy(seen->bytes[seen->count++], data, size);
}

/* Every byte value survives; short inputs come first, equal ones once. */
Test(corpus, packs_what_it_unpacks)
{
    cr_assert(mkdtemp(folder));
    write_file("a", "\xff\x00\x0a", 3);
    write_file("b", "\x09", 1);
    write_file("c", "\xff\x00\x0a", 3);
    write_file("d", "", 0);
    char *text = NULL;
    size_t size = 0;
    FILE *packed = open_memstream(&text, &size);
    cr_assert(corpus_pack(folder, packed));
    fclose(packed);
    cr_assert_str_eq(text, "\n09\nff000a\n");

    struct seen seen = {0};
    write_file("corpus", text, size);
    cr_assert_eq(corpus_each(path, see, &seen), 3);
    cr_assert(seen.sizes[0] == 0 && seen.sizes[1] == 1 && seen.sizes[2] == 3);
    cr_assert(seen.bytes[1][0] == 9 && memcmp(seen.bytes[2], "\xff\x00\x0a", 3) == 0);
    free(text);
    for (const char *name = "abcd"; *name; name++)
        remove_file((char[]){*name, 0});
    remove_file("corpus");
    rmdir(folder);
}

Test(corpus, skips_comments_and_refuses_what_is_not_hexadecimal)
{
    struct seen seen = {0};
    cr_assert(mkdtemp(folder));
    const char good[] = "# found by hand\n0102\n\nfe";
    write_file("good", good, strlen(good));
    cr_assert_eq(corpus_each(path, see, &seen), 3);
    cr_assert(seen.lines[0] == 2 && seen.lines[2] == 4 && seen.bytes[2][0] == 0xfe);
    remove_file("good");
    const char *const bad[] = {"0\n", "0g\n", "01 02\n", "FF\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file("bad", bad[i], strlen(bad[i]));
        cr_assert_eq(corpus_each(path, see, &seen), -1, "%s", bad[i]);
        cr_assert_eq(seen.count, 3);
    }
    remove_file("bad");
    cr_assert_eq(corpus_each(path, see, &seen), -1, "a file that is not there");
    rmdir(folder);
}
