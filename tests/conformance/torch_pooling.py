# SPDX-License-Identifier: Apache-2.0
"""Random problems of the pooling operators and what PyTorch makes of them in double: a function for each operator
that gives the problem, the arguments, the results and the format."""
import math
import random

import torch
import torch.nn.functional as F

from torch_library import BY_RANK, ND, boolean, int8, int64
from torch_values import (DOUBLE, FLOATS, Result, below, double_and_size, laid_out, padded, plain, unwritten,
                          values_of)

aten = torch.ops.aten


class Problem:
    """A random window on a random tensor."""

    def __init__(self, axes, dilates=False, fits=False):
        while True:
            self.axes = axes
            self.kernel = [1 + below(5) for _ in range(axes)]
            self.stride = [1 + below(4) for _ in range(axes)]
            self.pad = [below(k // 2 + 1) for k in self.kernel]
            self.dilation = [1 + below(3) if dilates and below(2) else 1 for _ in range(axes)]
            self.ceil = bool(below(2))
            self.size = [max(1, (k - 1) * d + 1 - (0 if fits else 2 * p)) + below(9)
                         for k, d, p in zip(self.kernel, self.dilation, self.pad)]
            self.lead = [1 + below(3), 1 + below(6)][below(4) == 0:]
            self.out = [self.windows(i) for i in range(axes)]
            if min(self.out) > 0 and all(self.has_taps(i) for i in range(axes)):
                break

    def has_taps(self, i):
        """Whether every window along this axis has a tap that is no padding."""
        taps = [j * self.dilation[i] - self.pad[i] for j in range(self.kernel[i])]
        return all(any(0 <= w * self.stride[i] + tap < self.size[i] for tap in taps) for w in range(self.out[i]))

    def windows(self, i):
        room = self.size[i] + 2 * self.pad[i] - self.dilation[i] * (self.kernel[i] - 1) - 1
        count = (room + (self.stride[i] - 1 if self.ceil else 0)) // self.stride[i] + 1
        if self.ceil and (count - 1) * self.stride[i] >= self.size[i] + self.pad[i]:
            count -= 1
        return count

    def __str__(self):
        return (f"{self.lead} {self.size} k{self.kernel} s{self.stride} p{self.pad} d{self.dilation}"
                f" -> {self.out}{' ceil' if self.ceil else ''}")


def gradient(forward, shape, dy):
    x = torch.zeros(shape, dtype=DOUBLE, requires_grad=True)
    return torch.autograd.grad(forward(x), x, dy)[0]


def avg_forward(axes):
    def make():
        p, dtype = Problem(axes, fits=axes == 3), random.choice(FLOATS)
        counted, divisor = bool(below(2)), random.choice([0, 0, 3, -7])
        x = laid_out(values_of(p.lead + p.size, dtype))
        y = unwritten(p.lead + p.out, dtype)
        pool = F.avg_pool2d if axes == 2 else F.avg_pool3d
        want, size = double_and_size(
            lambda t: pool(t, p.kernel, p.stride, p.pad, p.ceil, counted, divisor or None), x)
        arguments = [x, p.kernel, p.stride, p.pad, boolean(p.ceil), boolean(counted), int64(divisor)]
        arguments += [int8(0), y] if axes == 2 else [y]
        roundings = math.prod(p.kernel) + 2 * axes + 2
        return p, arguments, [Result("out", y, want, size.abs(), roundings)], BY_RANK[x.dim()]
    return make


def avg_backward(axes):
    def make():
        p, dtype = Problem(axes, fits=axes == 3), random.choice(FLOATS)
        counted, divisor = bool(below(2)), random.choice([0, 0, 3, -7])
        x = torch.zeros(p.lead + p.size, dtype=dtype)
        dy = laid_out(values_of(p.lead + p.out, dtype))
        dx = unwritten(p.lead + p.size, dtype)
        pool = F.avg_pool2d if axes == 2 else F.avg_pool3d
        want, size = double_and_size(lambda t: gradient(
            lambda v: pool(v, p.kernel, p.stride, p.pad, p.ceil, counted, divisor or None), x.shape, t), dy)
        arguments = [dy, x, p.kernel, p.stride, p.pad, boolean(p.ceil), boolean(counted), int64(divisor)]
        arguments += [int8(0), dx] if axes == 2 else [dx]
        roundings = math.prod(p.kernel) + 2 * axes + 2
        return p, arguments, [Result("gradInput", dx, want, size.abs(), roundings)], BY_RANK[x.dim()]
    return make


def max_of(axes):
    return F.max_pool2d if axes == 2 else F.max_pool3d


def max_forward(axes):
    def make():
        p, dtype = Problem(axes, dilates=True), random.choice(FLOATS)
        index = random.choice([torch.int32, torch.int64])
        x = laid_out(values_of(p.lead + p.size, dtype))
        y, i = unwritten(p.lead + p.out, dtype), unwritten(p.lead + p.out, index)
        want, which = max_of(axes)(plain(x), p.kernel, p.stride, p.pad, p.dilation, p.ceil, True)
        arguments = [x, p.kernel, p.stride, p.pad, p.dilation, boolean(p.ceil), y, i]
        return p, arguments, [Result("out", y, want), Result("indices", i, which)], BY_RANK[x.dim()]
    return make


def plane_gradient(dy, i, shape, axes):
    """dy added where i points, in planes of the last axes of shape."""
    planes = torch.zeros(shape, dtype=DOUBLE).flatten(-axes)
    return planes.scatter_add(-1, i.to(torch.int64).flatten(-axes), dy.flatten(-axes)).reshape(shape)


def max_backward(axes):
    def make():
        p, dtype = Problem(axes, dilates=True), random.choice(FLOATS)
        index = random.choice([torch.int32, torch.int64])
        x = values_of(p.lead + p.size, dtype)
        _, which = max_of(axes)(plain(x), p.kernel, p.stride, p.pad, p.dilation, p.ceil, True)
        if below(4) == 0:
            which = torch.randint(0, math.prod(p.size), which.shape)
        dy, i = laid_out(values_of(p.lead + p.out, dtype)), laid_out(which.to(index))
        dx = unwritten(p.lead + p.size, dtype)
        want, size = double_and_size(lambda t: plane_gradient(t, which, x.shape, axes), dy)
        arguments = [dy, x, i, p.kernel, p.stride, p.pad, p.dilation, boolean(p.ceil), dx]
        return p, arguments, [Result("gradInput", dx, want, size, math.prod(p.out))], BY_RANK[x.dim()]
    return make


def mask_shape(p):
    cells = math.prod(p.out)
    return p.lead + [math.prod(p.kernel), ((cells + 15) // 16 + 1) * 32]


def token_of(p, which):
    """The mask tensor as it is: int32 offsets at its beginning, then zeros."""
    token = torch.zeros(math.prod(mask_shape(p)), dtype=torch.int8)
    offsets = which.to(torch.int32).contiguous().flatten().view(torch.int8)
    token[:offsets.numel()] = offsets
    return token.reshape(mask_shape(p))


def mask_problem():
    p = Problem(2)
    while p.kernel == [1, 1]:
        p = Problem(2)
    return p


def mask_forward():
    p, dtype = mask_problem(), random.choice(FLOATS)
    x = laid_out(values_of(p.lead + p.size, dtype))
    y = unwritten(p.lead + p.out, dtype)
    token = torch.full(mask_shape(p), -1, dtype=torch.int8)
    want, which = F.max_pool2d(plain(x), p.kernel, p.stride, p.pad, 1, p.ceil, True)
    arguments = [x, p.kernel, p.stride, p.pad, [1, 1], boolean(p.ceil), y, token]
    return p, arguments, [Result("out", y, want), Result("mask", token, token_of(p, which))], BY_RANK[x.dim()]


def mask_backward():
    p, dtype = mask_problem(), random.choice(FLOATS)
    x = values_of(p.lead + p.size, dtype)
    _, which = F.max_pool2d(plain(x), p.kernel, p.stride, p.pad, 1, p.ceil, True)
    dy, dx = laid_out(values_of(p.lead + p.out, dtype)), unwritten(p.lead + p.size, dtype)
    want, size = double_and_size(lambda t: plane_gradient(t, which, x.shape, 2), dy)
    arguments = [dy, x, token_of(p, which), p.kernel, p.stride, p.pad, [1, 1], boolean(p.ceil), dx]
    return p, arguments, [Result("gradInput", dx, want, size, math.prod(p.out))], BY_RANK[x.dim()]


def asymmetric(axes, dilates=False):
    """A problem whose paddings differ; its out is set by the floor rule."""
    while True:
        p = Problem(axes, dilates)
        p.ceil = False
        p.end = [below(k - b + 1) for k, b in zip(p.kernel, p.pad)]
        room = [n + b + e - d * (k - 1) - 1
                for n, b, e, k, d in zip(p.size, p.pad, p.end, p.kernel, p.dilation)]
        p.out = [r // s + 1 for r, s in zip(room, p.stride)]
        if min(room) >= 0:
            return p


def onnx_max_pool():
    p, dtype = asymmetric(2), random.choice(FLOATS[:2])
    x = laid_out(values_of(p.lead + p.size, dtype))
    y = unwritten(p.lead + p.out, dtype)
    want = F.max_pool2d(padded(plain(x), p.pad, p.end, -math.inf), p.kernel, p.stride)
    arguments = [x, p.kernel, p.stride, int64(0), p.pad + p.end, [1, 1], int64(0), y]
    return p, arguments, [Result("out", y, want)], BY_RANK[x.dim()]


class Bins(Problem):
    def __init__(self, axes):
        self.axes, self.ceil = axes, False
        self.kernel = self.stride = self.dilation = [1] * axes
        self.pad = [0] * axes
        self.size = [1 + below(12 if axes == 2 else 7) for _ in range(axes)]
        self.out = [1 + below(6) for _ in range(axes)]
        self.lead = [1 + below(3), 1 + below(6)][below(4) == 0:]


def adaptive_avg(axes):
    pool = F.adaptive_avg_pool2d if axes == 2 else F.adaptive_avg_pool3d

    def forward():
        p, dtype = Bins(axes), random.choice(FLOATS)
        x, y = laid_out(values_of(p.lead + p.size, dtype)), unwritten(p.lead + p.out, dtype)
        want, size = double_and_size(lambda t: pool(t, p.out), x)
        return p, [x, p.out, y], [Result("out", y, want, size, math.prod(p.size) + 8)], BY_RANK[x.dim()]

    def backward():
        p, dtype = Bins(axes), random.choice(FLOATS)
        x = torch.zeros(p.lead + p.size, dtype=dtype)
        dy, dx = laid_out(values_of(p.lead + p.out, dtype)), unwritten(p.lead + p.size, dtype)
        want, size = double_and_size(lambda t: gradient(lambda v: pool(v, p.out), x.shape, t), dy)
        roundings = math.prod(p.out) + 8
        return p, [dy, x, dx], [Result("gradInput", dx, want, size, roundings)], BY_RANK[x.dim()]
    return forward, backward


def adaptive_max(axes):
    pool = F.adaptive_max_pool2d if axes == 2 else F.adaptive_max_pool3d

    def forward():
        p, dtype = Bins(axes), random.choice(FLOATS + [DOUBLE][:axes == 2])
        index = torch.int64 if axes == 2 else random.choice([torch.int32, torch.int64])
        x, y = laid_out(values_of(p.lead + p.size, dtype)), unwritten(p.lead + p.out, dtype)
        i = unwritten(p.lead + p.out, index)
        want, which = pool(plain(x), p.out, True)
        return p, [x, p.out, y, i], [Result("out", y, want), Result("indices", i, which)], BY_RANK[x.dim()]

    def backward():
        p, dtype = Bins(axes), random.choice(FLOATS)
        index = random.choice([torch.int32, torch.int64])
        x = values_of(p.lead + p.size, dtype)
        _, which = pool(plain(x), p.out, True)
        dy, i = laid_out(values_of(p.lead + p.out, dtype)), laid_out(which.to(index))
        dx = unwritten(p.lead + p.size, dtype)
        want, size = double_and_size(lambda t: plane_gradient(t, which, x.shape, axes), dy)
        return p, [dy, x, i, dx], [Result("gradInput", dx, want, size, math.prod(p.out))], BY_RANK[x.dim()]
    return forward, backward


COPIED = [torch.float32, torch.float16, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]


def unpool_problem(axes):
    p = Bins(axes)
    while math.prod(p.out) > math.prod(p.size):
        p = Bins(axes)
    return p


def distinct(p):
    """Offsets in the large plane, none twice, one plane after the other."""
    cells = math.prod(p.out)
    planes = [torch.randperm(math.prod(p.size))[:cells] for _ in range(math.prod(p.lead))]
    return torch.stack(planes).reshape(p.lead + p.out)


def unpool(axes):
    function = aten.max_unpool2d if axes == 2 else aten.max_unpool3d
    extra = [[1] * axes, [0] * axes] if axes == 3 else []

    def forward():
        p, dtype = unpool_problem(axes), random.choice(COPIED + [DOUBLE])
        which, index = distinct(p), random.choice([torch.int32, torch.int64])
        y, i = laid_out(values_of(p.lead + p.out, dtype)), laid_out(which.to(index))
        x = unwritten(p.lead + p.size, dtype)
        x = x.contiguous() if axes == 3 else x
        want = function(plain(y), which, p.size, *extra)
        return p, [y, i, p.size] + extra + [x], [Result("out", x, want)], BY_RANK[x.dim()]

    def backward():
        p, dtype = unpool_problem(axes), random.choice(COPIED)
        which = torch.randint(0, math.prod(p.size), p.lead + p.out)
        index = torch.int64 if axes == 3 else random.choice([torch.int32, torch.int64])
        dx = laid_out(values_of(p.lead + p.size, dtype))
        y, i = values_of(p.lead + p.out, dtype), laid_out(which.to(index))
        dy = unwritten(p.lead + p.out, dtype)
        dy = dy.contiguous() if axes == 3 else dy
        want = plain(dx).flatten(-axes).gather(-1, which.flatten(-axes)).reshape(which.shape)
        return p, [dx, y, i, p.size] + extra + [dy], [Result("out", dy, want)], BY_RANK[dx.dim()]
    return forward, backward


def global_pool(is_max):
    def make():
        p = Bins(2 + below(2))
        p.lead = [1 + below(3), 1 + below(5)]
        p.out = [1] * p.axes
        dtype = random.choice(FLOATS[:2] + [DOUBLE] if is_max else FLOATS + [DOUBLE])
        x = laid_out(values_of(p.lead + p.size, dtype))
        y = unwritten(p.lead + p.out, dtype)
        axes = tuple(range(2, x.dim()))
        if is_max:
            results = [Result("out", y, plain(x).amax(axes, True))]
        else:
            want, size = double_and_size(lambda t: t.mean(axes, True), x)
            results = [Result("out", y, want, size, math.prod(p.size) + 4)]
        return p, [x, y], results, ND if below(2) else BY_RANK[x.dim()]
    return make


def ext_avg_grad():
    axes = 1 + below(3)
    p, dtype = asymmetric(axes), random.choice(FLOATS)
    p.lead = [1 + below(3), 1 + below(5)]
    dy, dx = laid_out(values_of(p.lead + p.out, dtype)), unwritten(p.lead + p.size, dtype)
    pool = [F.avg_pool1d, F.avg_pool2d, F.avg_pool3d][axes - 1]
    want, size = double_and_size(lambda t: gradient(
        lambda v: pool(padded(v, p.pad, p.end, 0), p.kernel, p.stride), dx.shape, t), dy)
    given = random.choice([None, list(dx.shape)])
    arguments = [dy, given, p.kernel, p.stride, p.pad, p.end, None, int64(0), boolean(False), boolean(True), dx]
    roundings = math.prod(p.kernel) + 2 * axes + 2
    return p, arguments, [Result("gradInput", dx, want, size, roundings)], BY_RANK[dx.dim()]


def ext_max_grad():
    axes = 1 + below(3)
    p, dtype = Bins(axes), random.choice(FLOATS)
    p.lead = [1 + below(3), 1 + below(5)]
    which = torch.randint(0, math.prod(p.lead + p.size), p.lead + p.out)
    dy, i = laid_out(values_of(p.lead + p.out, dtype)), laid_out(which.to(random.choice([torch.int32, torch.int64])))
    dx = unwritten(p.lead + p.size, dtype)
    want, size = double_and_size(lambda t: torch.zeros(math.prod(dx.shape), dtype=DOUBLE).scatter_add(
        0, which.flatten(), t.flatten()).reshape(dx.shape), dy)
    return p, [dy, i, int64(0), dx], [Result("gradInput", dx, want, size, which.numel())], BY_RANK[dx.dim()]


def ext_max_backward():
    axes = 1 + below(3)
    p, dtype = Problem(axes, dilates=True), random.choice(FLOATS)
    p.lead = [1 + below(3), 1 + below(5)]
    x = laid_out(values_of(p.lead + p.size, dtype))
    dy, dx = laid_out(values_of(p.lead + p.out, dtype)), unwritten(p.lead + p.size, dtype)
    pool = [F.max_pool1d, F.max_pool2d, F.max_pool3d][axes - 1]
    _, which = pool(plain(x), p.kernel, p.stride, p.pad, p.dilation, p.ceil, True)
    want, size = double_and_size(lambda t: plane_gradient(t, which, dx.shape, axes), dy)
    arguments = [dy, x, p.kernel, p.stride, p.pad, None if below(2) and not any(p.pad) else p.pad, p.dilation,
                 int64(0), boolean(p.ceil), dx]
    return p, arguments, [Result("gradInput", dx, want, size, math.prod(p.out))], BY_RANK[dx.dim()]


OPERATORS = {
    "aclnnAvgPool2d": avg_forward(2),
    "aclnnAvgPool3d": avg_forward(3),
    "aclnnAvgPool2dBackward": avg_backward(2),
    "aclnnAvgPool3dBackward": avg_backward(3),
    "aclnnMaxPool": onnx_max_pool,
    "aclnnMaxPool2dWithIndices": max_forward(2),
    "aclnnMaxPool2dWithIndicesBackward": max_backward(2),
    "aclnnMaxPool2dWithMask": mask_forward,
    "aclnnMaxPool2dWithMaskBackward": mask_backward,
    "aclnnMaxPool3dWithArgmax": max_forward(3),
    "aclnnMaxPool3dWithArgmaxBackward": max_backward(3),
    "aclnnAdaptiveAvgPool2d": adaptive_avg(2)[0],
    "aclnnAdaptiveAvgPool2dBackward": adaptive_avg(2)[1],
    "aclnnAdaptiveAvgPool3d": adaptive_avg(3)[0],
    "aclnnAdaptiveAvgPool3dBackward": adaptive_avg(3)[1],
    "aclnnAdaptiveMaxPool2d": adaptive_max(2)[0],
    "aclnnAdaptiveMaxPool2dBackward": adaptive_max(2)[1],
    "aclnnAdaptiveMaxPool3d": adaptive_max(3)[0],
    "aclnnAdaptiveMaxPool3dBackward": adaptive_max(3)[1],
    "aclnnMaxUnpool2d": unpool(2)[0],
    "aclnnMaxUnpool2dBackward": unpool(2)[1],
    "aclnnMaxUnpool3d": unpool(3)[0],
    "aclnnMaxUnpool3dBackward": unpool(3)[1],
    "aclnnGlobalAveragePool": global_pool(False),
    "aclnnGlobalMaxPool": global_pool(True),
    "aclnnextAvgPoolGrad": ext_avg_grad,
    "aclnnextMaxPoolGrad": ext_max_grad,
    "aclnnextMaxPoolBackward": ext_max_backward,
}
