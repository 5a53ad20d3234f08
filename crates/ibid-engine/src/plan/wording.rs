//! Words a keyword: fills every frame for its kind, in a seeded order.
//!
//! The order is drawn from keyword, place and language, so two websites, and two dates, are asked the same.
//! All intents come round before one comes again, and all frames before one does.

use super::kind::{self, Kind};
use super::needs;
use super::phrases::{self, Phrases};
use super::spoken::SpokenPlace;
use crate::hash::fnv1a;
use crate::questions::is_brand;
use std::collections::{BTreeMap, BTreeSet};

/// One wording of a keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wording {
    pub(super) intent: &'static str,
    pub(super) text: String,
}

/// What a keyword is asked as, in order.
pub(super) struct Wordings {
    /// What kind of thing the keyword names, if it is known.
    pub(super) kind: Option<Kind>,
    pub(super) list: Vec<Wording>,
}

/// All wordings of a keyword at a place.
///
/// A keyword that is a brand, has a superlative or names the place is asked as it is, with needs; a question, with a further one.
pub(super) fn wordings(phrases: &'static Phrases, keyword: &str, place: Option<&SpokenPlace>) -> Wordings {
    let near = without_near_me(phrases, keyword);
    let keyword = if place.is_some() { near } else { keyword };
    let mended = kind::mended(phrases, near);
    let (keyword, near) = mended
        .as_deref()
        .map_or((keyword, near), |mended| (mended, mended));
    let named = place.is_some_and(|place| holds(keyword, &place.name));
    // What mends a trouble is no thing to buy.
    let kind = kind::of(phrases, near).filter(|kind| mended.is_none() || *kind != Kind::Product);
    let is_brand = is_brand(keyword) || (kind.is_none() && is_name(phrases, keyword));
    let slots = Slots {
        keyword,
        noun: noun(phrases, keyword, near),
        agree: &phrases.agree,
        place: place.filter(|_| !named),
    };
    let name = place.map_or("", |place| place.name.as_str());
    let draw = |text: &str| draw(&[keyword, name, phrases.tag, text]);
    // "Dishwasher keeps leaking" is no thing to buy; "a plumber that isn't dear" is someone to call.
    let is_called = matches!(kind, Some(Kind::Trade | Kind::Person));
    let says = !is_called && mended.is_none() && phrases.marks.says.iter().any(|mark| holds(keyword, mark));
    let as_typed = (says || named || is_brand).then_some("list");
    let list = match own_intent(phrases, keyword, kind).or(as_typed) {
        Some("list") if !named && !is_brand && !phrases.marks.follow.is_empty() => {
            followed(phrases, &slots, draw)
        }
        Some(intent) => as_it_is(phrases, intent, near, &slots, draw),
        None => {
            let kind = kind.unwrap_or(Kind::Any);
            let own = needs::of_trade(phrases, near).unwrap_or_default();
            let general = needs(phrases, if own.is_empty() { kind } else { Kind::Any });
            let of_trade = of_trade(of_kind(phrases, kind, own, &slots), own, draw);
            woven(of_trade, ordered(of_kind(phrases, kind, &general, &slots), draw))
        }
    };
    Wordings { kind, list }
}

/// A frame with its slots filled: one text, or one for each need.
struct Filled {
    intent: &'static str,
    frame: &'static str,
    /// Needs with the text of each.
    texts: Vec<(&'static str, String)>,
}

/// Fills a kind's frames with these needs.
fn of_kind(phrases: &'static Phrases, kind: Kind, needs: &[&'static str], slots: &Slots<'_>) -> Vec<Filled> {
    let mut filled = Vec::new();
    let kinds = kinds(kind).into_iter();
    for (intent, frames) in kinds.filter_map(|kind| phrases.frames.get(&kind)).flatten() {
        for frame in frames {
            let needs = if frame.contains("{need}") { needs } else { &[""] };
            filled.push(Filled {
                intent,
                frame,
                texts: needs
                    .iter()
                    .filter_map(|need| Some((*need, slots.fill(frame, need)?)))
                    .collect(),
            });
        }
    }
    filled
}

