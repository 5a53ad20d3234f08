-- One row an account or a network from which signing in failed. `key` is a hash: the text that was typed is not kept. Times are
-- milliseconds since 1970.
CREATE TABLE sign_in_count (
    key       BYTEA PRIMARY KEY CHECK (octet_length(key) = 32),
    failures  BIGINT NOT NULL,
    last_at   BIGINT NOT NULL
);

CREATE INDEX sign_in_count_by_time ON sign_in_count (last_at);

-- Random keys that all processes share, such as the one that signs cookies of known devices.
CREATE TABLE secret (
    name   TEXT COLLATE "C" PRIMARY KEY,
    value  BYTEA NOT NULL CHECK (octet_length(value) = 32)
);
