-- Keys of feeds, which spreadsheets read: numbers of one project and nothing else. With `detail` also sources and questions.
CREATE TABLE feed_key (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    project     BLOB NOT NULL REFERENCES project (id),
    name        TEXT NOT NULL,
    hash        BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    detail      INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    used_at     INTEGER,
    expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX feed_key_by_project ON feed_key (project);
