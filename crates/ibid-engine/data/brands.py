#!/usr/bin/env python3
"""Makes brands.txt, names of brands that a proposed question may not hold, from the npm package name-suggestion-index (BSD-3-Clause).

    npm pack name-suggestion-index@8.0.20260918 && tar xf name-suggestion-index-*.tgz
    apt-get install wamerican wbritish wdutch wfrench witalian wngerman wpolish wportuguese wspanish wswedish
    python3 brands.py package/dist/json/nsi.json /usr/share/dict > brands.txt

A line is a name. Left out are names of one word that a dictionary has as a word ("Next", "Target"), those whose words are all
names of trades in trades.tsv ("Bakery"), and those of fewer than three letters. SERVICES are firms that visit or serve at a
distance, which a map does not have; their author knows them from advertising, and asks for more.
"""

import json
import pathlib
import re
import sys

SERVICES = """
1-800 Contacts|AA Home Emergency|ADT|Airbnb|Airtasker|Allianz|Angi|Angie's List|Aviva|AXA|Bark.com|BritBox|British Gas|Bupa|Check24
Checkatrade|Compare the Market|Deliveroo|Direct Line|DocuSign|DoorDash|Doctolib|Dyno-Rod|Expedia|Fiverr|FreshBooks|Freshdesk|GEICO|Groupon
Handy|HelloFresh|HomeAdvisor|HomeServe|HubSpot|Just Eat|Kayak|Leboncoin|MyBuilder|MyHammer|Monday.com|MoneySuperMarket|Mailchimp|Booking.com
Pimlico Plumbers|Pipedrive|QuickBooks|Rated People|Rightmove|Roto-Rooter|Salesforce|ServiceMaster|ServiceTitan|Shopify|Squarespace|Terminix
TaskRabbit|Thumbtack|Treatwell|Tripadvisor|Trustpilot|TrustATrader|Upwork|WhatClinic|Wix|WordPress|Xero|Yelp|Zendesk|Zillow|Zocdoc|Zoopla|Zoho
mydentist|Which? Trusted Traders|immobilienscout24|ImmoScout24|jameda|Idealista|Habitissimo|Wallapop|PagesJaunes|Pages Jaunes|Houzz|Lieferando
Rentokil|Orkin|Mr. Handyman|Molly Maid|Merry Maids|Two Men and a Truck|U-Haul|Pickfords|State Farm|Progressive Insurance|Allstate|Liberty Mutual
Hilton|Marriott|Uber|Uber Eats|Lyft|Bolt Taxi|Free Now|Invisalign|SmileDirectClub|SageAccounting|Sage 50|DATEV|Lexware|sevDesk|Deel|Gusto Payroll
"""
DICTIONARIES = ["american-english", "british-english", "dutch", "french", "italian", "ngerman", "polish", "portuguese", "spanish", "svenska"]


def main(index, dictionaries):
    lists = {name: (pathlib.Path(dictionaries) / name).read_text(errors="replace").splitlines() for name in DICTIONARIES}
    # In English a capital is a name; German nouns have one, too.
    names = {word.lower() for word in lists["american-english"] if word != word.lower()}
    words = {word.lower() for word in lists["ngerman"]} - names
    words |= {word for lines in lists.values() for word in lines if word == word.lower()}
    trades = set()
    for line in (pathlib.Path(__file__).parent / "trades.tsv").read_text().splitlines():
        if not line.startswith("#"):
            for name in line.split("\t")[-1].split("|"):
                trades |= {name.lower(), *name.lower().split()}
    names = {name for line in SERVICES.split("\n") for name in line.split("|") if name}
    for path, group in json.loads(pathlib.Path(index).read_text())["nsi"].items():
        if path.startswith("brands/"):
            names |= {item["displayName"].split(" (")[0].strip() for item in group.get("items", [])}
    for name in sorted(names):
        parts = re.findall(r"\w+", name.lower())
        letters = sum(map(len, parts))
        cased = name.lower() != name.upper()
        is_word = len(parts) == 1 and parts[0] in words
        if letters >= (4 if cased else 3) and parts and not is_word and not set(parts) <= trades and name.lower() not in trades:
            print(name)


main(*sys.argv[1:])
