-- As in the script for SQLite.
CREATE TABLE feed_key (
    id          UUID PRIMARY KEY NOT NULL,
    project     UUID NOT NULL REFERENCES project (id),
    name        TEXT NOT NULL,
    hash        BYTEA NOT NULL UNIQUE CHECK (length(hash) = 32),
    detail      BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    used_at     BIGINT,
    expires_at  BIGINT NOT NULL
);

CREATE INDEX feed_key_by_project ON feed_key (project);
