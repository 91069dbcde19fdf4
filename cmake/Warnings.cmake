# SPDX-License-Identifier: Apache-2.0
# The warnings every target of ours is compiled with. They are errors with the compilers that everything was built with:
# a later one's new warning shall not keep anybody from a build.
set(known OFF)
if((CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_C_COMPILER_VERSION VERSION_LESS 15)
        OR (CMAKE_C_COMPILER_ID STREQUAL Clang AND CMAKE_C_COMPILER_VERSION VERSION_LESS 23))
    set(known ON)
endif()
option(ACLNN_CPU_WERROR "Warnings are errors" ${known})
add_library(aclnn_warnings INTERFACE)
target_compile_options(aclnn_warnings INTERFACE
    -Wall -Wextra -Wshadow -Wundef -Wpointer-arith -Wcast-align -Wwrite-strings -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>
    $<$<BOOL:${ACLNN_CPU_WERROR}>:-Werror>)
