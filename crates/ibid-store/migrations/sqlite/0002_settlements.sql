-- Payments know the transfer that the chain shows if they go through, and may become void. Refused ones are looked at again.

CREATE TABLE payment_next (
    key          TEXT PRIMARY KEY NOT NULL,
    fingerprint  BLOB NOT NULL CHECK (length(fingerprint) = 32),
    request      BLOB NOT NULL CHECK (length(request) = 32),
    skill        TEXT NOT NULL,
    resource     TEXT NOT NULL,
    run          BLOB NOT NULL CHECK (length(run) = 16),
    state        TEXT NOT NULL CHECK (state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'settled',
                                                'delivered', 'freed', 'refused', 'void', 'proven')),
    turn         INTEGER NOT NULL,
    lease_until  INTEGER NOT NULL,
    next_try     INTEGER NOT NULL,
    tries        INTEGER NOT NULL,
    expires      INTEGER NOT NULL,
    held         BLOB,
    hash         TEXT,
    changed_at   INTEGER NOT NULL,
    expected     TEXT,
    CHECK ((held IS NOT NULL) = (state IN ('held', 'settling', 'pending')))
) STRICT, WITHOUT ROWID;

-- A payment that was refused before has no expected transfer, so no look at the chain is due.
INSERT INTO payment_next
SELECT key, fingerprint, request, skill, resource, run, state, turn, lease_until,
       CASE state WHEN 'refused' THEN 9223372036854775807 ELSE next_try END, tries, expires, held, hash, changed_at, NULL
FROM payment;

DROP TABLE payment;
ALTER TABLE payment_next RENAME TO payment;

CREATE INDEX payment_open ON payment (lease_until)
    WHERE state IN ('claimed', 'verified', 'running', 'held', 'settling', 'pending', 'refused');
CREATE INDEX payment_by_end ON payment (expires);
CREATE INDEX payment_by_run ON payment (run);

-- One row for money that the operator gave back. `hash` names the transaction, if there is one.
CREATE TABLE refund (
    entry   INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    key     TEXT NOT NULL,
    kind    TEXT NOT NULL CHECK (kind IN ('refund', 'credit')),
    amount  INTEGER NOT NULL CHECK (amount > 0),
    hash    TEXT UNIQUE,
    note    TEXT NOT NULL
) STRICT;
