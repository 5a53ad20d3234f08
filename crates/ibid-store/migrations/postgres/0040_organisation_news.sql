-- As in the script for SQLite.
ALTER TABLE destination ADD COLUMN organisation UUID REFERENCES organisation (id);
ALTER TABLE destination DROP CONSTRAINT destination_check;
ALTER TABLE destination ADD CONSTRAINT destination_check CHECK (num_nonnulls(project, account, organisation) = 1);
CREATE INDEX destination_by_organisation ON destination (organisation) WHERE organisation IS NOT NULL;
