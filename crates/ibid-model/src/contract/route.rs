//! Describes routes: a path for programs, the proof that it takes, and its words in the API reference.
//!
//! ```
//! use ibid_model::contract::route::{Access, Method};
//! use ibid_model::contract::routes::READ_PROJECT;
//!
//! assert_eq!((READ_PROJECT.method, READ_PROJECT.access), (Method::Get, Access::Bearer));
//! assert_eq!(READ_PROJECT.listed_path(), "/api/v2/projects/:id");
//! ```

use super::skill::Skill;
use super::surface::{SURFACES, Surface};

/// A route of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with parameters between braces.
    pub path: &'static str,
    /// The proof that a caller has to bring.
    pub access: Access,
    /// The phrase in lists of endpoints; empty where lists leave the route out.
    pub purpose: &'static str,
    /// The skill that is sold there.
    pub skill: Option<Skill>,
    /// The description in x402 offers, where it is not that of the skill.
    pub offer: &'static str,
    /// `operationId` in the OpenAPI document.
    pub id: &'static str,
    /// `summary` in the OpenAPI document.
    pub summary: &'static str,
    /// `description` in the OpenAPI document; empty without one.
    pub description: &'static str,
    /// The parameters in headers and in the path.
    pub parameters: &'static [Parameter],
    /// What the JSON body has to be. It is required, unless the route sells a skill.
    /// A route that sells a skill answers a request without a body with the offer.
    pub body: Option<Schema>,
    /// The answer to a request that succeeds.
    pub answer: Response,
    /// The answers to others.
    pub errors: &'static [Response],
}

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Method {
    /// GET, and HEAD with it.
    Get,
    /// POST.
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
    /// DELETE.
    Delete,
}

impl Method {
    /// The method in capitals.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What `Allow` says on a path with this method alone.
    pub const fn allow(self) -> &'static str {
        match self {
            Self::Get => "GET, HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// The proof that a caller has to bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// None.
    Open,
    /// The bearer key and, to scan, the caller's own provider key.
    Bearer,
    /// A payment.
    Payment,
    /// A payment of one atomic unit that is verified and never settled.
    Proof,
    /// A session of the workspace.
    Session,
}

/// A parameter in the path, or an optional one in a header or in the query.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// `header`, `path` or `query`.
    pub place: &'static str,
    /// The most characters; 0 for no bound.
    pub most: usize,
    /// The description; empty without one.
    pub about: &'static str,
    /// What its value has to be.
    pub schema: Schema,
}

/// A schema of the OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// A component of this name.
    Named(&'static str),
    /// A JSON text.
    Json(&'static str),
}

/// An answer of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The description.
    pub about: &'static str,
    /// `Content-Type` without parameters, for example `application/json`.
    pub media: &'static str,
    /// What its body is.
    pub schema: Schema,
    /// Whether it can be a stream of events instead.
    pub events: bool,
    /// The headers and their descriptions.
    pub headers: &'static [(&'static str, &'static str)],
}

/// A JSON object without a specific schema.
pub(super) const OBJECT: Schema = Schema::Json(r#"{"type": "object"}"#);
/// Any text; event streams are described by it, too.
pub const STRING: Schema = Schema::Json(r#"{"type": "string"}"#);
/// What event streams are sent as.
pub const EVENTS: &str = "text/event-stream";

/// Names of headers with their descriptions.
pub(super) type Headers = &'static [(&'static str, &'static str)];

impl Route {
    /// The path with parameters after colons, as lists of endpoints show it.
    pub fn listed_path(&self) -> String {
        self.path.replace('{', ":").replace('}', "")
    }

    /// Returns the path's surface, which groups operations in the OpenAPI document.
    pub fn tag(&self) -> &'static str {
        SURFACES
            .get(Surface::of(self.path))
            .map_or("", |surface| surface.label)
    }

    /// Returns the path up to its last slash or first parameter: the common prefix of the paths next to it.
    pub fn folder(&self) -> &'static str {
        let fixed = self.path.split('{').next().unwrap_or(self.path);
        fixed
            .rfind('/')
            .and_then(|end| fixed.get(..=end))
            .unwrap_or(fixed)
    }

    /// Whether the answer is always a stream of events.
    pub fn streams(&self) -> bool {
        self.answer.media == EVENTS
    }
}

