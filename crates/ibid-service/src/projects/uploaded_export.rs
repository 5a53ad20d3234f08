//! Exports of other trackers and captures that people upload: read first, and imported when the same file comes again with its hash.
//!
//! Nothing is kept between the two: a file of which a person has not said yes leaves no trace.

use super::foreign_answers::{AnswerImportDraft, AnswerImportView};
use super::handle::Projects;
use super::own_data::{MOST_LINES, MOST_OWN_DATA, OwnDataTurn, reading_until};
use crate::error::Error;
use crate::failure::chain;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use ibid_first_party::Bounds;
use ibid_first_party::move_in::MoveIn;
use ibid_first_party::move_in_pieces::{Export, ExportTerms};
use ibid_model::{Domain, FaultCode};
use ibid_store::{AnswerStratum, ProjectReader, ProjectScope};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};
use std::io::{Cursor, Write as _};

/// Most bytes that an upload unpacks to: twice the largest upload that is not packed.
const MOST_UNPACKED: u64 = 2 * MOST_OWN_DATA as u64;
/// Most answers of an upload: 20 pieces, which are read in ten seconds. The command line sends any number.
const MOST_UPLOADED: u64 = 200_000;

/// A file that a person chose.
#[derive(Clone, Debug, Default)]
pub struct ExportFile {
    pub name: String,
    /// Whether its answers were captured from interfaces.
    pub is_captures: bool,
    /// Names a tracker, such as `profound`, where columns fit several; else empty.
    pub tool: String,
    /// The bytes, or `None` if no file came.
    pub bytes: Option<Bytes>,
}

/// An upload that was understood.
#[derive(Debug)]
pub struct ReadExport {
    export: Export<Cursor<Bytes>>,
    stratum: AnswerStratum,
    hash: String,
    /// The caller reads no other file until this is dropped.
    turn: OwnDataTurn,
}

impl ReadExport {
    /// What was understood.
    pub const fn found(&self) -> &MoveIn {
        self.export.found()
    }

    /// Whether its answers were captured from interfaces.
    pub fn is_captures(&self) -> bool {
        self.stratum == AnswerStratum::Interface
    }

    /// The hash that names the file.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

impl Projects {
    /// Reads an upload, and stores nothing.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file that cannot be understood or has too many answers; [`Error::Overloaded`].
    pub async fn read_export(&self, turn: OwnDataTurn, file: ExportFile) -> Result<ReadExport, Error> {
        let Some(bytes) = file.bytes.filter(|bytes| !bytes.is_empty()) else {
            return Err(fault(FaultCode::Required, "choose a file".to_owned()));
        };
        let stratum = match file.is_captures {
            true => AnswerStratum::Interface,
            false => AnswerStratum::Tracker,
        };
        let tool = match file.is_captures {
            true => Some("captures".to_owned()),
            false => Some(file.tool.trim().to_owned()).filter(|tool| !tool.is_empty()),
        };
        let terms = ExportTerms {
            stratum: stratum.as_str(),
            tool,
            until: Timestamp::now().to_zoned(TimeZone::UTC).date(),
            domain: None,
            bounds: Bounds {
                bytes: Some(MOST_UNPACKED),
                lines: Some(MOST_LINES),
                ..Bounds::default()
            },
        };
        let name = match file.name.trim() {
            "" => "file".to_owned(),
            name => name.to_owned(),
        };
        let work = move || {
            let mut terms = terms;
            terms.bounds.until = Some(reading_until());
            let mut export = Export::read(Cursor::new(bytes), &name, terms)?;
            let hash = export.hash()?;
            Ok((export, hash, turn))
        };
        let read: Result<_, ibid_first_party::Error> = self.own_data.reading.run(work).await?;
        let (export, hash, turn) = read.map_err(|error| fault(FaultCode::Invalid, chain(&error)))?;
        if export.found().answers > MOST_UPLOADED {
            let message = format!(
                "the file has more than {MOST_UPLOADED} answers: `ibid project import` on your machine sends any number"
            );
            return Err(fault(FaultCode::OutOfRange, message));
        }
        Ok(ReadExport {
            export,
            stratum,
            hash,
            turn,
        })
    }

    /// Imports the answers of an upload into a project. An import that stopped goes on.
    pub async fn import_export(
        &self,
        scope: &ProjectScope,
        read: ReadExport,
    ) -> Result<AnswerImportView, Error> {
        let (pieces, import, turn) = self.pieces(read).await?;
        let draft = AnswerImportDraft::read(&import)?;
        let begun = self.begin_answers(scope, draft).await?;
        self.put_pieces(scope, begun, pieces, turn).await
    }

    /// Makes a project from an upload, with the members that the file does not tell. Returns its id.
    pub async fn move_in_export(
        &self,
        reader: ProjectReader,
        mut project: Map<String, Value>,
        mut read: ReadExport,
    ) -> Result<String, Error> {
        let domain = project.get("domain").and_then(Value::as_str);
        if let Some(Ok(domain)) = domain.map(str::parse::<Domain>) {
            read.export.know(&domain);
        }
        read.export.complete(&mut project);
        let rivals = read.export.rivals();
        let (pieces, import, turn) = self.pieces(read).await?;
        let body = Map::from_iter([
            ("project".to_owned(), json!(project)),
            ("rivals".to_owned(), json!(rivals)),
            ("import".to_owned(), json!(import)),
        ]);
        let (view, begun, _) = self.move_in(reader, &body).await?;
        let id = view.record.id.to_string();
        let scope = self.scope(reader, &id, ibid_store::Right::EditProject).await?;
        self.put_pieces(&scope, begun, pieces, turn).await?;
        Ok(id)
    }

    /// Packs an upload in pieces, and returns what begins its import.
    async fn pieces(&self, read: ReadExport) -> Result<(Vec<Bytes>, Map<String, Value>, OwnDataTurn), Error> {
        let ReadExport { mut export, turn, .. } = read;
        let work = move || {
            let mut pieces = Vec::new();
            export.pieces(&mut |_, piece| {
                let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
                packed.write_all(piece).map_err(ibid_first_party::Error::from)?;
                pieces.push(Bytes::from(packed.finish()?));
                Ok::<_, ibid_first_party::Error>(())
            })?;
            Ok((pieces, export.import()?, turn))
        };
        let cut: Result<_, ibid_first_party::Error> = self.own_data.reading.run(work).await?;
        let (pieces, import, turn) = cut.map_err(|error| fault(FaultCode::Invalid, chain(&error)))?;
        let import = import.as_object().cloned().unwrap_or_default();
        Ok((pieces, import, turn))
    }

    /// Stores the pieces that an import misses.
    async fn put_pieces(
        &self,
        scope: &ProjectScope,
        begun: AnswerImportView,
        pieces: Vec<Bytes>,
        turn: OwnDataTurn,
    ) -> Result<AnswerImportView, Error> {
        let (id, missing) = (begun.record.id.to_string(), begun.missing());
        let mut import = begun;
        for (number, piece) in (1_u32..).zip(pieces) {
            if missing.contains(&number) {
                import = self.put_answers(scope, &id, &number.to_string(), piece).await?;
            }
        }
        drop(turn);
        Ok(import)
    }
}

fn fault(code: FaultCode, message: String) -> Error {
    Error::fault("/file", code, message)
}
