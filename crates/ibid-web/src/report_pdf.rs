//! A report of a project as PDF.

use crate::figure;
use crate::pages::{ReportSeries, change_and_why, kind_in_words, note_day_in};
use crate::trend::{Axis, pauses, side_by_side};
use ibid_card::{CardError, PdfBlock, PdfDocument, PdfTable, PdfTrend, draw_pdf};
use ibid_model::result::{ProjectReport, ReportNumbers, ReportPart, ReportQuestion, ReportSection};
use ibid_model::{Interval, Locale, Score};
use jiff::Timestamp;

/// Draws a report. `address` is where its file is, for readers of the PDF; takes some 100 ms.
pub fn report_pdf(
    report: &ProjectReport,
    (address, sha256): (Option<&str>, &str),
    logo: Option<&[u8]>,
) -> Result<Vec<u8>, CardError> {
    let place = report
        .project
        .place
        .as_deref()
        .map(|place| format!(" in {place}"));
    let lead = format!(
        "{}, “{}”{} · {}",
        report.project.domain,
        report.project.keyword,
        place.unwrap_or_default(),
        figure::date_in(&report.project.locale, report.made_at)
    );
    let mut blocks = Vec::new();
    if report.project.sandbox {
        blocks.push(PdfBlock::Text(
            "Sandbox. Every answer here is invented.".to_owned(),
        ));
    }
    for part in &report.sections {
        blocks.push(PdfBlock::Heading(part.section.heading().to_owned()));
        let note = part.note.lines().map(str::trim).filter(|line| !line.is_empty());
        blocks.extend(note.map(|line| PdfBlock::Text(line.to_owned())));
        section(report, part, &mut blocks);
    }
    blocks.push(PdfBlock::Heading("How this was measured".to_owned()));
    // One page before tables: what changed, why, what to do.
    let is_told = report.sections.first().map(|part| part.section) == Some(ReportSection::Summary);
    let table = blocks
        .iter()
        .position(|block| matches!(block, PdfBlock::Table(_)));
    let before = table.and_then(|at| blocks.get(..at)).unwrap_or(&blocks);
    let heading = before
        .iter()
        .rposition(|block| matches!(block, PdfBlock::Heading(_)));
    if let Some(at) = heading.filter(|_| is_told) {
        blocks.insert(at, PdfBlock::Page);
    }
    blocks.push(PdfBlock::Table(PdfTable {
        head: words(&["Topic", "For this report"]),
        rows: report
            .numbers
            .disclosure
            .iter()
            .map(|row| vec![row.topic.clone(), row.text.clone()])
            .collect(),
        widths: vec![1.0, 3.4],
        words: 2,
    }));
    if let Some(address) = address {
        blocks.push(PdfBlock::Link(
            "The file with every counted answer".to_owned(),
            address.to_owned(),
        ));
    }
    blocks.push(PdfBlock::Small(format!("SHA-256 of the file: {sha256}")));
    let foot = match report.cover.footer {
        true => format!("{} · Measured with ibid", report.project.domain),
        false => report.project.domain.clone(),
    };
    draw_pdf(&PdfDocument {
        title: &report.cover.title,
        author: report.cover.sender.as_deref(),
        lead: &lead,
        accent: channels(&report.cover.accent),
        logo,
        foot: &foot,
        blocks: &blocks,
    })
}

