//! English.

use super::Phrases;

pub(super) const EN: Phrases = Phrases {
    tag: "en",
    placed: [
        "Which {k} in {m} would you recommend? Name several and say why.",
        "What are the best options for {k} in {m}? Start with the best one.",
        "Which websites would you use for {k} in {m}?",
        "Name the companies you would consider for {k} in {m}.",
        "I need {k} in {m}. Who should I contact?",
        "Who offers {k} in {m} and can be trusted? Name a few and explain.",
        "Who offers good value for {k} in {m}? Please give names.",
        "I am in {m} and looking for {k} close by. Which places would you suggest?",
        "What are the alternatives when I want {k} in {m}? Name the ones you know.",
        "Compare the main providers of {k} in {m}. Who is good at what?",
    ],
    placeless: [
        "Which {k} would you recommend? Name several and say why.",
        "What are the best options for {k}? Start with the best one.",
        "Which websites would you use for {k}?",
        "Name the companies you would consider for {k}.",
        "I need {k}. Who should I contact?",
        "Who offers {k} and can be trusted? Name a few and explain.",
        "Who offers good value for {k}? Please give names.",
        "I am looking for {k}. Which ones would you suggest?",
        "What are the alternatives when I want {k}? Name the ones you know.",
        "Compare the main providers of {k}. Who is good at what?",
    ],
    qualities: [
        "affordable {k}",
        "best rated {k}",
        "reliable {k}",
        "experienced {k}",
        "independent {k}",
        "high-end {k}",
        "highly recommended {k}",
        "well-established {k}",
        "easy to reach {k}",
    ],
    segments: [
        "{k} for families",
        "{k} for small businesses",
        "{k} for beginners",
        "{k} for professionals",
        "{k} for students",
        "{k} at short notice",
    ],
};
