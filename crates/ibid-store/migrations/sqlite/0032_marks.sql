-- Notes that the program writes: `set` where the questions of a project change.
ALTER TABLE annotation ADD COLUMN kind TEXT NOT NULL DEFAULT 'note';
-- The version of the questions that a run asked, `qs_…@4`; NULL for the program's own.
ALTER TABLE project_run ADD COLUMN question_set TEXT;
