# SPDX-License-Identifier: Apache-2.0
"""Random values in random layouts, and what a result may differ from PyTorch's by."""
import math
import random

import torch
import torch.nn.functional as F

DOUBLE = torch.float64
FLOATS = [torch.float32, torch.float16, torch.bfloat16]


def below(count):
    return random.randrange(count)


def values_of(shape, dtype):
    """Values that the type holds, at times with ties, NaN and infinities."""
    kind = below(8)
    if not dtype.is_floating_point:
        low, high = (0, 2) if dtype in (torch.bool, torch.uint8) else (-100, 100)
        return torch.randint(low, high, shape).to(dtype)
    data = torch.randn(shape, dtype=DOUBLE)
    if kind == 0:
        data = torch.randint(-2, 3, shape).to(DOUBLE)
    data = data.to(dtype)
    return special_values(data) if kind == 1 else data


def special_values(data):
    """The same values, some of them NaN or infinite."""
    for special in (math.nan, math.inf, -math.inf):
        data[torch.rand(data.shape) < 0.03] = special
    return data


def laid_out(tensor, channels=None):
    """The same values in another layout: dense, channels innermost, every other column, axes turned. channels: their
    axis, else the third from the end."""
    kind = below(5)
    if kind == 1 and tensor.dim() >= 3:
        channels = tensor.dim() - 3 if channels is None else channels
        return tensor.movedim(channels, -1).contiguous().movedim(-1, channels)
    if kind == 2:
        wide = torch.zeros(*tensor.shape[:-1], 2 * tensor.shape[-1] + 1, dtype=tensor.dtype)
        view = wide[..., 1::2]
        view.copy_(tensor)
        return view
    if kind == 3:
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    return tensor.contiguous()


def unwritten(shape, dtype, channels=None):
    """An output with no value in it."""
    size = torch.empty((), dtype=dtype).element_size()
    bits = torch.full((math.prod(shape) * size,), 255 if dtype != torch.bool else 1, dtype=torch.uint8)
    empty = torch.empty(shape, dtype=dtype)
    return laid_out(bits.view(dtype).reshape(shape) if bits.numel() else empty, channels)


def padded(x, begin, end, value):
    """x with more cells at both sides of its last axes."""
    sides = [side for pair in zip(reversed(begin), reversed(end)) for side in pair]
    return F.pad(x, sides, value=value)


def ulp(dtype, value):
    bits, least = {torch.float16: (10, -14), torch.bfloat16: (7, -126)}[dtype]
    return 2.0 ** (torch.log2(value.abs().clamp(min=2.0 ** least)).floor() - bits)


def same(want, got):
    return (want == got) | (want.isnan() & got.isnan()) if want.is_floating_point() else want == got


def rounding_error(dtype, magnitude, roundings):
    """The most that so many roundings, one after the other, can move a sum of this magnitude."""
    digits, least = (53, -1074) if dtype == DOUBLE else (24, -149)
    many = roundings * 2.0 ** -digits
    return many / (1 - many) * magnitude + roundings * 2.0 ** least


class Result:
    """An output: where the library wrote it, and what it must be: want, in double, if magnitude is None, else within
    `roundings` (a number, or one for each element) of want, a sum of terms with that sum of magnitudes."""

    def __init__(self, name, got, want, magnitude=None, roundings=0):
        self.name, self.got, self.want, self.magnitude, self.roundings = name, got, want, magnitude, roundings

    def bound(self):
        """What the sum, and what the store may be wrong by."""
        error = rounding_error(self.got.dtype, self.magnitude, self.roundings)
        if self.got.dtype in (torch.float16, torch.bfloat16):
            return error, ulp(self.got.dtype, self.want.abs() + error) / 2
        return (2 * error if self.got.dtype == DOUBLE else error), 0  # PyTorch's own double errs as much

    def compare(self):
        """What is wrong, or None, and the largest error of a sum as a share of what is allowed."""
        want, got, share = self.want, self.got, 0.0
        if want.shape != got.shape:
            return f"shape {tuple(got.shape)}, not {tuple(want.shape)}", share
        if self.magnitude is None:
            right = same(want.to(got.dtype), got)
        else:
            value, (of_sum, of_store) = got.to(DOUBLE), self.bound()
            error = (want - value).abs()
            right = same(want, value) | (want.isfinite() & (error <= of_sum + of_store))
            right |= want.to(got.dtype).isinf() & value.isinf() & (want.sign() == value.sign())
            counts = error.isfinite() & (of_sum > 0)
            share = max([0.0] + ((error - of_store).clamp(min=0) / of_sum)[counts].tolist())
        if bool(right.all()):
            return None, share
        at = tuple(int(i) for i in (~right).nonzero()[0])
        return f"{list(at)}: expected {want[at].item()}, got {got[at].item()}", share


def plain(tensor):
    """The values as contiguous doubles: not every PyTorch takes every memory format in every operator."""
    return tensor.to(DOUBLE).contiguous()


def double_and_size(function, *operands):
    """function on doubles, and on their finite magnitudes."""
    doubles = [plain(operand) for operand in operands]
    sizes = [torch.nan_to_num(operand.abs(), 0, 0, 0) for operand in doubles]
    return function(*doubles), function(*sizes)
