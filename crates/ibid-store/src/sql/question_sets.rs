//! Sets of questions.

use super::{Backend, Durability, Executor, Query, values};
use crate::purchase::Millis;
use crate::question_set::{
    NewQuestions, ProposalDay, ProposalStart, QuestionSetRecord, QuestionSetTerms, QuestionsAdded,
    QuestionsRecord,
};
use crate::{Store, StoreError};
use ibid_model::QuestionSetId;

/// Selects a [`QuestionSetRecord`].
macro_rules! select_sets {
    ($rest:expr) => {
        concat!(
            "SELECT id, name, domain, keyword, place, latest, created_at FROM question_set ",
            $rest
        )
    };
}

/// Selects a [`QuestionsRecord`].
macro_rules! select_versions {
    ($rest:expr) => {
        concat!(
            "SELECT version, hash, parent, source, count, questions, created_at FROM question_set_version ",
            $rest
        )
    };
}

impl Store {
    /// Stores a set, by its owner and id, with its first version, and returns whether it did: an owner has at most `most`,
    /// or one more after two calls at the same moment.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database.
    pub fn add_question_set(
        &self,
        owner: &str,
        id: QuestionSetId,
        terms: QuestionSetTerms<'_>,
        first: NewQuestions<'_>,
        most: u32,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            insert_first(db, owner, id, terms, first, most, now)
        })
    }

    /// Adds a version to a set, by its owner and id. With `expected`, only if that is the last version.
    pub fn add_questions(
        &self,
        owner: &str,
        id: QuestionSetId,
        expected: Option<u32>,
        terms: QuestionSetTerms<'_>,
        questions: NewQuestions<'_>,
        now: Millis,
    ) -> Result<QuestionsAdded, StoreError> {
        self.write(Durability::Disk, |db| {
            insert_next(db, owner, id, expected, terms, questions, now)
        })
    }

    /// Begins a proposal of questions, if the owner has none under way, in any process, and some left on the day.
    pub fn begin_proposal(&self, owner: &str, today: ProposalDay) -> Result<ProposalStart, StoreError> {
        self.write(Durability::Disk, |db| {
            db.execute(
                "DELETE FROM question_proposal WHERE day < ?1 AND open_until <= ?2",
                values![today.day, today.now],
            )?;
            let begun = db.execute(
                "INSERT INTO question_proposal (owner, day, count, open_until) VALUES (?1, ?2, 1, ?4)
                 ON CONFLICT (owner) DO UPDATE
                 SET day = ?2, open_until = ?4,
                     count = CASE WHEN question_proposal.day = ?2 THEN question_proposal.count + 1 ELSE 1 END
                 WHERE question_proposal.open_until <= ?3
                   AND (question_proposal.day <> ?2 OR question_proposal.count < ?5)",
                values![owner, today.day, today.now, today.open_until, today.most],
            )?;
            if begun == 1 {
                return Ok(ProposalStart::Begun);
            }
            let sql = "SELECT open_until FROM question_proposal WHERE owner = ?1";
            let open_until: Millis = db.only(sql, values![owner])?;
            Ok(match open_until > today.now {
                true => ProposalStart::UnderWay(open_until),
                false => ProposalStart::UsedUp,
            })
        })
    }

    /// Ends the proposal that is under way up to a time.
    pub fn end_proposal(&self, owner: &str, open_until: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            db.run(
                "UPDATE question_proposal SET open_until = 0 WHERE owner = ?1 AND open_until = ?2",
                values![owner, open_until],
            )
        })
    }

    /// Returns an owner's sets, or everybody's, the oldest first.
    pub fn question_sets(&self, owner: Option<&str>) -> Result<Vec<QuestionSetRecord>, StoreError> {
        self.list(
            select_sets!("WHERE (owner = ?1 OR ?1 IS NULL) AND deleted_at IS NULL ORDER BY created_at, id"),
            values![owner],
        )
    }

    /// Returns a version, the last one by default. A deleted set's version is found by its number.
    pub fn questions(
        &self,
        owner: &str,
        id: QuestionSetId,
        version: Option<u32>,
    ) -> Result<Option<(QuestionSetRecord, QuestionsRecord)>, StoreError> {
        self.snapshot(|db| {
            let sql = match version {
                None => select_sets!("WHERE owner = ?1 AND id = ?2 AND deleted_at IS NULL"),
                Some(_) => select_sets!("WHERE owner = ?1 AND id = ?2"),
            };
            let Some(set) = db.one::<QuestionSetRecord>(sql, values![owner, id])? else {
                return Ok(None);
            };
            let version = version.unwrap_or(set.latest);
            let sql = select_versions!("WHERE question_set = ?1 AND version = ?2");
            Ok(db.one(sql, values![id, version])?.map(|version| (set, version)))
        })
    }

    /// Returns every version that an owner's set has, or anybody's, the oldest first.
    pub fn question_versions(
        &self,
        owner: Option<&str>,
        id: QuestionSetId,
    ) -> Result<Vec<QuestionsRecord>, StoreError> {
        self.list(
            select_versions!(
                "WHERE question_set = ?1
                   AND question_set IN (SELECT id FROM question_set WHERE owner = ?2 OR ?2 IS NULL)
                 ORDER BY version"
            ),
            values![id, owner],
        )
    }

    /// Notes that a scan has asked a version, which then outlives its set.
    pub fn questions_asked(&self, id: QuestionSetId, version: u32) -> Result<(), StoreError> {
        self.write_idempotent(|db| {
            db.run(
                "UPDATE question_set_version SET asked = ?3 WHERE question_set = ?1 AND version = ?2",
                values![id, version, true],
            )
        })
    }

    /// Deletes a set, with the versions that no scan has asked. Returns whether the owner had it.
    pub fn delete_question_set(
        &self,
        owner: &str,
        id: QuestionSetId,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let deleted = db.execute(
                "UPDATE question_set SET deleted_at = ?3 WHERE owner = ?1 AND id = ?2 AND deleted_at IS NULL",
                values![owner, id, now],
            )?;
            if deleted == 0 {
                return Ok(false);
            }
            db.execute(
                "DELETE FROM question_set_version WHERE question_set = ?1 AND NOT asked",
                values![id],
            )?;
            db.execute(
                "DELETE FROM question_set WHERE id = ?1
                 AND NOT EXISTS (SELECT 1 FROM question_set_version WHERE question_set = ?1)",
                values![id],
            )?;
            Ok(true)
        })
    }
}

