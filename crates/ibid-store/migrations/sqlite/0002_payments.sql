-- A result that is not paid for yet is kept unseen: `released` is 0 until its money has moved.
ALTER TABLE scan ADD COLUMN released INTEGER NOT NULL DEFAULT 1;

-- One row a payment. `key` is chain, token, payer and nonce. Who holds the lease of the current turn may move the row;
-- taking it over starts a new turn. `held` is what a settlement needs, the signed payload in it: it is erased as soon as
-- it is of no use. Times are milliseconds since 1970.
CREATE TABLE payment (
    key          TEXT PRIMARY KEY NOT NULL,
    fingerprint  BLOB NOT NULL CHECK (length(fingerprint) = 32),
    request      BLOB NOT NULL CHECK (length(request) = 32),
    skill        TEXT NOT NULL,
    resource     TEXT NOT NULL,
    run          BLOB NOT NULL CHECK (length(run) = 16),
    state        TEXT NOT NULL CHECK (state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'settled',
                                                'delivered', 'freed', 'refused', 'proven')),
    turn         INTEGER NOT NULL,
    lease_until  INTEGER NOT NULL,
    next_try     INTEGER NOT NULL,
    tries        INTEGER NOT NULL,
    expires      INTEGER NOT NULL,
    held         BLOB,
    hash         TEXT,
    changed_at   INTEGER NOT NULL,
    CHECK ((held IS NOT NULL) = (state IN ('held', 'settling', 'pending')))
) STRICT, WITHOUT ROWID;

CREATE INDEX payment_open ON payment (lease_until)
    WHERE state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending');
CREATE INDEX payment_by_end ON payment (expires);

-- One row a settlement. `document` is the receipt as JSON.
CREATE TABLE receipt (
    position     INTEGER PRIMARY KEY AUTOINCREMENT,
    id           BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    key          TEXT NOT NULL UNIQUE,
    payer        TEXT NOT NULL,
    document     TEXT NOT NULL,
    inferred     INTEGER NOT NULL,
    settled_at   INTEGER NOT NULL,
    delivered_at INTEGER
) STRICT;

CREATE INDEX receipt_by_payer ON receipt (payer, position);

-- The books: only ever added to. What was settled is delivered or owed.
CREATE TABLE ledger (
    entry    INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    receipt  BLOB NOT NULL REFERENCES receipt (id),
    account  TEXT NOT NULL CHECK (account IN ('settled', 'owed', 'delivered')),
    network  TEXT NOT NULL,
    asset    TEXT NOT NULL,
    amount   INTEGER NOT NULL
) STRICT;
