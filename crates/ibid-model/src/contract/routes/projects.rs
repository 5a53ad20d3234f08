//! Projects: their runs, history, rivals, notes, people, keys and log.

use super::webhooks::{DISABLED, NONE_SENT, TRIED};
use super::{FAILED, NOT_JSON, OVER_64_KIB, TOO_LARGE, UNAUTHORIZED};
use crate::contract::route::{Access, Method, Parameter, Response, Route, Schema};
use Response as R;
use Schema::{Json, Named};

const ID: Parameter = Parameter::path("id", "The `projectId`.");
const SCAN_ID: Parameter = Parameter::path("scanId", "The `scanId` of a run with a result.");
const RIVAL_ID: Parameter = Parameter::path("rivalId", "The `rivalId`.");
const ACTION_ID: Parameter = Parameter::path("actionId", "The `actionId`.");
const ANNOTATION_ID: Parameter = Parameter::path("annotationId", "The `annotationId`.");
const ACCOUNT_ID: Parameter = Parameter::path("accountId", "The `accountId` of a person.");
const DESTINATION_ID: Parameter = Parameter::path("destinationId", "The `destinationId`.");
const FEED_KEY_ID: Parameter = Parameter::path("feedKeyId", "The `feedKeyId`.");
const REPORT_ID: Parameter = Parameter::path("reportId", "The `reportId`.");
const IMPORT_ID: Parameter = Parameter::path("importId", "The `importId`.");
const KEY_ID: Parameter = Parameter::path("keyId", "The `keyId`.");
const FILE_NAME: Parameter = Parameter::query(
    "name",
    Json(r#"{"type": "string", "maxLength": 200}"#),
    "The name of the file, which may tell the day of the export.",
);
const FILE_FORMAT: Parameter = Parameter::query(
    "format",
    Json(r#"{"type": "string"}"#),
    "The format, where columns fit several.",
);
const UNTIL: Parameter = Parameter::query(
    "until",
    Json(r#"{"type": "string", "format": "date"}"#),
    "The last day of a report that does not tell it.",
);
const OVER_8_MIB: Response = R::problem(413, "Body over 8 MiB");
const ONE_AT_A_TIME: Response =
    R::problem(429, "Another file of this key is being read, or too many an hour");
const DRY_RUN: Parameter = Parameter::query(
    "dryRun",
    Json(r#"{"type": "boolean", "default": false}"#),
    "`true` shows what would happen and stores nothing.",
);
const LOWER: Parameter = Parameter::query(
    "lower",
    Json(r#"{"type": "boolean", "default": false}"#),
    "`true` lets totals fall, which the export of a part does.",
);
const PAGE: Parameter = Parameter::query(
    "page",
    Json(r#"{"type": "integer", "minimum": 1, "default": 1}"#),
    "The page, from 1.",
);
const ABOUT: Parameter = Parameter::query(
    "about",
    Json(r#"{"type": "string", "enum": ["access"]}"#),
    "Only what concerns access: people, keys, links, addresses and budgets.",
);
const NO_PROJECT: Response = R::problem(404, "No such project for this key, or nothing with the id in it");
const NOT_ALLOWED: Response = R::problem(403, "The key may not do this");
const FAULTY: Response = R::problem(400, "Members missing or invalid; every fault is listed");
const RUNNING: Response = R::problem(409, "A run is under way");
const SET_CHANGED: Response = R::problem(
    409,
    "Another version of the questions was stored at the same moment",
);
const OVER_512_KIB: Response = R::problem(413, "Body over 512 KiB");
const CLOSED: Response = R::problem(503, "The operator has set no key that pays for runs");
const REPORTS: Schema = Json(
    r##"{"type": "object", "properties": {"reports": {"type": "array", "items": {"$ref": "#/components/schemas/Report"}}}}"##,
);
const IMPORTS: Schema = Json(
    r##"{"type": "object", "properties": {"imports": {"type": "array", "items": {"$ref": "#/components/schemas/AnswerImport"}}}}"##,
);
const OBJECT: Schema = Json(r#"{"type": "object"}"#);

/// The answers to a JSON body that cannot be carried out.
const CHANGE: &[Response] = &[
    FAULTY,
    UNAUTHORIZED,
    NOT_ALLOWED,
    NO_PROJECT,
    OVER_64_KIB,
    NOT_JSON,
    FAILED,
];

/// Makes a project.
pub static ADD_PROJECT: Route = Route::post("/api/v2/projects", "addProject")
    .access(Access::Bearer)
    .purpose("Make a project: a website, a keyword and a place that are measured again and again")
    .summary("Make a project")
    .description(
        "Takes the members of a scan and a name. The project runs every Monday at 9 (UTC) unless `recurrence` names other times. The \
         operator's key pays, within the budget of the project and that of its organisation, which the operator sets. \
         `forecast` has what its runs will cost and see.",
    )
    .parameters(&[DRY_RUN])
    .body(Named("ProjectRequest"))
    .answers("The project", Named("Project"))
    .status(201)
    .headers(&[("Location", "The path of the project.")])
    .errors(&[FAULTY, UNAUTHORIZED, NOT_ALLOWED, OVER_64_KIB, NOT_JSON, FAILED]);

/// Lists projects.
pub static LIST_PROJECTS: Route = Route::get("/api/v2/projects", "listProjects")
    .access(Access::Bearer)
    .purpose("List projects: first those that want attention")
    .summary("List your projects: first those that want attention, then those that changed last")
    .answers("The projects", Named("ProjectList"))
    .errors(&[UNAUTHORIZED, FAILED]);

/// Reads a project.
pub static READ_PROJECT: Route = of_project(Method::Get, "/api/v2/projects/{id}", "readProject")
    .purpose("Read a project: score, level, verdict, spend")
    .summary("Read a project")
    .answers("The project", Named("Project"));

/// Changes a project.
pub static EDIT_PROJECT: Route = of_project(Method::Patch, "/api/v2/projects/{id}", "editProject")
    .purpose("Change, pause, resume or archive a project")
    .summary("Change a project")
    .description("Members that are absent stay as they are. Other questions are a new version of the project's own set. `status` is `active`, `paused` or `archived`.")
    .body(Named("ProjectEdit"))
    .answers("The project", Named("Project"))
    .errors(&[
        FAULTY,
        UNAUTHORIZED,
        NOT_ALLOWED,
        NO_PROJECT,
        SET_CHANGED,
        OVER_64_KIB,
        NOT_JSON,
        FAILED,
    ]);

/// Deletes a project.
pub static DELETE_PROJECT: Route = of_project(Method::Delete, "/api/v2/projects/{id}", "deleteProject")
    .purpose("Delete a project with everything of it")
    .description("With `dryRun` the answer counts what would go. Scans of accounts stay with the accounts.")
    .parameters(&[ID, DRY_RUN])
    .answers("What went", Named("ProjectContents"))
    .errors(&[UNAUTHORIZED, NOT_ALLOWED, NO_PROJECT, RUNNING, FAILED]);

/// Reads everything of a project as one file.
pub static READ_PROJECT_ARCHIVE: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/archive",
    "readProjectArchive",
)
.purpose("Read everything of a project as one file")
.description("Gzip of JSON lines: settings, questions, runs with results and answers, competitors, notes. No keys, people or budgets.")
.answers_text("application/gzip", "The archive");

/// Makes a project from an archive.
pub static IMPORT_PROJECT: Route = Route::post("/api/v2/projects/archive", "importProject")
    .access(Access::Bearer)
    .purpose("Make a project from an archive")
    .description("The body is the file, of at most 48 MiB. Ids are new. The project is paused and has no budget of its own. All of it is stored, or nothing.")
    .answers("The project", Named("Project"))
    .status(201)
    .headers(&[("Location", "The path of the project.")])
    .errors(&[FAULTY, UNAUTHORIZED, NOT_ALLOWED, TOO_LARGE, FAILED]);

/// Makes a project from the export of another tracker.
pub static MOVE_IN: Route = Route::post("/api/v2/projects/imports", "moveIn")
    .access(Access::Bearer)
    .purpose("Make a project from the export of another tracker")
    .summary("Make a project from the export of another tracker, and begin the import of its answers")
    .description(
        "All of the project is stored at once, and it is paused. The same file again (`sha256`) finds its project and the pieces that \
         came. `ibid project import` reads the file and sends them.",
    )
    .body(Json(
        r##"{"type": "object", "properties": {"project": {"$ref": "#/components/schemas/ProjectRequest"}, "rivals": {"type": "array", "maxItems": 200, "items": {"$ref": "#/components/schemas/RivalRequest"}}, "import": {"$ref": "#/components/schemas/AnswerImportRequest"}}, "required": ["project", "import"]}"##,
    ))
    .answers("The project and the import, 200 if the file came before", Json(
        r##"{"type": "object", "properties": {"project": {"$ref": "#/components/schemas/Project"}, "import": {"$ref": "#/components/schemas/AnswerImport"}}}"##,
    ))
    .status(201)
    .headers(&[("Location", "The path of the project.")])
    .errors(&[FAULTY, UNAUTHORIZED, NOT_ALLOWED, TOO_LARGE, NOT_JSON, FAILED]);

/// Lists imports of answers.
pub static LIST_ANSWER_IMPORTS: Route =
    of_project(Method::Get, "/api/v2/projects/{id}/imports", "listAnswerImports")
        .purpose("List the imports of answers that were given elsewhere")
        .summary("List the imports of answers that were given elsewhere, the latest first")
        .answers("The imports, without days and lines", IMPORTS);

/// Begins an import of answers.
pub static BEGIN_ANSWER_IMPORT: Route =
    of_project(Method::Post, "/api/v2/projects/{id}/imports", "beginAnswerImport")
        .purpose("Begin an import of answers that were given elsewhere")
        .summary("Begin an import of answers of another tracker, or captured from an interface")
        .description(
            "The two strata `tracker` and `interface` have numbers of their own: no level, verdict or alert of the project rests on \
             them. The same file again finds its import.",
        )
        .body(Named("AnswerImportRequest"))
        .answers("The import", Named("AnswerImport"))
        .errors(&[FAULTY, UNAUTHORIZED, NOT_ALLOWED, NO_PROJECT, OVER_512_KIB, NOT_JSON, FAILED]);

/// Reads an import of answers.
pub static READ_ANSWER_IMPORT: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/imports/{importId}",
    "readAnswerImport",
)
.purpose("Read the days, sources and refused rows of an import")
.summary("Read an import: its days, its sources and the rows that were left out")
.parameters(&[ID, IMPORT_ID])
.answers("The import", Named("AnswerImport"));

/// Deletes an import of answers.
pub static DELETE_ANSWER_IMPORT: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/imports/{importId}",
    "deleteAnswerImport",
)
.purpose("Delete an import with its answers")
.parameters(&[ID, IMPORT_ID])
.answers("The imports", IMPORTS);

/// Stores a piece of an import.
pub static PUT_ANSWERS: Route = of_project(
    Method::Put,
    "/api/v2/projects/{id}/imports/{importId}/parts/{number}",
    "putAnswers",
)
.purpose("Store a piece of an import")
.description(
    "The body is gzip of JSON lines, at most 10,000 and 16 MiB (64 MiB unpacked), with the members `line`, `day`, `source`, `question`, \
     `answer` and, if known, `sources`, `place`, `language`, `capturedBy`. All of a piece is stored, or nothing. The same piece again \
     changes nothing.",
)
.parameters(&[ID, IMPORT_ID, Parameter::path("number", "The number of the piece, from 1.")])
.answers("The import", Named("AnswerImport"))
.errors(&[FAULTY, UNAUTHORIZED, NOT_ALLOWED, NO_PROJECT, TOO_LARGE, FAILED]);

/// Lists the runs of a project.
pub static LIST_PROJECT_RUNS: Route =
    of_project(Method::Get, "/api/v2/projects/{id}/runs", "listProjectRuns")
        .purpose("List the runs of a project")
        .summary("List the runs of a project, the latest first, fifty a page")
        .parameters(&[ID, PAGE])
        .answers("The runs", Named("ProjectRunList"));

/// Runs a project now.
pub static START_PROJECT_RUN: Route =
    of_project(Method::Post, "/api/v2/projects/{id}/runs", "startProjectRun")
        .purpose("Run a project now")
        .description("The run counts against the budgets and belongs to the history like any other. Its next time stays as it is.")
        .answers(
            "The run: its scan, or the outcome that names why there is none",
            Named("ScheduleRun"),
        )
        .status(202)
        .errors(&[UNAUTHORIZED, NOT_ALLOWED, NO_PROJECT, RUNNING, FAILED, CLOSED]);

/// Reads the result of a run.
pub static READ_PROJECT_RUN: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/runs/{scanId}",
    "readProjectRun",
)
.purpose("Read the result of a run of a project")
.parameters(&[ID, SCAN_ID])
.answers("The scan", Named("StoredScan"));

/// Stops a run.
pub static STOP_PROJECT_RUN: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/runs/{scanId}",
    "stopProjectRun",
)
.purpose("Stop a run of a project")
.description(
    "No question is asked any more, and the run is left out of the history. A run that has ended stays as it is, so the call \
     can be repeated.",
)
.parameters(&[ID, SCAN_ID])
.answers("Whether it ended, and what was answered", Named("StoppedRun"))
.status(202);

/// Reads the questions of a project.
pub static READ_PROJECT_QUESTIONS: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/questions",
    "readProjectQuestions",
)
.purpose("Read the questions of a project, with how often answers cite it")
.summary("Read the questions of a project over its last twelve runs")
.description("All of its own, or those of ibid that were asked. `PATCH` with `questions` replaces them.")
.answers("The questions", Named("ProjectQuestions"));

/// Reads the history of a project.
pub static READ_PROJECT_HISTORY: Route =
    of_project(Method::Get, "/api/v2/projects/{id}/history", "readProjectHistory")
        .purpose("Read the level and the changes of a project")
        .summary("Read the history of a project: level, changes, and each run")
        .description(
            "Of the runs with the present keyword and place that are one series, at most two hundred.",
        )
        .answers("The history", Named("ProjectHistory"));

/// Lists rivals.
pub static LIST_RIVALS: Route = of_project(Method::Get, "/api/v2/projects/{id}/rivals", "listRivals")
    .purpose("List the rivals of a project")
    .summary("List the rivals of a project: pinned ones, those that the answers of the last runs name, and ignored ones")
    .description(
        "Counted anew each time from the home answers of the last forty runs with the present keyword and place, so that a rival who is \
         pinned, merged or ignored counts anew in every run. `points` has the share of answers that name it in each run. `wins` has \
         questions whose answers in the last twelve runs name it and not the website, by more than chance.",
    )
    .answers("The rivals", Named("RivalList"));

/// Pins or ignores a rival.
pub static PUT_RIVAL: Route = of_project(Method::Post, "/api/v2/projects/{id}/rivals", "putRival")
    .purpose("Pin, merge or ignore a rival")
    .summary("Pin or ignore a rival")
    .description(
        "Takes the place of a rival with the same name. Websites and other names in it count as the rival.",
    )
    .body(Named("RivalRequest"))
    .answers("The rivals", Named("RivalList"))
    .errors(CHANGE);

/// Forgets a rival.
pub static DELETE_RIVAL: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/rivals/{rivalId}",
    "deleteRival",
)
.purpose("Forget a rival")
.summary("Forget a rival that was pinned or ignored")
.parameters(&[ID, RIVAL_ID])
.answers("The rivals", Named("RivalList"));

/// Reads what a project can do.
pub static READ_MOVES: Route = of_project(Method::Get, "/api/v2/projects/{id}/moves", "readMoves")
    .purpose("Read what the answers since the last change say can be done")
    .summary("Read what the answers of all runs since the last change, at most twelve, say can be done")
    .description(
        "At most six moves, the one with the greatest stake first, each with its answers; `sentences` says so where there is none. \
         `outreach` lists the sites that answers cite most, none of them with the website.",
    )
    .answers("The moves", Named("ProjectMoves"));

/// Reads the sources of a project.
pub static READ_SOURCES: Route = of_project(Method::Get, "/api/v2/projects/{id}/sources", "readSources")
    .purpose("Read which sites and pages the answers of the last run cite")
    .summary("Read which sites and pages the answers of the last run cite, by kind, and what changed since the run before")
    .description(
        "`citedAnswers` link to the site in their text; the other `answers` used it as a source beside the text. `trend` is set where the \
         same questions to the same models show a change that is larger than chance. Sites of one answer are counted in `rare`.",
    )
    .answers("The sources", Named("ProjectSources"));

/// Reads the own data of a project.
pub static READ_OWN_DATA: Route =
    of_project(Method::Get, "/api/v2/projects/{id}/own-data", "readOwnData")
        .purpose("Read what the website's own data say, and how they agree with the samples")
        .description(
            "`imports`, and from all of them `days`, `pages`, `topics` and `queries`, whose totals overlap and have no sum; `comparisons` \
             have a rank correlation with its 95 % range from eight pairs on.",
        )
        .answers("The own data", OBJECT);

/// Imports a file of own data.
pub static IMPORT_OWN_DATA: Route =
    of_project(Method::Post, "/api/v2/projects/{id}/own-data", "importOwnData")
        .purpose("Import an export of Bing, Search Console or GA4, or an access log")
        .summary("Import an export of Bing AI Performance, Search Console or GA4, or an access log")
        .description(
            "The body is the file, of at most 50 MiB, which unpacks to 500 MiB at most. Kept are daily rows, no line of a log and no \
             address. The same file twice changes nothing. `outcome` is `checked`, `imported`, `replaced` or `unchanged`; \
             `changes` has the totals that become others. Where one falls, `lower=true` is needed.",
        )
        .parameters(&[ID, FILE_NAME, FILE_FORMAT, UNTIL, DRY_RUN, LOWER])
        .answers("What was understood, and refused rows with reasons and lines", OBJECT)
        .errors(&[FAULTY, UNAUTHORIZED, NOT_ALLOWED, NO_PROJECT, TOO_LARGE, ONE_AT_A_TIME, FAILED]);

/// Imports daily rows.
pub static IMPORT_OWN_ROWS: Route = of_project(
    Method::Post,
    "/api/v2/projects/{id}/own-data/rows",
    "importOwnRows",
)
.purpose("Import daily rows that `ibid first-party` read")
.parameters(&[ID, DRY_RUN, LOWER])
.body(Json(
    r#"{"type": "object", "required": ["name", "rows"], "properties": {"name": {"type": "string", "maxLength": 200}, "rows": {"type": "array", "description": "As `ibid first-party --json` prints them.", "items": {"type": "object"}}}}"#,
))
.answers("What became of them", OBJECT)
.errors(&[FAULTY, UNAUTHORIZED, NOT_ALLOWED, NO_PROJECT, OVER_8_MIB, NOT_JSON, ONE_AT_A_TIME, FAILED]);

/// Deletes an import of own data.
pub static DELETE_OWN_DATA: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/own-data/{importId}",
    "deleteOwnData",
)
.purpose("Delete an import of own data")
.parameters(&[ID, IMPORT_ID])
.answers("The own data without it", OBJECT);

