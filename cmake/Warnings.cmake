# SPDX-License-Identifier: Apache-2.0
# The warnings every target of ours is compiled with; they are errors.
option(ACLNN_CPU_WERROR "Warnings are errors" ON)
add_library(aclnn_warnings INTERFACE)
target_compile_options(aclnn_warnings INTERFACE
    -Wall -Wextra -Wshadow -Wundef -Wpointer-arith -Wcast-align -Wwrite-strings -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>
    $<$<BOOL:${ACLNN_CPU_WERROR}>:-Werror>)
