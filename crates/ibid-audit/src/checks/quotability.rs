//! G and H: does the page name its sources, and is its text finished?

use super::finding::Finding;
use crate::facts::Facts;
use crate::limits::{FEW, MANY};
use crate::quote::quote_to;
use crate::reading::{BlockKind, PARAGRAPH_WORDS, words};
use crate::signs::Sign;
use crate::vocabulary::Words;
use std::collections::{HashMap, HashSet};

/// G2: sources.
pub(super) fn sources(facts: &Facts<'_>) -> Finding {
    let hosts = crate::sources::find(facts);
    let shown: Vec<_> = hosts.iter().take(5).map(|host| quote_to(host, 40)).collect();
    let finding = match hosts.len() {
        0 => Finding::fail("the text links to no other site"),
        1 => Finding::warn(format!("one other site: {}", shown.join(", "))),
        count => return Finding::pass(format!("{count} other sites: {}", shown.join(", "))),
    };
    match claim(facts) {
        Some((claim, line)) => finding
            .advise(format!(
                "Link the source of “{}” (line {line}), if it is not your own.",
                quote_to(claim, 160)
            ))
            .line(line),
        None => Finding::na("no figure whose source could be linked"),
    }
}

/// The sentence without a link that has the most figures, and its line.
pub(super) fn claim<'f>(facts: &'f Facts<'_>) -> Option<(&'f str, u32)> {
    let blocks = facts
        .reading
        .paragraphs()
        // Ratings, counters and prices of widgets are figures, too, but stand in no sentence.
        .filter(|block| block.kind == BlockKind::Paragraph && block.words >= PARAGRAPH_WORDS as usize)
        .filter(|block| block.link_words == 0 && !block.in_byline);
    let sentences = blocks.flat_map(|block| {
        let text = facts.reading.block_text(block);
        text.split_inclusive(SENTENCE_ENDS)
            .map(move |sentence| (sentence.trim(), block.line))
    });
    let claims = sentences.filter(|(text, _)| words::count(text) > 5 && text.ends_with(SENTENCE_ENDS));
    // Among equals the first counts.
    let best = claims
        .map(|claim| (figures(claim.0), claim))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(figures, _)| *figures > 0).map(|(_, claim)| claim)
}

/// The figures that a sentence states: numbers with a sign or a mark inside, and those of two digits or more that are no year.
fn figures(text: &str) -> usize {
    let is_figure = |word: &&str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let number = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_plain = number.len() == digits;
        let is_year = is_plain && digits == 4 && number.starts_with(['1', '2']);
        let is_marked = word.contains(['%', '€', '$', '£', '¥', '°']) || number.contains(['.', ',']);
        let is_name = word.contains([':', '/', '#', '@', '_']) || word.starts_with(char::is_alphabetic);
        digits > 0 && !is_name && !is_year && (is_marked || is_plain && digits > 1)
    };
    text.split_whitespace().filter(is_figure).count()
}

/// H1: no filler text, such as Lorem ipsum. A page that explains filler shows some.
pub(super) fn filler(facts: &Facts<'_>) -> Finding {
    static SUBJECTS: Words =
        Words::new("lorem|ipsum|placeholder|blindtext|dummy|filler|platzhalter|typograph");
    let names = facts.title().into_iter().chain(facts.heading());
    let is_subject = names
        .map(|(name, _)| name.to_lowercase())
        .any(|name| SUBJECTS.is_in(&name));
    let sign = facts.signs.unfinished.filler.as_ref().filter(|_| !is_subject);
    unfinished(sign, "filler text", "Write your own text in place of")
}

/// H3: no sentence that lacks a name.
pub(super) fn gaps(facts: &Facts<'_>) -> Finding {
    let sign = facts.signs.unfinished.gap.as_ref();
    unfinished(sign, "a sentence that lacks a name", "Put the missing name into")
}

/// H4: no template's words in place of names, addresses and numbers.
pub(super) fn placeholders(facts: &Facts<'_>) -> Finding {
    static SUBJECTS: Words =
        Words::new("muster|vorlage|template|sample|example|beispiel|modelo|modèle|generator");
    let names = facts.title().into_iter().chain(facts.heading());
    let is_subject = names
        .map(|(name, _)| name.to_lowercase())
        .any(|name| SUBJECTS.is_in(&name));
    let sign = facts
        .signs
        .unfinished
        .placeholder
        .as_ref()
        .filter(|_| !is_subject);
    unfinished(sign, "words of a template", "Put what is true of you in place of")
}

fn unfinished(sign: Option<&Sign>, what: &str, work: &str) -> Finding {
    match sign {
        Some(sign) => Finding::fail(format!("{what}: “{}”", sign.text))
            .line(sign.line)
            .advise(format!(
                "{work} “{}” (line {}).",
                quote_to(&sign.text, 80),
                sign.line
            )),
        None => Finding::pass(format!("no {} was found", what.trim_start_matches("a "))),
    }
}

