-- The schema of version 0.1.0, which made it in 17 steps. Times are milliseconds since 1970, if nothing else is said.

-- One row a finished scan. `reply` is the document of a GET, ready to send; `answers` is the evidence, compressed with
-- zstd, or NULL when it is not kept. `released` is 0 until the result is paid for; until then queries hide it.
-- Evidence moves to an object store where the operator has one. `evidence_until` is 0 until a process claims it, then the
-- end of the last claim; from then on an object may exist. `answers` is NULL once it exists.
CREATE TABLE scan (
    id              BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    origin          TEXT NOT NULL CHECK (origin IN ('v1', 'v2', 'paid', 'workspace', 'demo')),
    owner           TEXT,
    created_at      INTEGER NOT NULL,
    sandbox         INTEGER NOT NULL,
    method          TEXT NOT NULL,
    reply           BLOB NOT NULL,
    answers         BLOB,
    released        INTEGER NOT NULL,
    evidence_until  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX scan_by_owner ON scan (origin, owner, created_at);
CREATE INDEX scan_with_answers ON scan (evidence_until, id) WHERE answers IS NOT NULL AND released;

-- Objects of deleted scans. None is deleted before the claim on it has ended: a process could still write it.
CREATE TABLE evidence_deletion (
    scan        BLOB PRIMARY KEY NOT NULL CHECK (length(scan) = 16),
    not_before  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row a payment. `key` is chain, token, payer and nonce. The holder of the lease of the current turn may change the
-- row; taking it over starts a new turn. `held` is the settlement data with the signed payload; it is erased when it is no
-- longer needed.
-- `expected` is the transfer that the chain shows if the payment goes through. `identifier` is the buyer's own name of the
-- order, after the wallet: one open or sold order has it. A failed order loses it to the next one.
CREATE TABLE payment (
    key          TEXT PRIMARY KEY NOT NULL,
    fingerprint  BLOB NOT NULL CHECK (length(fingerprint) = 32),
    request      BLOB NOT NULL CHECK (length(request) = 32),
    skill        TEXT NOT NULL,
    resource     TEXT NOT NULL,
    run          BLOB NOT NULL CHECK (length(run) = 16),
    state        TEXT NOT NULL CHECK (state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'settled',
                                                'delivered', 'freed', 'refused', 'void', 'proven')),
    turn         INTEGER NOT NULL,
    lease_until  INTEGER NOT NULL,
    next_try     INTEGER NOT NULL,
    tries        INTEGER NOT NULL,
    expires      INTEGER NOT NULL,
    held         BLOB,
    hash         TEXT,
    changed_at   INTEGER NOT NULL,
    expected     TEXT,
    identifier   TEXT,
    CHECK ((held IS NOT NULL) = (state IN ('held', 'settling', 'pending')))
) STRICT, WITHOUT ROWID;

CREATE INDEX payment_open ON payment (lease_until)
    WHERE state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'refused');
CREATE INDEX payment_by_end ON payment (expires);
-- For tasks whose process has stopped: the outcome of a run.
CREATE INDEX payment_by_run ON payment (run);
CREATE UNIQUE INDEX payment_by_identifier ON payment (identifier) WHERE identifier IS NOT NULL;

