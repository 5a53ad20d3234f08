-- The buyer's own identifier of an order, after the wallet: one open or sold order has it. An order that came to nothing
-- loses it to the next one.
ALTER TABLE payment ADD COLUMN identifier TEXT COLLATE "C";
CREATE UNIQUE INDEX payment_by_identifier ON payment (identifier) WHERE identifier IS NOT NULL;

-- One row for an order whose work failed, for an hour.
CREATE TABLE failed_order (
    entry   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    payer   TEXT COLLATE "C" NOT NULL
);
CREATE INDEX failed_order_by_payer ON failed_order (payer, at);
