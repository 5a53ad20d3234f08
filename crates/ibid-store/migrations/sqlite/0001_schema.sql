-- The schema of the first release.

-- One row a finished scan. `reply` is the document of a GET, ready to send; `answers` is the evidence, compressed with
-- zstd, or NULL when it is not kept. `released` is 0 until the result is paid for; until then queries hide it.
CREATE TABLE scan (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    origin      TEXT NOT NULL CHECK (origin IN ('v1', 'paid', 'workspace', 'demo')),
    owner       TEXT,
    created_at  INTEGER NOT NULL,
    sandbox     INTEGER NOT NULL,
    method      TEXT NOT NULL,
    reply       BLOB NOT NULL,
    answers     BLOB,
    released    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX scan_by_owner ON scan (origin, owner, created_at);

-- One row a payment. `key` is chain, token, payer and nonce. The holder of the lease of the current turn may change the
-- row; taking it over starts a new turn. `held` is the settlement data with the signed payload; it is erased when it is no
-- longer needed. Times are milliseconds since 1970.
CREATE TABLE payment (
    key          TEXT PRIMARY KEY NOT NULL,
    fingerprint  BLOB NOT NULL CHECK (length(fingerprint) = 32),
    request      BLOB NOT NULL CHECK (length(request) = 32),
    skill        TEXT NOT NULL,
    resource     TEXT NOT NULL,
    run          BLOB NOT NULL CHECK (length(run) = 16),
    state        TEXT NOT NULL CHECK (state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'settled',
                                                'delivered', 'freed', 'refused', 'proven')),
    turn         INTEGER NOT NULL,
    lease_until  INTEGER NOT NULL,
    next_try     INTEGER NOT NULL,
    tries        INTEGER NOT NULL,
    expires      INTEGER NOT NULL,
    held         BLOB,
    hash         TEXT,
    changed_at   INTEGER NOT NULL,
    CHECK ((held IS NOT NULL) = (state IN ('held', 'settling', 'pending')))
) STRICT, WITHOUT ROWID;

CREATE INDEX payment_open ON payment (lease_until)
    WHERE state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending');
CREATE INDEX payment_by_end ON payment (expires);
-- For tasks whose process has stopped: the outcome of a run.
CREATE INDEX payment_by_run ON payment (run);

-- One row a settlement. `document` is the receipt as JSON.
CREATE TABLE receipt (
    position     INTEGER PRIMARY KEY AUTOINCREMENT,
    id           BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    key          TEXT NOT NULL UNIQUE,
    payer        TEXT NOT NULL,
    document     TEXT NOT NULL,
    inferred     INTEGER NOT NULL,
    settled_at   INTEGER NOT NULL,
    delivered_at INTEGER
) STRICT;

CREATE INDEX receipt_by_payer ON receipt (payer, position);

-- The ledger, append-only. A settled amount is delivered or owed.
CREATE TABLE ledger (
    entry    INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    receipt  BLOB NOT NULL REFERENCES receipt (id),
    account  TEXT NOT NULL CHECK (account IN ('settled', 'owed', 'delivered')),
    network  TEXT NOT NULL,
    asset    TEXT NOT NULL,
    amount   INTEGER NOT NULL
) STRICT;

-- One row a task of the agent surface. `document` is the record as its crate writes it; the store reads only the other
-- columns. `run` is the run under way. `waits` is 1 until the task is paid for. Unpaid tasks are limited for each
-- caller, which is stored as a hash. Times are milliseconds since 1970.
CREATE TABLE task (
    position   INTEGER PRIMARY KEY AUTOINCREMENT,
    id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    revision   INTEGER NOT NULL CHECK (revision >= 1),
    run        BLOB CHECK (run IS NULL OR length(run) = 16),
    waits      INTEGER NOT NULL,
    caller     BLOB NOT NULL,
    expires    INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    document   BLOB NOT NULL
) STRICT;

CREATE INDEX task_running ON task (run) WHERE run IS NOT NULL;
CREATE INDEX task_waiting ON task (caller, expires) WHERE waits;
CREATE INDEX task_by_end ON task (expires) WHERE run IS NULL;

-- People who sign in to the workspace. `password` is an argon2id hash in PHC form. Times are milliseconds since 1970.
CREATE TABLE account (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    email       TEXT NOT NULL UNIQUE,
    password    TEXT NOT NULL,
    disabled    INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row a sign-in. `hash` is the SHA-256 of the token; the token itself is only in the browser's cookie.
CREATE TABLE session (
    hash        BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
    account     BLOB NOT NULL REFERENCES account (id),
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX session_by_account ON session (account, created_at);
CREATE INDEX session_by_end ON session (expires_at);

-- Actions of and on an account, append-only.
CREATE TABLE account_log (
    entry    INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    account  BLOB NOT NULL REFERENCES account (id),
    action   TEXT NOT NULL,
    scan     BLOB CHECK (scan IS NULL OR length(scan) = 16)
) STRICT;

CREATE INDEX account_log_by_account ON account_log (account, entry);

-- Credits, append-only. `balance` is the sum of the account's amounts so far and never below zero. A transaction that adds
-- a row holds the lock of its account. A scan takes one credit and returns at most one.
CREATE TABLE credit (
    entry    INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    account  BLOB NOT NULL REFERENCES account (id),
    kind     TEXT NOT NULL CHECK (kind IN ('granted', 'withdrawn', 'spent', 'returned')),
    amount   INTEGER NOT NULL CHECK (amount <> 0),
    balance  INTEGER NOT NULL CHECK (balance >= 0),
    scan     BLOB CHECK (scan IS NULL OR length(scan) = 16)
) STRICT;

CREATE INDEX credit_by_account ON credit (account, entry);
CREATE UNIQUE INDEX credit_by_scan ON credit (scan, kind) WHERE scan IS NOT NULL;

-- One row a scan of the workspace, from the moment its credit was taken. `request` is the request as JSON;
-- `words` is the text that a search reads, in lower case; `summary` is score and interval, as JSON. The process that runs it
-- keeps `lease_until` in the future. A running row whose lease has ended lost its process, and its credit is returned.
CREATE TABLE workspace_scan (
    id           BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    account      BLOB NOT NULL REFERENCES account (id),
    state        TEXT NOT NULL CHECK (state IN ('running', 'complete', 'failed', 'cancelled')),
    request      TEXT NOT NULL,
    domain       TEXT NOT NULL,
    keyword      TEXT NOT NULL,
    place        TEXT,
    words        TEXT NOT NULL,
    questions    INTEGER NOT NULL,
    done         INTEGER NOT NULL,
    reason       TEXT,
    summary      TEXT,
    share        TEXT UNIQUE,
    receipt      BLOB UNIQUE CHECK (receipt IS NULL OR length(receipt) = 16),
    lease_until  INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    CHECK ((ended_at IS NULL) = (state = 'running')),
    CHECK ((summary IS NOT NULL AND receipt IS NOT NULL) = (state = 'complete'))
) STRICT, WITHOUT ROWID;

CREATE INDEX workspace_scan_by_account ON workspace_scan (account, created_at);
CREATE INDEX workspace_scan_open ON workspace_scan (lease_until) WHERE state = 'running';

CREATE TABLE workspace_tag (
    scan      BLOB NOT NULL REFERENCES workspace_scan (id),
    position  INTEGER NOT NULL,
    name      TEXT NOT NULL,
    PRIMARY KEY (scan, name)
) STRICT, WITHOUT ROWID;
