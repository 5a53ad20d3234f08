//! Rivals, notes and the log of a project.

use super::conversions::{change, full};
use super::draft::{line_of, name_of};
use super::handle::Projects;
use crate::error::Error;
use crate::shown_text::hides;
use ibid_model::{AnnotationId, Domain, FaultCode, Faults, RivalId};
use ibid_store::{
    AnnotationKind, AnnotationRecord, EventPage, ProjectEvent, ProjectScope, RivalRecord, RivalState, Store,
};
use jiff::civil::Date;
use serde_json::{Map, Value, json};

/// Most rivals of a project.
pub(super) const MOST_RIVALS: u32 = 200;
/// Most notes of a project: one a day for three years.
const MOST_NOTES: u32 = 1_000;
/// Most names and most websites of a rival.
const MOST_NAMES: usize = 20;
/// Entries on a page.
const EVENTS_A_PAGE: u32 = 1_000;

/// A rival that can be stored.
#[derive(Clone, Debug)]
pub struct RivalDraft(RivalRecord);

/// A note that can be stored.
#[derive(Clone, Debug)]
pub struct AnnotationDraft(AnnotationRecord);

impl RivalDraft {
    /// Reads `name`, `state` (`pinned` or `ignored`), `domains` and `aliases`.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let name = name_of(body, "name", &mut faults);
        let state = match body.get("state").and_then(Value::as_str) {
            Some("pinned") => RivalState::Pinned,
            Some("ignored") => RivalState::Ignored,
            _ => {
                faults.invalid("/state", "state must be pinned or ignored");
                RivalState::Pinned
            }
        };
        let domains = texts(body, "domains", &mut faults, |text| {
            text.parse::<Domain>().ok().map(|domain| domain.to_string())
        });
        let aliases = texts(body, "aliases", &mut faults, |text| {
            let fits = (1..=120).contains(&text.chars().count()) && !hides(text);
            fits.then(|| text.to_owned())
        });
        faults.into_result(Self(RivalRecord {
            id: RivalId::random(),
            name,
            domains,
            aliases,
            state,
        }))
    }

    /// The rival, with a new id.
    pub(super) fn into_record(self) -> RivalRecord {
        self.0
    }

    pub(super) fn name(&self) -> &str {
        &self.0.name
    }

    /// Adds the names and websites of another competitor, up to the bound.
    pub(super) fn with_names_of(mut self, other: Option<&RivalRecord>) -> Self {
        for alias in other.into_iter().flat_map(|other| &other.aliases) {
            self = self.with_alias(alias);
        }
        let domains = other.into_iter().flat_map(|other| &other.domains);
        for domain in domains {
            if self.0.domains.len() < MOST_NAMES && !self.0.domains.contains(domain) {
                self.0.domains.push(domain.clone());
            }
        }
        self
    }

    /// Adds another name, up to the bound.
    pub(super) fn with_alias(mut self, alias: &str) -> Self {
        let is_new = alias != self.0.name && !self.0.aliases.iter().any(|known| known == alias);
        if is_new && self.0.aliases.len() < MOST_NAMES {
            self.0.aliases.push(alias.to_owned());
        }
        self
    }
}

impl AnnotationDraft {
    /// The note, with a new id.
    pub(super) fn into_record(self) -> AnnotationRecord {
        self.0
    }

    /// Reads `day`, an ISO date, and `text`.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let text = line_of(body, "text", &mut faults);
        if faults.is_empty() && hides(&text) {
            faults.invalid("/text", "text takes no invisible characters");
        }
        let day = body.get("day").and_then(Value::as_str);
        let day: Option<Date> = day.and_then(|day| day.parse().ok());
        if day.is_none() {
            faults.invalid("/day", "day must be a date, as 2026-11-30");
        }
        match day.filter(|_| faults.is_empty()) {
            Some(day) => Ok(Self(AnnotationRecord {
                id: AnnotationId::random(),
                kind: AnnotationKind::Note,
                day: day.to_string(),
                text,
                author: None,
            })),
            None => Err(faults),
        }
    }
}

