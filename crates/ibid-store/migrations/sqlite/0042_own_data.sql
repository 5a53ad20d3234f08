-- What people import of a website's own data: daily rows, compressed. A pending file was read for a person who has not yet said yes.
CREATE TABLE own_file (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    project     BLOB NOT NULL REFERENCES project (id),
    hash        BLOB NOT NULL CHECK (length(hash) = 32),
    name        TEXT NOT NULL,
    formats     TEXT NOT NULL,
    first_day   TEXT,
    last_day    TEXT,
    row_count   INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    actor       TEXT NOT NULL,
    pending     INTEGER NOT NULL,
    document    BLOB NOT NULL
) STRICT;

CREATE INDEX own_file_by_project ON own_file (project, created_at);

-- The files in which owners of programs publish their addresses, by the name of the file or of the program.
CREATE TABLE bot_addresses (
    name        TEXT PRIMARY KEY NOT NULL,
    is_program  INTEGER NOT NULL,
    document    BLOB NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
