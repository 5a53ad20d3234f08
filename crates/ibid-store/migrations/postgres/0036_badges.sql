-- The token in the address of the badge of a project; NULL while it shows none.
ALTER TABLE project ADD COLUMN badge TEXT;
CREATE UNIQUE INDEX project_by_badge ON project (badge) WHERE badge IS NOT NULL;
