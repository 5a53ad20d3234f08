-- Divides the table of results into 16 partitions by id. Stop every process first; the copy needs as much room as the table has.
--
--   psql --set ON_ERROR_STOP=1 --single-transaction --file=scan.sql "$DATABASE_URL"
--
-- The names of constraints and indexes stay, so later versions of ibid migrate the schema as usual.

LOCK TABLE scan IN ACCESS EXCLUSIVE MODE;
ALTER TABLE scan RENAME TO scan_whole;
CREATE TABLE scan (LIKE scan_whole INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY HASH (id);

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE scan_%s PARTITION OF scan FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
    END LOOP;
END
$$;

INSERT INTO scan SELECT * FROM scan_whole;
DROP TABLE scan_whole;

ALTER TABLE scan ADD PRIMARY KEY (id);
CREATE INDEX scan_by_owner ON scan (origin, owner, created_at);
CREATE INDEX scan_with_answers ON scan (evidence_until, id) WHERE answers IS NOT NULL AND released;
