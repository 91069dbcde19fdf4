#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""msprof --export=on --output=PROF_...: the reports of one recording (acl/acl_prof.h), under the names of the toolkit's program.

The folder is one that aclprofStart made; its timeline lies beside it. Into PROF_.../mindstudio_profiler_output go
    msprof_<time>.json       each operator and copy on its stream, what submitted it, and when the device computed or was free
    op_summary_<time>.csv    one row for each operator and copy
    op_statistic_<time>.csv  one row for each kind of operator
These are what torch_npu.profiler merges with PyTorch's own operators. --analyze=on makes nothing: there are no links to measure.
Databases and recording another program are refused.
"""
import argparse
import collections
import csv
import json
import pathlib
import re
import sys
import time

DEVICE_PROCESS, HOST_PROCESS, OVERLAP_PROCESS = 1, 2, 3  # beside the processes of PyTorch's trace, whose numbers are real ones
LOOKS_AGAIN = 0.5  # seconds
COMPUTING, COMMUNICATION, APART, FREE = "Computing", "Communication", "Communication(Not Overlapped)", "Free"


class Clock:
    """Nanoseconds of the timeline, from its base, as nanoseconds since 1970 by the clock that torch_npu reads."""

    def __init__(self, begin, end, base):
        def moment(held):
            return int(held["clockMonotonic"]), int(held["clockMonotonicRaw"])

        self.monotonic, self.raw = moment(begin)
        later, raw_later = moment(end)
        self.rate = (raw_later - self.raw) / (later - self.monotonic) if later > self.monotonic else 1.0
        whole, _, part = begin["collectionTimeBegin"].partition(".")
        self.offset = int(whole) * 1000 + int(part[:3].ljust(3, "0")) - self.raw
        self.base = base

    def at(self, microseconds):
        since = round(microseconds * 1000) + self.base - self.monotonic
        return round(since * self.rate) + self.raw + self.offset


class Task:
    """What a stream ran: when, in nanoseconds since 1970, and the call that submitted it or None."""

    def __init__(self, event, submit, clock):
        self.name, self.stream, self.number = event["name"], event["tid"], event["args"]["task"]
        self.bytes, self.submit = event["args"].get("bytes", 0), submit
        self.begin = clock.at(event["ts"])
        self.end = max(clock.at(event["ts"] + event["dur"]), self.begin + 1)

    @property
    def kind(self):
        return re.sub(r"^(aclnnext|aclnn|aclrt)", "", self.name)

    @property
    def core(self):
        """The word that the toolkit has for what runs such a task."""
        if self.is_communication:
            return "COMMUNICATION"
        return "AI_CORE" if self.name.startswith("aclnn") else "MEMCPY_ASYNC" if self.bytes else "EVENT"

    @property
    def is_communication(self):
        return self.name.startswith("Hccl")


def read(folder):
    """The tasks of a recording in order of time, and the number of its device."""
    begin, end = (json.loads((folder / "host" / name).read_text()) for name in ("start_info", "end_info"))
    timeline = json.loads((folder.parent / begin["timeline"]).read_text())
    clock = Clock(begin, end, timeline["otherData"]["base_monotonic_ns"])
    slices = [event for event in timeline["traceEvents"] if event["ph"] == "X"]
    submits = {(event["args"]["stream"], event["args"]["task"]): (event, clock.at(event["ts"])) for event in slices if event["cat"] == "submit"}
    tasks = [Task(event, submits.get((event["tid"], event["args"]["task"])), clock) for event in slices if event["cat"] == "task"]
    devices = [int(path.name.removeprefix("device_")) for path in folder.glob("device_*")]
    return sorted(tasks, key=lambda task: task.begin), min(devices, default=0)


def microseconds(nanoseconds):
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def merged(spans):
    """Spans of time that overlap or touch as one, in order."""
    out = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def without(spans, others):
    """What of merged spans no other merged span covers."""
    out = []
    for begin, end in spans:
        for first, last in others:
            if last <= begin or first >= end:
                continue
            if begin < first:
                out.append([begin, first])
            begin = last
        if begin < end:
            out.append([begin, end])
    return out


def metadata(process, name, labels, at, threads):
    yield {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": name}}
    yield {"ph": "M", "name": "process_labels", "pid": process, "tid": 0, "args": {"labels": labels}}
    yield {"ph": "M", "name": "process_sort_index", "pid": process, "tid": 0, "args": {"sort_index": at}}
    for number, text in threads:
        yield {"ph": "M", "name": "thread_name", "pid": process, "tid": number, "args": {"name": text}}
        yield {"ph": "M", "name": "thread_sort_index", "pid": process, "tid": number, "args": {"sort_index": number}}


def piece(process, thread, name, begin, end, **arguments):
    return {"ph": "X", "name": name, "pid": process, "tid": thread, "ts": microseconds(begin), "dur": (end - begin) / 1000, "args": arguments}


def trace(tasks, device):
    """The events of msprof_<time>.json."""
    yield from metadata(DEVICE_PROCESS, "Ascend Hardware", f"NPU {device}", 14, [(one, f"Stream {one}") for one in sorted({task.stream for task in tasks})])
    yield from metadata(HOST_PROCESS, "CANN", "CPU", 13, [(one, f"Thread {one}") for one in sorted({task.submit[0]["tid"] for task in tasks if task.submit})])
    yield from metadata(OVERLAP_PROCESS, "Overlap Analysis", f"NPU {device}", 15, enumerate((COMPUTING, COMMUNICATION, APART, FREE)))
    for at, task in enumerate(tasks):
        arguments = {"Model Id": 4294967295, "Task Type": task.core, "Stream Id": task.stream, "Task Id": task.number, "connection_id": at}
        yield piece(DEVICE_PROCESS, task.stream, task.name, task.begin, task.end, **arguments)
        if not task.submit:
            continue
        submit, begin = task.submit
        yield piece(HOST_PROCESS, submit["tid"], f"AscendCL@{submit['name']}", begin, begin + max(round(submit["dur"] * 1000), 1), connection_id=at)
        flow = {"name": "HostToDevice", "cat": "HostToDevice", "id": at, "bp": "e"}
        yield {"ph": "s", "pid": HOST_PROCESS, "tid": submit["tid"], "ts": microseconds(begin), **flow}
        yield {"ph": "f", "pid": DEVICE_PROCESS, "tid": task.stream, "ts": microseconds(task.begin), **flow}
    computing = merged((task.begin, task.end) for task in tasks if not task.is_communication)
    communication = merged((task.begin, task.end) for task in tasks if task.is_communication)
    busy = merged(map(tuple, computing + communication))
    free = without([[busy[0][0], busy[-1][1]]], busy) if busy else []
    for row, (name, spans) in enumerate(((COMPUTING, computing), (COMMUNICATION, communication), (APART, without(communication, computing)), (FREE, free))):
        for begin, end in spans:
            yield piece(OVERLAP_PROCESS, row, name, begin, end)


def summary(tasks, device):
    """The rows of op_summary_<time>.csv."""
    yield ["Device_id", "Model ID", "Task ID", "Stream ID", "Op Name", "OP Type", "Task Type", "Task Start Time(us)", "Task Duration(us)", "Task Wait Time(us)", "Block Num"]
    ends = {}
    for task in tasks:
        wait = max(task.begin - ends.get(task.stream, task.begin), 0)
        ends[task.stream] = task.end
        yield [device, 4294967295, task.number, task.stream, task.name, task.kind, task.core, microseconds(task.begin), (task.end - task.begin) / 1000, wait / 1000, 0]


def statistic(tasks, device):
    """The rows of op_statistic_<time>.csv, those that took longest first."""
    yield ["Device_id", "OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)", "Avg Time(us)", "Max Time(us)", "Ratio(%)"]
    kinds = collections.defaultdict(list)
    for task in tasks:
        kinds[task.kind, task.core].append((task.end - task.begin) / 1000)
    whole = sum(map(sum, kinds.values()))
    for (kind, core), times in sorted(kinds.items(), key=lambda item: -sum(item[1])):
        total = sum(times)
        yield [device, kind, core, len(times), *(round(one, 3) for one in (total, min(times), total / len(times), max(times), 100 * total / whole))]


def export(folder):
    tasks, device = read(folder)
    out, stamp = folder / "mindstudio_profiler_output", time.strftime("%Y%m%d%H%M%S")
    out.mkdir(exist_ok=True)
    (out / f"msprof_{stamp}.json").write_text(json.dumps(list(trace(tasks, device))))
    # Tables last: torch_npu takes the first one for the end. It looks ten times a second, and gives up when this program ends before it has seen one.
    for name, rows in ("op_statistic", statistic), ("op_summary", summary):
        with open(out / f"{name}_{stamp}.csv", "w", newline="") as table:
            csv.writer(table).writerows(rows(tasks, device))
    time.sleep(LOOKS_AGAIN)


def main():
    parser = argparse.ArgumentParser(prog="msprof", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, add_help=True)
    parser.add_argument("--output", type=pathlib.Path, help="the folder PROF_...")
    parser.add_argument("--export", choices=("on", "off"), default="off")
    parser.add_argument("--analyze", choices=("on", "off"), default="off")
    given, others = parser.parse_known_args()
    if others:
        sys.exit(f"msprof: {others[0]} is not supported here; see msprof --help")
    if not given.output or not (given.output / "host" / "start_info").is_file():
        sys.exit(f"msprof: {given.output} has no host/start_info; --output must be a folder PROF_... that aclprofStart made")
    if not (given.output / "host" / "end_info").is_file():
        sys.exit(f"msprof: the recording of {given.output} has not been stopped")
    if given.export == "on":
        export(given.output)


if __name__ == "__main__":
    main()
