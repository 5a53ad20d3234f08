//! German.

use super::Words;

pub(super) const DE: Words = Words {
    tag: "de",
    sites: "websites",
    intro_placed: [
        "Für {k} in {m} werden immer wieder diese Adressen genannt:",
        "Wenn Sie {k} in {m} suchen, würde ich mir diese Anbieter zuerst ansehen:",
        "Wer sich nach {k} in {m} umhört, bekommt meist diese Namen zu hören:",
    ],
    intro: [
        "Für {k} werden immer wieder diese Adressen genannt:",
        "Wenn Sie {k} suchen, würde ich mir diese Anbieter zuerst ansehen:",
        "Wer sich nach {k} umhört, bekommt meist diese Namen zu hören:",
    ],
    reasons: [
        "nennt klare Preise und antwortet schnell",
        "bekommt durchweg gute Bewertungen für das freundliche Team",
        "ist seit mehr als zwanzig Jahren am Markt",
        "ist eine gute Wahl, wenn es schnell gehen soll",
        "arbeitet sorgfältig und erklärt jeden Schritt",
        "bietet faire Pakete für Stammkunden",
        "ist klein, persönlich und gut zu erreichen",
        "deckt die ganze Region ab und arbeitet auch am Wochenende",
        "überzeugt eher mit Qualität als mit dem Preis",
        "veröffentlicht die Preise im Netz, was den Vergleich erleichtert",
    ],
    first: [
        "Meine erste Empfehlung ist {n}: Der Anbieter {r}.",
        "Wenn ich mich für einen entscheiden müsste, wäre es {n}. Das Team {r}.",
        "Ich würde mit {n} anfangen. Der Betrieb {r}.",
    ],
    next: [
        "{n} {r}.",
        "Ebenfalls empfehlenswert: {n} {r}.",
        "Eine gute Alternative ist {n}; das Team {r}.",
        "Empfehlen kann ich auch {n}. Der Betrieb {r}.",
    ],
    enumerate: [
        "Empfehlen würde ich {l}.",
        "Am häufigsten empfohlen werden {l}.",
        "Gute Adressen sind {l}.",
    ],
    joints: [", ", " und "],
    best: "Bester Gesamteindruck",
    labels: [
        "Bestes Preis-Leistungs-Verhältnis",
        "Gut für Familien",
        "Die meiste Erfahrung",
        "Für schnelle Termine",
        "Die gehobene Wahl",
        "Auch einen Blick wert",
    ],
    heads: ["Name", "Warum", "Website"],
    compare: [
        "Aktuelle Bewertungen finden Sie auf {l}.",
        "Weitere Meinungen gibt es auf {l}.",
    ],
    advice: (
        "Bevor Sie sich entscheiden",
        [
            ("Preis", "lassen Sie sich ein schriftliches Angebot geben"),
            ("Bewertungen", "lesen Sie vor allem die neuesten"),
            ("Verfügbarkeit", "fragen Sie nach dem nächsten freien Termin"),
        ],
    ),
    outro: [
        "Öffnungszeiten und Preise ändern sich, fragen Sie am besten direkt nach.",
        "Wenn Sie mir Ihr Budget nennen, kann ich die Auswahl eingrenzen.",
        "Ich würde zwei oder drei anfragen und vergleichen.",
    ],
    warnings: [
        "Von {n} würde ich abraten: Neuere Bewertungen berichten von langen Wartezeiten und unklaren Rechnungen.",
        "{n} war früher beliebt, ist aber offenbar dauerhaft geschlossen.",
        "{n} kann ich derzeit nicht empfehlen.",
    ],
    refusals: [
        "Es tut mir leid, aber ich kann keine einzelnen Unternehmen empfehlen. Ein Branchenverzeichnis oder aktuelle Bewertungen helfen Ihnen weiter.",
        "Mir liegen keine verlässlichen, aktuellen Informationen über einzelne Anbieter vor, deshalb nenne ich lieber keine.",
    ],
    questions: [
        "Können Sie mir etwas mehr darüber sagen, was Sie brauchen? Bei {k} kommt es auf Budget, Zeitraum und genauen Ort an.",
        "Gern helfe ich Ihnen bei {k}. Geht es um Sie selbst oder um ein Unternehmen, und bis wann brauchen Sie es?",
    ],
    stop: ".",
    directories: [
        ("Gelbe Seiten", "https://www.gelbeseiten.de/suche/"),
        ("Tripadvisor", "https://www.tripadvisor.de/Search?q="),
        ("Trustpilot", "https://de.trustpilot.com/search?query="),
        ("Yelp", "https://www.yelp.de/search?find_desc="),
    ],
    media: [
        (
            "Habt ihr Empfehlungen? : r/FragReddit",
            "https://www.reddit.com/r/FragReddit/comments/1h3z8tw/habt_ihr_empfehlungen/",
        ),
        ("Wikipedia", "https://de.wikipedia.org/wiki/Kundenbewertung"),
        (
            "Was Einheimische sagen - YouTube",
            "https://www.youtube.com/watch?v=s4ndb0xD3de",
        ),
        ("Facebook-Gruppe", "https://www.facebook.com/groups/tippsvorort/"),
    ],
};
