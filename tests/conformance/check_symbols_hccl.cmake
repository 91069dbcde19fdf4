# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=<source tree> -DLIBRARY=<libhccl.so> -DNM=<nm> -P check_symbols_hccl.cmake: the functions that hccl/hccl.h
# declares and those that the library exports are the same.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+ [TWVBD]" exported "${output}")
list(TRANSFORM exported REPLACE "\n| .*" "")
file(READ ${ROOT}/api/include/hccl/hccl.h text)
string(REGEX MATCHALL "\n(HcclResult|const char \\*|uint32_t) ?Hccl[A-Za-z]+\\(" declared "${text}")
list(TRANSFORM declared REPLACE ".*(Hccl[A-Za-z]+)\\($" "\\1")
list(REMOVE_ITEM declared HcclResult)
list(REMOVE_DUPLICATES declared)
list(SORT declared)
list(SORT exported)
list(LENGTH declared count)
if(count LESS 33 OR NOT "${declared}" STREQUAL "${exported}")
    message(FATAL_ERROR "declared (${count}): ${declared}\nexported: ${exported}")
endif()
message(STATUS "${count} functions are declared and exported")
