-- Persons of an OpenID provider who have joined accounts. A subject is one for its issuer, and never given to another person.
CREATE TABLE identity (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    account    BLOB NOT NULL REFERENCES account (id),
    joined_at  INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identity_by_account ON identity (account);
