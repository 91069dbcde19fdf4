/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/check/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/file_name.h"
#include "runtime/support/log.h"

enum { EXIT_STATUS = 86, SUPPRESSIONS = 256, LINE = 256, TOLD_BUCKETS = 1024 };

struct told {
    struct told *next;
    const char *rule;
    uint32_t first, second; /* numbers of sites */
};

static struct told *told[TOLD_BUCKETS];
static char suppressions[SUPPRESSIONS][LINE];
static int suppression_count;
static uint64_t found, suppressed, told_of_end;
static FILE *file;
static bool exits, repeats;

/* --- settings ------------------------------------------------------------------------------- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static unsigned read_kinds(const char *text)
{
    static const struct {
        const char *name;
        unsigned flags;
    } kinds[] = {
        {"race", RT_CHECK_RACE},
        {"memory", RT_CHECK_MEMORY},
        {"init", RT_CHECK_INIT},
        {"leak", RT_CHECK_LEAK},
        {"device", RT_CHECK_DEVICE},
        {"all", RT_CHECK_RACE | RT_CHECK_MEMORY | RT_CHECK_INIT | RT_CHECK_LEAK | RT_CHECK_DEVICE}};
    unsigned flags = 0;
    bool is_known = true;
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, ",");
        bool known = length == 0;
        for (size_t i = 0; i < RT_LENGTH(kinds); i++) {
            if (strlen(kinds[i].name) != length || strncmp(at, kinds[i].name, length) != 0)
                continue;
            flags |= kinds[i].flags;
            known = true;
        }
        is_known &= known;
        at += length + (at[length] == ',');
    }
    if (!is_known)
        rt_log_unhonoured("ACLNN_CPU_CHECK", text,
                          "its words are race, memory, init, leak, device and all; others are left "
                          "out");
    return flags;
}

/* Each line is text, or kind:text; # begins a comment. */
static void read_suppressions(const char *path)
{
    FILE *lines = fopen(path, "re");
    if (!lines) {
        rt_log_unhonoured("ACLNN_CPU_CHECK_SUPPRESS", path,
                          "it cannot be opened; nothing is suppressed");
        return;
    }
    while (suppression_count < SUPPRESSIONS &&
           fgets(suppressions[suppression_count], LINE, lines)) {
        char *line = suppressions[suppression_count];
        line[strcspn(line, "#\r\n")] = '\0';
        size_t length = strlen(line);
        while (length > 0 && line[length - 1] == ' ')
            line[--length] = '\0';
        suppression_count += length > 0;
    }
    fclose(lines);
}

unsigned rt_check_settings_read(void)
{
    const char *kinds = variable("ACLNN_CPU_CHECK");
    const unsigned flags = kinds ? read_kinds(kinds) : 0;
    if (flags == 0) return 0;
    const char *pattern = variable("ACLNN_CPU_CHECK_FILE");
    char path[PATH_MAX];
    bool has_id;
    if (pattern && rt_file_name(pattern, path, &has_id)) file = fopen(path, "ae");
    if (pattern && !file)
        rt_log_unhonoured("ACLNN_CPU_CHECK_FILE", pattern, "it cannot be opened; stderr is all");
    const char *suppress = variable("ACLNN_CPU_CHECK_SUPPRESS");
    if (suppress) read_suppressions(suppress);
    const char *wants_all = variable("ACLNN_CPU_CHECK_REPEAT");
    repeats = wants_all && strcmp(wants_all, "1") == 0;
    const char *wants_exit = variable("ACLNN_CPU_CHECK_EXIT");
    exits = wants_exit && strcmp(wants_exit, "1") == 0;
    if (wants_exit && !exits && strcmp(wants_exit, "0") != 0)
        rt_log_unhonoured("ACLNN_CPU_CHECK_EXIT", wants_exit, "it must be 0 or 1; 0 is taken");
    return flags;
}

/* --- one report ----------------------------------------------------------------------------- */

