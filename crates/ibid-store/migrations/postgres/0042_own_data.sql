-- As in the script for SQLite.
CREATE TABLE own_file (
    id          UUID PRIMARY KEY NOT NULL,
    project     UUID NOT NULL REFERENCES project (id),
    hash        BYTEA NOT NULL CHECK (length(hash) = 32),
    name        TEXT NOT NULL,
    formats     TEXT NOT NULL,
    first_day   TEXT,
    last_day    TEXT,
    row_count   BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    actor       TEXT NOT NULL,
    pending     BIGINT NOT NULL,
    document    BYTEA NOT NULL
);

CREATE INDEX own_file_by_project ON own_file (project, created_at);

CREATE TABLE bot_addresses (
    name        TEXT PRIMARY KEY NOT NULL,
    is_program  BIGINT NOT NULL,
    document    BYTEA NOT NULL,
    updated_at  BIGINT NOT NULL
);
