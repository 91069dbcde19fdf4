# SPDX-License-Identifier: Apache-2.0
# What keeps a mistake from becoming somebody's door: every room links aclnn_hardening, every shared library is linked with
# aclnn_hardened_links. tests/conformance/check_hardening.cmake reads it back. Kernels of a level have no stack protector
# and no checked calls: their loops call nothing, write to no array by a length that a program gives them, and keep
# hundreds of KiB on the stack. No CET notes: Debian's crti.o and crtn.o have none, so its linker drops them from every library. Sanitizers check more than these do and do not go with checked calls.
add_library(aclnn_hardening INTERFACE)
add_library(aclnn_hardened_links INTERFACE)
target_link_options(aclnn_hardened_links INTERFACE LINKER:-z,relro LINKER:-z,now)
if(NOT ACLNN_CPU_SANITIZE)
    target_compile_options(aclnn_hardening INTERFACE -fstack-protector-strong
        $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE>
        $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)
endif()