static bool was_told(const struct rt_check_report *report)
{
    const uint32_t first =
        report->count > 0 && report->parties[0].site ? report->parties[0].site->number : 0;
    const uint32_t second =
        report->count > 1 && report->parties[1].site ? report->parties[1].site->number : 0;
    struct told **bucket = &told[(first * 31 + second) % TOLD_BUCKETS];
    for (const struct told *one = *bucket; one; one = one->next)
        if (one->first == first && one->second == second && strcmp(one->rule, report->rule) == 0)
            return true;
    struct told *one = rt_alloc(sizeof *one);
    if (!one) return false;
    *one = (struct told){.next = *bucket, .rule = report->rule, .first = first, .second = second};
    *bucket = one;
    return false;
}

static bool is_suppressed(const struct rt_check_report *report)
{
    for (int i = 0; i < suppression_count; i++) {
        const char *line = suppressions[i];
        const size_t kind = strlen(report->kind);
        const char *colon = strchr(line, ':');
        if (colon) {
            if ((size_t)(colon - line) != kind || strncmp(line, report->kind, kind) != 0) continue;
            line = colon + 1;
        }
        for (int p = 0; p < report->count; p++) {
            const struct rt_check_party *party = &report->parties[p];
            if ((party->name && strstr(party->name, line)) || rt_check_site_has(party->site, line))
                return true;
        }
    }
    return false;
}

static void write_json_text(const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

static void write_json(const struct rt_check_report *report)
{
    char frame[RT_CHECK_FRAME_TEXT];
    fprintf(file, "{\"kind\":\"%s\",\"rule\":\"%s\",\"pid\":%d,\"text\":", report->kind,
            report->rule, (int)getpid());
    write_json_text(report->text);
    if (report->cure) {
        fputs(",\"cure\":", file);
        write_json_text(report->cure);
    }
    fputs(",\"parties\":[", file);
    for (int p = 0; p < report->count; p++) {
        const struct rt_check_party *party = &report->parties[p];
        fprintf(file, "%s{\"title\":\"%s\",\"serial\":%" PRIu64 ",\"stream\":%" PRIu64 ",\"name\":",
                p ? "," : "", party->title, party->serial, party->stream);
        write_json_text(party->name ? party->name : "");
        fputs(",\"stack\":[", file);
        for (int i = 0; party->site && i < party->site->depth; i++) {
            rt_check_site_frame(party->site, i, frame);
            if (i) fputc(',', file);
            write_json_text(frame);
        }
        fputs("]}", file);
    }
    fputs("]}\n", file);
    fflush(file);
}

bool rt_check_report(const struct rt_check_report *report)
{
    char frame[RT_CHECK_FRAME_TEXT];
    if (!repeats && was_told(report)) return false;
    if (is_suppressed(report)) {
        suppressed++;
        return false;
    }
    found++;
    flockfile(stderr);
    fprintf(stderr, "aclnn-cpu check: %s: %s\n", report->kind, report->text);
    for (int p = 0; p < report->count; p++) {
        const struct rt_check_party *party = &report->parties[p];
        fprintf(stderr, "    %s:", party->title);
        for (int i = 0; party->site && i < party->site->depth; i++) {
            rt_check_site_frame(party->site, i, frame);
            fprintf(stderr, "%s%s\n", i ? "        " : " ", frame);
            if (strncmp(frame, "main+", 5) == 0) break;
        }
        if (!party->site || party->site->depth == 0) fputs(" unknown\n", stderr);
    }
    if (report->cure) fprintf(stderr, "    cure: %s\n", report->cure);
    funlockfile(stderr);
    if (file) write_json(report);
    return true;
}

void rt_check_report_end(void)
{
    if (found + suppressed == told_of_end) return;
    told_of_end = found + suppressed;
    fprintf(stderr, "aclnn-cpu check: %" PRIu64 " found, %" PRIu64 " suppressed\n", found,
            suppressed);
}

void rt_check_report_exit(void)
{
    if (!exits || found == 0) return;
    fflush(NULL);
    _exit(EXIT_STATUS);
}
