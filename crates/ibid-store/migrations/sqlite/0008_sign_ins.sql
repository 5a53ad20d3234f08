-- One row an account or a network from which signing in failed. `key` is a hash: the text that was typed is not kept. Times are
-- milliseconds since 1970.
CREATE TABLE sign_in_count (
    key       BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 32),
    failures  INTEGER NOT NULL,
    last_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_count_by_time ON sign_in_count (last_at);

-- Random keys that all processes share, such as the one that signs cookies of known devices.
CREATE TABLE secret (
    name   TEXT PRIMARY KEY NOT NULL,
    value  BLOB NOT NULL CHECK (length(value) = 32)
) STRICT, WITHOUT ROWID;
