-- As in the script for SQLite.
ALTER TABLE webhook DROP CONSTRAINT webhook_kind_check;
ALTER TABLE webhook ADD CONSTRAINT webhook_kind_check
    CHECK (kind IN ('standard', 'task', 'mail', 'slack', 'discord', 'teams'));

CREATE TABLE destination (
    id            UUID PRIMARY KEY NOT NULL,
    project       UUID REFERENCES project (id),
    account       UUID REFERENCES account (id),
    events        TEXT NOT NULL,
    digest        TEXT CHECK (digest IN ('weekly', 'monthly')),
    next_digest   BIGINT,
    quiet_from    BIGINT,
    quiet_to      BIGINT,
    time_zone     TEXT NOT NULL,
    confirmation  BYTEA UNIQUE CHECK (length(confirmation) = 32),
    confirmed_at  BIGINT,
    token         BYTEA NOT NULL UNIQUE CHECK (length(token) = 32),
    created_at    BIGINT NOT NULL,
    CHECK ((project IS NULL) <> (account IS NULL))
);

CREATE INDEX destination_by_project ON destination (project) WHERE project IS NOT NULL;
CREATE INDEX destination_by_account ON destination (account) WHERE account IS NOT NULL;
CREATE INDEX destination_by_digest ON destination (next_digest) WHERE next_digest IS NOT NULL;

CREATE TABLE confirmation_mail (
    id       UUID PRIMARY KEY NOT NULL,
    subject  TEXT NOT NULL,
    address  TEXT NOT NULL,
    at       BIGINT NOT NULL
);
