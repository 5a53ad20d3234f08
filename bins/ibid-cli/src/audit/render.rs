//! The report as text: gates before the number, then categories, then the most useful fixes.

use super::paint::{Paint, Tone, pad, tone, wrap};
use ibid_audit::{columns, quote_to};
use ibid_model::result::{
    AuditCheck, AuditDraft, AuditNote, AuditReport, CheckStatus, CrawlerClass, CrawlerVerdict, EvidenceKind,
    NoteLevel,
};
use ibid_web::grouped;

/// Options of the report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) paint: Paint,
    /// Columns to fill.
    pub(crate) width: usize,
    /// Every check.
    pub(crate) all: bool,
    /// Drafts in full.
    pub(crate) drafts: bool,
}

pub(crate) fn report(report: &AuditReport, options: Options) -> String {
    let mut page = Printer {
        out: String::new(),
        options,
    };
    page.title(report);
    page.gates(report);
    page.categories(report);
    if options.all {
        page.all(report);
    } else {
        page.fixes(report);
    }
    page.crawlers(report);
    page.bots(report);
    page.notes(report);
    page.drafts(report);
    page.end(report);
    page.out
}

struct Printer {
    out: String,
    options: Options,
}

impl Printer {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn paint(&self, tone: Tone, text: &str) -> String {
        self.options.paint.text(tone, text)
    }

    fn heading(&mut self, text: &str) {
        let heading = self.paint(Tone::Strong, text);
        self.line("");
        self.line(&heading);
    }

    /// Writes wrapped text with an indent on every line and a mark before the first.
    fn paragraph(&mut self, first: &str, indent: usize, tone: Option<Tone>, text: &str) {
        let lines = wrap(text, self.options.width.saturating_sub(indent));
        for (at, line) in lines.iter().enumerate() {
            let line = match tone {
                Some(tone) => self.paint(tone, line),
                None => line.clone(),
            };
            let start = if at == 0 {
                pad(first, indent)
            } else {
                " ".repeat(indent)
            };
            self.line(&format!("{start}{line}"));
        }
    }

    fn faint(&mut self, indent: usize, text: &str) {
        self.paragraph("", indent, Some(Tone::Faint), text);
    }

    fn title(&mut self, report: &AuditReport) {
        let address = report
            .final_url
            .as_deref()
            .or(report.url.as_deref())
            .unwrap_or("HTML handed in");
        let address = self.paint(Tone::Strong, &quote_to(address, self.options.width));
        self.line(&address);
        if let Some(title) = &report.page.title
            && !title.is_empty()
        {
            self.line(&quote_to(title, self.options.width));
        }
        if report.invented {
            self.line("Invented page: this audit ran in the sandbox.");
        }
        let mut facts = vec![format!("{} words", grouped(u64::from(report.page.words)))];
        facts.extend(report.page.language.clone());
        facts.push(bytes(report.page.bytes));
        facts.extend(report.status.map(|status| format!("status {status}")));
        facts.extend(report.page.elapsed_ms.map(|millis| format!("{millis} ms")));
        facts.push(format!("{}", report.fetched_at.strftime("%Y-%m-%d %H:%M UTC")));
        let facts = self.paint(Tone::Faint, &facts.join(" · "));
        self.line(&facts);
    }

    fn gates(&mut self, report: &AuditReport) {
        if report.gates.is_empty() {
            return;
        }
        self.heading("Gates");
        for gate in &report.gates {
            let mark = self.paint(Tone::Bad, "✖");
            let text = format!("at most {}: {} [{}]", gate.cap, gate.reason, gate.check);
            // The mark is one column wide, with and without colour.
            let lines = wrap(&text, self.options.width.saturating_sub(4));
            for (at, line) in lines.iter().enumerate() {
                self.line(&format!("  {} {line}", if at == 0 { mark.as_str() } else { " " }));
            }
        }
    }

