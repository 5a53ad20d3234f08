-- Audits of the workspace, for lists and for the history of a page. The report is in `scan`. `address` is the one that was
-- asked for; `score` is NULL where no page was audited. Times are milliseconds since 1970.
CREATE TABLE workspace_audit (
    id          UUID PRIMARY KEY,
    account     UUID NOT NULL REFERENCES account (id),
    kind        TEXT NOT NULL CHECK (kind IN ('page', 'site')),
    address     TEXT COLLATE "C" NOT NULL,
    score       BIGINT,
    created_at  BIGINT NOT NULL
);

CREATE INDEX workspace_audit_by_account ON workspace_audit (account, created_at);
CREATE INDEX workspace_audit_by_address ON workspace_audit (account, address, created_at);

-- Audits that were stored before: documents of an account without a row in workspace_scan.
INSERT INTO workspace_audit
SELECT scan.id, account.id, 'page', coalesce(convert_from(reply, 'UTF8')::json #>> '{result,url}', ''),
       (convert_from(reply, 'UTF8')::json #>> '{result,score}')::bigint, scan.created_at * 1000
FROM scan JOIN account ON account.id::text = scan.owner
WHERE scan.origin = 'workspace' AND scan.released
  AND NOT EXISTS (SELECT 1 FROM workspace_scan WHERE workspace_scan.id = scan.id);