/// Lists notes.
pub static LIST_ANNOTATIONS: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/annotations",
    "listAnnotations",
)
.purpose("List the notes of a project")
.summary("List the notes of a project, by day")
.answers("The notes", Named("AnnotationList"));

/// Adds a note.
pub static ADD_ANNOTATION: Route =
    of_project(Method::Post, "/api/v2/projects/{id}/annotations", "addAnnotation")
        .purpose("Note what happened on a day")
        .body(Named("AnnotationRequest"))
        .answers("The note", Named("Annotation"))
        .status(201)
        .errors(CHANGE);

/// Deletes a note.
pub static DELETE_ANNOTATION: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/annotations/{annotationId}",
    "deleteAnnotation",
)
.purpose("Delete a note")
.parameters(&[ID, ANNOTATION_ID])
.answers("The notes", Named("AnnotationList"));

/// Lists actions.
pub static LIST_ACTIONS: Route = of_project(Method::Get, "/api/v2/projects/{id}/actions", "listActions")
    .purpose("List the actions of a project with what came of them")
    .answers("The actions", Named("ActionList"));

/// Adds an action.
pub static ADD_ACTION: Route = of_project(Method::Post, "/api/v2/projects/{id}/actions", "addAction")
    .purpose("Agree on an action and its test")
    .description(
        "The test compares runs between now and the day on which the action is done with `runs` runs after it: the touched \
         `questions` against the other ones. `test.visiblePoints` is what it sees in 8 of 10 cases.",
    )
    .body(Named("ActionRequest"))
    .answers("The action", Named("Action"))
    .status(201)
    .errors(CHANGE);

