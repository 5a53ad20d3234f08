//! Data that a website has about itself, imported by people, and the addresses that owners of programs publish.

use crate::{Millis, PackedAnswers};
use ibid_model::OwnFileId;
use serde::Deserialize;

/// An import to store.
#[derive(Clone, Copy, Debug)]
pub struct NewOwnFile<'a> {
    pub id: OwnFileId,
    pub hash: &'a [u8; 32],
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
    /// Most daily rows, all imports together.
    pub rows: u32,
}

/// What became of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnFileOutcome {
    Stored,
    /// It took the place of an import from the same file, which was read in another way.
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
    pub hash: [u8; 32],
    pub name: String,
    /// What it holds, in words of the API.
    pub formats: String,
    /// Its first and its last day, as dates.
    pub days: Option<(String, String)>,
    pub row_count: u32,
    pub created_at: Millis,
    /// The account or key that imported it.
    pub actor: String,
    /// The account's address, while it has one.
    pub email: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BotAddresses {
    /// Names the file, or the program.
    pub name: String,
    /// Whether `name` is that of a program.
    pub is_program: bool,
    /// The file as it was published.
    pub document: Vec<u8>,
    /// The time at which it was stored.
    pub updated_at: Millis,
}
