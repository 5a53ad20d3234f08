//! Checks of questions: whether each is fit to be asked, and whether the list as a whole is.
//! Rules alone decide. No model is asked.

use super::brands;
use super::cues::{self, Cues};
use super::masked::{Masked, fold, squash, unmasked};
use crate::plan::other_topic;
use crate::read::Target;
use ibid_gazetteer::KnownPlace;
use ibid_model::OwnQuestion;
use ibid_model::result::{CheckedQuestion, FindingKind, QuestionFinding, QuestionsReport, Warning};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::RangeInclusive;
use whatlang::{Detector, Lang, Script};

/// How many words a question may have. Below are fragments that name no thing, above are stories.
const WORDS: RangeInclusive<usize> = 2..=40;
/// Most questions with one form. At half nearly every list has a finding, at twice a list of twenty may have only three forms.
const MOST_OF_A_FORM: usize = 3;
/// A name is found inside other words from so many letters on, because shorter ones are parts of everyday words.
const LONG_NAME: usize = 6;

/// The facts that questions are checked against.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules<'a> {
    /// The keyword. A name that it holds may be asked about.
    pub keyword: &'a str,
    /// What the place is called.
    pub places: &'a [String],
    /// BCP 47 tag of the language to ask in.
    pub language: &'a str,
    /// The website that is looked for.
    pub target: Option<&'a Target>,
    /// Others that are looked for by name: competitors, and names that hold one of the target's.
    pub others: &'a [String],
    /// The place itself, which tells other ones apart; without it no question is about another place.
    pub place: Option<KnownPlace>,
    /// What the caller sells, in words: what a question may be about beside the keyword.
    pub offer: &'a str,
    /// Whether names of well-known brands, other topics and other places are findings, as in what a model proposes. What a person keeps
    /// is asked as it stands.
    pub is_strict: bool,
}

/// Checks questions, in their order. `before` are the questions that they join.
#[must_use]
pub fn check(questions: &[OwnQuestion], before: &[OwnQuestion], rules: &Rules<'_>) -> QuestionsReport {
    let masked = |question: &OwnQuestion| Masked::of(question.as_str(), rules.keyword, rules.places);
    let mut seen: Vec<Masked> = before.iter().map(masked).collect();
    let mut forms: FxHashMap<String, usize> = FxHashMap::default();
    for earlier in &seen {
        *forms.entry(earlier.form()).or_default() += 1;
    }
    let mut checked = Vec::with_capacity(questions.len());
    for question in questions {
        let this = masked(question);
        let mut findings = rules.of_one(question, &this);
        if let Some(twin) = seen.iter().position(|earlier| this.is_twin_of(earlier)) {
            let of = before.iter().chain(questions).nth(twin);
            let message = format!(
                "asks nearly the same as \"{}\"",
                of.map_or("", OwnQuestion::as_str)
            );
            findings.push(QuestionFinding {
                twin_of: Some(u32::try_from(twin).unwrap_or(u32::MAX)),
                ..finding(FindingKind::TwinOf, message)
            });
        } else {
            let form = forms.entry(this.form()).or_default();
            *form += 1;
            if *form > MOST_OF_A_FORM {
                let message = format!("more than {MOST_OF_A_FORM} questions begin with the same words");
                findings.push(finding(FindingKind::RepeatedForm, message));
            }
        }
        seen.push(this);
        checked.push(CheckedQuestion {
            question: question.clone(),
            language: rules.language_of(question).to_owned(),
            findings,
        });
    }
    let warnings = quotas(&checked);
    QuestionsReport {
        questions: checked,
        warnings,
    }
}

