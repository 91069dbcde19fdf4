# SPDX-License-Identifier: Apache-2.0
# Every target of ours links aclnn_sanitizers, kernels of the least level aclnn_kernel_sanitizers, those of wider ones
# aclnn_wide_kernel_sanitizers, tests aclnn_test_sanitizers. They are empty unless ACLNN_CPU_SANITIZE names sanitizers or
# ACLNN_CPU_FUZZ asks for the fuzzer's coverage counters.
# Kernels are large inlined bodies, on which Clang's instrumentation takes minutes: there its address checks are calls, and
# undefined behaviour in kernels is left to the GCC builds (42 s for one source, where both inlined took over 200). GCC takes
# a third to a half of the time with -O1 -g1, and half of that without the checks of undefined behaviour. The wider levels
# do without them: they compile the sources of the least level, and the tests of their primitives have them. Tests do
# without, too; their arrays are guarded all the same.
add_library(aclnn_sanitizers INTERFACE)
add_library(aclnn_kernel_sanitizers INTERFACE)
add_library(aclnn_wide_kernel_sanitizers INTERFACE)
add_library(aclnn_test_sanitizers INTERFACE)
string(REPLACE "," ";" sanitizers "${ACLNN_CPU_SANITIZE}")
foreach(target aclnn_sanitizers aclnn_kernel_sanitizers aclnn_wide_kernel_sanitizers aclnn_test_sanitizers)
    set(chosen ${sanitizers})
    set(flags -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(target MATCHES kernel AND CMAKE_C_COMPILER_ID STREQUAL Clang)
        list(REMOVE_ITEM chosen undefined)
        if("address" IN_LIST chosen)
            list(APPEND flags -fsanitize-address-outline-instrumentation)
        endif()
    elseif(CMAKE_C_COMPILER_ID STREQUAL GNU)
        list(APPEND flags -O1 -g1)
        # GCC 12 copies structs by 64 bytes, aligned, into frames that the address sanitizer has aligned to 32.
        if(target MATCHES kernel AND "address" IN_LIST chosen
                AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
            list(APPEND flags -mmove-max=256 -mstore-max=256)
        endif()
    endif()
    if(target STREQUAL aclnn_test_sanitizers
            OR (target STREQUAL aclnn_wide_kernel_sanitizers AND "address" IN_LIST chosen))
        list(REMOVE_ITEM chosen undefined)
    endif()
    if(chosen)
        list(JOIN chosen "," names)
        target_compile_options(${target} INTERFACE -fsanitize=${names} ${flags})
    endif()
    if(sanitizers) # of all that is linked
        list(JOIN sanitizers "," names)
        target_link_options(${target} INTERFACE -fsanitize=${names})
    endif()
endforeach()
if(sanitizers) # tests may delay threads there, see runtime/support/point.h
    target_compile_definitions(aclnn_sanitizers INTERFACE ACLNN_CPU_POINTS)
    target_compile_definitions(aclnn_test_sanitizers INTERFACE ACLNN_CPU_POINTS)
endif()
if(ACLNN_CPU_FUZZ)
    target_compile_options(aclnn_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
    target_compile_options(aclnn_test_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()