/// Words of running text from which repetition is told from chance.
const STUFFED_WORDS: usize = 60;

/// H2: no phrase that is repeated for search engines.
pub(super) fn stuffing(facts: &Facts<'_>) -> Finding {
    let Some(Repeated {
        phrase,
        times,
        words,
        line,
    }) = most_repeated(facts)
    else {
        return Finding::pass("no phrase is repeated for search engines");
    };
    Finding::fail(format!(
        "“{phrase}” stands {times} times in {words} words of text"
    ))
    .line(line)
    .advise(format!(
        "Say “{phrase}” once or twice, and use the room for facts: prices, times, places, names."
    ))
}

/// A phrase that fills a text.
struct Repeated {
    phrase: String,
    times: usize,
    /// Words of the text.
    words: usize,
    line: u32,
}

/// Finds a phrase, one to three words long, that takes up more running text than a language does by itself.
fn most_repeated(facts: &Facts<'_>) -> Option<Repeated> {
    let reading = &facts.reading;
    // Sliders hold the same text several times.
    let mut seen = HashSet::new();
    let prose = reading.blocks.iter().filter(|block| {
        let is_text = !matches!(block.kind, BlockKind::Heading(_)) && !block.in_code && block.words >= 8;
        is_text && block.link_words * 2 <= block.words && seen.insert(reading.block_text(block))
    });
    let texts: Vec<(Vec<String>, u32)> = prose
        .take(FEW)
        .map(|block| {
            let parts = reading.block_text(block).split(|c: char| !c.is_alphanumeric());
            let parts = parts.filter(|part| !part.is_empty());
            (parts.take(MANY).map(str::to_lowercase).collect(), block.line)
        })
        .collect();
    let words: usize = texts.iter().map(|(words, _)| words.len()).sum();
    if words < STUFFED_WORDS {
        return None;
    }
    // It is stuffing from here: words in the phrase, percent of the text, and times.
    let bounds = [(3, 12, 4), (2, 11, 5), (1, 9, 8)];
    bounds.into_iter().find_map(|(length, share, least)| {
        let mut counts: HashMap<&[String], (usize, u32)> = HashMap::new();
        for (words, line) in &texts {
            for phrase in words.windows(length) {
                counts.entry(phrase).or_insert((0, *line)).0 += 1;
            }
        }
        let of_subject = |phrase: &[String]| phrase.iter().any(|word| word.chars().count() > 3);
        let full = counts.into_iter().filter(|(phrase, (times, _))| {
            *times >= least && times * length * 100 >= words * share && of_subject(phrase)
        });
        let (phrase, (times, line)) = full.max_by_key(|(phrase, (times, _))| (*times, *phrase))?;
        let phrase = phrase.join(" ");
        Some(Repeated {
            phrase,
            times,
            words,
            line,
        })
    })
}

const SENTENCE_ENDS: [char; 4] = ['.', '!', '?', '。'];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use ibid_model::result::CheckStatus;

    #[test]
    fn a_repeated_phrase_is_told_from_a_subject() {
        let stuffed = "Looking for a plumber in Leeds? Our plumber in Leeds is the best plumber in Leeds. "
            .repeat(2)
            + "Every plumber in Leeds knows that a plumber in Leeds needs a van. A cheap plumber in Leeds comes with tools and a friendly face, whatever the hour of the day may be.";
        let plain = "A heat pump moves heat from the air into the house. In winter it runs for most of the day, so its size matters more than its price. \
            Ask who measures the house before you buy: a pump that is too large starts and stops all day, and one that is too small needs a heater beside it. \
            Good installers show the figures, the noise at night and the cost of a repair.";
        let slides = "<p>Our team answers the phone at night and at weekends.</p>".repeat(12);
        for (text, expected) in [
            (format!("<p>{stuffed}</p>"), CheckStatus::Fail),
            (format!("<p>{plain}</p>"), CheckStatus::Pass),
            (format!("<p>{plain}</p>{slides}"), CheckStatus::Pass),
            (
                "<p>Plumber Leeds plumber Leeds plumber Leeds plumber Leeds.</p>".to_owned(),
                CheckStatus::Pass,
            ),
        ] {
            let page = Page::from_html(format!("<main>{text}</main>"), None, jiff::Timestamp::UNIX_EPOCH);
            let finding = stuffing(&Facts::read(&page));
            assert_eq!(finding.status, expected, "{} {text}", finding.found);
        }
    }

    #[test]
    fn figures_are_counted() {
        for (text, expected) in [
            ("It costs 75 € and takes 60 minutes, since 1998.", 2),
            ("At 12:30 on 3/4 we call v2 of RFC9309.", 0),
            ("61% of 1,023 houses", 2),
        ] {
            assert_eq!(figures(text), expected, "{text}");
        }
    }
}
