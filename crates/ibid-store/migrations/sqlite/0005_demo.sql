-- Scans of the free question have an origin of their own. A check cannot be altered, so the table is written anew.
CREATE TABLE scan_new (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    origin      TEXT NOT NULL CHECK (origin IN ('v1', 'paid', 'workspace', 'demo')),
    owner       TEXT,
    created_at  INTEGER NOT NULL,
    sandbox     INTEGER NOT NULL,
    method      TEXT NOT NULL,
    reply       BLOB NOT NULL,
    answers     BLOB,
    released    INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;

INSERT INTO scan_new (id, origin, owner, created_at, sandbox, method, reply, answers, released)
SELECT id, origin, owner, created_at, sandbox, method, reply, answers, released FROM scan;

DROP TABLE scan;
ALTER TABLE scan_new RENAME TO scan;

CREATE INDEX scan_by_owner ON scan (origin, owner, created_at);