/// Reads a list of texts, each as `read` takes it.
fn texts(
    body: &Map<String, Value>,
    member: &str,
    faults: &mut Faults,
    read: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let values = match body.get(member) {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(values)) if values.len() <= MOST_NAMES => values,
        Some(_) => {
            let message = format!("{member} must be a list of at most {MOST_NAMES} texts");
            faults.push(format!("/{member}"), FaultCode::WrongType, message);
            return Vec::new();
        }
    };
    let mut texts = Vec::new();
    for (at, value) in values.iter().enumerate() {
        match value.as_str().map(str::trim).and_then(&read) {
            Some(text) => texts.push(text),
            None => faults.invalid(
                format!("/{member}/{at}"),
                format!("{member} has an entry that cannot be used"),
            ),
        }
    }
    texts
}

impl Projects {
    /// Pins or ignores a rival, in the place of one with the same name.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a rival too many; [`Error::Store`].
    pub(super) async fn put_rival(
        &self,
        scope: &ProjectScope,
        RivalDraft(rival): RivalDraft,
    ) -> Result<(), Error> {
        let members = json!({"name": rival.name, "state": rival.state.as_str()}).to_string();
        let put = self.of(scope, move |store, scope| {
            store.put_rival(scope, &rival, MOST_RIVALS, change("rival_put", &members))
        });
        let full = || full(MOST_RIVALS, "rivals: remove");
        put.await?.then_some(()).ok_or_else(full)
    }

    /// Forgets a rival that was pinned or ignored.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if there is none with the id; [`Error::Store`].
    pub(super) async fn delete_rival(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        self.change_part(scope, id, "rival_removed", "rivalId", Store::delete_rival)
            .await
    }

    /// Returns a project's notes, by day.
    pub async fn annotations(&self, scope: &ProjectScope) -> Result<Vec<AnnotationRecord>, Error> {
        self.of(scope, Store::annotations).await
    }

    /// Adds a note, and returns it.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a note too many; [`Error::Store`].
    pub async fn annotate(
        &self,
        scope: &ProjectScope,
        AnnotationDraft(note): AnnotationDraft,
    ) -> Result<AnnotationRecord, Error> {
        let (members, stored) = (
            json!({"day": note.day, "text": note.text}).to_string(),
            note.clone(),
        );
        let added = self.of(scope, move |store, scope| {
            store.add_annotation(scope, &stored, MOST_NOTES, change("note_added", &members))
        });
        let full = || full(MOST_NOTES, "notes: remove");
        added.await?.then_some(note).ok_or_else(full)
    }

    /// Deletes a note.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if there is none with the id; [`Error::Store`].
    pub(super) async fn delete_annotation(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        self.change_part(
            scope,
            id,
            "note_removed",
            "annotationId",
            Store::delete_annotation,
        )
        .await
    }

    /// Reads a page of the log, counted from 1, with everything or with access alone, and whether another one follows.
    pub async fn log(
        &self,
        scope: &ProjectScope,
        page: u32,
        access: bool,
    ) -> Result<(Vec<ProjectEvent>, bool), Error> {
        let asked = EventPage {
            access,
            most: EVENTS_A_PAGE.saturating_add(1),
            skipped: page.saturating_sub(1).saturating_mul(EVENTS_A_PAGE),
        };
        let found = self.of(scope, move |store, scope| store.project_events(scope, asked));
        let mut found = found.await?;
        let more = found.len() > EVENTS_A_PAGE as usize;
        found.truncate(EVENTS_A_PAGE as usize);
        Ok((found, more))
    }

    /// Reads the whole log, as far as a table has room for it.
    pub async fn whole_log(&self, scope: &ProjectScope, access: bool) -> Result<Vec<ProjectEvent>, Error> {
        let mut all = Vec::new();
        for page in 1..=EVENTS_A_PAGE / 10 {
            let (found, more) = self.log(scope, page, access).await?;
            all.extend(found);
            if !more {
                break;
            }
        }
        Ok(all)
    }
}
