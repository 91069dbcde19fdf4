# SPDX-License-Identifier: Apache-2.0
# Every target of ours links aclnn_sanitizers, kernels aclnn_kernel_sanitizers. Both are empty unless ACLNN_CPU_SANITIZE
# names sanitizers or ACLNN_CPU_FUZZ asks for the fuzzer's coverage counters.
# Kernels are large inlined bodies, on which Clang's instrumentation takes minutes: there its address checks are calls, and
# undefined behaviour in kernels is left to the GCC builds (42 s for one source, where both inlined took over 200). GCC takes
# a third of the time with -O1 -g1.
add_library(aclnn_sanitizers INTERFACE)
add_library(aclnn_kernel_sanitizers INTERFACE)
string(REPLACE "," ";" sanitizers "${ACLNN_CPU_SANITIZE}")
foreach(target aclnn_sanitizers aclnn_kernel_sanitizers)
    set(chosen ${sanitizers})
    set(flags -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(target STREQUAL aclnn_kernel_sanitizers AND CMAKE_C_COMPILER_ID STREQUAL Clang)
        list(REMOVE_ITEM chosen undefined)
        if("address" IN_LIST chosen)
            list(APPEND flags -fsanitize-address-outline-instrumentation)
        endif()
    elseif(target STREQUAL aclnn_kernel_sanitizers)
        list(APPEND flags -O1 -g1)
        # GCC 12 copies structs by 64 bytes, aligned, into frames that the address sanitizer has aligned to 32.
        if("address" IN_LIST chosen AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
            list(APPEND flags -mmove-max=256 -mstore-max=256)
        endif()
    endif()
    if(chosen)
        list(JOIN chosen "," names)
        target_compile_options(${target} INTERFACE -fsanitize=${names} ${flags})
        target_link_options(${target} INTERFACE -fsanitize=${names})
    endif()
endforeach()
if(sanitizers) # tests may delay threads there, see runtime/support/point.h
    target_compile_definitions(aclnn_sanitizers INTERFACE ACLNN_CPU_POINTS)
endif()
if(ACLNN_CPU_FUZZ)
    target_compile_options(aclnn_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()
