# SPDX-License-Identifier: Apache-2.0
"""Networks trained on device npu and on device cpu, from the same weights on the same data: losses side by side.

training.py [--full] [--steps N] [--threads N] [--record FILE] [PATTERN...]: for each network the losses of both devices, their
largest relative difference, and the shortest step of each, taken in turns on the same number of threads. --full takes networks of
the size that people train, each in a process of its own, on one thread and on two, and tells the peak of memory too. --record adds
what was measured to a file. Ends with 1 when a difference is above its limit, or an operator is missing.
training.py --table FILE: the table in Markdown of what such a file has; of what was measured twice the later.
"""
import argparse
import contextlib
import json
import math
import os
import re
import subprocess
import sys
import time
import typing

arguments = argparse.ArgumentParser()
arguments.add_argument("--full", action="store_true")
arguments.add_argument("--steps", type=int, default=10)
arguments.add_argument("--threads", type=int)
arguments.add_argument("--memory", choices=["cpu", "npu"])  # for what --full starts
arguments.add_argument("--record")
arguments.add_argument("--table")
arguments.add_argument("words", nargs="*")
options = arguments.parse_args()
if options.table:
    import training_table
    sys.exit(training_table.show(options.table))
os.environ.setdefault("TASK_QUEUE_ENABLE", "0")
if options.threads:  # both libraries read them when they are loaded
    os.environ["ACLNN_CPU_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(options.threads)

import networks
import torch
import torch_npu  # noqa: F401
from torch.nn import functional

if options.threads:
    torch.set_num_threads(options.threads)
# 32-bit products as 32-bit products, as device cpu has them.
torch.npu.conv.allow_hf32 = False
torch.npu.matmul.allow_hf32 = False


class Workload(typing.NamedTuple):
    network: typing.Callable
    data: typing.Callable
    optimiser: typing.Callable | None  # None: no training, the outputs in evaluation mode
    autocast: torch.dtype | None = None
    scales: bool = False  # by a GradScaler
    captures: bool = False  # the step once, as a graph of device npu
    limit: float = 1e-5  # of the relative difference of losses


def images(channels, size, count, classes=10):
    return lambda: (torch.randn(count, channels, size, size), torch.randint(0, classes, (count,)))


def sentences(words=96, count=4, tokens=32):
    def data():
        ids = torch.randint(0, words, (count, tokens + 1))
        return ids[:, :-1].contiguous(), ids[:, 1:].flatten()

    return data


def masked(words, count, tokens):
    """Sentences of different lengths, padded with 0; every seventh word is to be guessed."""

    def data():
        ids = torch.randint(2, words, (count, tokens))
        ids[torch.arange(tokens) >= torch.linspace(tokens // 2, tokens, count).long()[:, None]] = 0
        hidden = (torch.arange(count * tokens).view(count, tokens) % 7 == 0) & (ids != 0)
        return ids.masked_fill(hidden, 1), ids.masked_fill(~hidden, -100).flatten()

    return data


def momentum(parameters, rate=0.05):
    return torch.optim.SGD(parameters, lr=rate, momentum=0.9, weight_decay=1e-4)


def slow(parameters):
    """Faster, batch norm makes roundings grow: device cpu on one thread and on two ends 1e-4 apart."""
    return momentum(parameters, 1e-4)


def language(parameters):
    return torch.optim.AdamW(parameters, lr=3e-4)


Adam, AdamW = torch.optim.Adam, torch.optim.AdamW
HALF = {"limit": 1e-2}  # a half type rounds each product: 2^-9 of it for bfloat16
DRAWN = {"limit": 2e-2}  # each device drops others: the mean over all tokens is near, no more
SMALL = {
    "LeNet, SGD": Workload(networks.lenet, images(1, 28, 64), momentum),
    "LeNet, Adam": Workload(networks.lenet, images(1, 28, 64), Adam),
    "LeNet, SGD, captured": Workload(networks.lenet, images(1, 28, 64), momentum, captures=True),
    "residual network, SGD": Workload(networks.residual, images(3, 64, 8), momentum),
    "residual network, SGD, float16": Workload(networks.residual, images(3, 64, 8), momentum, torch.float16, scales=True, **HALF),
    "transformer, AdamW": Workload(networks.Language, sentences(), AdamW),
    "transformer encoder, AdamW": Workload(networks.Encoder, sentences(), AdamW),
    "GPT, bfloat16": Workload(lambda: networks.Gpt(96, 32, 64, 2, 4), sentences(), language, torch.bfloat16, **HALF),
    "BERT": Workload(lambda: networks.Bert(96, 32, 64, 2, 4), masked(96, 4, 32), language),
}


def resnet(**more):
    return Workload(networks.resnet18, images(3, 224, 16, 1000), slow, **more)


def gpt(dropout=0.0, **more):
    return Workload(lambda: networks.Gpt(8192, 256, 384, 12, 6, dropout), sentences(8192, 4, 256), language, **more)


def bert(**more):
    return Workload(lambda: networks.Bert(8192, 128, 384, 6, 6), masked(8192, 8, 128), language, **more)


FULL = {
    "LeNet, SGD": SMALL["LeNet, SGD"],
    "LeNet, Adam": SMALL["LeNet, Adam"],
    "LeNet, AdamW": Workload(networks.lenet, images(1, 28, 64), AdamW),
    "LeNet, SGD, bfloat16": Workload(networks.lenet, images(1, 28, 64), momentum, torch.bfloat16, **HALF),
    "LeNet, SGD, captured": SMALL["LeNet, SGD, captured"],
    "ResNet-18": resnet(),
    "ResNet-18, evaluation": resnet()._replace(optimiser=None),
    "ResNet-18, float16 with GradScaler": resnet(autocast=torch.float16, scales=True, **HALF),
    "ResNet-18, bfloat16": resnet(autocast=torch.bfloat16, **HALF),
    "GPT": gpt(),
    "GPT, bfloat16": gpt(autocast=torch.bfloat16, **HALF),
    "GPT, dropout 0.1": gpt(0.1, **DRAWN),
    "GPT, dropout 0.1, bfloat16": gpt(0.1, autocast=torch.bfloat16, **DRAWN),
    "GPT, captured": gpt(captures=True),
    "BERT": bert(),
    "BERT, bfloat16": bert(autocast=torch.bfloat16, **HALF),
}


class Training:
    """One network on one device; each call is a step and gives its loss."""

    def __init__(self, device, workload, data):
        torch.manual_seed(0)
        self.network = workload.network().to(device)
        self.x, self.target = (part.to(device) for part in data)
        self.device, self.workload = device, workload
        self.optimiser = workload.optimiser(self.network.parameters()) if workload.optimiser else None
        self.scaler = torch.amp.GradScaler(device, enabled=workload.scales)
        self.graph, self.captured, self.side, self.made, self.shortest = None, None, None, 0, math.inf
        if not self.optimiser:
            self.network.eval()

    def autocast(self):
        kind = self.workload.autocast
        return torch.autocast(self.device, kind) if kind else contextlib.nullcontext()

    def loss(self):
        with self.autocast():
            return functional.cross_entropy(self.network(self.x), self.target)

    def step(self):
        if not self.optimiser:
            with torch.no_grad():
                return self.loss()
        self.optimiser.zero_grad(set_to_none=not self.workload.captures)
        loss = self.loss()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimiser)
        self.scaler.update()
        return loss

    def replayed(self):
        """The step, captured by the third call: the first two make the optimiser's states, on a stream of their own.

        It is one stream for all of them, since torch_npu keeps the memory of each stream apart.
        """
        if self.graph:
            self.graph.replay()
            return self.captured
        self.side = self.side or torch.npu.Stream()
        self.side.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(self.side):
            self.captured = self.step().clone()
        torch.npu.current_stream().wait_stream(self.side)
        self.made += 1
        if self.made < 3:
            return self.captured
        first = self.captured.clone()
        self.graph = torch.npu.NPUGraph()
        with torch.npu.graph(self.graph):
            self.captured = self.step()
        return first

    def __call__(self):
        begun = time.perf_counter()
        captures = self.workload.captures and self.device == "npu"
        loss = (self.replayed() if captures else self.step()).item()
        self.shortest = min(self.shortest, time.perf_counter() - begun)
        return loss

    def outputs(self):
        self.network.eval()
        with torch.no_grad(), self.autocast():
            outputs = self.network(self.x).float().cpu()
        self.network.train(self.optimiser is not None)
        return outputs


def fixed_data(workload):
    torch.manual_seed(1)
    return workload.data()


def resident(name):
    with open("/proc/self/status") as status:
        return int(re.search(name + r":\s+(\d+)", status.read())[1]) / 1024


def peak_of_memory(device, workload):
    """Megabytes of this process that a network and three steps of it added at most."""
    torch.ones(4, 4).to(device).matmul(torch.ones(4, 4).to(device)).cpu()
    data = fixed_data(workload)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = resident("VmRSS")
    training = Training(device, workload, data)
    for _ in range(3):
        training()
    return resident("VmHWM") - before


def record(**what):
    if options.record:
        with open(options.record, "a") as file:
            file.write(json.dumps(what) + "\n")


def losses_apart(losses, others):
    return max(abs(a - b) / abs(a) for a, b in zip(losses, others, strict=True))


def as_near(workload, data, on_cpu, on_npu):
    """Whether device npu's losses in a half type are as near to those of 32 bits as device cpu's are."""
    exact = Training("cpu", workload._replace(autocast=None, scales=False), data)
    losses = [exact() for _ in on_cpu]
    apart_cpu, apart_npu = losses_apart(losses, on_cpu), losses_apart(losses, on_npu)
    print(f"{workload.autocast}: of the losses in float32 device cpu's are {apart_cpu:.1e} apart, device npu's {apart_npu:.1e}")
    return apart_npu <= max(apart_cpu, workload.limit)


def compare(name, workload):
    data = fixed_data(workload)
    on_cpu, on_npu = Training("cpu", workload, data), Training("npu", workload, data)
    losses = [(on_cpu(), on_npu()) for _ in range(options.steps)]
    apart = losses_apart(*zip(*losses, strict=True))
    is_right, wide = apart <= workload.limit, ""
    if not is_right and workload.autocast and workload.limit <= 1e-2:
        is_right = as_near(workload, data, *zip(*losses, strict=True))
    if not workload.autocast and workload.limit <= 1e-5:
        outputs = on_cpu.outputs()
        apart_outputs = ((outputs - on_npu.outputs()).abs().max() / outputs.abs().max()).item()
        is_right, wide = is_right and apart_outputs <= 100 * workload.limit, f", outputs {apart_outputs:.1e}"
    until = time.perf_counter() + 3.0 * options.full
    # The time of short steps, several of one device in turn: for some milliseconds OpenMP's threads spin where the other's would run.
    while time.perf_counter() < until:
        for training in on_cpu, on_npu:
            for _ in range(5 if training.shortest < 0.1 else 1):
                training()
    print(f"{name}, {torch.get_num_threads()} threads:")
    for training, values in zip((on_cpu, on_npu), zip(*losses, strict=True), strict=True):
        shown = " ".join(f"{value:.5f}" for value in values)
        print(f"  {training.device} {shown}  {training.shortest * 1e3:.1f} ms a step")
    ratio = on_npu.shortest / on_cpu.shortest
    record(name=name, threads=torch.get_num_threads(), apart=apart, cpu=on_cpu.shortest, npu=on_npu.shortest, right=is_right)
    print(f"  {'right' if is_right else 'WRONG'}: losses at most {apart:.1e} apart{wide}; time {ratio:.2f} of device cpu's", flush=True)
    return is_right


def one_process_each(names):
    failed, ratios = [], []
    for name in names:
        for threads in [options.threads] if options.threads else [1, 2]:
            words = [sys.executable, "-W", "ignore", __file__, "--full", f"--steps={options.steps}", f"--threads={threads}"]
            words += [f"--record={options.record}"] if options.record else []
            told = subprocess.run([*words, name], stdout=subprocess.PIPE, text=True, check=False)
            print(told.stdout, end="", flush=True)
            ratios += [float(ratio) for ratio in re.findall(r"time ([0-9.]+) of", told.stdout)]
            failed += [name] if told.returncode else []
        peaks = []
        for device in "cpu", "npu":
            told = subprocess.run([*words, f"--memory={device}", name], stdout=subprocess.PIPE, text=True, check=True)
            peaks.append(float(told.stdout))
        record(name=name, cpu_memory=peaks[0], npu_memory=peaks[1])
        print(f"  peak of memory {peaks[0]:.0f} MB, on npu {peaks[1]:.0f} MB: {peaks[1] / peaks[0]:.2f}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(names)} networks, {len(failed)} wrong; time, geometric mean: {mean:.2f} of device cpu's")
    return 1 if failed else 0


def main():
    workloads = FULL if options.full else SMALL
    exact = [name for name in workloads if name in options.words]
    names = exact or [name for name in workloads if all(word in name for word in options.words)]
    if not names:
        print("no network has these words in its name")
        return 1
    if options.memory:
        print(peak_of_memory(options.memory, workloads[names[0]]))
        return 0
    if options.full and (len(names) > 1 or not options.threads):
        return one_process_each(names)
    failed = 0
    for name in names:
        try:
            failed += not compare(name, workloads[name])
        except Exception as error:  # noqa: BLE001 - whatever it is, the network has not been trained
            print(f"{name}: failed: {str(error).strip().splitlines()[0][:300]}", flush=True)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
