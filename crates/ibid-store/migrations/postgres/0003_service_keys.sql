-- One row a named key of the v1 API. `hash` is the SHA-256 of the key, which only its holder has. A revoked key keeps its
-- row, so its name is never given to another key. Times are milliseconds since 1970.
CREATE TABLE service_key (
    name        TEXT COLLATE "C" PRIMARY KEY,
    hash        BYTEA NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    created_at  BIGINT NOT NULL,
    revoked_at  BIGINT
);

-- One row a caller of the v1 API: the hour that its latest scan falls into, and the scans that began in it.
CREATE TABLE caller_hour (
    caller    TEXT COLLATE "C" PRIMARY KEY,
    began_at  BIGINT NOT NULL,
    used      BIGINT NOT NULL
);

-- One row a scan under way of such a caller. The process that runs it keeps `lease_until` in the future.
CREATE TABLE caller_run (
    id           UUID PRIMARY KEY,
    caller       TEXT COLLATE "C" NOT NULL,
    lease_until  BIGINT NOT NULL
);

CREATE INDEX caller_run_by_caller ON caller_run (caller);
