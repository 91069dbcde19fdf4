# SPDX-License-Identifier: Apache-2.0
"""The loss curves of tests/clients/pytorch/training.py as a picture: device cpu wide and light, device npu narrow on top of it.

training.py --steps 60 NAME... | python3 docs/pictures/draw_losses.py > docs/pictures/losses.svg
"""
import re
import sys

WIDTH, HEIGHT, GAP, LEFT, TOP = 300, 180, 60, 50, 40
WIDE, NARROW = "stroke='#f0b878' stroke-width='7'", "stroke='#205080' stroke-width='1.5'"


def curves(lines):
    """(network, losses of device cpu, losses of device npu, their largest relative difference)"""
    name, losses = None, {}
    for line in lines:
        if found := re.match(r"(.+), \d+ threads:$", line):
            name, losses = found[1], {}
        elif found := re.match(r"  (cpu|npu) (.+?)  [0-9.]+ ms a step", line):
            losses[found[1]] = [float(value) for value in found[2].split()]
        elif found := re.match(r"  (?:right|WRONG): losses at most (\S+) apart", line):
            yield name, losses["cpu"], losses["npu"], found[1]


def panel(left, name, on_cpu, on_npu, apart):
    low, high = min(on_cpu + on_npu), max(on_cpu + on_npu)

    def line(values, style):
        points = " ".join(f"{left + i * WIDTH / (len(values) - 1):.1f},{TOP + HEIGHT * (high - value) / (high - low):.1f}"
                          for i, value in enumerate(values))
        return f"<polyline points='{points}' fill='none' stroke-linecap='round' stroke-linejoin='round' {style}/>"

    return "\n".join([
        f"<path d='M{left} {TOP}v{HEIGHT}h{WIDTH}' fill='none' stroke='#999'/>",
        f"<text x='{left}' y='{TOP - 14}' font-weight='bold'>{name}</text>",
        f"<text x='{left - 4}' y='{TOP + 8}' text-anchor='end'>{high:.2f}</text>",
        f"<text x='{left - 4}' y='{TOP + HEIGHT}' text-anchor='end'>{low:.2f}</text>",
        f"<text x='{left + WIDTH}' y='{TOP + HEIGHT + 16}' text-anchor='end'>step {len(on_cpu)}</text>",
        f"<text x='{left + WIDTH}' y='{TOP + 8}' text-anchor='end'>at most {apart} apart</text>",
        line(on_cpu, WIDE), line(on_npu, NARROW)])


def main():
    panels = [panel(LEFT + i * (WIDTH + GAP), *curve) for i, curve in enumerate(curves(sys.stdin))]
    width, height = LEFT + len(panels) * (WIDTH + GAP), TOP + HEIGHT + 50
    key = height - 12
    print(f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' "
          "font-family='sans-serif' font-size='11'>\n<rect width='100%' height='100%' fill='#fff'/>")
    print("\n".join(panels))
    print(f"<path d='M{LEFT} {key}h30' {WIDE}/><text x='{LEFT + 38}' y='{key + 4}'>device cpu</text>")
    print(f"<path d='M{LEFT + 120} {key}h30' {NARROW}/><text x='{LEFT + 158}' y='{key + 4}'>device npu</text>\n</svg>")


if __name__ == "__main__":
    main()
