-- The title and the logo that an account puts on its reports. `logo` is a PNG that the service has written.
CREATE TABLE report_brand (
    account     BLOB PRIMARY KEY NOT NULL REFERENCES account (id),
    title       TEXT,
    logo        BLOB,
    changed_at  INTEGER NOT NULL,
    CHECK (title IS NOT NULL OR logo IS NOT NULL)
) STRICT;
