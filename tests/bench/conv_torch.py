# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a contender of `bench conv`; tests/bench/conv_contender.h describes the conversation. It has no form that
writes into a given tensor, so its time includes the allocation of its results."""
import time

from torch_conversation import converse  # before torch

import torch

aten = torch.ops.aten
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
BITS = {"f32": torch.int32, "f16": torch.int16, "bf16": torch.int16}


def parse(line):
    """The numbers of the arguments of a line of tests/cases/conv, by their names."""
    words = dict(word.split("=", 1) for word in line.split()[2:])
    return {name: [int(x) for x in value.split(":")[0].split("x")] for name, value in words.items() if name != "name"}


class Problem:
    def __init__(self, ask):
        layer = parse(ask["line"])
        shapes = [layer["input"], layer["weight"], layer["output"], layer["weight"][:1]]
        after, axes = layer["weight"][0], len(layer["stride"])
        self.dtype = ask["dtype"]
        x, w, y, b = [self.read(path, shape, ask["layout"]) for path, shape in zip(ask["files"], shapes)]
        common = layer["stride"], layer["padding"], layer["dilation"], False, [0] * axes, layer["groups"][0]
        self.seconds = 0
        if ask["pass"] == "forward":
            self.call = lambda: (aten.convolution(x, w, b, *common),)
        else:
            of_weight = ask["pass"] == "dw"
            mask = [not of_weight, of_weight, of_weight]
            self.call = lambda: aten.convolution_backward(y, x, w, [after], *common, mask)

    def read(self, path, shape, layout):
        count = 1
        for size in shape:
            count *= size
        values = torch.from_file(path, shared=False, size=count, dtype=DTYPES[self.dtype]).reshape(shape).clone()
        if layout == "nchw" or len(shape) == 1:
            return values
        if len(shape) == 3:
            raise ValueError("PyTorch has no channels-last form of one axis")
        form = torch.channels_last_3d if len(shape) == 5 else torch.channels_last
        return values.contiguous(memory_format=form)

    def run(self, count):
        begin = time.perf_counter()
        for _ in range(count):
            self.call()
        return (time.perf_counter() - begin) / count

    def check(self, path):
        begin = time.perf_counter()
        results = self.call()
        seconds = time.perf_counter() - begin
        with open(path, "wb") as file:
            for result in results:
                if result is not None and result.numel() > 0:
                    dense = result.contiguous(memory_format=torch.contiguous_format)
                    file.write(dense.view(BITS[self.dtype]).numpy().tobytes())
        return seconds


slots = {}


def answer(ask):
    if ask["do"] == "clear":
        slots.clear()
        return {}
    if ask["do"] == "set_up":
        slots.pop(ask["slot"], None)
        problem = Problem(ask)
        problem.run(1)  # what it cannot do it says here
        slots[ask["slot"]] = problem
        return {"note": ""}
    problem = slots[ask["slot"]]
    if ask["do"] == "run":
        return {"seconds": problem.run(ask["count"])}
    if ask["do"] == "check":
        return {"seconds": problem.check(ask["path"])}
    raise ValueError("no such request")


converse(answer)
