-- Reports of projects. `document` is the file of a report, compressed, and is never changed. The columns from `token` on are its public link.
CREATE TABLE report_snapshot (
    id             BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    project        BLOB NOT NULL REFERENCES project (id),
    title          TEXT NOT NULL,
    made_at        INTEGER NOT NULL,
    sha256         BLOB NOT NULL CHECK (length(sha256) = 32),
    document       BLOB NOT NULL,
    logo           BLOB,
    token          TEXT UNIQUE,
    link_until     INTEGER,
    link_password  TEXT
) STRICT;

CREATE INDEX report_snapshot_by_project ON report_snapshot (project, made_at);
