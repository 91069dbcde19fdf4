# SPDX-License-Identifier: Apache-2.0
"""The process that samples.py starts: runs operators' samples on device cpu and on device npu, each operator in a fork of its own.

It reads lines of JSON: [operator, [[type, first sample]...], whether its results are random, whether its integers are compared whatever
their types]; an operator is its name in PyTorch's database. Lines of JSON answer on the file descriptor that its argument names:
    ["ready", {NAME: [TYPE...]}]    the operators that there are, with the types that device cpu takes
    ["at", TYPE, N]                 sample N begins
    ["told", N, WHAT, REASON]       of sample N that WHAT (values, gradients, in place) is right (REASON is null), or why not
    ["cpu", [NAME...]]              these functions torch_npu computed on the CPU, in this sample or in one before it
    ["none", REASON]                the database makes no samples of this type
    ["over"]                        there are no more
    ["ended", WHY]                  the fork came to an end before that
"""
import itertools
import json
import os
import re
import signal
import sys
import tempfile
import types
import unittest

os.environ.setdefault("TASK_QUEUE_ENABLE", "0")

# The database's module imports it for tests of PyTorch that do not run here.
sys.modules["expecttest"] = types.ModuleType("expecttest")
sys.modules["expecttest"].TestCase = unittest.TestCase
sys.modules["expecttest"].assert_expected_inline = None

import torch
import torch_npu  # noqa: F401
from torch.testing._internal.common_methods_invocations import op_db

OPERATORS = {f"{one.name}{'.' * bool(one.variant_test_name)}{one.variant_test_name}": one for one in op_db}
# Relative distances that are nothing, as torch.testing has them.
RELATIVE = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2, torch.float32: 1.3e-6, torch.float64: 1e-7, torch.complex64: 1.3e-6, torch.complex128: 1e-7}
ABSOLUTE = 1e-5
WIDE = {one: torch.complex128 if one.is_complex else torch.float64 for one in RELATIVE}
REFUSALS = (
    (re.compile(r"(acl\w+?)(?:GetWorkspaceSize)? (?:or acl\w+ )?not (?:in|found)"), "{} is missing"),
    (re.compile(r"OPS function error: (\w+), error code is 200001"), "operator {} (by its name) is missing"),
    (re.compile(r"call acl api failed\. *(.*?)(?: TraceBack|\[ERROR\]|\[Error\]|$)"), "{}"),
    (re.compile(r"\[Error\]: (?:[^.]*\. )*(\w+: .*)"), "{}"),
)
FELL_BACK = re.compile(r"operator '([\w:.]+)' is not currently supported on the NPU backend")


def each(one, change):
    """The same nest of lists, tuples and dictionaries with each tensor, type and device changed."""
    if isinstance(one, (torch.Tensor, torch.dtype, torch.device)):
        return change(one)
    if isinstance(one, str) and one == "cpu":
        return change(torch.device(one))
    if isinstance(one, (list, tuple)):
        changed = [each(inner, change) for inner in one]
        return type(one)(*changed) if hasattr(one, "_fields") else type(one)(changed)
    if isinstance(one, dict):
        return {key: each(inner, change) for key, inner in one.items()}
    return one


def tensors(one):
    if isinstance(one, torch.Tensor):
        return [one]
    if isinstance(one, dict):
        one = list(one.values())
    return [tensor for inner in one for tensor in tensors(inner)] if isinstance(one, (list, tuple)) else []


def copied(tensor, device):
    """On that device with the strides, the offset and all of the storage that it has."""
    held = tensor.detach().resolve_conj().resolve_neg()
    if held.layout == torch.strided:
        storage = torch.empty(0, dtype=held.dtype).set_(held.untyped_storage()).to(device, copy=True)
        held = storage.as_strided(held.shape, held.stride(), held.storage_offset())
    else:
        held = held.to(device, copy=True)
    return held.requires_grad_(tensor.requires_grad)


