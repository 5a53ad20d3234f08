-- One row a finished scan. `reply` is the GET answer, ready to send; `answers` is the evidence, zstd, or NULL when not kept.
CREATE TABLE scan (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    origin      TEXT NOT NULL CHECK (origin IN ('v1', 'paid', 'workspace')),
    owner       TEXT,
    created_at  INTEGER NOT NULL,
    sandbox     INTEGER NOT NULL,
    method      TEXT NOT NULL,
    reply       BLOB NOT NULL,
    answers     BLOB
) STRICT, WITHOUT ROWID;

CREATE INDEX scan_by_owner ON scan (origin, owner, created_at);
