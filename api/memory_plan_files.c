/* SPDX-License-Identifier: Apache-2.0 */
/* Memory plans as files: JSON for programs, SVG for people. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "api/memory_plan.h"
#include "api/op_check.h"
#include "runtime/support/utf8.h"

static aclnnStatus check_arguments(const char *who, const aclnnextMemoryPlan *plan,
                                   const char *path)
{
    OP_CHECK_NOT_NULL(who, plan);
    OP_CHECK_NOT_NULL(who, path);
    OP_CHECK(who, plan->is_solved, ACLNN_ERR_PARAM_INVALID,
             "plan has not been solved since its last change");
    return ACLNN_SUCCESS;
}

/* Closes the file; an error of any write before shows here at the latest. */
static aclnnStatus finish(const char *who, FILE *file, const char *path)
{
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    OP_CHECK(who, !failed, ACLNN_ERR_INNER, "cannot write %s: %s", path, strerror(errno));
    return ACLNN_SUCCESS;
}

static aclnnStatus open_file(const char *who, const char *path, FILE **file)
{
    *file = fopen(path, "we");
    OP_CHECK(who, *file, ACLNN_ERR_INNER, "cannot open %s: %s", path, strerror(errno));
    return ACLNN_SUCCESS;
}

/* ---- JSON ---- */

static bool add_number(cJSON *object, const char *name, double value)
{
    return cJSON_AddNumberToObject(object, name, value) != NULL;
}

static bool add_buffer(cJSON *buffers, const aclnnextMemoryPlan *plan, int i)
{
    const struct ex_piece *piece = &plan->pieces[i];
    char text[32];
    cJSON *buffer = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(buffers, buffer)) {
        cJSON_Delete(buffer);
        return false;
    }
    bool is_whole = cJSON_AddStringToObject(buffer, "name", op_plan_buffer_name(plan, i, text)) &&
                    add_number(buffer, "offset", (double)piece->offset) &&
                    add_number(buffer, "size", (double)piece->size) &&
                    add_number(buffer, "alignment", (double)piece->alignment) &&
                    add_number(buffer, "firstStep", (double)piece->first) &&
                    add_number(buffer, "lastStep", (double)piece->last);
    if (piece->heir_of != 0) is_whole &= add_number(buffer, "inPlaceOf", piece->heir_of - 1);
    return is_whole;
}

static char *print_json(const aclnnextMemoryPlan *plan)
{
    cJSON *root = cJSON_CreateObject(), *buffers = cJSON_AddArrayToObject(root, "buffers");
    bool is_whole = buffers && add_number(root, "totalSize", (double)plan->total) &&
                    add_number(root, "mostLiveSize", (double)plan->max_alive) &&
                    add_number(root, "mostLiveStep", (double)plan->max_alive_step);
    for (int i = 0; is_whole && i < plan->count; i++)
        is_whole = add_buffer(buffers, plan, i);
    char *text = is_whole ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    return text;
}

aclnnStatus aclnnextMemoryPlanWriteJson(const aclnnextMemoryPlan *plan, const char *path)
{
    FILE *file;
    OP_TRY(check_arguments(__func__, plan, path));
    char *text = print_json(plan);
    OP_CHECK(__func__, text, ACLNN_ERR_INNER, "no host memory for the text of %s", path);
    aclnnStatus status = open_file(__func__, path, &file);
    if (status == ACLNN_SUCCESS) {
        fputs(text, file);
        fputc('\n', file);
        status = finish(__func__, file, path);
    }
    cJSON_free(text);
    return status;
}

/* ---- SVG ---- */

enum {
    WIDTH = 1000,
    HEIGHT = 560, /* of the plot */
    LEFT = 90,
    TOP = 40,
    BOTTOM = 50,
    RIGHT = 20,
    MARKS = 10,       /* at most, along each axis */
    LABEL_WIDTH = 60, /* a box this large has room for its name */
    LABEL_HEIGHT = 12,
    LABEL_LETTER = 6,
};

/* From steps and bytes to the picture. */
struct scale {
    double step, byte;
    double first, end; /* steps */
};

static double x_of(const struct scale *scale, double step)
{
    return LEFT + (step - scale->first) * scale->step;
}

static double y_of(const struct scale *scale, double bytes)
{
    return TOP + HEIGHT - bytes * scale->byte;
}

/* At most so many characters of a name. */
static void put_text(FILE *file, const char *text, size_t max)
{
    for (size_t count = 0; *text && count < max; count++) {
        const char c = *text;
        const size_t length = rt_utf8_character(text);
        if (c == '<' || c == '>' || c == '&' || c == '"')
            fprintf(file, "&#%d;", c);
        else
            fwrite(text, 1, length, file);
        text += length;
    }
}

static const char *bytes_text(double bytes, char text[32])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        bytes /= 1024;
    snprintf(text, 32, "%.4g %s", bytes, units[unit]);
    return text;
}

