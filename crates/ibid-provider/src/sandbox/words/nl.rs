//! Dutch.

use super::Words;

pub(super) const NL: Words = Words {
    tag: "nl",
    sites: "websites",
    intro_placed: [
        "Voor {k} in {m} worden deze namen steeds weer genoemd:",
        "Zoek je {k} in {m}, dan zou ik eerst naar deze aanbieders kijken:",
        "Wie rondvraagt naar {k} in {m}, hoort meestal deze namen:",
    ],
    intro: [
        "Voor {k} worden deze namen steeds weer genoemd:",
        "Zoek je {k}, dan zou ik eerst naar deze aanbieders kijken:",
        "Wie rondvraagt naar {k}, hoort meestal deze namen:",
    ],
    reasons: [
        "heeft duidelijke prijzen en reageert snel",
        "krijgt telkens goede beoordelingen om het vriendelijke team",
        "bestaat al meer dan twintig jaar",
        "is een goede keuze als het snel moet",
        "werkt zorgvuldig en legt elke stap uit",
        "biedt eerlijke pakketten voor vaste klanten",
        "is klein, persoonlijk en goed bereikbaar",
        "bedient de hele regio en werkt ook in het weekend",
        "valt eerder op door kwaliteit dan door prijs",
        "zet de prijzen online, wat vergelijken makkelijk maakt",
    ],
    first: [
        "Mijn eerste aanbeveling is {n}: dat bedrijf {r}.",
        "Als ik er één moest kiezen, werd het {n}. Het team {r}.",
        "Ik zou beginnen bij {n}. De zaak {r}.",
    ],
    next: [
        "{n} {r}.",
        "Ook een goede optie is {n}; het team {r}.",
        "Je kunt ook {n} proberen: die zaak {r}.",
        "Daarnaast raad ik {n} aan, want dat bedrijf {r}.",
    ],
    enumerate: [
        "Ik zou {l} aanraden.",
        "De namen die het vaakst worden aanbevolen zijn {l}.",
        "Goede keuzes zijn {l}.",
    ],
    joints: [", ", " en "],
    best: "Beste keuze",
    labels: [
        "Beste prijs-kwaliteit",
        "Goed voor gezinnen",
        "Meeste ervaring",
        "Voor snelle afspraken",
        "De luxe keuze",
        "Ook de moeite waard",
    ],
    heads: ["Naam", "Waarom", "Website"],
    compare: [
        "Recente beoordelingen vergelijk je op {l}.",
        "Kijk voor meer meningen op {l}.",
    ],
    advice: (
        "Voordat je kiest",
        [
            ("Prijs", "vraag een offerte op papier"),
            ("Beoordelingen", "lees vooral de nieuwste"),
            ("Beschikbaarheid", "vraag wanneer ze tijd hebben"),
        ],
    ),
    outro: [
        "Openingstijden en prijzen veranderen, dus vraag het even na.",
        "Als je je budget noemt, kan ik de lijst korter maken.",
        "Ik zou er twee of drie benaderen en vergelijken.",
    ],
    warnings: [
        "Ik zou {n} vermijden: recente beoordelingen noemen lange wachttijden en onduidelijke rekeningen.",
        "{n} was vroeger populair, maar lijkt definitief gesloten.",
        "Op dit moment raad ik {n} niet aan.",
    ],
    refusals: [
        "Het spijt me, maar ik kan geen specifieke bedrijven aanbevelen. Een lokale gids of recente beoordelingen helpen je verder.",
        "Ik heb geen betrouwbare, actuele informatie over afzonderlijke aanbieders, dus ik noem er liever geen.",
    ],
    questions: [
        "Kun je iets meer vertellen over wat je nodig hebt? Bij {k} tellen budget, termijn en de precieze plek.",
        "Ik help je graag met {k}! Is het voor jezelf of voor een bedrijf, en wanneer heb je het nodig?",
    ],
    stop: ".",
    directories: [
        ("Gouden Gids", "https://www.goudengids.nl/nl/zoeken/"),
        ("Tripadvisor", "https://www.tripadvisor.nl/Search?q="),
        ("Trustpilot", "https://nl.trustpilot.com/search?query="),
        ("Yelp", "https://www.yelp.nl/search?find_desc="),
    ],
    media: [
        (
            "Hebben jullie tips? : r/thenetherlands",
            "https://www.reddit.com/r/thenetherlands/comments/1d6t5pj/hebben_jullie_tips/",
        ),
        ("Wikipedia", "https://nl.wikipedia.org/wiki/Consument"),
        (
            "Wat buurtbewoners zeggen - YouTube",
            "https://www.youtube.com/watch?v=s4ndb0xN4nl",
        ),
        ("Facebookgroep", "https://www.facebook.com/groups/lokaletips/"),
    ],
};
