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

-- What was done to an account and by it: only ever added to.
CREATE TABLE account_log (
    entry    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       BIGINT NOT NULL,
    account  UUID NOT NULL REFERENCES account (id),
    action   TEXT NOT NULL,
    scan     UUID
);

CREATE INDEX account_log_by_account ON account_log (account, entry);

-- Credits: only ever added to. `balance` is the sum of the account's amounts so far and never below zero. Whoever adds
-- a row holds the lock of its account. A scan takes once and gives back at most once.
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

-- One row a scan of the workspace, from the moment its credit was taken. `request` is what was asked for, as JSON;
-- `words` is what a search looks in, lower case; `summary` is score and interval, as JSON. Whoever runs it keeps
-- `lease_until` in the future; a running row whose lease has ended lost its process, and its credit goes back.
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
