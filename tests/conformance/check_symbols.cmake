# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=<source tree> -DLIBRARY=<libaclnn_cpu.so> -DNM=<nm> -P check_symbols.cmake: the functions that the public
# headers declare, those that symbols.txt and api/operators.def list and those that the library exports are the same.
cmake_minimum_required(VERSION 3.25)

include(${ROOT}/cmake/Symbols.cmake)
aclnn_symbols(listed ${ROOT})
list(TRANSFORM listed REPLACE "^[a-z_]+ " "")

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY}
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+" exported "${output}")
list(TRANSFORM exported REPLACE "[\n]|@.*" "")

file(GLOB_RECURSE headers ${ROOT}/api/include/*.h)
set(declared "")
foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX MATCHALL "\n(ACL_FUNC_VISIBILITY|ACLNN_API|MSVP_PROF_API|RTS_API|DLLEXPORT) [^;({]*[ *\n]([Aa]cl|Msprof|rt[A-Z]|hal[A-Z])[A-Za-z0-9_]*\\(" found "${text}")
    list(TRANSFORM found REPLACE ".*[ *\n](([Aa]cl|Msprof|rt[A-Z]|hal[A-Z])[A-Za-z0-9_]*)\\($" "\\1")
    list(APPEND declared ${found})
endforeach()
list(REMOVE_DUPLICATES declared) # level2 repeats the headers of aclnnop

# differ(a b text): names in list a that list b lacks.
function(differ a b text)
    set(names ${${a}})
    list(REMOVE_ITEM names ${${b}})
    if(names)
        list(JOIN names " " names)
        set(wrong "${wrong}${text}: ${names}\n" PARENT_SCOPE)
    endif()
endfunction()

list(LENGTH listed count)
if(count EQUAL 0 OR NOT exported OR NOT declared)
    message(FATAL_ERROR "nothing is listed, exported or declared")
endif()
set(wrong "")
differ(exported listed "exported, but not in symbols.txt")
differ(listed exported "in symbols.txt, but not exported")
differ(declared listed "declared in a public header, but not in symbols.txt")
differ(listed declared "in symbols.txt, but declared in no public header")
if(wrong)
    message(FATAL_ERROR "${wrong}")
endif()
message(STATUS "${count} functions are declared, listed and exported")
