//! From a question to an invented answer.

use super::World;
use super::competitors::competitors;
use super::dice::Dice;
use super::form::{self, Entry, Form, Link};
use super::persona::{Manner, Persona, PriceList, resolved};
use super::sample_shop;
use super::sources;
use super::standing::standing;
use super::tables::{TABLES, Words, fill};
use super::target::{Visibility, brand};
use crate::completion::{Completion, TokenUsage};
use crate::prompt::{Prompt, Scene, WebSearch};
use ibid_model::result::{LocationHint, Retrieval, Searched};
use ibid_model::{Citation, Finish, SearchEngine};

/// Everything an answer is drawn from.
pub(super) struct Author<'a> {
    world: World,
    prices: &'a PriceList,
    prompt: &'a Prompt,
    words: &'static Words,
    persona: Persona,
    dice: Dice,
    searching: bool,
}

/// How the scanned domain appears in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Absent,
    Listed,
    /// In the annotations, not in the text.
    SourceOnly,
    /// Named as one to avoid.
    Discouraged,
}

impl<'a> Author<'a> {
    pub(super) fn new(world: World, prices: &'a PriceList, prompt: &'a Prompt) -> Self {
        let persona = Persona::of(world.seed, &prompt.model);
        Self {
            world,
            prices,
            prompt,
            words: TABLES.words(&prompt.scene.language),
            searching: persona.searches(world.seed, prompt),
            persona,
            dice: answer_dice(world, prompt),
        }
    }

    pub(super) fn write(mut self) -> Completion {
        if self.dice.chance(self.persona.refusals) {
            let text = self.dice.phrase(&self.words.refusals).to_owned();
            let finish = if self.dice.chance(0.5) {
                Finish::Refused
            } else {
                Finish::Complete
            };
            return self.complete(text, Vec::new(), finish);
        }
        if self.dice.chance(self.persona.questions) {
            let question = self.dice.phrase(&self.words.questions);
            let text = fill(question, &[("k", &self.prompt.scene.keyword)]);
            return self.complete(text, Vec::new(), Finish::Complete);
        }
        let (role, place) = self.role();
        let mut entries = self.entries(role, place);
        let citations = self.citations(role, &mut entries);
        let text = self.text(role, &entries);
        let citations = match self.persona.manner {
            Manner::Spans => sources::with_spans(citations, &entries, &text),
            Manner::Numbers | Manner::Redirects | Manner::Posts | Manner::Plain => citations,
        };
        self.complete(text, citations, Finish::Complete)
    }

    /// Whether and how the answer cites the domain, with the place of the answer among those that cite it:
    /// 0 is the best, 1 the worst.
    fn role(&mut self) -> (Role, f64) {
        let scene = &self.prompt.scene;
        let chance = Visibility::of(self.world, &scene.domain).at(scene.distance_km);
        let standing = standing(self.world, self.prompt, scene.domain.as_str());
        if standing >= chance || sample_shop::is_lost(self.world, scene) {
            return (Role::Absent, 1.0);
        }
        let place = standing / chance;
        let role = if self.dice.chance(0.025) {
            Role::Discouraged
        } else if place > 0.925 && self.searching {
            Role::SourceOnly
        } else {
            Role::Listed
        };
        (role, place)
    }

