-- As in the script for SQLite.
ALTER TABLE workspace_scan ADD COLUMN share_sealed BYTEA;
UPDATE workspace_scan SET share_sealed = convert_to(share, 'UTF8') WHERE share IS NOT NULL;
ALTER TABLE project ADD COLUMN badge_sealed BYTEA;
UPDATE project SET badge_sealed = convert_to(badge, 'UTF8') WHERE badge IS NOT NULL;
ALTER TABLE report_snapshot ADD COLUMN token_sealed BYTEA;
UPDATE report_snapshot SET token_sealed = convert_to(token, 'UTF8') WHERE token IS NOT NULL;
ALTER TABLE second_factor DROP CONSTRAINT IF EXISTS second_factor_secret_check;
