-- `caller` is the hash of the address that a payment came from. `untrusted` is true if the work was begun for a payer who had
-- not settled as much as it costs.
ALTER TABLE payment ADD COLUMN caller BYTEA;
ALTER TABLE payment ADD COLUMN untrusted BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX payment_untrusted ON payment (caller)
    WHERE untrusted AND state IN ('running', 'held', 'settling', 'pending');

-- An order whose settlement was refused or is void is a failed order, too: it has the run, and the caller if it is known. It
-- stays for thirty days.
ALTER TABLE failed_order ADD COLUMN run UUID;
ALTER TABLE failed_order ADD COLUMN caller BYTEA;
CREATE UNIQUE INDEX failed_order_by_run ON failed_order (run);
CREATE INDEX failed_order_by_caller ON failed_order (caller, at);
CREATE INDEX failed_order_unpaid ON failed_order (at) WHERE run IS NOT NULL;
