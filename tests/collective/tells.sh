#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tells.sh PROGRAM RANKS: log, timeline and summary of two ranks name each AllReduce, its bytes, ranks and GB/s. RANKS is samples/ranks.sh.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ASCEND_GLOBAL_LOG_LEVEL=1 ACLNN_CPU_SUMMARY=1 ACLNN_CPU_TIMELINE=$folder/%p.json "$2" 2 "$1" 3 >"$folder/log" 2>&1
has() { # COUNT PATTERN FILE...
    count=$1 pattern=$2
    shift 2
    found=$(cat "$@" | grep -cE "$pattern" || true)
    [ "$found" = "$count" ] || { echo "$found lines, not $count, have: $pattern" && cat "$@" && exit 1; }
}
has 6 'HcclAllReduce: 1048576 bytes, 2 ranks, [0-9.]+ ms, [0-9.]+ GB/s' "$folder/log"
has 2 '^HcclAllReduce, 2 ranks +3 +' "$folder/log"
has 6 '"name":"HcclAllReduce, 2 ranks".*"bytes":1048576,"GB/s":[0-9.]+' "$folder"/*.json
