#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# launched.sh PROGRAM: two ranks of samples/all_reduce whose numbers come as mpirun of Open MPI, that of MPICH, and torchrun set them.
# Each pair of runs has one file to meet at, which a run must not leave to the next.
set -eu
program=$1 folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HCCL_IF_IP=127.0.0.1
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMI_RANK PMI_SIZE RANK WORLD_SIZE
for names in OMPI_COMM_WORLD_RANK:OMPI_COMM_WORLD_SIZE PMI_RANK:PMI_SIZE RANK:WORLD_SIZE; do
    for turn in 1 2; do
        env "${names%:*}=1" "${names#*:}=2" "$program" "$folder/root" >"$folder/one" 2>&1 &
        env "${names%:*}=0" "${names#*:}=2" "$program" "$folder/root" >"$folder/zero" 2>&1 || { cat "$folder/zero" && exit 1; }
        wait $! || { cat "$folder/one" && exit 1; }
        cat "$folder/zero"
        [ "$(cat "$folder/zero" "$folder/one")" = "2 ranks: y = 3.000 x + 1.000, the same bits on all" ] ||
            { echo "$names, run $turn: something else" && cat "$folder/one" && exit 1; }
        [ -z "$(find "$folder" -name 'root*')" ] || { echo "$names, run $turn: the root info is left" && exit 1; }
    done
done
"$program" "$folder/root" | grep '^1 ranks: '
