-- The schema of the first release.

-- One row a finished scan. `reply` is the document of a GET, ready to send; `answers` is the evidence, compressed with
-- zstd, or NULL when it is not kept. `released` is false until the result is paid for; until then queries hide it.
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

-- The column is compressed already.
ALTER TABLE scan ALTER COLUMN answers SET STORAGE EXTERNAL;

CREATE INDEX scan_by_owner ON scan (origin, owner, created_at);

-- One row a payment. `key` is chain, token, payer and nonce. The holder of the lease of the current turn may change the
-- row; taking it over starts a new turn. `held` is the settlement data with the signed payload; it is erased when it is no
-- longer needed. Times are milliseconds since 1970.
CREATE TABLE payment (
    key          TEXT COLLATE "C" PRIMARY KEY,
    fingerprint  BYTEA NOT NULL CHECK (octet_length(fingerprint) = 32),
    request      BYTEA NOT NULL CHECK (octet_length(request) = 32),
    skill        TEXT NOT NULL,
    resource     TEXT NOT NULL,
    run          UUID NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'settled',
                                                'delivered', 'freed', 'refused', 'proven')),
    turn         BIGINT NOT NULL,
    lease_until  BIGINT NOT NULL,
    next_try     BIGINT NOT NULL,
    tries        BIGINT NOT NULL,
    expires      BIGINT NOT NULL,
    held         BYTEA,
    hash         TEXT,
    changed_at   BIGINT NOT NULL,
    CHECK ((held IS NOT NULL) = (state IN ('held', 'settling', 'pending')))
);

CREATE INDEX payment_open ON payment (lease_until)
    WHERE state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending');
CREATE INDEX payment_by_end ON payment (expires);
-- For tasks whose process has stopped: the outcome of a run.
CREATE INDEX payment_by_run ON payment (run);

-- One row a settlement. `document` is the receipt as JSON.
CREATE TABLE receipt (
    position     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           UUID NOT NULL UNIQUE,
    key          TEXT COLLATE "C" NOT NULL UNIQUE,
    payer        TEXT COLLATE "C" NOT NULL,
    document     TEXT NOT NULL,
    inferred     BOOLEAN NOT NULL,
    settled_at   BIGINT NOT NULL,
    delivered_at BIGINT
);

CREATE INDEX receipt_by_payer ON receipt (payer, position);

-- The ledger, append-only. A settled amount is delivered or owed.
CREATE TABLE ledger (
    entry    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       BIGINT NOT NULL,
    receipt  UUID NOT NULL REFERENCES receipt (id),
    account  TEXT NOT NULL CHECK (account IN ('settled', 'owed', 'delivered')),
    network  TEXT COLLATE "C" NOT NULL,
    asset    TEXT COLLATE "C" NOT NULL,
    amount   BIGINT NOT NULL
);

-- One row a task of the agent surface. `document` is the record as its crate writes it; the store reads only the other
-- columns. `run` is the run under way. `waits` is true until the task is paid for. Unpaid tasks are limited for each
-- caller, which is stored as a hash. Times are milliseconds since 1970.
CREATE TABLE task (
    position   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         UUID NOT NULL UNIQUE,
    revision   BIGINT NOT NULL CHECK (revision >= 1),
    run        UUID,
    waits      BOOLEAN NOT NULL,
    caller     BYTEA NOT NULL,
    expires    BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    document   BYTEA NOT NULL
);

CREATE INDEX task_running ON task (run) WHERE run IS NOT NULL;
CREATE INDEX task_waiting ON task (caller, expires) WHERE waits;
CREATE INDEX task_by_end ON task (expires) WHERE run IS NULL;

-- People who sign in to the workspace. `password` is an argon2id hash in PHC form. Times are milliseconds since 1970.
CREATE TABLE account (
    id          UUID PRIMARY KEY,
    email       TEXT COLLATE "C" NOT NULL UNIQUE,
    password    TEXT NOT NULL,
    disabled    BOOLEAN NOT NULL DEFAULT false,
    created_at  BIGINT NOT NULL
);

-- One row a sign-in. `hash` is the SHA-256 of the token; the token itself is only in the browser's cookie.
CREATE TABLE session (
    hash        BYTEA PRIMARY KEY CHECK (octet_length(hash) = 32),
    account     UUID NOT NULL REFERENCES account (id),
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);

CREATE INDEX session_by_account ON session (account, created_at);
CREATE INDEX session_by_end ON session (expires_at);

-- Actions of and on an account, append-only.
CREATE TABLE account_log (
    entry    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       BIGINT NOT NULL,
    account  UUID NOT NULL REFERENCES account (id),
    action   TEXT NOT NULL,
    scan     UUID
);

CREATE INDEX account_log_by_account ON account_log (account, entry);

-- Credits, append-only. `balance` is the sum of the account's amounts so far and never below zero. A transaction that adds
-- a row holds the lock of its account. A scan takes one credit and returns at most one.
CREATE TABLE credit (
    entry    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       BIGINT NOT NULL,
    account  UUID NOT NULL REFERENCES account (id),
    kind     TEXT NOT NULL CHECK (kind IN ('granted', 'withdrawn', 'spent', 'returned')),
    amount   BIGINT NOT NULL CHECK (amount <> 0),
    balance  BIGINT NOT NULL CHECK (balance >= 0),
    scan     UUID
);

CREATE INDEX credit_by_account ON credit (account, entry);
CREATE UNIQUE INDEX credit_by_scan ON credit (scan, kind) WHERE scan IS NOT NULL;

-- One row a scan of the workspace, from the moment its credit was taken. `request` is the request as JSON;
-- `words` is the text that a search reads, in lower case; `summary` is score and interval, as JSON. The process that runs it
-- keeps `lease_until` in the future. A running row whose lease has ended lost its process, and its credit is returned.
CREATE TABLE workspace_scan (
    id           UUID PRIMARY KEY,
    account      UUID NOT NULL REFERENCES account (id),
    state        TEXT NOT NULL CHECK (state IN ('running', 'complete', 'failed', 'cancelled')),
    request      TEXT NOT NULL,
    domain       TEXT NOT NULL,
    keyword      TEXT NOT NULL,
    place        TEXT,
    words        TEXT NOT NULL,
    questions    BIGINT NOT NULL,
    done         BIGINT NOT NULL,
    reason       TEXT,
    summary      TEXT,
    share        TEXT COLLATE "C" UNIQUE,
    receipt      UUID UNIQUE,
    lease_until  BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    ended_at     BIGINT,
    CHECK ((ended_at IS NULL) = (state = 'running')),
    CHECK ((summary IS NOT NULL AND receipt IS NOT NULL) = (state = 'complete'))
);

CREATE INDEX workspace_scan_by_account ON workspace_scan (account, created_at);
CREATE INDEX workspace_scan_open ON workspace_scan (lease_until) WHERE state = 'running';

CREATE TABLE workspace_tag (
    scan      UUID NOT NULL REFERENCES workspace_scan (id),
    position  BIGINT NOT NULL,
    name      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (scan, name)
);
