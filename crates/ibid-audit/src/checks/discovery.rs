//! B: can agents find the page, and identify it?

use super::codes;
use super::finding::{Finding, many};
use crate::escape::escape;
use crate::facts::Facts;
use crate::llms_txt::LlmsTxt;
use crate::page::SiteFile;
use crate::quote::{columns, quote, quote_to, sentences};
use crate::site_name::same_site;
use crate::sitemap::{Sitemap, SitemapKind};
use ibid_model::result::PageKind;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use url::Url;

/// B1: one absolute canonical that is this page.
pub(super) fn canonical(facts: &Facts<'_>) -> Finding {
    let all: Vec<_> = facts
        .head
        .links
        .iter()
        .filter(|link| link.is("canonical"))
        .collect();
    let counted: Vec<_> = all.iter().filter(|link| link.in_head).collect();
    let Some(first) = counted.first() else {
        return match all.first() {
            Some(link) => {
                Finding::warn("the canonical link stands in the body, where it is ignored").line(link.line)
            }
            None => {
                let url = facts.page.url.as_ref().map(without_fragment);
                let link = |url: Url| format!("<link rel=\"canonical\" href=\"{}\">", escape(url.as_str()));
                Finding::warn("there is no canonical link").add(url.map(link))
            }
        };
    };
    let place = if first.line == 0 {
        "header Link".to_owned()
    } else {
        format!("line {}", first.line)
    };
    let distinct: BTreeSet<&str> = counted.iter().map(|link| link.href.as_str()).collect();
    if distinct.len() > 1 {
        return Finding::fail(format!("{} different canonical links", distinct.len())).at(place);
    }
    let Ok(canonical) = Url::parse(&first.href) else {
        return Finding::warn(format!(
            "the canonical link is not absolute: {}",
            quote(&first.href)
        ))
        .at(place);
    };
    let Some(page) = &facts.page.url else {
        return Finding::pass(quote(canonical.as_str())).at(place);
    };
    let shown = quote(canonical.as_str());
    let finding = if plain(&canonical) == plain(page) {
        return Finding::pass(shown).at(place);
    } else if same_site(&canonical, page) {
        Finding::warn(format!("it names another address: {shown}"))
    } else {
        Finding::fail(format!("it names another host: {shown}"))
    };
    finding
        .advise(format!(
            "If {} is a page of its own, make the canonical link name it; if {} has the same text, leave it.",
            quote(without_fragment(page).as_str()),
            quote(canonical.as_str())
        ))
        .at(place)
}

