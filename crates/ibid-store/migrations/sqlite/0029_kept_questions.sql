-- The questions that a schedule asks in every run, as JSON, compressed, and the version of the words that they come from. NULL for
-- schedules of earlier versions: their next run takes the questions of the last one.
ALTER TABLE schedule ADD COLUMN questions BLOB;
ALTER TABLE schedule ADD COLUMN templates TEXT;

-- The proposals of a caller on a day, the number of days since 1970. `open_until` is the time up to which one may be under way.
CREATE TABLE question_proposal (
    owner       TEXT PRIMARY KEY NOT NULL,
    day         INTEGER NOT NULL,
    count       INTEGER NOT NULL,
    open_until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
