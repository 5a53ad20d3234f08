-- One row a task of the agent surface. `document` is the record as its crate writes it; the other columns are what the
-- store has to know of it. `run` is the run under way. `waits` is true while nobody has paid: such tasks are bounded for
-- each caller, who is kept as a hash. Times are milliseconds since 1970.
CREATE TABLE task (
    position   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         UUID NOT NULL UNIQUE,
    revision   BIGINT NOT NULL CHECK (revision >= 1),
    run        UUID,
    waits      BOOLEAN NOT NULL,
    caller     BYTEA NOT NULL,
    expires    BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    document   BYTEA NOT NULL
);

CREATE INDEX task_running ON task (run) WHERE run IS NOT NULL;
CREATE INDEX task_waiting ON task (caller, expires) WHERE waits;
CREATE INDEX task_by_end ON task (expires) WHERE run IS NULL;
