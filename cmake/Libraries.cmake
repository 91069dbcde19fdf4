# SPDX-License-Identifier: Apache-2.0
# aclnn_cpu: the one real library, all rooms in one. aclnn_cpu_static: the same objects for tests that look inside.
# ascendcl, nnopbase, opapi, ...: thin libraries under CANN's names.
get_property(object_targets GLOBAL PROPERTY ACLNN_OBJECT_TARGETS)
set(objects "")
foreach(target IN LISTS object_targets)
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
endforeach()

get_property(blis GLOBAL PROPERTY ACLNN_BLIS_LIBRARY) # or nothing
find_package(PkgConfig REQUIRED)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson) # aclInit's file

include(Symbols)
set(libraries_dir ${CMAKE_BINARY_DIR}/lib64)
set(symbols ${CMAKE_SOURCE_DIR}/tests/conformance/symbols.txt)
set(exports ${CMAKE_SOURCE_DIR}/cmake/exports.map)

add_library(aclnn_cpu SHARED ${objects})
set_target_properties(aclnn_cpu PROPERTIES EXPORT_NAME cpu LIBRARY_OUTPUT_DIRECTORY ${libraries_dir})
set_property(TARGET aclnn_cpu APPEND PROPERTY LINK_DEPENDS ${exports})
target_include_directories(aclnn_cpu SYSTEM INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/api/include> $<INSTALL_INTERFACE:include>)
target_link_libraries(aclnn_cpu PRIVATE
    Threads::Threads m ${blis} $<BUILD_INTERFACE:PkgConfig::CJSON> $<BUILD_INTERFACE:aclnn_sanitizers>
    $<BUILD_INTERFACE:aclnn_hardened_links>)
# nodelete: worker threads and the hooks of ending threads must not outlive a dlclose.
target_link_options(aclnn_cpu PRIVATE LINKER:--version-script=${exports} LINKER:-z,nodelete)
if(NOT ACLNN_CPU_SANITIZE)
    target_link_options(aclnn_cpu PRIVATE LINKER:-z,defs) # a sanitizer's functions come from the program
endif()

add_library(aclnn_cpu_static STATIC EXCLUDE_FROM_ALL ${objects})
target_include_directories(aclnn_cpu_static INTERFACE ${CMAKE_SOURCE_DIR})
target_include_directories(aclnn_cpu_static SYSTEM INTERFACE ${CMAKE_SOURCE_DIR}/api/include)
target_link_libraries(aclnn_cpu_static PUBLIC Threads::Threads m ${blis} PkgConfig::CJSON PRIVATE aclnn_sanitizers)

# A thin library must satisfy a link line that names only CANN's libraries, and linkers look for a symbol only in the
# libraries named. So it is an ELF filter (DT_FILTER): its symbol table names its layer's functions, and the loader binds
# them to libaclnn_cpu.so, which it puts in front; the bodies here are never reached. Programs record the names
# libascendcl.so, ... as on a device, and dlsym on any of the handles finds everything below it.
function(aclnn_add_thin_library name needs)
    string(REPLACE ";" "|" layers "${ARGN}")
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${symbols}
        ${CMAKE_SOURCE_DIR}/api/operators.def)
    aclnn_symbols(rows ${CMAKE_SOURCE_DIR})
    list(FILTER rows INCLUDE REGEX "^(${layers}) ")
    set(body "")
    foreach(row IN LISTS rows)
        string(REGEX REPLACE "^[a-z_]+ ([A-Za-z0-9_]+)$" "\\1" symbol "${row}")
        string(APPEND body "void ${symbol}(void);\nvoid ${symbol}(void)\n{\n    __builtin_trap();\n}\n")
    endforeach()
    set(source ${CMAKE_BINARY_DIR}/thin/${name}.c)
    file(CONFIGURE OUTPUT ${source} CONTENT "/* Made from symbols.txt and operators.def. */\ntypedef int thin;\n${body}" @ONLY)
    set(target aclnn_${name})
    if(TARGET ${target})
        string(APPEND target _library) # a room has that name
    endif()
    set_property(GLOBAL APPEND PROPERTY ACLNN_THIN_TARGETS ${target})
    set_property(GLOBAL APPEND PROPERTY ACLNN_THIN_NAMES ${name})
    add_library(${target} SHARED ${source})
    add_library(aclnn::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${name}
        C_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY ${libraries_dir}
        INSTALL_RPATH $ORIGIN BUILD_WITH_INSTALL_RPATH ON)
    target_compile_options(${target} PRIVATE -fno-builtin -fno-exceptions)
    target_link_options(${target} PRIVATE -nostdlib LINKER:--no-as-needed LINKER:-F,libaclnn_cpu.so)
    target_link_libraries(${target} PUBLIC ${needs} PRIVATE $<BUILD_INTERFACE:aclnn_hardened_links>)
endfunction()

aclnn_add_thin_library(ascendcl aclnn_cpu ascendcl)
aclnn_add_thin_library(nnopbase aclnn_ascendcl ascendcl nnopbase)
aclnn_add_thin_library(opapi aclnn_nnopbase ascendcl nnopbase opapi)
aclnn_add_thin_library(acl_op_compiler aclnn_ascendcl acl_op_compiler)
aclnn_add_thin_library(msprofiler aclnn_ascendcl msprofiler)
aclnn_add_thin_library(runtime aclnn_ascendcl runtime)
aclnn_add_thin_library(profapi aclnn_ascendcl profapi)
aclnn_add_thin_library(ascend_hal aclnn_ascendcl ascend_hal)
# Programs record these names too, although they call nothing in them: compilers of graphs, and queues to feed those.
aclnn_add_thin_library(ge_runner aclnn_ascendcl ge_runner)
aclnn_add_thin_library(graph aclnn_ascendcl graph)
aclnn_add_thin_library(acl_tdt_channel aclnn_ascendcl acl_tdt_channel)
