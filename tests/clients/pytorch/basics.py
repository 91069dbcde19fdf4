# SPDX-License-Identifier: Apache-2.0
"""Tensor basics of PyTorch on device npu, each compared with device cpu: values, types and shapes.

basics.py [--allow-missing] [PATTERN...]: prints "N of 137", each expression that failed and why, and the operators that are
missing. An expression that fails for a missing operator has failed. Ends with 1 when one failed, or the rest (streams, events,
graphs, files) did; with --allow-missing only when one failed for another reason than a missing operator.
"""
import collections
import faulthandler
import os
import re
import sys

# By default torch_npu hands operators to a thread of its own, which one failure ends; then every later expression fails.
os.environ.setdefault("TASK_QUEUE_ENABLE", "0")
faulthandler.dump_traceback_later(500, exit=True)

import torch
import torch_npu  # noqa: F401

EXPRESSIONS = """
torch.ones(3, 4, device=d)
torch.zeros(2, 3, dtype=torch.int64, device=d)
torch.full((2, 3), 2.5, device=d)
torch.empty(2, 3, device=d).fill_(7)
torch.arange(10, device=d)
torch.arange(0.0, 1.0, 0.125, device=d)
torch.linspace(0, 1, 11, device=d)
torch.eye(4, device=d)
torch.tensor([[1, 2], [3, 4]], device=d)
torch.zeros_like(x)
torch.ones_like(i)
torch.full_like(x, 3)
spread(torch.rand(4000, device=d))
spread(torch.randn(4000, device=d))
spread(torch.randint(-5, 5, (4000,), device=d))
torch.randperm(100, device=d).cpu().sort().values
x.clone()
x.to(torch.float16)
i.to(torch.float32)
x.to(torch.int32)
m.to(torch.float32)
x.to(torch.bfloat16).to(torch.float32)
x.t().contiguous()
x[:, ::2].clone()
torch.empty_like(x).copy_(v)
t.transpose(1, 2).clone()
x + y
x + 2
x - y
x - 1.5
1 - x
x * y
x * 3
x / p
x / 2
1 / p
x + v
x * c
i + x
i + 1.5
i / 2
h + x
h * b
j + i
u + j
torch.add(x, y, alpha=2)
x ** 2
p.pow(y)
2 ** y
i // 3
i % 4
-x
x.clone().add_(y)
x.clone().mul_(2)
torch.addcmul(x, y, p, value=0.5)
torch.addcdiv(x, y, p)
torch.lerp(x, y, 0.25)
x == y
x < y
x > 0
x >= 0.5
i != 3
m & (x > 0)
~m
torch.where(x > 0, x, y)
x.clamp(-0.5, 0.5)
torch.maximum(x, y)
torch.equal(x, x.clone())
torch.isclose(x, x + 1e-9)
x.exp()
p.log()
p.sqrt()
p.rsqrt()
x.sin()
x.tanh()
x.sigmoid()
x.abs()
x.floor()
torch.isfinite(n)
str(x)
str(i)
repr(m[0])
str(n)
x[1, 2].item()
i.tolist()
bool((x > 9).any())
x[1:3, ::2] + 0
x[..., -1] * 1
x.reshape(3, 8)
t.permute(3, 0, 2, 1).contiguous()
c.expand(4, 5).contiguous()
torch.cat((x, y), 0)
torch.cat((x, i), 1)
torch.stack((x, y), 1)
[part.contiguous() for part in x.chunk(3, 1)]
x.flip(0)
x.roll(2, 1)
v.repeat(2, 3)
x.tril()
torch.nn.functional.pad(x, (1, 2))
torch.nn.functional.mse_loss(x, y)
torch.nn.functional.smooth_l1_loss(x, y, reduction="sum")
torch.nn.functional.binary_cross_entropy_with_logits(x, y.sigmoid(), reduction="none")
torch.nn.functional.kl_div(x, y.softmax(1), reduction="sum")
torch.nn.functional.prelu(x, torch.tensor([0.25], device=d))
torch.nn.functional.logsigmoid(x)
torch.nn.functional.glu(x, 1)
x[m]
x[k]
x.clone().index_put_((k,), torch.tensor(5.0, device=d))
x.masked_fill(m, -1)
x.index_select(1, k)
x.gather(1, i % 6)
torch.zeros_like(x).scatter_(1, i % 6, 1.0)
m.nonzero()
x.sum()
x.sum(1)
t.mean((0, 2))
x.max(1)
x.argmax()
x.argmin(0)
x.var(1)
x.norm()
(x / 2).prod(1)
x.cumsum(1)
x.sort(1)
x.logsumexp(1)
z * z.roll(1)
x * z - 2j
z / (z.conj() + 2)
z.abs()
z.exp()
z.real + z.imag
torch.polar(p, x)
torch.where(m, z, x)
z.sum(1)
z[k]
""".strip().splitlines()

