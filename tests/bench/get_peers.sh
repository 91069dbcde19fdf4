#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fetches the bench's peers: oneDNN twice (the newest, which runs on SYCL, and the newest built for plain OpenMP, which has
# the lower cost per call) and the PyTorch of tests/clients into .venv/, OpenBLAS and Open MPI from the distribution. All are optional; the
# bench runs without. The distribution's PyTorch serves where the other cannot be had; an old one has no scaled_dot_product_attention.
set -u
cd "$(dirname "$0")/../.." || exit 1

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
install_debian() {
    command -v apt-get >/dev/null || return 1
    dpkg -s "$@" >/dev/null 2>&1 || as_root apt-get install -y --no-install-recommends "$@"
}
# wheels FOLDER PACKAGES...: once; a folder that holds the library is left as it is.
wheels() {
    local folder=.venv/$1
    shift
    [ -e "$folder/lib/libdnnl.so" ] && return 0
    python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "$@"
}
# Without its Ascend backend and the lists of packages that name gigabytes of CUDA.
torch() {
    local folder=.venv/torch
    [ -e "$folder/.complete" ] && return 0
    python3 -m venv "$folder" &&
        "$folder/bin/pip" install --quiet --no-deps -r <(grep -v torch_npu tests/clients/pytorch/requirements.txt) &&
        "$folder/bin/python3" tests/clients/pytorch/cuda_names.py "$folder"/lib/python3*/site-packages &&
        touch "$folder/.complete"
}

missing=0
install_debian python3-venv python3-pip || missing=1
wheels onednn-sycl onednn-devel==2026.1.0 || { echo "no oneDNN for SYCL"; missing=1; }
wheels onednn-gomp onednn-cpu-gomp==2023.2.0 onednn-devel-cpu-gomp==2023.2.0 || { echo "no oneDNN for OpenMP"; missing=1; }
install_debian libdnnl-dev || missing=1
install_debian libopenblas0-pthread || { echo "no OpenBLAS"; missing=1; }
torch || install_debian python3-torch || { echo "no PyTorch"; missing=1; }
install_debian openmpi-bin libopenmpi-dev || { echo "no Open MPI"; missing=1; }
exit $missing
