-- Tokens of links that pages show: the column has the digest by which a link is found, and `*_sealed` the token, sealed with a key
-- that is not in the row. The server seals what is here when it starts next, as it does with secrets of second steps.
ALTER TABLE workspace_scan ADD COLUMN share_sealed BLOB;
UPDATE workspace_scan SET share_sealed = CAST(share AS BLOB);
ALTER TABLE project ADD COLUMN badge_sealed BLOB;
UPDATE project SET badge_sealed = CAST(badge AS BLOB);
ALTER TABLE report_snapshot ADD COLUMN token_sealed BLOB;
UPDATE report_snapshot SET token_sealed = CAST(token AS BLOB);
CREATE TABLE sealed_factor (
    account       BLOB PRIMARY KEY NOT NULL REFERENCES account (id),
    secret        BLOB NOT NULL,
    confirmed_at  INTEGER,
    last_step     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sealed_factor SELECT account, secret, confirmed_at, last_step FROM second_factor;
DROP TABLE second_factor;
ALTER TABLE sealed_factor RENAME TO second_factor;
