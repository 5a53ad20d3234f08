-- As in the script for SQLite.
ALTER TABLE project ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
UPDATE project SET settings = json_build_object('senderName', sender, 'replyTo', reply_to)::text
WHERE sender IS NOT NULL OR reply_to IS NOT NULL;
ALTER TABLE project DROP COLUMN sender;
ALTER TABLE project DROP COLUMN reply_to;