def to_npu(one):
    if isinstance(one, torch.device):
        return torch.device("npu")
    return copied(one, "npu") if isinstance(one, torch.Tensor) else one


def to_own(one):
    return copied(one, "cpu") if isinstance(one, torch.Tensor) else one


def to_wide(one):
    if isinstance(one, torch.dtype):
        return WIDE.get(one, one)
    if isinstance(one, torch.device) or one.dtype not in WIDE:
        return one
    return one.detach().to(WIDE[one.dtype]).requires_grad_(one.requires_grad)


def values(operator, operands):
    return operator.op(operands[0], *operands[1], **operands[2])


def gradients(operator, operands, finish):
    """Of the results, weighted by fixed numbers, by each operand that has one."""
    results = [one for one in tensors(finish(values(operator, operands))) if one.requires_grad]
    leaves = [one for one in tensors(operands) if one.requires_grad]
    if not results or not leaves:
        return []
    generator = torch.Generator().manual_seed(3)
    weights = [torch.randn(one.shape, generator=generator, dtype=torch.complex64 if one.is_complex() else torch.float32) for one in results]
    weights = [weight.to(one.dtype).to(one.device) for weight, one in zip(weights, results, strict=True)]
    return list(torch.autograd.grad(results, leaves, weights, allow_unused=True))


def in_place(operator, operands):
    with torch.no_grad():
        return operator.inplace_variant(operands[0], *operands[1], **operands[2])


def near(got, expected, exact):
    """Whether each number is as near as its type makes it; or as near to the exact one as device cpu, with some slack."""
    relative = RELATIVE.get(expected.dtype)
    if relative is None:
        return bool((got == expected).all())
    wide = WIDE[expected.dtype]
    got, expected = got.to(wide), expected.to(wide)
    same = torch.isclose(got, expected, rtol=relative, atol=ABSOLUTE, equal_nan=True)
    if bool(same.all()):
        return True
    exact = exact()
    if exact is None or exact.shape != expected.shape:
        return False
    exact = exact.to(wide)
    same |= torch.isclose(got, exact, rtol=relative, atol=ABSOLUTE, equal_nan=True)
    finite = exact[torch.isfinite(exact)]
    largest = float(finite.abs().max()) if finite.numel() else 0.0
    apart = (expected - exact).abs()
    apart = apart[torch.isfinite(apart)]
    slack = 2 * float(apart.max() if apart.numel() else 0.0) + 4 * relative * largest
    same |= (got - exact).abs() <= slack
    return bool(same.all())


def is_whole(tensor):
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)


def differ(got, expected, exact, shape_only, by_value):
    """Why they are not the same, or None. exact() gives what double precision makes, or None."""
    got, expected = tensors(got), tensors(expected)
    if len(got) != len(expected):
        return f"{len(got)} tensors, not {len(expected)}"
    wide = []

    def exactly(at):
        if not wide:
            wide.append(exact())
        return wide[0][at] if wide[0] is not None and len(wide[0]) == len(expected) else None

    for at, (one, other) in enumerate(zip(got, expected, strict=True)):
        one, other = (held.detach().cpu().resolve_conj().resolve_neg() for held in (one, other))
        if by_value and is_whole(one) and is_whole(other):
            one = one.to(other.dtype)
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"result {at} is {one.dtype} {tuple(one.shape)}, not {other.dtype} {tuple(other.shape)}"
        if other.layout != torch.strided:
            one, other = one.to_dense(), other.to_dense()
        if not shape_only and not near(one, other, lambda: exactly(at)):  # noqa: B023
            largest = (one.to(torch.complex128) - other.to(torch.complex128)).abs().nan_to_num(float("inf")).max()
            return f"result {at} is wrong by up to {float(largest):.3g} of {float(other.to(torch.complex128).abs().max()):.3g}"
    return None


def sentence(error):
    """What an error says of a call of ours; else all of it."""
    text = " ".join(str(error).split())
    for pattern, form in REFUSALS:
        if found := pattern.search(text):
            return form.format(*found.groups())
    return f"{type(error).__name__}: {text}"[:300]


