#!/usr/bin/env python3
"""Makes trades.tsv, the names of trades and places by kind, from the npm package @openstreetmap/id-tagging-schema (ISC).

    npm pack @openstreetmap/id-tagging-schema@6.19.2 && tar xf openstreetmap-id-tagging-schema-*.tgz
    python3 trades.py package/dist > trades.tsv

A line is a language, a kind and its names, with "|" between them. The names are those of presets and their aliases.
Search terms of the presets are left out, because they mislead: "boutique" is a term of clothes.
"""

import json
import os
import sys

LANGUAGES = {
    "en": "en", "es": "es", "de": "de", "fr": "fr", "pt": "pt pt-BR", "it": "it", "nl": "nl", "ja": "ja", "ar": "ar",
    "hi": "hi", "ko": "ko", "pl": "pl", "ru": "ru", "sv": "sv", "tr": "tr", "zh": "zh-CN", "zh-Hant": "zh-TW zh-HK",
    "cs": "cs", "da": "da", "el": "el", "fi": "fi", "he": "he he-IL", "hu": "hu", "id": "id", "nb": "nb no", "ro": "ro",
    "uk": "uk", "vi": "vi",
}

# A kind for a key of a preset, or for a key and a value of it. Presets of other keys are nobody's keyword.
KINDS = {
    "craft": "trade",
    "craft/photographer": "person",
    "craft/photographic_laboratory": "trade",
    "craft/distillery": "food",
    "craft/brewery": "food",
    "craft/winery": "food",
    "craft/confectionery": "food",
    "shop": "shop",
    "tourism": "venue",
    "leisure": "venue",
    "healthcare": "person",
    "office/accountant": "person",
    "office/architect": "person",
    "office/lawyer": "person",
    "office/notary": "person",
    "office/tax_advisor": "person",
    "office/surveyor": "person",
    "office/therapist": "person",
    "office/tutoring": "person",
    "office/financial_advisor": "person",
    "office/insurance": "money",
    "office/financial": "money",
    "office/estate_agent": "trade",
    "office/moving_company": "trade",
    "office/employment_agency": "trade",
    "office/travel_agent": "trade",
    "office/graphic_design": "trade",
    "office/engineer": "trade",
    "office/construction_company": "trade",
    "office/security": "trade",
    "office/consulting": "trade",
    "office/private_investigator": "person",
    "office/educational_institution": "institution",
    "office/coworking": "venue",
    "amenity/coworking_space": "venue",
}
KINDS |= {f"healthcare/{it}": "institution" for it in "hospital clinic hospice rehabilitation laboratory blood_donation birthing_centre".split()}
KINDS |= {
    f"shop/{it}": "food"
    for it in "alcohol bakery beverages brewing_supplies butcher cheese chocolate coffee confectionery dairy deli farm "
    "frozen_food greengrocer health_food ice_cream nuts pasta pastry seafood spices tea wine water tortilla".split()
}
KINDS |= {
    f"shop/{it}": "trade"
    for it in "car_repair motorcycle_repair dry_cleaning laundry funeral_directors locksmith photo copyshop tailor rental "
    "bicycle_repair shoe_repair estate_agent travel_agency pest_control repair tyres storage_rental pet_grooming".split()
}
KINDS |= {f"shop/{it}": "person" for it in "hairdresser beauty massage tattoo psychic".split()}
KINDS |= {f"amenity/{it}": "food" for it in "restaurant cafe bar pub fast_food ice_cream biergarten food_court".split()}
KINDS |= {
    f"amenity/{it}": "institution"
    for it in "school university college kindergarten childcare library hospital clinic nursing_home social_facility "
    "place_of_worship music_school language_school driving_school dancing_school prep_school research_institute".split()
}
KINDS |= {
    f"amenity/{it}": "venue"
    for it in "cinema theatre nightclub casino arts_centre community_centre conference_centre events_venue gambling "
    "planetarium studio exhibition_centre music_venue spa public_bath swimming_pool love_hotel stripclub".split()
}
KINDS |= {f"amenity/{it}": "person" for it in "dentist doctors veterinary".split()}
KINDS |= {f"amenity/{it}": "money" for it in "bank bureau_de_change money_transfer".split()}
KINDS |= {f"amenity/{it}": "trade" for it in "car_wash car_rental taxi vehicle_inspection boat_rental bicycle_rental animal_boarding crematorium funeral_hall".split()}
KINDS |= {"amenity/pharmacy": "shop", "amenity/marketplace": "food"}
# Presets under these keys that no one looks for by that name.
NOT = ("leisure/track leisure/pitch leisure/playground leisure/picnic leisure/outdoor leisure/slipway leisure/fire "
       "leisure/bleachers leisure/bandstand leisure/common leisure/hunting leisure/sports tourism/information tourism/trail "
       "tourism/artwork leisure/schoolyard leisure/swimming_area leisure/resort_ leisure/firepit shop/vacant shop/no "
       "healthcare/sample healthcare/vaccination leisure/bird leisure/bathing leisure/wildlife leisure/nature tourism/wilderness").split()


def kind(preset):
    parts = preset.split("/")
    if any(preset.startswith(it) for it in NOT):
        return None
    return KINDS.get("/".join(parts[:2])) or KINDS.get(parts[0])


def main(dist):
    known = json.load(open(f"{dist}/presets.min.json"))
    for tag, codes in LANGUAGES.items():
        names = {}
        for code in codes.split():
            path = f"{dist}/translations/{code}.min.json"
            presets = json.load(open(path))[code].get("presets", {}).get("presets", {}) if os.path.exists(path) else {}
            for preset, words in presets.items():
                of = kind(preset) if preset in known and known[preset].get("searchable", True) else None
                if not of:
                    continue
                texts = [words.get("name", "")] + words.get("aliases", "").split("\n")
                for text in texts:
                    text = " ".join(text.lower().split("(")[0].split())
                    if text and text.count(" ") < 4 and not any(it in text for it in "|{}/,<>"):
                        names.setdefault(text, of)
        for of in sorted(set(names.values())):
            print(tag, of, "|".join(sorted(it for it in names if names[it] == of)), sep="\t")


main(sys.argv[1])
