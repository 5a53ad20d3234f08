//! Checks of questions for a website, a keyword and a place.

use super::handle::Questions;
use crate::error::Error;
use ibid_engine::KnownPlace;
use ibid_engine::plan::{language_name, likely_language};
use ibid_engine::questions::{Rules, check};
use ibid_engine::read::Target;
use ibid_model::contract::field as f;
use ibid_model::result::{QuestionsReport, Warning};
use ibid_model::{
    BrandName, Domain, FaultCode, Faults, Keyword, Language, LocationText, ObjectReader, OwnQuestion,
};
use serde_json::{Map, Value};

/// Against which facts questions are checked, as a caller wrote them. No model is told any of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Subject {
    pub(super) domain: Option<Domain>,
    pub(super) keyword: Option<Keyword>,
    pub(super) location: Option<LocationText>,
    pub(super) language: Option<Language>,
    pub(super) brand_names: Vec<BrandName>,
    pub(super) not_names: Vec<BrandName>,
}

/// A subject with its place and its language.
pub(super) struct Known {
    pub(super) keyword: String,
    pub(super) places: Vec<String>,
    pub(super) spoken: Option<String>,
    pub(super) language: String,
    pub(super) target: Option<Target>,
    pub(super) others: Vec<String>,
    pub(super) place: Option<KnownPlace>,
    /// What the caller sells, where a proposal is asked for.
    pub(super) offer: String,
    /// The warning that the language is a guess.
    pub(super) guess: Option<Warning>,
}

pub(super) fn texts_of(names: &[BrandName]) -> Vec<String> {
    names.iter().map(|name| name.as_str().to_owned()).collect()
}

impl Subject {
    /// Reads the members of a body.
    pub(super) fn read(fields: &mut ObjectReader<'_>) -> Self {
        Self {
            domain: fields.text(&f::DOMAIN),
            keyword: fields.text(&f::KEYWORD),
            location: fields.text(&f::LOCATION),
            language: fields.text(&f::LANGUAGE),
            brand_names: fields.texts(&f::BRAND_NAMES).unwrap_or_default(),
            not_names: fields.texts(&f::NOT_NAMES).unwrap_or_default(),
        }
    }
}

/// Reads the questions of a body, and adds their faults to those of the other members.
pub(super) fn questions_in(fields: &mut ObjectReader<'_>) -> Option<Vec<OwnQuestion>> {
    let questions = match fields.get(f::QUESTIONS.name) {
        Some(value) => OwnQuestion::list(value),
        None => Err(Faults::one("", FaultCode::Required, "questions is required")),
    };
    let questions = questions.map_err(|faults| fields.append(faults.below("/questions")));
    questions.ok()
}

impl Known {
    pub(super) fn rules(&self) -> Rules<'_> {
        Rules {
            keyword: &self.keyword,
            places: &self.places,
            language: &self.language,
            target: self.target.as_ref(),
            others: &self.others,
            place: self.place,
            offer: &self.offer,
            is_strict: false,
        }
    }
}

impl Questions {
    /// Checks `questions` for `domain`, `brandNames`, `notNames`, `keyword`, `location` and `language`. Asks no model.
    pub async fn check(&self, body: &Map<String, Value>) -> Result<QuestionsReport, Error> {
        let mut fields = ObjectReader::new(body);
        let subject = Subject::read(&mut fields);
        let questions = questions_in(&mut fields);
        let questions = fields.finish(questions).map_err(Error::Invalid)?;
        let known = self.known(subject).await?;
        let checked = self.planner.compute(move || {
            let rules = Rules {
                is_strict: true,
                ..known.rules()
            };
            let mut report = check(&questions, &[], &rules);
            report.warnings.extend(known.guess);
            report
        });
        checked.await
    }

    /// Finds the place and the language of a subject.
    pub(super) async fn known(&self, subject: Subject) -> Result<Known, Error> {
        let located = match subject.location.clone() {
            Some(text) => Some(self.planner.located(text).await?),
            None => None,
        };
        let mut places = Vec::new();
        let mut spoken = None;
        let languages = located.as_ref().map(|located| located.resolved().languages());
        let (language, guess) = match (&subject.language, &subject.keyword) {
            (Some(language), _) => (language.as_str().to_owned(), None),
            (None, Some(keyword)) => {
                let (tag, is_guess) = likely_language(keyword.as_str(), languages);
                let name = language_name(&tag);
                let message = format!("the keyword reads as {name}; choose another language if it is not");
                (tag.into_owned(), is_guess.then_some(message))
            }
            (None, None) => match languages.and_then(|languages| languages.first()) {
                Some(first) => ((*first).to_owned(), None),
                None => {
                    let message = "without keyword and place the questions were read as English; choose another language if they are not";
                    ("en".to_owned(), Some(message.to_owned()))
                }
            },
        };
        let guess = guess.map(|message| Warning::new("language_guessed", message));
        if let Some(located) = &located {
            let resolved = located.resolved();
            places.push(resolved.place().name().to_owned());
            let first = resolved.languages().first().copied();
            let local = first.and_then(|language| resolved.place().name_in(language));
            places.extend(local.map(str::to_owned).filter(|name| !places.contains(name)));
            spoken = Some(located.spoken());
        }
        let target = subject.domain.as_ref();
        let target = target.map(|domain| Target::new(domain, &subject.brand_names));
        Ok(Known {
            keyword: subject.keyword.map_or_else(String::new, String::from),
            places,
            spoken,
            language,
            guess,
            target,
            place: located.map(|located| located.resolved().place().to_owned()),
            offer: String::new(),
            others: texts_of(&subject.not_names),
        })
    }
}
