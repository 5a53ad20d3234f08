-- The transfer of a reported settlement is looked for on the chain. `look_at` is the time of the next look, and NULL when no
-- further one is due. `missing` marks a receipt whose transfer the chain does not show.

ALTER TABLE receipt ADD COLUMN look_at BIGINT;
ALTER TABLE receipt ADD COLUMN missing BOOLEAN NOT NULL DEFAULT false;

CREATE INDEX receipt_to_look_for ON receipt (look_at) WHERE look_at IS NOT NULL;