REFUSAL = re.compile(r"(aclnn\w+?)(?:GetWorkspaceSize)? (?:or aclnn\w+ )?not (?:in|found)"
                     r"|(?:called for|working aclop is) (\w+)[(.]")


def inputs():
    """The operands, on device cpu; the same in every run."""
    g = torch.Generator().manual_seed(7)
    x = torch.randn(4, 6, generator=g)
    n = x.clone()
    n[0, :4] = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0])
    return {
        "x": x, "y": torch.randn(4, 6, generator=g), "n": n,
        "p": torch.rand(4, 6, generator=g) + 0.25,
        "v": torch.randn(6, generator=g), "c": torch.randn(4, 1, generator=g),
        "t": torch.randn(2, 3, 4, 5, generator=g),
        "i": torch.randint(-9, 9, (4, 6), generator=g),
        "j": torch.randint(-9, 9, (4, 6), generator=g, dtype=torch.int32),
        "u": torch.randint(0, 255, (4, 6), generator=g, dtype=torch.uint8),
        "m": torch.rand(4, 6, generator=g) > 0.5,
        "h": torch.randn(4, 6, generator=g).half(), "b": torch.randn(4, 6, generator=g).bfloat16(),
        "k": torch.tensor([2, 0, 3]), "z": torch.randn(4, 6, generator=g, dtype=torch.complex64),
    }


def spread(tensor):
    """What random numbers of both devices have in common."""
    values = tensor.cpu().double()
    few = round(values.mean().item() * 2) / 2, round(values.std().item())  # far from where rounding would change
    return str(tensor.dtype), tuple(tensor.shape), few, bool(values.min() < values.max())


def home(result):
    """On device cpu; as it was otherwise."""
    if isinstance(result, torch.Tensor):
        return result.cpu()
    if isinstance(result, (tuple, list)):
        return [home(one) for one in result]
    return result


def differ(got, expected, path="result"):
    """Why they are not the same, or None."""
    if isinstance(expected, torch.Tensor):
        if not isinstance(got, torch.Tensor):
            return f"{path} is {got!r}, no tensor"
        if got.dtype != expected.dtype or got.shape != expected.shape:
            return f"{path} is {got.dtype} {tuple(got.shape)}, not {expected.dtype} {tuple(expected.shape)}"
        if expected.dtype.is_floating_point:
            steps = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2}.get(expected.dtype, 2e-6)
            same = torch.isclose(got.double(), expected.double(), rtol=steps, atol=1e-7, equal_nan=True)
            same &= (got != 0) | (expected != 0) | (torch.signbit(got) == torch.signbit(expected))
        elif expected.is_complex():
            same = (got - expected).abs() <= 2e-6 * expected.abs() + 1e-7
        else:
            same = got == expected
        if not bool(same.all()):
            at = tuple((~same).nonzero()[0].tolist())
            return f"{path}{list(at)} is {got[at].item()!r}, not {expected[at].item()!r}; {int((~same).sum())} of {same.numel()} differ"
        return None
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            return f"{path} is {got!r}, not {expected!r}"
        wrong = (differ(one, other, f"{path}[{at}]") for at, (one, other) in enumerate(zip(got, expected)))
        return next((reason for reason in wrong if reason), None)
    if isinstance(expected, str):
        got = re.sub(r",? *\n? *device='npu:0'", "", got)
    if type(got) is not type(expected) or got != expected:
        return f"{path} is {got!r}, not {expected!r}"
    return None


