//! A message to a person, and its forms as mail.

use crate::digest::Digest;
use crate::event::{
    AlertReason, Confirmation, ConfirmationOf, LostQuestion, NewsEvent, RaisedAlert, ReachedBudget,
};
use crate::text::{cut, line};
use askama::Template;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use url::Url;

/// Longest subject in characters: mail clients show about 70.
const SUBJECT: usize = 120;
/// Most alerts of a summary: with some 1,000 bytes each its mail stays below 60 KB.
const MOST_ALERTS: usize = 20;

/// Most bytes for the projects in a digest, text and page together. With the rest the mail stays below 60 KB; twice is
/// what mail programs cut off, and half would leave projects of an agency out.
const MOST_BYTES: usize = 56 << 10;
/// Bytes that a project's markup takes.
const MARKUP: usize = 160;

/// A message to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The subject, one line.
    pub subject: String,
    pub lines: Vec<String>,
    /// One for each project in a digest.
    pub rows: Vec<NoteRow>,
    /// The link to follow: its words and its address.
    pub link: Option<(String, String)>,
}

/// A project in a digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteRow {
    pub name: String,
    pub domain: String,
    /// What happened.
    pub sentence: String,
    /// What else is told, each in a line of its own.
    pub more: Vec<String>,
    pub url: String,
}

impl NoteRow {
    /// What it says, in one text.
    pub(crate) fn words(&self) -> String {
        let texts = std::iter::once(&self.sentence).chain(&self.more);
        texts.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Its bytes in the text and the page of a mail.
    fn bytes(&self) -> usize {
        let escaped = ['&', '<', '>', '"', '\''];
        let texts = [&self.name, &self.domain, &self.words(), &self.url];
        let bytes = texts.map(|text| 2 * text.len() + 4 * text.matches(escaped).count());
        bytes.iter().sum::<usize>() + MARKUP + 4 * self.more.len()
    }
}

/// Alerts that came on a day after those that were sent one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub alerts: Vec<SummaryLine>,
    /// Alerts that are left out.
    pub more: u32,
}

/// An alert in a summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryLine {
    pub subject: String,
    /// What happened.
    pub sentence: String,
    pub url: String,
}

impl Summary {
    /// Adds an alert, as its reader would have got it.
    pub fn add(&mut self, note: &Note) {
        if self.alerts.len() == MOST_ALERTS {
            self.more += 1;
            return;
        }
        self.alerts.push(SummaryLine {
            subject: note.subject.clone(),
            sentence: note.lines.join(" "),
            url: note.link.as_ref().map(|(_, url)| url.clone()).unwrap_or_default(),
        });
    }
}

#[derive(Template)]
#[template(path = "mail.html")]
struct MailPage<'a> {
    note: &'a Note,
    unsubscribe: Option<&'a str>,
}

impl Note {
    /// Writes the message about an event. Links begin with `base`.
    pub fn of_event(event: NewsEvent, base: &Url) -> Self {
        let base = base.as_str().trim_end_matches('/');
        match event {
            NewsEvent::AlertRaised(alert) | NewsEvent::ChangeNoticed(alert) => Self::alert(&alert, base),
            NewsEvent::QuestionLost(lost) => Self::lost_question(&lost, base),
            NewsEvent::Summary(summary) => Self::summary(summary),
            NewsEvent::BudgetReached(budget) => Self::budget(&budget, base),
            NewsEvent::Digest(digest) => Self::digest(&digest, base),
            NewsEvent::Confirm(asked) => Self::confirmation(&asked, base),
            NewsEvent::Test { name } => Self::test(&name),
        }
    }

    pub fn text(&self, unsubscribe: Option<&str>) -> String {
        let mut parts = self.lines.clone();
        for row in &self.rows {
            let of = match row.domain.as_str() {
                "" => String::new(),
                domain => format!(" ({domain})"),
            };
            let mut lines = vec![format!("{}{of}", row.name), row.sentence.clone()];
            lines.extend(row.more.iter().cloned());
            lines.push(row.url.clone());
            parts.push(lines.join("\n"));
        }
        if let Some((words, url)) = &self.link {
            parts.push(format!("{words}: {url}"));
        }
        if let Some(url) = unsubscribe {
            parts.push(format!("-- \nNo more of these mails: {url}"));
        }
        parts.join("\n\n") + "\n"
    }

