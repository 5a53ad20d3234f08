//! Answers that were given elsewhere.

use super::project_parts::noted_if;
use super::projects::note_in;
use super::{Backend, Durability, Executor, Row, values};
use crate::answer_import::{
    AnswerCount, AnswerImportAdded, AnswerImportRecord, AnswerStratum, KeptAnswerPart, NewAnswerImport,
    NewAnswerPart, PartPut,
};
use crate::project::{ProjectChange, ProjectScope};
use crate::{Millis, PackedAnswers, Store, StoreError};
use ibid_model::{AnswerImportId, ProjectId};

/// Counts, added up over pieces. `$rest` chooses them.
macro_rules! sums {
    ($rest:literal) => {
        concat!(
            "SELECT answer_count.day, answer_count.source, answer_count.question,
                    CAST(SUM(valid) AS BIGINT), CAST(SUM(cited) AS BIGINT), CAST(SUM(linked) AS BIGINT),
                    CAST(SUM(score_sum) AS BIGINT)
             FROM answer_count JOIN answer_import ON answer_import.id = answer_count.import
             WHERE answer_import.project = ?1 AND ",
            $rest,
            " GROUP BY answer_count.day, answer_count.source, answer_count.question ORDER BY 1, 2, 3"
        )
    };
}

impl Store {
    /// Begins an import, unless its file came before. A project has at most `most`.
    pub fn add_answer_import(
        &self,
        scope: &ProjectScope,
        import: &NewAnswerImport<'_>,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<AnswerImportAdded, StoreError> {
        self.write(Durability::Disk, |db| add_import(db, scope, import, most, change))
    }

    /// Returns the imports of a project, the latest first.
    pub fn answer_imports(&self, scope: &ProjectScope) -> Result<Vec<AnswerImportRecord>, StoreError> {
        let (rows, parts) = self.snapshot(|db| {
            let rows = db.rows(
                "SELECT id, stratum, tool, name, sha256, parts, notes, created_at, ended_at, days
                 FROM answer_import WHERE project = ?1 ORDER BY created_at DESC, id",
                values![scope.project],
            )?;
            let parts = db.rows(
                "SELECT answer_part.import, answer_part.number, answer_part.answers
                 FROM answer_part JOIN answer_import ON answer_import.id = answer_part.import
                 WHERE answer_import.project = ?1 ORDER BY answer_part.import, answer_part.number",
                values![scope.project],
            )?;
            Ok((rows, parts))
        })?;
        let mut records = rows.into_iter().map(record).collect::<Result<Vec<_>, _>>()?;
        for mut row in parts {
            let import: AnswerImportId = row.take(0)?;
            let of = records.iter_mut().find(|record| record.id == import);
            if let Some(of) = of {
                of.received.push(row.take(1)?);
                of.answers += row.take::<u64>(2)?;
            }
        }
        Ok(records)
    }

    /// Stores a piece of an import.
    pub fn put_answer_part(
        &self,
        scope: &ProjectScope,
        import: AnswerImportId,
        part: &NewAnswerPart<'_>,
    ) -> Result<PartPut, StoreError> {
        self.write(Durability::Disk, |db| {
            let known = db.first(
                "SELECT 1 FROM answer_import WHERE project = ?1 AND id = ?2 AND parts >= ?3",
                values![scope.project, import, part.number],
            )?;
            if known.is_none() || part.number == 0 {
                return Ok(PartPut::Unknown);
            }
            let before = db.first(
                "SELECT sha256 FROM answer_part WHERE import = ?1 AND number = ?2",
                values![import, part.number],
            )?;
            if let Some(mut row) = before {
                let hash: Vec<u8> = row.take(0)?;
                return Ok(match hash == part.sha256 {
                    true => PartPut::Same,
                    false => PartPut::Other,
                });
            }
            insert_answer_part(db, import, part)?;
            Ok(PartPut::Stored)
        })
    }

    pub fn answer_part(
        &self,
        scope: &ProjectScope,
        import: AnswerImportId,
        number: u32,
    ) -> Result<Option<KeptAnswerPart>, StoreError> {
        let (row, counts) = self.snapshot(|db| {
            let row = db.first(
                "SELECT answer_part.sha256, answer_part.answers, answer_part.document
                 FROM answer_part JOIN answer_import ON answer_import.id = answer_part.import
                 WHERE answer_import.project = ?1 AND answer_import.id = ?2 AND answer_part.number = ?3",
                values![scope.project, import, number],
            )?;
            let counts = db.rows(
                sums!("answer_count.import = ?2 AND answer_count.part = ?3"),
                values![scope.project, import, number],
            )?;
            Ok((row, counts))
        })?;
        let Some(mut row) = row else { return Ok(None) };
        let document: Option<Vec<u8>> = row.take(2)?;
        Ok(Some(KeptAnswerPart {
            number,
            sha256: hash(row.take(0)?)?,
            answers: row.take(1)?,
            document: document.map(PackedAnswers::packed),
            counts: counts.into_iter().map(count).collect::<Result<_, _>>()?,
        }))
    }

    /// Returns the counts of an import, added up over its pieces, in the order of day, source and question.
    pub fn answer_counts(
        &self,
        scope: &ProjectScope,
        import: AnswerImportId,
    ) -> Result<Vec<AnswerCount>, StoreError> {
        self.list(
            sums!("answer_count.import = ?2"),
            values![scope.project, import],
            count,
        )
    }

