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

-- What was done to an account and by it: only ever added to.
CREATE TABLE account_log (
    entry    INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    account  BLOB NOT NULL REFERENCES account (id),
    action   TEXT NOT NULL,
    scan     BLOB
) STRICT;

CREATE INDEX account_log_by_account ON account_log (account, entry);

-- Credits: only ever added to. `balance` is the sum of the account's amounts so far and never below zero.
-- A scan takes once and gives back at most once.
CREATE TABLE credit (
    entry    INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    account  BLOB NOT NULL REFERENCES account (id),
    kind     TEXT NOT NULL CHECK (kind IN ('granted', 'withdrawn', 'spent', 'returned')),
    amount   INTEGER NOT NULL CHECK (amount <> 0),
    balance  INTEGER NOT NULL CHECK (balance >= 0),
    scan     BLOB
) STRICT;

CREATE INDEX credit_by_account ON credit (account, entry);
CREATE UNIQUE INDEX credit_by_scan ON credit (scan, kind) WHERE scan IS NOT NULL;

-- One row a scan of the workspace, from the moment its credit was taken. `request` is what was asked for, as JSON;
-- `words` is what a search looks in, lower case; `summary` is score and interval, as JSON. Whoever runs it keeps
-- `lease_until` in the future; a running row whose lease has ended lost its process, and its credit goes back.
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
    receipt      BLOB UNIQUE,
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