/// Reads an action.
pub static READ_ACTION: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/actions/{actionId}",
    "readAction",
)
.purpose("Read an action with what came of it")
.parameters(&[ID, ACTION_ID])
.answers("The action", Named("Action"));

/// Changes an action.
pub static EDIT_ACTION: Route = of_project(
    Method::Patch,
    "/api/v2/projects/{id}/actions/{actionId}",
    "editAction",
)
.purpose("Change an action, or note that it is done")
.description(
    "Members that are absent stay as they are. Other `questions` begin a new test. With the `status` `done`, `doneOn` (today without \
     it), `questions` and `runs` are fixed; another status opens the action again, and begins a new test.",
)
.parameters(&[ID, ACTION_ID])
.body(Named("ActionEdit"))
.answers("The action", Named("Action"))
.errors(CHANGE);

/// Deletes an action.
pub static DELETE_ACTION: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/actions/{actionId}",
    "deleteAction",
)
.purpose("Delete an action")
.parameters(&[ID, ACTION_ID])
.answers("The actions", Named("ActionList"));

/// Lists people.
pub static LIST_PEOPLE: Route = of_project(Method::Get, "/api/v2/projects/{id}/people", "listPeople")
    .purpose("List the people of a project")
    .summary("List the people of the organisation and their roles in the project")
    .answers("The people", Named("PersonList"));

