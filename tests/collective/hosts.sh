#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Hosts that are network namespaces of this machine, named NAME-0, NAME-1, ..., each with its cable (eth0, 10.77.0.1, .2, ...) to one bridge:
#   hosts.sh make NAME COUNT [RATE]        makes them; a RATE as tc knows it, 1gbit, shapes what each host sends
#   hosts.sh remove NAME COUNT
#   hosts.sh run COUNT RATE COMMAND...     makes them, runs COMMAND FILE on each as a rank of COUNT, FILE is where they meet; removes them
# Ends with 77, and says what lacks, where they cannot be made.
set -u

skip() {
    echo "skipped: $*"
    exit 77
}
remove() { # NAME COUNT
    local host
    for host in $(seq 0 $(($2 - 1))) bridge; do ip netns del "$1-$host" 2>/dev/null; done
}
make() { # NAME COUNT [RATE]
    local host bridge=$1-bridge
    command -v ip >/dev/null || skip "there is no ip (Debian: iproute2)"
    ip netns add "$bridge" 2>/dev/null || skip "network namespaces cannot be made here"
    ip -n "$bridge" link add bridge type bridge 2>/dev/null || skip "a bridge cannot be made here"
    ip -n "$bridge" address add 10.77.0.254/24 dev bridge
    ip -n "$bridge" link set lo up
    ip -n "$bridge" link set bridge up
    for host in $(seq 0 $(($2 - 1))); do
        ip netns add "$1-$host"
        ip -n "$bridge" link add "cable$host" type veth peer name eth0 netns "$1-$host" 2>/dev/null || skip "veth cannot be made here"
        ip -n "$bridge" link set "cable$host" master bridge up
        ip -n "$1-$host" link set lo up
        ip -n "$1-$host" address add "10.77.0.$((host + 1))/24" dev eth0
        ip -n "$1-$host" link set eth0 up
        [ -z "${3:-}" ] || ip netns exec "$1-$host" tc qdisc add dev eth0 root tbf rate "$3" burst 256kb latency 50ms 2>/dev/null ||
            skip "tc cannot shape here: the kernel has no tbf (CONFIG_NET_SCH_TBF)"
    done
}
run() { # COUNT RATE COMMAND...
    local count=$1 rate=$2 name=aclnn$$ folder host process status=0
    local -a started=()
    shift 2
    folder=$(mktemp -d)
    # shellcheck disable=SC2064 # these, now
    trap "remove $name $count; rm -rf $folder" EXIT
    make "$name" "$count" "$rate"
    for host in $(seq 0 $((count - 1))); do
        RANK=$host WORLD_SIZE=$count HCCL_SOCKET_IFNAME=eth0 ip netns exec "$name-$host" "$@" "$folder/root" &
        started+=($!)
    done
    for process in "${started[@]}"; do wait "$process" || status=1; done
    return $status
}
action=$1
shift
case $action in
make) (make "$@") || { remove "$@"; exit 77; } ;;
remove) remove "$@" ;;
run) run "$@" ;;
*) exit 2 ;;
esac
