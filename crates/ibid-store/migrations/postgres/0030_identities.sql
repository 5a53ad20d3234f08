-- Persons of an OpenID provider who have joined accounts. A subject is one for its issuer, and never given to another person.
CREATE TABLE identity (
    issuer     TEXT COLLATE "C" NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    account    UUID NOT NULL REFERENCES account (id),
    joined_at  BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);

CREATE INDEX identity_by_account ON identity (account);
