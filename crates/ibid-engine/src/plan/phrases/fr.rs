//! French.

use super::Phrases;

pub(super) const FR: Phrases = Phrases {
    tag: "fr",
    placed: [
        "Quelles adresses recommandez-vous pour {k} à {m} ? Citez-en plusieurs et dites pourquoi.",
        "Quelles sont les meilleures options pour {k} à {m} ? Commencez par la meilleure.",
        "Quels sites web utiliseriez-vous pour {k} à {m} ?",
        "Citez les entreprises que vous envisageriez pour {k} à {m}.",
        "J'ai besoin de {k} à {m}. Qui dois-je contacter ?",
        "Qui propose {k} à {m} et mérite la confiance ? Citez quelques noms et expliquez.",
        "Qui propose {k} avec un bon rapport qualité-prix à {m} ? Donnez des noms.",
        "Je suis à {m} et je cherche {k} à proximité. Quelles adresses me conseillez-vous ?",
        "Quelles sont les alternatives pour {k} à {m} ? Citez celles que vous connaissez.",
        "Comparez les principaux prestataires pour {k} à {m}. Qui est bon en quoi ?",
    ],
    placeless: [
        "Quels prestataires recommandez-vous pour {k} ? Citez-en plusieurs et dites pourquoi.",
        "Quelles sont les meilleures options pour {k} ? Commencez par la meilleure.",
        "Quels sites web utiliseriez-vous pour {k} ?",
        "Citez les entreprises que vous envisageriez pour {k}.",
        "J'ai besoin de {k}. Qui dois-je contacter ?",
        "Qui propose {k} et mérite la confiance ? Citez quelques noms et expliquez.",
        "Qui propose {k} avec un bon rapport qualité-prix ? Donnez des noms.",
        "Je cherche {k}. Lesquels me conseillez-vous ?",
        "Quelles sont les alternatives pour {k} ? Citez celles que vous connaissez.",
        "Comparez les principaux prestataires pour {k}. Qui est bon en quoi ?",
    ],
    qualities: [
        "{k} à prix raisonnable",
        "{k} avec de très bons avis",
        "{k} de confiance",
        "{k} avec de l'expérience",
        "{k} sans intermédiaire",
        "{k} haut de gamme",
        "{k} avec de bonnes recommandations",
        "{k} de longue date",
        "{k} facile d'accès",
    ],
    segments: [
        "{k} pour les familles",
        "{k} pour les petites entreprises",
        "{k} pour les débutants",
        "{k} pour les professionnels",
        "{k} pour les étudiants",
        "{k} en urgence",
    ],
};
