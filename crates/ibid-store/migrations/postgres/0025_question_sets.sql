-- Questions in a caller's own words. A version never changes; `latest` is the last one. `owner` is the kind of the owner and its
-- id. A deleted set keeps the versions that scans have asked.
CREATE TABLE question_set (
    id          UUID NOT NULL PRIMARY KEY,
    owner       TEXT COLLATE "C" NOT NULL,
    name        TEXT NOT NULL,
    domain      TEXT,
    keyword     TEXT,
    place       TEXT,
    latest      BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    deleted_at  BIGINT
);

CREATE INDEX question_set_by_owner ON question_set (owner, created_at);

-- `questions` is JSON, compressed. `asked` is true once a scan has named the version.
CREATE TABLE question_set_version (
    question_set  UUID NOT NULL REFERENCES question_set (id),
    version       BIGINT NOT NULL,
    hash          TEXT NOT NULL,
    parent        BIGINT,
    source        TEXT NOT NULL,
    count         BIGINT NOT NULL,
    questions     BYTEA NOT NULL,
    asked         BOOLEAN NOT NULL DEFAULT FALSE,
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (question_set, version)
);