/// Adds a person.
pub static ADD_PERSON: Route = of_project(Method::Post, "/api/v2/projects/{id}/people", "addPerson")
    .purpose("Add a person to a project, or change the role")
    .description(
        "A person without an account gets one. `link` is for you to hand over, for three days: it sets the password of a new account, \
         and signs in with that of another one.",
    )
    .body(Named("PersonRequest"))
    .answers("The person", Named("AddedPerson"))
    .status(201)
    .errors(CHANGE);

/// Removes a person.
pub static REMOVE_PERSON: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/people/{accountId}",
    "removePerson",
)
.purpose("Take a person out of a project")
.parameters(&[ID, ACCOUNT_ID])
.answers("The people", Named("PersonList"));

/// Lists keys.
pub static LIST_PROJECT_KEYS: Route =
    of_project(Method::Get, "/api/v2/projects/{id}/keys", "listProjectKeys")
        .purpose("List the keys that open a project")
        .answers("The keys", Named("ProjectKeyList"));

/// Makes a key.
pub static MAKE_PROJECT_KEY: Route = of_project(Method::Post, "/api/v2/projects/{id}/keys", "makeProjectKey")
    .purpose("Make a key to a project")
    .description(
        "`access` is `read`, `run` (reads and starts runs) or `write` (everything). The key is shown once.",
    )
    .body(Named("ProjectKeyRequest"))
    .answers("The key", Named("NewProjectKey"))
    .status(201)
    .errors(CHANGE);

