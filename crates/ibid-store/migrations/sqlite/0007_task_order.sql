-- The tasks of a caller in the order in which they are trimmed, so that nothing is sorted and reading ends where the room does.
DROP INDEX task_waiting;
CREATE INDEX task_waiting ON task (caller, expires, position, length(document)) WHERE waits;
