//! French.

use super::Words;

pub(super) const FR: Words = Words {
    tag: "fr",
    sites: "sites",
    intro_placed: [
        "Voici quelques adresses pour {k} à {m} qui reviennent souvent :",
        "Pour {k} à {m}, voici les noms que je regarderais en premier :",
        "Quand on cherche {k} à {m}, ce sont surtout ces noms qui reviennent :",
    ],
    intro: [
        "Voici quelques adresses pour {k} qui reviennent souvent :",
        "Pour {k}, voici les noms que je regarderais en premier :",
        "Quand on cherche {k}, ce sont surtout ces noms qui reviennent :",
    ],
    reasons: [
        "affiche des prix clairs et répond vite",
        "reçoit de très bons avis pour son accueil",
        "existe depuis plus de vingt ans",
        "est un bon choix si vous avez besoin d'un rendez-vous rapidement",
        "travaille avec soin et explique chaque étape",
        "propose des formules avantageuses aux clients réguliers",
        "reste une petite structure, proche et facile à joindre",
        "couvre tout le secteur et travaille aussi le week-end",
        "se distingue par la qualité plus que par le prix",
        "publie ses tarifs en ligne, ce qui facilite la comparaison",
    ],
    first: [
        "Si je devais en choisir un seul, ce serait {n}, qui {r}.",
        "Ma première recommandation est {n}, qui {r}.",
        "Je commencerais par {n} : l'équipe {r}.",
    ],
    next: [
        "{n} {r}.",
        "Une autre bonne option est {n}, qui {r}.",
        "Vous pouvez aussi essayer {n} ; la maison {r}.",
        "Je recommande également {n}, qui {r}.",
    ],
    enumerate: [
        "Je recommanderais {l}.",
        "Les noms les plus souvent recommandés sont {l}.",
        "Parmi les bonnes adresses, on trouve {l}.",
    ],
    joints: [", ", " et "],
    best: "Le meilleur choix",
    labels: [
        "Le meilleur rapport qualité-prix",
        "Idéal pour les familles",
        "Le plus expérimenté",
        "Pour un rendez-vous rapide",
        "Le choix haut de gamme",
        "À considérer aussi",
    ],
    heads: ["Nom", "Pourquoi", "Site web"],
    compare: [
        "Vous pouvez comparer les avis récents sur {l}.",
        "Pour d'autres avis, consultez {l}.",
    ],
    advice: (
        "Avant de vous décider",
        [
            ("Prix", "demandez un devis écrit"),
            ("Avis", "lisez surtout les plus récents"),
            ("Disponibilité", "vérifiez les délais"),
        ],
    ),
    outro: [
        "Les horaires et les tarifs changent : mieux vaut vérifier directement auprès d'eux.",
        "Si vous m'indiquez votre budget, je peux affiner la liste.",
        "Je contacterais deux ou trois d'entre eux pour comparer.",
    ],
    warnings: [
        "J'éviterais {n} : les avis récents parlent de longues attentes et de factures peu claires.",
        "{n} était très apprécié, mais semble avoir fermé définitivement.",
        "Je ne recommande pas {n} en ce moment.",
    ],
    refusals: [
        "Je suis désolé, mais je ne peux pas recommander d'entreprises précises. Un annuaire local ou des avis récents vous aideront davantage.",
        "Je n'ai pas d'informations fiables et à jour sur des prestataires précis, je préfère donc n'en citer aucun.",
    ],
    questions: [
        "Pouvez-vous m'en dire un peu plus sur votre besoin ? Pour {k}, le budget, les délais et le quartier comptent beaucoup.",
        "Je vous aide volontiers pour {k}. Est-ce pour vous ou pour une entreprise, et pour quand ?",
    ],
    stop: ".",
    directories: [
        (
            "Pages Jaunes",
            "https://www.pagesjaunes.fr/annuaire/chercherlespros?quoiqui=",
        ),
        ("Tripadvisor", "https://www.tripadvisor.fr/Search?q="),
        ("Trustpilot", "https://fr.trustpilot.com/search?query="),
        ("Yelp", "https://www.yelp.fr/search?find_desc="),
    ],
    media: [
        (
            "Des recommandations ? : r/AskFrance",
            "https://www.reddit.com/r/AskFrance/comments/1g5w4rm/des_recommandations/",
        ),
        ("Wikipédia", "https://fr.wikipedia.org/wiki/Consommateur"),
        (
            "L'avis des habitants - YouTube",
            "https://www.youtube.com/watch?v=s4ndb0xF7fr",
        ),
        (
            "Groupe Facebook",
            "https://www.facebook.com/groups/bonsplanslocaux/",
        ),
    ],
};
