-- The schema of version 0.1.0, which made it in 17 steps. Times are milliseconds since 1970, if nothing else is said.

-- One row a finished scan. `reply` is the document of a GET, ready to send; `answers` is the evidence, compressed with
-- zstd, or NULL when it is not kept. `released` is false until the result is paid for; until then queries hide it.
-- Evidence moves to an object store where the operator has one. `evidence_until` is 0 until a process claims it, then the
-- end of the last claim; from then on an object may exist. `answers` is NULL once it exists.
CREATE TABLE scan (
    id              UUID PRIMARY KEY,
    origin          TEXT NOT NULL CHECK (origin IN ('v1', 'v2', 'paid', 'workspace', 'demo')),
    owner           TEXT,
    created_at      BIGINT NOT NULL,
    sandbox         BOOLEAN NOT NULL,
    method          TEXT NOT NULL,
    reply           BYTEA NOT NULL,
    answers         BYTEA,
    released        BOOLEAN NOT NULL,
    evidence_until  BIGINT NOT NULL DEFAULT 0
);

-- The column is compressed already.
ALTER TABLE scan ALTER COLUMN answers SET STORAGE EXTERNAL;

CREATE INDEX scan_by_owner ON scan (origin, owner, created_at);
CREATE INDEX scan_with_answers ON scan (evidence_until, id) WHERE answers IS NOT NULL AND released;

-- Objects of deleted scans. None is deleted before the claim on it has ended: a process could still write it.
CREATE TABLE evidence_deletion (
    scan        UUID PRIMARY KEY,
    not_before  BIGINT NOT NULL
);

-- One row a payment. `key` is chain, token, payer and nonce. The holder of the lease of the current turn may change the
-- row; taking it over starts a new turn. `held` is the settlement data with the signed payload; it is erased when it is no
-- longer needed.
-- `expected` is the transfer that the chain shows if the payment goes through. `identifier` is the buyer's own name of the
-- order, after the wallet: one open or sold order has it. A failed order loses it to the next one.
CREATE TABLE payment (
    key          TEXT COLLATE "C" PRIMARY KEY,
    fingerprint  BYTEA NOT NULL CHECK (octet_length(fingerprint) = 32),
    request      BYTEA NOT NULL CHECK (octet_length(request) = 32),
    skill        TEXT NOT NULL,
    resource     TEXT NOT NULL,
    run          UUID NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'settled',
                                                'delivered', 'freed', 'refused', 'void', 'proven')),
    turn         BIGINT NOT NULL,
    lease_until  BIGINT NOT NULL,
    next_try     BIGINT NOT NULL,
    tries        BIGINT NOT NULL,
    expires      BIGINT NOT NULL,
    held         BYTEA,
    hash         TEXT,
    changed_at   BIGINT NOT NULL,
    expected     TEXT,
    identifier   TEXT COLLATE "C",
    CHECK ((held IS NOT NULL) = (state IN ('held', 'settling', 'pending')))
);

CREATE INDEX payment_open ON payment (lease_until)
    WHERE state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'refused');
CREATE INDEX payment_by_end ON payment (expires);
-- For tasks whose process has stopped: the outcome of a run.
CREATE INDEX payment_by_run ON payment (run);
CREATE UNIQUE INDEX payment_by_identifier ON payment (identifier) WHERE identifier IS NOT NULL;

