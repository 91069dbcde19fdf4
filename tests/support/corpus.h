/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a fuzz target as text: one per line in hexadecimal, an empty line is the empty input;
 * lines that start with # are comments. */
#ifndef ACLNN_CPU_TESTS_CORPUS_H
#define ACLNN_CPU_TESTS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void corpus_fn(void *context, int line, const uint8_t *data, size_t size);

/* Calls fn with each input, in a block of exactly its size, so that a sanitizer sees reads past it.
 * How many there were; -1, and a message on stderr, when the file cannot be read or a line is not
 * hexadecimal. */
int corpus_each(const char *path, corpus_fn *fn, void *context);

/* Writes the files of a folder as a corpus, short ones first, equal ones once. */
bool corpus_pack(const char *folder, FILE *out);

#endif