static struct scale scale_of(const aclnnextMemoryPlan *plan)
{
    double first = 0, end = 1;
    for (int i = 0; i < plan->count; i++) {
        const double begin = (double)plan->pieces[i].first, stop = (double)plan->pieces[i].last + 1;
        if (i == 0 || begin < first) first = begin;
        if (i == 0 || stop > end) end = stop;
    }
    return (struct scale){.step = WIDTH / (end - first),
                          .byte = (double)HEIGHT / (plan->total == 0 ? 1 : (double)plan->total),
                          .first = first,
                          .end = end};
}

/* The least of 1, 2, 5, 10, 20, ... that puts no more than MARKS marks along the range. */
static double mark_distance(double range)
{
    double distance = 1;
    for (int i = 0; range / distance > MARKS; i++)
        distance *= i % 3 == 1 ? 2.5 : 2;
    return distance;
}

static void draw_axes(FILE *file, const aclnnextMemoryPlan *plan, const struct scale *scale)
{
    char text[32];
    double unit = 1;
    while ((double)plan->total / unit >= 1024)
        unit *= 1024;
    const double bytes_apart = mark_distance((double)plan->total / unit) * unit;
    for (double bytes = 0; bytes <= (double)plan->total; bytes += bytes_apart)
        fprintf(file,
                "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                LEFT, y_of(scale, bytes), WIDTH, LEFT - 6, y_of(scale, bytes) + 4,
                bytes_text(bytes, text));
    const double steps = scale->end - scale->first, steps_apart = mark_distance(steps);
    for (double step = 0; step < steps; step += steps_apart)
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n",
                x_of(scale, scale->first + step + 0.5), TOP + HEIGHT + 18, scale->first + step);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">step</text>\n", LEFT + WIDTH / 2,
            TOP + HEIGHT + 38);
}

static void draw_buffer(FILE *file, const aclnnextMemoryPlan *plan, const struct scale *scale,
                        int i)
{
    const struct ex_piece *piece = &plan->pieces[i];
    if (piece->size == 0) return;
    char unnamed[32], size[32];
    const char *name = op_plan_buffer_name(plan, i, unnamed);
    const double x = x_of(scale, (double)piece->first), height = (double)piece->size * scale->byte;
    const double width = ((double)piece->last - (double)piece->first + 1) * scale->step;
    const double y = y_of(scale, (double)piece->offset + (double)piece->size);
    /* Steps of the golden angle: neighbours in the list differ in colour. */
    fprintf(file,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"hsl(%d,55%%,70%%)\" "
            "stroke=\"#333\" stroke-width=\"0.3\"><title>",
            x, y, width, height, (int)((int64_t)i * 137508 / 1000 % 360));
    put_text(file, name, SIZE_MAX);
    fprintf(file, ": %s at %zu, steps %" PRId64 " to %" PRId64 "</title></rect>",
            bytes_text((double)piece->size, size), piece->offset, piece->first, piece->last);
    if (width >= LABEL_WIDTH && height >= LABEL_HEIGHT) {
        fprintf(file, "<text x=\"%.2f\" y=\"%.2f\">", x + 3, y + height / 2 + 4);
        put_text(file, name, (size_t)(width / LABEL_LETTER));
        fputs("</text>", file);
    }
    fputc('\n', file);
}

static void draw_peak(FILE *file, const aclnnextMemoryPlan *plan, const struct scale *scale)
{
    char total[32], max[32];
    const double x = x_of(scale, (double)plan->max_alive_step + 0.5);
    fprintf(file, "<path d=\"M%.1f %dv%d\" stroke=\"#c00\" stroke-dasharray=\"4 3\"/>\n", x, TOP,
            HEIGHT);
    fprintf(file, "<path d=\"M%d %.1fh%d\" stroke=\"#c00\" stroke-dasharray=\"4 3\"/>\n", LEFT,
            y_of(scale, (double)plan->max_alive), WIDTH);
    fprintf(file,
            "<text x=\"%d\" y=\"%d\" font-size=\"14\">%d buffers in %s; at most %s in use at once "
            "(step %" PRId64 ")</text>\n",
            LEFT, TOP - 14, plan->count, bytes_text((double)plan->total, total),
            bytes_text((double)plan->max_alive, max), plan->max_alive_step);
}

static void draw(FILE *file, const aclnnextMemoryPlan *plan)
{
    const struct scale scale = scale_of(plan);
    const int width = LEFT + WIDTH + RIGHT, height = TOP + HEIGHT + BOTTOM;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, height, width, height);
    draw_axes(file, plan, &scale);
    for (int i = 0; i < plan->count; i++)
        draw_buffer(file, plan, &scale, i);
    draw_peak(file, plan, &scale);
    fputs("</svg>\n", file);
}

aclnnStatus aclnnextMemoryPlanWriteSvg(const aclnnextMemoryPlan *plan, const char *path)
{
    FILE *file;
    OP_TRY(check_arguments(__func__, plan, path));
    OP_TRY(open_file(__func__, path, &file));
    /* SVG wants a decimal point, whatever the program's locale has. */
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    draw(file, plan);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return finish(__func__, file, path);
}
