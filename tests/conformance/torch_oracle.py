# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a second oracle: random problems of every pooling operator that has a twin there, run by the built
libraries through ctypes and by PyTorch in double.

    torch_oracle.py FOLDER_OF_THE_LIBRARIES [SEED [CASES_PER_OPERATOR [OPERATOR...]]]

Values may differ by the roundings of fp32 sums alone: bound = roundings * 2^-24 * (the same operator on magnitudes), and
half an ulp of a half type. Indices and pure copies must be equal. Ends with 77 where torch cannot be imported."""
import ctypes
import math
import os
import random
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError as why:
    print(f"skipped: no PyTorch in {sys.executable} ({why}); ./dev deps bench installs it")
    sys.exit(77)

aten = torch.ops.aten
DOUBLE = torch.float64
ACL_TYPES = {torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4, torch.int16: 6,
             torch.int64: 9, torch.float64: 11, torch.bool: 12, torch.bfloat16: 27}
NCHW, NHWC, ND, NDHWC, NCDHW, NCL = 0, 1, 2, 27, 30, 47
BY_RANK = {3: NCL, 4: NCHW, 5: NCDHW}
FLOATS = [torch.float32, torch.float16, torch.bfloat16]


class Refused(Exception):
    pass


# ---- the library ----


class Library:
    def __init__(self, folder):
        names = ["libascendcl.so", "libnnopbase.so", "libopapi.so"]
        self.parts = [ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL) for name in names]
        void = ctypes.c_void_p
        self.create_tensor = self.function("aclCreateTensor", void)
        self.create_ints = self.function("aclCreateIntArray", void)
        self.destroy_tensor = self.function("aclDestroyTensor")
        self.destroy_ints = self.function("aclDestroyIntArray")
        self.synchronize = self.function("aclrtSynchronizeStream")
        self.message = self.function("aclGetRecentErrMsg", ctypes.c_char_p)
        self.stream = void()
        for code in (self.function("aclInit")(None), self.function("aclrtSetDevice")(0),
                     self.function("aclrtCreateStream")(ctypes.byref(self.stream))):
            assert code == 0, self.text()

    def has(self, name):
        return any(hasattr(part, name) for part in self.parts)

    def function(self, name, result=ctypes.c_int32):
        found = next(getattr(part, name) for part in self.parts if hasattr(part, name))
        found.restype = result
        return found

    def text(self):
        return (self.message() or b"").decode()

    def tensor(self, view, form):
        """form: the aclFormat; for NHWC and NDHWC the view is already in that order."""
        sizes = (ctypes.c_int64 * view.dim())(*view.shape)
        strides = (ctypes.c_int64 * view.dim())(*view.stride())
        storage = (ctypes.c_int64 * 1)(view.storage().size())
        start = view.data_ptr() - view.storage_offset() * view.element_size()
        return ctypes.c_void_p(self.create_tensor(
            sizes, ctypes.c_uint64(view.dim()), ACL_TYPES[view.dtype], strides,
            ctypes.c_int64(view.storage_offset()), form, storage, ctypes.c_uint64(1), ctypes.c_void_p(start)))

    def call(self, name, arguments, form):
        """Both phases. Tensors become descriptors, lists aclIntArrays, None NULL; others are ctypes values."""
        made, passed = [], []
        for argument in arguments:
            if isinstance(argument, torch.Tensor):
                made.append((self.destroy_tensor, self.tensor(argument, form)))
                passed.append(made[-1][1])
            elif isinstance(argument, (list, tuple)):
                values = (ctypes.c_int64 * max(len(argument), 1))(*argument)
                array = ctypes.c_void_p(self.create_ints(values, ctypes.c_uint64(len(argument))))
                made.append((self.destroy_ints, array))
                passed.append(array)
            else:
                passed.append(argument)
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        status = self.function(name + "GetWorkspaceSize")(*passed, ctypes.byref(size), ctypes.byref(executor))
        if status == 0:
            workspace = torch.full((size.value + 64,), 255, dtype=torch.uint8)
            address = ctypes.c_void_p((workspace.data_ptr() + 63) // 64 * 64 if size.value else None)
            status = self.function(name)(address, size, executor, self.stream)
        if status == 0:
            status = self.synchronize(self.stream)
        for destroy, what in made:
            destroy(what)
        if status != 0:
            raise Refused(f"{status}: {self.text()}")


def boolean(value):
    return ctypes.c_bool(value)


def int64(value):
    return ctypes.c_int64(value)


def int8(value):
    return ctypes.c_int8(value)


# ---- problems ----


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
    if kind == 1:
        for special in (math.nan, math.inf, -math.inf):
            data[torch.rand(shape) < 0.03] = special
    return data


def laid_out(tensor):
    """The same values in another layout: dense, channels innermost, every other column, axes turned."""
    kind = below(5)
    if kind == 1 and tensor.dim() >= 3:
        order = [i for i in range(tensor.dim()) if i != tensor.dim() - 3] + [tensor.dim() - 3]
        inverse = [order.index(i) for i in range(tensor.dim())]
        return tensor.permute(order).contiguous().permute(inverse)
    if kind == 2:
        wide = torch.zeros(*tensor.shape[:-1], 2 * tensor.shape[-1] + 1, dtype=tensor.dtype)
        view = wide[..., 1::2]
        view.copy_(tensor)
        return view
    if kind == 3:
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    return tensor.contiguous()


def unwritten(shape, dtype):
    """An output with no value in it."""
    size = torch.empty((), dtype=dtype).element_size()
    bits = torch.full((math.prod(shape) * size,), 255 if dtype != torch.bool else 1, dtype=torch.uint8)
    return laid_out(bits.view(dtype).reshape(shape) if bits.numel() else torch.empty(shape, dtype=dtype))


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


# ---- comparing ----


def ulp(dtype, value):
    bits, least = {torch.float16: (10, -14), torch.bfloat16: (7, -126)}[dtype]
    return 2.0 ** (torch.log2(value.abs().clamp(min=2.0 ** least)).floor() - bits)


def same(want, got):
    return (want == got) | (want.isnan() & got.isnan()) if want.is_floating_point() else want == got


def difference(want, magnitude, got, roundings):
    """None, or what is wrong. want and magnitude are double; without magnitude the two must be equal."""
    if want.shape != got.shape:
        return f"shape {tuple(got.shape)}, not {tuple(want.shape)}"
    if magnitude is None:
        right = same(want.to(got.dtype), got)
    else:
        value = got.to(DOUBLE)
        bound = roundings * (magnitude * 2.0 ** -24 + 2.0 ** -149)
        if got.dtype in (torch.float16, torch.bfloat16):
            bound = bound + ulp(got.dtype, want.abs() + bound) / 2
        if got.dtype == DOUBLE:
            bound = 4 * roundings * magnitude * 2.0 ** -53
        right = same(want, value) | ((want - value).abs() <= bound)
        right |= want.to(got.dtype).isinf() & value.isinf() & (want.sign() == value.sign())
    if bool(right.all()):
        return None
    at = tuple(int(i) for i in (~right).nonzero()[0])
    return f"[{at}]: expected {want[at].item()}, got {got[at].item()}"


class Result:
    """An output: where the library wrote it, and what it must be."""

    def __init__(self, name, got, want, magnitude=None, roundings=0):
        self.name, self.got, self.want, self.magnitude, self.roundings = name, got, want, magnitude, roundings


def double_and_size(function, *operands):
    """function on doubles, and on their finite magnitudes."""
    doubles = [operand.to(DOUBLE) for operand in operands]
    sizes = [torch.nan_to_num(operand.abs(), 0, 0, 0) for operand in doubles]
    return function(*doubles), function(*sizes)


def gradient(forward, shape, dy):
    x = torch.zeros(shape, dtype=DOUBLE, requires_grad=True)
    return torch.autograd.grad(forward(x), x, dy)[0]


# ---- operators: each gives name, arguments, results, format ----


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
        want, which = max_of(axes)(x.to(DOUBLE), p.kernel, p.stride, p.pad, p.dilation, p.ceil, True)
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
        _, which = max_of(axes)(x.to(DOUBLE), p.kernel, p.stride, p.pad, p.dilation, p.ceil, True)
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
    want, which = F.max_pool2d(x.to(DOUBLE), p.kernel, p.stride, p.pad, 1, p.ceil, True)
    arguments = [x, p.kernel, p.stride, p.pad, [1, 1], boolean(p.ceil), y, token]
    return p, arguments, [Result("out", y, want), Result("mask", token, token_of(p, which))], BY_RANK[x.dim()]


def mask_backward():
    p, dtype = mask_problem(), random.choice(FLOATS)
    x = values_of(p.lead + p.size, dtype)
    _, which = F.max_pool2d(x.to(DOUBLE), p.kernel, p.stride, p.pad, 1, p.ceil, True)
    dy, dx = laid_out(values_of(p.lead + p.out, dtype)), unwritten(p.lead + p.size, dtype)
    want, size = double_and_size(lambda t: plane_gradient(t, which, x.shape, 2), dy)
    arguments = [dy, x, token_of(p, which), p.kernel, p.stride, p.pad, [1, 1], boolean(p.ceil), dx]
    return p, arguments, [Result("gradInput", dx, want, size, math.prod(p.out))], BY_RANK[x.dim()]


def padded(x, begin, end, value):
    """x with more cells at both sides of its last axes."""
    sides = [side for pair in zip(reversed(begin), reversed(end)) for side in pair]
    return F.pad(x, sides, value=value)


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
    want = F.max_pool2d(padded(x.to(DOUBLE), p.pad, p.end, -math.inf), p.kernel, p.stride)
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
        want, which = pool(x.to(DOUBLE), p.out, True)
        return p, [x, p.out, y, i], [Result("out", y, want), Result("indices", i, which)], BY_RANK[x.dim()]

    def backward():
        p, dtype = Bins(axes), random.choice(FLOATS)
        index = random.choice([torch.int32, torch.int64])
        x = values_of(p.lead + p.size, dtype)
        _, which = pool(x.to(DOUBLE), p.out, True)
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
        want = function(y.to(DOUBLE), which, p.size, *extra)
        return p, [y, i, p.size] + extra + [x], [Result("out", x, want)], BY_RANK[x.dim()]

    def backward():
        p, dtype = unpool_problem(axes), random.choice(COPIED)
        which = torch.randint(0, math.prod(p.size), p.lead + p.out)
        index = torch.int64 if axes == 3 else random.choice([torch.int32, torch.int64])
        dx = laid_out(values_of(p.lead + p.size, dtype))
        y, i = values_of(p.lead + p.out, dtype), laid_out(which.to(index))
        dy = unwritten(p.lead + p.out, dtype)
        dy = dy.contiguous() if axes == 3 else dy
        want = dx.to(DOUBLE).flatten(-axes).gather(-1, which.flatten(-axes)).reshape(which.shape)
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
            results = [Result("out", y, x.to(DOUBLE).amax(axes, True))]
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
    _, which = pool(x.to(DOUBLE), p.kernel, p.stride, p.pad, p.dilation, p.ceil, True)
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


# ---- main ----


def check(library, name, make):
    """None, or what is wrong with one random problem."""
    problem, arguments, results, form = make()
    what = f"{name} {problem} {[str(a.dtype) for a in arguments if isinstance(a, torch.Tensor)]} format {form}"
    try:
        library.call(name, arguments, form)
    except Refused as why:
        return f"{what}\n  refused: {why}"
    for result in results:
        wrong = difference(result.want, result.magnitude, result.got, result.roundings)
        if wrong:
            return f"{what}\n  {result.name}{wrong}"
    return None


def main():
    library = Library(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20260731
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    chosen = sys.argv[4:] or list(OPERATORS)
    torch.set_num_threads(1)
    failed = 0
    for name in chosen:
        if not library.has(name):
            print(f"{name}: the library has no such function")
            failed += 1
            continue
        random.seed(f"{seed} {name}")
        torch.manual_seed(random.getrandbits(32))
        for number in range(count):
            wrong = check(library, name, OPERATORS[name])
            if wrong:
                print(f"{wrong}\n  case {number} of seed {seed}")
                failed += 1
                break
    print(f"PyTorch {torch.__version__}: {len(chosen)} operators, {count} random cases each, {failed} failed")
    sys.stdout.flush()
    os._exit(1 if failed else 0)  # the library's threads end with the process


if __name__ == "__main__":
    main()