def evaluate(expression, device, operands):
    used = re.findall(r"\b[a-z]\b", expression)
    names = {name: operand.to(device) for name, operand in operands.items() if name in used}
    names.update(torch=torch, d=device, spread=spread)
    return home(eval(expression, names))  # noqa: S307 - the expressions are those above


def attempt(work, missing):
    """What work returns, and why it failed or None."""
    try:
        result = work()
        torch.npu.synchronize()
        return result, None
    except Exception as error:  # noqa: BLE001 - whatever it is, it has failed
        text = str(error)
        found = REFUSAL.search(text)
        if found:
            name = found[1] or f"acl_op {found[2]}"
            missing[name] += 1
            return None, f"{name} is missing"
        told = [line for line in text.splitlines() if "acl" in line] or text.splitlines() or [repr(error)]
        return None, told[-1][:300]


def try_expression(expression, operands, missing):
    """None, or why it failed."""
    expected = evaluate(expression, "cpu", operands)
    got, reason = attempt(lambda: evaluate(expression, "npu", operands), missing)
    return reason or differ(got, expected)


def streams(operands):
    x, y = operands["x"].npu(), operands["y"].npu()
    side = torch.npu.Stream()
    begun, ended = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        begun.record()
        held = torch.empty_like(x)
        held.copy_(y)
        ended.record()
    torch.npu.current_stream().wait_event(ended)
    ended.synchronize()
    assert ended.query() and begun.elapsed_time(ended) >= 0
    assert torch.equal(held.cpu(), operands["y"])


def graphs(operands):
    x, y = operands["x"].npu(), torch.empty(4, 6, device="npu")
    graph = torch.npu.NPUGraph()
    torch.npu.synchronize()
    with torch.npu.graph(graph):
        y.copy_(x)
        y.add_(1)
    x.copy_(operands["y"].npu())
    graph.replay()
    torch.npu.synchronize()
    reason = differ(y.cpu(), operands["y"] + 1)
    assert reason is None, f"acl: {reason}"


def attend(device, function, inputs):
    """What function makes of inputs on that device, and the gradients of its sine."""
    own = [one.detach().to(device).requires_grad_(one.is_floating_point()) for one in inputs]
    result = function(*own)
    return home([result, *torch.autograd.grad(result.sin().sum(), [one for one in own if one.requires_grad])])


def attention(_):
    """Fused attention forward and backward: causal, masked, with few heads of keys, and sequences behind each other."""
    g = torch.Generator().manual_seed(7)
    q, k, v = (torch.randn(2, 4, tokens, 16, generator=g) for tokens in (33, 50, 50))
    mask, ends = torch.rand(33, 50, generator=g) > 0.3, [10, 25, 33]
    sdpa = torch.nn.functional.scaled_dot_product_attention
    for function, inputs in (
        (sdpa, (q, k, v)),
        (lambda q, k, v: sdpa(q, k, v, is_causal=True), (q, k[:, :, :33], v[:, :, :33])),
        (sdpa, (q, k, v, mask)),
        (lambda q, k, v: sdpa(q, k, v, enable_gqa=True), (q, k[:, :2], v[:, :2])),
        (lambda *rows: sdpa(*(one.transpose(1, 2) for one in rows)), [one.transpose(1, 2).contiguous() for one in (q, k, v)]),
    ):
        for got, expected in zip(attend("npu", function, inputs), attend("cpu", function, inputs), strict=True):
            assert torch.allclose(got, expected, rtol=1e-5, atol=1e-5), f"acl: {(got - expected).abs().max()} apart"
    rows = [one[0, :, :33].transpose(0, 1) for one in (q, k, v)]

    def each(q, k, v):
        begins = [0, *ends[:-1]]
        parts = (sdpa(*(one[b:e].transpose(0, 1) for one in (q, k, v)), scale=0.5) for b, e in zip(begins, ends, strict=True))
        return torch.cat([part.transpose(0, 1) for part in parts])

    def together(q, k, v):
        return torch_npu.npu_fusion_attention(q, k, v, 4, "TND", scale=0.5, actual_seq_qlen=ends, actual_seq_kvlen=ends)[0]

    for got, expected in zip(attend("npu", together, rows), attend("cpu", each, rows), strict=True):
        assert torch.allclose(got, expected, rtol=1e-5, atol=1e-5), f"acl: {(got - expected).abs().max()} apart"


