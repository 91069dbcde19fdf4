#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ranks.sh RANKS PROGRAM [ARGUMENT...]: that many ranks of a program on this machine. Each is told a file to meet at.
set -eu
ranks=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
started=
for rank in $(seq 0 $((ranks - 1))); do
    RANK=$rank WORLD_SIZE=$ranks HCCL_IF_IP=${HCCL_IF_IP:-127.0.0.1} "$@" "$folder/root" &
    started="$started $!"
done
for process in $started; do wait "$process"; done
