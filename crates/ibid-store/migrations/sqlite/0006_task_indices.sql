-- A task that waits is in one index beside its id: what bounds a caller, with everything that trimming asks for, so
-- that no document is read for it. The other index is left to tasks that somebody has paid for.
DROP INDEX task_waiting;
DROP INDEX task_by_end;
CREATE INDEX task_waiting ON task (caller, expires, length(document)) WHERE waits;
CREATE INDEX task_by_end ON task (expires) WHERE run IS NULL AND NOT waits;
