# SPDX-License-Identifier: Apache-2.0
"""Random problems of convolution and what PyTorch makes of them in double: a function for each operator that gives
the problem, the arguments, the results and the format.

Each result is a sum of products. With operands of ones the same operator tells of how many, with their magnitudes how
large they are together; a product is rounded once and each addition once more, so that a term of n sees at most n
roundings, in whatever order they are added, and one more where a bias is added. Where all factors are small whole
numbers nothing is rounded but the result."""
import ctypes
import math
import random

import torch

from torch_library import Bools, NCDHW, NCHW, NCL, ND, NDHWC, NHWC, Tensor, boolean, int8, int64
from torch_values import DOUBLE, FLOATS, Result, below, laid_out, padded, special_values, unwritten

aten = torch.ops.aten
CHANNELS_FIRST = {1: NCL, 2: NCHW, 3: NCDHW}
CHANNELS_LAST = {2: NHWC, 3: NDHWC}
AUTO_PADS = {0: "", 1: "same_upper", 2: "same_lower", 3: "valid"}


# ---- problems ----


class Windows:
    """Windows of a large side that make a small one; with transposed the operator goes from the small to the large."""

    def __init__(self, axes, transposed=False, per_channel=False):
        self.axes, self.transposed = axes, transposed
        self.auto_pad, self.math = 0, 0
        self.batch = 0 if below(40) == 0 else 1 + below(3)
        self.groups = 1 + below(5) if below(2) else 1
        most = 4 if self.groups > 1 else 70 if below(6) == 0 else 18
        self.large_channels, self.small_channels = 1 + below(most), 1 + below(most)
        if per_channel:
            self.groups, self.large_channels = 1 + below(20), 1
            self.small_channels = 1 + below(3) * below(2)
        self.only_points = below(6) == 0  # windows of one element, which are matrix products
        if self.only_points and not per_channel and below(2):
            self.groups, self.large_channels, self.small_channels = 1, 32 + below(40), 32 + below(40)
        self.largest = [80, 12, 5][axes - 1]
        for name in ("large", "small", "kernel", "stride", "dilation", "begin", "end", "extra"):
            setattr(self, name, [0] * axes)

    def fill(self, strides=True, differ=False, takes_more=False):
        """Extents; strides: and dilations; differ: the paddings of an axis; takes_more: outputPadding may reach the
        stride where it is less than the dilation."""
        for i in range(self.axes):
            while True:
                self.kernel[i] = 1 if self.only_points else 1 + below(7 if self.axes < 3 else 4)
                self.stride[i] = 1 + below(4) if strides and not self.only_points else 1
                self.dilation[i] = 1 + below(3) if strides and not self.only_points else 1
                self.begin[i] = 0 if self.only_points else below(self.kernel[i] + 1)
                self.end[i] = below(self.kernel[i] + 1) if differ and not self.only_points else self.begin[i]
                self.small[i] = 1 + below(self.largest)
                self.extra[i] = below(max(self.stride[i], self.dilation[i]) if takes_more else self.stride[i])
                self.large[i] = ((self.small[i] - 1) * self.stride[i] + (self.kernel[i] - 1) * self.dilation[i] + 1
                                 - self.begin[i] - self.end[i] + self.extra[i])
                if self.large[i] > 0:
                    break
        return self

    def pad_automatically(self, kind):
        """The paddings that make the small side the large one over the stride, or none."""
        self.auto_pad = kind
        for i in range(self.axes):
            span = (self.kernel[i] - 1) * self.dilation[i] + 1
            count = (self.large[i] - 1) // self.stride[i] + 1
            total = 0 if kind == 3 else max((count - 1) * self.stride[i] + span - self.large[i], 0)
            if kind == 3:
                self.large[i] = max(self.large[i], span)
                count = (self.large[i] - span) // self.stride[i] + 1
            self.begin[i] = total // 2 if kind != 2 else (total + 1) // 2
            self.end[i], self.small[i] = total - self.begin[i], count
        return self

    def is_padded(self):
        return any(self.begin) or any(self.end)

    def shape_of_large(self):
        return [self.batch, self.groups * self.large_channels] + self.large

    def shape_of_small(self):
        return [self.batch, self.groups * self.small_channels] + self.small

    def shape_of_input(self):
        return self.shape_of_small() if self.transposed else self.shape_of_large()

    def shape_of_output(self):
        return self.shape_of_large() if self.transposed else self.shape_of_small()

    def shape_of_weight(self):
        return [self.groups * self.small_channels, self.large_channels] + self.kernel

    def padding(self, takes_both_ends):
        """The argument."""
        if self.begin == self.end and (not takes_both_ends or below(4)):
            return self.begin
        return [side for pair in zip(self.begin, self.end) for side in pair]

    def __str__(self):
        return (f"n{self.batch} g{self.groups} {self.large_channels}x{self.large} {self.small_channels}x{self.small}"
                f" k{self.kernel} s{self.stride} d{self.dilation} p{self.begin},{self.end} extra {self.extra}"
                f" math {self.math} {'transposed ' if self.transposed else ''}{AUTO_PADS[self.auto_pad]}")


