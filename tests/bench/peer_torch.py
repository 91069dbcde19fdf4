# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a contender of the bench; tests/bench/contender.h describes the conversation."""
import json
import os
import sys
import time

pipe = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what a library prints must not enter the conversation

import torch

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
BITS = {"f32": torch.int32, "f16": torch.int16, "bf16": torch.int16}
WARM_SECONDS = 2e-4  # of runs before the clock starts, at least one
COLD_SECONDS = 8e-3  # a run as long as this needs no other before it


memory = torch.zeros(0, dtype=torch.uint8)


def kept_memory(like):
    """A tensor of this shape in memory that is kept from case to case, touched when it grows."""
    global memory
    size = like.numel() * like.element_size()
    if memory.numel() < size:
        memory = torch.zeros(size, dtype=torch.uint8)
        memory.fill_(255)
    return memory[:size].view(like.dtype).as_strided(like.shape, like.stride())


class Problem:
    """One case: gradOutput in its memory format, gradInput allocated and touched before the clock starts."""

    def __init__(self, ask):
        if ask["op"] != "avg_pool2d_backward":
            raise ValueError("this driver has no such operator")
        if ask["format"] not in ("nchw", "nhwc"):
            raise ValueError("PyTorch has no such format")
        self.dtype = ask["dtype"]
        self.seconds = 0  # what a run took last
        dtype = DTYPES[self.dtype]
        layout = torch.channels_last if ask["format"] == "nhwc" else torch.contiguous_format
        batch, channels = ask["batch"], ask["channels"]
        shape = [batch, channels] + ask["output"]
        elements = batch * channels * shape[2] * shape[3]
        data = torch.from_file(ask["data"], shared=False, size=elements, dtype=dtype)
        self.dy = data.reshape(shape).clone(memory_format=layout)
        self.x = torch.empty([batch, channels] + ask["input"], dtype=dtype, memory_format=layout)
        self.dx = kept_memory(self.x)
        self.arguments = (
            ask["kernel"], ask["stride"], ask["pad"], ask["ceil"], not ask["exclude_pad"],
            ask["divisor"] or None)

    def run(self, count):
        operator = torch.ops.aten.avg_pool2d_backward.grad_input
        dy, x, dx, arguments = self.dy, self.x, self.dx, self.arguments
        begin = time.perf_counter()
        for _ in range(count):
            operator(dy, x, *arguments, grad_input=dx)
        return time.perf_counter() - begin

    def poison(self):
        memory.fill_(255)  # a NaN in every type

    def unwritten(self):
        return int(self.dx.sum(dtype=torch.float32).isnan())  # 1 for any number of them

    def write_planes(self, planes, path):
        channels = self.dx.shape[1]
        with open(path, "wb") as file:
            for plane in planes:
                values = self.dx[plane // channels, plane % channels].contiguous()
                file.write(values.view(BITS[self.dtype]).numpy().tobytes())


problem = None


def answer(ask):
    global problem
    what = ask["do"]
    if what == "set_up":
        problem = None
        problem = Problem(ask)
        problem.run(1)  # what it cannot do it says here
        return {"note": ""}
    if problem is None:
        raise ValueError("nothing is set up")
    if what == "run":
        begin = time.perf_counter()
        while problem.seconds < COLD_SECONDS:
            problem.run(1)
            if time.perf_counter() - begin >= WARM_SECONDS:
                break
        problem.seconds = problem.run(ask["count"]) / ask["count"]
        return {"seconds": problem.seconds}
    if what == "check":
        problem.poison()
        problem.run(1)
        problem.write_planes(ask["planes"], ask["path"])
        return {"unwritten": problem.unwritten()}
    raise ValueError("no such request")


def say(message):
    print(json.dumps(message), file=pipe, flush=True)


def main():
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    torch.set_grad_enabled(False)
    say({"name": "PyTorch", "version": torch.__version__})
    for line in sys.stdin:
        try:
            say({"ok": True, **answer(json.loads(line))})
        except Exception as error:  # a refusal is an answer
            problem_text = str(error).strip().splitlines()
            say({"ok": False, "why": problem_text[0] if problem_text else type(error).__name__})


main()
