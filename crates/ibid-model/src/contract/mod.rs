//! What ibid promises to callers, as plain data: fields, skills with their prices, problems and routes.
//!
//! Every surface renders these tables: the OpenAPI document, the agent card, the texts of the agent, `llms.txt`, the
//! pages and the command line. Each promise is written here only, so that no two surfaces can differ.
//!
//! A [`Skill`] is sold on a [`Route`], which takes a body of [`Field`]s and may answer with a [`Problem`]:
//!
//! ```
//! use ibid_model::contract::{PROBLEMS, ROUTES};
//!
//! let scan = ROUTES.iter().find(|route| route.id == "createScan").unwrap();
//! assert_eq!((scan.method.name(), scan.path), ("POST", "/api/v1/scan"));
//! assert!(scan.errors.iter().any(|answer| answer.status == 401));
//! assert!(PROBLEMS.iter().any(|problem| problem.status == 401));
//! ```

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
