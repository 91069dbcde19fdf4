# SPDX-License-Identifier: Apache-2.0
# The install tree: laid out as the toolkit's, so that build files written for it find headers and libraries.
include(CMakePackageConfigHelpers)

set(CANN_VERSION 8.5.0) # the toolkit release that aclsysGetCANNVersion names
set(arch_dir ${CMAKE_SYSTEM_PROCESSOR}-linux)
set(made ${CMAKE_BINARY_DIR}/install)

get_property(thin_names GLOBAL PROPERTY ACLNN_THIN_NAMES)
get_property(libraries GLOBAL PROPERTY ACLNN_THIN_TARGETS)
list(PREPEND libraries aclnn_cpu)
install(DIRECTORY api/include/ DESTINATION include FILES_MATCHING PATTERN "*.h")
install(TARGETS ${libraries} EXPORT aclnn-cpu LIBRARY DESTINATION lib64)
if(TARGET aclnn_hccl_gloo)
    install(TARGETS aclnn_hccl_gloo LIBRARY DESTINATION lib64) # loaded by libhccl.so; nobody links it
endif()
install(TARGETS aclnn-cpu-info RUNTIME DESTINATION bin)
add_custom_target(installed DEPENDS ${libraries} aclnn-cpu-info) # what must be built before cmake --install
# torch_npu looks for the program on PATH and for its Python file in a folder from there.
install(PROGRAMS api/programs/msprof.py DESTINATION tools/profiler/bin RENAME msprof)
install(PROGRAMS api/programs/msprof.py DESTINATION tools/profiler/profiler_tool/analysis/msprof)
install(FILES LICENSE README.md DESTINATION share/doc/aclnn-cpu)

# find_package(aclnn-cpu) and pkg-config; both find the tree from their own place in it.
install(EXPORT aclnn-cpu NAMESPACE aclnn:: FILE aclnn-cpu-targets.cmake DESTINATION share/cmake/aclnn-cpu)
configure_package_config_file(cmake/aclnn-cpu-config.cmake.in ${made}/aclnn-cpu-config.cmake
    INSTALL_DESTINATION share/cmake/aclnn-cpu)
write_basic_package_version_file(${made}/aclnn-cpu-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${made}/aclnn-cpu-config.cmake ${made}/aclnn-cpu-config-version.cmake
    DESTINATION share/cmake/aclnn-cpu)
foreach(row "ascendcl||device runtime" "nnopbase|ascendcl|tensor and executor layer" "opapi|nnopbase|operators")
    string(REPLACE "|" ";" row "${row}")
    list(POP_FRONT row PC_NAME PC_REQUIRES PC_WHAT)
    configure_file(cmake/package.pc.in ${made}/${PC_NAME}.pc @ONLY)
    install(FILES ${made}/${PC_NAME}.pc DESTINATION lib64/pkgconfig)
endforeach()

# The toolkit's environment script and version files.
configure_file(cmake/set_env.sh.in ${made}/set_env.sh @ONLY)
install(FILES ${made}/set_env.sh DESTINATION .)
set(version_info "Version=${CANN_VERSION}\nversion_dir=${CANN_VERSION}\naclnn_cpu_version=${PROJECT_VERSION}\n")
file(CONFIGURE OUTPUT ${made}/version.info CONTENT "${version_info}")
set(version_cfg "# version: 1.0\n")
foreach(package runtime compiler opp toolkit)
    install(FILES ${made}/version.info DESTINATION ${package})
    string(APPEND version_cfg "${package}_running_version=[${CANN_VERSION}:CANN-${CANN_VERSION}]\n")
endforeach()
file(CONFIGURE OUTPUT ${made}/version.cfg CONTENT "${version_cfg}")
install(FILES ${made}/version.cfg DESTINATION .)
file(CONFIGURE OUTPUT ${made}/ascend_toolkit_install.info CONTENT
    "package_name=Ascend-cann-toolkit\nversion=${CANN_VERSION}\narch=${CMAKE_SYSTEM_PROCESSOR}\nos=linux\n")
install(FILES ${made}/ascend_toolkit_install.info DESTINATION ${arch_dir})

# Other paths under which the toolkit shows the same folders: relative links, so that the tree can be moved.
set(links "bin/msprof|../tools/profiler/bin/msprof")
foreach(folder ${arch_dir} acllib fwkacllib runtime compiler)
    list(APPEND links "${folder}/include|../include" "${folder}/lib64|../lib64")
endforeach()
foreach(library IN LISTS thin_names)
    list(APPEND links "lib64/stub/lib${library}.so|../lib${library}.so")
endforeach()
set(op_api opp/built-in/op_impl/ai_core/tbe/op_api)
list(APPEND links "${arch_dir}/devlib|../lib64" "${op_api}/include/aclnnop|../../../../../../../include/aclnnop"
    "${op_api}/lib|../../../../../../lib64")
install(CODE "set(links \"${links}\")")
install(CODE [[
    foreach(link IN LISTS links)
        string(REPLACE "|" ";" link "${link}")
        list(POP_FRONT link name target)
        set(path $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${name})
        cmake_path(GET path PARENT_PATH folder)
        file(MAKE_DIRECTORY ${folder})
        if(IS_DIRECTORY ${path} AND NOT IS_SYMLINK ${path})
            message(FATAL_ERROR "${path} is a folder where a link to ${target} belongs; choose another prefix")
        endif()
        file(CREATE_LINK ${target} ${path} SYMBOLIC)
    endforeach()]])
