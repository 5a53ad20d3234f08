-- One row an Idempotency-Key of a caller. `key` is the SHA-256 of it and `request` that of the body. `scan` is the scan that the
-- key began; it has a result once it is in `scan`. The process that runs it keeps `lease_until` in the future. Times are
-- milliseconds since 1970.
CREATE TABLE idempotency (
    caller       TEXT COLLATE "C" NOT NULL,
    key          BYTEA NOT NULL CHECK (octet_length(key) = 32),
    request      BYTEA NOT NULL CHECK (octet_length(request) = 32),
    scan         UUID NOT NULL,
    lease_until  BIGINT NOT NULL,
    expires      BIGINT NOT NULL,
    PRIMARY KEY (caller, key)
);

CREATE INDEX idempotency_by_scan ON idempotency (scan);
CREATE INDEX idempotency_by_end ON idempotency (expires);
