//! Answers that were given elsewhere.

use super::project_parts::noted_if;
use super::projects::note_in;
use super::{Backend, Durability, Executor, Query, values};
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
                    CAST(SUM(valid) AS BIGINT) AS valid, CAST(SUM(cited) AS BIGINT) AS cited,
                    CAST(SUM(linked) AS BIGINT) AS linked, CAST(SUM(score_sum) AS BIGINT) AS score_sum
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
        let (mut records, parts) = self.snapshot(|db| {
            let records: Vec<AnswerImportRecord> = db.list(
                "SELECT id, stratum, tool, name, sha256, parts, notes, created_at, ended_at, days
                 FROM answer_import WHERE project = ?1 ORDER BY created_at DESC, id",
                values![scope.project],
            )?;
            let parts = db.list::<(AnswerImportId, u32, u64)>(
                "SELECT answer_part.import, answer_part.number, answer_part.answers
                 FROM answer_part JOIN answer_import ON answer_import.id = answer_part.import
                 WHERE answer_import.project = ?1 ORDER BY answer_part.import, answer_part.number",
                values![scope.project],
            )?;
            Ok((records, parts))
        })?;

        for (import, number, answers) in parts {
            let of = records.iter_mut().find(|record| record.id == import);
            if let Some(of) = of {
                of.received.push(number);
                of.answers += answers;
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
            let sql = "SELECT sha256 FROM answer_part WHERE import = ?1 AND number = ?2";
            if let Some(hash) = db.one::<[u8; 32]>(sql, values![import, part.number])? {
                return Ok(match hash == *part.sha256 {
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
        let (part, counts) = self.snapshot(|db| {
            let part = db.one(
                "SELECT answer_part.sha256, answer_part.answers, answer_part.document
                 FROM answer_part JOIN answer_import ON answer_import.id = answer_part.import
                 WHERE answer_import.project = ?1 AND answer_import.id = ?2 AND answer_part.number = ?3",
                values![scope.project, import, number],
            )?;
            let counts = db.list(
                sums!("answer_count.import = ?2 AND answer_count.part = ?3"),
                values![scope.project, import, number],
            )?;
            Ok((part, counts))
        })?;
        Ok(part.map(|(sha256, answers, document)| KeptAnswerPart {
            number,
            sha256,
            answers,
            document,
            counts,
        }))
    }

    /// Returns what an import counts, added up over its pieces, by day, source and question.
    pub fn answer_counts(
        &self,
        scope: &ProjectScope,
        import: AnswerImportId,
    ) -> Result<Vec<AnswerCount>, StoreError> {
        self.list(sums!("answer_count.import = ?2"), values![scope.project, import])
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
            db.run(
                "UPDATE answer_import SET ended_at = ?3, days = ?4
                 WHERE project = ?1 AND id = ?2 AND ended_at IS NULL
                   AND parts = (SELECT COUNT(*) FROM answer_part WHERE answer_part.import = ?2)",
                values![scope.project, import, now, days],
            )
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

fn add_import(
    db: &mut dyn Executor,
    scope: &ProjectScope,
    import: &NewAnswerImport<'_>,
    most: u32,
    change: ProjectChange<'_>,
) -> Result<AnswerImportAdded, StoreError> {
    let sql = "SELECT id FROM answer_import WHERE project = ?1 AND stratum = ?2 AND sha256 = ?3";
    let known = db.one(
        sql,
        values![scope.project, import.stratum.as_str(), import.sha256],
    )?;
    if let Some(known) = known {
        return Ok(AnswerImportAdded::Known(known));
    }
    let sql = "SELECT COUNT(*) FROM answer_import WHERE project = ?1";
    if db.only::<u32>(sql, values![scope.project])? >= most {
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
    db.run(
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
    )
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
