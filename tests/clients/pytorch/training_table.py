# SPDX-License-Identifier: Apache-2.0
"""The table in Markdown of what training.py --record has written."""
import json
import math


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def number(value, form):
    return format(value, form) if value is not None else ""


def pair(measured, cpu, npu, scale, form):
    """The cells of both devices, and of their ratio."""
    if not measured:
        return ["", ""], None
    ratio = measured[npu] / measured[cpu]
    return [f"{measured[cpu] * scale:{form}}, {measured[npu] * scale:{form}}", f"{ratio:.2f}"], ratio


def processor():
    with open("/proc/cpuinfo") as file:
        told = dict(line.split(":", 1) for line in file if ":" in line)
    told = {key.strip(): value.strip() for key, value in told.items()}
    return f"{told.get('model name', 'unknown')}, family {told.get('cpu family', '?')}, model {told.get('model', '?')}"


def show(path):
    times, peaks, names = {}, {}, []
    with open(path) as file:
        for line in file:
            one = json.loads(line)
            names += [one["name"]] if one["name"] not in names else []
            if "threads" in one:
                times[one["name"], one["threads"]] = one
            else:
                peaks[one["name"]] = one
    counts = sorted({threads for _, threads in times})
    ratios = {column: [] for column in [*counts, "memory"]}
    print(f"{processor()}; each device's shortest step; npu over cpu\n")
    heads = ["Network", "Losses apart"]
    for threads in counts:
        heads += [f"{threads} thread{'s' * (threads > 1)}, ms: cpu, npu", ""]
    heads += ["Peak, MB: cpu, npu", ""]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for name in names:
        both = [times.get((name, threads)) for threads in counts]
        wrong = any(one and not one["right"] for one in both)
        apart = max((one["apart"] for one in both if one), default=None)
        row = [name, number(apart, ".1e") + (" WRONG" if wrong else "")]
        cells = [(threads, pair(one, "cpu", "npu", 1e3, ".4g")) for threads, one in zip(counts, both, strict=True)]
        cells.append(("memory", pair(peaks.get(name), "cpu_memory", "npu_memory", 1, ".0f")))
        for column, (texts, ratio) in cells:
            row += texts
            ratios[column] += [ratio] if ratio else []
        print("| " + " | ".join(row) + " |")
    row = ["geometric mean", ""]
    for column in ratios:
        row += ["", number(mean(ratios[column]), ".2f")]
    print("| " + " | ".join(row) + " |")
    return 0
