#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_install.sh BUILD SCRATCH CC CXX: installs BUILD into SCRATCH, moves the tree, sources its set_env.sh, and builds
# and runs programs of others there: toolkit link lines, find_package, pkg-config, plain compiler lines, dlopen.
set -eu
build=$1 scratch=$2 cc=$3 cxx=$4
projects=$(cd "$(dirname "$0")/projects" && pwd)
tree=$scratch/moved

fail() {
    echo "check_install: $*" >&2
    exit 1
}

# runs PROGRAM: it ends with 0 and its last word is "right".
runs() {
    output=$("$@" 2>&1) || fail "$* ended with $?: $output"
    case $output in
    *right) echo "right: $*" ;;
    *) fail "$* printed: $output" ;;
    esac
}

unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH PKG_CONFIG_PATH ASCEND_HOME_PATH ASCEND_TOOLKIT_HOME
rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log" || fail "cmake --install failed"
# The target "installed", which ./dev install and ./dev demo build, makes every library and program of the tree.
ninja -C "$build" -t commands installed >"$scratch/commands" || fail "there is no target named installed"
for made in "$scratch"/first/lib64/*.so "$scratch"/first/bin/aclnn*; do
    grep -q -- " -o [^ ]*/$(basename "$made") " "$scratch/commands" || fail "the target installed does not make $(basename "$made")"
done
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log" || fail "a second install failed"
mv "$scratch/first" "$tree"

# The tree: every path that build files for the toolkit name is there, and no link points outside or nowhere.
arch=$(uname -m)-linux
for path in include/acl/acl.h include/acl/error_codes/rt_error_codes.h include/aclnn/acl_meta.h \
    include/aclnnop/aclnn_avgpool2d_backward.h include/aclnnop/level2/aclnn_util.h \
    "$arch/include/acl/acl.h" "$arch/lib64/libascendcl.so" acllib/include/acl/acl.h acllib/lib64/libascendcl.so \
    runtime/include/acl/acl.h compiler/lib64/libopapi.so lib64/stub/libascendcl.so lib64/libacl_op_compiler.so \
    opp/built-in/op_impl/ai_core/tbe/op_api/include/aclnnop/aclnn_util.h \
    opp/built-in/op_impl/ai_core/tbe/op_api/lib/libopapi.so bin/msprof \
    tools/profiler/profiler_tool/analysis/msprof/msprof.py version.cfg runtime/version.info set_env.sh; do
    [ -e "$tree/$path" ] || fail "$path is missing"