/// Revokes a key.
pub static REVOKE_PROJECT_KEY: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/keys/{keyId}",
    "revokeProjectKey",
)
.purpose("Revoke a key to a project")
.parameters(&[ID, KEY_ID])
.answers("The keys", Named("ProjectKeyList"));

/// Shows the badge of a project.
pub static SHOW_BADGE: Route = of_project(Method::Put, "/api/v2/projects/{id}/badge", "showBadge")
    .purpose("Show the badge of a project: a picture of level, range and date for any website")
    .summary("Show the badge of a project")
    .description("`links.badge` is the path of the picture: public, without a key, with the level of the first market.")
    .answers("The project", Named("Project"));

/// Hides the badge of a project.
pub static HIDE_BADGE: Route = of_project(Method::Delete, "/api/v2/projects/{id}/badge", "hideBadge")
    .purpose("Hide the badge of a project")
    .summary("Hide the badge of a project; shown again, it has a new path")
    .answers("The project", Named("Project"));

/// Lists destinations.
pub static LIST_DESTINATIONS: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/destinations",
    "listDestinations",
)
.purpose("List where the news of a project goes")
.summary("List where the news of a project goes: mail addresses and channels of chat programs")
.answers("The destinations", Named("DestinationList"));

/// Adds a destination.
pub static ADD_DESTINATION: Route = of_project(
    Method::Post,
    "/api/v2/projects/{id}/destinations",
    "addDestination",
)
.purpose("Send the news of a project to an address: mail, Slack, Discord or Teams")
.summary("Send the news of a project to an address")
.description(
    "A mail asks the reader of the address to confirm it; until then nothing else is sent. A channel gets a test message at once, and is \
     refused where that does not arrive. A webhook is for a program: its messages are signed with the `secret` of the answer, shown once. \
     Alerts come once for each change, a digest also where nothing changed.",
)
.body(Named("DestinationRequest"))
.answers("The destination", Named("Destination"))
.status(201)
.errors(CHANGE);

