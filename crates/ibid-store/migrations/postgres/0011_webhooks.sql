-- Webhooks: subscriptions to events, one row for each event on its way to a subscription, one row for each attempt.
-- Times are milliseconds since 1970. `events` are words separated by commas; empty for all. `kind` is `standard` for
-- subscriptions of the API, and `task` for those of agents to one task. `secret_before` is valid up to `before_until`.
CREATE TABLE webhook (
    id              UUID NOT NULL PRIMARY KEY,
    owner           TEXT COLLATE "C" NOT NULL,
    kind            TEXT COLLATE "C" NOT NULL CHECK (kind IN ('standard', 'task')),
    url             TEXT NOT NULL,
    events          TEXT NOT NULL,
    name            TEXT NOT NULL,
    secret          BYTEA NOT NULL,
    secret_before   BYTEA,
    before_until    BIGINT,
    created_at      BIGINT NOT NULL,
    failing_since   BIGINT,
    disabled_at     BIGINT,
    disabled_for    TEXT
);

CREATE INDEX webhook_by_owner ON webhook (owner, created_at);

-- `subject` is what the event is about: a subscription gets an event about it once. `epoch` counts claims: the write
-- of an attempt names it. `attempts_before` are those before it was queued for the last time.
CREATE TABLE webhook_delivery (
    id               UUID NOT NULL PRIMARY KEY,
    webhook          UUID NOT NULL,
    event            TEXT NOT NULL,
    subject          TEXT COLLATE "C" NOT NULL,
    payload          BYTEA NOT NULL,
    state            TEXT COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    created_at       BIGINT NOT NULL,
    next_attempt     BIGINT NOT NULL,
    lease_until      BIGINT,
    epoch            BIGINT NOT NULL,
    attempts         BIGINT NOT NULL,
    attempts_before  BIGINT NOT NULL,
    last_status      BIGINT,
    last_error       TEXT,
    ended_at         BIGINT,
    UNIQUE (webhook, event, subject)
);

CREATE INDEX webhook_delivery_waiting ON webhook_delivery (next_attempt) WHERE state = 'waiting';
CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook, created_at);
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE webhook_attempt (
    delivery  UUID NOT NULL,
    number    BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    took      BIGINT NOT NULL,
    status    BIGINT,
    error     TEXT,
    PRIMARY KEY (delivery, number)
);
