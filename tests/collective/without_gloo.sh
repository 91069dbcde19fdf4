#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# without_gloo.sh PROGRAM LIBRARY: the program with a copy of libhccl.so that has no libhccl_gloo.so beside it, whether or not the build has gloo.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$2" "$folder"
LD_LIBRARY_PATH=$folder "$1"
