#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# network.sh PROGRAM [cable]: ranks on four hosts that are network namespaces of this machine, joined by a bridge: 1 Gbit/s, then latency and
# loss; with cable a host's cable is pulled while they work: all ranks, cut off or not, must fail within HCCL_EXEC_TIMEOUT.
# Ends with 77 where namespaces cannot be made.
set -u
program=$1
hosts=4 name=aclnn$$ limit_s=3
folder=$(mktemp -d)
tool=$(dirname "$0")/hosts.sh
# shellcheck disable=SC2317 # called by the trap
clean() {
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
# shape ARGUMENT...: of every host's way out.
shape() {
    local host
    for host in $(seq 0 $((hosts - 1))); do on "$host" tc qdisc replace dev eth0 root "$@" 2>/dev/null || return 1; done
}

if [ "${2:-}" = cable ]; then
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
    exit 0
fi
status=0
if shape tbf rate 1gbit burst 256kb latency 50ms; then
    echo "1 Gbit/s:"
    start 20
    finish 0 || status=1
else
    echo "not run: 1 Gbit/s, tc cannot shape here"
fi
if shape netem delay 2ms loss 0.5%; then
    echo "latency of 2 ms, loss of 0.5 %:"
    start 10
    finish 0 || status=1
else
    echo "not run: latency and loss, this kernel has no netem"
fi
exit $status