fn section(report: &ProjectReport, part: &ReportPart, blocks: &mut Vec<PdfBlock>) {
    let (numbers, locale) = (&report.numbers, &report.project.locale);
    match part.section {
        ReportSection::Summary => summary(numbers, blocks),
        ReportSection::Trend => trend(report, blocks),
        ReportSection::Models => blocks.push(PdfBlock::Table(PdfTable {
            head: words(&["Model", "Score", "Likely range", "Answers that cite the website"]),
            rows: numbers
                .models
                .iter()
                .map(|row| {
                    vec![
                        row.name.clone(),
                        score(row.score),
                        range(row.interval.as_ref()),
                        format!("{} of {}", count(locale, row.cited), count(locale, row.answers)),
                    ]
                })
                .collect(),
            widths: vec![3.0, 1.0, 1.4, 1.6],
            words: 1,
        })),
        ReportSection::Competitors => competitors(numbers, locale, blocks),
        ReportSection::Sources => sources(numbers, locale, blocks),
        ReportSection::Questions => {
            blocks.push(questions("Question", &numbers.questions, locale));
            if !numbers.branded.is_empty() {
                let head = "Question that names the website, counted apart";
                blocks.push(questions(head, &numbers.branded, locale));
            }
        }
        ReportSection::Notes => {
            let notes = report.notes.iter();
            blocks
                .extend(notes.map(|note| {
                    PdfBlock::Text(format!("{}  {}", note_day_in(locale, &note.day), note.text))
                }));
        }
    }
}

fn questions(first: &str, rows: &[ReportQuestion], locale: &Locale) -> PdfBlock {
    let row = |row: &ReportQuestion| {
        vec![
            row.text.clone(),
            count(locale, row.answers),
            count(locale, row.cited),
            count(locale, row.named),
        ]
    };
    PdfBlock::Table(PdfTable {
        head: words(&[first, "Answers", "Cite the website", "Name a competitor"]),
        rows: rows.iter().map(row).collect(),
        widths: vec![5.0, 1.0, 1.1, 1.2],
        words: 1,
    })
}

fn summary(numbers: &ReportNumbers, blocks: &mut Vec<PdfBlock>) {
    let level = numbers
        .history
        .as_ref()
        .and_then(|history| history.level.as_ref());
    let figure = match (level, numbers.trend.last()) {
        (Some(level), _) => Some((
            figure::whole(level.score.get()),
            format!(
                "Likely {}, over {} runs.",
                figure::interval(&level.interval),
                level.runs
            ),
        )),
        (None, Some(last)) => Some((score(last.score), "One run.".to_owned())),
        (None, None) => None,
    };
    blocks.extend(figure.map(|(number, words)| PdfBlock::Figure(number, words)));
    let (changed, why) = change_and_why(numbers);
    let told = [
        ("What changed", vec![changed]),
        ("Why", vec![why]),
        ("What to do", numbers.steps.clone()),
    ];
    for (heading, texts) in told {
        let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        if !texts.is_empty() {
            blocks.push(PdfBlock::Heading(heading.to_owned()));
            blocks.extend(texts.into_iter().map(PdfBlock::Text));
        }
    }
    let meaning = "The score, 0 to 100, says how often and how prominently AI answers cite the website.";
    blocks.push(PdfBlock::Small(meaning.to_owned()));
}

fn trend(report: &ProjectReport, blocks: &mut Vec<PdfBlock>) {
    let (numbers, locale) = (&report.numbers, &report.project.locale);
    let ReportSeries { points, marks, level } = ReportSeries::of(report);
    if points.len() > 1 {
        let axis = Axis::of(&points, &[]);
        let share = |at: Timestamp| (axis.place(at) / 100.0) as f32;
        let places: Vec<f64> = marks.iter().map(|mark| axis.place(mark.at)).collect();
        let beside = side_by_side(&places, 3.0, 99.0);
        let fraction = |(line, number)| ((line / 100.0) as f32, (number / 100.0) as f32);
        let bounds = |interval: &Interval| (interval.low as f32, interval.high as f32);
        blocks.push(PdfBlock::Trend(PdfTrend {
            points: points
                .iter()
                .map(|point| {
                    let range = point.interval.as_ref().map(bounds);
                    (share(point.at), point.score.get() as f32, range)
                })
                .collect(),
            level: level.map(|(score, at)| (share(at), score.get() as f32)),
            labels: axis
                .labels(locale)
                .into_iter()
                .map(|(x, label, year)| {
                    let label = year.map_or_else(|| label.clone(), |year| format!("{label} {year}"));
                    ((x / 100.0) as f32, label)
                })
                .collect(),
            marks: places.into_iter().zip(beside).map(fraction).collect(),
        }));
    }
    let pauses = pauses(&points, locale);
    blocks.extend((!pauses.is_empty()).then_some(PdfBlock::Small(pauses)));
    for (number, mark) in (1..).zip(&marks) {
        let number: u32 = number;
        let words = format!("{number}  {}  {}", figure::date_in(locale, mark.at), mark.text);
        blocks.push(PdfBlock::Small(words));
    }
    blocks.push(PdfBlock::Heading("The scores as a table".to_owned()));
    let rows = numbers.trend.iter().rev();
    let rows = rows.map(|point| {
        vec![
            figure::date_in(locale, point.at),
            score(point.score),
            range(point.interval.as_ref()),
        ]
    });
    blocks.push(PdfBlock::Table(PdfTable {
        head: words(&["Run", "Score", "Likely range"]),
        rows: rows.collect(),
        widths: vec![2.0, 1.0, 1.0],
        words: 1,
    }));
}

