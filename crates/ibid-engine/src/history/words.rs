//! A history in words.

use crate::compare::Side;
use ibid_model::result::{History, HistoryChange};
use ibid_model::{Locale, ScanId};
use jiff::tz::TimeZone;

/// The runs from which on a change can be seen: the first three are what it is compared with.
pub const JUDGED: u32 = 4;

/// The last run, the level since the last change, and every change with its causes.
///
/// For example "This run 31 (20–44). Since 2 September, 12 runs: 33 (27–39). No change."
#[must_use]
pub fn sentences(history: &History, scans: &[Side<'_>]) -> Vec<String> {
    sentences_in(&Locale::default(), history, scans)
}

/// [`sentences`] with days as a place writes them: "Since September 2".
pub(crate) fn sentences_in(locale: &Locale, history: &History, scans: &[Side<'_>]) -> Vec<String> {
    let mut sentences = Vec::new();
    let last = scans.last().map(|scan| scan.result);
    if let Some((last, range)) = last.and_then(|last| Some((last, last.interval?))) {
        let score = last.overall_score.get();
        sentences.push(format!(
            "This run {score:.0} ({:.0}–{:.0}).",
            range.low, range.high
        ));
    }
    if let Some(level) = &history.level {
        let since = date(locale, level.since, scans).map(|date| format!("Since {date}, "));
        sentences.push(format!(
            "{}{} runs: {:.0} ({:.0}–{:.0}).",
            since.unwrap_or_default(),
            level.runs,
            level.score.get(),
            level.interval.low,
            level.interval.high
        ));
    }
    match (history.changes.is_empty(), history.runs) {
        (true, JUDGED..) => sentences.push("No change.".to_owned()),
        (true, 1..) => sentences.push(format!("A change shows from {JUDGED} runs on.")),
        _ => {}
    }
    let changes = history.changes.iter();
    sentences.extend(changes.map(|change| change_in(locale, change, scans)));
    sentences
}

/// For example "Fell from 38 to 23 (−15, −22 to −8) about 3 November; noticed 10 November. OpenAI stopped naming you: …"
#[must_use]
pub fn of_change(change: &HistoryChange, scans: &[Side<'_>]) -> String {
    change_in(&Locale::default(), change, scans)
}

fn change_in(locale: &Locale, change: &HistoryChange, scans: &[Side<'_>]) -> String {
    let verb = if change.difference < 0.0 { "Fell" } else { "Rose" };
    let range = change
        .interval
        .map(|range| format!(", {} to {}", signed(range.low), signed(range.high)));
    let since = date(locale, change.since, scans).map(|date| format!(" about {date}"));
    let noticed = date(locale, change.noticed_at, scans).map(|date| format!("; noticed {date}"));
    let text = format!(
        "{verb} from {:.0} to {:.0} ({}{}){}{}. {}",
        change.before,
        change.after,
        signed(change.difference),
        range.unwrap_or_default(),
        since.unwrap_or_default(),
        noticed.unwrap_or_default(),
        change.why
    );
    text.trim_end().to_owned()
}

/// The day on which a run ended, for example "2 September".
pub(super) fn date(locale: &Locale, id: Option<ScanId>, scans: &[Side<'_>]) -> Option<String> {
    let scan = scans.iter().find(|scan| scan.id == id && id.is_some())?;
    let day = scan.result.finished_at.to_zoned(TimeZone::UTC).date();
    Some(locale.day_and_month(day))
}

/// Writes whole points with a sign, for example "+12", "−3" or "0".
fn signed(points: f64) -> String {
    match points.round() {
        down if down < 0.0 => format!("−{:.0}", -down),
        up if up > 0.0 => format!("+{up:.0}"),
        _ => "0".to_owned(),
    }
}
