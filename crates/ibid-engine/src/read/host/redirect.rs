//! Addresses that only lead to others.

use crate::read::words::{List, list};
use url::Url;

/// Redirectors inside redirectors that are followed.
const DEEPEST: usize = 3;

/// Where known redirectors lead; `None` if a redirector has no destination.
pub(super) fn unwrap(url: Url) -> Option<Url> {
    let mut url = url;
    for _ in 0..DEEPEST {
        match inner(&url) {
            Some(next) => url = super::parse(&next)?,
            None => break,
        }
    }
    Some(url)
}

/// Whether an address is a page of search results, or a redirector's without a destination: its host is no source.
pub(super) fn hides(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches("www.");
    static ENGINES: List = list("redirect.engines");
    let asked = || {
        let mut pairs = url.query_pairs();
        pairs.any(|(name, _)| matches!(&*name, "q" | "p" | "query" | "text" | "wd"))
    };
    let engine = ENGINES.iter().any(|engine| host.starts_with(engine));
    engine
        && (url.path() == "/url"
            || matches!(url.path(), "/" | "/search" | "/search/" | "/html/" | "/s") && asked())
}

/// The address a redirector carries.
fn inner(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_start_matches("www.");
    let path = url.path();
    let query = |names: &[&str]| {
        url.query_pairs()
            .find(|(name, value)| names.contains(&&**name) && value.contains('.'))
            .map(|(_, value)| value.into_owned())
    };
    let google = host.split('.').next() == Some("google") && host.len() <= "google.com.br".len();
    match host {
        _ if google && path == "/url" => query(&["q", "url"]),
        _ if google && path.starts_with("/amp/s/") => {
            path.strip_prefix("/amp/s/").map(|rest| format!("https://{rest}"))
        }
        _ if google && path.starts_with("/amp/") => {
            path.strip_prefix("/amp/").map(|rest| format!("http://{rest}"))
        }
        "l.facebook.com" | "lm.facebook.com" | "l.instagram.com" => query(&["u"]),
        "duckduckgo.com" if path.starts_with("/l/") => query(&["uddg"]),
        "out.reddit.com" | "slack-redir.net" | "exit.sc" => query(&["url"]),
        "youtube.com" if path == "/redirect" => query(&["q"]),
        "linkedin.com" if path.starts_with("/redir") => query(&["url"]),
        "t.umblr.com" => query(&["z"]),
        "vk.com" if path == "/away.php" => query(&["to"]),
        "steamcommunity.com" if path.starts_with("/linkfilter") => query(&["u", "url"]),
        "translate.google.com" if path == "/translate" => query(&["u"]),
        "proxy.duckduckgo.com" => query(&["u"]),
        // A reader has the address as its path, some without the scheme.
        "r.jina.ai" | "12ft.io" => {
            let rest = url.as_str().split_once(host)?.1.trim_start_matches('/');
            Some(rest.to_owned()).filter(|rest| rest.contains('.'))
        }
        "href.li" | "nullrefer.com" => url.query().map(str::to_owned),
        "urldefense.com" => path.split_once("__").map(|(_, rest)| {
            rest.split("__;")
                .next()
                .unwrap_or(rest)
                .trim_end_matches('_')
                .to_owned()
        }),
        // A cached page: `/c/s/www.acme.com/a`, with `s` for https.
        _ if host.ends_with(".cdn.ampproject.org")
            || host == "cdn.ampproject.org"
            || host.ends_with(".bing-amp.com") =>
        {
            let rest = ["/c/", "/v/", "/i/", "/wp/"]
                .iter()
                .find_map(|kind| path.strip_prefix(kind))?;
            let rest = rest.strip_prefix("s/").unwrap_or(rest);
            Some(format!("https://{rest}"))
        }
        "web.archive.org" => path.split_once("/http").map(|(_, rest)| format!("http{rest}")),
        _ if host.ends_with(".safelinks.protection.outlook.com") => query(&["url"]),
        _ if host.ends_with(".translate.goog") => host.strip_suffix(".translate.goog").map(untranslate),
        _ => None,
    }
}

/// `acme--shop-com` is `acme-shop.com`.
fn untranslate(label: &str) -> String {
    let host = label
        .replace("--", "\u{0}")
        .replace('-', ".")
        .replace('\u{0}', "-");
    format!("https://{host}")
}