/// Deletes a destination.
pub static DELETE_DESTINATION: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/destinations/{destinationId}",
    "deleteDestination",
)
.purpose("Send no more news to an address")
.parameters(&[ID, DESTINATION_ID])
.answers("The destinations", Named("DestinationList"));

/// Tests a destination.
pub static TEST_DESTINATION: Route = of_project(
    Method::Post,
    "/api/v2/projects/{id}/destinations/{destinationId}/test",
    "testDestination",
)
.purpose("Send a test message to a destination")
.parameters(&[ID, DESTINATION_ID])
.answers(
    "The destinations; the message is on its way",
    Named("DestinationList"),
)
.status(202)
.errors(&[
    UNAUTHORIZED,
    NOT_ALLOWED,
    NO_PROJECT,
    DISABLED,
    TRIED,
    FAILED,
    NONE_SENT,
]);

/// Lists reports.
pub static LIST_REPORTS: Route = of_project(Method::Get, "/api/v2/projects/{id}/reports", "listReports")
    .purpose("List the reports of a project")
    .summary("List the reports of a project, the latest first")
    .answers("The reports", REPORTS);

/// Makes a report.
pub static MAKE_REPORT: Route = of_project(Method::Post, "/api/v2/projects/{id}/reports", "makeReport")
    .purpose("Freeze the numbers of a project as a report, with the answers that they follow from")
    .summary("Make a report of a project as it is now")
    .description(
        "The report never changes. Without `sections` it has all of them; each may have a note. `accent` has to be readable on white, and \
         `logo` is a PNG or JPEG picture of at most 100 KiB in Base64. `ibid verify` counts the numbers of its file again.",
    )
    .body(Json(
        r#"{"type": "object", "properties": {"title": {"type": ["string", "null"], "maxLength": 80}, "sender": {"type": ["string", "null"], "maxLength": 80}, "accent": {"type": ["string", "null"]}, "footer": {"type": "boolean", "default": true}, "logo": {"type": ["string", "null"]}, "sections": {"type": ["array", "null"], "items": {"type": ["object", "string"], "properties": {"section": {"enum": ["summary", "trend", "models", "competitors", "sources", "questions", "notes"]}, "note": {"type": "string", "maxLength": 2000}}}}}}"#,
    ))
    .answers("The report", Named("Report"))
    .status(201)
    .errors(&[FAULTY, UNAUTHORIZED, NOT_ALLOWED, NO_PROJECT, OVER_512_KIB, NOT_JSON, FAILED]);

