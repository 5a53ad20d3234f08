//! Feeds of a project. They have no byte order mark, because the programs that read them know the encoding from the header.

use super::writer::Writer;

/// Counts of a day.
#[derive(Clone, Copy, Debug)]
pub struct FeedLine<'a> {
    /// The UTC day, as an ISO date.
    pub date: &'a str,
    pub keyword: &'a str,
    /// The place; empty without one.
    pub place: &'a str,
    /// The language; empty for that of the place.
    pub language: &'a str,
    /// The model or the question.
    pub part: &'a str,
    /// Runs, answers, those that cite, link, rest on a search; providers that they name.
    pub counts: [u64; 6],
    /// Sum of the scores, each from 0 to 100.
    pub score_sum: f64,
}

/// A site that answers use.
#[derive(Clone, Copy, Debug)]
pub struct FeedSource<'a> {
    pub site: &'a str,
    pub kind: &'a str,
    /// Answers that use or cite it, those that cite it, and those of them that cite the website, too.
    pub counts: [u32; 3],
}

/// Counts by day, and by the part that `part` names, such as `model`.
pub fn feed_counts<'a>(
    domain: &str,
    part: Option<&str>,
    lines: impl IntoIterator<Item = FeedLine<'a>>,
) -> String {
    let mut writer = Writer::bare();
    let parts = ["date", "domain", "keyword", "place", "language"];
    let counts = [
        "runs",
        "answers",
        "citedAnswers",
        "linkedAnswers",
        "searchedAnswers",
        "namedProviders",
        "scoreSum",
    ];
    let names: Vec<&str> = parts.into_iter().chain(part).chain(counts).collect();
    writer.head(&names);
    for line in lines {
        writer.plain(line.date);
        for text in [domain, line.keyword, line.place, line.language] {
            writer.text(text);
        }
        if part.is_some() {
            writer.text(line.part);
        }
        for count in line.counts {
            writer.plain(count);
        }
        writer.number(Some(line.score_sum));
        writer.end();
    }
    writer.text
}

/// Writes the sites that the answers of a run use and cite. `of` counts its answers.
pub fn feed_sources<'a>(
    domain: &str,
    run: Option<(&str, &str)>,
    of: u32,
    sites: impl IntoIterator<Item = FeedSource<'a>>,
) -> String {
    let mut writer = Writer::bare();
    writer.head(&[
        "date",
        "domain",
        "scanId",
        "site",
        "kind",
        "siteAnswers",
        "siteCitedAnswers",
        "siteOwnAnswers",
        "answers",
    ]);
    let Some((date, scan)) = run else {
        return writer.text;
    };
    for site in sites {
        writer.plain(date);
        writer.text(domain);
        writer.plain(scan);
        writer.text(site.site);
        writer.plain(site.kind);
        for count in site.counts {
            writer.plain(count);
        }
        writer.plain(of);
        writer.end();
    }
    writer.text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_has_plain_numbers_and_no_formula() {
        let line = FeedLine {
            date: "2026-11-26",
            keyword: "plumber",
            place: "",
            language: "",
            part: "=1+1",
            counts: [1, 2, 1, 0, 0, 4],
            score_sum: 110.5,
        };
        assert_eq!(
            feed_counts("a.example", Some("question"), [line]),
            "date,domain,keyword,place,language,question,runs,answers,citedAnswers,linkedAnswers,searchedAnswers,\
             namedProviders,scoreSum\r\n2026-11-26,\"a.example\",\"plumber\",\"\",\"\",\"'=1+1\",1,2,1,0,0,4,110.5\r\n"
        );
        let site = FeedSource {
            site: "b.example",
            kind: "directory",
            counts: [3, 2, 1],
        };
        let sheet = feed_sources("a.example", Some(("2026-11-26", "s")), 8, [site]);
        assert!(
            sheet.ends_with("2026-11-26,\"a.example\",s,\"b.example\",directory,3,2,1,8\r\n"),
            "{sheet}"
        );
        assert_eq!(feed_sources("a.example", None, 0, []).lines().count(), 1);
    }
}
