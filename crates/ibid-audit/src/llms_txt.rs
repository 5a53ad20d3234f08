//! llms.txt by its public format: a title, an optional summary, free text, then sections of links.
//!
//! No study has measured an effect of this file on citation.
//! The audit gives it one point of a hundred.

use crate::limits::FEW;
use crate::quote::quote_to;
use url::Url;

/// Bytes above which the file is called too long for its purpose.
pub const MAX_BYTES: usize = 100_000;

/// What an llms.txt says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LlmsTxt {
    /// The H1, cut; `None` if the file does not begin with one.
    pub title: Option<String>,
    /// Whether a block quote follows the title.
    pub has_summary: bool,
    /// H2 sections.
    pub sections: u32,
    /// Links inside sections.
    pub links: u32,
    /// Links inside sections with an absolute http(s) address.
    pub absolute_links: u32,
    /// Departures from the format, at most a hundred, with 1-based lines.
    pub problems: Vec<(u32, &'static str)>,
    /// Bytes of the file.
    pub bytes: usize,
}

impl LlmsTxt {
    /// Reads a file. Never fails.
    ///
    /// ```
    /// use ibid_audit::llms_txt::LlmsTxt;
    ///
    /// let file = LlmsTxt::parse(b"# Acme\n\n> Tools.\n\n## Docs\n\n- [Guide](https://example.com/guide)\n");
    /// assert_eq!((file.sections, file.links), (1, 1));
    /// ```
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut file = Self {
            bytes: bytes.len(),
            ..Self::default()
        };
        let mut begun = false;
        let mut links_here = None;
        let mut fenced = false;
        for (line, number) in text.lines().zip(1_u32..) {
            let line = line.trim_end();
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            if line.is_empty() || fenced {
                continue;
            }
            if !begun {
                begun = true;
                match line.strip_prefix("# ") {
                    Some(title) if !title.trim().is_empty() => file.title = Some(quote_to(title, 120)),
                    Some(_) | None => file.problem(number, "the file does not begin with an H1"),
                }
            } else if line.starts_with("# ") {
                file.problem(number, "there is a second H1");
            } else if line.starts_with("## ") {
                file.close_section(number, links_here);
                file.sections = file.sections.saturating_add(1);
                links_here = Some(0);
            } else if line.starts_with('>') && links_here.is_none() {
                file.has_summary = true;
            } else if line.starts_with("###") {
                file.problem(number, "the format has no headings below H2");
            } else if let Some(item) = list_item(line)
                && let Some(count) = &mut links_here
            {
                file.item(number, item, count);
            }
        }
        let end = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        file.close_section(end, links_here);
        if !begun {
            file.problem(1, "the file is empty");
        } else if file.sections == 0 {
            file.problem(end, "there is no H2 section with links");
        }
        if bytes.len() >= MAX_BYTES {
            file.problem(end, "the file is longer than 100 KB");
        }
        file
    }

    /// Whether the format is met.
    pub fn is_well_formed(&self) -> bool {
        self.problems.is_empty() && self.absolute_links > 0
    }

    fn item(&mut self, number: u32, item: &str, count: &mut u32) {
        let Some(address) = link_address(item) else {
            self.problem(number, "a list item has no [name](address) link");
            return;
        };
        *count += 1;
        self.links = self.links.saturating_add(1);
        match Url::parse(address) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => {
                self.absolute_links = self.absolute_links.saturating_add(1);
            }
            Ok(_) | Err(_) => self.problem(number, "a link is not absolute"),
        }
    }

    fn close_section(&mut self, line: u32, links: Option<u32>) {
        if links == Some(0) {
            self.problem(line, "a section has no links");
        }
    }

    fn problem(&mut self, line: u32, problem: &'static str) {
        if self.problems.len() < FEW {
            self.problems.push((line, problem));
        }
    }
}

fn list_item(line: &str) -> Option<&str> {
    ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.trim_start().strip_prefix(mark))
}

/// Reads the link's address at the start of an item.
fn link_address(item: &str) -> Option<&str> {
    let after = item.trim_start().strip_prefix('[')?;
    let (name, rest) = after.split_once("](")?;
    let (address, _) = rest.split_once(')')?;
    (!name.trim().is_empty() && !address.trim().is_empty()).then(|| address.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, problems: &[(u32, &str)]) {
        assert_eq!(LlmsTxt::parse(text.as_bytes()).problems, problems, "{text}");
    }

    #[test]
    fn the_format_is_met_or_the_line_is_named() {
        let good = "# Acme\n\n> Makers of anvils.\n\nSome notes.\n\n## Docs\n\n- [Guide](https://acme.example/guide): start here\n- [API](https://acme.example/api)\n\n## Optional\n\n* [Blog](https://acme.example/blog)\n";
        let file = LlmsTxt::parse(good.as_bytes());
        assert!(file.is_well_formed() && file.has_summary);
        assert_eq!(
            (
                file.title.as_deref(),
                file.sections,
                file.links,
                file.absolute_links
            ),
            (Some("Acme"), 2, 3, 3)
        );
        check("", &[(1, "the file is empty")]);
        check("\n\n", &[(1, "the file is empty")]);
        check(
            "Acme\n## A\n- [x](https://a.example/)\n",
            &[(1, "the file does not begin with an H1")],
        );
        check(
            "## A\n- [x](https://a.example/)\n",
            &[
                (1, "the file does not begin with an H1"),
                (2, "there is no H2 section with links"),
            ],
        );
        check("# A\n", &[(1, "there is no H2 section with links")]);
        check("# A\n## B\n", &[(2, "a section has no links")]);
        check(
            "# A\n## B\n## C\n- [x](https://a.example/)\n",
            &[(3, "a section has no links")],
        );
        check("# A\n## B\n- [x](/rel)\n", &[(3, "a link is not absolute")]);
        check(
            "# A\n## B\n- [x](https://a.example/)\n- plain\n",
            &[(4, "a list item has no [name](address) link")],
        );
        check(
            "# A\n# B\n## C\n- [x](https://a.example/)\n",
            &[(2, "there is a second H1")],
        );
        check(
            "# A\n## C\n- [x](https://a.example/)\n### D\n",
            &[(4, "the format has no headings below H2")],
        );
        check("\u{feff}# A\n## C\n- [x](https://a.example/)\n", &[]);
        check("# A\r\n## C\r\n- [x](https://a.example/)\r\n", &[]);
        check(
            "# A\n- free item\n```\n# code\n```\n## C\n- [x](https://a.example/)\n",
            &[],
        );
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let file = LlmsTxt::parse(&bytes);
            prop_assert!(file.absolute_links <= file.links);
        }

        #[test]
        fn made_files_are_well_formed(names in proptest::collection::vec("[A-Za-z][A-Za-z ]{0,10}", 1..6)) {
            let mut text = format!("# {}\n\n## Pages\n\n", names[0]);
            for name in &names {
                text.push_str(&format!("- [{name}](https://a.example/{})\n", name.replace(' ', "-")));
            }
            prop_assert!(LlmsTxt::parse(text.as_bytes()).is_well_formed(), "{}", text);
        }
    }
}
