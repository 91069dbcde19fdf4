#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# collective.sh FOLDER [--markdown PAGE] [--no-peers]: `bench collective`. AllReduce of ours beside gloo's own, in turns in one process, and beside
# torch.distributed and Open MPI, program by program in turns; on the loopback and over hosts that are network namespaces with 1 Gbit/s.
# FOLDER has the programs. Ends with 1 when ours has less than 0.95 of gloo's own speed with 4 KiB or 64 MiB.
set -u
own=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) folder=$1
shift
page='' peers=1 limit=0.95
while [ $# -gt 0 ]; do
    case $1 in
    --markdown) page=$2 && shift ;;
    --no-peers) peers=0 ;;
    *) echo "bench collective takes --markdown PAGE and --no-peers" >&2 && exit 2 ;;
    esac
    shift
done
work=$(mktemp -d)
export HOSTS=bench$$
hosts_made=0
# shellcheck disable=SC2317 # called by the trap
clean() {
    [ "$hosts_made" = 0 ] || "$own/../collective/hosts.sh" remove "$HOSTS" 4
    rm -rf "$work"
}
trap clean EXIT

# Of both: what lacks is told once.
python='' mpi=''
export TORCH_DEVICE_BACKEND_AUTOLOAD=0 # torch_npu, where it is, stays out
if [ $peers = 1 ]; then
    for at in "${ACLNN_BENCH_PYTHON:-}" "$own"/../../.venv/torch/bin/python3 "$own"/../../build/clients/pytorch/*/bin/python python3 /usr/bin/python3; do
        command -v "$at" >/dev/null && "$at" -c 'import torch.distributed' 2>/dev/null && python=$at && break
    done
    [ -n "$python" ] || echo "no python3 here imports torch: ./dev deps bench installs it, or name a python in ACLNN_BENCH_PYTHON"
    if [ -x "$folder/bench_collective_mpi" ] && command -v mpirun >/dev/null; then mpi=$folder/bench_collective_mpi; fi
    [ -n "$mpi" ] || echo "Open MPI is not here: ./dev deps bench installs it (openmpi-bin, libopenmpi-dev); then build again"
fi

# on NETWORK RANK COMMAND...: where the rank is. Networks are loopback and hosts.
on() {
    local network=$1 rank=$2
    shift 2
    if [ "$network" = hosts ]; then ip netns exec "$HOSTS-$rank" "$@"; else "$@"; fi
}
# ranks NETWORK COUNT COMMAND...: with HOST in place of a rank's address.
ranks() {
    local network=$1 count=$2 rank host process interface=lo status=0
    local -a started=()
    shift 2
    [ "$network" = loopback ] || interface=eth0
    for rank in $(seq 0 $((count - 1))); do
        host=127.0.0.1
        [ "$network" = loopback ] || host=10.77.0.$((rank + 1))
        RANK=$rank WORLD_SIZE=$count GLOO_SOCKET_IFNAME=$interface OMP_NUM_THREADS=1 ACLNN_CPU_THREADS=1 \
            on "$network" "$rank" "${@/#HOST/$host}" &
        started+=($!)
    done
    for process in "${started[@]}"; do wait "$process" || status=1; done
    return $status
}
# with_mpi NETWORK COUNT ARGUMENT...: mpirun, on the hosts from the bridge that joins them.
with_mpi() {
    local network=$1 count=$2
    shift 2
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    if [ "$network" = loopback ]; then
        mpirun --oversubscribe -n "$count" "$@"
    else
        ip netns exec "$HOSTS-bridge" mpirun --mca plm_rsh_agent "$own/collective_agent.sh" --mca oob_tcp_if_include 10.77.0.0/24 \
            --host "$(seq -s , -f '10.77.0.%g:1' 1 "$count")" -n "$count" "$@"
    fi
}
# measure NETWORK COUNT SHARE SETS
measure() {
    local network=$1 count=$2 share=$3 interfaces=127.0.0.0/8
    [ "$network" = loopback ] || interfaces=10.77.0.0/24
    for _ in $(seq "$4"); do
        rm -rf "$work/meet" && mkdir "$work/meet"
        ranks "$network" "$count" "$folder/bench_collective_rank" "$work/meet" HOST "$share" || echo "failed" >>"$work/failures"
        [ -z "$python" ] || ranks "$network" "$count" "$python" "$own/collective_torch.py" "$work/meet" "$share"
        [ -z "$mpi" ] || with_mpi "$network" "$count" --mca btl tcp,self --mca btl_tcp_if_include $interfaces "$mpi" mpi-tcp "$share"
        [ -z "$mpi" ] || [ "$network" != loopback ] || with_mpi "$network" "$count" "$mpi" mpi "$share"
    done 2>"$work/errors" | sed "s/^/$network $count /" >>"$work/times"
    grep -v '^$' "$work/errors" >&2
}

measure loopback 2 1 2
measure loopback 4 1 2
if "$own/../collective/hosts.sh" make "$HOSTS" 4 1gbit; then
    hosts_made=1
    measure hosts 4 0.1 1
fi
# Times are the shortest of all sets; the ratio to gloo is the median of all pairs.
sort -k1,3 -k4,4n -k5,5g "$work/times" | awk -v limit=$limit '
    function least(who, time) { if (!((key, who) in best) || time < best[key, who]) best[key, who] = time }
    function cell(who) { return (key, who) in best ? sprintf("%.1f", best[key, who] * 1e6) : "-" }
    {
        key = $1 " " $2 " " $4
        if (!(key in seen)) { seen[key] = 1; keys[++count] = key }
        if ($3 != "pair") { least($3, $5); next }
        ratio[key, ++pairs[key]] = $5
        least("ours", $6)
        least("gloo", $7)
    }
    END {
        print "| Network | Ranks | Bytes | ours, us | gloo, us | times gloo | torch.distributed, us | Open MPI by TCP, us | Open MPI, us |"
        print "|---|---|---|---|---|---|---|---|---|"
        networks = split("loopback 2,loopback 4,hosts 4", network, ",")
        for (i = 1; i <= networks; i++)
            for (size = 4096; size <= 67108864; size *= 2) {
                key = network[i] " " size
                split(key, part, " ")
                if (!(key in seen)) continue
                speed = ratio[key, int((pairs[key] + 1) / 2)]
                text = size >= 1048576 ? size / 1048576 " MiB" : size / 1024 " KiB"
                printf "| %s | %d | %s | %s | %s | %.2f | %s | %s | %s |\n", part[1] == "hosts" ? "hosts, 1 Gbit/s" : part[1], part[2], text, cell("ours"),
                    cell("gloo"), speed, cell("torch"), cell("mpi-tcp"), cell("mpi")
                if (speed < limit && size != 262144) missed = missed " " text " of " part[2] " ranks;"
            }
        if (missed) print "less than " limit " of the speed of gloo:" missed >"/dev/stderr"
        exit missed != "" || count == 0
    }' >"$work/table"
status=$?
[ ! -e "$work/failures" ] || status=1
cat "$work/table"
if [ -n "$page" ]; then
    awk -v table="$work/table" '
        /^<!-- bench:begin -->/ { print; print ""; while ((getline line <table) > 0) print line; print ""; inside = 1 }
        /^<!-- bench:end -->/ { inside = 0 }
        !inside { print }' "$page" >"$work/page" && cp "$work/page" "$page"
fi
exit $status