class Operands:
    """The tensors that a problem reads: their types, values and layouts, and their values as factors."""

    def __init__(self, problem, mixes, maths):
        self.problem, self.kind = problem, random.choice(["numbers"] * 5 + ["whole", "whole", "special"])
        self.mixes = mixes and below(4) == 0
        self.dtype = random.choice(FLOATS)
        self.factors = []
        problem.math = below(maths) if below(2) else 0

    def type(self):
        return random.choice(FLOATS) if self.mixes else self.dtype

    def tensor(self, shape, dtype, special=False):
        """special: NaN and infinities here tell the same however the sums are cut."""
        data = torch.randn(shape, dtype=DOUBLE)
        if self.kind == "whole":
            data = torch.randint(-2, 3, shape).to(DOUBLE)
        if self.kind == "special" and special:
            data = special_values(data)
        return laid_out(data.to(dtype), 1 if len(shape) > 1 else None)

    def factor(self, shape, special=False):
        made = self.tensor(shape, self.type(), special)
        self.factors.append(made)
        return made

    def doubles(self):
        """The factors as cubeMathType rounds them."""
        types = {factor.dtype for factor in self.factors}
        product = types.pop() if len(types) == 1 else torch.float32
        return [rounded(factor, product, self.problem.math).contiguous() for factor in self.factors]

    def sums(self, function, roundings=0):
        """For each result of function(factors): value, magnitude, and the roundings of its terms."""
        values = self.doubles()
        found = [function(*values)]
        found.append(function(*(torch.nan_to_num(value.abs(), 0, 0, 0) for value in values)))
        found.append(function(*(torch.ones_like(value) for value in values)))
        for value, magnitude, terms in zip(*found):
            exact = self.kind == "whole"
            yield value, magnitude, None if value is None else 0 if exact else terms + roundings


def rounded(tensor, product, math_type):
    """The values as doubles, after the rounding that cubeMathType asks for where the products are of that type."""
    if math_type == 2 and product != torch.float16:
        return tensor.to(torch.float16).to(DOUBLE)
    if math_type in (1, 3) and product == torch.float32:
        single = tensor.to(torch.float32).contiguous()
        short = ((single.view(torch.int32) + 0x800) & ~0xFFF).view(torch.float32)  # 11 bits of mantissa
        return torch.where(single.isfinite(), short, single).to(DOUBLE)
    return tensor.to(DOUBLE)


# ---- PyTorch's side: paddings that differ are cells of the large side ----


def cut(tensor, problem):
    for i in range(problem.axes):
        tensor = tensor.narrow(2 + i, problem.begin[i], problem.large[i])
    return tensor


def outputs(p, x, w):
    none = [0] * p.axes
    if p.begin == p.end:
        return aten.convolution(x, w, None, p.stride, p.begin, p.dilation, p.transposed,
                                p.extra if p.transposed else none, p.groups)
    if p.transposed:
        return cut(aten.convolution(x, w, None, p.stride, none, p.dilation, True, p.extra, p.groups), p)
    return aten.convolution(padded(x, p.begin, p.end, 0), w, None, p.stride, none, p.dilation, False, none, p.groups)


def gradients(p, mask, dy, x, w):
    """gradInput, gradWeight and gradBias, None where the mask says so."""
    none = [0] * p.axes
    if p.begin == p.end:
        return aten.convolution_backward(dy, x, w, [dy.shape[1]], p.stride, p.begin, p.dilation, p.transposed,
                                         p.extra if p.transposed else none, p.groups, mask)
    if p.transposed:
        return aten.convolution_backward(padded(dy, p.begin, p.end, 0), x, w, [dy.shape[1]], p.stride, none,
                                         p.dilation, True, p.extra, p.groups, mask)
    dx, dw, db = aten.convolution_backward(dy, padded(x, p.begin, p.end, 0), w, [dy.shape[1]], p.stride, none,
                                           p.dilation, False, none, p.groups, mask)
    return None if dx is None else cut(dx, p), dw, db


# ---- arguments and results of several operators ----


