-- The second step of signing in: one row an account that set it up, and its recovery codes.

-- `confirmed_at` is NULL until the first code was entered. `last_step` is the time step of the latest code that was accepted.
CREATE TABLE second_factor (
    account       UUID PRIMARY KEY REFERENCES account (id),
    secret        BYTEA NOT NULL CHECK (octet_length(secret) = 20),
    confirmed_at  BIGINT,
    last_step     BIGINT NOT NULL
);

-- Unused recovery codes. `hash` is the SHA-256 of the account and the code.
CREATE TABLE recovery_code (
    hash     BYTEA PRIMARY KEY CHECK (octet_length(hash) = 32),
    account  UUID NOT NULL REFERENCES account (id)
);

CREATE INDEX recovery_code_by_account ON recovery_code (account);
