//! Case files: labels, then the answer.

use ibid_engine::read::{AnswerClass, Flag, LinkKind, Stance};
use ibid_model::{BrandName, Citation, Domain, Prominence};
use serde::de::DeserializeOwned;
use std::path::Path;

/// One labelled answer.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) domain: Domain,
    pub(crate) brands: Vec<BrandName>,
    pub(crate) question: Option<String>,
    pub(crate) citations: Vec<Citation>,
    pub(crate) truncated: bool,
    pub(crate) answer: String,
    pub(crate) class: Prominence,
    /// `None`: not labelled. `Some(None)`: no rank.
    pub(crate) rank: Option<Option<u32>>,
    pub(crate) link: LinkKind,
    pub(crate) stance: Option<Stance>,
    pub(crate) kind: AnswerClass,
    pub(crate) informative: Option<bool>,
    pub(crate) flags: Vec<Flag>,
    pub(crate) rivals: Vec<String>,
}

impl Case {
    /// The language: what stands before the first dash of ids in files of languages, English elsewhere.
    pub(crate) fn language(&self) -> &str {
        let head = self.id.split('-').next().unwrap_or_default();
        if head.len() == 2 { head } else { "en" }
    }
}

/// Every case of a folder, in order of files and lines.
pub(crate) fn read(folder: &Path) -> Vec<Case> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "txt"))
        .collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        cases.extend(format!("\n{text}").split("\n#### ").skip(1).map(case));
    }
    cases
}

fn case(text: &str) -> Case {
    let (labels, answer) = text
        .split_once("\n---\n")
        .unwrap_or_else(|| panic!("no answer in {text}"));
    let mut lines = labels.lines();
    let id = lines.next().unwrap().trim().to_owned();
    let mut case = Case {
        id: id.clone(),
        domain: "example.com".parse().unwrap(),
        brands: Vec::new(),
        question: None,
        citations: Vec::new(),
        truncated: false,
        answer: answer.trim_end_matches('\n').to_owned(),
        class: Prominence::None,
        rank: None,
        link: LinkKind::None,
        stance: None,
        kind: AnswerClass::Answer,
        informative: None,
        flags: Vec::new(),
        rivals: Vec::new(),
    };
    for line in lines {
        let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("{id}: {line}"));
        let value = value.trim();
        match name {
            "domain" => case.domain = value.parse().unwrap(),
            "brand" => case.brands.push(value.parse().unwrap()),
            "ask" => case.question = Some(value.to_owned()),
            "source" => {
                let (url, title) = value
                    .split_once(' ')
                    .map_or((value, None), |(url, title)| (url, Some(title.to_owned())));
                case.citations.push(Citation {
                    url: url.to_owned(),
                    title,
                    span: None,
                });
            }
            "finish" => case.truncated = value == "truncated",
            "expect" => value
                .split_whitespace()
                .for_each(|label| expect(&mut case, label)),
            "rivals" => {
                case.rivals = value
                    .split(" | ")
                    .map(str::trim)
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect()
            }
            "why" => assert!(!value.is_empty(), "{id}: every label has its reason"),
            _ => panic!("{id}: {line}"),
        }
    }
    case
}

fn expect(case: &mut Case, label: &str) {
    let (name, value) = label.split_once('=').unwrap_or(("class", label));
    match name {
        "class" => case.class = word(value),
        "rank" => case.rank = Some(value.parse().ok()),
        "link" => case.link = word(value),
        "stance" => case.stance = Some(word(value)),
        "kind" => case.kind = word(value),
        "informative" => case.informative = Some(value == "yes"),
        "flags" => {
            case.flags = value
                .split(',')
                .filter(|flag| !flag.is_empty())
                .map(word)
                .collect()
        }
        _ => panic!("{}: {label}", case.id),
    }
}

/// A word of the wire format.
fn word<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_value(text.into()).unwrap_or_else(|error| panic!("{text}: {error}"))
}
