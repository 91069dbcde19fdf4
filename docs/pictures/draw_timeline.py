#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a timeline that the library wrote (ACLNN_CPU_TIMELINE=file.json) as an SVG picture.

usage: draw_timeline.py TIMELINE.json PICTURE.svg [FROM_MS TO_MS]

A row for every stream and thread, a box for everything that took time, boxes inside of others below
them; an arrow from each submit to its run and from each record to its waits. Perfetto shows more;
this is for documents.
"""
import html
import json
import sys
from collections import defaultdict

WIDTH, LEFT, BOX, GAP, TOP = 1000, 150, 18, 14, 24
COLOURS = {"task": 205, "step": 150, "plan": 45, "submit": 30, "wait": 0, "call": 270}


def main(source, target, begin=None, end=None):
    with open(source, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    boxes, names, arrows = defaultdict(list), {}, defaultdict(dict)
    for event in events:
        track = (event["pid"], event["tid"])
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[track] = event["args"]["name"]
        elif event["ph"] == "X":
            boxes[track].append(event)
        elif event["ph"] in "sf":
            arrows[event["id"]][event["ph"]] = (track, event["ts"])
    starts = [b["ts"] for track in boxes.values() for b in track]
    stops = [b["ts"] + b["dur"] for track in boxes.values() for b in track]
    first = min(starts) if begin is None else begin * 1000
    last = max(stops) if end is None else end * 1000
    scale = WIDTH / (last - first)

    def x_of(ts):
        return LEFT + (min(max(ts, first), last) - first) * scale

    lines, y, rows = [], TOP, {}
    for track in sorted(boxes, key=lambda t: (t not in names, names.get(t, ""))):
        rows[track] = y
        lines.append(f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">'
                     f'{html.escape(names.get(track, str(track)))}</text>')
        open_until, deepest = [], 1
        for box in sorted(boxes[track], key=lambda b: (b["ts"], -b["dur"])):
            while open_until and open_until[-1] <= box["ts"] + 0.01:  # the file has nanoseconds
                open_until.pop()
            depth = len(open_until)
            open_until.append(box["ts"] + box["dur"])
            if box["ts"] + box["dur"] < first or box["ts"] > last:
                continue
            deepest = max(deepest, depth + 1)
            x, width = x_of(box["ts"]), max(x_of(box["ts"] + box["dur"]) - x_of(box["ts"]), 0.6)
            hue, top = COLOURS.get(box.get("cat"), 90), y + depth * BOX
            label = html.escape(box["name"])
            lines.append(f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{BOX - 2}" '
                         f'fill="hsl({hue},60%,75%)" stroke="#444" stroke-width="0.3">'
                         f'<title>{label}: {box["dur"]:.1f} us</title></rect>')
            if width > 30:
                lines.append(f'<text x="{x + 3:.1f}" y="{top + 12}">'
                             f'{html.escape(box["name"][:int(width / 6)])}</text>')
        y += deepest * BOX + GAP
    for arrow in arrows.values():
        if "s" not in arrow or "f" not in arrow:
            continue
        (track, start), (other, stop) = arrow["s"], arrow["f"]
        if stop < first or start > last or track not in rows or other not in rows:
            continue
        lines.append(f'<path d="M{x_of(start):.1f} {rows[track] + 8}L{x_of(stop):.1f} '
                     f'{rows[other] + 8}" stroke="#06c" stroke-width="0.7" fill="none" opacity="0.6"/>')
    for i in range(6):
        ts = first + (last - first) * i / 5
        lines.append(f'<text x="{x_of(ts):.1f}" y="{y + 8}" text-anchor="middle">'
                     f'{(ts - first) / 1000:.3g} ms</text>')
    height = y + 20
    with open(target, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" height="{height}" '
                   f'font-family="sans-serif" font-size="11">\n'
                   f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(lines) + "\n</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:3], *map(float, sys.argv[3:5]))
