/* SPDX-License-Identifier: Apache-2.0 */
/* A contender's conversation with the bench: a line of JSON in, a line out, until the input ends.
 * What libraries print meanwhile goes to standard error. */
#ifndef ACLNN_CPU_TESTS_BENCH_CONVERSATION_H
#define ACLNN_CPU_TESTS_BENCH_CONVERSATION_H

#include <stdbool.h>

#include <cjson/cJSON.h>

/* Fills in the reply, which has "ok": true. request is NULL when the line was no JSON. */
typedef void conversation_answer_fn(const void *contender, const cJSON *request, cJSON *reply);

/* Says the name and what hello adds to it, then answers. False: there is no pipe to talk through.
 */
bool conversation_run(const char *name, void (*hello)(cJSON *greeting),
                      conversation_answer_fn *answer, const void *contender);

/* "ok": false, and why. */
void conversation_refuse(cJSON *reply, const char *why);

/* A request's text; "" when it has none under that key. */
const char *conversation_text(const cJSON *request, const char *key);

#endif
