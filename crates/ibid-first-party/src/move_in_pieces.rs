//! Turns another tracker's export into what the server takes: a project's members, and answers in pieces.

use crate::archive::Bounds;
use crate::move_in::{MoveIn, MoveInOptions, PastAnswer, each_answer};
use crate::read::Error;
use ibid_model::Domain;
use jiff::civil::Date;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{Read, Seek, SeekFrom};

/// Answers of a piece.
const ANSWERS: usize = 10_000;
/// Bytes in a piece before it is packed, because a server takes 16 MiB, also if packing makes nothing smaller.
const BYTES: usize = 15 << 20;
/// Columns that are named as not read.
const UNREAD: usize = 200;

/// How an export is read, and what its answers are.
#[derive(Clone, Debug)]
pub struct ExportTerms {
    /// `tracker` or `interface`.
    pub stratum: &'static str,
    /// The tracker, where columns fit several.
    pub tool: Option<String>,
    /// The last day that an answer can have.
    pub until: Date,
    /// The website that moves in: its brand is no rival.
    pub domain: Option<Domain>,
    /// How much of a file is read.
    pub bounds: Bounds,
}

/// An export that was understood. Its file is read anew for its answers.
#[derive(Debug)]
pub struct Export<S> {
    source: S,
    name: String,
    terms: ExportTerms,
    found: MoveIn,
}

impl<S: Read + Seek> Export<S> {
    /// Most competitors of a project.
    pub const RIVALS: usize = 200;

    /// Reads a file with its name.
    ///
    /// # Errors
    /// As [`MoveIn::read`].
    pub fn read(mut source: S, name: &str, terms: ExportTerms) -> Result<Self, Error> {
        let found = MoveIn::read(&mut source, &options(&terms))?;
        let name = name.chars().take(120).collect();
        Ok(Self {
            source,
            name,
            terms,
            found,
        })
    }

    /// Learns the website that moves in.
    pub fn know(&mut self, domain: &Domain) {
        self.found.know(domain);
    }

    /// What was understood.
    pub const fn found(&self) -> &MoveIn {
        &self.found
    }

    /// Adds the file's questions to a new project's members and, unless these name a place, the one place that all questions share.
    pub fn complete(&self, project: &mut Map<String, Value>) {
        let mut questions = self.found.questions.clone();
        let is_placed = project.contains_key("location") || project.contains_key("markets");
        if let Some((place, language)) = self.found.market().filter(|_| !is_placed) {
            for question in &mut questions {
                (question.place, question.language) = (None, None);
            }
            project.insert("location".to_owned(), json!(place));
            project.insert("language".to_owned(), json!(language));
        }
        if !questions.is_empty() && !project.contains_key("questions") {
            project.insert("questions".to_owned(), json!(questions));
        }
    }

    /// Lists competitors for a new project.
    pub fn rivals(&self) -> Vec<Value> {
        let fits = |name: &str| name.chars().count() <= 120 && !name.chars().any(char::is_control);
        let rivals = self.found.rivals.iter().filter(|(name, _)| fits(name));
        let rivals = rivals.take(Self::RIVALS).map(|(name, domains)| {
            let domains = domains.iter().filter(|domain| domain.parse::<Domain>().is_ok());
            let domains: Vec<&String> = domains.take(20).collect();
            json!({"name": name, "state": "pinned", "domains": domains})
        });
        rivals.collect()
    }

    /// The hash that names the file, read as this tracker's.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn hash(&mut self) -> Result<String, Error> {
        let mut hash = Sha256::new();
        self.source.seek(SeekFrom::Start(0))?;
        let mut chunk = vec![0; 1 << 16];
        loop {
            match self.source.read(&mut chunk)? {
                0 => break,
                count => hash.update(chunk.get(..count).unwrap_or_default()),
            }
        }
        hash.update(self.terms.tool.as_deref().unwrap_or_default());
        Ok(hash.finalize().iter().fold(String::new(), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    /// What begins the import, with the number of pieces.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn import(&mut self) -> Result<Value, Error> {
        let mut parts = 0;
        self.pieces(&mut |_, _| {
            parts += 1;
            Ok::<_, Error>(())
        })?;
        let sha256 = self.hash()?;
        let found = &self.found;
        let unread = found.unread.iter().take(UNREAD);
        let unread: Vec<String> = unread.map(|name| name.chars().take(200).collect()).collect();
        Ok(json!({
            "stratum": self.terms.stratum,
            "tool": found.tool,
            "name": self.name,
            "sha256": sha256,
            "parts": parts,
            "read": found.read,
            "refused": found.refused.counts,
            "refusedLines": found.refused.first,
            "unread": unread,
        }))
    }

    /// Calls `each` with every piece, from number 1, as JSON lines.
    ///
    /// # Errors
    /// It cannot be read, or `each` fails.
    pub fn pieces<E, F>(&mut self, each: &mut F) -> Result<(), E>
    where
        E: From<Error>,
        F: FnMut(u32, &[u8]) -> Result<(), E>,
    {
        let (mut number, mut count, mut piece) = (1, 0, Vec::new());
        let mut take = |answer: PastAnswer| -> Result<(), E> {
            let line = serde_json::to_vec(&answer).map_err(|error| Error::Io(error.into()))?;
            if count == ANSWERS || piece.len() + line.len() >= BYTES {
                each(number, &piece)?;
                (number, count) = (number + 1, 0);
                piece.clear();
            }
            count += 1;
            piece.extend(line);
            piece.push(b'\n');
            Ok(())
        };
        each_answer(&mut self.source, &options(&self.terms), &self.found, &mut take)?;
        match piece.is_empty() {
            true => Ok(()),
            false => each(number, &piece),
        }
    }
}

fn options(terms: &ExportTerms) -> MoveInOptions<'_> {
    MoveInOptions {
        tool: terms.tool.as_deref(),
        until: Some(terms.until),
        domain: terms.domain.as_ref(),
        bounds: terms.bounds,
    }
}
