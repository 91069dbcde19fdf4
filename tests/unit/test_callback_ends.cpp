/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program that do not return, and subscribed threads that end. */
#include <atomic>
#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <string.h>
#include <time.h>

#include "acl/acl.h"

namespace
{

const int PATIENCE_MS = 20000;

void expect_error(aclrtStream stream, aclError code, const char *text)
{
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(stream, PATIENCE_MS), code);
    const char *found = aclGetRecentErrMsg();
    cr_expect(found && strstr(found, text), "%s", found ? found : "no text");
}

int count;

void add_one(void *)
{
    count++;
}

void throw_something(void *)
{
    throw std::runtime_error("thrown by a callback");
}

void end_thread(void *)
{
    pthread_exit(NULL);
}

/* A thread that runs callbacks until it is told to end. */
struct server {
    pthread_t thread;
    sem_t ready;
    sem_t leave; /* it ends without another aclrtProcessReport */
    std::atomic<bool> is_leaving;
    int caught;
};

void *serve(void *argument)
{
    server *self = static_cast<server *>(argument);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    sem_post(&self->ready);
    while (!self->is_leaving) {
        try {
            (void)aclrtProcessReport(10);
        } catch (const std::runtime_error &) {
            self->caught++;
        }
    }
    return NULL;
}

void *stand(void *argument)
{
    server *self = static_cast<server *>(argument);
    sem_post(&self->ready);
    while (sem_wait(&self->leave) != 0) {
    }
    return NULL;
}

void start(server *self, void *(*function)(void *))
{
    self->is_leaving = false;
    self->caught = 0;
    sem_init(&self->ready, 0, 0);
    sem_init(&self->leave, 0, 0);
    cr_assert_eq(pthread_create(&self->thread, NULL, function, self), 0);
    while (sem_wait(&self->ready) != 0) {
    }
}

aclrtStream open_stream(const server *subscriber)
{
    aclrtStream stream;
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    if (subscriber)
        cr_assert_eq(aclrtSubscribeReport(static_cast<uint64_t>(subscriber->thread), stream),
                     ACL_SUCCESS);
    return stream;
}

void close_all(const server *subscriber, aclrtStream stream)
{
    if (subscriber)
        cr_expect_eq(aclrtUnSubscribeReport(static_cast<uint64_t>(subscriber->thread), stream),
                     ACL_SUCCESS);
    cr_expect_eq(aclrtDestroyStream(stream), ACL_SUCCESS);
    cr_expect_eq(aclFinalize(), ACL_SUCCESS);
}

} // namespace

Test(callback_ends, an_exception_leaves_the_thread_subscribed, .timeout = 60)
{
    server server;
    start(&server, serve);
    aclrtStream stream = open_stream(&server);
    const aclrtCallbackBlockType types[] = {ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(aclrtLaunchCallback(throw_something, NULL, types[i], stream), ACL_SUCCESS);
        cr_assert_eq(aclrtLaunchCallback(add_one, NULL, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
        expect_error(stream, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "did not return");
        cr_expect_eq(count, i + 1, "what is queued behind it runs");
    }
    server.is_leaving = true;
    pthread_join(server.thread, NULL);
    cr_expect_eq(server.caught, 2);
    close_all(&server, stream);
}

Test(callback_ends, a_callback_ends_its_thread, .timeout = 60)
{
    server server;
    start(&server, serve);
    aclrtStream stream = open_stream(&server);
    cr_assert_eq(aclrtLaunchCallback(end_thread, NULL, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
    expect_error(stream, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "did not return");
    pthread_join(server.thread, NULL);
    cr_expect_eq(aclrtLaunchCallback(add_one, NULL, ACL_CALLBACK_BLOCK, stream),
                 ACL_ERROR_RT_STREAM_NO_CB_REG);
    close_all(&server, stream);
}

/* Callbacks of both kinds are queued when it ends; it may have run some of them before, and others
 * may be refused since it has ended already. */
Test(callback_ends, what_an_ended_thread_leaves_fails, .timeout = 60)
{
    const aclrtCallbackBlockType types[] = {ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK};
    server server;
    start(&server, serve);
    aclrtStream stream = open_stream(&server), others[2];
    for (int i = 0; i < 2; i++)
        others[i] = open_stream(&server);
    cr_assert_eq(aclrtLaunchCallback(end_thread, NULL, ACL_CALLBACK_NO_BLOCK, stream), ACL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        aclError status = aclrtLaunchCallback(add_one, NULL, types[i], others[i]);
        cr_assert(status == ACL_SUCCESS || status == ACL_ERROR_RT_STREAM_NO_CB_REG);
    }
    (void)aclrtSynchronizeStreamWithTimeout(stream, PATIENCE_MS);
    pthread_join(server.thread, NULL);
    for (int i = 0; i < 2; i++)
        if (aclrtSynchronizeStreamWithTimeout(others[i], PATIENCE_MS) != ACL_SUCCESS)
            cr_expect(strstr(aclGetRecentErrMsg(), "has ended"));
    close_all(&server, stream);
}

/* Nobody has seen the thread, and nobody tells that it ends. */
Test(callback_ends, a_thread_that_never_came, .timeout = 60)
{
    server server;
    start(&server, stand);
    aclrtStream stream = open_stream(&server);
    cr_assert_eq(aclrtLaunchCallback(add_one, NULL, ACL_CALLBACK_NO_BLOCK, stream), ACL_SUCCESS);
    cr_assert_eq(aclrtLaunchCallback(add_one, NULL, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
    cr_expect_eq(aclrtSynchronizeStreamWithTimeout(stream, 50), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    sem_post(&server.leave);
    pthread_join(server.thread, NULL);
    expect_error(stream, ACL_ERROR_RT_STREAM_NO_CB_REG, "has ended");
    cr_expect_eq(aclrtLaunchCallback(add_one, NULL, ACL_CALLBACK_BLOCK, stream),
                 ACL_ERROR_RT_STREAM_NO_CB_REG);
    cr_expect_eq(count, 0);
    close_all(&server, stream);
}

Test(callback_ends, a_stream_of_an_ended_thread_is_destroyed, .timeout = 60)
{
    server server;
    start(&server, stand);
    aclrtStream stream = open_stream(&server);
    cr_assert_eq(aclrtLaunchCallback(add_one, NULL, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
    sem_post(&server.leave);
    pthread_join(server.thread, NULL);
    close_all(NULL, stream);
}

Test(callback_ends, a_host_function_ends_its_thread, .timeout = 60)
{
    aclrtStream stream = open_stream(NULL);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(aclrtLaunchHostFunc(stream, end_thread, NULL), ACL_SUCCESS);
        cr_assert_eq(aclrtLaunchHostFunc(stream, add_one, NULL), ACL_SUCCESS);
        expect_error(stream, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "did not return");
        cr_expect_eq(count, i + 1, "what is queued behind it runs");
    }
    close_all(NULL, stream);
}

static void end_thread_of(aclrtExceptionInfo *)
{
    count++;
    pthread_exit(NULL);
}

Test(callback_ends, an_exception_callback_ends_its_thread, .timeout = 60)
{
    aclrtStream stream = open_stream(NULL);
    aclrtEvent never;
    cr_assert_eq(aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC), ACL_SUCCESS);
    cr_assert_eq(aclrtSetExceptionInfoCallback(end_thread_of), ACL_SUCCESS);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(aclrtStreamWaitEventWithTimeout(stream, never, 1), ACL_SUCCESS);
    expect_error(stream, ACL_ERROR_RT_WAIT_TIMEOUT, "longer");
    cr_expect_eq(count, 2);
    close_all(NULL, stream);
}
