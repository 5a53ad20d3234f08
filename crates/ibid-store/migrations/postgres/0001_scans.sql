-- One row a finished scan. `reply` is the GET answer, ready to send; `answers` is the evidence, zstd, or NULL when not
-- kept. A result that is not paid for yet is kept unseen: `released` is false until its money has moved.
CREATE TABLE scan (
    id          UUID PRIMARY KEY,
    origin      TEXT NOT NULL CHECK (origin IN ('v1', 'paid', 'workspace', 'demo')),
    owner       TEXT,
    created_at  BIGINT NOT NULL,
    sandbox     BOOLEAN NOT NULL,
    method      TEXT NOT NULL,
    reply       BYTEA NOT NULL,
    answers     BYTEA,
    released    BOOLEAN NOT NULL
);

-- It is compressed already; trying again would only cost time.
ALTER TABLE scan ALTER COLUMN answers SET STORAGE EXTERNAL;

CREATE INDEX scan_by_owner ON scan (origin, owner, created_at);
