-- Questions in a caller's own words. A version never changes; `latest` is the last one. `owner` is the kind of the owner and its
-- id. A deleted set keeps the versions that scans have asked.
CREATE TABLE question_set (
    id          BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    owner       TEXT NOT NULL,
    name        TEXT NOT NULL,
    domain      TEXT,
    keyword     TEXT,
    place       TEXT,
    latest      INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    deleted_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX question_set_by_owner ON question_set (owner, created_at);

-- `questions` is JSON, compressed. `asked` is 1 once a scan has named the version.
CREATE TABLE question_set_version (
    question_set  BLOB NOT NULL REFERENCES question_set (id),
    version       INTEGER NOT NULL,
    hash          TEXT NOT NULL,
    parent        INTEGER,
    source        TEXT NOT NULL,
    count         INTEGER NOT NULL,
    questions     BLOB NOT NULL,
    asked         INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (question_set, version)
) STRICT, WITHOUT ROWID;