    fn categories(&mut self, report: &AuditReport) {
        self.line("");
        let score = self.paint(tone(report.score), &format!("{:>3}", report.score));
        let band = self.paint(tone(report.score), report.band.label());
        let before = if report.score == report.uncapped_score {
            String::new()
        } else {
            format!("  ({} before gates)", report.uncapped_score)
        };
        let name = self.paint(Tone::Strong, "Score                 ");
        let bar = self.options.paint.bar(report.score, 30);
        self.line(&format!("{name} {score}  {bar}  {band}{before}"));
        for category in &report.categories {
            let name = pad(&category.label, 22);
            let weight = self.paint(Tone::Faint, &format!("{:>2} %", category.weight));
            match category.score {
                Some(score) => {
                    let bar = self.options.paint.bar(score, 30);
                    self.line(&format!("{name} {score:>3}  {bar}  {weight}"));
                }
                None => self.line(&format!("{name}   –  {}  {weight}", " ".repeat(30))),
            }
        }
    }

    fn fixes(&mut self, report: &AuditReport) {
        if report.top_fixes.is_empty() {
            self.heading("Nothing to fix");
            return;
        }
        self.heading("What helps most");
        let found: Vec<&AuditCheck> = report
            .top_fixes
            .iter()
            .filter_map(|id| report.checks.iter().find(|check| check.id == *id))
            .collect();
        for (check, number) in found.into_iter().zip(1..) {
            self.fix(check, number, report);
        }
    }

    fn fix(&mut self, check: &AuditCheck, number: usize, report: &AuditReport) {
        let gate = report.gates.iter().find(|gate| gate.check == check.id);
        let effect = match gate {
            Some(gate) => format!("opens the gate at {}", gate.cap),
            None => format!("up to +{:.1}", check.gain),
        };
        let start = format!("{number:>2}. {}", check.title);
        let room = self
            .options
            .width
            .saturating_sub(columns(&start) + columns(&effect));
        let title = self.paint(Tone::Strong, &start);
        let effect = self.paint(Tone::Good, &effect);
        self.line("");
        self.line(&format!("{title}{}{effect}", " ".repeat(room.max(2))));
        self.paragraph("", 4, None, &placed(&check.found, check.location.as_deref()));
        if let Some(advice) = &check.advice {
            self.paragraph("  →", 4, None, advice);
        }
        if let Some(fix) = &check.fix {
            for (mark, text) in [("  -", &fix.before), ("  +", &fix.after)] {
                for line in text.iter().flat_map(|text| text.lines()) {
                    self.paragraph(mark, 4, None, line);
                }
            }
            self.paragraph("", 4, None, &fix.summary());
        }
        self.faint(4, &format!("{} · {}", check.id, evidence(check)));
    }

    fn all(&mut self, report: &AuditReport) {
        for category in &report.categories {
            self.heading(&category.label);
            for check in report.checks.iter().filter(|check| check.category == category.id) {
                let (mark, tone) = status(check.status);
                let mark = self.paint(tone, mark);
                self.line(&format!(
                    "  {mark} {} {}  {}",
                    check.id,
                    check.title,
                    self.paint(
                        Tone::Faint,
                        &format!("weight {} · {}", check.weight, evidence(check))
                    )
                ));
                self.paragraph("", 7, None, &placed(&check.found, check.location.as_deref()));
                if let Some(advice) = &check.advice {
                    self.paragraph("     →", 7, None, advice);
                }
            }
        }
    }

