-- Answers that were given elsewhere: exported by another tracker, or captured from an interface. They are never runs of the project.
-- `notes` has what the reader of the file counted, `days` the numbers of each day once every piece is there.
CREATE TABLE answer_import (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    project     BLOB NOT NULL REFERENCES project (id),
    stratum     TEXT NOT NULL CHECK (stratum IN ('tracker', 'interface')),
    tool        TEXT NOT NULL,
    name        TEXT NOT NULL,
    sha256      BLOB NOT NULL CHECK (length(sha256) = 32),
    parts       INTEGER NOT NULL,
    notes       TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    ended_at    INTEGER,
    days        TEXT,
    UNIQUE (project, stratum, sha256)
) STRICT;

-- A piece of a file. `document` has its answers, compressed, where answers are kept.
CREATE TABLE answer_part (
    import    BLOB NOT NULL REFERENCES answer_import (id),
    number    INTEGER NOT NULL,
    sha256    BLOB NOT NULL CHECK (length(sha256) = 32),
    answers   INTEGER NOT NULL,
    document  BLOB,
    PRIMARY KEY (import, number)
) STRICT;

-- Counts and sums over the answers of one source to one question on one day, in one piece.
CREATE TABLE answer_count (
    import     BLOB NOT NULL REFERENCES answer_import (id),
    part       INTEGER NOT NULL,
    day        TEXT NOT NULL,
    source     TEXT NOT NULL,
    question   TEXT NOT NULL,
    valid      INTEGER NOT NULL,
    cited      INTEGER NOT NULL,
    linked     INTEGER NOT NULL,
    score_sum  INTEGER NOT NULL,
    PRIMARY KEY (import, part, day, source, question)
) STRICT;
