/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/init_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/support/alloc.h"
#include "runtime/support/devices.h"
#include "runtime/support/error.h"

#define REFUSE(code, ...) return rt_error_report((code), "aclInit", __VA_ARGS__)

enum { DEEPEST = 10, ROOM = 1 << 20 };

static int depth(const cJSON *value)
{
    int deepest = 0;
    const cJSON *child;
    cJSON_ArrayForEach(child, value)
    {
        int below = depth(child);
        if (below > deepest) deepest = below;
    }
    return deepest + (cJSON_IsObject(value) || cJSON_IsArray(value));
}

/* The whole file, zero-terminated, in *text, which the caller frees; NULL after a failure. */
static aclError read_text(const char *path, char **text)
{
    *text = NULL;
    struct stat about;
    /* Not to wait for a writer of a pipe, nor to set a device going. */
    const int number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const bool is_regular = number >= 0 && fstat(number, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = is_regular ? fdopen(number, "r") : NULL;
    if (!file) {
        const int failure = errno;
        if (number >= 0) close(number);
        if (number >= 0 && !is_regular)
            REFUSE(ACL_ERROR_INVALID_FILE, "configPath, %s, is not a regular file", path);
        REFUSE(ACL_ERROR_INVALID_FILE, "configPath, %s, cannot be opened: %s", path,
               strerror(failure));
    }
    char *buffer = rt_alloc(ROOM);
    if (!buffer) {
        fclose(file);
        REFUSE(ACL_ERROR_BAD_ALLOC, "no memory to read configPath, %s", path);
    }
    size_t length = fread(buffer, 1, ROOM, file);
    int failure = ferror(file) ? errno : 0;
    fclose(file);
    if (failure || length == ROOM) {
        rt_free(buffer);
        REFUSE(ACL_ERROR_INVALID_FILE, "configPath, %s, cannot be read: %s", path,
               strerror(failure ? failure : EFBIG));
    }
    buffer[length] = '\0';
    *text = buffer;
    return ACL_SUCCESS;
}

/* A whole number, as a number or as the string CANN's documentation shows. */
static bool read_whole(const cJSON *value, int least, int most, int *result)
{
    if (cJSON_IsNumber(value)) {
        double number = value->valuedouble;
        if (!(number >= least && number <= most) || number != (int)number) return false;
        *result = (int)number;
        return true;
    }
    if (!cJSON_IsString(value) || value->valuestring[0] == '\0') return false;
    char *end;
    errno = 0;
    long number = strtol(value->valuestring, &end, 10);
    if (errno || *end || number < least || number > most) return false;
    *result = (int)number;
    return true;
}

static aclError read_options(const cJSON *root, struct rt_init_options *options)
{
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(root, "err_msg_mode");
    int wide = 0;
    if (mode && !read_whole(mode, 0, 1, &wide)) {
        REFUSE(ACL_ERROR_INVALID_PARAM, "err_msg_mode in the file must be \"0\" or \"1\"");
    }
    options->process_wide_texts = wide;

    const cJSON *group = cJSON_GetObjectItemCaseSensitive(root, "defaultDevice");
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(group, "default_device");
    if (group && !read_whole(device, 0, rt_device_count() - 1, &options->default_device)) {
        REFUSE(ACL_ERROR_INVALID_PARAM,
               "defaultDevice in the file must be {\"default_device\": \"n\"} with n from 0 to %d",
               rt_device_count() - 1);
    }
    return ACL_SUCCESS;
}

aclError rt_init_file_read(const char *path, struct rt_init_options *options)
{
    *options = (struct rt_init_options){.default_device = -1};
    if (!path || !*path) return ACL_SUCCESS;
    char *text;
    aclError status = read_text(path, &text);
    if (!text) return status;

    const char *end = text;
    cJSON *root = cJSON_ParseWithOpts(text, &end, true);
    if (!cJSON_IsObject(root)) {
        status = rt_error_report(ACL_ERROR_PARSE_FILE, "aclInit",
                                 "configPath, %s, is not a JSON object (at byte %zu)", path,
                                 (size_t)(end - text));
    } else if (depth(root) > DEEPEST) {
        status = rt_error_report(ACL_ERROR_PARSE_FILE, "aclInit",
                                 "configPath, %s, is nested deeper than %d", path, DEEPEST);
    } else {
        status = read_options(root, options);
    }
    cJSON_Delete(root);
    rt_free(text);
    return status;
}
