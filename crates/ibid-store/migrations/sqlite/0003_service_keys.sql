-- One row a named key of the v1 API. `hash` is the SHA-256 of the key, which only its holder has. A revoked key keeps its
-- row, so its name is never given to another key. Times are milliseconds since 1970.
CREATE TABLE service_key (
    name        TEXT PRIMARY KEY NOT NULL,
    hash        BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER
) STRICT, WITHOUT ROWID;

-- One row a caller of the v1 API: the hour that its latest scan falls into, and the scans that began in it.
CREATE TABLE caller_hour (
    caller    TEXT PRIMARY KEY NOT NULL,
    began_at  INTEGER NOT NULL,
    used      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row a scan under way of such a caller. The process that runs it keeps `lease_until` in the future.
CREATE TABLE caller_run (
    id           BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    caller       TEXT NOT NULL,
    lease_until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX caller_run_by_caller ON caller_run (caller);