    /// Writes a mail's page, which loads nothing.
    ///
    /// # Errors
    /// A template that cannot be written.
    pub fn html(&self, unsubscribe: Option<&str>) -> Result<String, askama::Error> {
        MailPage {
            note: self,
            unsubscribe,
        }
        .render()
    }

    fn alert(alert: &RaisedAlert, base: &str) -> Self {
        let what = match (alert.kind, alert.changes.last()) {
            (AlertReason::Changed, Some(change)) => {
                let verb = if change.after < change.before {
                    "fell"
                } else {
                    "rose"
                };
                format!(
                    "the score {verb} from {:.0} to {:.0}",
                    change.before, change.after
                )
            }
            (AlertReason::Changed, None) => "the score changed".to_owned(),
            (AlertReason::Failing, _) => "runs fail".to_owned(),
        };
        let mut lines = vec![line(&alert.summary)];
        if !alert.changes.is_empty() {
            lines.push(
                "How sure: chance alone raises such an alert once in two years of weekly runs.".to_owned(),
            );
        }
        lines.extend(alert.next_step.as_deref().map(line));
        Self {
            subject: subject(&format!("{}: {what}", alert.name)),
            lines,
            rows: Vec::new(),
            link: Some(match alert.project_id {
                Some(project) => ("Open the project".to_owned(), project_url(base, project)),
                None => (
                    "Open the schedules".to_owned(),
                    format!("{base}/workspace/schedules"),
                ),
            }),
        }
    }

    fn lost_question(lost: &LostQuestion, base: &str) -> Self {
        let (question, before, since) = (line(&lost.question), lost.before, lost.since);
        Self {
            subject: subject(&format!("{}: a question lost its answers", lost.name)),
            lines: vec![format!(
                "“{question}”: cited in {before} of the three runs before, in {since} of the last three runs."
            )],
            rows: Vec::new(),
            link: Some(("Open the project".to_owned(), project_url(base, lost.project_id))),
        }
    }

    fn summary(summary: Summary) -> Self {
        let count = summary.alerts.len() + summary.more as usize;
        let rows = summary.alerts.into_iter().map(|alert| NoteRow {
            name: alert.subject,
            domain: String::new(),
            sentence: alert.sentence,
            more: Vec::new(),
            url: alert.url,
        });
        Self {
            subject: subject(&format!("{count} more alerts")),
            lines: vec!["Ten alerts came one by one; these are the others of that day.".to_owned()],
            rows: rows.collect(),
            link: None,
        }
    }

    fn budget(budget: &ReachedBudget, base: &str) -> Self {
        let (subject_words, sentence) = match budget.percent {
            100.. => (
                "the budget of the month is reached",
                "No run starts before the next month, or before the budget is raised.",
            ),
            _ => (
                "most of the budget of the month is spent",
                "Runs go on until the budget is reached.",
            ),
        };
        let spent = format!(
            "${:.2} of ${:.2} of this month are spent. {sentence}",
            budget.spent_usd, budget.budget_usd
        );
        Self {
            subject: subject(&format!("{}: {subject_words}", budget.name)),
            lines: vec![spent],
            rows: Vec::new(),
            link: Some((
                "Open the project".to_owned(),
                project_url(base, budget.project_id),
            )),
        }
    }

    fn digest(digest: &Digest, base: &str) -> Self {
        let changed: Vec<&str> = digest
            .projects
            .iter()
            .filter(|project| project.changed)
            .map(|project| project.name.as_str())
            .collect();
        let mut left = MOST_BYTES;
        let rows = digest.projects.iter().map(|project| NoteRow {
            name: line(&project.name),
            domain: line(&project.domain),
            sentence: line(&project.sentence()),
            more: project.lines().iter().map(|text| line(text)).collect(),
            url: project_url(base, line(&project.project_id)),
        });
        let rows = rows.map_while(|row| {
            left = left.checked_sub(row.bytes())?;
            Some(row)
        });
        let rows: Vec<NoteRow> = rows.collect();
        let more = digest.more as usize + digest.projects.len() - rows.len();
        let of = match digest.period.as_str() {
            "monthly" => "month",
            _ => "week",
        };
        let news = match changed.as_slice() {
            [] => format!("no change this {of}"),
            [one] => format!("{one} changed"),
            more => format!("{} projects changed", more.len()),
        };
        let failed = digest.projects.iter().any(|project| project.failure.is_some());
        let news = news + if failed { ", and a run failed" } else { "" };
        let whose = match digest.projects.as_slice() {
            [one] => one.name.clone(),
            _ => "Your projects".to_owned(),
        };
        let news = match digest.projects.as_slice() {
            [one] => one.headline().unwrap_or(news),
            _ => news,
        };
        Self {
            subject: subject(&format!("{whose}: {news}")),
            lines: match more {
                0 => Vec::new(),
                _ => vec![format!("The first {} projects, and {more} more.", rows.len())],
            },
            rows,
            link: None,
        }
    }

