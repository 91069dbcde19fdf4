#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_wheel.sh WHEEL HOME: the wheel in a fresh environment beside PyTorch and its Ascend backend, which are those of HOME's
# environment (run.sh makes it). No variable of the toolkit is set. Ends with 77 where there is no such environment.
set -euo pipefail
wheel=$1 home=$2
packages=$(compgen -G "$home/*/lib/python3*/site-packages" | head -1) || {
    echo "not checked: there is no environment with PyTorch; ./dev client pytorch makes it"
    exit 77
}
python=$(readlink -f "${packages%/lib/*}/bin/python3")
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$python" -m venv "$fresh"
own=$(echo "$fresh"/lib/python3*/site-packages)
for file in "$packages"/*; do
    case ${file##*/} in
    sitecustomize.py | liballocator_keys.so | __pycache__ | _distutils_hack | distutils-precedence.pth | pkg_resources | pip* | setuptools*) ;;
    *) ln -s "$file" "$own/" ;;
    esac
done
"$fresh/bin/pip" install --quiet --disable-pip-version-check --no-deps "$wheel"
cat >"$fresh/script.py" <<'PYTHON'
import torch
torch.manual_seed(0)
net = torch.nn.Linear(8, 1).npu()
steps = torch.optim.SGD(net.parameters(), 0.1)
x = torch.randn(64, 8).npu()
first = None
for _ in range(50):
    loss = ((net(x) - x.sum(1, keepdim=True)) ** 2).mean()
    first = first or loss.item()
    steps.zero_grad(), loss.backward(), steps.step()
print(f"device {loss.device}: the loss falls from {first:.3f} to {loss.item():.6f}")
assert loss.item() < 0.01 * first
PYTHON
run() { env -u LD_LIBRARY_PATH -u ASCEND_HOME_PATH -u ASCEND_OPP_PATH "$fresh/bin/python" -W ignore "$@"; }
run -m aclnn_cpu "$fresh/script.py"
{
    echo "import aclnn_cpu"
    cat "$fresh/script.py"
} >"$fresh/imports.py"
run "$fresh/imports.py"
