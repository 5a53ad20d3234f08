//! Questions in callers' own words: their sets, checks and proposals.

use super::{FAILED, NOT_JSON, TOO_LARGE, UNAUTHORIZED, WAIT};
use crate::contract::route::{Access, Method, Parameter, Response, Route, Schema};
use Response as R;
use Schema::{Json, Named};

const SET_ID: Parameter = Parameter::path("id", "The `id` of the set, `qs_…`; with `@4` its version 4.");
const LAST: Parameter = Parameter::header(
    "If-Match",
    40,
    "The last version that you know, as its `ETag`: `\"4\"`. If there is a later one, nothing is stored.",
);
const ROUTER_KEY: Parameter = Parameter::header(
    "X-Router-Key",
    512,
    "Your key at the model provider, which pays the call. Without it templates write the questions.",
);
const NO_SET: Response = R::problem(404, "No such question set, or no such version, of this caller");
const FAULTY: Response = R::problem(
    400,
    "Members missing or invalid; every fault is listed with its pointer",
);
const CHANGED: Response = R::problem(409, "The set has a later version than `If-Match` names");
const TAG: &[(&str, &str)] = &[("ETag", "The number of the version, quoted.")];

/// Makes a question set.
pub static ADD_QUESTION_SET: Route = Route::post("/api/v2/question-sets", "addQuestionSet")
    .access(Access::Bearer)
    .purpose("Store your own questions as a set with versions")
    .summary("Make a question set")
    .description(
        "A scan names a version as `questionSet`. Versions never change. The hash is the SHA-256 of the sorted questions, each its \
         text, place and language in lower case. A caller has at most 200 sets.",
    )
    .body(Named("QuestionSetRequest"))
    .answers("The set with its first version", Named("QuestionSet"))
    .status(201)
    .headers(TAG)
    .errors(&[FAULTY, UNAUTHORIZED, TOO_LARGE, NOT_JSON, FAILED]);

/// Lists the question sets of the caller.
pub static LIST_QUESTION_SETS: Route = Route::get("/api/v2/question-sets", "listQuestionSets")
    .access(Access::Bearer)
    .purpose("List your question sets")
    .summary("List your question sets, the oldest first")
    .answers("The sets without their questions", Named("QuestionSetList"))
    .errors(&[UNAUTHORIZED, FAILED]);

/// Reads a question set.
pub static READ_QUESTION_SET: Route =
    Route::of_set(Method::Get, "/api/v2/question-sets/{id}", "readQuestionSet")
        .purpose("Read a question set, or one of its versions")
        .summary("Read a question set")
        .description(
            "`qs_…` is the last version, `qs_…@4` the fourth, `qs_….csv` the last one as a table that an import reads. `kept` counts \
             the questions that the version before has, too: they stay comparable.",
        )
        .answers("The version with its questions", Named("QuestionSet"))
        .headers(TAG);

/// Adds a version to a question set.
pub static REPLACE_QUESTION_SET: Route =
    Route::of_set(Method::Put, "/api/v2/question-sets/{id}", "replaceQuestionSet")
        .purpose("Store a new version of a question set")
        .parameters(&[SET_ID, LAST])
        .body(Named("QuestionSetRequest"))
        .answers("The new version", Named("QuestionSet"))
        .headers(TAG)
        .errors(&[FAULTY, UNAUTHORIZED, NO_SET, CHANGED, TOO_LARGE, NOT_JSON, FAILED]);

/// Deletes a question set.
pub static DELETE_QUESTION_SET: Route =
    Route::of_set(Method::Delete, "/api/v2/question-sets/{id}", "deleteQuestionSet")
        .purpose("Delete a question set")
        .description("Versions that scans have asked stay readable by their number.")
        .answers("The set as it was", Named("QuestionSet"));

/// Imports questions into a set.
pub static IMPORT_QUESTIONS: Route =
    Route::of_set(Method::Post, "/api/v2/question-sets/{id}/import", "importQuestions")
        .purpose("Add the questions of a file to a set; dryRun=true shows what would become of each line")
        .summary("Import questions")
        .description(
            "The body is a file of at most 1 MiB and 5,000 lines: text with one question a line, CSV with a header such as \
             `question`, or `Queries.csv` of a search console in any language. Every line is answered.",
        )
        .parameters(&[
            SET_ID,
            Parameter::query("dryRun", Json(r#"{"type": "boolean"}"#), "Store nothing."),
            Parameter::query(
                "info",
                Json(r#"{"type": "boolean"}"#),
                "Also add questions that ask for an explanation, with the tag `info`.",
            ),
        ])
        .answers("Every line, and the new version", Named("ImportedQuestions"))
        .errors(&[FAULTY, UNAUTHORIZED, NO_SET, CHANGED, TOO_LARGE, FAILED]);

/// Checks questions.
pub static CHECK_QUESTIONS: Route = Route::post("/api/v2/questions/check", "checkQuestions")
    .access(Access::Bearer)
    .purpose("Check questions: brands, twins, language, choice. Asks no model")
    .summary("Check questions")
    .body(Named("QuestionCheckRequest"))
    .answers("Each question with its findings", Named("QuestionsReport"))
    .errors(&[FAULTY, UNAUTHORIZED, TOO_LARGE, NOT_JSON, FAILED]);

/// Proposes questions.
pub static PROPOSE_QUESTIONS: Route = Route::post("/api/v2/questions/propose", "proposeQuestions")
    .access(Access::Bearer)
    .purpose("Let your model propose questions; dryRun shows request and price")
    .summary("Propose questions")
    .description(
        "One call to your own model, and one more for what is missing, at most $0.04 each. The request never holds the domain or a \
         name. Each question is checked; what is missing is written by templates, tagged `template`, with the warning \
         `proposal_fallback`. One at a time, 20 a day. Nothing is stored.",
    )
    .parameters(&[ROUTER_KEY])
    .body(Named("ProposalRequest"))
    .answers("The questions", Named("Proposal"))
    .errors(&[
        FAULTY,
        UNAUTHORIZED,
        TOO_LARGE,
        NOT_JSON,
        R::problem(429, "A proposal is under way, or 20 were made today").headers(&[WAIT]),
        FAILED,
        R::problem(502, "The model did not answer"),
    ]);

impl Route {
    /// A route about one question set of its caller.
    const fn of_set(method: Method, path: &'static str, id: &'static str) -> Self {
        let route = Self {
            method,
            ..Self::get(path, id)
        };
        route
            .access(Access::Bearer)
            .parameters(&[SET_ID])
            .errors(&[UNAUTHORIZED, NO_SET, FAILED])
    }
}
