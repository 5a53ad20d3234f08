-- One row an Idempotency-Key of a caller. `key` is the SHA-256 of it and `request` that of the body. `scan` is the scan that the
-- key began; it has a result once it is in `scan`. The process that runs it keeps `lease_until` in the future. Times are
-- milliseconds since 1970.
CREATE TABLE idempotency (
    caller       TEXT NOT NULL,
    key          BLOB NOT NULL CHECK (length(key) = 32),
    request      BLOB NOT NULL CHECK (length(request) = 32),
    scan         BLOB NOT NULL CHECK (length(scan) = 16),
    lease_until  INTEGER NOT NULL,
    expires      INTEGER NOT NULL,
    PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_scan ON idempotency (scan);
CREATE INDEX idempotency_by_end ON idempotency (expires);
