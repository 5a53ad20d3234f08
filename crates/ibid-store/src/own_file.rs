//! What people import of a website's own data into a project, and the addresses that owners of programs publish.

use crate::project::{ProjectChange, ProjectScope};
use crate::{Millis, PackedAnswers, StoreError};
use ibid_model::OwnFileId;

/// An import to store.
#[derive(Clone, Copy, Debug)]
pub struct NewOwnFile<'a> {
    pub id: OwnFileId,
    /// The hash of the file that was read.
    pub hash: &'a [u8; 32],
    /// The name of the file.
    pub name: &'a str,
    /// What it holds, in words of the API.
    pub formats: &'a str,
    /// Its first and its last day, as dates.
    pub days: Option<(&'a str, &'a str)>,
    pub row_count: u32,
    pub document: &'a PackedAnswers,
}

/// How much a project keeps.
#[derive(Clone, Copy, Debug)]
pub struct OwnFileRoom {
    /// Most imports.
    pub files: u32,
    /// Most daily rows of all of them.
    pub rows: u32,
}

/// What became of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnFileOutcome {
    Stored,
    /// It took the place of an import of the same file, which was read in another way.
    Replaced,
    /// It waits for its person.
    Pending,
    /// The project has it already.
    Same,
    /// The project has no room for it.
    Full,
    /// There is no such import.
    Unknown,
}

/// A stored import, without its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnFileRecord {
    pub id: OwnFileId,
    /// The hash of the file.
    pub hash: [u8; 32],
    /// The name of the file.
    pub name: String,
    /// What it holds, in words of the API.
    pub formats: String,
    /// Its first and its last day, as dates.
    pub days: Option<(String, String)>,
    pub row_count: u32,
    /// The time of the import.
    pub created_at: Millis,
    /// The account or key that imported it.
    pub actor: String,
    /// The address of the account, while it has one.
    pub email: Option<String>,
}

/// A published file of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotAddresses {
    /// The name of the file, or of the program.
    pub name: String,
    /// Whether `name` is that of a program.
    pub is_program: bool,
    /// The file as it was published.
    pub document: Vec<u8>,
    /// The time at which it was stored.
    pub updated_at: Millis,
}

/// Stores what people import of a website's own data. Every method is one transaction.
pub trait OwnFiles: Send + Sync + 'static {
    /// Stores an import. With `pending` it counts only once it is confirmed, and takes the place of any other of the same actor.
    fn add_own_file(
        &self,
        scope: &ProjectScope,
        file: &NewOwnFile<'_>,
        room: OwnFileRoom,
        pending: bool,
        change: ProjectChange<'_>,
    ) -> Result<OwnFileOutcome, StoreError>;

    /// Stores a pending import of this actor.
    fn confirm_own_file(
        &self,
        scope: &ProjectScope,
        id: OwnFileId,
        room: OwnFileRoom,
        change: ProjectChange<'_>,
    ) -> Result<OwnFileOutcome, StoreError>;

    /// Returns the imports of a project, the latest first.
    fn own_files(&self, scope: &ProjectScope) -> Result<Vec<OwnFileRecord>, StoreError>;

    /// Returns the daily rows of each import of a project, the oldest first.
    fn own_rows(&self, scope: &ProjectScope) -> Result<Vec<PackedAnswers>, StoreError>;

    /// Deletes an import. Returns whether there was one.
    fn delete_own_file(
        &self,
        scope: &ProjectScope,
        id: OwnFileId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError>;

    /// Stores published addresses in the place of those of the same names.
    fn put_bot_addresses(&self, files: &[BotAddresses]) -> Result<(), StoreError>;

    /// Returns all published addresses.
    fn bot_addresses(&self) -> Result<Vec<BotAddresses>, StoreError>;
}