def recurrent(_):
    """Networks with a memory: layers, directions, without bias, the batch first, cells; outputs and all gradients."""
    from torch import nn
    torch.manual_seed(7)
    x, step = torch.randn(5, 3, 4), torch.randn(3, 4)
    made = [(kind(4, 6, **more), x) for kind in (nn.LSTM, nn.GRU, nn.RNN) for more in (
        {}, {"bias": False}, {"num_layers": 3}, {"bidirectional": True}, {"num_layers": 2, "bidirectional": True, "batch_first": True, "bias": False},
    )]
    made += [(kind(4, 6, bias=bias), step) for kind in (nn.GRUCell, nn.RNNCell) for bias in (True, False)]
    if "910" in torch.npu.get_device_name():  # on Ascend950 torch_npu has no function for it
        made += [(nn.LSTMCell(4, 6, bias=bias), step) for bias in (True, False)]

    def tensors(one):
        return [one] if isinstance(one, torch.Tensor) else [inner for each in one for inner in tensors(each)]

    def train(network, rows, device):
        own, network = rows.detach().to(device).requires_grad_(), network.to(device)
        results = tensors(network(own))
        sum(one.sin().sum() for one in results).backward()
        found = home(results + [one.grad for one in (own, *network.parameters())])
        network.zero_grad()
        return found

    for network, rows in made:
        for got, expected in zip(train(network, rows, "npu"), train(network, rows, "cpu"), strict=True):
            assert torch.allclose(got, expected, rtol=1e-5, atol=1e-5), f"acl: {network}: {(got - expected).abs().max()} apart"


def files(operands):
    import tempfile
    with tempfile.NamedTemporaryFile(suffix=".pt") as file:
        torch.save({"x": operands["x"].npu(), "m": operands["m"].npu()}, file.name)
        back = torch.load(file.name, map_location="npu")
        host = torch.load(file.name, map_location="cpu")
    assert back["x"].device.type == "npu" and torch.equal(back["x"].cpu(), operands["x"])
    assert torch.equal(host["m"], operands["m"])


def memory(operands):
    before = torch.npu.memory_allocated()
    held = torch.empty(1 << 20, device="npu")
    assert torch.npu.memory_allocated() - before >= 4 << 20
    pinned = operands["x"].pin_memory()
    assert pinned.is_pinned() and torch.equal(pinned.npu(non_blocking=True).cpu(), operands["x"])
    del held
    free, total = torch.npu.mem_get_info()
    assert 0 < free <= total


def devices(_):
    assert torch.npu.is_available() and torch.npu.device_count() >= 1 and torch.npu.current_device() == 0
    name = torch.npu.get_device_properties(0).name
    assert name.startswith("Ascend"), name


def main(arguments):
    may_miss = arguments[:1] == ["--allow-missing"]
    words = arguments[1:] if may_miss else arguments
    assert len(EXPRESSIONS) == 137 and len(set(EXPRESSIONS)) == 137, len(EXPRESSIONS)
    chosen = [one for one in EXPRESSIONS if all(word in one for word in words)]
    operands, missing, passed, wrong = inputs(), collections.Counter(), 0, 0
    for expression in chosen:
        reason = try_expression(expression, operands, missing)
        if reason is None:
            passed += 1
            continue
        print(f"failed: {expression}: {reason}")
        wrong += not reason.endswith(" is missing")
    for check in () if words else (devices, memory, streams, graphs, attention, recurrent, files):
        _, reason = attempt(lambda: check(operands), missing)  # noqa: B023
        print(f"{check.__name__}: {f'failed: {reason}' if reason else 'right'}")
        wrong += reason is not None and not reason.endswith(" is missing")
    for name, count in missing.most_common():
        print(f"missing: {name} {count}")
    print(f"{passed} of {len(chosen)} on {torch.npu.get_device_name(0)}, {wrong} wrong", flush=True)
    return 1 if wrong or (missing and not may_miss) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