/// Reads a report.
pub static READ_REPORT: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/reports/{reportId}",
    "readReport",
)
.purpose("Read the file of a report, with the answers behind its numbers")
.summary("Read the file of a report")
.description("Canonical JSON (RFC 8785), whose SHA-256 is that of the list.")
.parameters(&[ID, REPORT_ID])
.answers("The file", OBJECT);

/// Reads a report as PDF.
pub static READ_REPORT_PDF: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/reports/{reportId}/pdf",
    "readReportPdf",
)
.purpose("Read a report as PDF")
.parameters(&[ID, REPORT_ID])
.answers_text("application/pdf", "The report")
.errors(&[
    UNAUTHORIZED,
    NOT_ALLOWED,
    NO_PROJECT,
    R::problem(
        503,
        "The server was built without PDF, or too many reports are drawn now",
    ),
    FAILED,
]);

/// Deletes a report.
pub static DELETE_REPORT: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/reports/{reportId}",
    "deleteReport",
)
.purpose("Delete a report; its public link ends")
.summary("Delete a report")
.parameters(&[ID, REPORT_ID])
.answers("The reports", REPORTS);

/// Gives a report a public link.
pub static LINK_REPORT: Route = of_project(
    Method::Put,
    "/api/v2/projects/{id}/reports/{reportId}/link",
    "linkReport",
)
.purpose("Give a report a new public link, with an end and a password if wanted")
.summary("Give a report a public link in the place of any other")
.parameters(&[ID, REPORT_ID])
.body(Json(
    r#"{"type": "object", "properties": {"days": {"type": ["integer", "null"], "minimum": 1, "maximum": 3650}, "password": {"type": ["string", "null"]}}}"#,
))
.answers("The report", Named("Report"))
.errors(CHANGE);

/// Ends the public link of a report.
pub static UNLINK_REPORT: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/reports/{reportId}/link",
    "unlinkReport",
)
.purpose("End the public link of a report")
.parameters(&[ID, REPORT_ID])
.answers("The report", Named("Report"));

/// Reads the log of a project.
pub static READ_AUDIT_LOG: Route = of_project(Method::Get, "/api/v2/projects/{id}/audit-log", "readAuditLog")
    .purpose("Read who changed what in a project")
    .summary("Read who changed what in a project, the latest first, a thousand a page")
    .parameters(&[ID, PAGE, ABOUT])
    .answers("A page of changes", Named("AuditLog"));

/// Reads the log of a project as a table.
pub static READ_AUDIT_TABLE: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/audit-log.csv",
    "readAuditTable",
)
.purpose("Read who changed what in a project, as CSV")
.summary("Read who changed what in a project as CSV")
.parameters(&[ID, ABOUT])
.answers_text("text/csv", "The changes, the latest first");