done
find "$tree" -type l | while read -r link; do
    [ -e "$link" ] || fail "$link points nowhere"
    case $(readlink "$link") in /*) fail "$link is absolute" ;; esac
done
if grep -rIl "$scratch/first" "$tree" --exclude=set_env.sh | grep .; then fail "files name the install prefix"; fi

# Each library carries its plain name and needs the one below it.
needs() { readelf -d "$tree/lib64/lib$1.so" | grep -q "NEEDED.*\[lib$2.so\]" || fail "lib$1.so does not need lib$2.so"; }
needs opapi nnopbase
needs nnopbase ascendcl
needs ascendcl aclnn_cpu
needs acl_op_compiler ascendcl
for name in msprofiler runtime profapi ascend_hal hccl ge_runner graph acl_tdt_channel; do needs $name ascendcl; done
for name in aclnn_cpu ascendcl nnopbase opapi acl_op_compiler msprofiler runtime profapi ascend_hal hccl ge_runner graph acl_tdt_channel; do
    readelf -d "$tree/lib64/lib$name.so" | grep -q "SONAME.*\[lib$name.so\]" || fail "lib$name.so has another soname"
done

# The program finds the library of its own tree, wherever that lies.
info=$("$tree/bin/aclnn-cpu-info") || fail "aclnn-cpu-info ended with $?: $info"
case $info in
*"
library           $tree/bin/../lib64/libaclnn_cpu.so
"*) ;;
*) fail "aclnn-cpu-info printed: $info" ;;
esac

# set_env.sh finds its own place in every shell, with "." from elsewhere, from a subshell and twice.
for shell in sh bash dash zsh; do
    command -v "$shell" >/dev/null 2>&1 || continue
    # shellcheck disable=SC2016 # the other shell expands them
    got=$(cd / && "$shell" -uc '. "$1" && . "$1" && echo "$ASCEND_HOME_PATH|$LD_LIBRARY_PATH|$ASCEND_OPP_PATH"' \
        "$shell" "$tree/set_env.sh")
    [ "$got" = "$tree|$tree/lib64|$tree/opp" ] || fail "$shell: set_env.sh gave $got"
    # shellcheck disable=SC2016
    got=$(cd "$tree" && LD_LIBRARY_PATH=/a "$shell" -c '(. ./set_env.sh && echo "$ASCEND_HOME_PATH|$LD_LIBRARY_PATH")')
    [ "$got" = "$tree|$tree/lib64:/a" ] || fail "$shell: set_env.sh in a subshell gave $got"
done

# From here on a user's shell.
# shellcheck disable=SC1091 # the file is made by the install above
. "$tree/set_env.sh"
[ "$(command -v msprof)" = "$tree/bin/msprof" ] || fail "set_env.sh does not put msprof on PATH"
for project in toolkit_link find_package backends; do
    cmake -G Ninja -S "$projects/$project" -B "$scratch/$project" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
        >"$scratch/$project.log" 2>&1 || fail "$(cat "$scratch/$project.log")"
    cmake --build "$scratch/$project" >"$scratch/$project.log" 2>&1 || fail "$(cat "$scratch/$project.log")"
    if grep -i 'warning' "$scratch/$project.log"; then fail "$project builds with warnings"; fi
done
for program in toolkit_link/by_path toolkit_link/by_name toolkit_link/by_search find_package/in_c \
    find_package/in_c_opapi find_package/by_dlopen backends/ggml backends/megengine; do
    runs "$scratch/$program"
done

# Plain compiler lines, with every linker there is: the three names in any order, and the last one alone.
main=$projects/toolkit_link/main.cpp
for linker in bfd gold lld; do
    command -v "ld.$linker" >/dev/null 2>&1 || continue
    for names in "-lascendcl -lnnopbase -lopapi" "-lopapi -lnnopbase -lascendcl" "-lopapi" \
        "-lnnopbase -lopapi -lacl_op_compiler"; do
        # shellcheck disable=SC2086 # the names are words
        "$cxx" -std=c++11 -fuse-ld="$linker" -Wl,--fatal-warnings -I"$ASCEND_HOME_PATH/include" "$main" \
            -o "$scratch/plain" -L"$ASCEND_HOME_PATH/lib64" $names
        runs "$scratch/plain"
        if readelf -d "$scratch/plain" | grep -q 'NEEDED.*aclnn_cpu'; then
            fail "a program linked with $names needs libaclnn_cpu.so by name; it would not run on a device"
        fi
        echo "      linked by $linker with $names"
    done
done
# shellcheck disable=SC2046 # the flags are words
"$cxx" -std=c++11 "$main" -o "$scratch/plain" $(pkg-config --cflags --libs opapi nnopbase ascendcl)
runs "$scratch/plain"

# The README's program, as C and as C++, prints what its reader expects.
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$tree/share/doc/aclnn-cpu/README.md" >"$scratch/readme.c"
for compiler in "$cc -std=c11" "$cxx -std=c++11 -x c++"; do
    # shellcheck disable=SC2046,SC2086 # compiler and flags are words
    $compiler -Wall -Wextra -Werror "$scratch/readme.c" -o "$scratch/readme" $(pkg-config --cflags --libs opapi)
    got=$("$scratch/readme") || fail "the README's program ended with $?: $got"
    [ "$got" = "$(printf '1 1 2 2\n1 1 2 2\n3 3 4 4\n3 3 4 4')" ] || fail "the README's program printed: $got"
    echo "right: the README's program, $compiler"
done
echo "the installed tree serves all of them"
