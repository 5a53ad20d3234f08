-- An invitation waits until its person signs in and accepts it. `target` is a project, or for an heir (`admin`) an organisation.
-- `hash` is that of its link.
CREATE TABLE invitation (
    target        BLOB NOT NULL CHECK (length(target) = 16),
    account       BLOB NOT NULL REFERENCES account (id),
    organisation  BLOB NOT NULL REFERENCES organisation (id),
    role          TEXT NOT NULL CHECK (role IN ('admin', 'editor', 'viewer')),
    inviter       TEXT NOT NULL,
    hash          BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_at    INTEGER NOT NULL,
    PRIMARY KEY (target, account)
) STRICT, WITHOUT ROWID;

CREATE INDEX invitation_by_account ON invitation (account);

-- An account that an invitation opened belongs to the organisation that invited it, and makes none of its own.
ALTER TABLE account ADD COLUMN guest_of BLOB;

-- A key that a key made ends with it; one of a person rests while the person is no admin.
ALTER TABLE api_key ADD COLUMN parent BLOB;
ALTER TABLE api_key ADD COLUMN owner BLOB;
ALTER TABLE feed_key ADD COLUMN parent BLOB;

-- Links that invitations made to accounts of others.
DELETE FROM account_link;

CREATE INDEX audit_event_by_action ON audit_event (action, at);
