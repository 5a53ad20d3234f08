-- One row a payment. `key` is chain, token, payer and nonce. Who holds the lease of the current turn may move the row;
-- taking it over starts a new turn. `held` is what a settlement needs, the signed payload in it: it is erased as soon as
-- it is of no use. Times are milliseconds since 1970.
CREATE TABLE payment (
    key          TEXT COLLATE "C" PRIMARY KEY,
    fingerprint  BYTEA NOT NULL CHECK (octet_length(fingerprint) = 32),
    request      BYTEA NOT NULL CHECK (octet_length(request) = 32),
    skill        TEXT NOT NULL,
    resource     TEXT NOT NULL,
    run          UUID NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'settled',
                                                'delivered', 'freed', 'refused', 'proven')),
    turn         BIGINT NOT NULL,
    lease_until  BIGINT NOT NULL,
    next_try     BIGINT NOT NULL,
    tries        BIGINT NOT NULL,
    expires      BIGINT NOT NULL,
    held         BYTEA,
    hash         TEXT,
    changed_at   BIGINT NOT NULL,
    CHECK ((held IS NOT NULL) = (state IN ('held', 'settling', 'pending')))
);

CREATE INDEX payment_open ON payment (lease_until)
    WHERE state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending');
CREATE INDEX payment_by_end ON payment (expires);
-- What became of a run: asked for tasks whose process is gone.
CREATE INDEX payment_by_run ON payment (run);

-- One row a settlement. `document` is the receipt as JSON.
CREATE TABLE receipt (
    position     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           UUID NOT NULL UNIQUE,
    key          TEXT COLLATE "C" NOT NULL UNIQUE,
    payer        TEXT COLLATE "C" NOT NULL,
    document     TEXT NOT NULL,
    inferred     BOOLEAN NOT NULL,
    settled_at   BIGINT NOT NULL,
    delivered_at BIGINT
);

CREATE INDEX receipt_by_payer ON receipt (payer, position);

-- The books: only ever added to. What was settled is delivered or owed.
CREATE TABLE ledger (
    entry    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       BIGINT NOT NULL,
    receipt  UUID NOT NULL REFERENCES receipt (id),
    account  TEXT NOT NULL CHECK (account IN ('settled', 'owed', 'delivered')),
    network  TEXT COLLATE "C" NOT NULL,
    asset    TEXT COLLATE "C" NOT NULL,
    amount   BIGINT NOT NULL
);