/// What names the page: host and path, without scheme, `www.`, `index.html`, last slash, query and fragment.
///
/// The last parts are what canonical links are there to remove.
fn plain(url: &Url) -> (String, String) {
    let host = url.host_str().unwrap_or("");
    let host = host.strip_prefix("www.").unwrap_or(host);
    let path = url.path();
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let is_index = file.split('.').next() == Some("index");
    let path = if is_index {
        folder
    } else {
        path.trim_end_matches('/')
    };
    // Escapes are written in capitals or not.
    (host.to_owned(), path.to_ascii_lowercase())
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

/// B2: a sitemap that holds the page.
pub(super) fn sitemap(facts: &Facts<'_>) -> Finding {
    let site = &facts.page.site;
    let (Some(page), Some(address)) = (&facts.page.url, &site.sitemap_address) else {
        return Finding::na("no sitemap was asked for");
    };
    let place = quote(address.as_str());
    let answer = match &site.sitemap {
        SiteFile::NotAsked => return Finding::na("no sitemap was asked for"),
        SiteFile::Looping => return Finding::unknown("it redirects in a circle").at(place),
        SiteFile::Unreachable(reason) => {
            return Finding::unknown(format!("it could not be read: {reason}")).at(place);
        }
        SiteFile::Answer(answer) => answer,
    };
    match answer.status {
        200..=299 => {}
        429 | 500.. => return Finding::unknown(format!("status {}", answer.status)).at(place),
        status => return Finding::warn(format!("there is none (status {status})")).at(place),
    }
    let sitemap = answer.as_sitemap(page);
    match sitemap.kind {
        SitemapKind::Broken => {
            Finding::fail("it is not a sitemap: HTML, broken XML or another format").at(place)
        }
        SitemapKind::Pages | SitemapKind::Text if sitemap.holds_page => {
            let lastmod = sitemap
                .lastmod
                .map(|date| format!(", lastmod {date}"))
                .unwrap_or_default();
            Finding::pass(format!("it lists the page{lastmod}")).at(place)
        }
        SitemapKind::Pages | SitemapKind::Text if sitemap.truncated || answer.truncated => {
            // It costs no points, because a limit of this program is not the page's fault.
            Finding::info("it is too long to read whole, and the page is not in its beginning").at(place)
        }
        SitemapKind::Pages | SitemapKind::Text => {
            Finding::warn(format!("it lists {}, not this one", many(sitemap.urls, "page"))).at(place)
        }
        SitemapKind::Index => in_children(facts, page, &sitemap).at(place),
    }
}

fn in_children(facts: &Facts<'_>, page: &Url, index: &Sitemap) -> Finding {
    let read: Vec<Sitemap> = facts
        .page
        .site
        .sitemap_children
        .iter()
        .filter_map(SiteFile::answer)
        .filter(|answer| answer.status == 200)
        .map(|answer| {
            let sitemap = answer.as_sitemap(page);
            Sitemap {
                truncated: sitemap.truncated || answer.truncated,
                ..sitemap
            }
        })
        .collect();
    let listed = index.children.len();
    let found = format!("an index of {}", many(listed, "sitemap"));
    if read.iter().any(|child| child.holds_page) {
        Finding::pass(format!("{found}; one lists the page"))
    } else if read.len() < facts.page.site.sitemap_children.len() {
        let silent = facts.page.site.sitemap_children.len() - read.len();
        Finding::unknown(format!("{found}; {silent} of those asked did not answer"))
    } else if read.len() < listed || read.iter().any(|child| child.truncated) {
        // It costs no points, because a limit of this program is not the page's fault.
        Finding::info(format!("{found}; {} read, the page is not in them", read.len()))
    } else {
        Finding::warn(format!("{found}; none lists the page"))
    }
}

/// B3: alternates in other languages.
pub(super) fn hreflang(facts: &Facts<'_>) -> Finding {
    let all: Vec<_> = facts
        .head
        .links
        .iter()
        .filter(|link| link.is("alternate"))
        .filter_map(|link| Some((link, link.hreflang.as_deref()?)))
        .collect();
    if all.is_empty() {
        return Finding::na("the page names no alternates in other languages");
    }
    for (link, code) in &all {
        if let Some(problem) = codes::hreflang_problem(code) {
            return Finding::fail(format!("“{}” {problem}", quote(code))).line(link.line);
        }
        if Url::parse(&link.href).is_err() {
            return Finding::fail(format!("the address for {} is not absolute", quote(code))).line(link.line);
        }
    }
    if let Some(page) = &facts.page.url {
        let own = all.iter().any(|(link, _)| {
            Url::parse(&link.href).is_ok_and(|url| without_fragment(&url) == without_fragment(page))
        });
        if !own {
            return Finding::fail(format!(
                "{}, but none for this address",
                many(all.len(), "alternate")
            ))
            .line(all[0].0.line);
        }
    }
    Finding::pass(many(all.len(), "alternate"))
}

/// A title and a description as wide as this serve a reader well enough; in columns.
///
/// The advice names 70, and 50 to 320, because a change by a few columns is not worth the work.
const TITLE: RangeInclusive<usize> = 10..=80;
const DESCRIPTION: RangeInclusive<usize> = 40..=350;

/// A title without the name of the site at its end.
pub(super) fn subject(title: &str) -> &str {
    [" | ", " - ", " – ", " — ", " · ", " « ", " » "]
        .iter()
        .filter_map(|mark| title.rsplit_once(mark))
        .map(|(subject, _)| subject)
        .filter(|subject| columns(subject) >= *TITLE.start())
        .min_by_key(|subject| columns(subject).abs_diff(*TITLE.end()))
        .unwrap_or(title)
}

/// B4: title and description in a length that is shown whole.
///
/// A site's name at a title's end does not count.
pub(super) fn title(facts: &Facts<'_>) -> Finding {
    let Some((title, line)) = facts.title() else {
        let heading = facts.heading();
        return Finding::fail("there is no title")
            .advise("Add a title that names the subject.".to_owned())
            .add(heading.map(|(heading, _)| format!("<title>{}</title>", quote_to(heading, 120))));
    };
    let subject = subject(title);
    let width = columns(subject);
    let description = facts
        .head
        .meta(&["description"])
        .map(|meta| meta.content.as_str());
    let described = description.map(|text| columns(&quote_to(text, 1_000)));
    let text = match described {
        Some(width) => format!("description {width}"),
        None => "no description".to_owned(),
    };
    let found = format!("title {width} columns, {text}: “{}”", quote_to(subject, 100));
    if width < *TITLE.start() {
        let advice = "Name the subject, and the place if it matters, in 10 to 70 columns.";
        return Finding::warn(found).line(line).advise(advice.to_owned());
    }
    if width > *TITLE.end() {
        let finding = Finding::warn(found).line(line).advise(format!(
            "Shorten the title from {width} to 70 columns, its subject first: longer ones are cut."
        ));
        let cut = subject
            .rsplit_once([':', '–', '—', '|'])
            .map_or("", |(start, _)| start.trim());
        return match columns(cut) * 2 >= width && TITLE.contains(&columns(cut)) {
            true => finding.change(title, cut),
            false => finding,
        };
    }
    if described.is_some_and(|width| DESCRIPTION.contains(&width)) {
        return Finding::pass(found).line(line);
    }
    let is_long = described.is_some_and(|width| width > *DESCRIPTION.end());
    let advice = match described {
        None => "Add a description of 50 to 320 columns on what the page offers.".to_owned(),
        Some(width) if is_long => format!("Cut the description from {width} to 320 columns."),
        Some(width) => format!("Bring the description from {width} to 50 columns or more."),
    };
    let finding = Finding::warn(found).line(line).advise(advice);
    let reading = &facts.reading;
    let lead = || Some(reading.block_text(reading.lead_block()?));
    let source = description.filter(|_| is_long).or_else(lead);
    // Only whole sentences are taken, because a text that ends in the middle is no description.
    match source.and_then(|text| sentences(text, |part| DESCRIPTION.contains(&columns(part)))) {
        Some(part) => finding.change(
            description,
            format!("<meta name=\"description\" content=\"{}\">", escape(part)),
        ),
        None => finding,
    }
}

/// B5: llms.txt.
pub(super) fn llms_txt(facts: &Facts<'_>) -> Finding {
    let finding = match &facts.page.site.llms {
        SiteFile::NotAsked => Finding::na("llms.txt was not asked for"),
        SiteFile::Looping => Finding::unknown("it redirects in a circle"),
        SiteFile::Unreachable(reason) => Finding::unknown(format!("it could not be read: {reason}")),
        SiteFile::Answer(answer) if answer.status >= 500 => {
            Finding::fail(format!("status {}", answer.status))
        }
        SiteFile::Answer(answer) if !(200..300).contains(&answer.status) => {
            Finding::warn(format!("there is none (status {})", answer.status))
        }
        SiteFile::Answer(answer) if answer.looks_like_html() => Finding::fail("an HTML page was answered"),
        SiteFile::Answer(answer) if answer.body.iter().all(u8::is_ascii_whitespace) => {
            Finding::fail("the file is empty")
        }
        SiteFile::Answer(answer) => {
            let file = LlmsTxt::parse(&answer.body);
            match (file.problems.first(), crate::signs::orders_in(&answer.body)) {
                (_, Some(order)) => Finding::fail(format!("the file gives orders to models: “{order}”")),
                (None, None) if file.is_well_formed() && !answer.truncated => Finding::pass(format!(
                    "{}, {}",
                    many(file.sections as usize, "section"),
                    many(file.links as usize, "link")
                )),
                (None, None) => Finding::warn("no section links to anything"),
                (Some((line, problem)), None) => Finding::warn(format!("line {line}: {problem}")),
            }
        }
    };
    finding.at("/llms.txt")
}

/// B6: links into the site.
pub(super) fn internal_links(facts: &Facts<'_>) -> Finding {
    // A file has the address that it declares.
    let declared = facts.address();
    let base = facts.base.as_ref().or(declared.as_ref());
    let own = declared.as_ref().map(without_fragment);
    let distinct: BTreeSet<String> = facts
        .reading
        .links
        .iter()
        .filter(|link| !link.rel.split_ascii_whitespace().any(|word| word == "nofollow"))
        .filter_map(|link| match base {
            Some(base) => {
                let url = without_fragment(&base.join(link.href.trim()).ok()?);
                let inside = matches!(url.scheme(), "http" | "https")
                    && same_site(&url, base)
                    && Some(&url) != own.as_ref();
                inside.then(|| url.to_string())
            }
            None => relative_path(&link.href),
        })
        .collect();
    let page = own.as_ref().map_or("", Url::as_str);
    let is_part = |href: &str| {
        let part = href.trim_start_matches(page).strip_prefix('#');
        part.is_some_and(|part| part.len() > 1)
    };
    let links = facts.reading.links.iter();
    let parts = links.filter(|link| is_part(link.href.trim())).count();
    // Of a home page without a link to another page one link to a part is enough.
    let least = if facts.kind == PageKind::Home && distinct.is_empty() {
        1
    } else {
        3
    };
    match distinct.len() {
        0..3 if parts >= least => Finding::na("the menu leads to parts of this page: a site of one page"),
        0 => Finding::fail("no link leads into the site"),
        count @ (1 | 2) => Finding::warn(format!("{} into the site", many(count, "link"))),
        count => Finding::pass(format!("{} into the site", many(count, "link"))),
    }
}

/// For a page without an address, a relative link is a link into the site.
fn relative_path(href: &str) -> Option<String> {
    let path = href.trim().split('#').next().unwrap_or("");
    (!path.is_empty() && !path.contains(':') && !path.starts_with("//")).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use ibid_model::result::CheckStatus;

    #[test]
    fn a_site_of_one_page_needs_no_links_into_the_site() {
        let part = "<a href='/'>Firm</a> <a href='#services'>Services</a>";
        for (path, links, expected) in [
            ("", part, CheckStatus::Na),
            ("", "<a href='#'>Top</a>", CheckStatus::Fail),
            (
                "",
                "<a href='#services'>Services</a> <a href='/about'>About</a>",
                CheckStatus::Warn,
            ),
            ("pipes", "<a href='#note'>1</a>", CheckStatus::Fail),
        ] {
            let url = Url::parse(&format!("https://a.example/{path}")).ok();
            let page = Page::from_html(format!("<body>{links}</body>"), url, jiff::Timestamp::UNIX_EPOCH);
            assert_eq!(
                internal_links(&Facts::read(&page)).status,
                expected,
                "{path} {links}"
            );
        }
    }

    #[test]
    fn no_heading_is_made_of_a_title_that_fits_any_page() {
        for (title, expected) in [
            ("Startseite - Firm", false),
            ("Home - Firm", false),
            ("Roofs in Leeds - Firm", true),
        ] {
            let html = format!("<title>{title}</title><h2>Welcome to Firm</h2><p>We mend roofs.</p>");
            let page = Page::from_html(html, None, jiff::Timestamp::UNIX_EPOCH);
            let finding = super::super::structure::h1(&Facts::read(&page));
            let named = finding
                .advice
                .is_some_and(|advice| advice.contains(title.split(" - ").next().unwrap_or("")));
            assert_eq!(named, expected, "{title}");
        }
    }
}
