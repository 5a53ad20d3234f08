-- Organisations with their people, and projects with what belongs to them. `budget` is what all runs of a month may cost, in millionths
-- of a dollar; only the operator raises it.
CREATE TABLE organisation (
    id          UUID PRIMARY KEY NOT NULL,
    name        TEXT NOT NULL,
    budget      BIGINT NOT NULL,
    created_at  BIGINT NOT NULL
);

CREATE TABLE membership (
    organisation  UUID NOT NULL REFERENCES organisation (id),
    account       UUID NOT NULL REFERENCES account (id),
    role          TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (organisation, account)
);

CREATE INDEX membership_by_account ON membership (account);

-- Its order, times and budget are in the schedule of the same id. The columns from `summary` on are written at the end of a run:
-- the list of projects reads no result.
CREATE TABLE project (
    id            UUID PRIMARY KEY NOT NULL,
    organisation  UUID NOT NULL REFERENCES organisation (id),
    name          TEXT NOT NULL,
    domain        TEXT NOT NULL,
    keyword       TEXT NOT NULL,
    place         TEXT,
    created_at    BIGINT NOT NULL,
    archived_at   BIGINT,
    summary       TEXT,
    level         TEXT,
    verdict       TEXT,
    changed_at    BIGINT,
    last_scan     UUID,
    last_run_at   BIGINT
);

CREATE INDEX project_by_organisation ON project (organisation);
CREATE INDEX project_to_judge ON project (id) WHERE last_scan IS NOT NULL AND verdict IS NULL;

CREATE TABLE project_role (
    project  UUID NOT NULL REFERENCES project (id),
    account  UUID NOT NULL REFERENCES account (id),
    role     TEXT NOT NULL CHECK (role IN ('editor', 'viewer')),
    PRIMARY KEY (project, account)
);

CREATE INDEX project_role_by_account ON project_role (account);

-- Runs with a result.
CREATE TABLE project_run (
    project   UUID NOT NULL REFERENCES project (id),
    scan      UUID NOT NULL,
    ended_at  BIGINT NOT NULL,
    keyword   TEXT NOT NULL,
    place     TEXT,
    summary   TEXT NOT NULL,
    cost      BIGINT NOT NULL,
    PRIMARY KEY (project, scan)
);

CREATE INDEX project_run_by_end ON project_run (project, ended_at);

-- Counts and sums over the answers of one model to one question in one run; scores in thousandths of a point. Rebuilt from results.
CREATE TABLE cell (
    project    UUID NOT NULL REFERENCES project (id),
    run        UUID NOT NULL,
    question   TEXT NOT NULL,
    place      TEXT NOT NULL,
    model      TEXT NOT NULL,
    valid      BIGINT NOT NULL,
    cited      BIGINT NOT NULL,
    linked     BIGINT NOT NULL,
    named      BIGINT NOT NULL,
    score_sum  BIGINT NOT NULL,
    rank_sum   BIGINT NOT NULL,
    searched   BIGINT NOT NULL,
    PRIMARY KEY (project, run, question, place, model)
);

-- The texts of the questions of cells.
CREATE TABLE project_question (
    project   UUID NOT NULL REFERENCES project (id),
    question  TEXT NOT NULL,
    text      TEXT NOT NULL,
    PRIMARY KEY (project, question)
);

-- `domains` and `aliases` are JSON arrays of texts.
CREATE TABLE rival (
    id       UUID PRIMARY KEY NOT NULL,
    project  UUID NOT NULL REFERENCES project (id),
    name     TEXT NOT NULL,
    domains  TEXT NOT NULL,
    aliases  TEXT NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('pinned', 'ignored')),
    UNIQUE (project, name)
);

-- `day` is an ISO date, `author` an account.
CREATE TABLE annotation (
    id          UUID PRIMARY KEY NOT NULL,
    project     UUID NOT NULL REFERENCES project (id),
    day         TEXT NOT NULL,
    text        TEXT NOT NULL,
    author      UUID,
    created_at  BIGINT NOT NULL
);

CREATE INDEX annotation_by_project ON annotation (project, day);

