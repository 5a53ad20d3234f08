//! The contract of ibid as plain data: what may be asked, what is sold, what can go wrong and which paths there are.
//!
//! Every surface renders these tables: the OpenAPI document, the agent card, the texts of the agent, `llms.txt`, the
//! pages and the command line. A fact of the contract is written here and nowhere else.

mod problem;
mod problems;

pub use problem::{Problem, ProblemCode, Rpc};
pub use problems::PROBLEMS;
