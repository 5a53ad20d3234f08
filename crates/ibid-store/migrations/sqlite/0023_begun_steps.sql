-- Whether the last claim of a step had begun a call or a write: only then its loss counts as an attempt.
ALTER TABLE run_step ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
