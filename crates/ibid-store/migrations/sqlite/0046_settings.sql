-- What people set of a project and no query looks for, as JSON. A setting needs no migration.
ALTER TABLE project ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
UPDATE project SET settings = json_object('senderName', sender, 'replyTo', reply_to)
WHERE sender IS NOT NULL OR reply_to IS NOT NULL;
ALTER TABLE project DROP COLUMN sender;
ALTER TABLE project DROP COLUMN reply_to;
