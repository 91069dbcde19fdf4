/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions that are not exported, from the symbol table of the file that they are in. */
#ifndef ACLNN_CPU_RUNTIME_CHECK_SYMBOLS_H
#define ACLNN_CPU_RUNTIME_CHECK_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The function of the file that holds this address, which is counted as the file counts (its load
 * address taken off), its name cut to the room, and the offset in it. False: the file has been
 * stripped, or cannot be read. */
bool rt_check_symbol_find(const char *path, uintptr_t address, char *name, size_t room,
                          size_t *offset);

#endif
