#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# with_torch.sh SCRIPT ARGUMENTS...: with the first Python that has PyTorch; 77, which skips a test, when there is none.
# Backends beside it stay unloaded: torch_npu fails without the libraries it is made for, and with it PyTorch.
export TORCH_DEVICE_BACKEND_AUTOLOAD=0
for python in "${ACLNN_BENCH_PYTHON:-}" "$(dirname "$0")/../../.venv/torch/bin/python3" python3 /usr/bin/python3; do
    [ -n "$python" ] && "$python" -c 'import torch' >/dev/null 2>&1 && exec "$python" "$@"
done
echo "skipped: no python3 here imports torch; ./dev deps bench installs it, or name a python in ACLNN_BENCH_PYTHON"
exit 77
