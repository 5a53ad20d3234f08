//! Errors of the service as problems. Status, code, title and most sentences are rows in the contract.

use super::{Problem, seconds};
use ibid_service::Error;
use serde_json::json;

pub(super) fn problem(error: &Error) -> Problem {
    let mut more = error.members();
    let faults = error.faults();
    if !faults.is_empty() {
        more.insert("errors".to_owned(), json!(faults));
    }
    let problem = Problem {
        more,
        retry_after: error.retry_after(),
        ..Problem::of(error.code())
    };
    match detail(error.root()) {
        Some(detail) => problem.saying(detail),
        None => problem,
    }
}

/// The sentences with figures and reasons in them.
fn detail(error: &Error) -> Option<String> {
    Some(match error {
        Error::Invalid(faults) => format!("{faults}."),
        Error::PlanTooLarge {
            questions,
            most,
            estimate,
        } => format!(
            "The scan would ask {questions} questions, about {estimate}; at most {most} are allowed. \
             Ask fewer models, rings, keywords or queries."
        ),
        Error::PlanTooExpensive {
            estimate,
            most,
            fits: Some(fits),
        } => format!(
            "The models would cost about {estimate}; at most {most} is taken on. Ask with questionsPerModel {}, \
             keywordsPerRing {} and queriesPerKeyword {}, or fewer models. Nothing was asked or spent.",
            fits.questions_per_model.get(),
            fits.keywords_per_ring.get(),
            fits.queries_per_keyword.get()
        ),
        Error::PlanTooExpensive {
            estimate,
            most,
            fits: None,
        } => format!(
            "The models would cost about {estimate}; at most {most} is taken on. \
             Ask fewer models, rings, keywords or queries. Nothing was asked or spent."
        ),
        Error::BudgetExceeded { estimate, left } => format!(
            "The models would cost about {estimate}, and {left} of the budget of this month is left. \
             Ask fewer models, rings, keywords or questions. Nothing was asked or spent."
        ),
        Error::PlanTooSlow { needed, most } => format!(
            "The work may take {needed} s; at most {most} s fit between a payment and its settlement. \
             Ask fewer models, rings, keywords or queries. Nothing was asked or spent."
        ),
        Error::NoAnswers(none) => match none.questions {
            1 => format!("The question was not answered: {:#}", none.cause),
            questions => format!("None of the {questions} questions was answered: {:#}", none.cause),
        },
        Error::TooFewAnswers { answered, questions } => format!(
            "{answered} of {questions} questions were answered, fewer than two thirds. Nothing was charged; \
             the same payment can be used again."
        ),
        Error::QuestionSetChanged { latest } => {
            format!("The last version of the set is {latest}. Read it, merge the change, and send it again.")
        }
        Error::ImportUnreadable(error) => format!("The import cannot be read: {error}."),
        Error::ProposalFailed => "The model did not answer. Try again, or name another model.".to_owned(),
        Error::Page(error) => format!("{error}. Nothing was charged."),
        Error::PaymentMalformed(bad) => format!("{bad}. Nothing was spent."),
        Error::PaymentRefused { refusal, .. } => refusal.to_string(),
        Error::SettlementRefused { .. } => {
            "The work is done and the settlement was refused. Send the same payment again while it is valid."
                .to_owned()
        }
        Error::TooMany { retry_after } => {
            format!("The limit is used up; come back in {} s.", seconds(*retry_after))
        }
        _ => return None,
    })
}
