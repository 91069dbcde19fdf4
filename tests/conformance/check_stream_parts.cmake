# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=<source tree> -P check_stream_parts.cmake: fails when a file of the runtime writes a part of struct rt_stream
# (runtime/schedule/queue.h) that belongs to another. queue.c resets all of them in the child of a fork.
cmake_minimum_required(VERSION 3.25)

set(owners_error schedule/stream.c)
set(owners_park schedule/run.c)
set(owners_sleep schedule/wait.c)
set(owners_grace schedule/grace.c)
set(owners_lists schedule/worker.c)
set(owners_watch schedule/watch.c)
set(owners_waits_at event/mark.c event/notify.c event/value.c callback/host_func.c)
set(owners_callback callback/subscriber.c callback/callback.c callback/callback_task.c)
set(owners_capture capture/stream_capture.c capture/task_group.c)

set(wrong "")
file(GLOB_RECURSE files RELATIVE ${ROOT}/runtime ${ROOT}/runtime/*.c ${ROOT}/runtime/*.h)
foreach(part error park sleep grace lists watch waits_at callback capture)
    set(writes 0)
    foreach(file IN LISTS files)
        # assignments, counts up and down, and what atomic functions write
        file(STRINGS ${ROOT}/runtime/${file} lines REGEX
            "->${part}\\.[a-z_]+ *([-+|&]?=[^=]|[+][+]|--)|atomic_(store|exchange|fetch)[a-z_]*\\(&[a-z_]+->([a-z_]+->)*${part}\\.")
        foreach(line IN LISTS lines)
            if(file IN_LIST owners_${part})
                math(EXPR writes "${writes} + 1")
            elseif(NOT file STREQUAL "schedule/queue.c")
                string(APPEND wrong "runtime/${file} writes ${part}, which is ${owners_${part}}'s: ${line}\n")
            endif()
        endforeach()
    endforeach()
    if(writes EQUAL 0)
        string(APPEND wrong "nobody writes ${part}; is it still a part of struct rt_stream?\n")
    endif()
endforeach()
if(wrong)
    message(FATAL_ERROR "${wrong}")
endif()
message(STATUS "every part of a stream is written by its own file")
