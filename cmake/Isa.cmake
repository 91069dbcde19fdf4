# SPDX-License-Identifier: Apache-2.0
# One source, one object per instruction-set level. Floating-point contraction is off everywhere: a fused multiply-add
# would give other bits than the levels that have none.
# -O3: three times the code and the wait. A build that is not for speed says -O0: a quarter of the wait.
set(ACLNN_CPU_KERNELS_OPTIMIZED -O2 CACHE STRING "how far the compiler optimises kernels")

function(aclnn_add_isa room name)
    set(target aclnn_${room}_${name})
    add_library(${target} OBJECT ${ACLNN_CPU_ISA_SOURCES})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
    target_compile_definitions(${target} PRIVATE K_ISA_NAME=${name} K_ISA_${name}=1 _GNU_SOURCE)
    target_compile_options(${target} PRIVATE ${ACLNN_CPU_KERNELS_OPTIMIZED} -ffp-contract=off ${ARGN})
    set(sanitizers aclnn_wide_kernel_sanitizers)
    if(name MATCHES "^(base|neon)$") # the least level
        set(sanitizers aclnn_kernel_sanitizers)
    endif()
    target_link_libraries(${target} PRIVATE aclnn_warnings ${sanitizers})
    set_property(GLOBAL APPEND PROPERTY ACLNN_OBJECT_TARGETS ${target}) # into the library, see cmake/Libraries.cmake
    target_compile_definitions(aclnn_${room} PRIVATE K_BUILD_${name}=1)
endfunction()
