# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a second oracle: random problems of every operator that has a twin there, run by the built libraries
through ctypes and by PyTorch in double.

    torch_oracle.py FOLDER_OF_THE_LIBRARIES [SEED [CASES_PER_OPERATOR [OPERATOR...]]]

torch_pooling.py and torch_convolution.py make the problems. Values may differ by the roundings of fp32 sums alone, by
as many as a term meets, and by half an ulp of a half type. Indices and pure copies must be equal. ACLNN_TEST_SCALE
multiplies the usual number of cases; ACLNN_TEST_SEED is the usual seed. Ends with 77 where torch cannot be imported."""
import collections
import os
import random
import sys

try:
    import torch
except ImportError as why:
    print(f"skipped: no PyTorch in {sys.executable} ({why}); ./dev deps bench installs it")
    sys.exit(77)

sys.dont_write_bytecode = True

import torch_convolution
import torch_pooling
from torch_library import Library, Refused, Tensor

FAMILIES = [(torch_pooling.OPERATORS, 30), (torch_convolution.OPERATORS, 100)]  # with the cases per operator
OPERATORS = {name: (make, cases) for operators, cases in FAMILIES for name, make in operators.items()}


def described(argument):
    view = argument.view if isinstance(argument, Tensor) else argument
    return f"{str(view.dtype)[6:]}{list(view.shape)}/{list(view.stride())}"


def check(library, name, make, worst):
    """None, or what is wrong with one random problem. worst: the sums' largest errors, by type, as shares of bounds."""
    problem, arguments, results, form = make()
    tensors = [described(argument) for argument in arguments if isinstance(argument, (torch.Tensor, Tensor))]
    what = f"{name} {problem} {' '.join(tensors)} format {form}"
    try:
        library.call(name, arguments, form)
    except Refused as why:
        return f"{what}\n  refused: {why}"
    for result in results:
        wrong, share = result.compare()
        if wrong:
            return f"{what}\n  {result.name}{wrong}"
        dtype = str(result.got.dtype)[6:]
        worst[dtype] = max(worst[dtype], share)
    return None


def check_operator(library, name, seed, count):
    """Whether all random problems of the operator come out right, the first that does not ends it."""
    make, cases = OPERATORS[name]
    if count is None:
        count = max(1, int(cases * float(os.environ.get("ACLNN_TEST_SCALE") or 1)))
    if not library.has(name):
        print(f"{name}: the library has no such function")
        return False
    random.seed(f"{seed} {name}")
    torch.manual_seed(random.getrandbits(32))
    worst = collections.defaultdict(float)
    for number in range(count):
        wrong = check(library, name, make, worst)
        if wrong:
            print(f"{wrong}\n  case {number} of seed {seed}")
            return False
    shares = ", ".join(f"{dtype} {share:.3f}" for dtype, share in sorted(worst.items()) if share > 0)
    found = f"sums' worst errors as shares of their bounds: {shares}" if shares else "equal"
    print(f"{name}: {count} cases, {found}")
    return True


def main():
    library = Library(sys.argv[1])
    seed = int(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("ACLNN_TEST_SEED") or 20260731)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else None
    chosen = sys.argv[4:] or list(OPERATORS)
    torch.set_num_threads(1)
    failed = sum(not check_operator(library, name, seed, count) for name in chosen)
    print(f"PyTorch {torch.__version__}: {len(chosen)} operators, {failed} failed")
    sys.stdout.flush()
    os._exit(1 if failed else 0)  # the library's threads end with the process


if __name__ == "__main__":
    main()
