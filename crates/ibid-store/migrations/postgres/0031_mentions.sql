-- What the answers of a run name and cite, as JSON, compressed; empty where its evidence is not kept. Rows are made after the end of a run.
CREATE TABLE run_mentions (
    project   UUID NOT NULL REFERENCES project (id),
    run       UUID NOT NULL,
    document  BYTEA NOT NULL,
    PRIMARY KEY (project, run)
);
