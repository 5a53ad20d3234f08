-- As in the script for SQLite.
CREATE TABLE invitation (
    target        UUID NOT NULL,
    account       UUID NOT NULL REFERENCES account (id),
    organisation  UUID NOT NULL REFERENCES organisation (id),
    role          TEXT NOT NULL CHECK (role IN ('admin', 'editor', 'viewer')),
    inviter       TEXT NOT NULL,
    hash          BYTEA NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    expires_at    BIGINT NOT NULL,
    PRIMARY KEY (target, account)
);

CREATE INDEX invitation_by_account ON invitation (account);

ALTER TABLE account ADD COLUMN guest_of UUID;

ALTER TABLE api_key ADD COLUMN parent UUID;
ALTER TABLE api_key ADD COLUMN owner UUID;
ALTER TABLE feed_key ADD COLUMN parent UUID;

DELETE FROM account_link;

CREATE INDEX audit_event_by_action ON audit_event (action, at);
