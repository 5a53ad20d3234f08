"""Checks the merged places before they are packed: a row that is no town must not become a market or an anchor.

A row may be a market if it has a feature code of a town, or eight alternate names, and no line of overrides.tsv speaks
against it. The gate looks at every such row:

- its name is not that of a province, county, district or air base;
- from 100,000 inhabitants on, the sources agree on where it lies to 10 km, so that anchors lie in the town;
- from 300,000 inhabitants on, the number of inhabitants is at most four times that of the older source, and does not exceed what its
  country has: else it counts a district or county. A town of that size that the older source does not know as a town needs eight
  names.

Rows that were looked at and are right stand in `looked_at.tsv`, with the reason.
"""

import math
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent

NO_TOWN = re.compile(
    r"\b(province|provincia|county|prefecture|governorate|oblast|raion|rayon|air (force )?base|airbase|afb|airfield|"
    r"barracks|cantonment area|naval station|district|distrito|arrondissement|subdistrict)\b",
    re.IGNORECASE,
)
LARGE, CITY = 100_000, 300_000
APART_KM = 10
TIMES = 4


def distance_km(a, b):
    lat, lon = math.radians(b[0] - a[0]), math.radians(b[1] - a[1])
    half = math.sin(lat / 2) ** 2 + math.cos(math.radians(a[0])) * math.cos(math.radians(b[0])) * math.sin(lon / 2) ** 2
    return 2 * 6371 * math.asin(math.sqrt(min(1, half)))


def listed(name, what=None):
    """The ids of a table that is written by hand."""
    lines = (line.split("\t") for line in (HERE / name).read_text().splitlines() if line and not line.startswith("#"))
    return {int(line[1]) for line in lines if what in (None, line[0])}


def faults(places, coded, countries):
    """What speaks against rows of the merged table. `coded` has the rows of the older source by id."""
    passed_over = listed("overrides.tsv", "market") | listed("looked_at.tsv")
    for id, country, _, _, lat, lon, inhabitants, feature, name, names, _ in places:
        market = feature in ("", "PPL", "PPLA", "PPLA2", "PPLA3", "PPLA4", "PPLA5", "PPLC", "PPLG", "PPLS", "PPLL", "PPLF")
        if id in passed_over or not market or inhabitants < 1_000 or (not feature and names < 8):
            continue
        what = f"{id} {name} ({country}, {inhabitants:,} inhabitants)"
        if NO_TOWN.search(name):
            yield f"{what}: the name is not that of a town"
        old = coded.get(id)
        if old is None:
            continue
        apart = distance_km((float(lat), float(lon)), (float(old[4]), float(old[5])))
        if inhabitants >= LARGE and apart > APART_KM:
            yield f"{what}: the sources put it {apart:.0f} km apart"
        if inhabitants >= CITY and int(old[14]) > 0 and inhabitants > TIMES * int(old[14]):
            yield f"{what}: {inhabitants / int(old[14]):.1f} times the {int(old[14]):,} of the older source"
        if inhabitants > 1.2 * countries[country]["population"] > 0:
            yield f"{what}: more than its country has"