    /// Returns the businesses in order of recommendation, with the domain if listed.
    fn entries(&mut self, role: Role, place: f64) -> Vec<Entry> {
        let scene = &self.prompt.scene;
        let mut ranked: Vec<(f64, String, String)> = competitors(self.world.seed, scene)
            .into_iter()
            .map(|competitor| {
                let mood = weight(
                    competitor.appeal,
                    standing(self.world, self.prompt, &competitor.name.host),
                );
                (mood, competitor.name.shown, competitor.name.host)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (low, high) = self.persona.length;
        ranked.truncate(self.dice.count(low, high));
        if role == Role::Listed {
            let visibility = Visibility::of(self.world, &scene.domain);
            let mean = (visibility.strength + visibility.at(scene.distance_km)) / 2.0;
            let weight = weight(mean, place);
            let rank = ranked.iter().take_while(|(other, _, _)| *other > weight).count();
            let own = (weight, brand(&scene.domain), scene.domain.to_string());
            // The domain replaces a business rather than joining, so that the list keeps its length.
            ranked.insert(rank, own);
            if ranked.len() > low {
                let last = ranked.len() - 1;
                ranked.remove(if rank == last { last - 1 } else { last });
            }
        }
        // Steps of three visit every reason before one repeats.
        let reasons = &self.words.reasons;
        let first = self.dice.count(0, reasons.len() - 1);
        let numbered = ranked.into_iter().enumerate();
        numbered
            .map(|(n, (_, name, host))| self.entry(name, host, &reasons[(first + 3 * n) % reasons.len()]))
            .collect()
    }

    fn entry(&mut self, name: String, host: String, reason: &'static str) -> Entry {
        let linking = if self.searching {
            self.persona.linking
        } else {
            self.persona.linking / 3.0
        };
        let link = if !self.dice.chance(linking) {
            Link::None
        } else if self.dice.chance(0.6) {
            Link::Name
        } else {
            Link::Host
        };
        let url = if self.dice.chance(0.5) {
            format!("https://www.{host}/")
        } else {
            format!("https://{host}")
        };
        Entry {
            name,
            host,
            url,
            link,
            reason,
            chip: String::new(),
        }
    }

    /// Returns the sources of the answer.
    /// Marks the entries with their numbers or chips, as the model does.
    fn citations(&mut self, role: Role, entries: &mut [Entry]) -> Vec<Citation> {
        if !self.searching {
            return Vec::new();
        }
        let manner = self.persona.manner;
        let mut citations = Vec::new();
        for entry in entries.iter_mut() {
            let cited = entry.link != Link::None || self.dice.chance(0.35);
            if !cited {
                continue;
            }
            citations.push(sources::own(
                manner,
                &entry.name,
                &entry.host,
                &entry.url,
                &mut self.dice,
            ));
            match manner {
                Manner::Numbers if citations.len() > 1 && self.dice.chance(0.3) => {
                    entry.chip = format!("[{}][1]", citations.len());
                }
                Manner::Numbers => entry.chip = format!("[{}]", citations.len()),
                Manner::Spans if entry.link == Link::Name => {
                    entry.link = Link::None;
                    entry.chip = if self.dice.chance(0.08) {
                        format!("【{}†source】", citations.len())
                    } else {
                        format!(" ([{}]({}?utm_source=openai))", entry.host, entry.url)
                    };
                }
                Manner::Spans | Manner::Redirects | Manner::Posts | Manner::Plain => {}
            }
        }
        if role == Role::SourceOnly {
            let host = self.prompt.scene.domain.as_str();
            let (name, url) = (brand(&self.prompt.scene.domain), format!("https://www.{host}/"));
            citations.push(sources::own(manner, &name, host, &url, &mut self.dice));
        }
        let others = self.dice.count(0, 3);
        for _ in 0..others {
            let keyword = &self.prompt.scene.keyword;
            let other = sources::other(manner, self.words, keyword, &mut self.dice);
            if citations.iter().all(|known: &Citation| known.url != other.url) {
                citations.push(other);
            }
        }
        citations
    }

    fn text(&mut self, role: Role, entries: &[Entry]) -> String {
        let (words, scene) = (self.words, &self.prompt.scene);
        let form = self.form();
        let mut text = String::with_capacity(1_024);
        if let (true, None, Some(city)) = (self.searching, &scene.place, self.told_city()) {
            // The question names no place, so only the request names it.
            text.push_str(&format!("**{city}**\n\n"));
        }
        if self.prompt.model.contains("deepseek") && self.dice.chance(0.04) {
            text.push_str("<think>\nThe user wants names. I should be careful and fair.\n</think>\n\n");
        }
        match form {
            Form::Prose | Form::Enumeration => {}
            Form::Numbered
            | Form::Bullets
            | Form::Headings
            | Form::Labels
            | Form::Table
            | Form::BoldHeads
            | Form::Hosts => {
                text.push_str(&opening(words, scene, &mut self.dice));
                text.push_str("\n\n");
            }
        }
        text.push_str(&form::lay_out(form, words, entries, &mut self.dice));
        self.closing(role, entries, &mut text);
        text
    }

    fn form(&mut self) -> Form {
        if self.prompt.text.to_lowercase().contains(&self.words.sites) && self.dice.chance(0.5) {
            return Form::Hosts;
        }
        // Taking the smaller draw prefers the favourites but allows every form.
        let last = Form::ROW.len() - 1;
        let step = self.dice.count(0, last).min(self.dice.count(0, last));
        Form::ROW[(self.persona.favourite + step) % Form::ROW.len()]
    }

    /// The text under the recommendations: warnings, directories, criteria, a closing sentence.
    fn closing(&mut self, role: Role, entries: &[Entry], text: &mut String) {
        let (words, scene) = (self.words, &self.prompt.scene);
        let warned = match role {
            Role::Discouraged => Some(brand(&scene.domain)),
            Role::Absent | Role::Listed | Role::SourceOnly => self
                .dice
                .chance(0.05)
                .then(|| {
                    let mut others = competitors(self.world.seed, scene)
                        .into_iter()
                        .map(|competitor| competitor.name.shown);
                    others.find(|name| entries.iter().all(|entry| entry.name != *name))
                })
                .flatten(),
        };
        if let Some(name) = warned {
            text.push_str("\n\n");
            text.push_str(&fill(self.dice.phrase(&words.warnings), &[("n", &name)]));
        }
        if self.dice.chance(0.3) {
            let linked = self.searching && self.dice.chance(0.5);
            let names = sources::directories(words, &scene.keyword, linked, &mut self.dice);
            text.push_str("\n\n");
            text.push_str(&fill(
                self.dice.phrase(&words.compare),
                &[("l", &form::join(&names, words))],
            ));
        }
        if self.dice.chance(0.15) {
            text.push_str(&format!("\n\n**{}**\n", words.advice_head));
            for (name, what) in &words.advice {
                text.push_str(&format!("\n- **{name}**: {what}{}", words.stop));
            }
        }
        if self.dice.chance(0.6) {
            text.push_str("\n\n");
            text.push_str(self.dice.phrase(&words.outro));
        }
    }

    fn complete(mut self, text: String, citations: Vec<Citation>, finish: Finish) -> Completion {
        let searches = match self.prompt.search {
            WebSearch::Builtin => 1,
            WebSearch::Tool if self.searching => self.dice.count(1, 2) as u32,
            WebSearch::Tool | WebSearch::Off => 0,
        };
        let grounding = if self.searching {
            self.dice.count(1_500, 4_000) as u64
        } else {
            0
        };
        let prompt_tokens = tokens(&self.prompt.text) + 8 + grounding;
        let completion_tokens = tokens(&text) + self.dice.count(0, self.persona.reasoning) as u64;
        let model = &self.prompt.model;
        Completion {
            retrieval: self.retrieval(searches, citations.len()),
            text,
            citations,
            model: Some(resolved(self.world, model)),
            finish,
            usage: TokenUsage {
                prompt_tokens,
                completion_tokens,
                searches: Some(searches),
                cost: Some(
                    self.prices
                        .bill(model, prompt_tokens, completion_tokens, searches),
                ),
            },
            resume: None,
        }
    }

    /// Returns the city that the request passes to the search engine.
    fn told_city(&self) -> Option<&str> {
        let engine = self.prompt.engine.unwrap_or(SearchEngine::Native);
        let place = self
            .prompt
            .place
            .as_ref()
            .filter(|_| engine == SearchEngine::Native)?;
        place.city.as_deref()
    }

    fn retrieval(&self, searches: u32, sources: usize) -> Retrieval {
        let engine = self.prompt.engine.unwrap_or(SearchEngine::Native);
        // As at OpenRouter, only a vendor's own search takes a place.
        let location = match self.prompt.search {
            WebSearch::Builtin | WebSearch::Tool if engine == SearchEngine::Native => LocationHint::Sent,
            WebSearch::Builtin | WebSearch::Tool | WebSearch::Off => LocationHint::NotSupported,
        };
        Retrieval {
            searched: if self.searching {
                Searched::Yes
            } else {
                Searched::No
            },
            engine: self.searching.then(|| engine.as_str().to_owned()),
            queries: Some(searches),
            sources: u32::try_from(sources).ok(),
            location: self.prompt.place.as_ref().map(|_| location),
        }
    }
}

/// Weighs a business in an answer, which sets its position.
/// `place` is that of the answer among all that name it: 0 is the best, 1 the worst.
fn weight(appeal: f64, place: f64) -> f64 {
    appeal * (1.1 - 0.7 * place)
}

/// Draws an answer's form and words, which are new every day.
/// A second attempt is another draw.
fn answer_dice(world: World, prompt: &Prompt) -> Dice {
    let purpose = if prompt.force_search {
        "answer again"
    } else {
        "answer"
    };
    question_dice(world.seed, &format!("{purpose} {}", world.day), prompt)
}

/// Returns dice that depend only on the seed, the purpose and the question.
pub(super) fn question_dice(seed: u64, purpose: &str, prompt: &Prompt) -> Dice {
    let scene = &prompt.scene;
    let distance = scene.distance_km.map_or(u64::MAX, f64::to_bits).to_string();
    Dice::new(
        seed,
        &[
            purpose,
            &prompt.model,
            &prompt.text,
            scene.domain.as_str(),
            &scene.keyword,
            scene.place.as_deref().unwrap_or_default(),
            &distance,
            &scene.language,
        ],
    )
}

fn opening(words: &Words, scene: &Scene, dice: &mut Dice) -> String {
    let keyword = ("k", scene.keyword.as_str());
    match &scene.place {
        Some(place) => fill(dice.phrase(&words.intro_placed), &[keyword, ("m", place)]),
        None => fill(dice.phrase(&words.intro), &[keyword]),
    }
}

/// About four letters a token in Latin script, one character a token elsewhere.
fn tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let other = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    ascii.div_ceil(4) + other
}
