/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of errors. Each thread collects in a buffer of its own, made at its first error and freed
 * when it ends; with err_msg_mode "1" all collect in one, guarded by process_lock. No other lock is
 * taken while process_lock is held. */
#include "runtime/support/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "runtime/support/alloc.h"
#include "runtime/support/base.h"
#include "runtime/support/log.h"

enum { ROOM = 4096, LONGEST_TEXT = 1024 };

/* Lines divided by '\n'; the terminating zero is counted in ROOM but not in length. */
struct collected {
    size_t length;
    bool is_note; /* all of it: one line of rt_error_note */
    char text[ROOM];
};

/* What aclGetRecentErrMsg handed out stays valid until its next call: two buffers take turns. */
struct thread_texts {
    struct collected turn[2];
    int current;
};

static _Thread_local struct thread_texts *thread_texts;
static _Thread_local bool text_lost; /* an error came when there was no memory for a buffer */
static _Thread_local int32_t last_error;

static atomic_bool process_wide;
static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static struct collected process_texts; /* guarded by process_lock */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static bool has_key;

static void free_thread_texts(void *texts)
{
    rt_free(texts);
    thread_texts = NULL;
}

static void lock_process_texts(void)
{
    pthread_mutex_lock(&process_lock);
}

static void unlock_process_texts(void)
{
    pthread_mutex_unlock(&process_lock);
}

static void prepare(void)
{
    has_key = pthread_key_create(&at_thread_end, free_thread_texts) == 0;
    pthread_atfork(lock_process_texts, unlock_process_texts, unlock_process_texts);
}

/* The thread that ends the process runs no key destructors. */
__attribute__((destructor)) static void free_last_texts(void)
{
    if (has_key) pthread_key_delete(at_thread_end);
    has_key = false;
    free_thread_texts(thread_texts);
}

/* NULL without memory. */
static struct thread_texts *own_texts(void)
{
    if (thread_texts) return thread_texts;
    pthread_once(&once, prepare);
    if (!has_key) return NULL;
    struct thread_texts *texts = rt_alloc(sizeof *texts);
    if (!texts) return NULL;
    texts->turn[0].length = texts->turn[1].length = 0;
    texts->turn[0].is_note = texts->turn[1].is_note = false;
    texts->current = 0;
    if (pthread_setspecific(at_thread_end, texts) != 0) {
        rt_free(texts);
        return NULL;
    }
    thread_texts = texts;
    return texts;
}

/* Adds a line; the oldest lines make room for it, because the newest error is the one asked for. */
static void collect(struct collected *to, const char *line, size_t length, bool is_note)
{
    if (is_note && to->length > 0 && !to->is_note) return;
    if (to->is_note) to->length = 0;
    to->is_note = is_note;
    while (to->length + 1 + length + 1 > ROOM) {
        char *end = memchr(to->text, '\n', to->length);
        size_t oldest = end ? (size_t)(end + 1 - to->text) : to->length;
        memmove(to->text, to->text + oldest, to->length - oldest);
        to->length -= oldest;
    }
    if (to->length > 0) to->text[to->length++] = '\n';
    memcpy(to->text + to->length, line, length);
    to->length += length;
    to->text[to->length] = '\0';
}

static void store(const char *line, size_t length, bool is_note)
{
    if (atomic_load_explicit(&process_wide, memory_order_relaxed)) {
        pthread_once(&once, prepare);
        lock_process_texts();
        collect(&process_texts, line, length, is_note);
        unlock_process_texts();
        return;
    }
    struct thread_texts *texts = own_texts();
    if (texts)
        collect(&texts->turn[texts->current], line, length, is_note);
    else
        text_lost = true;
}

/* Codes of rt_error_codes.h: those the runtime below the acl functions answers with. */
static bool is_runtime_code(int32_t code)
{
    return code / 1000 == 107 || code / 1000 == 207 || code / 1000 == 507;
}

static void report(int32_t code, bool is_note, const char *who, const char *format, va_list list)
    __attribute__((format(printf, 4, 0)));

static void report(int32_t code, bool is_note, const char *who, const char *format, va_list list)
{
    char line[LONGEST_TEXT];
    int head = snprintf(line, sizeof line, "%.200s: ", who ? who : "aclnn-cpu");
    int tail = vsnprintf(line + head, sizeof line - (size_t)head, format, list);
    size_t length = (size_t)head + (tail > 0 ? (size_t)tail : 0);
    if (length >= sizeof line) {
        length = sizeof line - 1;
        memcpy(line + length - 3, "...", 3);
    }
    store(line, length, is_note);
    if (is_runtime_code(code)) last_error = code;
    rt_log(is_note ? ACL_INFO : ACL_ERROR, "%d %s (%s) %s", code, rt_error_name(code),
           rt_error_text(code), line);
}

int32_t rt_error_report(int32_t code, const char *who, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(code, false, who, format, list);
    va_end(list);
    return code;
}

int32_t rt_error_note(int32_t code, const char *who, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(code, true, who, format, list);
    va_end(list);
    return code;
}

void rt_error_set_process_wide(bool on)
{
    atomic_store(&process_wide, on);
}

const char *aclGetRecentErrMsg(void)
{
    struct thread_texts *texts = thread_texts;
    if (atomic_load_explicit(&process_wide, memory_order_relaxed)) {
        texts = own_texts();
        if (!texts) return NULL;
        lock_process_texts();
        struct collected *own = &texts->turn[texts->current];
        memcpy(own->text, process_texts.text, process_texts.length + 1);
        own->length = process_texts.length;
        process_texts.length = 0;
        unlock_process_texts();
    }
    struct collected *recent = texts ? &texts->turn[texts->current] : NULL;
    bool lost = text_lost;
    text_lost = false;
    if (recent && recent->length > 0) {
        recent->length = 0;
        texts->current = !texts->current;
        texts->turn[texts->current].length = 0;
        return recent->text;
    }
    return lost ? "the text of an error was lost: host memory is exhausted" : NULL;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    RT_CHECK(level == ACL_RT_THREAD_LEVEL, ACL_ERROR_INVALID_PARAM,
             "level is %d; it must be ACL_RT_THREAD_LEVEL (0)", (int)level);
    return last_error;
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    RT_CHECK(level == ACL_RT_THREAD_LEVEL, ACL_ERROR_INVALID_PARAM,
             "level is %d; it must be ACL_RT_THREAD_LEVEL (0)", (int)level);
    aclError error = last_error;
    last_error = ACL_SUCCESS;
    return error;
}

struct code {
    int32_t value;
    const char *name;
    const char *text;
};

static const struct code codes[] = {
#define RT_CODE(value, name, text) {value, #name, text},
#include "runtime/support/error.def"
#undef RT_CODE
};

static const struct code *find_code(int32_t value)
{
    for (size_t i = 0; i < RT_LENGTH(codes); i++) {
        if (codes[i].value == value) return &codes[i];
    }
    return NULL;
}

const char *rt_error_name(int32_t code)
{
    const struct code *found = find_code(code);
    return found ? found->name : "";
}

const char *rt_error_text(int32_t code)
{
    const struct code *found = find_code(code);
    return found ? found->text : "";
}
