//! Invented captures.

use super::{Capture, CaptureFuture, CaptureProvider, CaptureQuestion};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Ids that are remembered as asked for. With half of them a large question set is pending once more; twice as many use memory.
const REMEMBERED: usize = 10_000;

/// A provider that invents captures: pending when first asked for, then always the same answer to a question. Of ten questions it
/// answers nine, and of ten answers six cite the website.
#[derive(Debug, Default)]
pub struct SandboxCaptures {
    asked: Mutex<HashSet<String>>,
}

impl SandboxCaptures {
    fn answer(question: &CaptureQuestion) -> Capture {
        let (interface, country) = (question.interface.as_str(), question.country.as_str());
        let seed = Sha256::digest(format!("{}\n{interface}\n{country}", question.text));
        let [fails, cites] = [seed[0], seed[1]].map(|byte| byte % 10);
        if fails == 0 {
            return Capture::Failed("the interface showed no answer".to_owned());
        }
        let website = question.website.as_str();
        let directory = "https://directory.example/list";
        let (answer, cited) = match cites < 6 {
            true => (
                format!(
                    "People often name [{website}](https://{website}/). A [directory]({directory}) lists others."
                ),
                vec![format!("https://{website}/"), directory.to_owned()],
            ),
            false => (
                format!("Bolt & Co is named most often. A [directory]({directory}) lists others."),
                vec![directory.to_owned()],
            ),
        };
        Capture::Done { answer, cited }
    }
}

impl CaptureProvider for SandboxCaptures {
    fn capture<'a>(&'a self, id: &'a str, question: &'a CaptureQuestion) -> CaptureFuture<'a> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= REMEMBERED {
            asked.clear();
        }
        let is_first = asked.insert(id.to_owned());
        let capture = match is_first {
            true => Capture::Pending,
            false => Self::answer(question),
        };
        Box::pin(std::future::ready(Ok(capture)))
    }

    fn name(&self) -> &str {
        "sandbox"
    }
}
