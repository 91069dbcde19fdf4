# SPDX-License-Identifier: Apache-2.0
# Every target of ours links aclnn_sanitizers; it is empty unless ACLNN_CPU_SANITIZE names sanitizers or
# ACLNN_CPU_FUZZ asks for the fuzzer's coverage counters.
add_library(aclnn_sanitizers INTERFACE)
if(ACLNN_CPU_SANITIZE)
    set(flags -fsanitize=${ACLNN_CPU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(aclnn_sanitizers INTERFACE ${flags})
    target_link_options(aclnn_sanitizers INTERFACE ${flags})
endif()
if(ACLNN_CPU_FUZZ)
    target_compile_options(aclnn_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()
