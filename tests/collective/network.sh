#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# network.sh PROGRAM PART [SWITCH]: ranks on four hosts that are network namespaces of this machine. PART:
#   shaped  joined by a bridge, 1 Gbit/s
#   lossy   joined by SWITCH (slow_switch.c): each frame arrives 2 ms later, and 0.5 % never do
#   cable   a host's cable is pulled while they work: all ranks, cut off or not, must fail within HCCL_EXEC_TIMEOUT
# Ends with 77 where this cannot be.
set -u
program=$1 part=$2 switch=${3:-}
hosts=4 name=aclnn$$ limit_s=3
folder=$(mktemp -d)
tool=$(dirname "$0")/hosts.sh
# shellcheck disable=SC2317 # called by the trap
clean() {
    [ -z "${switching:-}" ] || kill "$switching" 2>/dev/null
    "$tool" remove "$name" "$hosts"
    rm -rf "$folder"
}
trap clean EXIT
"$tool" make "$name" "$hosts" || exit
on() {
    local host=$1
    shift
    ip netns exec "$name-$host" "$@"
}

started=()
start() { # ROUNDS
    local host
    started=()
    rm -f "$folder"/root*
    for host in $(seq 0 $((hosts - 1))); do
        RANK=$host WORLD_SIZE=$hosts HCCL_SOCKET_IFNAME=eth0 HCCL_CONNECT_TIMEOUT=30 HCCL_EXEC_TIMEOUT=$limit_s ACLNN_CPU_THREADS=1 \
            on "$host" timeout 60 "$program" "$1" "$folder/root" &
        started+=($!)
    done
}
# finish CODE: whether all ended with it.
finish() {
    local process ended status=0
    for process in "${started[@]}"; do
        wait "$process"
        ended=$?
        [ $ended = "$1" ] || { echo "a rank ended with $ended, not $1"; status=1; }
    done
    return $status
}
skip() {
    echo "skipped: $*"
    exit 77
}

case $part in
shaped)
    for host in $(seq 0 $((hosts - 1))); do
        on "$host" tc qdisc add dev eth0 root tbf rate 1gbit burst 256kb latency 50ms 2>/dev/null || skip "tc cannot shape here"
    done
    echo "1 Gbit/s:"
    start 20
    finish 0
    ;;
lossy)
    for host in $(seq 0 $((hosts - 1))); do ip -n "$name-$host" link del eth0; done
    mkfifo "$folder/said"
    # shellcheck disable=SC2046 # names without spaces
    "$switch" 2000 50 1 $(seq -f "$name-%g" 0 $((hosts - 1))) >"$folder/said" &
    switching=$!
    said=
    read -r said <"$folder/said"
    [ "$said" = ready ] || skip "devices of programs (TAP) cannot be made here"
    for host in $(seq 0 $((hosts - 1))); do
        ip -n "$name-$host" address add "10.77.0.$((host + 1))/24" dev eth0
        ip -n "$name-$host" link set eth0 up
    done
    echo "latency of 2 ms, loss of 0.5 %:"
    start 10
    finish 0 || exit 1
    again=$(for host in $(seq 0 $((hosts - 1))); do on "$host" cat /proc/net/snmp; done | awk '$1 == "Tcp:" && $2 ~ /[0-9]/ { sum += $13 } END { print sum }')
    echo "sent again: $again segments"
    [ "$again" -gt 0 ]
    ;;
cable)
    start 1000000
    for _ in $(seq 300); do # until they work
        [ ! -e "$folder/root.works" ] || break
        sleep 0.1
    done
    echo "the cable of host 3 is pulled"
    begun=$SECONDS
    on bridge ip link set cable3 down
    finish 3 || exit 1
    [ $((SECONDS - begun)) -le $((limit_s + 3)) ] || { echo "it took $((SECONDS - begun)) s"; exit 1; }
    ;;
*) exit 2 ;;
esac
