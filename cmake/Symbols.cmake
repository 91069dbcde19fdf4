# SPDX-License-Identifier: Apache-2.0
# aclnn_symbols(variable root): the functions that leave the library, as "library function": those of symbols.txt and the two
# of each operator.
function(aclnn_symbols variable root)
    file(STRINGS ${root}/tests/conformance/symbols.txt rows REGEX "^lib")
    list(TRANSFORM rows REPLACE "^lib([a-z_]+) +" "\\1 ")
    file(STRINGS ${root}/api/operators.def operators REGEX "^OPERATOR(_BY_HAND)?\\(acl")
    foreach(operator IN LISTS operators)
        string(REGEX REPLACE "^OPERATOR[_A-Z]*\\(([A-Za-z0-9]+),.*$" "\\1" name "${operator}")
        list(APPEND rows "opapi ${name}" "opapi ${name}GetWorkspaceSize")
    endforeach()
    set(${variable} ${rows} PARENT_SCOPE)
endfunction()
