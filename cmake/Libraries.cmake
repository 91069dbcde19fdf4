# SPDX-License-Identifier: Apache-2.0
# aclnn_cpu: the one real library, all rooms in one. aclnn_cpu_static: the same objects for tests that look inside.
get_property(object_targets GLOBAL PROPERTY ACLNN_OBJECT_TARGETS)
set(objects "")
foreach(target IN LISTS object_targets)
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
endforeach()

set(public_headers $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/api/include> $<INSTALL_INTERFACE:include>)

add_library(aclnn_cpu SHARED ${objects})
set_target_properties(aclnn_cpu PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib64)
target_include_directories(aclnn_cpu SYSTEM INTERFACE ${public_headers})
target_link_libraries(aclnn_cpu PRIVATE Threads::Threads m aclnn_sanitizers)
target_link_options(aclnn_cpu PRIVATE LINKER:--version-script=${CMAKE_SOURCE_DIR}/cmake/exports.map)
set_property(TARGET aclnn_cpu APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/exports.map)

add_library(aclnn_cpu_static STATIC EXCLUDE_FROM_ALL ${objects})
target_include_directories(aclnn_cpu_static INTERFACE ${CMAKE_SOURCE_DIR})
target_include_directories(aclnn_cpu_static SYSTEM INTERFACE ${CMAKE_SOURCE_DIR}/api/include)
target_compile_definitions(aclnn_cpu_static INTERFACE _GNU_SOURCE)
target_link_libraries(aclnn_cpu_static PUBLIC Threads::Threads m PRIVATE aclnn_sanitizers)
