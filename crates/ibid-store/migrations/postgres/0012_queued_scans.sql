-- The columns by which a caller finds its runs. `find_keyword` and `find_place` are in lower case. `stored` is the number of
-- calls with an outcome when the run ended. `position` is that of the run in its batch.
ALTER TABLE durable_run
    ADD COLUMN domain TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN keyword TEXT NOT NULL DEFAULT '',
    ADD COLUMN place TEXT,
    ADD COLUMN find_keyword TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN find_place TEXT COLLATE "C",
    ADD COLUMN tag TEXT COLLATE "C",
    ADD COLUMN schedule UUID,
    ADD COLUMN batch UUID,
    ADD COLUMN position BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN stored BIGINT NOT NULL DEFAULT 0;

CREATE INDEX durable_run_by_tenant ON durable_run (tenant, created_at, id);
CREATE INDEX durable_run_by_domain ON durable_run (tenant, domain, created_at, id);
CREATE INDEX durable_run_by_schedule ON durable_run (schedule, created_at) WHERE schedule IS NOT NULL;
CREATE INDEX durable_run_by_batch ON durable_run (batch, position) WHERE batch IS NOT NULL;

-- A scan may have come through the second API, and belongs to a caller then.
ALTER TABLE scan DROP CONSTRAINT scan_origin_check;
ALTER TABLE scan ADD CONSTRAINT scan_origin_check CHECK (origin IN ('v1', 'v2', 'paid', 'workspace', 'demo'));
