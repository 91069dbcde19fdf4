#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_msprof.py MSPROF: its reports of a recording that is made up here, whose clocks run apart by a part in a hundred."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

UNIX, RAW, MONOTONIC = 1_700_000_000_000_000_000, 5_000_000_000, 9_000_000_000  # at the beginning, in nanoseconds
BASE = MONOTONIC + 1_000_000  # the timeline's time 0
TASKS = (  # name, stream, task, begin and length in microseconds, bytes, whether its submit was recorded
    ("aclnnAdd", 2, 1, 100.0, 50.0, 64, True),
    ("aclnnAdd", 2, 2, 160.0, 20.0, 64, True),
    ("HcclAllReduce", 3, 1, 170.0, 40.0, 0, True),
    ("aclrtMemcpyAsync", 2, 3, 300.0, 10.0, 4096, False),
)


def check(condition, *what):
    if not condition:
        sys.exit("check_msprof: " + " ".join(str(part) for part in what))


def run(*arguments):
    return subprocess.run([sys.executable, sys.argv[1], *arguments], capture_output=True, text=True)


def make(parent):
    folder = parent / "PROF_000001_20260101000000000_0123456789ABCDEF"
    (folder / "host").mkdir(parents=True)
    (folder / "device_4").mkdir()
    events = [{"ph": "M", "pid": 9, "tid": 1, "name": "thread_name", "args": {"name": "thread 1"}}]
    for name, stream, task, begin, length, size, submitted in TASKS:
        events.append({"ph": "X", "pid": 10, "tid": stream, "ts": begin, "dur": length, "name": name, "cat": "task", "args": {"task": task, "bytes": size}})
        events.append({"ph": "X", "pid": 10, "tid": stream, "ts": begin, "dur": length, "name": "step", "cat": "step", "args": {}})
        if submitted:
            events.append({"ph": "X", "pid": 9, "tid": 1, "ts": begin - 5, "dur": 2.0, "name": name, "cat": "submit", "args": {"stream": stream, "task": task}})
    timeline = {"traceEvents": events, "otherData": {"base_monotonic_ns": BASE}}
    (parent / "timeline.json").write_text(json.dumps(timeline))
    for name, member, later in ("start_info", "collectionTimeBegin", 0), ("end_info", "collectionTimeEnd", 100_000_000):
        moment = {
            member: f"{(UNIX + later) // 1000}.000",
            "clockMonotonicRaw": str(RAW + later * 101 // 100),
            "clockMonotonic": str(MONOTONIC + later),
            "timeline": "timeline.json",
        }
        (folder / "host" / name).write_text(json.dumps(moment))
    return folder


def expected(microseconds):
    """As text; CLOCK_MONOTONIC_RAW runs faster by a hundredth."""
    nanoseconds = UNIX + round((BASE - MONOTONIC + microseconds * 1000) * 1.01)
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def check_trace(events):
    labels = {event["pid"]: event["args"]["labels"] for event in events if event["name"] == "process_labels"}
    device = [event for event in events if event["ph"] == "X" and event["args"].get("Task Type")]
    check([event["name"] for event in device] == [task[0] for task in TASKS], "tasks are", device)
    for event, (name, stream, task, begin, length, size, _) in zip(device, TASKS, strict=True):
        check(labels[event["pid"]] == "NPU 4" and event["tid"] == stream and event["args"]["Task Id"] == task, event)
        check(event["ts"] == expected(begin) and abs(event["dur"] - 1.01 * length) < 0.002, event, expected(begin))
    flows = {}
    for event in events:
        if event.get("cat") == "HostToDevice":
            flows.setdefault(event["id"], {})[event["ph"]] = event
    check(len(flows) == 3, "arrows are", flows)
    places = {(event["pid"], event["tid"], event["ts"]): event for event in events if event["ph"] == "X"}
    for flow, (name, *_, begin, _, _, _) in zip(flows.values(), TASKS, strict=False):
        ends = [places[flow[ph]["pid"], flow[ph]["tid"], flow[ph]["ts"]] for ph in "sf"]
        check(ends[0]["name"] == f"AscendCL@{name}" and ends[0]["ts"] == expected(begin - 5) and ends[1]["name"] == name, ends)
    spans = {}
    for event in events:
        if event["ph"] == "X" and event["name"] in ("Computing", "Communication", "Communication(Not Overlapped)", "Free"):
            check(labels[event["pid"]] == "NPU 4", event)
            spans.setdefault(event["name"], []).append(event["dur"] / 1.01)
    wanted = {"Computing": [50, 20, 10], "Communication": [40], "Communication(Not Overlapped)": [30], "Free": [10, 90]}
    check(spans.keys() == wanted.keys(), spans)
    for name, lengths in wanted.items():
        check(len(spans[name]) == len(lengths), name, spans[name])
        check(all(abs(one - other) < 0.01 for one, other in zip(spans[name], lengths, strict=True)), name, spans[name])


def table(folder, name):
    (path,) = folder.glob(f"mindstudio_profiler_output/{name}_*.csv")
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = make(pathlib.Path(scratch))
        result = run("--export=on", f"--output={folder}")
        check(result.returncode == 0, result.stderr)
        (path,) = folder.glob("mindstudio_profiler_output/msprof_*.json")
        check_trace(json.loads(path.read_text()))
        rows = table(folder, "op_summary")
        check([row["Op Name"] for row in rows] == [task[0] for task in TASKS], rows)
        check([row["Task Type"] for row in rows] == ["AI_CORE", "AI_CORE", "COMMUNICATION", "MEMCPY_ASYNC"], rows)
        check([row["OP Type"] for row in rows] == ["Add", "Add", "HcclAllReduce", "MemcpyAsync"], rows)
        check(rows[1]["Task Start Time(us)"] == expected(160) and abs(float(rows[1]["Task Wait Time(us)"]) - 10.1) < 0.002, rows)
        kinds = table(folder, "op_statistic")
        check([(row["OP Type"], row["Count"]) for row in kinds] == [("Add", "2"), ("HcclAllReduce", "1"), ("MemcpyAsync", "1")], kinds)
        check(run("--analyze=on", f"--output={folder}").returncode == 0, "--analyze=on fails")
        for arguments, text in (
            (("--export=on", "--type=db", f"--output={folder}"), "--type=db is not supported here"),
            (("--export=on", f"--output={scratch}"), "has no host/start_info"),
            (("--export=on",), "must be a folder PROF_"),
        ):
            result = run(*arguments)
            check(result.returncode != 0 and text in result.stderr, arguments, result)
        (folder / "host" / "end_info").unlink()
        result = run("--export=on", f"--output={folder}")
        check(result.returncode != 0 and "has not been stopped" in result.stderr, result)
        check("--type" not in run("--help").stdout, "torch_npu takes --type in the help for databases")


main()
