-- Reports of projects. `document` is the file of a report, compressed, and is never changed. The columns from `token` on are its public link.
CREATE TABLE report_snapshot (
    id             UUID PRIMARY KEY NOT NULL,
    project        UUID NOT NULL REFERENCES project (id),
    title          TEXT NOT NULL,
    made_at        BIGINT NOT NULL,
    sha256         BYTEA NOT NULL CHECK (length(sha256) = 32),
    document       BYTEA NOT NULL,
    logo           BYTEA,
    token          TEXT UNIQUE,
    link_until     BIGINT,
    link_password  TEXT
);

CREATE INDEX report_snapshot_by_project ON report_snapshot (project, made_at);
