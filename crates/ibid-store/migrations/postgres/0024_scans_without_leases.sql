-- A scan of an account is stored together with the run that works on it, so its row needs no lease.
-- Scans whose process ended between the two writes of earlier versions fail, and their credits return.
INSERT INTO credit (at, account, kind, amount, balance, scan)
SELECT CAST(extract(epoch FROM now()) * 1000 AS BIGINT), account, 'returned', 1,
       (SELECT balance FROM credit WHERE credit.account = workspace_scan.account ORDER BY entry DESC LIMIT 1)
           + ROW_NUMBER() OVER (PARTITION BY account ORDER BY created_at, id),
       id
FROM workspace_scan
WHERE state = 'running' AND id NOT IN (SELECT id FROM durable_run WHERE ended_at IS NULL)
ORDER BY account, created_at, id;

UPDATE workspace_scan
SET state = 'failed', reason = 'The server stopped while the scan was running.', cost = 0,
    ended_at = CAST(extract(epoch FROM now()) * 1000 AS BIGINT)
WHERE state = 'running' AND id NOT IN (SELECT id FROM durable_run WHERE ended_at IS NULL);

DROP INDEX workspace_scan_open;
ALTER TABLE workspace_scan DROP COLUMN lease_until;
