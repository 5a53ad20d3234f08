-- The state, the progress and the end of an account's scan are those of its run.
-- A scan that had ended ends its run, which was waiting for its worker.
UPDATE durable_run SET state = scan.state, ended_at = scan.ended_at, stored = scan.done, plan = NULL
FROM workspace_scan AS scan
WHERE scan.id = durable_run.id
  AND (scan.state IN ('failed', 'cancelled') OR scan.state = 'complete' AND durable_run.ended_at IS NULL);

DELETE FROM run_step WHERE run IN (SELECT id FROM durable_run WHERE ended_at IS NOT NULL);
DELETE FROM run_call WHERE run IN (SELECT id FROM durable_run WHERE ended_at IS NOT NULL);
DELETE FROM run_secret WHERE run IN (SELECT id FROM durable_run WHERE ended_at IS NOT NULL);

-- Imported scans, and those of programs without runs.
INSERT INTO durable_run (id, tenant, priority, document, calls, state, cancelled, created_at, ended_at, stored)
SELECT id, 'account', 3, convert_to('{}', 'UTF8'), questions, state, state = 'cancelled', created_at, ended_at, done
FROM workspace_scan WHERE id NOT IN (SELECT id FROM durable_run);

-- The checks of these columns go with them.
ALTER TABLE workspace_scan
    DROP COLUMN state,
    DROP COLUMN questions,
    DROP COLUMN done,
    DROP COLUMN reason,
    DROP COLUMN ended_at,
    ADD CHECK ((summary IS NULL) = (receipt IS NULL));
