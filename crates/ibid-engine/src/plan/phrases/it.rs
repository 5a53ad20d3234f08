//! Italian.

use super::Phrases;

pub(super) const IT: Phrases = Phrases {
    tag: "it",
    placed: [
        "Quali opzioni di {k} consigli a {m}? Indicane diverse e spiega perché.",
        "Quali sono le migliori opzioni per {k} a {m}? Comincia dalla migliore.",
        "Quali siti web useresti per {k} a {m}?",
        "Indica le aziende che prenderesti in considerazione per {k} a {m}.",
        "Ho bisogno di {k} a {m}. Chi dovrei contattare?",
        "Chi offre {k} a {m} ed è affidabile? Fai qualche nome e spiega.",
        "Chi offre {k} con un buon rapporto qualità-prezzo a {m}? Fai dei nomi.",
        "Sono a {m} e cerco {k} nelle vicinanze. Quali posti suggerisci?",
        "Quali alternative ci sono se cerco {k} a {m}? Indica quelle che conosci.",
        "Confronta i principali fornitori di {k} a {m}. Chi è bravo in che cosa?",
    ],
    placeless: [
        "Quali opzioni di {k} consigli? Indicane diverse e spiega perché.",
        "Quali sono le migliori opzioni per {k}? Comincia dalla migliore.",
        "Quali siti web useresti per {k}?",
        "Indica le aziende che prenderesti in considerazione per {k}.",
        "Ho bisogno di {k}. Chi dovrei contattare?",
        "Chi offre {k} ed è affidabile? Fai qualche nome e spiega.",
        "Chi offre {k} con un buon rapporto qualità-prezzo? Fai dei nomi.",
        "Cerco {k}. Quali suggerisci?",
        "Quali alternative ci sono se cerco {k}? Indica quelle che conosci.",
        "Confronta i principali fornitori di {k}. Chi è bravo in che cosa?",
    ],
    qualities: [
        "{k} a prezzi ragionevoli",
        "{k} con ottime recensioni",
        "{k} di fiducia",
        "{k} con esperienza",
        "{k} a conduzione familiare",
        "{k} di alta gamma",
        "{k} con buone referenze",
        "{k} di lunga tradizione",
        "{k} facile da raggiungere",
    ],
    segments: [
        "{k} per famiglie",
        "{k} per piccole imprese",
        "{k} per principianti",
        "{k} per professionisti",
        "{k} per studenti",
        "{k} con poco preavviso",
    ],
};