/// A question for each need of the trade, intents and frames in turn.
fn of_trade(mut frames: Vec<Filled>, needs: &[&'static str], draw: impl Fn(&str) -> u64) -> Vec<Wording> {
    frames.retain(|filled| filled.frame.contains("{need}"));
    frames.sort_by_cached_key(|filled| draw(filled.frame));
    let mut needs = needs.to_vec();
    needs.sort_by_cached_key(|need| draw(need));
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut asked = Vec::new();
    for need in needs {
        let with_need = |filled: &Filled| Some(filled.texts.iter().find(|(of, _)| *of == need)?.1.clone());
        let times = |text: &str| used.get(text).copied().unwrap_or(0);
        let fit = frames
            .iter()
            .filter_map(|it| Some((it.intent, it.frame, with_need(it)?)));
        if let Some((intent, frame, text)) =
            fit.min_by_key(|(intent, frame, _)| (times(intent), times(frame)))
        {
            asked.push(Wording { intent, text });
            for part in [intent, frame] {
                *used.entry(part).or_default() += 1;
            }
        }
    }
    asked
}

/// Weaves two questions with a trade's need into three others, until one list ends: people ask for a need in two prompts of five. The
/// share is irrational, so that no model gets all needs, however many there are; intents still come round before one repeats.
fn woven(of_trade: Vec<Wording>, mut others: Vec<Wording>) -> Vec<Wording> {
    if of_trade.is_empty() {
        return others;
    }
    others.retain(|other| of_trade.iter().all(|own| own.text != other.text));
    let mut list: Vec<Wording> = Vec::with_capacity(of_trade.len() + others.len());
    let mut of_trade = of_trade.into_iter();
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    while !others.is_empty() || of_trade.len() > 0 {
        let golden = |at: usize| at * 382 / 1000;
        let with_need = others.is_empty() || golden(list.len() + 1) > golden(list.len());
        let own = if with_need { of_trade.next() } else { None };
        let next = own.unwrap_or_else(|| {
            // The next ten hold every intent, and the next three needs fill a round of them.
            let soon = of_trade.as_slice().iter().take(3);
            let times = |intent: &str| {
                let soon = soon.clone().filter(|own| own.intent == intent).count();
                soon + used.get(intent).copied().unwrap_or(0)
            };
            let ahead = others.iter().take(10).enumerate();
            let at = ahead.min_by_key(|(_, wording)| times(wording.intent));
            others.remove(at.map_or(0, |(at, _)| at))
        });
        *used.entry(next.intent).or_default() += 1;
        list.push(next);
    }
    list
}

/// Which parts of the file fit a kind.
fn kinds(kind: Kind) -> Vec<Kind> {
    let mut kinds = vec![Kind::Any, kind];
    kinds.dedup();
    kinds
}

fn needs(phrases: &'static Phrases, kind: Kind) -> Vec<&'static str> {
    let of = |kind| phrases.needs.get(&kind).into_iter().flatten();
    kinds(kind).into_iter().flat_map(of).map(String::as_str).collect()
}

/// A question alone, then with each further question, then with two: it asks for no thing that a need could belong to.
fn followed(phrases: &'static Phrases, slots: &Slots<'_>, draw: impl Fn(&str) -> u64) -> Vec<Wording> {
    let keyword = slots.keyword.trim_end_matches(QUESTION_MARKS).trim_end();
    let slots = Slots {
        keyword,
        noun: None,
        ..*slots
    };
    let Some(asked) = slots.fill(bare(phrases), "") else {
        return Vec::new();
    };
    let asked = asked.replace("  ", " ");
    let mut further: Vec<&str> = phrases.marks.follow.iter().map(String::as_str).collect();
    further.sort_by_cached_key(|text| draw(text));
    let ending = |text: &str| {
        text.chars()
            .next_back()
            .map_or("", |mark| if mark == '？' { "？" } else { "?" })
    };
    let mark = phrases.marks.follow.first().map_or("?", |text| ending(text));
    // French sets a blank before its marks.
    let mark = if phrases.tag == "fr" { " ?" } else { mark };
    let blank = if mark == "？" { "" } else { " " };
    let alone = std::iter::once(format!("{asked}{mark}"));
    let one = further.iter().map(|text| format!("{asked}{mark}{blank}{text}"));
    let two = further.iter().enumerate().flat_map(|(at, first)| {
        let later = further.iter().skip(at + 1);
        later
            .map(|second| format!("{asked}{mark}{blank}{first}{blank}{second}"))
            .collect::<Vec<_>>()
    });
    alone
        .chain(one)
        .chain(two)
        .map(|text| Wording { intent: "list", text })
        .collect()
}

/// The frame that is the keyword, the place and a need alone.
fn bare(phrases: &'static Phrases) -> &'static str {
    const SLOTS: [&str; 4] = ["{k}", "{need}", "{in}", "{p}"];
    let is_bare = |frame: &&String| {
        let letters = SLOTS
            .iter()
            .fold((*frame).clone(), |text, slot| text.replace(slot, ""));
        frame.contains("{need}") && letters.chars().all(|c| "[] ".contains(c))
    };
    let mut frames = phrases.frames.values().flat_map(BTreeMap::values).flatten();
    frames.find(is_bare).map_or("{k}[ {in}] {need}", String::as_str)
}

/// The keyword alone, then with each need, then with two. Needs of its trade come first.
fn as_it_is(
    phrases: &'static Phrases,
    intent: &'static str,
    head: &str,
    slots: &Slots<'_>,
    draw: impl Fn(&str) -> u64,
) -> Vec<Wording> {
    let bare = bare(phrases);
    let keyword = slots.keyword.trim_end_matches(QUESTION_MARKS);
    let mark = slots.keyword.get(keyword.len()..).unwrap_or_default();
    let mut needs = needs(phrases, Kind::Any);
    let of_trade = needs::of_trade(phrases, head).unwrap_or_default();
    // A need before a whole question would belong to its first word.
    if !mark.is_empty() && bare.find("{need}") < bare.find("{k}") {
        needs.clear();
    }
    needs.sort_by_cached_key(|need| draw(need));
    needs.splice(0..0, of_trade.iter().copied().filter(|need| !need.contains('{')));
    let blank = if bare.contains("{need}{k}") { "" } else { " " };
    let pairs = needs.iter().enumerate().flat_map(|(at, first)| {
        let later = needs.iter().skip(at + 1);
        // "With good reviews with a high rating" is no sentence.
        let opening = |need: &str| need.split(' ').next().unwrap_or_default().to_owned();
        let joins = move |second: &&&str| opening(first) != opening(second);
        later
            .filter(joins)
            .map(move |second| [*first, *second].join(blank))
    });
    let alone = needs.iter().map(|need| (*need).to_owned());
    let slots = Slots {
        keyword: keyword.trim_end(),
        noun: None,
        ..*slots
    };
    std::iter::once(String::new())
        .chain(alone)
        .chain(pairs)
        .filter_map(|need| slots.fill(bare, &need))
        .map(|text| Wording {
            intent,
            text: text.replace("  ", " ") + mark,
        })
        .collect()
}

const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// Whether an unknown keyword is written like a name: "Notion". In English nothing else has capitals.
fn is_name(phrases: &Phrases, keyword: &str) -> bool {
    let small = |word: &str| !word.starts_with(char::is_uppercase);
    phrases.tag == "en" && !keyword.split(' ').any(small)
}

/// Finds the intent that a keyword has already, because it is a sentence or has a superlative.
fn own_intent(phrases: &Phrases, keyword: &str, kind: Option<Kind>) -> Option<&'static str> {
    let lower = keyword.to_lowercase();
    let any = |marks: &[String]| marks.iter().any(|mark| holds(&lower, mark));
    let first = lower.split(' ').next().unwrap_or_default();
    let words = lower.split(' ').count();
    // "Help desk software" begins like a question, but is a head word.
    let asks = (words > 3 || (words > 2 && kind.is_none()))
        && phrases.marks.question.iter().any(|word| word == first);
    if any(&phrases.marks.compare) {
        Some("compare")
    } else if any(&phrases.marks.best) {
        Some("best")
    } else if lower.ends_with(QUESTION_MARKS) || asks {
        Some("list")
    } else {
        None
    }
}

/// Orders all texts: every frame comes once before any comes twice, and so do intents. A frame takes a need that no
/// frame before it has, as long as it has one.
fn ordered(mut frames: Vec<Filled>, draw: impl Fn(&str) -> u64) -> Vec<Wording> {
    frames.sort_by_cached_key(|filled| (draw(filled.intent), draw(filled.frame)));
    for filled in &mut frames {
        let least = filled
            .texts
            .iter()
            .map(|(_, text)| draw(text))
            .enumerate()
            .min_by_key(|(_, drawn)| *drawn);
        filled.texts.rotate_left(least.map_or(0, |(at, _)| at));
    }
    let mut places = Vec::new();
    let most = frames.iter().map(|filled| filled.texts.len()).max().unwrap_or(0);
    for pass in 0..most {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, filled) in frames.iter().enumerate() {
            if filled.texts.len() > pass {
                let round = seen.entry(filled.intent).or_default();
                places.push((pass, *round, at));
                *round += 1;
            }
        }
    }
    places.sort_unstable();
    let mut wordings: Vec<Wording> = Vec::with_capacity(places.len());
    let mut told = BTreeSet::new();
    for (pass, _, at) in places {
        let (intent, texts) = (frames[at].intent, &mut frames[at].texts);
        let new = texts[pass..].iter().position(|(need, _)| !told.contains(need));
        texts.swap(pass, pass + new.unwrap_or(0));
        let (need, text) = &texts[pass];
        if !need.is_empty() {
            told.insert(*need);
        }
        if wordings.iter().all(|wording| wording.text != *text) {
            wordings.push(Wording {
                intent,
                text: text.clone(),
            });
        }
    }
    wordings
}

fn draw(parts: &[&str]) -> u64 {
    fnv1a(parts.iter().flat_map(|part| part.bytes().chain([0xff])))
}

/// What fills the slots in a frame.
#[derive(Clone)]
struct Slots<'a> {
    keyword: &'a str,
    /// The keyword as a noun, if its form is known.
    noun: Option<Noun>,
    /// Words that agree with it.
    agree: &'a BTreeMap<String, [String; 2]>,
    place: Option<&'a SpokenPlace>,
}

