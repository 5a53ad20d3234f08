-- The markets of projects beside that of the project itself: places and languages that each run asks, too. Each has a schedule, which
-- fires with that of the project. The columns from `summary` on are those of `project`.
CREATE TABLE project_market (
    schedule     UUID PRIMARY KEY NOT NULL REFERENCES schedule (id),
    project      UUID NOT NULL REFERENCES project (id),
    position     BIGINT NOT NULL,
    place        TEXT,
    language     TEXT,
    summary      TEXT,
    level        TEXT,
    verdict      TEXT,
    changed_at   BIGINT,
    last_scan    UUID,
    last_run_at  BIGINT
);

CREATE INDEX project_market_by_project ON project_market (project, position);

-- The market of a run, by its schedule; NULL for that of the project itself.
ALTER TABLE project_run ADD COLUMN market UUID;