def given(tensor, form):
    """None stays None."""
    if tensor is None:
        return None
    return Tensor(tensor.movedim(1, -1) if form in CHANNELS_LAST.values() else tensor, form)


def random_form(axes, takes_nd, takes_last):
    if takes_last and axes in CHANNELS_LAST and below(3) == 0:
        return CHANNELS_LAST[axes]
    return ND if takes_nd and below(3) == 0 else CHANNELS_FIRST[axes]


def backward_operands(p, math_types=4):
    """gradOutput, input, weight. An infinity of the small side that meets padding is a NaN, or is not, so only one of
    the sides has any, the small one only where nothing is padded."""
    operands = Operands(p, True, math_types)
    in_large = p.is_padded() or below(2) == 0
    operands.factor(p.shape_of_output(), in_large == p.transposed)
    operands.factor(p.shape_of_input(), in_large != p.transposed)
    operands.factor(p.shape_of_weight())
    return operands


def backward_results(operands, mask, function, tensors):
    """tensors: gradInput, gradWeight, gradBias, or None. What is there and not asked for stays unwritten."""
    results = []
    names = ["gradInput", "gradWeight", "gradBias"]
    for name, asked, got, sums in zip(names, mask, tensors, operands.sums(function)):
        if asked:
            value, magnitude, roundings = sums
            results.append(Result(name, got, value, magnitude, roundings))
        elif got is not None:
            results.append(Result(name, got, torch.full(got.shape, math.nan, dtype=DOUBLE)))
    return results


def bias_gradient(results, dy):
    """Its sum has no products, and cubeMathType does not round it."""
    for result in results:
        if result.name == "gradBias" and result.magnitude is not None:
            axes = [i for i in range(dy.dim()) if i != 1]
            result.want = dy.to(DOUBLE).sum(axes)
            result.magnitude = torch.nan_to_num(dy.to(DOUBLE).abs(), 0, 0, 0).sum(axes)


# ---- operators ----


def forward():
    axes, transposed = 1 + below(3), below(3) == 0
    takes_both_ends = axes == 2 or (axes == 1 and not transposed)
    p = Windows(axes, transposed, below(4) == 0)
    p.fill(differ=takes_both_ends and below(3) == 0, takes_more=transposed)
    operands = Operands(p, True, 5)
    x = operands.factor(p.shape_of_input(), not transposed or not p.is_padded())
    w = operands.factor(p.shape_of_weight())
    y = unwritten(p.shape_of_output(), operands.type(), 1)
    bias = operands.tensor(p.shape_of_output()[1:2], operands.type()) if below(3) else None
    form = NDHWC if axes == 3 and below(3) == 0 else CHANNELS_FIRST[axes]
    extra = p.extra if transposed else random.choice([None, [0] * axes])
    arguments = [given(x, form), given(w, form), given(bias, ND), p.stride, p.padding(takes_both_ends), p.dilation,
                 boolean(transposed), extra, int64(p.groups), given(y, form), int8(p.math)]
    return p, arguments, forward_results(operands, y, bias, lambda x, w: outputs(p, x, w), 1), form


def forward_results(operands, y, bias, function, channels):
    (want, magnitude, roundings), = operands.sums(lambda *factors: [function(*factors)], 0 if bias is None else 1)
    if bias is not None:
        row = bias.to(DOUBLE).reshape([-1 if i == channels else 1 for i in range(y.dim())])
        want, magnitude = want + row, magnitude + row.abs()
    return [Result("output", y, want, magnitude, roundings)]


def depthwise():
    p = Windows(2, per_channel=True).fill()
    operands = Operands(p, False, 5)
    x, w = operands.factor(p.shape_of_input(), True), operands.factor(p.shape_of_weight())
    y = unwritten(p.shape_of_output(), operands.dtype, 1)
    bias = operands.tensor(p.shape_of_output()[1:2], operands.dtype) if below(3) else None
    arguments = [x, w, p.kernel, given(bias, ND), p.stride, p.begin, p.dilation, y, int8(p.math)]
    return p, arguments, forward_results(operands, y, bias, lambda x, w: outputs(p, x, w), 1), NCHW