-- Append only. `members` is JSON: what was changed, never a secret. It is NULL once the project is deleted.
CREATE TABLE audit_event (
    id            UUID PRIMARY KEY NOT NULL,
    organisation  UUID NOT NULL,
    project       UUID,
    actor         TEXT NOT NULL,
    action        TEXT NOT NULL,
    members       TEXT,
    at            BIGINT NOT NULL
);

CREATE INDEX audit_event_by_project ON audit_event (project, at);

-- `project` is NULL for a key to every project of the organisation.
CREATE TABLE api_key (
    id            UUID PRIMARY KEY NOT NULL,
    organisation  UUID NOT NULL REFERENCES organisation (id),
    project       UUID REFERENCES project (id),
    name          TEXT NOT NULL,
    hash          BYTEA NOT NULL UNIQUE,
    access        TEXT NOT NULL CHECK (access IN ('read', 'run', 'write')),
    created_at    BIGINT NOT NULL,
    used_at       BIGINT,
    expires_at    BIGINT
);

CREATE INDEX api_key_by_organisation ON api_key (organisation);

-- The project that the results of a schedule belong to.
ALTER TABLE schedule ADD COLUMN project UUID;
CREATE INDEX schedule_by_project ON schedule (project) WHERE project IS NOT NULL;

-- Each account becomes the admin of an organisation of its own, which has the id of the account.
INSERT INTO organisation (id, name, budget, created_at)
SELECT id, email, 0, created_at FROM account WHERE deleted_at IS NULL;

INSERT INTO membership (organisation, account, role, created_at)
SELECT id, id, 'admin', created_at FROM account WHERE deleted_at IS NULL;

-- One project for each website that an account scanned, as its last finished scan asked for it.
INSERT INTO project (id, organisation, name, domain, keyword, place, created_at, summary, last_scan, last_run_at)
SELECT gen_random_uuid(), account, domain, domain, keyword, place, first_at, summary,
       CASE WHEN summary IS NOT NULL THEN id END, CASE WHEN summary IS NOT NULL THEN ended_at END
FROM (SELECT workspace_scan.*,
             COALESCE((SELECT ended_at FROM durable_run WHERE durable_run.id = workspace_scan.id), workspace_scan.created_at) AS ended_at,
             MIN(created_at) OVER (PARTITION BY account, domain) AS first_at,
             ROW_NUMBER() OVER (PARTITION BY account, domain
                                ORDER BY (summary IS NOT NULL) DESC, created_at DESC, id) AS number
      FROM workspace_scan WHERE deleted_at IS NULL) AS ranked
WHERE number = 1;

INSERT INTO project_run (project, scan, ended_at, keyword, place, summary, cost)
SELECT project.id, workspace_scan.id,
       COALESCE((SELECT ended_at FROM durable_run WHERE durable_run.id = workspace_scan.id), workspace_scan.created_at),
       workspace_scan.keyword, workspace_scan.place,
       workspace_scan.summary, workspace_scan.cost
FROM workspace_scan
JOIN project ON project.organisation = workspace_scan.account AND project.domain = workspace_scan.domain
WHERE workspace_scan.deleted_at IS NULL AND workspace_scan.summary IS NOT NULL;

-- Schedules of accounts move in with their credits.
UPDATE schedule
SET project = (SELECT project.id FROM project
               WHERE 'account ' || project.organisation::text = schedule.owner
                 AND project.domain IN (SELECT domain FROM workspace_scan
                                      WHERE account = project.organisation
                                        AND request::json ->> 'domain' = schedule.document::json ->> 'domain'))
WHERE owner LIKE 'account %';

-- Each project has a schedule of its own, which waits until someone resumes it.
INSERT INTO schedule (id, owner, name, document, recurrence, paused_at, failures, created_at, project)
SELECT project.id,
       'project ' || project.id::text,
       project.name,
       (SELECT request FROM workspace_scan
        WHERE workspace_scan.account = project.organisation AND workspace_scan.domain = project.domain
          AND workspace_scan.deleted_at IS NULL
        ORDER BY (summary IS NOT NULL) DESC, created_at DESC, id LIMIT 1),
       '{"at":"09:00","every":1,"from":"2026-11-30","timeZone":"UTC","unit":"weeks","weekday":"monday"}',
       project.created_at, 0, project.created_at, project.id
FROM project;