impl<'a> Rules<'a> {
    fn language_of(&self, question: &'a OwnQuestion) -> &'a str {
        question
            .language
            .as_ref()
            .map_or(self.language, |language| language.as_str())
    }

    /// The findings about a question alone.
    fn of_one(&self, question: &OwnQuestion, masked: &Masked) -> Vec<QuestionFinding> {
        let text = question.as_str();
        let lower = fold(text);
        let language = self.language_of(question);
        let mut findings = Vec::new();
        let mut add = |kind, message: String| findings.push(finding(kind, message));
        if cues::instructs(&lower) || cues::instructs(&unmasked(&lower)) {
            add(FindingKind::Instruction, "gives orders to a model".to_owned());
        }
        if has_link(&lower) {
            add(FindingKind::Link, "holds an address".to_owned());
        }
        if has_markup(text) {
            add(FindingKind::Markup, "holds markup or a list".to_owned());
        }
        if let Some(name) = self.brand_in(text) {
            add(
                FindingKind::Branded,
                format!("names {name}, so it leads the answers to it"),
            );
        }
        if self.is_strict {
            let is_allowed = |name: &str| {
                let squashed = squash(name);
                let is_place = |place: &String| squash(place) == squashed;
                squash(self.keyword).contains(&squashed) || self.places.iter().any(is_place)
            };
            if let Some(name) = brands::named_in(text, is_allowed) {
                let message = format!("names {name}, so it leads the answers to it");
                add(FindingKind::Branded, message);
            }
            let place = self
                .place
                .and_then(|place| other_place(text, self.keyword, &place));
            if let Some(place) = place {
                add(FindingKind::OtherPlace, format!("asks about {place}"));
            }
            if let Some(thing) = other_topic(language, self.keyword, self.offer, text) {
                add(
                    FindingKind::OtherTopic,
                    format!("asks about {thing}, not about {}", self.keyword),
                );
            }
        }
        if masked.places > 1 {
            add(FindingKind::PlaceTwice, "names the place twice".to_owned());
        }
        let words = words_of(text);
        if !WORDS.contains(&words) {
            let message = format!(
                "has {words} words; {} to {} are asked",
                WORDS.start(),
                WORDS.end()
            );
            add(FindingKind::Length, message);
        }
        if let Some(other) = other_language(masked, language) {
            add(
                FindingKind::OtherLanguage,
                format!("is written in \"{other}\", not in \"{language}\""),
            );
        }
        if let Some(cues) = Cues::of(language) {
            if cues.orders(&lower) {
                add(FindingKind::Order, "is an order; people ask".to_owned());
            } else if cues.explains(&lower) {
                let message = "asks for an explanation, so answers name nobody".to_owned();
                add(FindingKind::NotAChoice, message);
            }
        }
        findings
    }

    /// Finds the target's name or another party's in a text, unless the keyword holds it.
    fn brand_in(&self, text: &str) -> Option<String> {
        let squashed_keyword = squash(self.keyword);
        let in_keyword = |name: &str| squashed_keyword.contains(&squash(name));
        if let Some(target) = self.target {
            let domain = target.domain().to_unicode();
            let label = domain.split('.').next().unwrap_or_default();
            let aliases = target.aliases().iter().map(|alias| alias.name.as_str());
            let mut known = aliases.chain([label]);
            let lower = text.to_lowercase();
            if !known.clone().any(in_keyword) {
                if let Some(name) = known.find(|name| names(text, name)) {
                    return Some(name.to_owned());
                }
                let is_domain = lower.contains(&*domain) || lower.contains(target.domain().as_str());
                if is_domain || target.is_named_in(text) {
                    return Some(domain.clone());
                }
            }
        }
        let mut others = self.others.iter();
        others
            .find(|name| !in_keyword(name) && names(text, name))
            .cloned()
    }
}

fn finding(kind: FindingKind, message: String) -> QuestionFinding {
    QuestionFinding {
        code: kind,
        message,
        twin_of: None,
    }
}

/// Whether a text holds a name, however it is spaced and accented. A short name must be words of its own.
fn names(text: &str, name: &str) -> bool {
    let wanted = squash(name);
    if wanted.is_empty() {
        return false;
    }
    if wanted.chars().count() >= LONG_NAME && squash(text).contains(&wanted) {
        return true;
    }
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .map(squash)
        .filter(|word| !word.is_empty())
        .collect();
    (0..words.len()).any(|start| {
        let mut joined = String::new();
        words[start..].iter().any(|word| {
            joined.push_str(word);
            joined == wanted || joined.strip_suffix('s').is_some_and(|stem| stem == wanted)
        })
    })
}

/// Words before the name of a place.
const BEFORE_PLACE: [&str; 40] = [
    "in", "near", "around", "from", "at", "to", "outside", "within", "bei", "aus", "um", "nahe", "rund",
    "en", "à", "a", "de", "di", "da", "em", "dans", "vers", "cerca", "vicino", "perto", "w", "we", "v", "ve",
    "i", "в", "у", "из", "på", "nära", "te", "uit", "στην", "στη", "στο",
];
/// Words of a search, which may end in its place without such a word.
const SEARCH: usize = 6;

/// Finds a place's name in a text, in capitals, that is another one than is asked about.
fn other_place(text: &str, keyword: &str, place: &KnownPlace) -> Option<String> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    let is_capital = |at: usize| {
        words
            .get(at)
            .is_some_and(|word| word.starts_with(char::is_uppercase))
    };
    let is_search = words.len() <= SEARCH && !text.ends_with('?');
    (1..words.len()).filter(|at| is_capital(*at)).find_map(|from| {
        let is_led = words
            .get(from - 1)
            .is_some_and(|word| BEFORE_PLACE.contains(&word.to_lowercase().as_str()));
        // The longest name counts: West Yorkshire is no place called West.
        let (name, is_elsewhere) = (from + 1..=words.len().min(from + 4)).rev().find_map(|to| {
            let name = words.get(from..to)?.join(" ");
            let stands =
                is_capital(to - 1) && !is_capital(to) && (is_led || (is_search && to == words.len()));
            let is_elsewhere = place.is_elsewhere(&name).filter(|_| stands)?;
            Some((name, is_elsewhere))
        })?;
        (is_elsewhere && !names(keyword, &name)).then_some(name)
    })
}

