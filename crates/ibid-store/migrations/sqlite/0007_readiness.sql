-- One row, written and read to find out whether the database takes writes.
CREATE TABLE readiness (id INTEGER PRIMARY KEY, checked_at BIGINT NOT NULL);
