-- The task of a subscription of the kind `task`; it is deleted with the task. For these, `name` is the id that the agent chose, and
-- `secret` is empty or sealed: the name of the key, a space, and the ciphertext.
ALTER TABLE webhook ADD COLUMN task UUID;

CREATE INDEX webhook_by_task ON webhook (task) WHERE task IS NOT NULL;