    fn crawlers(&mut self, report: &AuditReport) {
        if report.crawlers.is_empty() {
            return;
        }
        self.heading("Crawlers, by robots.txt");
        for (class, name) in [
            (CrawlerClass::Search, "search"),
            (CrawlerClass::User, "on demand"),
            (CrawlerClass::Training, "training"),
        ] {
            let listed: Vec<&CrawlerVerdict> =
                report.crawlers.iter().filter(|one| one.class == class).collect();
            let names = |allowed: bool| -> String {
                listed
                    .iter()
                    .filter(|one| one.allowed == allowed)
                    .map(|one| one.agent.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let (let_in, shut_out) = (names(true), names(false));
            let mut first = format!("  {name}");
            if !let_in.is_empty() {
                self.paragraph(&first, 14, None, &format!("let in: {let_in}"));
                first = String::new();
            }
            if !shut_out.is_empty() {
                let tone = if class == CrawlerClass::Training {
                    Tone::Faint
                } else {
                    Tone::Bad
                };
                self.paragraph(&first, 14, Some(tone), &format!("shut out: {shut_out}"));
            }
        }
        let note = format!(
            "Training crawlers have no say in citation. List of {}.",
            report.bot_list_date
        );
        self.faint(2, &note);
    }

    fn bots(&mut self, report: &AuditReport) {
        let Some(bots) = &report.bots else { return };
        self.heading(&format!("Agents, compared with {}", bots.compared_with));
        for view in &bots.views {
            let (tone, answer) = match (view.status, &view.reason) {
                (Some(status), _) => {
                    let words = view.words.map_or(0, u64::from);
                    let shell = if view.is_shell {
                        ", a shell for scripts"
                    } else {
                        ""
                    };
                    let page = if view.is_challenge { ", no page" } else { "" };
                    let size = bytes(view.bytes.unwrap_or(0));
                    let tone = if view.has_page() { Tone::Good } else { Tone::Bad };
                    (
                        tone,
                        format!("{status}{page}, {} words, {size}{shell}", grouped(words)),
                    )
                }
                (None, reason) => (Tone::Faint, reason.clone().unwrap_or_default()),
            };
            self.paragraph(&format!("  {}", view.agent), 18, Some(tone), &answer);
            if self.options.all {
                self.faint(18, &view.user_agent);
            }
        }
        for note in &bots.findings {
            self.note(note);
        }
        self.faint(2, &bots.caveat);
        if !self.options.all {
            self.faint(2, "--all prints the agent strings that were sent.");
        }
    }

    fn notes(&mut self, report: &AuditReport) {
        if report.notes.is_empty() {
            return;
        }
        self.heading("Notes, without weight");
        for note in &report.notes {
            self.note(note);
        }
    }

    fn note(&mut self, note: &AuditNote) {
        let (mark, tone) = match note.level {
            NoteLevel::Warning => ("  !", Some(Tone::Middling)),
            NoteLevel::Info => ("  ·", None),
        };
        self.paragraph(mark, 4, tone, &placed(&note.message, note.location.as_deref()));
    }

    fn drafts(&mut self, report: &AuditReport) {
        if report.drafts.is_empty() {
            return;
        }
        self.heading("Drafts");
        for draft in &report.drafts {
            self.paragraph(
                "  ·",
                4,
                None,
                &format!("{}, for {} [{}]", draft.title, draft.target, draft.check),
            );
            if self.options.drafts {
                self.draft(draft);
            }
        }
        if !self.options.drafts {
            self.faint(4, "--drafts prints them.");
        }
    }

    fn draft(&mut self, draft: &AuditDraft) {
        self.faint(4, &draft.note);
        self.line("");
        for line in draft.content.lines() {
            self.line(&format!("      {line}"));
        }
        self.line("");
    }

    fn end(&mut self, report: &AuditReport) {
        self.line("");
        self.faint(0, &report.caveat);
    }
}

fn status(status: CheckStatus) -> (&'static str, Tone) {
    match status {
        CheckStatus::Pass => ("✔", Tone::Good),
        CheckStatus::Warn => ("~", Tone::Middling),
        CheckStatus::Fail => ("✖", Tone::Bad),
        CheckStatus::Na => ("–", Tone::Faint),
        CheckStatus::Unknown => ("?", Tone::Middling),
        CheckStatus::Info => ("i", Tone::Faint),
    }
}

fn evidence(check: &AuditCheck) -> String {
    let kinds: Vec<_> = check
        .evidence
        .iter()
        .map(|kind: &EvidenceKind| kind.label())
        .collect();
    let contested = if check.contested { ", contested" } else { "" };
    format!("evidence: {}{contested}", kinds.join(", "))
}

/// Adds where on the page it is, if that is known.
fn placed(text: &str, place: Option<&str>) -> String {
    place.map_or_else(|| text.to_owned(), |place| format!("{text} ({place})"))
}

fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{} bytes", grouped(count)),
        _ => format!("{} KB", grouped(count / 1_000)),
    }
}

#[cfg(test)]
mod tests;
