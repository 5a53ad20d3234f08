-- Due deliveries are found by their subscription, so that a long backlog of one costs no time.
DROP INDEX webhook_delivery_waiting;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (webhook, next_attempt, id) WHERE state = 'waiting';
