# SPDX-License-Identifier: Apache-2.0
"""Indices out of range on device npu: an exception at the next synchronise that names operator, position and value.

faults.py: ends with 1 when a fault passes without an exception, its sentence lacks one of these, or the device does not
work again after torch.npu.stop_device and restart_device.
"""
import os
import sys

os.environ.setdefault("TASK_QUEUE_ENABLE", "0")

import torch
import torch_npu  # noqa: F401
from torch.nn import functional


def places(*values):
    return torch.tensor(values).npu()


# What fails, and what the sentence must say.
FAULTS = {
    "embedding": (lambda x: functional.embedding(places(1, 7, 2), x), ("aclnnEmbedding", "element 1 of indices is 7")),
    "gather": (lambda x: x.gather(1, torch.tensor([[0, 1], [9, 0]]).npu()), ("aclnnGather", "element 2 of index is 9")),
    "index_select": (lambda x: x.index_select(0, places(0, -5)), ("aclnnIndexSelect", "element 1 of index is -5")),
    "index": (lambda x: x[places(0, 2, 11)], ("aclnnIndex:", "element 2 of indices[0]", "is 11;")),
    "index_put": (lambda x: x.clone().index_put_((places(0, 3),), x[:2]), ("aclnnIndexPutImpl", "element 1 of indices[0]", "is 3;")),
    "nll_loss": (lambda x: functional.nll_loss(x.log_softmax(1), places(0, 4, 1)), ("aclnnNLLLoss", "element 1 of target is 4")),
    "cross_entropy": (lambda x: functional.cross_entropy(x, places(0, 1, -3)), ("aclnnNLLLoss", "element 2 of target is -3")),
}


def check(name, call, parts):
    """In a process of its own: torch_npu has its streams stop at the first failure, as on a device."""
    x = torch.arange(12.0).view(3, 4)
    own = x.npu()
    try:
        call(own)
        torch.npu.synchronize()
        told = "no exception"
    except RuntimeError as error:
        told = str(error)
    lines = [line.strip() for line in told.splitlines()]
    line = next((line for line in lines if all(part in line for part in parts)), None)
    print(f"{name}: {line or 'WRONG: ' + ' | '.join(lines)[:600]}", flush=True)
    torch.npu.stop_device(0)
    torch.npu.restart_device(0)
    works_again = torch.equal((own + 1).cpu(), x + 1)
    if not works_again:
        print(f"{name}: WRONG: the device does not work again", flush=True)
    return 0 if line and works_again else 1


def main():
    failed = 0
    for name, (call, parts) in FAULTS.items():
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = check(name, call, parts)
            finally:
                os._exit(status)
        failed += os.waitpid(child, 0)[1] != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
