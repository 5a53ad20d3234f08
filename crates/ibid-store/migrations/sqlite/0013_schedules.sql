-- Schedules: one row for each, one row for each of its runs, one row for each alert. `document` is the order and
-- `recurrence` the times, as their owner wrote them; the store reads neither. `budget` is in millionths of a dollar.
-- `kek` and `ciphertext` are the sealed provider key. Times are milliseconds since 1970.
CREATE TABLE schedule (
    id          BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    owner       TEXT NOT NULL,
    name        TEXT NOT NULL,
    document    TEXT NOT NULL,
    recurrence  TEXT NOT NULL,
    next_due    INTEGER,
    paused_at   INTEGER,
    budget      INTEGER,
    credits     INTEGER,
    failures    INTEGER NOT NULL,
    kek         TEXT,
    ciphertext  BLOB,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX schedule_by_owner ON schedule (owner, created_at);
CREATE INDEX schedule_due ON schedule (next_due) WHERE paused_at IS NULL;

-- `retry_at` is the time from which another process may queue the scan of a run in the state `firing`.
CREATE TABLE schedule_run (
    schedule   BLOB NOT NULL CHECK (length(schedule) = 16),
    due        INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('firing', 'queued', 'ended')),
    scan       BLOB CHECK (scan IS NULL OR length(scan) = 16),
    outcome    TEXT,
    cost       INTEGER NOT NULL,
    credits    INTEGER NOT NULL,
    retry_at   INTEGER NOT NULL,
    began_at   INTEGER NOT NULL,
    ended_at   INTEGER,
    PRIMARY KEY (schedule, due)
) STRICT, WITHOUT ROWID;

CREATE INDEX schedule_run_open ON schedule_run (state, retry_at) WHERE state <> 'ended';

CREATE TABLE alert (
    id          BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    owner       TEXT NOT NULL,
    schedule    BLOB NOT NULL CHECK (length(schedule) = 16),
    due         INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    scan        BLOB CHECK (scan IS NULL OR length(scan) = 16),
    previous    BLOB CHECK (previous IS NULL OR length(previous) = 16),
    summary     TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    seen_at     INTEGER,
    UNIQUE (schedule, due)
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_by_owner ON alert (owner, created_at);
