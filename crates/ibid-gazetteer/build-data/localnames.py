"""Names of places, regions and countries in the languages of the questions.

GeoNames alternate names carry no language here, so a name is taken only where its language is sure: from CLDR
(countries, regions, the example cities of time zones), from `local.tsv`, or from its script. Of several names in one
script the one that sounds most like the main name is taken.
"""

import collections
import difflib
import re
import unicodedata

LANGUAGES = [
    "en", "es", "de", "fr", "pt", "it", "nl", "ja", "ar", "hi", "ko", "pl", "ru", "sv", "tr", "zh", "zh-Hant", "cs", "da",
    "el", "fi", "he", "hu", "id", "nb", "ro", "uk", "vi",
]
LATIN = {
    "en", "es", "de", "fr", "pt", "it", "nl", "pl", "sv", "tr", "cs", "da", "fi", "hu", "id", "nb", "ro", "vi",
}
# Countries whose towns have a name in a language with a script of its own.
HOME = {
    "ja": {"JP"},
    "ko": {"KR", "KP"},
    "zh": {"CN", "SG"},
    "zh-Hant": {"TW", "HK", "MO"},
    "ru": {"RU", "BY", "KZ", "KG"},
    "hi": {"IN"},
    "el": {"GR", "CY"},
    "he": {"IL"},
    "uk": {"UA"},
    "ar": {
        "AE", "BH", "DZ", "EG", "EH", "IQ", "JO", "KM", "KW", "LB", "LY", "MA", "MR", "OM", "PS", "QA", "SA", "SD",
        "SY", "TN", "YE",
    },
}
# Towns elsewhere get names in these scripts from this size: smaller ones are rarely the market of a foreign keyword.
KNOWN = 15_000
HOME_SMALLEST = 500

# A hard sign stands only before certain vowels in Russian; elsewhere the name is of another language.
RUSSIAN = re.compile(r"^(?!.*ъ[^еёюя]|.*ъ$)[А-Яа-яЁё][А-Яа-яЁё .-]+$")
UKRAINIAN = re.compile(r"^[А-ЩЮЯЄІЇҐ][А-ЩЬЮЯЄІЇҐа-щьюяєіїґ'’ -]+$")
GREEK = re.compile("^[Α-ΩΆΈ-Ώ][Α-ΩΆΈ-Ώα-ωά-ώϊϋΐΰ -]*[α-ωά-ώϊϋΐΰ]$")
ACCENTED = re.compile("[Ά-Ώά-ώΐΰ]")
HEBREW = re.compile("^[א-ת][א-ת׳״\"' -]+$")
ARABIC = re.compile("^[ء-إا-غف-ي][ء-غف-ي][ء-غف-ي -]*$")
DEVANAGARI = re.compile(r"^[ऀ-ॿ][ऀ-ॿ -]+$")
HANGUL = re.compile(r"^[가-힣][가-힣 ]+$")
KATAKANA = re.compile(r"^[ァ-ヺー][ァ-ヺー・＝]+$")
KANJI = re.compile(r"^(?=.*[一-龯])[一-龯ぁ-ゖァ-ヺー々ヶ]{2,}$")
HAN = re.compile(r"^[一-龥]{2,}$")

SOUNDS = {
    **dict(zip("абвгдежзийклмнопрстуфхцчшщъыьэюяё", [
        "a", "b", "v", "g", "d", "e", "zh", "z", "i", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "f", "kh",
        "ts", "ch", "sh", "shch", "", "y", "", "e", "yu", "ya", "yo",
    ])),
    **dict(zip("ابتثجحخدذرزسشصضطظعغفقكلمنهويةىئءأإآؤ", [
        "a", "b", "t", "th", "j", "h", "kh", "d", "dh", "r", "z", "s", "sh", "s", "d", "t", "z", "", "gh", "f", "q", "k",
        "l", "m", "n", "h", "w", "y", "ah", "a", "", "", "a", "i", "a", "",
    ])),
    **dict(zip("कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसहक़ख़ग़ज़ड़ढ़फ़", [
        "k", "kh", "g", "gh", "n", "ch", "ch", "j", "jh", "n", "t", "th", "d", "dh", "n", "t", "th", "d", "dh", "n", "p",
        "ph", "b", "bh", "m", "y", "r", "l", "v", "sh", "sh", "s", "h",
    ])),
    **dict(zip("अआइईउऊएऐओऔािीुूेैोौंँ", [
        "a", "a", "i", "i", "u", "u", "e", "ai", "o", "au", "a", "i", "i", "u", "u", "e", "ai", "o", "au", "n", "n",
    ])),
    **dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", [
        "a", "v", "g", "d", "e", "z", "i", "th", "i", "k", "l", "m", "n", "x", "o", "p", "r", "s", "s", "t", "y", "f", "ch",
        "ps", "o",
    ])),
    **dict(zip("אבגדהוזחטיכךלמםנןסעפףצץקרשת", [
        "a", "b", "g", "d", "h", "v", "z", "h", "t", "y", "k", "k", "l", "m", "m", "n", "n", "s", "a", "p", "f", "ts", "ts",
        "k", "r", "sh", "t",
    ])),
}
UKRAINIAN_SOUNDS = SOUNDS | {"г": "h", "и": "y", "і": "i", "ї": "yi", "є": "ye", "ґ": "g"}


