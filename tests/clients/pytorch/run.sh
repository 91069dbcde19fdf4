#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--if-there|--make-only] [--allow-missing] [--full] [--samples] [--ranks N] BUILD HOME [PATTERN...]: PyTorch with its Ascend backend over the library built in BUILD.
# HOME takes an environment with the wheels of requirements.txt, as PyPI has them, and an installed tree. --if-there: ends with
# 77, which skips a test, where there is no such environment, instead of making it. --make-only: makes it, and no more. --allow-missing: operators that are missing
# are counted and told, but only wrong values and other failures end with 1. --ranks N: torch.distributed over so many ranks, and no
# more; without it two ranks come last. --full: networks of the size that people train, and no more.
# --samples: the samples of PyTorch's operator database whose operators match a pattern, and no more; $home/samples.log takes what differs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if_there=0 make_only=0 full=0 samples=0 ranks=0 options=()
while :; do
    case ${1:-} in
    --if-there) if_there=1 ;;
    --make-only) make_only=1 ;;
    --allow-missing) options+=("$1") ;;
    --full) full=1 ;;
    --samples) samples=1 ;;
    --ranks)
        ranks=$2
        shift
        ;;
    *) break ;;
    esac
    shift
done
build=$1 home=$2
shift 2
# Its name is that of the files that it is made of.
environment=$home/$(cat "$here"/{requirements.txt,cuda_names.py,allocator_keys.cpp,site_hook.py} | cksum | cut -d' ' -f1)

make_environment() {
    local packages
    rm -rf "$environment"
    mkdir -p "$home"
    python3 -m venv "$environment"
    echo "downloading PyTorch and its Ascend backend (about 600 MB), into $environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$here/requirements.txt"
    packages=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
    "$environment/bin/python" "$here/cuda_names.py" "$packages"
    c++ -std=c++17 -O1 -shared -fPIC "$here/allocator_keys.cpp" -o "$packages/liballocator_keys.so" \
        -L"$packages/torch/lib" -lc10 -Wl,-rpath,"\$ORIGIN/torch/lib"
    cp "$here/site_hook.py" "$packages/sitecustomize.py"
    touch "$environment/.complete"
}

if [ ! -e "$environment/.complete" ]; then
    if [ $if_there = 1 ]; then
        echo "skipped: there is no environment with PyTorch; ./dev client pytorch makes it"
        exit 77
    fi
    make_environment
fi
[ $make_only = 0 ] || exit 0
cmake --install "$build" --prefix "$home/tree" >"$home/install.log"
# shellcheck disable=SC1091 # made by the install
. "$home/tree/set_env.sh"
# Each rank with a device of its own, as on a machine with many, and all with device 0 of their process.
distributed() {
    local devices
    for devices in "$1" 1; do
        echo "torch.distributed, $1 ranks, each process sees $devices devices:"
        ACLNN_CPU_DEVICES=$devices "$environment/bin/python" "$here/ranks.py" "$@" || status=1
    done
}
basics() { "$environment/bin/python" "$here/basics.py" "${options[@]}" "$@"; }
status=0
if [ "$ranks" != 0 ]; then
    distributed "$ranks" "$@"
    exit $status
fi
script() { "$environment/bin/python" -W ignore "$here/$1.py" "${@:2}" || status=1; }
if [ $full = 1 ]; then
    script training --full "$@"
    [ $# -gt 0 ] || script decoding --full
    exit $status
fi
if [ $samples = 1 ]; then
    # With this chip torch_npu has every operator run by an aclnn function.
    ACLNN_CPU_SOC=${ACLNN_CPU_SOC:-Ascend950} script samples --log "$home/samples.log" "$@"
    exit $status
fi
for soc in Ascend910B1 Ascend950; do
    export ACLNN_CPU_SOC=$soc
    if ! TASK_QUEUE_ENABLE=0 basics "$@"; then
        status=1
    elif [ ${#options[@]} = 0 ]; then # with the queue one missing operator spoils all that follow
        echo "once more, submitted by torch_npu's own thread:"
        TASK_QUEUE_ENABLE=1 basics "$@" || status=1
    fi
    [ $# -eq 0 ] || continue
    # Nine networks, ten steps each, and a text of 24 words: a few seconds.
    script training
    script decoding
    script faults
    script profiling
done
[ $# -eq 0 ] || exit $status
for queue in 1 2; do # the networks above have 0
    echo "submitted with TASK_QUEUE_ENABLE=$queue:"
    TASK_QUEUE_ENABLE=$queue script training Adam
done
distributed 2
exit $status
