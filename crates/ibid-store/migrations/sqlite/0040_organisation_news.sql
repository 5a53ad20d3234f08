-- Addresses may get the news of every project of an organisation.
CREATE TABLE destination_of_all (
    id            BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    project       BLOB REFERENCES project (id),
    account       BLOB REFERENCES account (id),
    organisation  BLOB REFERENCES organisation (id),
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
    CHECK ((project IS NOT NULL) + (account IS NOT NULL) + (organisation IS NOT NULL) = 1)
) STRICT, WITHOUT ROWID;

INSERT INTO destination_of_all
SELECT id, project, account, NULL, events, digest, next_digest, quiet_from, quiet_to, time_zone, confirmation, confirmed_at, token,
       created_at
FROM destination;
DROP TABLE destination;
ALTER TABLE destination_of_all RENAME TO destination;
CREATE INDEX destination_by_project ON destination (project) WHERE project IS NOT NULL;
CREATE INDEX destination_by_account ON destination (account) WHERE account IS NOT NULL;
CREATE INDEX destination_by_organisation ON destination (organisation) WHERE organisation IS NOT NULL;
CREATE INDEX destination_by_digest ON destination (next_digest) WHERE next_digest IS NOT NULL;
