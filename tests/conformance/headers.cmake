# SPDX-License-Identifier: Apache-2.0
# Every public header alone, twice, as strict C11 and as strict C++11: what does not compile fails the build.
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/api/include ${CMAKE_SOURCE_DIR}/api/include/*.h)
foreach(language IN ITEMS C CXX)
    string(TOLOWER ${language} extension)
    string(REPLACE cxx cpp extension ${extension})
    set(sources "")
    foreach(header IN LISTS public_headers)
        string(MAKE_C_IDENTIFIER ${header} name)
        set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${extension})
        file(CONFIGURE OUTPUT ${source} CONTENT
            "#include \"${header}\"\n#include \"${header}\"\nextern int aclnn_not_empty;\n")
        list(APPEND sources ${source})
    endforeach()
    set(target public_headers_${extension})
    add_library(${target} OBJECT ${sources})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/api/include)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11 C_EXTENSIONS OFF CXX_STANDARD 11 CXX_EXTENSIONS OFF)
endforeach()
