# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a contender of `bench tensors`; tests/bench/tensor_line.h describes the conversation. Results are written into
given tensors where PyTorch has such a form; otherwise its time includes their allocation."""
import re
import time

from torch_conversation import converse  # before torch

import torch

import tensor_attention

F = torch.nn.functional
aten = torch.ops.aten
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "bool": torch.bool}

# By t, the tensors, inputs first. What a function returns is its first output, if not the tensor given for it, or all of
# its first outputs.
OPERATORS = {
    "add": lambda t: torch.add(t[0], t[1], out=t[2]),
    "mul": lambda t: torch.mul(t[0], t[1], out=t[2]),
    "relu": lambda t: torch.clamp_min(t[0], 0, out=t[1]),
    "relu_backward": lambda t: aten.threshold_backward.grad_input(t[0], t[1], 0, grad_input=t[2]),
    "gelu": lambda t: aten.gelu.out(t[0], out=t[1]),
    "gelu_backward": lambda t: aten.gelu_backward.grad_input(t[0], t[1], grad_input=t[2]),
    "silu": lambda t: aten.silu.out(t[0], out=t[1]),
    "exp": lambda t: torch.exp(t[0], out=t[1]),
    "tanh": lambda t: torch.tanh(t[0], out=t[1]),
    "sqrt": lambda t: torch.sqrt(t[0], out=t[1]),
    "lt": lambda t: torch.lt(t[0], t[1], out=t[2]),
    "where": lambda t: torch.where(t[0], t[1], t[2], out=t[3]),
    "addcmul": lambda t: torch.addcmul(t[0], t[1], t[2], value=0.5, out=t[3]),
    "copy": lambda t: t[1].copy_(t[0]),
    "cast": lambda t: t[1].copy_(t[0]),
    "cat": lambda t: torch.cat(t[:2], -1, out=t[2]),
    "fill": lambda t: t[0].fill_(0.5),
    "sum": lambda t: torch.sum(t[0], 0, keepdim=True, out=t[1]),
    "sum_rows": lambda t: torch.sum(t[0], -1, out=t[1]),
    "sum_columns": lambda t: torch.sum(t[0], 0, out=t[1]),
    "amax_rows": lambda t: torch.amax(t[0], -1, out=t[1]),
    "argmax_rows": lambda t: torch.argmax(t[0], -1, out=t[1]),
    "mean_rows": lambda t: torch.mean(t[0], -1, out=t[1]),
    "cumsum": lambda t: torch.cumsum(t[0], -1, out=t[1]),
    "softmax": lambda t: torch.softmax(t[0], -1, out=t[1]),
    "softmax_backward": lambda t: aten._softmax_backward_data.out(t[0], t[1], -1, t[0].dtype, grad_input=t[2]),
    "log_softmax": lambda t: aten._log_softmax.out(t[0], -1, False, out=t[1]),
    "layer_norm": lambda t: aten.native_layer_norm(t[0], [t[0].shape[-1]], t[1], t[2], 1e-5)[0],
    "layer_norm_backward": lambda t: aten.native_layer_norm_backward(
        t[0], t[1], [t[0].shape[-1]], t[2], t[3], t[4], t[5], [True] * 3)[0],
    "rms_norm": lambda t: F.rms_norm(t[0], [t[0].shape[-1]], t[1], 1e-6),
    "batch_norm": lambda t: aten.native_batch_norm(t[0], t[1], t[2], None, None, True, 0.1, 1e-5)[0],
    "group_norm": lambda t: F.group_norm(t[0], 32, t[1], t[2], 1e-5),
    "embedding": lambda t: F.embedding(t[1], t[0]),
    "index_select": lambda t: torch.index_select(t[0], -1, t[1], out=t[2]),
    "gather": lambda t: torch.gather(t[0], -1, t[1], out=t[2]),
    "scatter_add": lambda t: torch.scatter_add(t[0], -1, t[1], t[2], out=t[3]),
    "sort": lambda t: torch.sort(t[0], -1, out=(t[1], t[2]))[0],
    "topk": lambda t: torch.topk(t[0], 50, -1, out=(t[1], t[2]))[0],
}


def tensor(word, kind, number, is_input):
    pattern = r"([0-9x]+)(T?)(?::(\w+))?(?:/(\d+))?(!?)(\+?)"
    extents, swapped, other, below, _, is_positive = re.fullmatch(pattern, word).groups()
    shape, kind = [int(x) for x in extents.split("x")], TYPES[other or kind]
    if swapped:
        shape[-1], shape[-2] = shape[-2], shape[-1]
    count = torch.Size(shape).numel()
    steps = (torch.arange(count if is_input else 0) + 1009 * number) * 7919
    if not is_input:
        values = torch.zeros(count, dtype=kind)
    elif kind == torch.int64:
        values = steps % int(below)
    elif kind == torch.bool:
        values = (steps % 8191 & 1).bool()
    else:
        values = (steps % 8191 - 4095).float() / 4096
        values = (values.abs() + 0.25 if is_positive else values).to(kind)
    values = values.reshape(shape)
    return values.transpose(-1, -2) if swapped else values


class Problem:
    def __init__(self, ask):
        _, word, _, _, *words = [word for word in ask["line"].split() if "=" not in word]
        inputs = words.index(">")
        words.remove(">")
        self.tensors = [tensor(x, ask["type"], i, i < inputs) for i, x in enumerate(words)]
        self.operator = tensor_attention.prepare(word, self.tensors) or OPERATORS[word]

    def run(self, count):
        begin = time.perf_counter()
        for _ in range(count):
            self.operator(self.tensors)
        return (time.perf_counter() - begin) / count


def figures(output):
    values = output.double()
    finite = values.nan_to_num(0, 0, 0)
    return [finite.sum().item(), finite.abs().sum().item(), values.isfinite().sum().item()]


problem = None


def answer(ask):
    global problem
    if ask["do"] == "run":
        return {"seconds": problem.run(int(ask["count"]))}
    problem = None
    problem = Problem(ask)
    results = problem.operator(problem.tensors)
    return {"outputs": [figures(x) for x in (results if isinstance(results, tuple) else (results,))]}


converse(answer)
