-- A pinned run is worked on by one process, which keeps `pinned_until` in the future. `score` is in thousandths of a point.
ALTER TABLE durable_run ADD COLUMN pinned_until INTEGER;
ALTER TABLE durable_run ADD COLUMN score INTEGER;
CREATE INDEX durable_run_pinned ON durable_run (tenant, pinned_until) WHERE pinned_until IS NOT NULL AND ended_at IS NULL;

-- The run of a key says whether it is under way.
ALTER TABLE idempotency DROP COLUMN lease_until;
DROP TABLE caller_run;
