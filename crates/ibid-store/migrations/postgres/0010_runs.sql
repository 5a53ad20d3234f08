-- Durable runs: one row a run, one row for each of its steps that is not done, one row for each call that has ended.
-- `document` is the order as its owner wrote it; the store does not read it. Times are milliseconds since 1970.
CREATE TABLE durable_run (
    id          UUID NOT NULL PRIMARY KEY,
    tenant      TEXT COLLATE "C" NOT NULL,
    priority    BIGINT NOT NULL CHECK (priority BETWEEN 1 AND 5),
    document    BYTEA NOT NULL,
    calls       BIGINT NOT NULL,
    state       TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'complete', 'partial', 'failed', 'cancelled')),
    cancelled   BOOLEAN NOT NULL,
    error       TEXT,
    created_at  BIGINT NOT NULL,
    ended_at    BIGINT
);

CREATE INDEX durable_run_open ON durable_run (created_at) WHERE ended_at IS NULL;

-- `step` is -1 for the plan, -2 for the aggregate, else the number of the shard. `epoch` counts claims: every write of a
-- step names it. `stored` counts the calls that the step stored, `stored_before` those when it was claimed.
CREATE TABLE run_step (
    run            UUID NOT NULL,
    step           BIGINT NOT NULL,
    tenant         TEXT COLLATE "C" NOT NULL,
    due            BIGINT NOT NULL,
    not_before     BIGINT NOT NULL,
    worker         UUID,
    lease_until    BIGINT,
    epoch          BIGINT NOT NULL,
    attempts       BIGINT NOT NULL,
    stored         BIGINT NOT NULL,
    stored_before  BIGINT NOT NULL,
    PRIMARY KEY (run, step)
);

CREATE INDEX run_step_by_tenant ON run_step (tenant, due);

CREATE TABLE run_call (
    run      UUID NOT NULL,
    call     BIGINT NOT NULL,
    outcome  BYTEA NOT NULL,
    PRIMARY KEY (run, call)
);

-- The sealed provider key of a run, until the run ends or `expires`. `kek` names the key that seals it.
CREATE TABLE run_secret (
    run         UUID NOT NULL PRIMARY KEY,
    kek         TEXT COLLATE "C" NOT NULL,
    ciphertext  BYTEA NOT NULL,
    expires     BIGINT NOT NULL
);
