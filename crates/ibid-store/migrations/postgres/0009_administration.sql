-- Roles, budgets and one-time links of accounts; titles, costs, deletion and terms of links of scans.

-- `budget` is in millionths of a dollar a month; NULL for none. A deleted account keeps its row, without its address, for
-- its credits and receipts.
ALTER TABLE account ADD COLUMN role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('admin', 'member', 'viewer'));
ALTER TABLE account ADD COLUMN budget BIGINT;
ALTER TABLE account ADD COLUMN deleted_at BIGINT;

-- The account that acted on this one; NULL for the account itself and for the operator at the command line.
ALTER TABLE account_log ADD COLUMN actor UUID;

-- One row a link that sets a password once. `hash` is the SHA-256 of its token.
CREATE TABLE account_link (
    hash        BYTEA PRIMARY KEY CHECK (octet_length(hash) = 32),
    account     UUID NOT NULL REFERENCES account (id),
    expires_at  BIGINT NOT NULL
);

CREATE INDEX account_link_by_account ON account_link (account);

-- `cost` is the estimate in millionths of a dollar until the scan ends, then the bill. `share_password` is an argon2id hash. A
-- deleted scan keeps its row for its receipt.
ALTER TABLE workspace_scan ADD COLUMN title TEXT;
ALTER TABLE workspace_scan ADD COLUMN cost BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspace_scan ADD COLUMN deleted_at BIGINT;
ALTER TABLE workspace_scan ADD COLUMN share_until BIGINT;
ALTER TABLE workspace_scan ADD COLUMN share_password TEXT;
