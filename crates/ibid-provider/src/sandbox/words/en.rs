//! English.

use super::Words;

pub(super) const EN: Words = Words {
    tag: "en",
    sites: "website",
    intro_placed: [
        "Here are some options for {k} in {m} that come up again and again:",
        "For {k} in {m}, these are the names I would look at first:",
        "Asking around for {k} in {m}, you will mostly hear these names:",
    ],
    intro: [
        "Here are some options for {k} that come up again and again:",
        "For {k}, these are the names I would look at first:",
        "Asking around for {k}, you will mostly hear these names:",
    ],
    reasons: [
        "has clear prices and answers quickly",
        "gets consistently good reviews for its friendly staff",
        "has been around for more than twenty years",
        "is a good choice if you need an appointment soon",
        "works carefully and explains every step",
        "offers fair packages for regular customers",
        "is small, personal and easy to reach",
        "covers the whole area and also works at weekends",
        "stands out for quality rather than for price",
        "publishes its prices online, which makes comparing easy",
    ],
    first: [
        "If I had to choose one, I would go with {n}: it {r}.",
        "My first recommendation is {n}, which {r}.",
        "I would start with {n}. It {r}.",
    ],
    next: [
        "{n} {r}.",
        "Another good option is {n}, which {r}.",
        "You could also try {n}; it {r}.",
        "I would recommend {n} as well: it {r}.",
    ],
    enumerate: [
        "I would recommend {l}.",
        "The names that people recommend most often are {l}.",
        "Good choices are {l}.",
    ],
    joints: [", ", " and "],
    best: "Best overall",
    labels: [
        "Best value",
        "Best for families",
        "Most experienced",
        "Best for quick appointments",
        "Best premium choice",
        "Also worth a look",
    ],
    heads: ["Name", "Why", "Website"],
    compare: [
        "You can compare recent reviews on {l}.",
        "For more opinions, have a look at {l}.",
    ],
    advice: (
        "Before you decide",
        [
            ("Price", "ask for a written quote"),
            ("Reviews", "read the most recent ones"),
            ("Availability", "check how soon they can help"),
        ],
    ),
    outro: [
        "Opening hours and prices change, so please check with them directly.",
        "If you tell me your budget, I can narrow this down.",
        "I would contact two or three of them and compare.",
    ],
    warnings: [
        "I would avoid {n}: recent reviews mention long waits and unclear bills.",
        "{n} used to be popular but seems to have closed permanently.",
        "I would not recommend {n} at the moment.",
    ],
    refusals: [
        "I'm sorry, but I can't recommend specific businesses. A local directory or recent reviews will help you further.",
        "I don't have reliable, up-to-date information about individual providers, so I'd rather not name any.",
    ],
    questions: [
        "Could you tell me a little more about what you need? For {k}, budget, timing and exact area all matter.",
        "Happy to help with {k}! Is this for yourself or for a business, and how soon do you need it?",
    ],
    stop: ".",
    directories: [
        ("Yelp", "https://www.yelp.com/search?find_desc="),
        ("Tripadvisor", "https://www.tripadvisor.com/Search?q="),
        ("Trustpilot", "https://www.trustpilot.com/search?query="),
        ("Yellow Pages", "https://www.yellowpages.com/search?search_terms="),
    ],
    media: [
        (
            "Any recommendations? : r/AskLocals",
            "https://www.reddit.com/r/AskLocals/comments/1k9x2qv/any_recommendations/",
        ),
        ("Wikipedia", "https://en.wikipedia.org/wiki/Consumer_review"),
        (
            "What locals say - YouTube",
            "https://www.youtube.com/watch?v=s4ndb0xA1bc",
        ),
        ("Facebook group", "https://www.facebook.com/groups/localtips/"),
    ],
};
