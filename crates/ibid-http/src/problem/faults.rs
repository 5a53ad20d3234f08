//! Errors of an order as faults, for forms and beside the faults that other parts of a request have.

use ibid_model::{FaultCode, Faults};
use ibid_service::Error;

/// A sentence for the form of a page.
fn sentence(error: &Error) -> String {
    match error {
        Error::QuestionSetChanged { latest } => {
            format!("The questions were changed to version {latest} meanwhile: open the page again")
        }
        Error::ProposalFailed => "The model did not answer; try again".to_owned(),
        error => error.to_string(),
    }
}

/// Turns an error of an order into faults.
///
/// # Errors
/// What of an error is not about the order.
pub(crate) fn faults_of(error: Error) -> Result<Faults, Error> {
    match error {
        Error::Invalid(faults) => Ok(faults),
        Error::UnknownPlace { .. } => Ok(Faults::one(
            "/location",
            FaultCode::LocationNotFound,
            error.to_string(),
        )),
        Error::QuestionSetChanged { .. } | Error::ProposalFailed => {
            Ok(Faults::one("", FaultCode::Invalid, sentence(&error)))
        }
        Error::PlanTooLarge { questions, most, .. } => {
            let message = format!("The scan would ask {questions} questions, at most {most} are allowed");
            Ok(Faults::one("", FaultCode::OutOfRange, message))
        }
        Error::PlanTooExpensive { estimate, most, .. } => {
            let message =
                format!("The models would cost about {estimate}, at most {most} is taken on for a credit");
            Ok(Faults::one("", FaultCode::OutOfRange, message))
        }
        other => Err(other),
    }
}

/// Joins the outcomes of two checks.
///
/// # Errors
/// The error of the first, if it is the only one; otherwise the faults of both.
pub(crate) fn both<A, B>(first: Result<A, Error>, second: Result<B, Faults>) -> Result<(A, B), Error> {
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (Err(error), Ok(_)) => Err(error),
        (Ok(_), Err(faults)) => Err(Error::Invalid(faults)),
        (Err(error), Err(more)) => {
            let mut faults = faults_of(error)?;
            faults.append(more);
            Err(Error::Invalid(faults))
        }
    }
}
