#!/usr/bin/env python3
"""Builds data/land.bin, the land of the radius map, from the npm package world-atlas (Natural Earth, public domain).

    land.py             fetch the package with npm, check it, and write the file
    land.py --verify    compare the file with the checksum below; needs no network

The coast at 1:10 million is cut into tiles of four degrees and simplified to about 200 m. A tile holds polygons that
are filled by the even-odd rule. The file: for each tile, row by row from south-west, its number of polygons; then the
polygons of all tiles, each as its number of points and the points. Numbers are LEB128; coordinates are thousandths of
a degree from the south-west corner of the tile, as zigzag differences from the point before.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "data" / "land.bin"
PACKAGE = ("world-atlas", "2.0.2")
SOURCE_SHA256 = "032e7765f2ce00edaeafec23ff22bc3b77e42987c257da944cc585b452c05b97"
LAND_SHA256 = "18c8e2fdae210d657c6fffe2cd83b5b415ad46004c686206a07307ac49292c8d"
TILE = 4
UNIT = 1000
TOLERANCE = 0.002


def rings(topology):
    """The rings of all polygons, in degrees."""
    scale, shift = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = []
    for arc in topology["arcs"]:
        x = y = 0
        points = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((x * scale[0] + shift[0], y * scale[1] + shift[1]))
        arcs.append(points)

    def ring(indexes):
        points = []
        for index in indexes:
            arc = arcs[index] if index >= 0 else arcs[~index][::-1]
            points.extend(arc if not points else arc[1:])
        return points

    for geometry in topology["objects"]["land"]["geometries"]:
        polygons = [geometry["arcs"]] if geometry["type"] == "Polygon" else geometry["arcs"]
        for polygon in polygons:
            for indexes in polygon:
                yield ring(indexes)


def simplified(points):
    """Douglas and Peucker: no point of the line is farther than the tolerance from the result."""
    if len(points) < 5:
        return points
    keep = [False] * len(points)
    keep[0] = keep[-1] = True
    # A closed line has equal ends, so it is cut at its farthest point first.
    far = max(range(len(points)), key=lambda i: (points[i][0] - points[0][0]) ** 2 + (points[i][1] - points[0][1]) ** 2)
    keep[far] = True
    parts = [(0, far), (far, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        (ax, ay), (bx, by) = points[first], points[last]
        dx, dy = bx - ax, by - ay
        length = (dx * dx + dy * dy) ** 0.5
        worst, at = TOLERANCE, None
        for i in range(first + 1, last):
            px, py = points[i][0] - ax, points[i][1] - ay
            off = abs(px * dy - py * dx) / length if length else (px * px + py * py) ** 0.5
            if off > worst:
                worst, at = off, i
        if at is not None:
            keep[at] = True
            parts += [(first, at), (at, last)]
    return [point for point, kept in zip(points, keep) if kept]


def clipped(points, axis, bound, sign):
    """The part of a ring on one side of a line (Sutherland and Hodgman)."""
    out = []
    for a, b in zip(points, points[1:] + points[:1]):
        inside_a, inside_b = sign * (a[axis] - bound) >= 0, sign * (b[axis] - bound) >= 0
        if inside_a:
            out.append(a)
        if inside_a != inside_b:
            t = (bound - a[axis]) / (b[axis] - a[axis])
            cut = (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))
            out.append((bound, cut[1]) if axis == 0 else (cut[0], bound))
    return out


def split(points, axis, low, high):
    """The strips of a ring between the lines of the grid: (index, ring)."""
    values = [point[axis] for point in points]
    first = max(low, int((min(values) - low) // TILE) * TILE + low)
    strips = []
    while first < min(high, max(values)):
        strip = clipped(clipped(points, axis, first, 1), axis, first + TILE, -1)
        if len(strip) >= 3:
            strips.append(((first - low) // TILE, strip))
        first += TILE
    return strips


def number(out, value):
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def signed(out, value):
    number(out, value << 1 if value >= 0 else (-value << 1) - 1)


def packed(topology):
    tiles = [[] for _ in range((360 // TILE) * (180 // TILE))]
    for ring in rings(topology):
        for row, strip in split(simplified(ring)[:-1], 1, -90, 90):
            for column, part in split(strip, 0, -180, 180):
                west, south = column * TILE - 180, row * TILE - 90
                whole = [(round((x - west) * UNIT), round((y - south) * UNIT)) for x, y in part]
                distinct = [p for p, q in zip(whole, whole[-1:] + whole) if p != q]
                if len(distinct) >= 3:
                    tiles[row * (360 // TILE) + column].append(distinct)
    out = bytearray()
    for tile in tiles:
        number(out, len(tile))
    for tile in tiles:
        for polygon in tile:
            number(out, len(polygon))
            x = y = 0
            for px, py in polygon:
                signed(out, px - x)
                signed(out, py - y)
                x, y = px, py
    return bytes(out)


def main():
    if "--verify" in sys.argv:
        return 0 if hashlib.sha256(OUT.read_bytes()).hexdigest() == LAND_SHA256 else "data/land.bin has another checksum"
    with tempfile.TemporaryDirectory() as folder:
        name, version = PACKAGE
        subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        archive = pathlib.Path(folder) / f"{name}-{version}.tgz"
        if (found := hashlib.sha256(archive.read_bytes()).hexdigest()) != SOURCE_SHA256:
            return f"the package has another checksum: {found}"
        with tarfile.open(archive) as package:
            topology = json.load(package.extractfile("package/land-10m.json"))
    land = packed(topology)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_bytes(land)
    print(len(land), "bytes", hashlib.sha256(land).hexdigest())
    return 0


if __name__ == "__main__":
    sys.exit(main())
