//! Dutch.

use super::Phrases;

pub(super) const NL: Phrases = Phrases {
    tag: "nl",
    placed: [
        "Welke aanbieders van {k} in {m} raad je aan? Noem er meerdere en zeg waarom.",
        "Wat zijn de beste adressen voor {k} in {m}? Begin met het beste.",
        "Welke websites zou je gebruiken voor {k} in {m}?",
        "Noem de bedrijven die je zou overwegen voor {k} in {m}.",
        "Ik heb {k} nodig in {m}. Met wie kan ik contact opnemen?",
        "Wie biedt {k} in {m} aan en is betrouwbaar? Noem er een paar en leg het uit.",
        "Wie biedt {k} in {m} met een goede prijs-kwaliteitverhouding? Noem namen.",
        "Ik ben in {m} en zoek {k} in de buurt. Welke adressen stel je voor?",
        "Welke alternatieven zijn er als ik {k} in {m} zoek? Noem de adressen die je kent.",
        "Vergelijk de belangrijkste aanbieders van {k} in {m}. Wie is waar goed in?",
    ],
    placeless: [
        "Welke aanbieders van {k} raad je aan? Noem er meerdere en zeg waarom.",
        "Wat zijn de beste adressen voor {k}? Begin met het beste.",
        "Welke websites zou je gebruiken voor {k}?",
        "Noem de bedrijven die je zou overwegen voor {k}.",
        "Ik heb {k} nodig. Met wie kan ik contact opnemen?",
        "Wie biedt {k} aan en is betrouwbaar? Noem er een paar en leg het uit.",
        "Wie biedt {k} met een goede prijs-kwaliteitverhouding? Noem namen.",
        "Ik zoek {k}. Welke aanbieders stel je voor?",
        "Welke alternatieven zijn er als ik {k} zoek? Noem de adressen die je kent.",
        "Vergelijk de belangrijkste aanbieders van {k}. Wie is waar goed in?",
    ],
    qualities: [
        "{k} voor een redelijke prijs",
        "{k} met heel goede beoordelingen",
        "{k} met betrouwbare service",
        "{k} met veel ervaring",
        "{k} van een familiebedrijf",
        "{k} in het hogere segment",
        "{k} met goede aanbevelingen",
        "{k} met een lange traditie",
        "{k} met goede bereikbaarheid",
    ],
    segments: [
        "{k} voor gezinnen",
        "{k} voor kleine bedrijven",
        "{k} voor beginners",
        "{k} voor professionals",
        "{k} voor studenten",
        "{k} op korte termijn",
    ],
};
