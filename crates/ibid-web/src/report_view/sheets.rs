//! Tables for reports without a layout.

use super::ReportView;
use super::competitors::CompetitorRow;
use super::insights::SiteRow;
use crate::pages::class_label;

/// A table with its title, and the lines below it.
#[derive(Default)]
pub(crate) struct Sheet {
    pub(crate) title: &'static str,
    /// Head of each column, and whether its values are numbers.
    pub(crate) columns: Vec<(&'static str, bool)>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) below: Vec<String>,
}

const fn words(head: &'static str) -> (&'static str, bool) {
    (head, false)
}

const fn numbers(head: &'static str) -> (&'static str, bool) {
    (head, true)
}

impl ReportView<'_> {
    /// The tables that have rows, in the order of the pages.
    pub(crate) fn sheets(&self) -> Vec<Sheet> {
        let mut sheets = vec![
            self.model_sheet(),
            self.intent_sheet(),
            self.ring_sheet(),
            self.competitor_sheet(),
            self.site_sheet(),
        ];
        sheets.retain(|sheet| !sheet.rows.is_empty());
        sheets
    }

    fn model_sheet(&self) -> Sheet {
        let scored = self.models.iter().zip(&self.result.models);
        let rows = scored.map(|(row, model)| match &row.failed {
            Some(failed) => vec![row.label.clone(), failed.clone()],
            None => vec![
                row.label.clone(),
                bar(model.score.get()),
                row.score.clone(),
                row.interval.clone(),
                row.cited.clone(),
                row.linked.clone(),
                row.rank.clone(),
                class_label(row.prominence).to_owned(),
                row.answers.to_owned(),
            ],
        });
        Sheet {
            title: "Models (core questions)",
            columns: vec![
                words("model"),
                words(""),
                numbers("score"),
                numbers("likely range"),
                numbers("cited"),
                numbers("linked"),
                numbers("rank"),
                words("usually"),
                words("answers"),
            ],
            rows: rows.collect(),
            ..Sheet::default()
        }
    }

    fn intent_sheet(&self) -> Sheet {
        // One intent is the whole scan.
        let intents = self
            .insights
            .intents
            .iter()
            .filter(|_| self.insights.intents.len() > 1);
        let rows = intents.map(|row| {
            [
                &row.name,
                &row.answers,
                &row.score,
                &row.cited,
                &row.range,
                &row.competitors,
            ]
            .map(String::clone)
            .to_vec()
        });
        Sheet {
            title: "By intent of the question",
            columns: vec![
                words("intent"),
                numbers("answers"),
                numbers("score"),
                numbers("cited"),
                numbers("likely range"),
                words("competitors there"),
            ],
            rows: rows.collect(),
            ..Sheet::default()
        }
    }

    fn ring_sheet(&self) -> Sheet {
        let rows = self.radius.rings.iter().map(|row| {
            [
                &row.label,
                &row.extent,
                &row.answers,
                &row.score,
                &row.cited,
                &row.cited_interval,
                &row.towns,
            ]
            .map(String::clone)
            .to_vec()
        });
        let below = [Some(&self.radius.headline), self.radius.note.as_ref()];
        Sheet {
            title: "Rings",
            columns: vec![
                words("ring"),
                numbers("distance"),
                numbers("answers"),
                numbers("score"),
                numbers("cited"),
                numbers("likely range"),
                words("towns"),
            ],
            rows: rows.collect(),
            below: below.into_iter().flatten().cloned().collect(),
        }
    }

    fn competitor_sheet(&self) -> Sheet {
        let row = |row: &CompetitorRow| {
            let own = if row.own { "▶" } else { "" };
            vec![
                own.to_owned(),
                row.rank.clone(),
                row.rank_interval.clone(),
                row.name.clone(),
                row.domain.clone(),
                row.score.clone(),
                row.share.clone(),
                row.named.clone(),
            ]
        };
        let others: Vec<&str> = self
            .competitors
            .others
            .iter()
            .map(|other| other.name.as_str())
            .collect();
        let others = (!others.is_empty()).then(|| format!("Directories and media: {}", others.join(", ")));
        Sheet {
            title: "Competitors (▶ is the scanned domain)",
            columns: vec![
                words(""),
                numbers("rank"),
                numbers("(range)"),
                words("name"),
                words("website"),
                numbers("visibility"),
                numbers("share"),
                numbers("named in"),
            ],
            rows: self.competitors.shown.iter().map(row).collect(),
            below: others.into_iter().collect(),
        }
    }

    fn site_sheet(&self) -> Sheet {
        let row = |row: &SiteRow| {
            vec![
                row.domain.clone(),
                row.kind.to_owned(),
                row.answers.clone(),
                row.share.clone(),
                row.with_target.clone(),
                row.competitors.clone(),
            ]
        };
        let pages = self.insights.pages.iter().map(|page| {
            format!(
                "Your page {} is cited in {} answers ({})",
                page.page.label, page.answers, page.intents
            )
        });
        Sheet {
            title: "Sites that answers cite",
            columns: vec![
                words("site"),
                words("kind"),
                numbers("answers"),
                numbers("share"),
                numbers("with you"),
                words("competitors there"),
            ],
            rows: self.insights.sites.iter().map(row).collect(),
            below: pages.collect(),
        }
    }
}

/// Draws a score from 0 to 100 as a bar of ten characters.
fn bar(score: f64) -> String {
    let blocks = (score / 10.0).round().clamp(0.0, 10.0) as usize;
    "█".repeat(blocks) + &"·".repeat(10 - blocks)
}
