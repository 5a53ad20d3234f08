-- What people do for some questions of a project, and whether it moved them. `test` is what the verdict compares: it is written when the action is
-- done and never changed. `finding` is the verdict so far, and `judged_at` the time from which it is the last word.
CREATE TABLE project_action (
    id          UUID PRIMARY KEY NOT NULL,
    project     UUID NOT NULL REFERENCES project (id),
    title       TEXT NOT NULL,
    page        TEXT,
    questions   TEXT NOT NULL,
    person      TEXT,
    goal        TEXT,
    status      TEXT NOT NULL,
    runs        BIGINT NOT NULL,
    agreed_at   BIGINT NOT NULL,
    done_on     TEXT,
    test        TEXT,
    finding     TEXT,
    judged_at   BIGINT,
    created_at  BIGINT NOT NULL,
    author      UUID
);

CREATE INDEX project_action_by_project ON project_action (project, created_at);
