# SPDX-License-Identifier: Apache-2.0
"""torch_npu.profiler around two training steps: the trace names PyTorch's operators and what device npu ran for them.

profiling.py [FOLDER]: leaves the files there; without it they are checked and go.
"""
import contextlib
import csv
import io
import json
import pathlib
import sys
import tempfile

import torch
import torch_npu
from torch import nn


def train(folder):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 26 * 26, 10)).npu()
    steps = torch.optim.SGD(net.parameters(), 0.1)
    images, digits = torch.randn(16, 1, 28, 28).npu(), torch.randint(0, 10, (16,)).npu()
    profiler = torch_npu.profiler
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU],
        schedule=profiler.schedule(wait=0, warmup=1, active=2, repeat=1),
        on_trace_ready=profiler.tensorboard_trace_handler(folder),
    ) as recording:
        for _ in range(3):
            loss = nn.functional.cross_entropy(net(images), digits)
            steps.zero_grad(), loss.backward(), steps.step()
            recording.step()


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def check(folder, printed):
    """What is not as it should be, or None."""
    if "[ERROR]" in printed:
        return next(line for line in printed.splitlines() if "[ERROR]" in line)
    (out,) = pathlib.Path(folder).glob("*/ASCEND_PROFILER_OUTPUT")
    events = json.loads((out / "trace_view.json").read_text())
    own = {event["name"] for event in events if event.get("cat") == "cpu_op"}
    ran = {event["name"] for event in events if event["ph"] == "X" and event.get("args", {}).get("Task Type")}
    for name, names in (("aten::convolution", own), ("aten::addmm", own), ("ProfilerStep#1", own), ("aclnnConvolution", ran), ("aclnnAddmm", ran)):
        if name not in names:
            return f"the trace lacks {name}; it has {' '.join(sorted(names))}"
    # Each arrow leads from an operator of PyTorch to a task that did not begin before it.
    ends = {}
    for event in events:
        if event["name"] == "torch_to_npu":
            ends.setdefault(event["id"], {})[event["ph"]] = float(event["ts"])
    late = [one["f"] - one["s"] for one in ends.values()]
    if len(late) < 20 or min(late) < 0:
        return f"{len(late)} arrows from PyTorch's operators, the earliest by {min(late, default=0)} us"
    rows = table(out / "kernel_details.csv")
    steps = {row["Step Id"] for row in rows if row["Name"] == "aclnnConvolution"}
    if steps != {"1", "2"}:
        return f"kernel_details.csv has aclnnConvolution in steps {steps}"
    convolutions = [row for row in table(out / "operator_details.csv") if row["Name"] == "aten::convolution"]
    if not convolutions or min(float(row["Device Total Duration(us)"]) for row in convolutions) <= 0:
        return "operator_details.csv has no time on the device for aten::convolution"
    if [row["Step"] for row in table(out / "step_trace_time.csv")] != ["1", "2"]:
        return "step_trace_time.csv has other steps than two"
    return None


def main():
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as scratch:
        folder = sys.argv[1] if len(sys.argv) > 1 else scratch
        with contextlib.redirect_stdout(printed):
            train(folder)
        wrong = check(folder, printed.getvalue())
    print(f"profiler: {wrong or 'right'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
