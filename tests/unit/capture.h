/* SPDX-License-Identifier: Apache-2.0 */
/* What a file descriptor is written while a test looks. */
#ifndef ACLNN_CPU_TESTS_UNIT_CAPTURE_H
#define ACLNN_CPU_TESTS_UNIT_CAPTURE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

struct capture {
    int descriptor, saved;
    FILE *file;
};

static inline struct capture capture_begin(int descriptor)
{
    struct capture capture = {
        .descriptor = descriptor, .saved = dup(descriptor), .file = tmpfile()};
    cr_assert(capture.saved >= 0 && capture.file);
    dup2(fileno(capture.file), descriptor);
    return capture;
}

/* At most room - 1 bytes of what was written, zero-terminated; returns how many. */
static inline size_t capture_end(struct capture *capture, char *text, size_t room)
{
    dup2(capture->saved, capture->descriptor);
    close(capture->saved);
    rewind(capture->file);
    size_t length = fread(text, 1, room - 1, capture->file);
    text[length] = '\0';
    fclose(capture->file);
    return length;
}

#endif