def sound(name, sounds=SOUNDS):
    """The name in Latin letters, roughly as it is spoken."""
    kept = unicodedata.normalize("NFC", name.lower())
    plain = "".join(
        c for letter in kept for c in (letter if letter in sounds else unicodedata.normalize("NFKD", letter))
        if not unicodedata.combining(c) or c in sounds
    )
    return "".join(sounds.get(c, c) for c in plain if c.isalpha() or c in sounds)


def closest(candidates, main, alternates, sounds=SOUNDS):
    """The candidate that sounds most like the main name or like one of the Latin names; the longer one if equal."""
    if not candidates:
        return None
    spoken = [sound(main)] + sorted({sound(a) for a in alternates if a.isascii()})[:40]

    def likeness(name):
        own = sound(name, sounds)
        ratios = [difflib.SequenceMatcher(None, own, other).ratio() for other in spoken]
        return (round(ratios[0], 2), round(max(ratios), 2), -abs(len(own) - len(spoken[0])), len(name), name)

    return max(candidates, key=likeness)


def encodable(name, codec):
    try:
        name.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


def without_suffix(candidates, suffixes):
    """The short name whose long form is there too (大阪 beside 大阪市), else the shortest candidate."""
    if not candidates:
        return None
    for name in sorted(candidates, key=lambda n: (len(n), n)):
        if any(name + suffix in candidates for suffix in suffixes):
            return name
    return min(candidates, key=lambda n: (len(n), n))


def in_script(language, country, main, alternates):
    """The name in a language that has a script of its own."""
    at_home = country in HOME[language]
    match language:
        case "ru":
            return closest([a for a in alternates if RUSSIAN.match(a)], main, alternates)
        case "ar":
            return closest([a for a in alternates if ARABIC.match(a)], main, alternates)
        case "uk":
            return closest([a for a in alternates if UKRAINIAN.match(a)], main, alternates, UKRAINIAN_SOUNDS)
        case "el":
            named = [a for a in alternates if GREEK.match(a)]
            return closest([a for a in named if ACCENTED.search(a)] or named, main, alternates)
        case "he":
            return closest([a for a in alternates if HEBREW.match(a)], main, alternates)
        case "hi":
            return closest([a for a in alternates if DEVANAGARI.match(a)], main, alternates)
        case "ko":
            named = [a.removesuffix(" 시") for a in alternates if HANGUL.match(a)]
            return without_suffix(named, ["시", "군", "읍", "구", "특별시", "광역시"]) if at_home else max(
                named, key=lambda n: (len(n), n), default=None
            )
        case "ja":
            if at_home:
                named = [a for a in alternates if KANJI.match(a) and encodable(a, "cp932")]
                named = [a for a in named if not KATAKANA.match(a)] or named
                return without_suffix(named, ["市", "町", "村", "区", "都"])
            if country in {"CN", "TW", "HK", "MO"}:
                named = [a for a in alternates if HAN.match(a) and encodable(a, "cp932")]
                return without_suffix(named, ["市"])
            return min((a for a in alternates if KATAKANA.match(a)), key=lambda n: (len(n), n), default=None)
        case "zh":
            named = [a for a in alternates if HAN.match(a) and encodable(a, "gb2312")]
            return without_suffix(named, ["市", "区", "县", "镇"])
        case "zh-Hant":
            named = [a for a in alternates if HAN.match(a) and encodable(a, "big5")]
            return without_suffix(named, ["市", "區", "縣", "鎮", "鄉"])
    return None


def example_cities(sources, cities):
    """CLDR's example cities of time zones, by GeoNames id: (id, language, name)."""
    by_zone = collections.defaultdict(list)
    for city in cities.values():
        by_zone[city["timezone"]].append(city)
    wanted = {}
    for language in LANGUAGES:
        for zone, name in sources.zone_cities(language.replace("-", "_")):
            if zone not in wanted:
                said = sound(zone.rsplit("/", 1)[-1].replace("_", " "))
                near = [
                    c for c in by_zone.get(zone, [])
                    if sound(c["name"]) == said or any(sound(a) == said for a in c["alternatenames"] if a.isascii())
                ]
                wanted[zone] = max(near, key=lambda c: (c["population"], -c["geonameid"]), default=None)
            if wanted[zone]:
                yield wanted[zone]["geonameid"], language, name


def place_names(sources, cities, hand):
    """Rows (id, language, name) for towns, the surest source last."""
    names = {}
    for city in cities.values():
        alternates = city["alternatenames"]
        for language in HOME:
            at_home = city["countrycode"] in HOME[language]
            if city["population"] < (HOME_SMALLEST if at_home else KNOWN):
                continue
            if name := in_script(language, city["countrycode"], city["name"], alternates):
                names[city["geonameid"], language] = name
        # GeoNames writes Romanian with the cedilla of Turkish.
        if city["countrycode"] in {"RO", "MD"}:
            names[city["geonameid"], "ro"] = city["name"].translate(str.maketrans("şţŞŢ", "șțȘȚ"))
    for place, language, name in example_cities(sources, cities):
        names[place, language] = name
    largest = {}
    for city in sorted(cities.values(), key=lambda c: (c["population"], -c["geonameid"])):
        largest[city["countrycode"], city["name"]] = city["geonameid"]
    for country, main, language, name in hand:
        place = largest.get((country, main))
        if place is None:
            raise SystemExit(f"local.tsv: there is no {main} in {country}")
        for tag in language.split(","):
            names[place, tag] = name
    for (place, language), name in sorted(names.items()):
        if language not in LATIN or name != cities[str(place)]["name"]:
            yield "place", place, language, name