/// Whether a text in lower case holds the address of a page, a host or a mailbox.
fn has_link(lower: &str) -> bool {
    if ["://", "www.", "](", "[.]", "(dot)", " dot com"]
        .iter()
        .any(|mark| lower.contains(mark))
    {
        return true;
    }
    lower.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '@');
        let Some((before, end)) = word.rsplit_once('.') else {
            return word.contains('@');
        };
        let known = psl::suffix(end.as_bytes()).is_some_and(|suffix| suffix.is_known());
        let is_host = before.chars().any(char::is_alphabetic) && end.len() >= 2 && known;
        is_host || word.contains('@')
    })
}

/// Whether a text holds markup, code or a role mark.
fn has_markup(text: &str) -> bool {
    let without_slot = text.replace(ibid_model::PLACE_SLOT, "");
    let marks = [
        "<", ">", "```", "`", "**", "__", "{", "}", "\\", "\u{2022}", "##", "|",
    ];
    marks.iter().any(|mark| without_slot.contains(mark))
        || text.starts_with(['-', '*', '#', '"', '“', '«'])
        || text.split_once(['.', ')']).is_some_and(|(number, rest)| {
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && rest.starts_with(' ')
        })
}

/// Counts words; in a script without blanks two letters count as one.
fn words_of(text: &str) -> usize {
    let words = text
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric));
    let unspaced = text.chars().filter(|c| is_unspaced(*c)).count();
    words.count().max(unspaced.div_ceil(2))
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{e7f}')
}

/// Names the language that a text is written in, if that is certainly not the wanted one.
fn other_language(masked: &Masked, wanted: &str) -> Option<&'static str> {
    let own = Cues::of(wanted)?;
    let text = masked
        .text
        .replace("{k}", " ")
        .replace(ibid_model::PLACE_SLOT, " ");
    let script = whatlang::detect_script(&text)?;
    let lang = lang_of(own.language)?;
    if !scripts_of(lang).contains(&script) {
        // A word in Latin letters is everywhere; only a text without any other letter is in another language.
        let foreign = text.chars().filter(|c| c.is_alphabetic()).count() > 8;
        return foreign.then(|| {
            let same_script =
                |cues: &&Cues| lang_of(cues.language).is_some_and(|lang| scripts_of(lang).contains(&script));
            cues::all()
                .iter()
                .find(same_script)
                .map_or("und", |cues| cues.language)
        });
    }
    // Two words of a choice in another language show more than letters do in a text this short.
    let ours = own.count(&text);
    let counts = cues::all().iter().map(|cues| (cues.count(&text), cues));
    let (most, likely) = counts.max_by_key(|(count, _)| *count)?;
    if ours == 0 && most >= 2 {
        return Some(likely.language);
    }
    let known: Vec<Lang> = cues::all()
        .iter()
        .filter_map(|cues| lang_of(cues.language))
        .collect();
    let found = Detector::with_allowlist(known).detect(&text)?;
    if found.lang() == lang {
        return None;
    }
    let other = cues::all()
        .iter()
        .find(|cues| lang_of(cues.language) == Some(found.lang()))?;
    let theirs = other.count(&text);
    (theirs > ours || (ours == 0 && found.is_reliable())).then_some(other.language)
}