const FEED_KEYS: Schema = Json(
    r#"{"type": "object", "required": ["feedKeys"], "properties": {"feedKeys": {"type": "array", "items": {"type": "object",
        "required": ["feedKeyId", "name", "detail", "createdAt", "usedAt", "expiresAt"], "properties": {
            "feedKeyId": {"type": "string", "format": "uuid"}, "name": {"type": "string"}, "detail": {"type": "boolean"},
            "createdAt": {"type": "string", "format": "date-time"}, "usedAt": {"type": ["string", "null"], "format": "date-time"},
            "expiresAt": {"type": "string", "format": "date-time"}}}}}}"#,
);

/// Lists keys to feeds.
pub static LIST_FEED_KEYS: Route = of_project(Method::Get, "/api/v2/projects/{id}/feed-keys", "listFeedKeys")
    .purpose("List the keys to the feeds of a project")
    .answers("The keys", FEED_KEYS);

/// Makes a key to feeds.
pub static MAKE_FEED_KEY: Route = of_project(Method::Post, "/api/v2/projects/{id}/feed-keys", "makeFeedKey")
    .purpose("Make a key to the feeds of a project")
    .description(
        "The key opens the feeds of one project and nothing else; sources and questions only with `detail`. It is shown once, and ends \
         after a year.",
    )
    .body(Json(
        r#"{"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 120},
            "detail": {"type": "boolean", "default": false}}}"#,
    ))
    .answers(
        "The key",
        Json(
            r#"{"type": "object", "required": ["feedKeyId", "key"], "properties": {"feedKeyId": {"type": "string", "format": "uuid"},
                "key": {"type": "string"}}}"#,
        ),
    )
    .status(201)
    .errors(CHANGE);

/// Revokes a key to feeds.
pub static REVOKE_FEED_KEY: Route = of_project(
    Method::Delete,
    "/api/v2/projects/{id}/feed-keys/{feedKeyId}",
    "revokeFeedKey",
)
.purpose("Revoke a key to the feeds of a project")
.parameters(&[ID, FEED_KEY_ID])
.answers("The keys", FEED_KEYS);

/// Reads a feed.
pub static READ_FEED: Route = Route::get("/feed/{key}/{table}", "readFeed")
    .purpose("Numbers of a project for a spreadsheet or a dashboard, by a key in the address")
    .summary("Read numbers of a project as CSV, by a key to its feeds")
    .description(
        "`daily.csv` counts answers by day, `models.csv` by day and model, `questions.csv` by day and question; `sources.csv` has the \
         sites that the last run cites. Counts are raw: rates are one column by another. At most 60 requests an hour, and 50,000 rows, \
         the latest first.",
    )
    .parameters(&[
        Parameter::path("key", "A key to the feeds of a project."),
        Parameter {
            schema: Json(r#"{"type": "string", "enum": ["daily.csv", "models.csv", "sources.csv", "questions.csv"]}"#),
            ..Parameter::path("table", "The table.")
        },
    ])
    .answers_text("text/csv", "The table")
    .errors(&[
        R::problem(404, "No such key or table, or the key has ended or does not open the table"),
        R::problem(429, "60 requests were made in this hour"),
        FAILED,
    ]);

/// Reads the answers of all runs as a sheet.
pub static READ_ANSWER_TABLE: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/answers.csv",
    "readAnswerTable",
)
.purpose("Read the answers of all runs of a project, as CSV")
.summary("Read the answers of all runs of a project as CSV")
.description(
    "Each row has the domain, the date, the scan, the place, the question, the model, the class, the rank, the score and the cited address.",
)
.answers_text("text/csv", "One row for each answer, the oldest run first");

/// Reads the answers of all runs as a workbook.
pub static READ_ANSWER_WORKBOOK: Route = of_project(
    Method::Get,
    "/api/v2/projects/{id}/answers.xlsx",
    "readAnswerWorkbook",
)
.purpose("Read the answers of all runs of a project, as a workbook (XLSX)")
.summary("Read the answers of all runs of a project as a workbook (XLSX)")
.answers_text(
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "The same rows as in the CSV, at most a million",
);

/// A route about one project.
const fn of_project(method: Method, path: &'static str, id: &'static str) -> Route {
    let route = Route {
        method,
        ..Route::get(path, id)
    };
    route
        .access(Access::Bearer)
        .parameters(&[ID])
        .answers("", OBJECT)
        .errors(&[UNAUTHORIZED, NOT_ALLOWED, NO_PROJECT, FAILED])
}
