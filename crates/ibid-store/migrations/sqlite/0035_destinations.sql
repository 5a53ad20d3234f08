-- People get events, too: by mail and by chat programs. `secret` of a mail address is the token that ends its mails; of a chat
-- program the sealed address: the name of the key, a space, and the ciphertext.
CREATE TABLE webhook_of_all_kinds (
    id             BLOB NOT NULL CHECK (length(id) = 16) PRIMARY KEY,
    owner          TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('standard', 'task', 'mail', 'slack', 'discord', 'teams')),
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

INSERT INTO webhook_of_all_kinds
SELECT id, owner, kind, url, events, name, secret, secret_before, before_until, created_at, failing_since, disabled_at,
       disabled_for, task
FROM webhook;
DROP TABLE webhook;
ALTER TABLE webhook_of_all_kinds RENAME TO webhook;
CREATE INDEX webhook_by_owner ON webhook (owner, created_at);
CREATE INDEX webhook_by_task ON webhook (task) WHERE task IS NOT NULL;

-- Addresses of people; the row of `webhook` with the same id carries the messages. The news of one project, or digests of all projects
-- that an account sees. `events` are those that it gets once it is confirmed. Hours are those of `time_zone`.
CREATE TABLE destination (
    id            BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    project       BLOB REFERENCES project (id),
    account       BLOB REFERENCES account (id),
    events        TEXT NOT NULL,
    digest        TEXT CHECK (digest IN ('weekly', 'monthly')),
    next_digest   INTEGER,
    quiet_from    INTEGER,
    quiet_to      INTEGER,
    time_zone     TEXT NOT NULL,
    confirmation  BLOB UNIQUE CHECK (length(confirmation) = 32),
    confirmed_at  INTEGER,
    token         BLOB NOT NULL UNIQUE CHECK (length(token) = 32),
    created_at    INTEGER NOT NULL,
    CHECK ((project IS NULL) <> (account IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX destination_by_project ON destination (project) WHERE project IS NOT NULL;
CREATE INDEX destination_by_account ON destination (account) WHERE account IS NOT NULL;
CREATE INDEX destination_by_digest ON destination (next_digest) WHERE next_digest IS NOT NULL;

-- Confirmations of the last day, also of deleted destinations: nobody is written to again and again.
CREATE TABLE confirmation_mail (
    id       BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    subject  TEXT NOT NULL,
    address  TEXT NOT NULL,
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
