-- The plan of an open run: its questions stay the same when the program makes others. NULL once the run has ended, and for
-- runs of programs that stored no plans.
ALTER TABLE durable_run ADD COLUMN plan BYTEA;
