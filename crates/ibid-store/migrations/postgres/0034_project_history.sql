-- What the page of a project shows of its runs, as JSON: changes and notes of the history, and the rivals that the last run found.
ALTER TABLE project ADD COLUMN history TEXT;
ALTER TABLE project ADD COLUMN rivals TEXT;

-- The numbers are made again, with these.
UPDATE project SET verdict = NULL;

-- The order of a project whose scan never finished is what the scan asked about.
UPDATE schedule
SET document = (SELECT CASE WHEN place IS NULL THEN json_build_object('domain', domain, 'keyword', keyword)
                            ELSE json_build_object('domain', domain, 'keyword', keyword, 'location', place) END::text
                FROM project WHERE project.id = schedule.id)
WHERE document = '{}' AND id IN (SELECT id FROM project);
