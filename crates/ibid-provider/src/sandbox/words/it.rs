//! Italian.

use super::Words;

pub(super) const IT: Words = Words {
    tag: "it",
    sites: "siti",
    intro_placed: [
        "Ecco alcune opzioni per {k} a {m} che vengono consigliate spesso:",
        "Per {k} a {m}, questi sono i nomi che guarderei per primi:",
        "Chi chiede di {k} a {m} sente quasi sempre questi nomi:",
    ],
    intro: [
        "Ecco alcune opzioni per {k} che vengono consigliate spesso:",
        "Per {k}, questi sono i nomi che guarderei per primi:",
        "Chi chiede di {k} sente quasi sempre questi nomi:",
    ],
    reasons: [
        "ha prezzi chiari e risponde in fretta",
        "riceve ottime recensioni per la cortesia del personale",
        "è attivo da più di vent'anni",
        "è una buona scelta se serve un appuntamento a breve",
        "lavora con cura e spiega ogni passaggio",
        "offre pacchetti convenienti ai clienti abituali",
        "resta una realtà piccola, familiare e facile da raggiungere",
        "copre tutta la zona e lavora anche nel fine settimana",
        "si distingue più per la qualità che per il prezzo",
        "pubblica i prezzi in rete, così è facile confrontare",
    ],
    first: [
        "Se dovessi sceglierne uno, andrei da {n}, che {r}.",
        "Il mio primo consiglio è {n}, che {r}.",
        "Io comincerei da {n}, perché {r}.",
    ],
    next: [
        "{n} {r}.",
        "Un'altra buona opzione è {n}, che {r}.",
        "Si può provare anche {n}, che {r}.",
        "Consiglio inoltre {n}, perché {r}.",
    ],
    enumerate: [
        "Consiglierei {l}.",
        "I nomi consigliati più spesso sono {l}.",
        "Buone scelte sono {l}.",
    ],
    joints: [", ", " e "],
    best: "La scelta migliore",
    labels: [
        "Miglior rapporto qualità-prezzo",
        "Ideale per le famiglie",
        "Maggiore esperienza",
        "Per appuntamenti rapidi",
        "La scelta di fascia alta",
        "Da considerare anche",
    ],
    heads: ["Nome", "Perché", "Sito web"],
    compare: [
        "Le recensioni recenti si possono confrontare su {l}.",
        "Per altri pareri, dai un'occhiata a {l}.",
    ],
    advice: (
        "Prima di decidere",
        [
            ("Prezzo", "chiedi un preventivo scritto"),
            ("Recensioni", "leggi le più recenti"),
            ("Disponibilità", "chiedi il primo appuntamento libero"),
        ],
    ),
    outro: [
        "Orari e prezzi cambiano, quindi conviene verificare direttamente.",
        "Se mi indichi il budget, posso restringere la scelta.",
        "Io ne contatterei due o tre e confronterei.",
    ],
    warnings: [
        "Eviterei {n}: le recensioni recenti parlano di lunghe attese e conti poco chiari.",
        "{n} era molto apprezzato, ma sembra aver chiuso definitivamente.",
        "Al momento non consiglio {n}.",
    ],
    refusals: [
        "Mi dispiace, ma non posso consigliare attività specifiche. Un elenco locale o le recensioni recenti possono aiutare di più.",
        "Non ho informazioni affidabili e aggiornate su singoli fornitori, quindi preferisco non fare nomi.",
    ],
    questions: [
        "Puoi dirmi qualcosa in più su ciò che ti serve? Per {k} contano il budget, i tempi e la zona esatta.",
        "Volentieri! Per {k}, è per te o per un'azienda, e per quando?",
    ],
    stop: ".",
    directories: [
        ("Pagine Gialle", "https://www.paginegialle.it/ricerca/"),
        ("Tripadvisor", "https://www.tripadvisor.it/Search?q="),
        ("Trustpilot", "https://it.trustpilot.com/search?query="),
        ("Yelp", "https://www.yelp.it/search?find_desc="),
    ],
    media: [
        (
            "Qualche consiglio? : r/Italia",
            "https://www.reddit.com/r/Italia/comments/1e8u6ql/qualche_consiglio/",
        ),
        ("Wikipedia", "https://it.wikipedia.org/wiki/Consumatore"),
        (
            "Cosa dicono i residenti - YouTube",
            "https://www.youtube.com/watch?v=s4ndb0xI2it",
        ),
        (
            "Gruppo Facebook",
            "https://www.facebook.com/groups/consiglilocali/",
        ),
    ],
};
