//! What changes a project: one command each, with the right that it takes.

use super::actions::{ActionDraft, ActionView};
use super::feeds::NewFeed;
use super::handle::Projects;
use super::keys::NewKey;
use super::people::AddedPerson;
use super::rivals_and_notes::{AnnotationDraft, RivalDraft};
use super::view::ProjectView;
use crate::error::Error;
use crate::news::AddedDestination;
use ibid_store::{AnnotationRecord, ProjectContents, ProjectReader, ProjectScope, Right, ScheduledRun};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

type Body = Map<String, Value>;

/// A change to a project, as the API and forms order it. Bodies have the members that the API takes.
#[derive(Clone, Debug)]
pub enum ProjectCommand {
    /// Changes name, subject, places, times, budget, sender or status.
    Edit(Body),
    /// Starts a run.
    Run,
    /// Pins or ignores a competitor with the websites and names of the body.
    PutRival(Body),
    /// Pins or ignores a competitor, who keeps websites and names.
    KeepRival(Body),
    /// Counts the first name as one of the second.
    MergeRival(String, String),
    /// Neither pins nor ignores the competitor of a name any more.
    ForgetRival(String),
    /// As [`Self::ForgetRival`], by its id.
    DeleteRival(String),
    /// Marks a site of the outreach list as `open`, `asked` or `done`.
    MarkSite(String, String),
    Note(Body),
    DeleteNote(String),
    AddAction(Body),
    EditAction(String, Body),
    DeleteAction(String),
    /// Shows or hides the badge.
    Badge(bool),
    AddDestination(Body),
    /// Sends a message to try a destination.
    TestDestination(String),
    DeleteDestination(String),
    Invite(Body),
    /// Takes the role or the invitation of a person away.
    RemovePerson(String),
    MakeKey(Body),
    RevokeKey(String),
    /// Makes the person who asks the owner of a key, which rested with another one.
    TakeKey(String),
    MakeFeedKey(Body),
    RevokeFeedKey(String),
    Delete,
}

/// What a command made; what it only changed or ended is [`Self::Nothing`].
pub enum Done {
    /// It made nothing of its own.
    Nothing,
    Project(Box<ProjectView>),
    Run(ScheduledRun),
    Note(AnnotationRecord),
    Action(Box<ActionView>),
    Destination(Box<AddedDestination>),
    Person(AddedPerson),
    Key(NewKey),
    Feed(NewFeed),
    /// What went with the project.
    Deleted(ProjectContents),
}

impl ProjectCommand {
    pub fn right(&self) -> Right {
        match self {
            Self::Run => Right::RunProject,
            Self::Edit(_)
            | Self::PutRival(_)
            | Self::KeepRival(_)
            | Self::MergeRival(..)
            | Self::ForgetRival(_)
            | Self::DeleteRival(_)
            | Self::MarkSite(..)
            | Self::Note(_)
            | Self::DeleteNote(_)
            | Self::AddAction(_)
            | Self::EditAction(..)
            | Self::DeleteAction(_)
            | Self::Badge(_)
            | Self::TestDestination(_)
            | Self::DeleteDestination(_) => Right::EditProject,
            Self::AddDestination(body) => match body.get("of").and_then(Value::as_str) {
                Some("organisation") => Right::AdminOrganisation,
                Some(_) | None => Right::EditProject,
            },
            Self::Invite(body) => match body.get("role").and_then(Value::as_str) {
                Some("admin") => Right::AdminOrganisation,
                Some(_) | None => Right::AdminProject,
            },
            Self::RemovePerson(_)
            | Self::MakeKey(_)
            | Self::RevokeKey(_)
            | Self::TakeKey(_)
            | Self::MakeFeedKey(_)
            | Self::RevokeFeedKey(_)
            | Self::Delete => Right::AdminProject,
        }
    }
}

impl Projects {
    /// Carries a command out for a reader with its right: the one way by which the API and the pages change what the commands name.
    /// Returns what it made, and the proof for reading what it changed.
    ///
    /// # Errors
    /// As [`Self::scope`], and the errors of the change.
    pub async fn carry_out(
        &self,
        reader: ProjectReader,
        project: &str,
        command: ProjectCommand,
    ) -> Result<(ProjectScope, Done), Error> {
        use ProjectCommand as C;
        let scope = self.scope(reader, project, command.right()).await?;
        let done = match command {
            C::Edit(body) => Done::Project(Box::new(self.edit(&scope, &body).await?)),
            C::Run => Done::Run(self.run_now(&scope).await?),
            C::PutRival(body) => nothing(self.put_rival(&scope, rival(&body)?).await)?,
            C::KeepRival(body) => nothing(self.keep_rival(&scope, rival(&body)?).await)?,
            C::MergeRival(name, into) => {
                let kept = rival(&pinned(&into))?;
                match name == into {
                    true => Done::Nothing,
                    false => nothing(self.merge_rival(&scope, &name, kept).await)?,
                }
            }
            C::ForgetRival(name) => nothing(self.forget_rival(&scope, &name).await)?,
            C::DeleteRival(id) => nothing(self.delete_rival(&scope, &id).await)?,
            C::MarkSite(site, state) => nothing(self.mark_site(&scope, &site, &state).await)?,
            C::Note(body) => {
                let draft = AnnotationDraft::read(&body)?;
                Done::Note(self.annotate(&scope, draft).await?)
            }
            C::DeleteNote(id) => nothing(self.delete_annotation(&scope, &id).await)?,
            C::AddAction(body) => {
                let draft = ActionDraft::read(&body)?;
                Done::Action(Box::new(self.add_action(&scope, draft, Timestamp::now()).await?))
            }
            C::EditAction(id, body) => {
                let draft = ActionDraft::read(&body)?;
                Done::Action(Box::new(self.edit_action(&scope, &id, draft).await?))
            }
            C::DeleteAction(id) => nothing(self.delete_action(&scope, &id).await)?,
            C::Badge(shown) => Done::Project(Box::new(self.show_badge(&scope, shown).await?)),
            C::AddDestination(body) => {
                Done::Destination(Box::new(self.add_destination(&scope, &body).await?))
            }
            C::TestDestination(id) => nothing(self.test_destination(&scope, &id).await)?,
            C::DeleteDestination(id) => nothing(self.delete_destination(&scope, &id).await)?,
            C::Invite(body) => Done::Person(self.add_person(&scope, &body).await?),
            C::RemovePerson(account) => nothing(self.remove_person(&scope, &account).await)?,
            C::MakeKey(body) => Done::Key(self.make_key(&scope, &body).await?),
            C::RevokeKey(id) => nothing(self.revoke_key(&scope, &id).await)?,
            C::TakeKey(id) => nothing(self.take_key(&scope, &id).await)?,
            C::MakeFeedKey(body) => Done::Feed(self.make_feed_key(&scope, &body).await?),
            C::RevokeFeedKey(id) => nothing(self.revoke_feed_key(&scope, &id).await)?,
            C::Delete => Done::Deleted(self.delete(&scope).await?),
        };
        Ok((scope, done))
    }
}

fn nothing(done: Result<(), Error>) -> Result<Done, Error> {
    done.map(|()| Done::Nothing)
}

fn rival(body: &Body) -> Result<RivalDraft, Error> {
    RivalDraft::read(body).map_err(Error::Invalid)
}

fn pinned(name: &str) -> Body {
    Map::from_iter([
        ("name".to_owned(), json!(name)),
        ("state".to_owned(), json!("pinned")),
    ])
}
