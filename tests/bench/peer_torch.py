# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a contender of the bench; tests/bench/contender.h describes the conversation."""
import time

from torch_conversation import converse  # before torch

import torch

aten = torch.ops.aten
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32, "i64": torch.int64}
BITS = {"f32": torch.int32, "f16": torch.int16, "bf16": torch.int16, "i32": torch.int32, "i64": torch.int64}
WARM_SECONDS = 2e-3  # of runs before the clock starts, at least one
COLD_SECONDS = 8e-3  # a run as long as this needs no other before it


memory = {}  # by tensor, kept from case to case: touched when it grows


def kept_memory(role, like):
    """A tensor of this shape in memory that is kept."""
    size = like.numel() * like.element_size()
    if role not in memory or memory[role].numel() < size:
        memory[role] = torch.zeros(size, dtype=torch.uint8)
        memory[role].fill_(255)
    return memory[role][:size].view(like.dtype).as_strided(like.shape, like.stride())


def window(p):
    return p.kernel, p.stride, p.pad


def bind(p, name, overload, *arguments, **results):
    """The call of an operator as a function without arguments. Results go to preallocated tensors where PyTorch can
    write to them; where it cannot, it returns them, and their allocation is in the time."""
    if p.allocates:
        operator = getattr(aten, name).default
        return lambda: operator(*arguments)
    operator = getattr(getattr(aten, name), overload)
    return lambda: operator(*arguments, **results)


# What the rows of operators.def name: each gives the call for a problem.


def avg_pool(name):
    return lambda p: bind(p, name, "out", p.x, *window(p), p.ceil, p.counts_pad, p.divisor, out=p.y)


def avg_pool_backward(name):
    return lambda p: bind(
        p, name, "grad_input", p.dy, p.x, *window(p), p.ceil, p.counts_pad, p.divisor, grad_input=p.dx)


def max_pool(name):
    return lambda p: bind(p, name, "out", p.x, *window(p), p.dilation, p.ceil, out=p.y, indices=p.i)


def max_pool_backward(name):
    return lambda p: bind(p, name, "grad_input", p.dy, p.x, *window(p), p.dilation, p.ceil, p.i, grad_input=p.dx)


def max_pool_recompute(p):
    forward = max_pool("max_pool2d_with_indices")(p)
    backward = max_pool_backward("max_pool2d_with_indices_backward")(p)
    return lambda: (forward(), backward())[1]


def adaptive_avg_pool(name):
    return lambda p: bind(p, name, "out", p.x, p.small, out=p.y)


def adaptive_avg_pool2d_backward(p):
    return lambda: aten._adaptive_avg_pool2d_backward(p.dy, p.x)  # always allocates


def adaptive_avg_pool3d_backward(p):
    if p.allocates:
        return lambda: aten._adaptive_avg_pool3d_backward(p.dy, p.x)
    return lambda: aten.adaptive_avg_pool3d_backward.grad_input(p.dy, p.x, grad_input=p.dx)


def adaptive_max_pool(name):
    return lambda p: bind(p, name, "out", p.x, p.small, out=p.y, indices=p.i)


def adaptive_max_pool_backward(name):
    return lambda p: bind(p, name, "grad_input", p.dy, p.x, p.i, grad_input=p.dx)


def mean(p):
    axes = list(range(2, p.x.dim()))
    return lambda: torch.mean(p.x, axes, keepdim=True, out=p.y)


def amax(p):
    axes = list(range(2, p.x.dim()))
    return lambda: torch.amax(p.x, axes, keepdim=True, out=p.y)


def max_unpool2d(p):
    return lambda: aten.max_unpool2d.out(p.y, p.i, p.large, out=p.x)


def max_unpool3d(p):
    return lambda: aten.max_unpool3d.out(p.y, p.i, p.large, p.stride, p.pad, out=p.x)


def max_unpool_backward(p):
    """PyTorch derives it by gather."""
    if not p.dx.is_contiguous():
        raise ValueError("a gather wants planes in one piece")
    source, indices, result = p.dx.flatten(2), p.i.flatten(2), p.dy.flatten(2)
    return lambda: torch.gather(source, 2, indices, out=result)


