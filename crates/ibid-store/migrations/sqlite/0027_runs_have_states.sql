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
SELECT id, 'account', 3, CAST('{}' AS BLOB), questions, state, state = 'cancelled', created_at, ended_at, done
FROM workspace_scan WHERE id NOT IN (SELECT id FROM durable_run);

CREATE TABLE new_tag AS SELECT scan, position, name FROM workspace_tag;
DROP TABLE workspace_tag;

CREATE TABLE new_scan (
    id              BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    account         BLOB NOT NULL REFERENCES account (id),
    request         TEXT NOT NULL,
    domain          TEXT NOT NULL,
    keyword         TEXT NOT NULL,
    place           TEXT,
    words           TEXT NOT NULL,
    summary         TEXT,
    share           TEXT UNIQUE,
    receipt         BLOB UNIQUE CHECK (receipt IS NULL OR length(receipt) = 16),
    created_at      INTEGER NOT NULL,
    title           TEXT,
    cost            INTEGER NOT NULL DEFAULT 0,
    deleted_at      INTEGER,
    share_until     INTEGER,
    share_password  TEXT,
    CHECK ((summary IS NULL) = (receipt IS NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO new_scan
SELECT id, account, request, domain, keyword, place, words, summary, share, receipt, created_at, title, cost, deleted_at,
       share_until, share_password
FROM workspace_scan;
DROP TABLE workspace_scan;
ALTER TABLE new_scan RENAME TO workspace_scan;
CREATE INDEX workspace_scan_by_account ON workspace_scan (account, created_at);

CREATE TABLE workspace_tag (
    scan      BLOB NOT NULL REFERENCES workspace_scan (id),
    position  INTEGER NOT NULL,
    name      TEXT NOT NULL,
    PRIMARY KEY (scan, name)
) STRICT, WITHOUT ROWID;

INSERT INTO workspace_tag SELECT scan, position, name FROM new_tag;
DROP TABLE new_tag;
