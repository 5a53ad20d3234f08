//! The contract of ibid as plain data: what may be asked, what is sold, what can go wrong and which paths there are.
//!
//! Every surface renders these tables: the OpenAPI document, the agent card, the texts of the agent, `llms.txt`, the
//! pages and the command line. A fact of the contract is written here and nowhere else.

pub mod field;
mod problem;
mod problems;
pub mod route;
pub mod routes;
mod skill;
mod surface;
pub mod webhook;

pub use field::{Field, Shape};
pub use problem::{Problem, Rpc};
pub use problems::{PROBLEMS, ProblemCode};
pub use route::{Access, Route};
pub use routes::ROUTES;
pub use skill::{Product, SKILLS, Skill, SkillRow, UnknownSkill, object};
pub use surface::{SURFACES, Surface};
