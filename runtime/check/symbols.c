/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ELF by itself: it is one table of fixed records, and a library for it would be one more
 * package for every user. Files are mapped anew for each frame; reports are few. */
#include "runtime/check/symbols.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_inside(size_t size, uint64_t offset, uint64_t bytes)
{
    return offset <= size && bytes <= size - offset;
}

static const ElfW(Shdr) * sections_of(const char *file, size_t size, size_t *count)
{
    const ElfW(Ehdr) *head = (const void *)file;
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head->e_shentsize != sizeof(ElfW(Shdr)) || head->e_shoff % sizeof(uint64_t) != 0 ||
        !is_inside(size, head->e_shoff, head->e_shnum * sizeof(ElfW(Shdr))))
        return NULL;
    *count = head->e_shnum;
    return (const void *)(file + head->e_shoff);
}

static bool find_in(const char *file, size_t size, uintptr_t address, char *name, size_t room,
                    size_t *offset)
{
    size_t count;
    const ElfW(Shdr) *sections = sections_of(file, size, &count);
    for (size_t i = 0; sections && i < count; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= count ||
            table->sh_offset % sizeof(uint64_t) != 0 ||
            !is_inside(size, table->sh_offset, table->sh_size))
            continue;
        const ElfW(Shdr) *texts = &sections[table->sh_link];
        if (!is_inside(size, texts->sh_offset, texts->sh_size)) continue;
        const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
        for (size_t s = 0; s < table->sh_size / sizeof *symbols; s++) {
            const ElfW(Sym) *symbol = &symbols[s];
            if ((symbol->st_info & 15) != STT_FUNC || address < symbol->st_value ||
                address - symbol->st_value >= symbol->st_size || symbol->st_name >= texts->sh_size)
                continue;
            const size_t longest = texts->sh_size - symbol->st_name;
            snprintf(name, room, "%.*s", (int)(longest < room ? longest : room),
                     file + texts->sh_offset + symbol->st_name);
            *offset = address - symbol->st_value;
            return true;
        }
    }
    return false;
}

bool rt_check_symbol_find(const char *path, uintptr_t address, char *name, size_t room,
                          size_t *offset)
{
    struct stat about;
    const int number = open(path, O_RDONLY | O_CLOEXEC);
    if (number < 0) return false;
    bool is_found = false;
    if (fstat(number, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        const size_t size = (size_t)about.st_size;
        void *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, number, 0);
        if (file != MAP_FAILED) {
            is_found = find_in(file, size, address, name, room, offset);
            munmap(file, size);
        }
    }
    close(number);
    return is_found;
}
