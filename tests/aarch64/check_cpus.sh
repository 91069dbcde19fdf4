#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_cpus.sh WITH_ISA SUITE...: on CPUs without dot products of bytes, with them, and with products of matrices as
# well: the levels that the library finds are those that the CPU has, and suites pass by the level that it takes itself.
set -euo pipefail
with_isa=$1
shift

# expect CPU LEVEL CODE: 0: it runs that level; 77: it does not.
expect() {
    local code=0
    QEMU_CPU=$1 "$with_isa" "$2" /bin/true || code=$?
    [ "$code" -eq "$3" ] || {
        echo "$1, $2: exit status $code; $3 was expected"
        exit 1
    }
}

expect cortex-a57 neon 0
expect cortex-a57 neon_dot 77
expect cortex-a57 neon_i8mm 77
expect cortex-a76 neon_dot 0
expect cortex-a76 neon_i8mm 77
expect max neon_dot 0
expect max neon_i8mm 0
for cpu in cortex-a57 cortex-a76 max; do
    for suite in "$@"; do
        echo "$cpu: ${suite##*/}"
        QEMU_CPU=$cpu ACLNN_TEST_SCALE=0.1 "$suite" -j1
    done
done
