-- What people do for some questions of a project, and whether it moved them. `test` is what the verdict compares: it is written when the action is
-- done and never changed. `finding` is the verdict so far, and `judged_at` the time from which it is the last word.
CREATE TABLE project_action (
    id          BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
    project     BLOB NOT NULL REFERENCES project (id),
    title       TEXT NOT NULL,
    page        TEXT,
    questions   TEXT NOT NULL,
    person      TEXT,
    goal        TEXT,
    status      TEXT NOT NULL,
    runs        INTEGER NOT NULL,
    agreed_at   INTEGER NOT NULL,
    done_on     TEXT,
    test        TEXT,
    finding     TEXT,
    judged_at   INTEGER,
    created_at  INTEGER NOT NULL,
    author      BLOB CHECK (author IS NULL OR length(author) = 16)
) STRICT;

CREATE INDEX project_action_by_project ON project_action (project, created_at);