def backward():
    axes, transposed = 1 + below(3), below(3) == 0
    p = Windows(axes, transposed, below(4) == 0).fill(differ=axes == 2 and below(3) == 0)
    operands = backward_operands(p)
    dy, x, w = operands.factors
    mask = Bools(below(2) == 0 for _ in range(3)) if below(2) else Bools([True] * 3)
    tensors = [unwritten(like, operands.type(), 1 if len(like) > 1 else None) if asked or below(2) else None
               for asked, like in zip(mask, (x.shape, w.shape, dy.shape[1:2]))]
    forms = [random_form(axes, axes == 1, False) for _ in range(3)]
    results = backward_results(operands, mask, lambda *factors: gradients(p, mask, *factors), tensors)
    bias_gradient(results, dy)
    sizes = [dy.shape[1]] if p.batch == 0 or below(2) else None
    arguments = [given(tensor, form) for tensor, form in zip((dy, x, w), forms)]
    arguments += [sizes, p.stride, p.padding(axes == 2), p.dilation, boolean(transposed),
                  p.extra if transposed else [0] * axes, ctypes.c_int(p.groups), mask, int8(p.math)]
    arguments += [given(tensor, form) for tensor, form in zip(tensors, (forms[1], forms[2], ND))]
    return p, arguments, results, [*forms, f"mask {list(mask)}"]


def listed(values, usual):
    """One entry for all axes where they are alike, none at all where they are the usual."""
    if all(value == values[0] for value in values) and below(2):
        return random.choice([None, []]) if values[0] == usual else values[:1]
    return values


def ext_grad():
    axes = 1 + below(3)
    p = Windows(axes, False, below(4) == 0).fill(differ=below(2) == 0)
    if below(4) == 0:
        p.pad_automatically(1 + below(3))
    operands = backward_operands(p)
    dy, x, w = operands.factors
    mask = [False] * 3
    while not any(mask):
        mask = [below(3) > 0 for _ in range(3)]
    tensors = [unwritten(like, operands.type(), 1 if len(like) > 1 else None) if asked else None
               for asked, like in zip(mask, (x.shape, w.shape, dy.shape[1:2]))]
    forms = [random_form(axes, True, True) for _ in range(3)]
    results = backward_results(operands, mask, lambda *factors: gradients(p, mask, *factors), tensors)
    bias_gradient(results, dy)
    pads = [listed(p.begin, 0), listed(p.end, 0)] if p.auto_pad == 0 else [None, None]
    arguments = [given(tensor, form) for tensor, form in zip((dy, x, w), forms)]
    arguments += [listed(p.stride, 1), *pads, listed(p.dilation, 1), int64(p.auto_pad), int64(p.groups), int8(p.math)]
    arguments += [given(tensor, form) for tensor, form in zip(tensors, (forms[1], forms[2], ND))]
    return p, arguments, results, forms


def along_time():
    """A problem and its shapes in the order of TBC: input, weight, output."""
    p = Windows(1).fill(strides=False)
    p.batch, p.groups = max(p.batch, 1), 1
    x = [p.large[0], p.batch, p.large_channels]
    w = [p.kernel[0], p.large_channels, p.small_channels]
    return p, x, w, [p.small[0], p.batch, p.small_channels]


def tbc():
    p, x_shape, w_shape, y_shape = along_time()
    operands = Operands(p, False, 5)
    x, w = operands.factor(x_shape, True), operands.factor(w_shape)
    y = unwritten(y_shape, operands.dtype, 1)
    bias = operands.tensor(y_shape[2:], random.choice(FLOATS))
    pad, none = p.begin[0], torch.zeros(y_shape[2:], dtype=DOUBLE)
    form = random.choice([ND, NCL])
    results = forward_results(operands, y, bias, lambda x, w: aten.conv_tbc(x, w, none, pad), 2)
    return p, [x, w, given(bias, ND), int64(pad), y, int8(p.math)], results, form


def tbc_backward():
    p, x_shape, w_shape, y_shape = along_time()
    operands = Operands(p, True, 4)
    in_large = p.is_padded() or below(2) == 0
    dy = operands.factor(y_shape, not in_large)
    x, w = operands.factor(x_shape, in_large), operands.factor(w_shape)
    pad, bias = p.begin[0], torch.zeros(y_shape[2:], dtype=operands.type())
    tensors = [unwritten(shape, operands.type()) for shape in (x_shape, w_shape, y_shape[2:])]
    results = backward_results(operands, [True] * 3, lambda dy, x, w: aten.conv_tbc_backward(
        dy, x, w, torch.zeros(y_shape[2:], dtype=DOUBLE), pad), tensors)
    bias_gradient(results, dy.movedim(2, 1))
    arguments = [dy, x, w, given(bias, ND), int64(pad), int8(p.math), *tensors[:2], given(tensors[2], ND)]
    return p, arguments, results, random.choice([ND, NCL])


OPERATORS = {
    "aclnnConvolution": forward,
    "aclnnConvDepthwise2d": depthwise,
    "aclnnConvTbc": tbc,
    "aclnnConvolutionBackward": backward,
    "aclnnConvTbcBackward": tbc_backward,
    "aclnnextConvGrad": ext_grad,
}
