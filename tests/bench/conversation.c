/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/conversation.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void conversation_refuse(cJSON *reply, const char *why)
{
    cJSON_ReplaceItemInObject(reply, "ok", cJSON_CreateFalse());
    cJSON_AddStringToObject(reply, "why", why);
}

const char *conversation_text(const cJSON *request, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(request, key));
    return text == NULL ? "" : text;
}

static void say(FILE *out, cJSON *message)
{
    char *line = cJSON_PrintUnformatted(message);
    fprintf(out, "%s\n", line);
    fflush(out);
    cJSON_free(line);
    cJSON_Delete(message);
}

bool conversation_run(const char *name, void (*hello)(cJSON *greeting),
                      conversation_answer_fn *answer, const void *contender)
{
    FILE *out = fdopen(dup(STDOUT_FILENO), "w");
    if (out == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return false;
    cJSON *greeting = cJSON_CreateObject();
    cJSON_AddStringToObject(greeting, "name", name);
    hello(greeting);
    say(out, greeting);

    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        cJSON *request = cJSON_Parse(line);
        cJSON *reply = cJSON_CreateObject();
        cJSON_AddTrueToObject(reply, "ok");
        answer(contender, request, reply);
        say(out, reply);
        cJSON_Delete(request);
    }
    free(line);
    fclose(out);
    return true;
}