impl Slots<'_> {
    /// Fills a frame; `None` if it wants a place, an article or a number that is not known.
    fn fill(&self, frame: &str, need: &str) -> Option<String> {
        let mut text = String::with_capacity(frame.len() + self.keyword.len() + 40);
        let mut rest = frame;
        while let Some((before, after)) = rest.split_once('[') {
            self.put(&mut text, before, need)?;
            let (inner, after) = after.split_once(']').unwrap_or((after, ""));
            let (placed, placeless) = inner.split_once('|').unwrap_or((inner, ""));
            let chosen = if self.place.is_some() { placed } else { placeless };
            self.put(&mut text, chosen, need)?;
            rest = after;
        }
        self.put(&mut text, rest, need)?;
        Some(text.trim().to_owned())
    }

    /// Adds a piece of a frame.
    /// The slots are read once, so a keyword that contains `{p}` stays unchanged.
    fn put(&self, text: &mut String, piece: &str, need: &str) -> Option<()> {
        let mut rest = piece;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let (slot, after) = after.split_once('}').unwrap_or((after, ""));
            let value = match slot {
                "a" => self.noun.as_ref()?.with_article.as_deref()?,
                "in" => &self.place?.phrase,
                "p" => &self.place?.name,
                // A need may agree with the keyword, too.
                "need" if !need.is_empty() => {
                    self.put(text, need, "")?;
                    rest = after;
                    continue;
                }
                "need" => "",
                "k" => self.keyword,
                slot => match (self.agree.get(slot), self.noun.as_ref()?.is_plural) {
                    (Some(forms), is_plural) => &forms[usize::from(is_plural)],
                    // Other verbs of English: "that takes", "that take".
                    (None, false) => slot,
                    (None, true) => slot.strip_suffix('s')?,
                },
            };
            push_once(text, value);
            rest = after;
        }
        text.push_str(rest);
        Some(())
    }
}