OPERATORS = {
    "avg_pool2d": avg_pool("avg_pool2d"),
    "avg_pool3d": avg_pool("avg_pool3d"),
    "avg_pool2d_backward": avg_pool_backward("avg_pool2d_backward"),
    "avg_pool3d_backward": avg_pool_backward("avg_pool3d_backward"),
    "max_pool2d": max_pool("max_pool2d_with_indices"),
    "max_pool3d": max_pool("max_pool3d_with_indices"),
    "max_pool2d_backward": max_pool_backward("max_pool2d_with_indices_backward"),
    "max_pool3d_backward": max_pool_backward("max_pool3d_with_indices_backward"),
    "max_pool_recompute": max_pool_recompute,
    "adaptive_avg_pool2d": adaptive_avg_pool("adaptive_avg_pool2d"),
    "adaptive_avg_pool3d": adaptive_avg_pool("adaptive_avg_pool3d"),
    "adaptive_avg_pool2d_backward": adaptive_avg_pool2d_backward,
    "adaptive_avg_pool3d_backward": adaptive_avg_pool3d_backward,
    "adaptive_max_pool2d": adaptive_max_pool("adaptive_max_pool2d"),
    "adaptive_max_pool3d": adaptive_max_pool("adaptive_max_pool3d"),
    "adaptive_max_pool2d_backward": adaptive_max_pool_backward("adaptive_max_pool2d_backward"),
    "adaptive_max_pool3d_backward": adaptive_max_pool_backward("adaptive_max_pool3d_backward"),
    "mean": mean,
    "amax": amax,
    "max_unpool2d": max_unpool2d,
    "max_unpool3d": max_unpool3d,
    "max_unpool_backward": max_unpool_backward,
}
LARGE = ("x", "dx")


class Problem:
    """One case: what is read in its memory format, what is written allocated and touched before the clock starts."""

    def __init__(self, ask):
        if ask["torch"] not in OPERATORS:
            raise ValueError("PyTorch has no such operator")
        if ask["format"] not in ("nchw", "nhwc"):
            raise ValueError("PyTorch has no such format")
        self.ask = ask
        self.seconds = 0  # what a run took last
        self.kernel, self.stride, self.pad = ask["kernel"], ask["stride"], ask["pad"]
        self.dilation, self.ceil = ask["dilation"], ask["ceil"]
        self.counts_pad, self.divisor = not ask["exclude_pad"], ask["divisor"] or None
        self.large, self.small = ask["input"], ask["output"]
        # Its 3-D operators write channels first, whatever the strides of the result, and read indices so.
        self.allocates = len(self.large) == 3 and ask["format"] == "nhwc"
        self.outputs = [tensor for tensor in ask["tensors"] if tensor["use"] == "writes"]
        for tensor in ask["tensors"]:
            setattr(self, tensor["role"], self.make(tensor))
        self.call = OPERATORS[ask["torch"]](self)

    def __getattr__(self, role):
        """A tensor that is not the operator's, but that PyTorch wants all the same."""
        if role not in ("x", "y", "i"):
            raise AttributeError(role)
        setattr(self, role, self.make({"role": role, "use": "shape", "dtype": self.ask["dtype"]}))
        return getattr(self, role)

    def layout(self, rank, role):
        if self.ask["format"] == "nchw" or (self.allocates and role == "i"):
            return torch.contiguous_format
        return torch.channels_last_3d if rank == 5 else torch.channels_last

    def make(self, tensor):
        role, ask = tensor["role"], self.ask
        dtype = torch.int64 if role == "i" else DTYPES[tensor["dtype"]]
        extents = ask["input"] if role in LARGE else ask["output"]
        shape = [ask["batch"], ask["channels"]] + extents
        like = torch.empty(shape, dtype=dtype, memory_format=self.layout(len(shape), role))
        kept = kept_memory(role, like)
        if tensor["use"] == "reads":
            kept.copy_(self.data(tensor, like.numel()).reshape(shape))
        return kept

    def data(self, tensor, count):
        if tensor["role"] == "i":
            return torch.from_file(self.ask["indices"], shared=False, size=count, dtype=torch.int32)
        first = tensor["first"]
        values = torch.from_file(self.ask["values"], shared=False, size=first + count, dtype=DTYPES[tensor["dtype"]])
        return values[first:]

    def run(self, count):
        call = self.call
        begin = time.perf_counter()
        for _ in range(count):
            call()
        return time.perf_counter() - begin

    def check(self, planes, path):
        for tensor in self.outputs:
            memory[tensor["role"]].fill_(255)  # a NaN or -1
        begin = time.perf_counter()
        result = self.call()
        self.seconds = time.perf_counter() - begin
        for tensor, value in zip(self.outputs, result if isinstance(result, tuple) else (result,)):
            setattr(self, tensor["role"], value.reshape(getattr(self, tensor["role"]).shape))
        unwritten = []
        with open(path, "wb") as file:
            for tensor in self.outputs:
                output = getattr(self, tensor["role"])
                missing = output == -1 if tensor["role"] == "i" else output != output
                unwritten.append(int(missing.any()))  # 1 for any number of them
                self.write_planes(file, output, tensor["dtype"], planes)
        return unwritten

    @staticmethod
    def write_planes(file, output, dtype, planes):
        channels = output.shape[1]
        for plane in planes:
            values = output[plane // channels, plane % channels].contiguous().to(DTYPES[dtype])
            file.write(values.view(BITS[dtype]).numpy().tobytes())


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
        return {"unwritten": problem.check(ask["planes"], ask["path"]), "seconds": problem.seconds}
    raise ValueError("no such request")


converse(answer)
