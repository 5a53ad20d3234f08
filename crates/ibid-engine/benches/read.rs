//! The reading speed: whole ones as models write them, the labelled ones, and hostile ones.
//!
//! `cargo bench -p ibid-engine --bench read`. `typical` are the texts in `answers`, on which the reader was not tuned:
//! a dozen answers of 1.1 to 1.7 KB in nine languages. The labelled ones are short, and each is a trap or two; `dense`
//! puts them together until they are as long as typical ones. The hostile group reads each text at three sizes: what
//! it prints as throughput must not fall as they grow.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up stops")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ibid_engine::read::{Answer, Target, read};
use std::hint::black_box;
use std::path::Path;

/// As in the server, because a reading makes many small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Bytes of a typical answer of a model.
const LENGTH: usize = 1_300;

/// The target and the question of each typical answer.
const TYPICAL: [(&str, &str, &str); 12] = [
    (
        "en-list",
        "northgateplumbing.co.uk",
        "Which emergency plumbers in Leeds would you recommend?",
    ),
    (
        "en-sections",
        "heronstreet.coffee",
        "What are the best coffee roasters in Portland?",
    ),
    (
        "en-prose",
        "ledgerly.com",
        "Which payroll provider should a mid-sized company choose?",
    ),
    (
        "en-table",
        "seehof-lindau.de",
        "Which hotels on Lake Constance are best with a dog?",
    ),
    (
        "en-long-list",
        "ropeworn.com",
        "Where can I buy used climbing gear online?",
    ),
    (
        "de-list",
        "radhaus-ottensen.de",
        "Welche Fahrradwerkstatt in Hamburg empfehlen Sie?",
    ),
    (
        "fr-list",
        "bellecour-langues.fr",
        "Où apprendre le français à Lyon ?",
    ),
    (
        "es-list",
        "clinicaturia.es",
        "¿Qué clínica dental recomiendas en Valencia?",
    ),
    (
        "it-prose",
        "cascinadelnebbiolo.it",
        "Quale agriturismo consigli nelle Langhe?",
    ),
    (
        "nl-list",
        "keukenatelierdesingel.nl",
        "Waar koop ik een nieuwe keuken in Utrecht?",
    ),
    (
        "ja-list",
        "yuragitei.example.jp",
        "京都で家族におすすめの旅館はどこですか。",
    ),
    (
        "ru-list",
        "avtodomvolga.ru",
        "Какой автосервис в Казани вы посоветуете?",
    ),
];

fn typical() -> Vec<Labelled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/answers");
    let read = |(name, domain, question): (&str, &str, &str)| Labelled {
        target: Target::new(&domain.parse().unwrap(), &[]),
        question: Some(question.to_owned()),
        text: std::fs::read_to_string(folder.join(format!("{name}.md"))).unwrap(),
    };
    TYPICAL.into_iter().map(read).collect()
}

/// An answer and its target.
struct Labelled {
    target: Target,
    question: Option<String>,
    text: String,
}

fn labelled() -> Vec<Labelled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/answers/tune");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(path).unwrap();
        for case in format!("\n{text}").split("\n#### ").skip(1) {
            let (labels, answer) = case.split_once("\n---\n").unwrap();
            let label = |name: &str| labels.lines().find_map(|line| line.strip_prefix(name));
            let brands: Vec<_> = label("brand: ")
                .map(|brand| brand.parse().unwrap())
                .into_iter()
                .collect();
            found.push(Labelled {
                target: Target::new(&label("domain: ").unwrap().parse().unwrap(), &brands),
                question: label("ask: ").map(str::to_owned),
                text: answer.to_owned(),
            });
        }
    }
    found
}

/// Labelled answers put together until each has the length that models write.
fn dense(labelled: &[Labelled]) -> Vec<Labelled> {
    let mut found: Vec<Labelled> = Vec::new();
    let mut open: Option<Labelled> = None;
    for one in labelled
        .iter()
        .filter(|one| !one.text.trim_start().starts_with(['{', '[', '<']))
    {
        let longer = match open.take() {
            Some(mut longer) => {
                longer.text.push_str("\n\n");
                longer.text.push_str(&one.text);
                longer
            }
            None => Labelled {
                target: one.target.clone(),
                question: one.question.clone(),
                text: one.text.clone(),
            },
        };
        if longer.text.len() >= LENGTH {
            found.push(longer);
        } else {
            open = Some(longer);
        }
    }
    found
}

fn answers(criterion: &mut Criterion) {
    let labelled = labelled();
    let (dense, typical) = (dense(&labelled), typical());
    let mut group = criterion.benchmark_group("answers");
    for (name, all) in [("typical", &typical), ("dense", &dense), ("labelled", &labelled)] {
        group.throughput(Throughput::Bytes(
            all.iter().map(|one| one.text.len() as u64).sum(),
        ));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for one in all {
                    let answer = Answer {
                        question: one.question.as_deref(),
                        ..Answer::of_text(&one.text)
                    };
                    black_box(read(&one.target, &answer));
                }
            });
        });
    }
    group.finish();
    criterion.bench_function("target", |bencher| {
        let domain = "northgateplumbing.co.uk".parse().unwrap();
        bencher.iter(|| black_box(Target::new(&domain, &[])));
    });
}

fn repeated(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len())
}

/// Lists in lists, as deep as the size allows.
fn nested(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 64);
    let mut depth = 0;
    while text.len() < bytes {
        text.extend(std::iter::repeat_n(' ', 2 * (depth % 200)));
        text.push_str("- **Acme** is good\n");
        depth += 1;
    }
    text
}

/// A list in which every name is another one.
fn distinct(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 64);
    let mut number = 0;
    while text.len() < bytes {
        number += 1;
        text.push_str(&format!(
            "- **Firma{number} Acme{number}** – I recommend acme.com\n"
        ));
    }
    text
}

/// The name of a text and what makes it, of about so many bytes.
type Hostile = (&'static str, fn(usize) -> String);

const HOSTILE: [Hostile; 13] = [
    ("nested lists", nested),
    ("brackets", |bytes| repeated("[", bytes)),
    ("links that do not end", |bytes| repeated("[a](", bytes)),
    ("one word", |bytes| repeated("a", bytes)),
    ("bidi marks", |bytes| repeated("\u{202e}", bytes)),
    ("stars", |bytes| repeated("**a", bytes)),
    ("distinct names", distinct),
    ("names", |bytes| repeated("Acme Alpha, ", bytes)),
    ("praise", |bytes| {
        repeated("I recommend Acme and not Beta. ", bytes)
    }),
    ("one line of numbers", |bytes| repeated("1. A 2. B ", bytes)),
    ("rows", |bytes| repeated("|a|b|\n|-|-|\n", bytes)),
    ("tags", |bytes| repeated("<a href=x><ul><li>", bytes)),
    ("hosts", |bytes| repeated("a.com-b.", bytes)),
];

fn hostile(criterion: &mut Criterion) {
    let target = Target::new(&"acme.com".parse().unwrap(), &[]);
    let mut group = criterion.benchmark_group("hostile");
    group.sample_size(10);
    for (name, make) in HOSTILE {
        for kilobytes in [256_usize, 512, 1024] {
            let text = make(kilobytes << 10);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(
                BenchmarkId::new(name, format!("{kilobytes} KB")),
                &text,
                |bencher, text| {
                    bencher.iter(|| black_box(read(&target, &Answer::of_text(text))));
                },
            );
        }
    }
    group.finish();
}

criterion_group!(benches, answers, hostile);
criterion_main!(benches);
