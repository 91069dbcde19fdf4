# SPDX-License-Identifier: Apache-2.0
# cmake -DREADELF=readelf -DFOLDER=lib64 -P check_hardening.cmake: every library is bound when it is loaded and read-only
# afterwards, has no executable stack, and the real one has a stack protector and checked calls.
cmake_minimum_required(VERSION 3.25)

function(expect library text pattern what)
    if(NOT text MATCHES "${pattern}")
        message(FATAL_ERROR "${library}: ${what}")
    endif()
endfunction()

file(GLOB libraries ${FOLDER}/*.so)
list(LENGTH libraries count)
if(count LESS 6)
    message(FATAL_ERROR "${FOLDER} has ${count} libraries, not six or more")
endif()
foreach(library IN LISTS libraries)
    execute_process(COMMAND ${READELF} -W -d -l ${library} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    expect(${library} "${text}" "\\((FLAGS_1\\)[^\n]* NOW|BIND_NOW\\)|FLAGS\\)[^\n]*BIND_NOW)" "symbols are not bound when it is loaded")
    expect(${library} "${text}" "GNU_RELRO" "no part is read-only after relocation")
    expect(${library} "${text}" "GNU_STACK[^\n]* RW " "the stack is executable")
endforeach()
execute_process(COMMAND ${READELF} -W --dyn-syms ${FOLDER}/libaclnn_cpu.so OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
expect(libaclnn_cpu.so "${text}" " __stack_chk_fail" "there is no stack protector")
expect(libaclnn_cpu.so "${text}" " __[a-z]+_chk" "no call is checked (_FORTIFY_SOURCE)")