fn competitors(numbers: &ReportNumbers, locale: &Locale, blocks: &mut Vec<PdfBlock>) {
    let found = &numbers.competitors;
    blocks.push(PdfBlock::Small(format!(
        "Counted from {} of the last {}.",
        figure::plural_in(locale, found.answers.into(), "answer", "answers"),
        figure::plural_in(locale, found.runs.into(), "run", "runs")
    )));
    let rows = found.rows.iter().map(|row| {
        vec![
            row.name.clone(),
            format!("{} of {}", count(locale, row.named), count(locale, found.answers)),
            row.share.map_or_else(
                || figure::DASH.to_owned(),
                |share| figure::percent_in(locale, share),
            ),
            row.interval.as_ref().map_or_else(String::new, |interval| {
                figure::percent_interval_in(locale, interval)
            }),
        ]
    });
    blocks.push(PdfBlock::Table(PdfTable {
        head: words(&["Competitor", "Answers that name it", "Last run", "Likely range"]),
        rows: rows.collect(),
        widths: vec![3.0, 1.6, 1.0, 1.4],
        words: 1,
    }));
}

fn sources(numbers: &ReportNumbers, locale: &Locale, blocks: &mut Vec<PdfBlock>) {
    let found = &numbers.sources;
    blocks.push(PdfBlock::Small(format!(
        "{} of {} cite or use a page.",
        count(locale, found.citing),
        figure::plural_in(locale, found.answers.into(), "answer", "answers")
    )));
    let kinds = found.kinds.iter().map(|row| {
        vec![
            kind_in_words(&row.kind).to_owned(),
            count(locale, row.sites),
            count(locale, row.answers),
            count(locale, row.cited),
        ]
    });
    blocks.push(PdfBlock::Table(PdfTable {
        head: words(&["Kind", "Sites", "Answers", "Cited in the text"]),
        rows: kinds.collect(),
        widths: vec![3.0, 1.0, 1.0, 1.4],
        words: 1,
    }));
    let sites = found.sites.iter().map(|row| {
        vec![
            row.domain.clone(),
            kind_in_words(&row.kind).to_owned(),
            count(locale, row.answers),
            count(locale, row.cited),
        ]
    });
    blocks.push(PdfBlock::Table(PdfTable {
        head: words(&["Site", "Kind", "Answers", "Cited in the text"]),
        rows: sites.collect(),
        widths: vec![2.4, 2.4, 1.0, 1.4],
        words: 2,
    }));
}

fn count(locale: &Locale, number: u32) -> String {
    locale.count(number.into())
}

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn score(score: Option<Score>) -> String {
    score.map_or_else(|| figure::DASH.to_owned(), |score| figure::whole(score.get()))
}

fn range(interval: Option<&Interval>) -> String {
    interval.map_or_else(String::new, figure::interval)
}

/// Reads the channels of a colour such as `#0a665f`; black for another text.
fn channels(accent: &str) -> [u8; 3] {
    let channel = |at: usize| {
        let hex = accent.get(at..at + 2)?;
        u8::from_str_radix(hex, 16).ok()
    };
    match (channel(1), channel(3), channel(5)) {
        (Some(red), Some(green), Some(blue)) => [red, green, blue],
        _ => [0; 3],
    }
}
