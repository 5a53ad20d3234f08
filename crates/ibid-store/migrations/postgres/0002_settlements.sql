-- Payments know the transfer that the chain shows if they go through, and may become void. Refused ones are looked at again.

ALTER TABLE payment DROP CONSTRAINT payment_state_check;
ALTER TABLE payment ADD CONSTRAINT payment_state_check
    CHECK (state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'settled',
                     'delivered', 'freed', 'refused', 'void', 'proven'));
ALTER TABLE payment ADD COLUMN expected TEXT;

-- A payment that was refused before has no expected transfer, so no look at the chain is due.
UPDATE payment SET next_try = 9223372036854775807 WHERE state = 'refused';

DROP INDEX payment_open;
CREATE INDEX payment_open ON payment (lease_until)
    WHERE state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'refused');

-- One row for money that the operator gave back. `hash` names the transaction, if there is one.
CREATE TABLE refund (
    entry   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    key     TEXT COLLATE "C" NOT NULL,
    kind    TEXT NOT NULL CHECK (kind IN ('refund', 'credit')),
    amount  BIGINT NOT NULL CHECK (amount > 0),
    hash    TEXT UNIQUE,
    note    TEXT NOT NULL
);
