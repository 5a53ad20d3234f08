//! Reports of projects: frozen with the answers that their numbers follow from, and read by a public link.

use super::conversions::{at, change, full, this_month};
use super::handle::Projects;
use crate::accounts::SharePass;
use crate::clock::now_ms;
use crate::error::Error;
use crate::pictures::Pictures;
use crate::project_mentions::read_waiting;
use crate::project_numbers::{Beside, series_of};
use crate::report_printer::PrintOrder;
use crate::schedules::recurrence_of;
use crate::workspace::{MOST_LOGO_BYTES, MOST_TITLE_CHARS, ShareTerms, read_title};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ibid_engine::mentions::RunMentions;
use ibid_engine::report::{Counted, CountedRun, numbers};
use ibid_model::result::{
    ProjectReport, ReportCover, ReportFormat, ReportNote, ReportPart, ReportSection, ReportSubject,
    ScanResult,
};
use ibid_model::{FaultCode, Faults, Locale, ReportId, ScanId};
use ibid_store::{
    NewReport, NewReportLink, PackedAnswers, ProjectRecord, ProjectScope, ReportRecord, Right, Store,
    StoreError, StoredReport,
};
use jiff::Timestamp;
use secrecy::SecretString;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

/// Most reports of a project: one a week for four years.
pub(crate) const MOST_REPORTS: u32 = 200;
/// Why a project has no report yet.
pub(crate) const NO_RESULT: &str = "the project has no run with a result yet";
/// Runs in a report: as many as a project's verdict rests on.
const MOST_RUNS: u32 = 40;
/// Answers whose names and pages a report keeps. Half would not hold a year of 100 questions a month; twice is a file with 50 MB.
const MOST_ANSWERS: usize = 20_000;
/// Longest note of a section, in characters.
pub const MOST_NOTE_CHARS: usize = 2_000;
/// Headings have this colour unless another one is chosen.
pub const STANDARD_ACCENT: &str = "#0a665f";
/// Least contrast between a text and its ground, by WCAG 2.2.
const LEAST_CONTRAST: f64 = 4.5;

/// A report that can be made.
#[derive(Clone, Debug)]
pub struct ReportDraft {
    title: Option<String>,
    sender: Option<String>,
    accent: String,
    footer: bool,
    sections: Vec<ReportPart>,
    logo: Option<Vec<u8>>,
}

/// A report as its owners see it.
#[derive(Clone, Debug)]
pub struct ReportView(pub ReportRecord);

/// A report with its file.
#[derive(Clone, Debug)]
pub struct OpenedReport {
    pub record: ReportRecord,
    /// What it says.
    pub report: ProjectReport,
    pub file: Vec<u8>,
    /// Its logo, a PNG.
    pub logo: Option<Vec<u8>>,
}

/// A public link as a reader finds it.
#[derive(Debug)]
pub enum ReportAccess {
    /// The report may be read.
    Open(Box<OpenedReport>),
    /// The password has to be proved first.
    Locked,
}

#[derive(Serialize)]
struct ReportFile<'a> {
    #[serde(flatten)]
    report: &'a ProjectReport,
    counted: &'a Counted,
}

