-- Schedules: one row for each, one row for each of its runs, one row for each alert. `document` is the order and
-- `recurrence` the times, as their owner wrote them; the store reads neither. `budget` is in millionths of a dollar.
-- `kek` and `ciphertext` are the sealed provider key. Times are milliseconds since 1970.
CREATE TABLE schedule (
    id          UUID NOT NULL PRIMARY KEY,
    owner       TEXT COLLATE "C" NOT NULL,
    name        TEXT NOT NULL,
    document    TEXT NOT NULL,
    recurrence  TEXT NOT NULL,
    next_due    BIGINT,
    paused_at   BIGINT,
    budget      BIGINT,
    credits     BIGINT,
    failures    BIGINT NOT NULL,
    kek         TEXT,
    ciphertext  BYTEA,
    created_at  BIGINT NOT NULL
);

CREATE INDEX schedule_by_owner ON schedule (owner, created_at);
CREATE INDEX schedule_due ON schedule (next_due) WHERE paused_at IS NULL;

-- `retry_at` is the time from which another process may queue the scan of a run in the state `firing`.
CREATE TABLE schedule_run (
    schedule   UUID NOT NULL,
    due        BIGINT NOT NULL,
    state      TEXT COLLATE "C" NOT NULL CHECK (state IN ('firing', 'queued', 'ended')),
    scan       UUID,
    outcome    TEXT,
    cost       BIGINT NOT NULL,
    credits    BIGINT NOT NULL,
    retry_at   BIGINT NOT NULL,
    began_at   BIGINT NOT NULL,
    ended_at   BIGINT,
    PRIMARY KEY (schedule, due)
);

CREATE INDEX schedule_run_open ON schedule_run (state, retry_at) WHERE state <> 'ended';

CREATE TABLE alert (
    id          UUID NOT NULL PRIMARY KEY,
    owner       TEXT COLLATE "C" NOT NULL,
    schedule    UUID NOT NULL,
    due         BIGINT NOT NULL,
    kind        TEXT NOT NULL,
    scan        UUID,
    previous    UUID,
    summary     TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    seen_at     BIGINT,
    UNIQUE (schedule, due)
);

CREATE INDEX alert_by_owner ON alert (owner, created_at);
