-- As in the script for SQLite.
ALTER TABLE project ADD COLUMN sender TEXT;
ALTER TABLE project ADD COLUMN reply_to TEXT;
ALTER TABLE destination ADD COLUMN report BIGINT NOT NULL DEFAULT 0;