/// Deletes an owner's sets with all their versions.
pub(super) fn erase(db: &mut dyn Executor, owner: &str) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM question_set_version WHERE question_set IN (SELECT id FROM question_set WHERE owner = ?1)",
        values![owner],
    )?;
    db.execute("DELETE FROM question_set WHERE owner = ?1", values![owner])?;
    db.run("DELETE FROM question_proposal WHERE owner = ?1", values![owner])
}

/// Stores a set of an owner, without its versions.
pub(super) fn insert_set(
    db: &mut dyn Executor,
    owner: &str,
    set: &QuestionSetRecord,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO question_set (id, owner, name, domain, keyword, place, latest, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        values![
            set.id,
            owner,
            set.name.as_str(),
            set.domain.as_deref(),
            set.keyword.as_deref(),
            set.place.as_deref(),
            set.latest,
            set.created_at
        ],
    )
}

/// Stores a version that was made before. Its questions count as asked.
pub(super) fn insert_version(
    db: &mut dyn Executor,
    set: QuestionSetId,
    version: &QuestionsRecord,
) -> Result<(), StoreError> {
    let questions = NewQuestions {
        hash: &version.hash,
        source: &version.source,
        count: version.count,
        questions: &version.questions,
    };
    insert(
        db,
        set,
        version.version,
        version.parent,
        questions,
        version.created_at,
    )?;
    db.run(
        "UPDATE question_set_version SET asked = ?3 WHERE question_set = ?1 AND version = ?2",
        values![set, version.version, true],
    )
}

/// Stores a set with its first version. Returns whether the owner may have another one.
pub(super) fn insert_first(
    db: &mut dyn Executor,
    owner: &str,
    id: QuestionSetId,
    terms: QuestionSetTerms<'_>,
    first: NewQuestions<'_>,
    most: u32,
    now: Millis,
) -> Result<bool, StoreError> {
    let sql = "SELECT COUNT(*) FROM question_set WHERE owner = ?1 AND deleted_at IS NULL";
    if db.only::<u32>(sql, values![owner])? >= most {
        return Ok(false);
    }
    db.execute(
        "INSERT INTO question_set (id, owner, name, domain, keyword, place, latest, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7)",
        values![
            id,
            owner,
            terms.name,
            terms.domain,
            terms.keyword,
            terms.place,
            now
        ],
    )?;
    insert(db, id, 1, None, first, now)?;
    Ok(true)
}

/// Adds a version to a set; with `expected`, only if that is the last one.
pub(super) fn insert_next(
    db: &mut dyn Executor,
    owner: &str,
    id: QuestionSetId,
    expected: Option<u32>,
    terms: QuestionSetTerms<'_>,
    questions: NewQuestions<'_>,
    now: Millis,
) -> Result<QuestionsAdded, StoreError> {
    let sql = "SELECT latest FROM question_set WHERE owner = ?1 AND id = ?2 AND deleted_at IS NULL";
    let Some(latest) = db.locked_one(sql, values![owner, id])? else {
        return Ok(QuestionsAdded::Unknown);
    };
    if expected.is_some_and(|expected| expected != latest) {
        return Ok(QuestionsAdded::Changed(latest));
    }
    let version = latest + 1;
    db.execute(
        "UPDATE question_set SET name = ?2, domain = ?3, keyword = ?4, place = ?5, latest = ?6 WHERE id = ?1",
        values![id, terms.name, terms.domain, terms.keyword, terms.place, version],
    )?;
    insert(db, id, version, Some(latest), questions, now)?;
    Ok(QuestionsAdded::Stored(version))
}

fn insert(
    db: &mut dyn Executor,
    id: QuestionSetId,
    version: u32,
    parent: Option<u32>,
    questions: NewQuestions<'_>,
    now: Millis,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO question_set_version (question_set, version, hash, parent, source, count, questions, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        values![
            id,
            version,
            questions.hash,
            parent,
            questions.source,
            questions.count,
            questions.questions.as_bytes(),
            now
        ],
    )
}
