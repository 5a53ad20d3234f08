-- Durable runs: one row a run, one row for each of its steps that is not done, one row for each call that has ended.
-- `document` is the order as its owner wrote it; the store does not read it. Times are milliseconds since 1970.
CREATE TABLE durable_run (
    id          BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    tenant      TEXT NOT NULL,
    priority    INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 5),
    document    BLOB NOT NULL,
    calls       INTEGER NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('queued', 'running', 'complete', 'partial', 'failed', 'cancelled')),
    cancelled   INTEGER NOT NULL,
    error       TEXT,
    created_at  INTEGER NOT NULL,
    ended_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX durable_run_open ON durable_run (created_at) WHERE ended_at IS NULL;

-- `step` is -1 for the plan, -2 for the aggregate, else the number of the shard. `epoch` counts claims: every write of a
-- step names it. `stored` counts the calls that the step stored, `stored_before` those when it was claimed.
CREATE TABLE run_step (
    run            BLOB NOT NULL CHECK (length(run) = 16),
    step           INTEGER NOT NULL,
    tenant         TEXT NOT NULL,
    due            INTEGER NOT NULL,
    not_before     INTEGER NOT NULL,
    worker         BLOB CHECK (length(worker) = 16),
    lease_until    INTEGER,
    epoch          INTEGER NOT NULL,
    attempts       INTEGER NOT NULL,
    stored         INTEGER NOT NULL,
    stored_before  INTEGER NOT NULL,
    PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_step_by_tenant ON run_step (tenant, due);

CREATE TABLE run_call (
    run      BLOB NOT NULL CHECK (length(run) = 16),
    call     INTEGER NOT NULL,
    outcome  BLOB NOT NULL,
    PRIMARY KEY (run, call)
) STRICT, WITHOUT ROWID;

-- The sealed provider key of a run, until the run ends or `expires`. `kek` names the key that seals it.
CREATE TABLE run_secret (
    run         BLOB NOT NULL PRIMARY KEY CHECK (length(run) = 16),
    kek         TEXT NOT NULL,
    ciphertext  BLOB NOT NULL,
    expires     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
