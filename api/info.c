/* SPDX-License-Identifier: Apache-2.0 */
#include "aclnnext/aclnnext_info.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "acl/acl.h"
#include "api/op_args.h"
#include "api/op_check.h"
#include "kernels/blis/k_blis.h"
#include "kernels/conv/k_conv.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "runtime/support/base.h"
#include "runtime/support/config.h"

static const struct {
    const char *name, *types, *note, *indices;
} operators[] = {
#define OPERATOR(name, family, core, types, rule, arguments) {#name, OP_TEXT(types), "", ""},
#define OPERATOR_BY_HAND(name, family, types, indices, note, arguments)                            \
    {#name, OP_TEXT(types), note, OP_TEXT(indices)},
#include "api/operators.def"
};

/* As the README lists them; a test compares. */
static const struct {
    const char *name, *meaning;
} variables[] = {
    {"ACLNN_CPU_THREADS", "threads the library may use"},
    {"ACLNN_CPU_ISA", "instruction set instead of the best"},
    {"ACLNN_CPU_WAY", "kernel:way, ...: takes these ways where they are possible"},
    {"ACLNN_CPU_MATH", "exact: every cubeMathType computes as 0"},
    {"ACLNN_CPU_LOG", "plan, calls: prints each plan, a line per operator call"},
    {"ACLNN_CPU_TIMELINE", "file that takes a timeline of the run; %p: the process"},
    {"ACLNN_CPU_SUMMARY", "1: prints a table per operator at the end"},
    {"ACLNN_CPU_CHECK",
     "race, memory, init, leak, device, all: tells what is wrong in the program"},
    {"ACLNN_CPU_CHECK_FILE", "file that takes its reports as JSON lines; %p: the process"},
    {"ACLNN_CPU_CHECK_SUPPRESS", "file of call sites that it is silent about"},
    {"ACLNN_CPU_CHECK_EXIT", "1: exit status 86 when it has found something"},
    {"ACLNN_CPU_CHECK_REPEAT", "1: each pair of operations, not each pair of call sites"},
    {"ACLNN_CPU_DEVICES", "so many devices, 1 to 64"},
    {"ACLNN_CPU_DEVICE_MEMORY", "size of each device's memory"},
    {"ACLNN_CPU_SOC", "what aclrtGetSocName answers"},
    {"ACLNN_CPU_STRICT", "1: what that chip does not take is refused"},
    {"ASCEND_LAUNCH_BLOCKING", "1: every launch waits for its work"},
    {"ASCEND_GLOBAL_LOG_LEVEL", "0 debug, 1 info, 2 warning, 3 error, 4 nothing"},
    {"ASCEND_SLOG_PRINT_TO_STDOUT", "1: the log goes to stdout instead of stderr"},
};

/* Text that grows beyond the room it has, without being written there. */
struct page {
    char *text;
    size_t size, used;
};

static void put(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct page *page, const char *format, ...)
{
    size_t room = page->used < page->size ? page->size - page->used : 0;
    va_list list;
    va_start(list, format);
    int length = vsnprintf(room > 0 ? page->text + page->used : NULL, room, format, list);
    va_end(list);
    if (length > 0) page->used += (size_t)length;
}

static void put_library(struct page *page)
{
    Dl_info info;
    put(page, "%-18s%s, the interface of CANN 8.5.0\n", "aclnn-cpu", ACLNN_CPU_VERSION);
    if (dladdr((const void *)operators, &info) && info.dli_fname)
        put(page, "%-18s%s\n", "library", info.dli_fname);
}

static void put_cpu(struct page *page)
{
    char line[256], *colon = NULL;
    struct utsname system = {0};
    uname(&system);
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !colon && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0) colon = strchr(line, ':');
    if (file) fclose(file);
    if (colon) colon[strcspn(colon, "\n")] = '\0';
    put(page, "%-18s%s%s, %ld online, L2 %zu KiB, last level %zu KiB\n", "CPU", system.machine,
        colon ? colon + 1 : "", sysconf(_SC_NPROCESSORS_ONLN), k_cache_l2() >> 10,
        k_cache_last_level() >> 10);
}

static void put_instructions(struct page *page)
{
    const struct k_table *tables[8];
    size_t count = k_tables(tables, RT_LENGTH(tables));
    const char *used = k_best()->isa, *asked = getenv("ACLNN_CPU_ISA");
    put(page, "%-18s%s: ", "instruction set", used);
    if (!asked || !*asked)
        put(page, "the best that this CPU runs");
    else if (!k_isa_refused())
        put(page, "ACLNN_CPU_ISA asks for %s", asked);
    else
        put(page, "the best; ACLNN_CPU_ISA asks for %s, which this CPU or build has not", asked);
    put(page, " (of");
    for (size_t i = 0; i < count && i < RT_LENGTH(tables); i++)
        put(page, " %s", tables[i]->isa);
    put(page, ")\n");
}

static void put_threads(struct page *page)
{
    const struct rt_config *config = rt_config();
    put(page, "%-18s%d: ", "threads", config->threads);
    if (config->threads_asked)
        put(page, "ACLNN_CPU_THREADS asks for them");
    else if (config->quota_cpus > 0 && config->threads == config->quota_cpus)
        put(page, "the CPU quota of the control group");
    else
        put(page, "one for each CPU that this process may use");
    put(page, " (%d in the affinity mask", config->mask_cpus);
    if (config->quota_cpus > 0) put(page, ", a quota of %d", config->quota_cpus);
    put(page, ")%s\n", config->threads_fill_cpus ? ", each bound to its CPU" : "");
    if (config->devices > 1) put(page, "%-18s%d\n", "devices", config->devices);
    put(page, "%-18s%zu MiB%s\n", "device memory", config->device_memory >> 20,
        config->devices > 1 ? " each" : "");
}

static void put_operators(struct page *page)
{
    put(page, "\nOperators: data types; index types\n");
    for (size_t i = 0; i < RT_LENGTH(operators); i++)
        put(page, "  %-47s %s%s%s; %s\n", operators[i].name, operators[i].types,
            operators[i].note[0] ? "; " : "", operators[i].note,
            operators[i].indices[0] ? operators[i].indices : "-");
}

static void put_variables(struct page *page)
{
    put(page, "\nEnvironment\n");
    for (size_t i = 0; i < RT_LENGTH(variables); i++) {
        const char *value = getenv(variables[i].name);
        put(page, "  %-30s%s%s%s  %s\n", variables[i].name, value ? "\"" : "",
            value ? value : "(unset)", value ? "\"" : "", variables[i].meaning);
    }
}

aclnnStatus aclnnextGetInfo(char *text, size_t size, size_t *needed)
{
    OP_CHECK_NOT_NULL("aclnnextGetInfo", needed);
    OP_CHECK("aclnnextGetInfo", text || size == 0, ACLNN_ERR_PARAM_NULLPTR,
             "text is NULL although size is %zu", size);
    struct page page = {.text = text, .size = size};
    put_library(&page);
    put_cpu(&page);
    put_instructions(&page);
    put(&page, "%-18s%s\n", "BLIS", k_blis_arch() ? k_blis_arch() : "not in this build");
    put_threads(&page);
    put_operators(&page);
    put_variables(&page);
    *needed = page.used + 1;
    return ACLNN_SUCCESS;
}
