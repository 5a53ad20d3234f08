-- Mails of a project may have a sender and an address for answers of their own, and a digest by mail may bring a report.
ALTER TABLE project ADD COLUMN sender TEXT;
ALTER TABLE project ADD COLUMN reply_to TEXT;
ALTER TABLE destination ADD COLUMN report INTEGER NOT NULL DEFAULT 0;