/// Appends a value, without its first word if the text ends in the same word:
/// "local" before "local builders" is written once.
pub(super) fn push_once(text: &mut String, value: &str) {
    let last = text.trim_end().rsplit(' ').next().unwrap_or_default();
    let (first, rest) = value.split_once(' ').unwrap_or((value, ""));
    if text.ends_with(' ') && !rest.is_empty() && last.to_lowercase() == first.to_lowercase() {
        text.push_str(rest);
    } else {
        text.push_str(value);
    }
}

/// Returns whether a text contains a name or mark, as whole words where its script has blanks.
fn holds(text: &str, part: &str) -> bool {
    let (text, part) = (text.to_lowercase(), part.to_lowercase());
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(&part).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
        part.chars().all(|c| c >= '\u{1100}') || (apart(before) && apart(after))
    })
}

/// The keyword without an ending that means "near me".
fn without_near_me<'a>(phrases: &Phrases, keyword: &'a str) -> &'a str {
    let lower = keyword.to_lowercase();
    let ending = |near: &String| {
        let at = keyword.len().checked_sub(near.len())?;
        let bare = keyword.get(..at)?.trim_end();
        (lower.len() == keyword.len() && lower.ends_with(near.as_str()) && !bare.is_empty()).then_some(bare)
    };
    let marks = phrases.marks.near.iter().chain(&phrases::english().marks.near);
    marks
        .filter_map(ending)
        .min_by_key(|bare| bare.len())
        .unwrap_or(keyword)
}