impl ReportDraft {
    /// Reads `title`, `sender`, `accent`, `footer`, `sections` with their notes, and `logo` in Base64.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let mut line = |member: &str| match body.get(member) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => match read_title(text) {
                Ok(text) => text,
                Err(why) => {
                    faults.invalid(format!("/{member}"), format!("{member}: {why}"));
                    None
                }
            },
            Some(_) => {
                let message = format!("{member} must be a text of at most {MOST_TITLE_CHARS} characters");
                faults.push(format!("/{member}"), FaultCode::WrongType, message);
                None
            }
        };
        let (title, sender, accent) = (line("title"), line("sender"), line("accent"));
        let accent = accent.unwrap_or_else(|| STANDARD_ACCENT.to_owned());
        if let Err(why) = check_accent(&accent) {
            faults.invalid("/accent", why);
        }
        let footer = match body.get("footer") {
            None | Some(Value::Null) => true,
            Some(Value::Bool(footer)) => *footer,
            Some(_) => {
                faults.push("/footer", FaultCode::WrongType, "footer must be true or false");
                true
            }
        };
        let logo = match body.get("logo") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let bytes = value.as_str().and_then(|text| STANDARD.decode(text).ok());
                if bytes.is_none() {
                    let message = format!(
                        "logo must be a PNG or JPEG picture of at most {} KiB in Base64",
                        MOST_LOGO_BYTES >> 10
                    );
                    faults.invalid("/logo", message);
                }
                bytes
            }
        };
        let sections = sections_of(body.get("sections"), &mut faults);
        faults.into_result(Self {
            title,
            sender,
            accent: accent.to_ascii_lowercase(),
            footer,
            sections,
            logo,
        })
    }

    /// Takes settings from a project's last report, without its notes, because they are about another day; the usual ones
    /// where there is none.
    pub(crate) fn as_before(store: &Store, scope: &ProjectScope) -> Result<Self, StoreError> {
        let last = store.reports(scope)?.into_iter().next();
        let last = last.map(|last| store.report(scope, last.id)).transpose()?;
        let last = last.flatten().map(OpenedReport::read).transpose()?;
        Ok(match last {
            Some(OpenedReport { report, logo, .. }) => Self {
                title: Some(report.cover.title),
                sender: report.cover.sender,
                accent: report.cover.accent,
                footer: report.cover.footer,
                sections: report
                    .sections
                    .iter()
                    .map(|before| part(before.section))
                    .collect(),
                logo,
            },
            None => Self {
                title: None,
                sender: None,
                accent: STANDARD_ACCENT.to_owned(),
                footer: true,
                sections: ReportSection::ALL.iter().copied().map(part).collect(),
                logo: None,
            },
        })
    }

    /// The report with an uploaded logo.
    pub fn with_logo(mut self, bytes: Vec<u8>) -> Self {
        self.logo = Some(bytes);
        self
    }
}

const fn part(section: ReportSection) -> ReportPart {
    let note = String::new();
    ReportPart { section, note }
}

/// The sections with their notes: texts, or objects with `section` and `note`. Without a list all of them.
fn sections_of(value: Option<&Value>, faults: &mut Faults) -> Vec<ReportPart> {
    let list = match value {
        None | Some(Value::Null) => return ReportSection::ALL.iter().copied().map(part).collect(),
        Some(Value::Array(list)) => list,
        Some(_) => {
            faults.push("/sections", FaultCode::WrongType, "sections must be a list");
            return Vec::new();
        }
    };
    let mut parts: Vec<ReportPart> = Vec::new();
    for (number, value) in list.iter().enumerate() {
        let word = value.as_str().or_else(|| value.get("section")?.as_str());
        let found = word.and_then(|word| word.parse().ok());
        let pointer = format!("/sections/{number}");
        let Some(section) = found else {
            let words: Vec<&str> = ReportSection::ALL.iter().map(|known| known.as_str()).collect();
            let message = format!("a section is one of {}", words.join(", "));
            faults.invalid(pointer, message);
            continue;
        };
        if parts.iter().any(|part| part.section == section) {
            faults.invalid(pointer, "the section is in the list twice");
            continue;
        }
        let note = value.get("note").and_then(Value::as_str).unwrap_or_default();
        let note = note.trim().replace("\r\n", "\n");
        let is_hidden = |letter: char| letter.is_control() && letter != '\n';
        if note.chars().count() > MOST_NOTE_CHARS || note.chars().any(is_hidden) {
            let message = format!(
                "a note takes at most {MOST_NOTE_CHARS} characters, and none of them invisible but line breaks"
            );
            faults.invalid(format!("{pointer}/note"), message);
        }
        parts.push(ReportPart { section, note });
    }
    parts
}

