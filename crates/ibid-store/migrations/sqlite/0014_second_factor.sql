-- The second step of signing in: one row an account that set it up, and its recovery codes.

-- `confirmed_at` is NULL until the first code was entered. `last_step` is the time step of the latest code that was accepted.
CREATE TABLE second_factor (
    account       BLOB PRIMARY KEY NOT NULL REFERENCES account (id),
    secret        BLOB NOT NULL CHECK (length(secret) = 20),
    confirmed_at  INTEGER,
    last_step     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Unused recovery codes. `hash` is the SHA-256 of the account and the code.
CREATE TABLE recovery_code (
    hash     BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
    account  BLOB NOT NULL REFERENCES account (id)
) STRICT, WITHOUT ROWID;

CREATE INDEX recovery_code_by_account ON recovery_code (account);
