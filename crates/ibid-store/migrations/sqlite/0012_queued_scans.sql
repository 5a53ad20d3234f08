-- The columns by which a caller finds its runs. `find_keyword` and `find_place` are in lower case. `stored` is the number of
-- calls with an outcome when the run ended. `position` is that of the run in its batch.
ALTER TABLE durable_run ADD COLUMN domain TEXT NOT NULL DEFAULT '';
ALTER TABLE durable_run ADD COLUMN keyword TEXT NOT NULL DEFAULT '';
ALTER TABLE durable_run ADD COLUMN place TEXT;
ALTER TABLE durable_run ADD COLUMN find_keyword TEXT NOT NULL DEFAULT '';
ALTER TABLE durable_run ADD COLUMN find_place TEXT;
ALTER TABLE durable_run ADD COLUMN tag TEXT;
ALTER TABLE durable_run ADD COLUMN schedule BLOB CHECK (schedule IS NULL OR length(schedule) = 16);
ALTER TABLE durable_run ADD COLUMN batch BLOB CHECK (batch IS NULL OR length(batch) = 16);
ALTER TABLE durable_run ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE durable_run ADD COLUMN stored INTEGER NOT NULL DEFAULT 0;

CREATE INDEX durable_run_by_tenant ON durable_run (tenant, created_at, id);
CREATE INDEX durable_run_by_domain ON durable_run (tenant, domain, created_at, id);
CREATE INDEX durable_run_by_schedule ON durable_run (schedule, created_at) WHERE schedule IS NOT NULL;
CREATE INDEX durable_run_by_batch ON durable_run (batch, position) WHERE batch IS NOT NULL;

-- A scan may have come through the second API, and belongs to a caller then.
CREATE TABLE scan_next (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    origin      TEXT NOT NULL CHECK (origin IN ('v1', 'v2', 'paid', 'workspace', 'demo')),
    owner       TEXT,
    created_at  INTEGER NOT NULL,
    sandbox     INTEGER NOT NULL,
    method      TEXT NOT NULL,
    reply       BLOB NOT NULL,
    answers     BLOB,
    released    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO scan_next SELECT id, origin, owner, created_at, sandbox, method, reply, answers, released FROM scan;

DROP TABLE scan;
ALTER TABLE scan_next RENAME TO scan;

CREATE INDEX scan_by_owner ON scan (origin, owner, created_at);
