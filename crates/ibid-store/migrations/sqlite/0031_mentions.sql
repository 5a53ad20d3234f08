-- What the answers of a run name and cite, as JSON, compressed; empty where its evidence is not kept. Rows are made after the end of a run.
CREATE TABLE run_mentions (
    project   BLOB NOT NULL REFERENCES project (id),
    run       BLOB NOT NULL CHECK (length(run) = 16),
    document  BLOB NOT NULL,
    PRIMARY KEY (project, run)
) STRICT;