/// Checks that a colour can be read on white.
fn check_accent(text: &str) -> Result<(), String> {
    let channels = || -> Option<[u8; 3]> {
        let hex = text
            .strip_prefix('#')
            .filter(|hex| hex.len() == 6 && hex.is_ascii())?;
        let channel = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
        Some([channel(0)?, channel(2)?, channel(4)?])
    };
    let Some(channels) = channels() else {
        return Err("accent must be a colour such as #0a665f".to_owned());
    };
    let contrast = 1.05 / (luminance(channels) + 0.05);
    match contrast >= LEAST_CONTRAST {
        true => Ok(()),
        false => Err(format!(
            "accent is too light: its contrast with white is {contrast:.1}, and headings need {LEAST_CONTRAST}"
        )),
    }
}

/// Computes relative luminance, 0 for black to 1 for white (WCAG 2.2).
fn luminance(channels: [u8; 3]) -> f64 {
    let linear = |channel: u8| {
        let share = f64::from(channel) / 255.0;
        match share <= 0.040_45 {
            true => share / 12.92,
            false => ((share + 0.055) / 1.055).powf(2.4),
        }
    };
    let [red, green, blue] = channels.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

impl ReportView {
    pub fn document(&self) -> Value {
        let record = &self.0;
        let link = record.link.as_ref().map(|link| {
            json!({
                "path": format!("/r/{}", link.token),
                "until": link.until.map(at),
                "protected": link.password.is_some(),
            })
        });
        json!({
            "reportId": record.id,
            "title": record.title,
            "madeAt": at(record.made_at),
            "sha256": hex(&record.sha256),
            "link": link,
        })
    }
}

/// Bytes in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

impl OpenedReport {
    pub(crate) fn read(stored: StoredReport) -> Result<Self, StoreError> {
        let file = stored.document.unpack()?;
        Ok(Self {
            report: serde_json::from_slice(&file).map_err(|_| StoreError::Damaged("report"))?,
            record: stored.record,
            file,
            logo: stored.logo,
        })
    }

    /// Hash of the file, in hexadecimal digits.
    pub fn sha256(&self) -> String {
        hex(&self.record.sha256)
    }
}

impl Pictures {
    /// Draws a report as PDF when its turn comes.
    pub(crate) async fn report_pdf(
        &self,
        opened: OpenedReport,
        address: Option<String>,
    ) -> Result<Vec<u8>, Error> {
        let printer = Arc::clone(self.printer.as_ref().ok_or(Error::PdfUnavailable)?);
        let printed = self.blocking.run(move || {
            printer.print(&PrintOrder {
                report: &opened.report,
                address: address.as_deref(),
                sha256: &opened.sha256(),
                logo: opened.logo.as_deref(),
            })
        });
        Ok(printed.await??)
    }
}

/// What a report of a project rests on.
pub(crate) struct Found {
    project: ProjectRecord,
    /// When it runs, in words such as "every week on Monday at 09:00, UTC".
    recurrence: String,
    results: Vec<(ScanId, ScanResult)>,
    beside: Beside,
    notes: Vec<ReportNote>,
}

impl Found {
    /// `None` if the project was deleted.
    pub(crate) fn read(store: &Store, scope: &ProjectScope) -> Result<Option<Self>, StoreError> {
        let project = scope.project();
        let Some(record) = store.project(scope, this_month())? else {
            return Ok(None);
        };
        let schedule = store.schedule(scope.schedule())?;
        let recurrence = schedule.as_ref().map(recurrence_of).transpose()?;
        let runs = store.project_series(project, None, MOST_RUNS)?;
        let ids: Vec<ScanId> = runs.into_iter().map(|(scan, _)| scan).collect();
        let mut beside = Beside::read(store, scope, MOST_RUNS)?;
        let mut answers = 0;
        let kept = beside.mentions.iter().rev().take_while(|(_, read)| {
            answers += read.answers.len();
            answers <= MOST_ANSWERS || answers == read.answers.len()
        });
        let left_out = beside.mentions.len() - kept.count();
        beside.mentions.drain(..left_out);
        let notes = store.annotations(scope)?.into_iter().map(|note| ReportNote {
            day: note.day,
            text: note.text,
        });
        Ok(Some(Self {
            project: record,
            recurrence: recurrence.map_or_else(String::new, |recurrence| recurrence.to_string()),
            results: series_of(store, &ids)?,
            beside,
            notes: notes.collect(),
        }))
    }

    /// Draws up a report of these answers, which takes long; `None` without a result.
    pub(crate) fn freeze(self, draft: ReportDraft) -> Result<Option<Frozen>, Error> {
        let Some((_, last)) = self.results.last() else {
            return Ok(None);
        };
        let project = ReportSubject {
            project_id: self.project.id,
            name: self.project.name.clone(),
            domain: last.domain.as_str().to_owned(),
            keyword: last.keyword.as_str().to_owned(),
            place: self.project.place.clone(),
            recurrence: self.recurrence,
            locale: locale_of(last),
            sandbox: last.sandbox,
        };
        let title = draft.title;
        let title = title.unwrap_or_else(|| format!("How AI answers cite {}", project.name));
        let cover = ReportCover {
            title: title.clone(),
            sender: draft.sender,
            accent: draft.accent,
            footer: draft.footer,
            logo_sha256: draft.logo.as_ref().map(|logo| hex(&Sha256::digest(logo))),
        };
        let mut mentions: BTreeMap<ScanId, RunMentions> = self.beside.mentions.into_iter().collect();
        let runs = self.results.into_iter();
        let runs = runs.map(|(scan, result)| CountedRun::new(scan, result, mentions.remove(&scan)));
        let counted = Counted {
            runs: runs.collect(),
            detectors: self.beside.detectors,
            competitors: self.beside.competitors,
        };
        let report = ProjectReport {
            format: ReportFormat::V1,
            made_at: Timestamp::now(),
            numbers: numbers(&counted, &project).map_err(Error::NotOneSeries)?,
            project,
            cover,
            sections: draft.sections,
            notes: self.notes,
        };
        let file = written(&report, &counted)?;
        Ok(Some(Frozen {
            title,
            sha256: Sha256::digest(&file).into(),
            document: PackedAnswers::of(&file)?,
            logo: draft.logo,
        }))
    }
}

/// A report that can be stored.
pub(crate) struct Frozen {
    title: String,
    sha256: [u8; 32],
    document: PackedAnswers,
    logo: Option<Vec<u8>>,
}

impl Frozen {
    /// Stores the report, unless it is there. Returns whether the project had room for it.
    pub(crate) fn store(
        &self,
        store: &Store,
        scope: &ProjectScope,
        id: ReportId,
    ) -> Result<bool, StoreError> {
        let report = NewReport {
            id,
            title: &self.title,
            sha256: &self.sha256,
            document: &self.document,
            logo: self.logo.as_deref(),
        };
        let members = json!({"reportId": id, "title": self.title}).to_string();
        store.add_report(scope, &report, MOST_REPORTS, change("report_made", &members))
    }
}

/// The way to write dates and numbers in the place and language of a result.
fn locale_of(result: &ScanResult) -> Locale {
    let place = result.location.as_ref();
    let country = place.map(|found| found.resolved.country_code.as_str());
    Locale::new(&result.method.language, country.unwrap_or_default())
}

/// Writes the file of a report: canonical JSON (RFC 8785), so that equal reports have equal hashes.
fn written(report: &ProjectReport, counted: &Counted) -> Result<Vec<u8>, StoreError> {
    serde_json_canonicalizer::to_vec(&ReportFile { report, counted })
        .map_err(|_| StoreError::Damaged("report"))
}

impl Projects {
    /// Makes a report on the project as it is now. Without a logo it has the one on the account's reports.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a refused logo, for a report too many and for a project without a result;
    /// [`Error::Overloaded`]; [`Error::Store`].
    pub async fn make_report(&self, scope: &ProjectScope, draft: ReportDraft) -> Result<ReportView, Error> {
        let mut draft = draft;
        draft.logo = match draft.logo {
            Some(bytes) => Some(self.accounts.read_logo(bytes).await?),
            None => match scope.account() {
                Some(account) => {
                    let brand = self.accounts.report_brand(account).await?;
                    brand.and_then(|brand| brand.logo)
                }
                None => None,
            },
        };
        read_waiting(&self.accounts.stored_scans.evidence).await;
        let found = self.of(scope, Found::read).await?;
        let found = found.ok_or(Error::ProjectNotFound)?;
        let frozen = self.compute(move || found.freeze(draft)).await??;
        let frozen = frozen.ok_or_else(|| Error::fault("", FaultCode::Invalid, NO_RESULT))?;
        let id = ReportId::random();
        let added = self.of(scope, move |store, scope| {
            match frozen.store(store, scope, id)? {
                true => store.report(scope, id),
                false => Ok(None),
            }
        });
        let added = added.await?.map(|stored| ReportView(stored.record));
        added.ok_or_else(|| full(MOST_REPORTS, "reports: delete"))
    }

    /// Whether reports can be drawn as PDF.
    pub fn draws_pdf(&self) -> bool {
        self.accounts.pictures.printer.is_some()
    }

    /// Draws a report as PDF, with the address of its file where its readers can open it.
    pub async fn report_pdf(&self, opened: OpenedReport, address: Option<String>) -> Result<Vec<u8>, Error> {
        self.accounts.pictures.report_pdf(opened, address).await
    }

    /// Returns a project's reports, the latest first.
    pub async fn reports(&self, scope: &ProjectScope) -> Result<Vec<ReportView>, Error> {
        let may_edit = scope.may(Right::EditProject);
        let mut reports = self.of(scope, Store::reports).await?;
        // A link opens the report to everyone, so those who only read do not see it.
        for report in reports.iter_mut().filter(|_| !may_edit) {
            report.link = None;
        }
        Ok(reports.into_iter().map(ReportView).collect())
    }

    /// A report with its file.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if there is none with the id; [`Error::Store`].
    pub async fn report(&self, scope: &ProjectScope, id: &str) -> Result<OpenedReport, Error> {
        let id = report_id(id)?;
        let found = self.of(scope, move |store, scope| {
            let found = store.report(scope, id)?;
            found.map(OpenedReport::read).transpose()
        });
        found.await?.ok_or(Error::ProjectNotFound)
    }

    /// Deletes a report; its public link ends.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if there is none with the id; [`Error::Store`].
    pub async fn delete_report(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        self.change_part(scope, id, "report_deleted", "reportId", Store::delete_report)
            .await
    }

    /// Gives a report a public link in the place of any other.
    ///
    /// # Errors
    /// [`Error::Invalid`] for terms out of range; [`Error::ProjectNotFound`] if there is no such report;
    /// [`Error::Overloaded`]; [`Error::Store`].
    pub async fn link_report(
        &self,
        scope: &ProjectScope,
        id: &str,
        terms: ShareTerms,
    ) -> Result<ReportView, Error> {
        let days = terms.days;
        let link = self.accounts.new_link(terms).await?;
        let members = json!({"days": days, "protected": link.password.is_some()});
        self.set_link(scope, id, Some(link), members).await
    }

    /// Ends the public link of a report.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if there is no such report; [`Error::Store`].
    pub async fn unlink_report(&self, scope: &ProjectScope, id: &str) -> Result<ReportView, Error> {
        self.set_link(scope, id, None, json!({"ended": true})).await
    }

    async fn set_link(
        &self,
        scope: &ProjectScope,
        id: &str,
        link: Option<crate::workspace::NewLink>,
        mut members: Value,
    ) -> Result<ReportView, Error> {
        let id = report_id(id)?;
        members["reportId"] = json!(id);
        let set = self.of(scope, move |store, scope| {
            let link = link.as_ref().map(|link| NewReportLink {
                token: &link.token,
                until: link.until,
                password: link.password.as_deref(),
            });
            let members = members.to_string();
            let set = store.set_report_link(scope, id, link.as_ref(), change("report_link_set", &members))?;
            let reports = match set {
                true => store.reports(scope)?,
                false => Vec::new(),
            };
            Ok(reports.into_iter().find(|report| report.id == id))
        });
        set.await?.map(ReportView).ok_or(Error::ProjectNotFound)
    }

    /// The report behind a public link, for a reader with this pass.
    ///
    /// # Errors
    /// [`Error::NotFound`], also after the link has ended; [`Error::Store`].
    pub async fn linked_report(&self, token: &str, pass: Option<&str>) -> Result<ReportAccess, Error> {
        let found = self.linked(token).await?;
        let link = found.record.link.as_ref();
        let hash = link.and_then(|link| link.password.as_deref());
        if !self.accounts.is_link_open(token, hash, pass).await? {
            return Ok(ReportAccess::Locked);
        }
        let opened = self.in_store(move |_| OpenedReport::read(found));
        Ok(ReportAccess::Open(Box::new(opened.await?)))
    }

    /// Checks the password of a public link and returns its pass. Attempts count as sign-in attempts.
    ///
    /// # Errors
    /// [`Error::SignInRefused`] for a wrong password; [`Error::NotFound`]; [`Error::TooMany`]; [`Error::Overloaded`];
    /// [`Error::Store`].
    pub async fn unlock_report(
        &self,
        token: &str,
        password: SecretString,
        address: IpAddr,
    ) -> Result<SharePass, Error> {
        let link = self.linked(token).await?.record.link;
        let hash = link.and_then(|link| link.password).ok_or(Error::NotFound)?;
        self.accounts.unlock_link(token, hash, password, address).await
    }

    async fn linked(&self, token: &str) -> Result<StoredReport, Error> {
        let token = token.to_owned();
        let found = self
            .in_store(move |store| store.linked_report(&token, now_ms()))
            .await?;
        found.ok_or(Error::NotFound)
    }
}

fn report_id(text: &str) -> Result<ReportId, Error> {
    text.parse().map_err(|_| Error::ProjectNotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: Value) -> Result<ReportDraft, Vec<String>> {
        let read = ReportDraft::read(body.as_object().unwrap());
        read.map_err(|faults| faults.iter().map(|fault| fault.field.to_string()).collect())
    }

    #[test]
    fn a_report_has_all_sections_unless_some_are_chosen() {
        let all = read(json!({})).unwrap();
        assert_eq!(
            (all.sections.len(), all.footer, all.accent.as_str()),
            (7, true, STANDARD_ACCENT)
        );
        let some = json!({"sections": ["models", {"section": "trend", "note": " Better.\r\nMuch. "}], "footer": false,
            "accent": "#7A1F1F"});
        let some = read(some).unwrap();
        assert_eq!(some.sections[1].note, "Better.\nMuch.");
        assert_eq!(
            (some.sections.len(), some.footer, some.accent.as_str()),
            (2, false, "#7a1f1f")
        );
    }

    #[test]
    fn every_fault_is_named() {
        let faults = read(json!({
            "title": "a\u{202e}b", "sender": 3, "accent": "#ffee00", "footer": "no", "logo": "no base64!",
            "sections": ["models", "models", "weather", {"section": "trend", "note": "x".repeat(2_001)}],
        }));
        let expected = [
            "/title",
            "/sender",
            "/accent",
            "/footer",
            "/logo",
            "/sections/1",
            "/sections/2",
            "/sections/3/note",
        ];
        assert_eq!(faults.err().unwrap(), expected);
        for accent in [
            "red", "#12345", "#gggggg", "#ffffff", "#777777", "#0a665f0", "é12345",
        ] {
            assert_eq!(
                read(json!({"accent": accent})).err().unwrap(),
                ["/accent"],
                "{accent}"
            );
        }
        for accent in ["#000000", "#767676", "#0a665f"] {
            assert!(read(json!({"accent": accent})).is_ok(), "{accent}");
        }
    }
}
