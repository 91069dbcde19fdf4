#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# all_reduce.sh RANKS [PROGRAM]: that many ranks of all_reduce on this machine.
set -eu
ranks=$1 program=${2:-$(dirname "$0")/all_reduce}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
started=
for rank in $(seq 0 $((ranks - 1))); do
    RANK=$rank WORLD_SIZE=$ranks HCCL_IF_IP=${HCCL_IF_IP:-127.0.0.1} "$program" "$folder/root" &
    started="$started $!"
done
for process in $started; do wait "$process"; done
