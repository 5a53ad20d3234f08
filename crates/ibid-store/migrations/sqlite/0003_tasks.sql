-- One row a task of the agent surface. `document` is the record as its crate writes it; the other columns are what the
-- store has to know of it. `run` is the run under way. `waits` is 1 while nobody has paid: such tasks are bounded for
-- each caller, who is kept as a hash. Times are milliseconds since 1970.
CREATE TABLE task (
    position   INTEGER PRIMARY KEY,
    id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    revision   INTEGER NOT NULL CHECK (revision >= 1),
    run        BLOB CHECK (run IS NULL OR length(run) = 16),
    waits      INTEGER NOT NULL CHECK (waits IN (0, 1)),
    caller     BLOB NOT NULL,
    expires    INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    document   BLOB NOT NULL
) STRICT;

CREATE INDEX task_running ON task (run) WHERE run IS NOT NULL;
CREATE INDEX task_waiting ON task (caller, expires) WHERE waits;
CREATE INDEX task_by_end ON task (expires) WHERE run IS NULL;

-- What became of a run: asked for tasks whose process is gone.
CREATE INDEX payment_by_run ON payment (run);