fn lang_of(language: &str) -> Option<Lang> {
    Some(match language {
        "en" => Lang::Eng,
        "de" => Lang::Deu,
        "es" => Lang::Spa,
        "fr" => Lang::Fra,
        "it" => Lang::Ita,
        "pt" => Lang::Por,
        "nl" => Lang::Nld,
        "pl" => Lang::Pol,
        "cs" => Lang::Ces,
        "sv" => Lang::Swe,
        "da" => Lang::Dan,
        "nb" => Lang::Nob,
        "fi" => Lang::Fin,
        "hu" => Lang::Hun,
        "ro" => Lang::Ron,
        "el" => Lang::Ell,
        "tr" => Lang::Tur,
        "ru" => Lang::Rus,
        "uk" => Lang::Ukr,
        "ar" => Lang::Ara,
        "he" => Lang::Heb,
        "hi" => Lang::Hin,
        "ja" => Lang::Jpn,
        "ko" => Lang::Kor,
        "zh" => Lang::Cmn,
        "id" => Lang::Ind,
        "vi" => Lang::Vie,
        _ => return None,
    })
}

fn scripts_of(lang: Lang) -> &'static [Script] {
    match lang {
        Lang::Ell => &[Script::Greek],
        Lang::Rus | Lang::Ukr => &[Script::Cyrillic],
        Lang::Ara => &[Script::Arabic],
        Lang::Heb => &[Script::Hebrew],
        Lang::Hin => &[Script::Devanagari],
        Lang::Jpn => &[Script::Hiragana, Script::Katakana, Script::Mandarin],
        Lang::Kor => &[Script::Hangul],
        Lang::Cmn => &[Script::Mandarin],
        _ => &[Script::Latin],
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Question,
    Fragment,
    Statement,
}

/// The longest fragment, in words. At half most searches count as statements, at twice most statements as searches.
const FRAGMENT: usize = 6;

fn form_of(text: &str) -> Form {
    let asks = text.ends_with(['?', '？', '؟', ';']) || text.contains(['¿', '？']);
    match words_of(text) {
        _ if asks => Form::Question,
        0..=FRAGMENT => Form::Fragment,
        _ => Form::Statement,
    }
}

/// The warnings about a list as a whole. Only questions without a finding count.
fn quotas(checked: &[CheckedQuestion]) -> Vec<Warning> {
    let good: Vec<&OwnQuestion> = checked
        .iter()
        .filter(|checked| checked.findings.is_empty())
        .map(|checked| &checked.question)
        .collect();
    let mut warnings = Vec::new();
    let mut warn = |code: &str, message: String| warnings.push(Warning::new(code, message));
    if good.len() < crate::questions::ENOUGH {
        let message = format!(
            "{} questions are without a finding; {} make a reliable panel",
            good.len(),
            crate::questions::ENOUGH
        );
        warn("few_questions", message);
    }
    // Among a handful a share says little.
    if good.len() < 2 * MOST_OF_A_FORM {
        return warnings;
    }
    let count = |form| {
        good.iter()
            .filter(|question| form_of(question.as_str()) == form)
            .count()
    };
    for (form, noun, shares) in [
        (Form::Question, "questions", 55..=80),
        (Form::Fragment, "short searches", 10..=30),
    ] {
        let share = 100 * count(form) / good.len();
        if !shares.contains(&share) {
            let message = format!(
                "{share} % are {noun}; people write {} to {} %",
                shares.start(),
                shares.end()
            );
            warn("uneven_forms", message);
        }
    }
    let intents: FxHashSet<&str> = good
        .iter()
        .filter_map(|question| question.intent.as_ref().map(|intent| intent.as_str()))
        .collect();
    if !intents.is_empty() && intents.len() < 5 {
        let message = format!(
            "the questions have {} intents; five at least cover a market",
            intents.len()
        );
        warn("few_intents", message);
    }
    warnings
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
