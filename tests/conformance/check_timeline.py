#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_timeline.py PROGRAM NAME...: runs PROGRAM with ACLNN_CPU_TIMELINE and reads the file as viewers of Chrome's
trace format do: the schema of every event, slices of a track one in another or beside each other, arrows with both
ends at slices, a name for every track, and slices with each NAME."""
import collections
import json
import os
import subprocess
import sys
import tempfile

NUMBER = (int, float)
SCHEMA = {  # per phase: members that must be there, with their types
    "X": {"name": str, "cat": str, "ts": NUMBER, "dur": NUMBER, "args": dict},
    "M": {"name": str, "args": dict},
    "i": {"name": str, "ts": NUMBER, "s": str},
    "s": {"name": str, "cat": str, "id": int, "ts": NUMBER},
    "f": {"name": str, "cat": str, "id": int, "ts": NUMBER, "bp": str},
    "b": {"name": str, "cat": str, "id": str, "ts": NUMBER},
    "e": {"name": str, "cat": str, "id": str, "ts": NUMBER},
}


def check(condition, *what):
    if not condition:
        sys.exit("check_timeline: " + " ".join(str(part) for part in what))


def record(command):
    with tempfile.TemporaryDirectory() as folder:
        pattern = os.path.join(folder, "run-%p.json")
        subprocess.run(command, env=dict(os.environ, ACLNN_CPU_TIMELINE=pattern), check=True, stdout=subprocess.DEVNULL)
        files = os.listdir(folder)
        check(len(files) == 1 and "%" not in files[0], "the run left", files)
        with open(os.path.join(folder, files[0]), encoding="utf-8") as file:
            return json.load(file)


def check_event(event):
    phase = event.get("ph")
    check(phase in SCHEMA, "phase of", event)
    for name, kind in {"pid": int, "tid": int, **SCHEMA[phase]}.items():
        check(isinstance(event.get(name), kind), name, "of", event)
    check(event.get("ts", 0) >= 0 and event.get("dur", 1) > 0, "times of", event)


def nanoseconds(event):
    begin = round(event["ts"] * 1000)
    return begin, begin + round(event.get("dur", 0) * 1000)


def check_nesting(slices):
    tracks = collections.defaultdict(list)
    for event in slices:
        tracks[event["pid"], event["tid"]].append(event)
    for events in tracks.values():
        around = []
        for event in sorted(events, key=lambda one: (nanoseconds(one)[0], -nanoseconds(one)[1])):
            begin, end = nanoseconds(event)
            while around and around[-1] <= begin:
                around.pop()
            check(not around or end <= around[-1], event, "ends behind the slice around it")
            around.append(end)
    return tracks


def check_arrows(events, tracks):
    ends = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "sf":
            ends[event["id"]].append(event)
    for arrow in ends.values():
        check(sorted(event["ph"] for event in arrow) == ["f", "s"], "ends of", arrow)
        target, source = sorted(arrow, key=lambda event: event["ph"])
        check(source["ts"] <= target["ts"], arrow, "leads back")
        for event in arrow:
            at = nanoseconds(event)[0]
            check(any(nanoseconds(one)[0] <= at < nanoseconds(one)[1] for one in tracks[event["pid"], event["tid"]]),
                  event, "is at no slice")
    return len(ends)


def main():
    program, names = sys.argv[1], sys.argv[2:]
    trace = record([program])
    events = trace["traceEvents"]
    for event in events:
        check_event(event)
    slices = [event for event in events if event["ph"] == "X"]
    tracks = check_nesting(slices)
    arrows = check_arrows(events, tracks)
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    check(set(tracks) <= named, "tracks without a name:", set(tracks) - named)
    check(trace["otherData"]["lost"] == 0, trace["otherData"])
    for name in names:
        check(any(event["name"] == name for event in slices), "no slice is called", name)
    print(f"{len(slices)} slices on {len(tracks)} tracks, {arrows} arrows")


main()