-- One row a settlement. `document` is the receipt as JSON.
CREATE TABLE receipt (
    position      INTEGER PRIMARY KEY AUTOINCREMENT,
    id            BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    key           TEXT NOT NULL UNIQUE,
    payer         TEXT NOT NULL,
    document      TEXT NOT NULL,
    inferred      INTEGER NOT NULL,
    settled_at    INTEGER NOT NULL,
    delivered_at  INTEGER
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

-- One row for money that the operator gave back. `hash` names the transaction, if there is one.
CREATE TABLE refund (
    entry   INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    key     TEXT NOT NULL,
    kind    TEXT NOT NULL CHECK (kind IN ('refund', 'credit')),
    amount  INTEGER NOT NULL CHECK (amount > 0),
    hash    TEXT UNIQUE,
    note    TEXT NOT NULL
) STRICT;

-- One row for an order whose work failed, for an hour.
CREATE TABLE failed_order (
    entry  INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    payer  TEXT NOT NULL
) STRICT;
CREATE INDEX failed_order_by_payer ON failed_order (payer, at);

-- One row a task of the agent surface. `document` is the record as its crate writes it; the store reads only the other
-- columns. `run` is the run under way. `waits` is 1 until the task is paid for. Unpaid tasks are limited for each
-- caller, which is stored as a hash.
CREATE TABLE task (
    position    INTEGER PRIMARY KEY AUTOINCREMENT,
    id          BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    revision    INTEGER NOT NULL CHECK (revision >= 1),
    run         BLOB CHECK (run IS NULL OR length(run) = 16),
    waits       INTEGER NOT NULL,
    caller      BLOB NOT NULL,
    expires     INTEGER NOT NULL,
    changed_at  INTEGER NOT NULL,
    document    BLOB NOT NULL
) STRICT;

CREATE INDEX task_running ON task (run) WHERE run IS NOT NULL;
CREATE INDEX task_waiting ON task (caller, expires) WHERE waits;
CREATE INDEX task_by_end ON task (expires) WHERE run IS NULL;

-- People who sign in to the workspace. `password` is an argon2id hash in PHC form.
-- `budget` is in millionths of a dollar a month; NULL for none. A deleted account keeps its row, without its address, for
-- its credits and receipts.
CREATE TABLE account (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    email       TEXT NOT NULL UNIQUE,
    password    TEXT NOT NULL,
    disabled    INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    role        TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('admin', 'member', 'viewer')),
    budget      INTEGER,
    deleted_at  INTEGER
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

-- One row a link that sets a password once. `hash` is the SHA-256 of its token.
CREATE TABLE account_link (
    hash        BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
    account     BLOB NOT NULL REFERENCES account (id),
    expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX account_link_by_account ON account_link (account);

-- `confirmed_at` is NULL until the first code was entered. `last_step` is the time step of the latest code that was accepted.
CREATE TABLE second_factor (
    account       BLOB PRIMARY KEY NOT NULL REFERENCES account (id),
    secret        BLOB NOT NULL CHECK (length(secret) = 20),
    confirmed_at  INTEGER,
    last_step     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Unused recovery codes. `hash` is the SHA-256 of the account and the code.
CREATE TABLE recovery_code (
    hash     BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
    account  BLOB NOT NULL REFERENCES account (id)
) STRICT, WITHOUT ROWID;

CREATE INDEX recovery_code_by_account ON recovery_code (account);

-- One row an account or a network from which signing in failed. `key` is a hash: the text that was typed is not kept.
CREATE TABLE sign_in_count (
    key       BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 32),
    failures  INTEGER NOT NULL,
    last_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_count_by_time ON sign_in_count (last_at);

-- Random keys that all processes share, such as the one that signs cookies of known devices.
CREATE TABLE secret (
    name   TEXT PRIMARY KEY NOT NULL,
    value  BLOB NOT NULL CHECK (length(value) = 32)
) STRICT, WITHOUT ROWID;

-- Actions of and on an account, append-only. `actor` is the account that acted on this one; NULL for the account itself and for
-- the operator at the command line.
CREATE TABLE account_log (
    entry    INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    account  BLOB NOT NULL REFERENCES account (id),
    action   TEXT NOT NULL,
    scan     BLOB CHECK (scan IS NULL OR length(scan) = 16),
    actor    BLOB CHECK (actor IS NULL OR length(actor) = 16)
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
-- `cost` is the estimate in millionths of a dollar until the scan ends, then the bill. `share_password` is an argon2id hash. A
-- deleted scan keeps its row for its receipt.
CREATE TABLE workspace_scan (
    id              BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    account         BLOB NOT NULL REFERENCES account (id),
    state           TEXT NOT NULL CHECK (state IN ('running', 'complete', 'failed', 'cancelled')),
    request         TEXT NOT NULL,
    domain          TEXT NOT NULL,
    keyword         TEXT NOT NULL,
    place           TEXT,
    words           TEXT NOT NULL,
    questions       INTEGER NOT NULL,
    done            INTEGER NOT NULL,
    reason          TEXT,
    summary         TEXT,
    share           TEXT UNIQUE,
    receipt         BLOB UNIQUE CHECK (receipt IS NULL OR length(receipt) = 16),
    lease_until     INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    ended_at        INTEGER,
    title           TEXT,
    cost            INTEGER NOT NULL DEFAULT 0,
    deleted_at      INTEGER,
    share_until     INTEGER,
    share_password  TEXT,
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

-- Audits of the workspace, for lists and for the history of a page. The report is in `scan`. `address` is the one that was
-- asked for; `score` is NULL where no page was audited.
CREATE TABLE workspace_audit (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    account     BLOB NOT NULL REFERENCES account (id),
    kind        TEXT NOT NULL CHECK (kind IN ('page', 'site')),
    address     TEXT NOT NULL,
    score       INTEGER,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX workspace_audit_by_account ON workspace_audit (account, created_at);
CREATE INDEX workspace_audit_by_address ON workspace_audit (account, address, created_at);

-- The title and the logo that an account puts on its reports. `logo` is a PNG that the service has written.
CREATE TABLE report_brand (
    account     BLOB PRIMARY KEY NOT NULL REFERENCES account (id),
    title       TEXT,
    logo        BLOB,
    changed_at  INTEGER NOT NULL,
    CHECK (title IS NOT NULL OR logo IS NOT NULL)
) STRICT;

-- One row a named key of the v1 API. `hash` is the SHA-256 of the key, which only its holder has. A revoked key keeps its
-- row, so its name is never given to another key.
CREATE TABLE service_key (
    name        TEXT PRIMARY KEY NOT NULL,
    hash        BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER
) STRICT, WITHOUT ROWID;

-- One row a caller of the v1 API: the hour that its latest scan falls into, and the scans that began in it.
CREATE TABLE caller_hour (
    caller    TEXT PRIMARY KEY NOT NULL,
    began_at  INTEGER NOT NULL,
    used      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row a scan under way of such a caller. The process that runs it keeps `lease_until` in the future.
CREATE TABLE caller_run (
    id           BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    caller       TEXT NOT NULL,
    lease_until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX caller_run_by_caller ON caller_run (caller);

-- One row an Idempotency-Key of a caller. `key` is the SHA-256 of it and `request` that of the body. `scan` is the scan that the
-- key began; it has a result once it is in `scan`. The process that runs it keeps `lease_until` in the future.
CREATE TABLE idempotency (
    caller       TEXT NOT NULL,
    key          BLOB NOT NULL CHECK (length(key) = 32),
    request      BLOB NOT NULL CHECK (length(request) = 32),
    scan         BLOB NOT NULL CHECK (length(scan) = 16),
    lease_until  INTEGER NOT NULL,
    expires      INTEGER NOT NULL,
    PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_scan ON idempotency (scan);
CREATE INDEX idempotency_by_end ON idempotency (expires);

-- One row, written and read to find out whether the database takes writes.
CREATE TABLE readiness (id INTEGER PRIMARY KEY, checked_at BIGINT NOT NULL);

-- Durable runs: one row a run, one row for each of its steps that is not done, one row for each call that has ended.
-- `document` is the order as its owner wrote it; the store does not read it.
-- A caller finds its runs by the columns from `domain` on. `find_keyword` and `find_place` are in lower case. `stored` is the number
-- of calls with an outcome when the run ended. `position` is that of the run in its batch.
CREATE TABLE durable_run (
    id            BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    tenant        TEXT NOT NULL,
    priority      INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 5),
    document      BLOB NOT NULL,
    calls         INTEGER NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('queued', 'running', 'complete', 'partial', 'failed', 'cancelled')),
    cancelled     INTEGER NOT NULL,
    error         TEXT,
    created_at    INTEGER NOT NULL,
    ended_at      INTEGER,
    domain        TEXT NOT NULL DEFAULT '',
    keyword       TEXT NOT NULL DEFAULT '',
    place         TEXT,
    find_keyword  TEXT NOT NULL DEFAULT '',
    find_place    TEXT,
    tag           TEXT,
    schedule      BLOB CHECK (schedule IS NULL OR length(schedule) = 16),
    batch         BLOB CHECK (batch IS NULL OR length(batch) = 16),
    position      INTEGER NOT NULL DEFAULT 0,
    stored        INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX durable_run_open ON durable_run (created_at) WHERE ended_at IS NULL;
CREATE INDEX durable_run_by_tenant ON durable_run (tenant, created_at, id);
CREATE INDEX durable_run_by_domain ON durable_run (tenant, domain, created_at, id);
CREATE INDEX durable_run_by_schedule ON durable_run (schedule, created_at) WHERE schedule IS NOT NULL;
CREATE INDEX durable_run_by_batch ON durable_run (batch, position) WHERE batch IS NOT NULL;

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

-- Webhooks: subscriptions to events, one row for each event on its way to a subscription, one row for each attempt.
-- `events` are words separated by commas; empty for all. `kind` is `standard` for
-- subscriptions of the API, and `task` for those of agents to one task. `secret_before` is valid up to `before_until`.
-- The task of a subscription of the kind `task`; it is deleted with the task. For these, `name` is the id that the agent chose, and
-- `secret` is empty or sealed: the name of the key, a space, and the ciphertext.
CREATE TABLE webhook (
    id             BLOB NOT NULL CHECK (length(id) = 16) PRIMARY KEY,
    owner          TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('standard', 'task')),
    url            TEXT NOT NULL,
    events         TEXT NOT NULL,
    name           TEXT NOT NULL,
    secret         BLOB NOT NULL,
    secret_before  BLOB,
    before_until   INTEGER,
    created_at     INTEGER NOT NULL,
    failing_since  INTEGER,
    disabled_at    INTEGER,
    disabled_for   TEXT,
    task           BLOB CHECK (length(task) = 16)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_by_owner ON webhook (owner, created_at);
CREATE INDEX webhook_by_task ON webhook (task) WHERE task IS NOT NULL;

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

-- Schedules: one row for each, one row for each of its runs, one row for each alert. `document` is the order and
-- `recurrence` the times, as their owner wrote them; the store reads neither. `budget` is in millionths of a dollar.
-- `kek` and `ciphertext` are the sealed provider key.
CREATE TABLE schedule (
    id          BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    owner       TEXT NOT NULL,
    name        TEXT NOT NULL,
    document    TEXT NOT NULL,
    recurrence  TEXT NOT NULL,
    next_due    INTEGER,
    paused_at   INTEGER,
    budget      INTEGER,
    credits     INTEGER,
    failures    INTEGER NOT NULL,
    kek         TEXT,
    ciphertext  BLOB,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX schedule_by_owner ON schedule (owner, created_at);
CREATE INDEX schedule_due ON schedule (next_due) WHERE paused_at IS NULL;

-- `retry_at` is the time from which another process may queue the scan of a run in the state `firing`.
CREATE TABLE schedule_run (
    schedule  BLOB NOT NULL CHECK (length(schedule) = 16),
    due       INTEGER NOT NULL,
    state     TEXT NOT NULL CHECK (state IN ('firing', 'queued', 'ended')),
    scan      BLOB CHECK (scan IS NULL OR length(scan) = 16),
    outcome   TEXT,
    cost      INTEGER NOT NULL,
    credits   INTEGER NOT NULL,
    retry_at  INTEGER NOT NULL,
    began_at  INTEGER NOT NULL,
    ended_at  INTEGER,
    PRIMARY KEY (schedule, due)
) STRICT, WITHOUT ROWID;

CREATE INDEX schedule_run_open ON schedule_run (state, retry_at) WHERE state <> 'ended';

CREATE TABLE alert (
    id          BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    owner       TEXT NOT NULL,
    schedule    BLOB NOT NULL CHECK (length(schedule) = 16),
    due         INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    scan        BLOB CHECK (scan IS NULL OR length(scan) = 16),
    previous    BLOB CHECK (previous IS NULL OR length(previous) = 16),
    summary     TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    seen_at     INTEGER,
    UNIQUE (schedule, due)
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_by_owner ON alert (owner, created_at);
