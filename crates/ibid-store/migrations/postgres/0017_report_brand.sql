-- The title and the logo that an account puts on its reports. `logo` is a PNG that the service has written.
CREATE TABLE report_brand (
    account     UUID PRIMARY KEY REFERENCES account (id),
    title       TEXT,
    logo        BYTEA,
    changed_at  BIGINT NOT NULL,
    CHECK (title IS NOT NULL OR logo IS NOT NULL)
);
