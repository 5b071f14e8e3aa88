#!/usr/bin/python3
"""Draws docs/images/growth.svg out of the rows that `script/bench growth -- --csv FILE` writes.

    bench/plot.py FILE.csv docs/images/growth.svg

Two panels, nodes and watches; the server's CPU time per request over the size, both axes logarithmic, so that a
cost that does not depend on the size is a level line. Needs nothing but Python.
"""

import collections
import csv
import html
import math
import sys

WIDTH, HEIGHT = 460, 340  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 34, 96
COLOURS = {"engine": "#1a7f5a", "Apache": "#b5452c"}
DASHES = {"getData": "", "setData": "6 3", "create, delete": "2 3"}
TITLES = {"nodes": "nodes in the tree", "watches": "watches on other nodes"}
GRID, TEXT = "#d8d8d8", "#333333"


def read(path):
    """{what: {(server, work): [(size, microseconds)]}}"""
    panels = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            # No watches have no place on a logarithmic axis; they are drawn where one would be.
            size = max(1, int(row["size"]))
            panels[row["what"]][row["server"], row["work"]].append((size, float(row["cpu_us"])))
    return panels


def decades(values):
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def text(x, y, content, anchor="middle", extra=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{TEXT}"{extra}>'
            f"{html.escape(content)}</text>")


def count(exponent):
    return {0: "0–1", 3: "1,000", 4: "10,000", 5: "100,000", 6: "1,000,000"}.get(exponent, f"{10**exponent:,}")


def panel(what, series, left, y_decades):
    x_decades = decades([size for points in series.values() for size, _ in points])
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x_of(size):
        return left + LEFT + inner_width * (math.log10(size) - x_decades[0]) / max(1, x_decades[-1] - x_decades[0])

    def y_of(cost):
        return TOP + inner_height * (y_decades[-1] - math.log10(cost)) / max(1, y_decades[-1] - y_decades[0])

    parts = [text(left + LEFT + inner_width / 2, 20, TITLES[what], extra=' font-weight="bold"')]
    for exponent in y_decades:
        y = y_of(10**exponent)
        parts.append(f'<line x1="{left + LEFT}" y1="{y:.1f}" x2="{left + WIDTH - RIGHT}" y2="{y:.1f}" '
                     f'stroke="{GRID}"/>')
        parts.append(text(left + LEFT - 6, y + 4, f"{10.0**exponent:g} µs", "end"))
    for exponent in x_decades:
        x = x_of(10**exponent)
        parts.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="{GRID}"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 16, count(exponent)))
    for (server, work), points in sorted(series.items()):
        colour, dash = COLOURS[server], DASHES[work]
        path = " ".join(f"{x_of(size):.1f},{y_of(cost):.1f}" for size, cost in sorted(points))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
                     f'stroke-dasharray="{dash}"/>')
        for size, cost in points:
            parts.append(f'<circle cx="{x_of(size):.1f}" cy="{y_of(cost):.1f}" r="3" fill="{colour}"/>')
    return parts


def legend(width):
    parts = []
    for row, server in enumerate(COLOURS):
        for column, work in enumerate(DASHES):
            x, y = LEFT + column * (width - LEFT) / len(DASHES), HEIGHT - 42 + row * 22
            parts.append(f'<line x1="{x:.1f}" y1="{y - 4}" x2="{x + 34:.1f}" y2="{y - 4}" stroke="{COLOURS[server]}" '
                         f'stroke-width="2" stroke-dasharray="{DASHES[work]}"/>')
            name = "ZooKeeper" if server == "Apache" else server
            parts.append(text(x + 42, y, f"{name}: {work}", "start"))
    return parts


def draw(panels):
    y_decades = decades([cost for series in panels.values() for points in series.values() for _, cost in points])
    width = WIDTH * len(panels)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" '
             'font-size="12" role="img">',
             "<title>CPU time of the server per request</title>",
             f'<rect width="{width}" height="{HEIGHT}" fill="white"/>']
    for position, what in enumerate(TITLES):
        if what in panels:
            parts += panel(what, panels[what], position * WIDTH, y_decades)
    return "\n".join([*parts, *legend(width), "</svg>", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(draw(read(sys.argv[1])))


if __name__ == "__main__":
    main()