-- One row a settlement. `document` is the receipt as JSON.
CREATE TABLE receipt (
    position      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            UUID NOT NULL UNIQUE,
    key           TEXT COLLATE "C" NOT NULL UNIQUE,
    payer         TEXT COLLATE "C" NOT NULL,
    document      TEXT NOT NULL,
    inferred      BOOLEAN NOT NULL,
    settled_at    BIGINT NOT NULL,
    delivered_at  BIGINT
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

-- One row for money that the operator gave back. `hash` names the transaction, if there is one.
CREATE TABLE refund (
    entry   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    key     TEXT COLLATE "C" NOT NULL,
    kind    TEXT NOT NULL CHECK (kind IN ('refund', 'credit')),
    amount  BIGINT NOT NULL CHECK (amount > 0),
    hash    TEXT UNIQUE,
    note    TEXT NOT NULL
);

-- One row for an order whose work failed, for an hour.
CREATE TABLE failed_order (
    entry  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     BIGINT NOT NULL,
    payer  TEXT COLLATE "C" NOT NULL
);
CREATE INDEX failed_order_by_payer ON failed_order (payer, at);

-- One row a task of the agent surface. `document` is the record as its crate writes it; the store reads only the other
-- columns. `run` is the run under way. `waits` is true until the task is paid for. Unpaid tasks are limited for each
-- caller, which is stored as a hash.
CREATE TABLE task (
    position    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id          UUID NOT NULL UNIQUE,
    revision    BIGINT NOT NULL CHECK (revision >= 1),
    run         UUID,
    waits       BOOLEAN NOT NULL,
    caller      BYTEA NOT NULL,
    expires     BIGINT NOT NULL,
    changed_at  BIGINT NOT NULL,
    document    BYTEA NOT NULL
);

CREATE INDEX task_running ON task (run) WHERE run IS NOT NULL;
CREATE INDEX task_waiting ON task (caller, expires) WHERE waits;
CREATE INDEX task_by_end ON task (expires) WHERE run IS NULL;

-- People who sign in to the workspace. `password` is an argon2id hash in PHC form.
-- `budget` is in millionths of a dollar a month; NULL for none. A deleted account keeps its row, without its address, for
-- its credits and receipts.
CREATE TABLE account (
    id          UUID PRIMARY KEY,
    email       TEXT COLLATE "C" NOT NULL UNIQUE,
    password    TEXT NOT NULL,
    disabled    BOOLEAN NOT NULL DEFAULT false,
    created_at  BIGINT NOT NULL,
    role        TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('admin', 'member', 'viewer')),
    budget      BIGINT,
    deleted_at  BIGINT
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

-- One row a link that sets a password once. `hash` is the SHA-256 of its token.
CREATE TABLE account_link (
    hash        BYTEA PRIMARY KEY CHECK (octet_length(hash) = 32),
    account     UUID NOT NULL REFERENCES account (id),
    expires_at  BIGINT NOT NULL
);

CREATE INDEX account_link_by_account ON account_link (account);

-- `confirmed_at` is NULL until the first code was entered. `last_step` is the time step of the latest code that was accepted.
CREATE TABLE second_factor (
    account       UUID PRIMARY KEY REFERENCES account (id),
    secret        BYTEA NOT NULL CHECK (octet_length(secret) = 20),
    confirmed_at  BIGINT,
    last_step     BIGINT NOT NULL
);

-- Unused recovery codes. `hash` is the SHA-256 of the account and the code.
CREATE TABLE recovery_code (
    hash     BYTEA PRIMARY KEY CHECK (octet_length(hash) = 32),
    account  UUID NOT NULL REFERENCES account (id)
);

CREATE INDEX recovery_code_by_account ON recovery_code (account);

-- One row an account or a network from which signing in failed. `key` is a hash: the text that was typed is not kept.
CREATE TABLE sign_in_count (
    key       BYTEA PRIMARY KEY CHECK (octet_length(key) = 32),
    failures  BIGINT NOT NULL,
    last_at   BIGINT NOT NULL
);

CREATE INDEX sign_in_count_by_time ON sign_in_count (last_at);

-- Random keys that all processes share, such as the one that signs cookies of known devices.
CREATE TABLE secret (
    name   TEXT COLLATE "C" PRIMARY KEY,
    value  BYTEA NOT NULL CHECK (octet_length(value) = 32)
);

-- Actions of and on an account, append-only. `actor` is the account that acted on this one; NULL for the account itself and for
-- the operator at the command line.
CREATE TABLE account_log (
    entry    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       BIGINT NOT NULL,
    account  UUID NOT NULL REFERENCES account (id),
    action   TEXT NOT NULL,
    scan     UUID,
    actor    UUID
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
-- `cost` is the estimate in millionths of a dollar until the scan ends, then the bill. `share_password` is an argon2id hash. A
-- deleted scan keeps its row for its receipt.
CREATE TABLE workspace_scan (
    id              UUID PRIMARY KEY,
    account         UUID NOT NULL REFERENCES account (id),
    state           TEXT NOT NULL CHECK (state IN ('running', 'complete', 'failed', 'cancelled')),
    request         TEXT NOT NULL,
    domain          TEXT NOT NULL,
    keyword         TEXT NOT NULL,
    place           TEXT,
    words           TEXT NOT NULL,
    questions       BIGINT NOT NULL,
    done            BIGINT NOT NULL,
    reason          TEXT,
    summary         TEXT,
    share           TEXT COLLATE "C" UNIQUE,
    receipt         UUID UNIQUE,
    lease_until     BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    ended_at        BIGINT,
    title           TEXT,
    cost            BIGINT NOT NULL DEFAULT 0,
    deleted_at      BIGINT,
    share_until     BIGINT,
    share_password  TEXT,
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

-- Audits of the workspace, for lists and for the history of a page. The report is in `scan`. `address` is the one that was
-- asked for; `score` is NULL where no page was audited.
CREATE TABLE workspace_audit (
    id          UUID PRIMARY KEY,
    account     UUID NOT NULL REFERENCES account (id),
    kind        TEXT NOT NULL CHECK (kind IN ('page', 'site')),
    address     TEXT COLLATE "C" NOT NULL,
    score       BIGINT,
    created_at  BIGINT NOT NULL
);

CREATE INDEX workspace_audit_by_account ON workspace_audit (account, created_at);
CREATE INDEX workspace_audit_by_address ON workspace_audit (account, address, created_at);

-- The title and the logo that an account puts on its reports. `logo` is a PNG that the service has written.
CREATE TABLE report_brand (
    account     UUID PRIMARY KEY REFERENCES account (id),
    title       TEXT,
    logo        BYTEA,
    changed_at  BIGINT NOT NULL,
    CHECK (title IS NOT NULL OR logo IS NOT NULL)
);

-- One row a named key of the v1 API. `hash` is the SHA-256 of the key, which only its holder has. A revoked key keeps its
-- row, so its name is never given to another key.
CREATE TABLE service_key (
    name        TEXT COLLATE "C" PRIMARY KEY,
    hash        BYTEA NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    created_at  BIGINT NOT NULL,
    revoked_at  BIGINT
);

-- One row a caller of the v1 API: the hour that its latest scan falls into, and the scans that began in it.
CREATE TABLE caller_hour (
    caller    TEXT COLLATE "C" PRIMARY KEY,
    began_at  BIGINT NOT NULL,
    used      BIGINT NOT NULL
);

-- One row a scan under way of such a caller. The process that runs it keeps `lease_until` in the future.
CREATE TABLE caller_run (
    id           UUID PRIMARY KEY,
    caller       TEXT COLLATE "C" NOT NULL,
    lease_until  BIGINT NOT NULL
);

CREATE INDEX caller_run_by_caller ON caller_run (caller);

-- One row an Idempotency-Key of a caller. `key` is the SHA-256 of it and `request` that of the body. `scan` is the scan that the
-- key began; it has a result once it is in `scan`. The process that runs it keeps `lease_until` in the future.
CREATE TABLE idempotency (
    caller       TEXT COLLATE "C" NOT NULL,
    key          BYTEA NOT NULL CHECK (octet_length(key) = 32),
    request      BYTEA NOT NULL CHECK (octet_length(request) = 32),
    scan         UUID NOT NULL,
    lease_until  BIGINT NOT NULL,
    expires      BIGINT NOT NULL,
    PRIMARY KEY (caller, key)
);

CREATE INDEX idempotency_by_scan ON idempotency (scan);
CREATE INDEX idempotency_by_end ON idempotency (expires);

-- One row, written and read to find out whether the database takes writes.
CREATE TABLE readiness (id INTEGER PRIMARY KEY, checked_at BIGINT NOT NULL);

-- Durable runs: one row a run, one row for each of its steps that is not done, one row for each call that has ended.
-- `document` is the order as its owner wrote it; the store does not read it.
-- A caller finds its runs by the columns from `domain` on. `find_keyword` and `find_place` are in lower case. `stored` is the number
-- of calls with an outcome when the run ended. `position` is that of the run in its batch.
CREATE TABLE durable_run (
    id            UUID NOT NULL PRIMARY KEY,
    tenant        TEXT COLLATE "C" NOT NULL,
    priority      BIGINT NOT NULL CHECK (priority BETWEEN 1 AND 5),
    document      BYTEA NOT NULL,
    calls         BIGINT NOT NULL,
    state         TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'complete', 'partial', 'failed', 'cancelled')),
    cancelled     BOOLEAN NOT NULL,
    error         TEXT,
    created_at    BIGINT NOT NULL,
    ended_at      BIGINT,
    domain        TEXT COLLATE "C" NOT NULL DEFAULT '',
    keyword       TEXT NOT NULL DEFAULT '',
    place         TEXT,
    find_keyword  TEXT COLLATE "C" NOT NULL DEFAULT '',
    find_place    TEXT COLLATE "C",
    tag           TEXT COLLATE "C",
    schedule      UUID,
    batch         UUID,
    position      BIGINT NOT NULL DEFAULT 0,
    stored        BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX durable_run_open ON durable_run (created_at) WHERE ended_at IS NULL;
CREATE INDEX durable_run_by_tenant ON durable_run (tenant, created_at, id);
CREATE INDEX durable_run_by_domain ON durable_run (tenant, domain, created_at, id);
CREATE INDEX durable_run_by_schedule ON durable_run (schedule, created_at) WHERE schedule IS NOT NULL;
CREATE INDEX durable_run_by_batch ON durable_run (batch, position) WHERE batch IS NOT NULL;

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

-- Webhooks: subscriptions to events, one row for each event on its way to a subscription, one row for each attempt.
-- `events` are words separated by commas; empty for all. `kind` is `standard` for
-- subscriptions of the API, and `task` for those of agents to one task. `secret_before` is valid up to `before_until`.
-- The task of a subscription of the kind `task`; it is deleted with the task. For these, `name` is the id that the agent chose, and
-- `secret` is empty or sealed: the name of the key, a space, and the ciphertext.
CREATE TABLE webhook (
    id             UUID NOT NULL PRIMARY KEY,
    owner          TEXT COLLATE "C" NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL CHECK (kind IN ('standard', 'task')),
    url            TEXT NOT NULL,
    events         TEXT NOT NULL,
    name           TEXT NOT NULL,
    secret         BYTEA NOT NULL,
    secret_before  BYTEA,
    before_until   BIGINT,
    created_at     BIGINT NOT NULL,
    failing_since  BIGINT,
    disabled_at    BIGINT,
    disabled_for   TEXT,
    task           UUID
);

CREATE INDEX webhook_by_owner ON webhook (owner, created_at);
CREATE INDEX webhook_by_task ON webhook (task) WHERE task IS NOT NULL;

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

-- Schedules: one row for each, one row for each of its runs, one row for each alert. `document` is the order and
-- `recurrence` the times, as their owner wrote them; the store reads neither. `budget` is in millionths of a dollar.
-- `kek` and `ciphertext` are the sealed provider key.
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
    schedule  UUID NOT NULL,
    due       BIGINT NOT NULL,
    state     TEXT COLLATE "C" NOT NULL CHECK (state IN ('firing', 'queued', 'ended')),
    scan      UUID,
    outcome   TEXT,
    cost      BIGINT NOT NULL,
    credits   BIGINT NOT NULL,
    retry_at  BIGINT NOT NULL,
    began_at  BIGINT NOT NULL,
    ended_at  BIGINT,
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
