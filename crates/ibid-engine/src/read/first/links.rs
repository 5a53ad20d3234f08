//! Links in an answer: where they stand and which host they lead to.

use ibid_model::Citation;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;
use url::Url;

use crate::read::LinkKind;

/// A link.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) kind: LinkKind,
    /// Lower case, ASCII form, without `www.`.
    pub(crate) host: String,
    pub(crate) url: String,
    /// Where it stands in the answer; empty for sources beside the text.
    pub(crate) span: Range<usize>,
    /// The visible text of a Markdown link.
    pub(crate) anchor: Option<Range<usize>>,
}

/// Most links looked at in one answer.
const MOST: usize = 200;

#[expect(clippy::expect_used, reason = "a literal pattern compiles, as the tests show")]
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        \[(?P<anchor>[^\[\]\n]+)\]\((?P<target>https?://[^\s()<>]+(?:\([^\s()]*\))?[^\s()<>]*)[^()\n]*\)
        | (?P<url>https?://[^\s<>"'`\]\)|]+)
        | (?P<host>(?:[\p{L}\p{N}][\p{L}\p{N}-]*\.)+[a-zA-Z]{2,24}\b)
        "#,
    )
    .expect("a literal pattern")
});

/// All links of a text, in order; code is skipped.
pub(crate) fn links(text: &str, skip: impl Fn(usize) -> bool) -> Vec<Link> {
    let mut links = Vec::new();
    for found in LINK.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        if links.len() >= MOST {
            break;
        }
        if skip(whole.start()) {
            continue;
        }
        let link = if let (Some(anchor), Some(target)) = (found.name("anchor"), found.name("target")) {
            of_url(
                LinkKind::Markdown,
                target.as_str(),
                whole.range(),
                Some(anchor.range()),
            )
        } else if let Some(url) = found.name("url") {
            of_url(
                LinkKind::Url,
                url.as_str()
                    .trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']),
                whole.range(),
                None,
            )
        } else {
            of_host(text, whole.range())
        };
        links.extend(link);
    }
    links
}

/// The sources beside the text.
pub(crate) fn sources(citations: &[Citation]) -> Vec<Link> {
    citations
        .iter()
        .take(100)
        .filter_map(|citation| {
            let mut link = of_url(LinkKind::Annotation, &citation.url, 0..0, None)?;
            // Redirecting addresses hide the site; its bare name is in the title.
            if link.host.ends_with("vertexaisearch.cloud.google.com") {
                link.host = host_of(&format!("http://{}", citation.title.as_deref()?.trim()))?;
            }
            Some(link)
        })
        .collect()
}

fn of_url(kind: LinkKind, url: &str, span: Range<usize>, anchor: Option<Range<usize>>) -> Option<Link> {
    let url = unwrap_redirect(url).unwrap_or_else(|| url.to_owned());
    Some(Link {
        kind,
        host: host_of(&url)?,
        url,
        span,
        anchor,
    })
}

fn of_host(text: &str, span: Range<usize>) -> Option<Link> {
    let before = text.get(..span.start)?.chars().next_back();
    if before.is_some_and(|c| matches!(c, '@' | '/' | '.' | '-' | '_')) {
        return None;
    }
    let written = text.get(span.clone())?;
    let host = host_of(&format!("http://{written}"))?;
    // A host name ends in a known public suffix; "e.g" and "Node.js" do not count.
    let known = psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known());
    let looks_like_prose = written.chars().next().is_some_and(char::is_uppercase)
        && written.chars().filter(|c| *c == '.').count() == 1;
    if !known
        || (looks_like_prose
            && !matches!(
                host.rsplit('.').next(),
                Some("com" | "net" | "org" | "io" | "de" | "ai" | "co")
            ))
    {
        return None;
    }
    Some(Link {
        kind: LinkKind::Host,
        host,
        url: written.to_owned(),
        span,
        anchor: None,
    })
}

/// The host of an address, ready to compare.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.domain()?.trim_end_matches('.').to_ascii_lowercase();
    Some(host.strip_prefix("www.").unwrap_or(&host).to_owned()).filter(|host| host.contains('.'))
}

/// The address behind a redirector that carries it in a parameter.
fn unwrap_redirect(url: &str) -> Option<String> {
    let parsed = Url::parse(url).ok()?;
    let host = parsed.domain()?;
    let google = host.starts_with("www.google.") && parsed.path() == "/url";
    let facebook = host == "l.facebook.com" || host == "lm.facebook.com";
    let duck = host == "duckduckgo.com" && parsed.path().starts_with("/l");
    if !(google || facebook || duck) {
        return None;
    }
    let inner = parsed
        .query_pairs()
        .find(|(name, _)| matches!(&**name, "url" | "q" | "u" | "uddg"))?;
    inner.1.starts_with("http").then(|| inner.1.into_owned())
}

/// The registrable domain of a host.
pub(crate) fn registrable(host: &str) -> &str {
    psl::domain_str(host).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> Vec<String> {
        links(text, |_| false).into_iter().map(|link| link.host).collect()
    }

    #[test]
    fn links_of_every_kind() {
        assert_eq!(
            hosts("See [Rival](https://www.rival.com/a_(b)) now"),
            ["rival.com"]
        );
        assert_eq!(hosts("See https://shop.rival.co.uk/x?y=1."), ["shop.rival.co.uk"]);
        assert_eq!(hosts("Look at rival.com, or mail me@other.com"), ["rival.com"]);
        assert_eq!(
            hosts("https://www.google.com/url?q=https://rival.com/&sa=1"),
            ["rival.com"]
        );
        assert!(hosts("e.g. the 3.5 in Node.js. Then").is_empty());
    }

    #[test]
    fn a_redirecting_source_is_known_by_its_title() {
        let redirect = Citation {
            url: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/x".into(),
            title: Some("rival.com".into()),
            span: None,
        };
        assert_eq!(sources(&[redirect])[0].host, "rival.com");
    }
}
