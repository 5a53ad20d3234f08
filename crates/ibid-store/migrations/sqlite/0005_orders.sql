-- The buyer's own identifier of an order, after the wallet: one open or sold order has it. An order that came to nothing
-- loses it to the next one.
ALTER TABLE payment ADD COLUMN identifier TEXT;
CREATE UNIQUE INDEX payment_by_identifier ON payment (identifier) WHERE identifier IS NOT NULL;

-- One row for an order whose work failed, for an hour.
CREATE TABLE failed_order (
    entry   INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    payer   TEXT NOT NULL
) STRICT;
CREATE INDEX failed_order_by_payer ON failed_order (payer, at);