def attempt(work):
    """What work returns, and why it failed or None."""
    try:
        result = work()
        torch.npu.synchronize()
        return result, None
    except Exception as error:  # noqa: BLE001 - whatever it is, it has failed
        return None, sentence(error)


def works_on(operator, sample, by_gradient):
    """Of one sample each WHAT, how it is computed, and from what."""
    operands = (sample.input, sample.args, sample.kwargs)
    yield "values", lambda held: tensors(values(operator, held)), operands
    if by_gradient:
        yield "gradients", lambda held: [one for one in gradients(operator, held, sample.output_process_fn_grad) if one is not None], operands
    if operator.inplace_variant and not sample.broadcasts_input and isinstance(sample.input, torch.Tensor):
        yield "in place", lambda held: tensors(in_place(operator, held)), each(operands, lambda one: one.detach() if isinstance(one, torch.Tensor) else one)


def run_sample(operator, sample, by_gradient, shape_only, by_value):
    """Each (WHAT, REASON) of a sample that device cpu computes."""
    shape_only = shape_only or sample.kwargs.get("dropout_p", 0) > 0
    for what, compute, operands in works_on(operator, sample, by_gradient):
        try:
            torch.manual_seed(1)
            expected = compute(each(operands, to_own))
        except Exception:  # noqa: BLE001 - not defined
            continue

        def exact(compute=compute, operands=operands):
            try:
                torch.manual_seed(1)
                return compute(each(operands, to_wide))
            except Exception:  # noqa: BLE001 - device cpu has it in its own type only
                return None

        got, reason = attempt(lambda: [one.detach().cpu() for one in compute(each(operands, to_npu))])  # noqa: B023
        yield what, reason or differ(got, expected, exact, shape_only, by_value)


def samples_of(operator, type_name, by_gradient):
    torch.manual_seed(0)
    return list(operator.sample_inputs("cpu", getattr(torch, type_name), requires_grad=by_gradient))


def run(tell, printed, name, types_and_firsts, shape_only, by_value):
    operator, helpers = OPERATORS[name], set()
    for type_name, first in types_and_firsts:
        by_gradient = operator.supports_autograd and getattr(torch, type_name) in operator.supported_backward_dtypes("cpu")
        tell("at", type_name, first)
        samples, reason = attempt(lambda: samples_of(operator, type_name, by_gradient))  # noqa: B023
        if reason:
            tell("none", reason)
            continue
        for at, sample in itertools.islice(enumerate(samples), first, None):
            tell("at", type_name, at)
            for what, reason in run_sample(operator, sample, by_gradient, shape_only, by_value):
                tell("told", at, what, reason)
            helpers.update(FELL_BACK.findall(printed()))
            if helpers:
                tell("cpu", sorted(helpers))
    tell("over")


def forked(tell, question):
    """Runs an operator in a process whose output is caught: torch_npu tells there, once in a process, what it leaves to the CPU."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if not child:
            for standard in 1, 2:
                os.dup2(output.fileno(), standard)
            place = 0

            def printed():
                nonlocal place
                text = os.pread(output.fileno(), 1 << 20, place)
                place += len(text)
                return text.decode(errors="replace")

            run(tell, printed, *question)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        tell("ended", f"the process ends with {signal.Signals(-code).name if code < 0 else code}")


def main(arguments):
    torch.set_num_threads(1)
    torch.npu.conv.allow_hf32 = False  # the default rounds operands to 10 bits of mantissa
    with os.fdopen(int(arguments[0]), "w") as answers:

        def tell(*message):
            answers.write(json.dumps(message) + "\n")
            answers.flush()

        tell("ready", {name: sorted(str(one).removeprefix("torch.") for one in operator.dtypes) for name, operator in OPERATORS.items()})
        for line in sys.stdin:
            forked(tell, json.loads(line))


if __name__ == "__main__":
    main(sys.argv[1:])