    fn confirmation(asked: &Confirmation, base: &str) -> Self {
        let whose = match asked.of {
            ConfirmationOf::Project => "a project",
            ConfirmationOf::Account => "all of their projects",
            ConfirmationOf::Organisation => "every project of an organisation",
        };
        let server = base.split_once("://").map_or(base, |(_, server)| server);
        Self {
            subject: subject("Confirm this address for ibid"),
            lines: vec![
                format!("Someone asked to send news of {whose} on {server} to this address."),
                "If you did not expect this, do nothing: no further mail comes.".to_owned(),
            ],
            rows: Vec::new(),
            link: Some((
                "Confirm".to_owned(),
                format!("{base}/mail/confirm/{}", asked.token),
            )),
        }
    }

    /// Writes an invitation. It does not quote the inviter, because strangers get it.
    pub fn invitation(base: &str, path: &str) -> Self {
        let server = base.split_once("://").map_or(base, |(_, server)| server);
        Self {
            subject: subject("An invitation to a project on ibid"),
            lines: vec![
                format!("Someone invites you to a project on {server}. The link opens it within three days."),
                "If you did not expect this, do nothing: no further mail comes.".to_owned(),
            ],
            rows: Vec::new(),
            link: Some(("Open the project".to_owned(), format!("{base}{path}"))),
        }
    }

    /// A message to try an address.
    pub fn test(name: &str) -> Self {
        Self {
            subject: subject(&format!("A test from ibid: {name}")),
            lines: vec!["Messages of ibid arrive here.".to_owned()],
            rows: Vec::new(),
            link: None,
        }
    }
}

fn project_url(base: &str, id: impl Display) -> String {
    format!("{base}/workspace/projects/{id}")
}