/// A keyword in a sentence.
#[derive(Clone)]
struct Noun {
    /// The keyword, with the article of a single thing; English only.
    with_article: Option<String>,
    is_plural: bool,
}

/// The keyword as a noun; `None` if its form is not known.
/// `head` is the keyword without what follows its head.
fn noun(phrases: &Phrases, keyword: &str, head: &str) -> Option<Noun> {
    let Some(ending) = &phrases.marks.plural_ending else {
        return english_noun(phrases, keyword, head);
    };
    let first = head.split(' ').next()?.to_lowercase();
    // "Análisis", "tenis" and "autobús" may be one thing, and "hotéis" is several.
    let is_plural = first.ends_with(ending.as_str());
    let is_unsure = is_plural && !["as", "es", "os"].iter().any(|end| first.ends_with(end));
    (!is_unsure).then_some(Noun {
        with_article: None,
        is_plural,
    })
}

fn english_noun(phrases: &Phrases, keyword: &str, head: &str) -> Option<Noun> {
    let plain = |is_plural| {
        Some(Noun {
            with_article: Some(keyword.to_owned()),
            is_plural,
        })
    };
    let articles = &phrases.article;
    let lower = head.to_lowercase();
    let mut words: Vec<&str> = lower.split(' ').collect();
    let is_after = |word: &&str| phrases.marks.after_head.iter().any(|after| after == word);
    // "Crm for small teams": the words before the preposition decide.
    if let Some(at) = words.iter().position(is_after) {
        words.truncate(at);
    }
    let (last, first) = (*words.last()?, *words.first()?);
    let listed = |list: &[String]| list.iter().any(|word| word == last);
    let known = |form: &str| phrases.kinds.contains_key(form);
    let heads = || (0..words.len()).map(|from| words[from..].join(" "));
    let is_plural = |head: &String| known(head) && head.strip_suffix('s').is_some_and(known);
    let is_single = |head: &String| known(head) && known(&format!("{head}s"));
    let looks_plural =
        last.len() > 3 && last.ends_with('s') && !["ss", "us", "is"].iter().any(|end| last.ends_with(end));
    if articles.with.is_empty() || !lower.is_ascii() || ["a", "an", "the", "my"].contains(&first) {
        return None;
    }
    if listed(&articles.without) {
        return plain(false);
    }
    if heads().any(|head| is_plural(&head)) {
        return plain(true);
    }
    let ends = || {
        articles
            .with_ending
            .iter()
            .any(|end| last.len() > 4 && last.ends_with(end.as_str()))
    };
    if listed(&articles.with) || heads().any(|head| is_single(&head)) || (!looks_plural && ends()) {
        let vowel = first.starts_with(['a', 'e', 'i', 'o', 'u'])
            && !["uni", "use", "usa", "uk", "eu", "one"]
                .iter()
                .any(|start| first.starts_with(start));
        return Some(Noun {
            with_article: Some(format!("{} {keyword}", if vowel { "an" } else { "a" })),
            is_plural: false,
        });
    }
    if looks_plural { plain(true) } else { None }
}
