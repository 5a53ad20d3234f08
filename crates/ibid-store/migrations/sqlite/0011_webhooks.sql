-- Webhooks: subscriptions to events, one row for each event on its way to a subscription, one row for each attempt.
-- Times are milliseconds since 1970. `events` are words separated by commas; empty for all. `kind` is `standard` for
-- subscriptions of the API, and `task` for those of agents to one task. `secret_before` is valid up to `before_until`.
CREATE TABLE webhook (
    id              BLOB NOT NULL CHECK (length(id) = 16) PRIMARY KEY,
    owner           TEXT NOT NULL,
    kind            TEXT NOT NULL CHECK (kind IN ('standard', 'task')),
    url             TEXT NOT NULL,
    events          TEXT NOT NULL,
    name            TEXT NOT NULL,
    secret          BLOB NOT NULL,
    secret_before   BLOB,
    before_until    INTEGER,
    created_at      INTEGER NOT NULL,
    failing_since   INTEGER,
    disabled_at     INTEGER,
    disabled_for    TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_by_owner ON webhook (owner, created_at);

-- `subject` is what the event is about: a subscription gets an event about it once. `epoch` counts claims: the write
-- of an attempt names it. `attempts_before` are those before it was queued for the last time.
CREATE TABLE webhook_delivery (
    id               BLOB NOT NULL CHECK (length(id) = 16) PRIMARY KEY,
    webhook          BLOB NOT NULL CHECK (length(webhook) = 16),
    event            TEXT NOT NULL,
    subject          TEXT NOT NULL,
    payload          BLOB NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    created_at       INTEGER NOT NULL,
    next_attempt     INTEGER NOT NULL,
    lease_until      INTEGER,
    epoch            INTEGER NOT NULL,
    attempts         INTEGER NOT NULL,
    attempts_before  INTEGER NOT NULL,
    last_status      INTEGER,
    last_error       TEXT,
    ended_at         INTEGER,
    UNIQUE (webhook, event, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_delivery_waiting ON webhook_delivery (next_attempt) WHERE state = 'waiting';
CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook, created_at);
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE webhook_attempt (
    delivery  BLOB NOT NULL CHECK (length(delivery) = 16),
    number    INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    took      INTEGER NOT NULL,
    status    INTEGER,
    error     TEXT,
    PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;