impl Response {
    pub(super) const fn json(status: u16, about: &'static str, schema: Schema) -> Self {
        Self {
            status,
            about,
            media: "application/json",
            schema,
            events: false,
            headers: &[],
        }
    }

    /// A problem document.
    #[must_use]
    pub const fn problem(status: u16, about: &'static str) -> Self {
        Self {
            media: "application/problem+json",
            ..Self::json(status, about, Schema::Named("Problem"))
        }
    }

    pub(super) const fn headers(self, headers: Headers) -> Self {
        Self { headers, ..self }
    }
}

impl Parameter {
    pub(super) const fn header(name: &'static str, most: usize, about: &'static str) -> Self {
        Self {
            place: "header",
            most,
            ..Self::query(name, STRING, about)
        }
    }

    pub(super) const fn path(name: &'static str, about: &'static str) -> Self {
        Self {
            place: "path",
            ..Self::query(name, STRING, about)
        }
    }

    pub(super) const fn query(name: &'static str, schema: Schema, about: &'static str) -> Self {
        let (place, most) = ("query", 0);
        Self {
            name,
            place,
            most,
            about,
            schema,
        }
    }
}

impl Route {
    const fn new(method: Method, path: &'static str, id: &'static str) -> Self {
        Self {
            method,
            path,
            access: Access::Open,
            purpose: "",
            skill: None,
            offer: "",
            id,
            summary: "",
            description: "",
            parameters: &[],
            body: None,
            answer: Response::json(200, "", OBJECT),
            errors: &[],
        }
    }

    pub(super) const fn get(path: &'static str, id: &'static str) -> Self {
        Self::new(Method::Get, path, id)
    }

    pub(super) const fn post(path: &'static str, id: &'static str) -> Self {
        Self::new(Method::Post, path, id)
    }

    pub(super) const fn delete(path: &'static str, id: &'static str) -> Self {
        Self::new(Method::Delete, path, id)
    }

    pub(super) const fn access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// The phrase in lists, which is the summary, too, where no other one follows.
    pub(super) const fn purpose(self, purpose: &'static str) -> Self {
        Self {
            purpose,
            summary: purpose,
            ..self
        }
    }

    pub(super) const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    pub(super) const fn description(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    pub(super) const fn parameters(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters, ..self }
    }

    pub(super) const fn body(self, schema: Schema) -> Self {
        let body = Some(schema);
        Self { body, ..self }
    }

    pub(super) const fn answers(self, about: &'static str, schema: Schema) -> Self {
        let answer = Response::json(200, about, schema);
        Self { answer, ..self }
    }

    /// The same with another status of the answer.
    pub(super) const fn status(self, status: u16) -> Self {
        let answer = Response {
            status,
            ..self.answer
        };
        Self { answer, ..self }
    }

    pub(super) const fn answers_text(self, media: &'static str, about: &'static str) -> Self {
        let answer = Response {
            media,
            ..Response::json(200, about, STRING)
        };
        Self { answer, ..self }
    }

    /// Lets the answer be an event stream instead.
    pub(super) const fn or_events(self) -> Self {
        let answer = Response {
            events: true,
            ..self.answer
        };
        Self { answer, ..self }
    }

    pub(super) const fn headers(self, headers: Headers) -> Self {
        let answer = self.answer.headers(headers);
        Self { answer, ..self }
    }

    pub(super) const fn errors(self, errors: &'static [Response]) -> Self {
        Self { errors, ..self }
    }
}
