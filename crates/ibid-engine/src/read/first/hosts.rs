//! What kind of site a host is.

use ibid_model::result::CompetitorKind;

/// Directories, marketplaces and review sites, by registrable domain or first label.
const DIRECTORIES: [&str; 46] = [
    "yelp",
    "tripadvisor",
    "justdial",
    "amazon",
    "ebay",
    "etsy",
    "booking",
    "expedia",
    "thumbtack",
    "angi",
    "angieslist",
    "homeadvisor",
    "checkatrade",
    "trustpilot",
    "yellowpages",
    "gelbeseiten",
    "pagesjaunes",
    "paginasamarillas",
    "paginegialle",
    "goudengids",
    "g2",
    "capterra",
    "getapp",
    "softwareadvice",
    "clutch",
    "houzz",
    "opentable",
    "thefork",
    "lafourchette",
    "doctolib",
    "jameda",
    "habitissimo",
    "cronoshare",
    "instapro",
    "werkspot",
    "myhammer",
    "11880",
    "dasoertliche",
    "tabelog",
    "gnavi",
    "hotpepper",
    "kakaku",
    "rakuten",
    "idealista",
    "mercadolibre",
    "foursquare",
];
/// Press, encyclopaedias, forums, social networks and search.
const MEDIA: [&str; 44] = [
    "reddit",
    "wikipedia",
    "youtube",
    "quora",
    "facebook",
    "instagram",
    "linkedin",
    "tiktok",
    "twitter",
    "x",
    "pinterest",
    "medium",
    "forbes",
    "nytimes",
    "theguardian",
    "bbc",
    "cnn",
    "techradar",
    "pcmag",
    "cnet",
    "wired",
    "theverge",
    "timeout",
    "lonelyplanet",
    "eater",
    "michelin",
    "google",
    "bing",
    "github",
    "stackoverflow",
    "wikivoyage",
    "substack",
    "vice",
    "businessinsider",
    "lemonde",
    "lefigaro",
    "elpais",
    "elmundo",
    "spiegel",
    "zeit",
    "corriere",
    "repubblica",
    "nikkei",
    "note",
];

/// The kind of a registrable domain.
pub(crate) fn kind_of(domain: &str) -> CompetitorKind {
    let label = domain.split('.').next().unwrap_or(domain);
    if DIRECTORIES.contains(&label) {
        CompetitorKind::Directory
    } else if MEDIA.contains(&label) {
        CompetitorKind::Media
    } else {
        CompetitorKind::Rival
    }
}

/// The kind of a name that came without a link.
pub(crate) fn kind_of_name(squashed: &str) -> CompetitorKind {
    if squashed.len() > 1 {
        kind_of(squashed)
    } else {
        CompetitorKind::Rival
    }
}
