-- Evidence moves to an object store where the operator has one. `evidence_until` is 0 until a process claims it, then the
-- end of the last claim; from then on an object may exist. `answers` is NULL once it exists.
ALTER TABLE scan ADD COLUMN evidence_until INTEGER NOT NULL DEFAULT 0;

CREATE INDEX scan_with_answers ON scan (evidence_until, id) WHERE answers IS NOT NULL AND released;

-- Objects of deleted scans. None is deleted before the claim on it has ended: a process could still write it.
CREATE TABLE evidence_deletion (
    scan        BLOB PRIMARY KEY NOT NULL CHECK (length(scan) = 16),
    not_before  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