fn subject(text: &str) -> String {
    cut(line(text), SUBJECT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PROJECT: &str = "0198f3a2-7c1e-7d3a-9b1e-2f3c4d5e6f70";

    fn note(kind: &str, data: serde_json::Value) -> Note {
        let event = json!({"type": kind, "timestamp": "2026-11-23T08:00:00Z", "data": data});
        let base = Url::parse("https://ibid.example/").unwrap();
        Note::of_event(serde_json::from_value(event).unwrap(), &base)
    }

    #[test]
    fn an_alert_says_what_happened() {
        let alert = note(
            "alert.raised",
            json!({
                "alertId": PROJECT, "scheduleId": PROJECT, "dueAt": "2026-11-23T08:00:00Z", "links": {"alerts": "/"}, "name": "Bright\r\nBcc: a@b.example", "kind": "changed",
                "projectId": PROJECT, "nextStep": "Next: read the answers of OpenAI since then.",
                "summary": "Fell from 38 to 23 (−15, −22 to −8) about 3 November; noticed 10 November. OpenAI stopped naming you.",
                "changes": [{"before": 38.0, "after": 23.0, "difference": -15.0}],
            }),
        );
        assert_eq!(
            alert.subject,
            "Bright Bcc: a@b.example: the score fell from 38 to 23"
        );
        insta::assert_snapshot!(alert.text(Some("https://ibid.example/mail/unsubscribe/t")), @r"
        Fell from 38 to 23 (−15, −22 to −8) about 3 November; noticed 10 November. OpenAI stopped naming you.

        How sure: chance alone raises such an alert once in two years of weekly runs.

        Next: read the answers of OpenAI since then.

        Open the project: https://ibid.example/workspace/projects/0198f3a2-7c1e-7d3a-9b1e-2f3c4d5e6f70

        -- 
        No more of these mails: https://ibid.example/mail/unsubscribe/t
        ");
    }

    #[test]
    fn a_lost_question_is_the_subject() {
        let share = |cited: u32| json!({"citedAnswers": cited, "answers": 8});
        let lost = note(
            "question.lost",
            json!({"projectId": PROJECT, "scanId": PROJECT, "name": "Bright", "question": "Who?", "before": share(3), "since": share(0)}),
        );
        assert_eq!(lost.subject, "Bright: a question lost its answers");
    }

    #[test]
    fn a_summary_stays_short() {
        let alert = Note {
            subject: "S".repeat(SUBJECT),
            lines: vec!["w".repeat(600)],
            rows: Vec::new(),
            link: Some((
                "Open".to_owned(),
                format!("https://ibid.example/{}", "p".repeat(60)),
            )),
        };
        let mut summary = Summary::default();
        for _ in 0..MOST_ALERTS + 5 {
            summary.add(&alert);
        }
        let note = note("news.summary", json!(summary));
        assert_eq!(
            (note.subject.as_str(), note.rows.len()),
            ("25 more alerts", MOST_ALERTS)
        );
        let size = note.text(None).len() + note.html(None).unwrap().len();
        assert!(size <= 60 * 1024, "{size}");
    }

    #[test]
    fn the_longest_digest_stays_below_60_kb() {
        let sizes = ["Brightspoke", &"&".repeat(120), &"漢".repeat(120)].map(|name| {
            let project = json!({
                "projectId": PROJECT, "name": name, "domain": "d".repeat(253), "score": 31.0,
                "interval": {"low": 24.0, "high": 38.0, "level": 0.95, "lowPrecision": false},
                "verdict": "Fell from 38 to 23 (−15, −22 to −8) about 3 November; noticed 10 November. ".repeat(9),
                "changed": true, "ran": true, "spentUsd": 3.07,
                "attention": ["The last run failed", "The budget holds runs back", "Four fifths of the budget are spent"],
            });
            let projects = vec![project; 30];
            let note = note(
                "news.digest",
                json!({"period": "monthly", "day": "2026-11-23", "projects": projects, "more": 4}),
            );
            let (shown, unsubscribe) = (note.rows.len(), "https://ibid.example/mail/unsubscribe/".to_owned());
            let unsubscribe = unsubscribe + &"t".repeat(43);
            let expected = format!("The first {shown} projects, and {} more.", 34 - shown);
            assert_eq!(note.lines, [expected]);
            let size = note.text(Some(&unsubscribe)).len() + note.html(Some(&unsubscribe)).unwrap().len();
            assert!(shown >= 10 && size <= 60 << 10, "{shown} projects, {size} bytes");
            (shown, size)
        });
        // Shown with `--nocapture`.
        eprintln!("projects and bytes of the longest digests: {sizes:?}");
    }

    #[test]
    fn markup_in_a_name_is_text() {
        let digest = note(
            "news.digest",
            json!({"period": "weekly", "day": "2026-11-23", "projects": [{
                "projectId": PROJECT, "name": "<img src=x>", "domain": "a.example", "score": 31.0,
                "interval": {"low": 24.0, "high": 38.0, "level": 0.95, "lowPrecision": false}, "verdict": "No change.", "changed": false,
                "ran": true, "spentUsd": 3.07, "attention": [],
            }]}),
        );
        assert_eq!(digest.subject, "<img src=x>: no change this week");
        let html = digest.html(None).unwrap();
        assert!(
            !html.contains("<img") && html.contains("Score 31 (likely 24–38). No change."),
            "{html}"
        );
    }

    #[test]
    fn a_week_without_a_run_says_why() {
        let digest = note(
            "news.digest",
            json!({"period": "weekly", "day": "2026-11-23", "projects": [{
                "projectId": PROJECT, "name": "Bright", "domain": "a.example", "score": 31.0, "interval": null,
                "verdict": "No change.", "changed": false, "ran": false, "spentUsd": 3.07, "attention": [],
                "failure": "failed: The account has no credit left. Add some.",
            }]}),
        );
        assert_eq!(digest.subject, "Bright: no change this week, and a run failed");
        let row = &digest.rows[0];
        let sentence = "Score 31. The last run failed: The account has no credit left. Add some.";
        assert_eq!(row.sentence, sentence);
    }

    #[test]
    fn events_for_programs_are_no_news() {
        let event = json!({"type": "run.completed", "data": {}});
        let refused = serde_json::from_value::<NewsEvent>(event)
            .unwrap_err()
            .to_string();
        assert!(
            refused.starts_with("unknown variant `run.completed`"),
            "{refused}"
        );
    }
}