    /// Returns the counts of a stratum since a day, added up over all imports that have ended.
    pub fn stratum_counts(
        &self,
        scope: &ProjectScope,
        stratum: AnswerStratum,
        from: &str,
    ) -> Result<Vec<AnswerCount>, StoreError> {
        self.list(
            sums!(
                "answer_import.stratum = ?2 AND answer_import.ended_at IS NOT NULL AND answer_count.day >= ?3"
            ),
            values![scope.project, stratum.as_str(), from],
            count,
        )
    }

    /// Ends an import whose pieces are all there, with the numbers of its days.
    pub fn end_answer_import(
        &self,
        scope: &ProjectScope,
        import: AnswerImportId,
        days: &str,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            db.execute(
                "UPDATE answer_import SET ended_at = ?3, days = ?4
                 WHERE project = ?1 AND id = ?2 AND ended_at IS NULL
                   AND parts = (SELECT COUNT(*) FROM answer_part WHERE answer_part.import = ?2)",
                values![scope.project, import, now, days],
            )?;
            Ok(())
        })
    }

    /// Deletes an import with its answers. Returns whether there was one.
    pub fn delete_answer_import(
        &self,
        scope: &ProjectScope,
        import: AnswerImportId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            for sql in [
                "DELETE FROM answer_count WHERE import IN (SELECT id FROM answer_import WHERE project = ?1 AND id = ?2)",
                "DELETE FROM answer_part WHERE import IN (SELECT id FROM answer_import WHERE project = ?1 AND id = ?2)",
            ] {
                db.execute(sql, values![scope.project, import])?;
            }
            let sql = "DELETE FROM answer_import WHERE project = ?1 AND id = ?2";
            let deleted = db.execute(sql, values![scope.project, import])?;
            noted_if(db, scope, change, deleted)
        })
    }
}

/// The import that the same file began before.
fn known_import(
    db: &mut dyn Executor,
    scope: &ProjectScope,
    import: &NewAnswerImport<'_>,
) -> Result<Option<AnswerImportId>, StoreError> {
    let known = db.first(
        "SELECT id FROM answer_import WHERE project = ?1 AND stratum = ?2 AND sha256 = ?3",
        values![scope.project, import.stratum.as_str(), import.sha256],
    )?;
    known.map(|mut row| row.take(0)).transpose()
}

fn add_import(
    db: &mut dyn Executor,
    scope: &ProjectScope,
    import: &NewAnswerImport<'_>,
    most: u32,
    change: ProjectChange<'_>,
) -> Result<AnswerImportAdded, StoreError> {
    if let Some(known) = known_import(db, scope, import)? {
        return Ok(AnswerImportAdded::Known(known));
    }
    let mut count = db.only(
        "SELECT COUNT(*) FROM answer_import WHERE project = ?1",
        values![scope.project],
    )?;
    if count.take::<i64>(0)? >= i64::from(most) {
        return Ok(AnswerImportAdded::Full);
    }
    insert_answer_import(db, scope.project, import, change.at)?;
    note_in(db, scope, change)?;
    Ok(AnswerImportAdded::New)
}

pub(super) fn insert_answer_import(
    db: &mut dyn Executor,
    project: ProjectId,
    import: &NewAnswerImport<'_>,
    now: Millis,
) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO answer_import (id, project, stratum, tool, name, sha256, parts, notes, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        values![
            import.id,
            project,
            import.stratum.as_str(),
            import.tool,
            import.name,
            import.sha256,
            import.parts,
            import.notes,
            now
        ],
    )?;
    Ok(())
}

pub(super) fn insert_answer_part(
    db: &mut dyn Executor,
    import: AnswerImportId,
    part: &NewAnswerPart<'_>,
) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO answer_part (import, number, sha256, answers, document) VALUES (?1, ?2, ?3, ?4, ?5)",
        values![
            import,
            part.number,
            part.sha256,
            part.answers,
            part.document.map(PackedAnswers::as_bytes)
        ],
    )?;
    for count in part.counts {
        db.execute(
            "INSERT INTO answer_count (import, part, day, source, question, valid, cited, linked, score_sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            values![
                import,
                part.number,
                count.day.as_str(),
                count.source.as_str(),
                count.question.as_str(),
                count.valid,
                count.cited,
                count.linked,
                count.score_sum
            ],
        )?;
    }
    Ok(())
}

fn record(mut row: Row) -> Result<AnswerImportRecord, StoreError> {
    Ok(AnswerImportRecord {
        id: row.take(0)?,
        stratum: row.take(1)?,
        tool: row.take(2)?,
        name: row.take(3)?,
        sha256: hash(row.take(4)?)?,
        parts: row.take(5)?,
        received: Vec::new(),
        answers: 0,
        notes: row.take(6)?,
        created_at: row.take(7)?,
        ended_at: row.take(8)?,
        days: row.take(9)?,
    })
}

fn count(mut row: Row) -> Result<AnswerCount, StoreError> {
    Ok(AnswerCount {
        day: row.take(0)?,
        source: row.take(1)?,
        question: row.take(2)?,
        valid: row.take(3)?,
        cited: row.take(4)?,
        linked: row.take(5)?,
        score_sum: row.take(6)?,
    })
}

fn hash(bytes: Vec<u8>) -> Result<[u8; 32], StoreError> {
    bytes.try_into().map_err(|_| StoreError::Damaged("import"))
}
