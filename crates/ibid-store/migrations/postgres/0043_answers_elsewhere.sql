-- Answers that were given elsewhere: exported by another tracker, or captured from an interface. They are never runs of the project.
-- `notes` has what the reader of the file counted, `days` the numbers of each day once every piece is there.
CREATE TABLE answer_import (
    id          UUID PRIMARY KEY NOT NULL,
    project     UUID NOT NULL REFERENCES project (id),
    stratum     TEXT NOT NULL CHECK (stratum IN ('tracker', 'interface')),
    tool        TEXT NOT NULL,
    name        TEXT NOT NULL,
    sha256      BYTEA NOT NULL CHECK (length(sha256) = 32),
    parts       BIGINT NOT NULL,
    notes       TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    ended_at    BIGINT,
    days        TEXT,
    UNIQUE (project, stratum, sha256)
);

-- A piece of a file. `document` has its answers, compressed, where answers are kept.
CREATE TABLE answer_part (
    import    UUID NOT NULL REFERENCES answer_import (id),
    number    BIGINT NOT NULL,
    sha256    BYTEA NOT NULL CHECK (length(sha256) = 32),
    answers   BIGINT NOT NULL,
    document  BYTEA,
    PRIMARY KEY (import, number)
);

-- Counts and sums over the answers of one source to one question on one day, in one piece.
CREATE TABLE answer_count (
    import     UUID NOT NULL REFERENCES answer_import (id),
    part       BIGINT NOT NULL,
    day        TEXT NOT NULL,
    source     TEXT NOT NULL,
    question   TEXT NOT NULL,
    valid      BIGINT NOT NULL,
    cited      BIGINT NOT NULL,
    linked     BIGINT NOT NULL,
    score_sum  BIGINT NOT NULL,
    PRIMARY KEY (import, part, day, source, question)
);
