#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make.sh BUILD HOME: the Python wheel of the library built in BUILD, into HOME.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 home=$2
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
rm -rf "$home/source"
mkdir -p "$home/source"
cp -r "$here/aclnn_cpu" "$home/source/"
sed "s/@VERSION@/$version/" "$here/pyproject.toml" >"$home/source/pyproject.toml"
sed "s/@MACHINE@/$(uname -m)/" "$here/setup.cfg" >"$home/source/setup.cfg"
cmake --install "$build" --prefix "$home/source/aclnn_cpu/tree" >"$home/install.log"
# What is for compilers stays out.
(cd "$home/source/aclnn_cpu/tree" && find . -type l -delete && rm -rf bin include lib64/pkgconfig lib64/stub share)
# c10, which it asks, is torch's and is there when it is loaded.
c++ -std=c++17 -O1 -shared -fPIC "$here/../../tests/clients/pytorch/allocator_keys.cpp" -o "$home/source/aclnn_cpu/liballocator_keys.so"
[ -e "$home/tools/bin/pip" ] || python3 -m venv "$home/tools"
"$home/tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$home" "$home/source"
ls "$home"/*.whl
