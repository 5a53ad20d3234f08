//! German.

use super::Phrases;

pub(super) const DE: Phrases = Phrases {
    tag: "de",
    placed: [
        "Welche Anbieter für {k} in {m} empfiehlst du? Nenne mehrere und begründe es.",
        "Was sind die besten Adressen für {k} in {m}? Beginne mit der besten.",
        "Welche Websites würdest du für {k} in {m} nutzen?",
        "Nenne die Unternehmen, die du für {k} in {m} in Betracht ziehen würdest.",
        "Ich brauche {k} in {m}. An wen soll ich mich wenden?",
        "Wer bietet {k} in {m} an und ist vertrauenswürdig? Nenne einige und erkläre es.",
        "Wer bietet {k} in {m} mit gutem Preis-Leistungs-Verhältnis an? Bitte Namen nennen.",
        "Ich bin in {m} und suche {k} in der Nähe. Welche Adressen schlägst du vor?",
        "Welche Alternativen gibt es, wenn ich {k} in {m} suche? Nenne die, die du kennst.",
        "Vergleiche die wichtigsten Anbieter für {k} in {m}. Wer ist worin gut?",
    ],
    placeless: [
        "Welche Anbieter für {k} empfiehlst du? Nenne mehrere und begründe es.",
        "Was sind die besten Adressen für {k}? Beginne mit der besten.",
        "Welche Websites würdest du für {k} nutzen?",
        "Nenne die Unternehmen, die du für {k} in Betracht ziehen würdest.",
        "Ich brauche {k}. An wen soll ich mich wenden?",
        "Wer bietet {k} an und ist vertrauenswürdig? Nenne einige und erkläre es.",
        "Wer bietet {k} mit gutem Preis-Leistungs-Verhältnis an? Bitte Namen nennen.",
        "Ich suche {k}. Welche Anbieter schlägst du vor?",
        "Welche Alternativen gibt es, wenn ich {k} suche? Nenne die, die du kennst.",
        "Vergleiche die wichtigsten Anbieter für {k}. Wer ist worin gut?",
    ],
    qualities: [
        "{k} zu fairen Preisen",
        "{k} mit sehr guten Bewertungen",
        "{k} mit zuverlässigem Service",
        "{k} mit viel Erfahrung",
        "{k} aus Familienbetrieb",
        "{k} im gehobenen Segment",
        "{k} mit guten Empfehlungen",
        "{k} mit langer Tradition",
        "{k} mit guter Erreichbarkeit",
    ],
    segments: [
        "{k} für Familien",
        "{k} für kleine Unternehmen",
        "{k} für Anfänger",
        "{k} für Profis",
        "{k} für Studierende",
        "{k} kurzfristig",
    ],
};
