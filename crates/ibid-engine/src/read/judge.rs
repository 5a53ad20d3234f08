//! From evidence to class, rank and score.

use super::candidates::{self, Candidates};
use super::entities::{self, Somebody};
use super::layout::{Form, Span};
use super::page::Page;
use super::reading::{AnswerClass, Entity, Flag, LinkKind, Reading, Stance};
use super::stance::{self, Said, Stances, Who};
use super::text::{Plain, is_word, key, script};
use super::words::Kinds;
use super::{kind_of_answer, quotes, sources};
use ibid_model::result::Breakdown;
use ibid_model::{Prominence, Score};

/// Judges an answer that is text.
pub(super) fn judge(page: &Page<'_>) -> Reading {
    let candidates = candidates::find(page);
    let entities = entities::of(page, &candidates);
    let stances = stance::bind(page, &entities);
    let echoes = echoes(page, &candidates);
    let case = Case {
        page,
        candidates: &candidates,
        entities: &entities,
        stances: &stances,
        echoes: &echoes,
    };
    case.read()
}

/// Everything a judgement rests on.
struct Case<'a, 'p> {
    page: &'a Page<'p>,
    candidates: &'a Candidates,
    entities: &'a [Somebody],
    stances: &'a Stances,
    /// For every sentence, whether it restates the question.
    echoes: &'a [bool],
}

/// What the mentions of one entity come to.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// It is among the recommended candidates.
    listed: bool,
    discouraged: bool,
    defunct: bool,
    praised: bool,
    top: bool,
    verdict: bool,
}

impl Case<'_, '_> {
    fn read(&self) -> Reading {
        let mut standings = self.standings();
        let mut flags = Vec::new();
        let target = self.entities.iter().position(|entity| entity.is_self);
        let verdict = standings
            .iter()
            .position(|standing| standing.verdict && standing.listed);
        if self.candidates.reversed {
            flags.push(Flag::ReversedOrder);
        }
        let listed: Vec<usize> = (0..standings.len()).filter(|at| standings[*at].listed).collect();
        if verdict.is_some() && listed.len() > 1 {
            flags.push(Flag::Verdict);
        }
        let ranks: Vec<Option<u32>> = ranks(&standings);
        let comparison = self.is_comparison(&listed, &standings);
        if comparison {
            flags.push(Flag::Comparison);
        }
        let evidence = self.evidence(&mut flags);
        let links = sources::links(self.page, &mut flags);
        let mut reading = Reading::blank(AnswerClass::Answer);
        reading.entities = self.describe(&standings, &ranks);
        reading.named_in_text = evidence.named;
        reading.link_kind = links.kind;
        reading.url = links.url;
        reading.answer_class = kind_of_answer::of(self.page, listed.is_empty());
        if matches!(reading.answer_class, AnswerClass::Empty | AnswerClass::Error) {
            return Reading::blank(reading.answer_class);
        }
        let standing = target.and_then(|at| standings.get_mut(at)).copied();
        let rank = target.and_then(|at| ranks[at]);
        // A refusal cites nobody; neither does somebody's name in an absence statement or a restated question.
        let refused = reading.answer_class == AnswerClass::Refusal
            && links.kind == LinkKind::None
            && !evidence.outside_refusal;
        let cited = (evidence.counts || links.kind != LinkKind::None) && !refused;
        let discouraged = evidence.discouraged || standing.is_some_and(|standing| standing.discouraged);
        reading.class = match standing {
            _ if !cited => Prominence::None,
            Some(standing) if standing.listed && !discouraged => {
                // Where the question sets two against each other, whoever is chosen has won.
                let compared = !self.page.compared.is_empty();
                let crowned = |at: &usize| standings[*at].top && Some(*at) != target;
                let dethroned =
                    verdict.is_some_and(|at| Some(at) != target) || compared && listed.iter().any(crowned);
                let first = rank == Some(1) && !dethroned || standing.top || listed.len() == 1;
                if first && (standing.top || !comparison) {
                    Prominence::Primary
                } else {
                    Prominence::Secondary
                }
            }
            Some(_) | None => Prominence::Mentioned,
        };
        reading.rank = rank.filter(|_| reading.class >= Prominence::Secondary);
        reading.stance = match reading.class {
            Prominence::None => Stance::Absent,
            Prominence::Primary | Prominence::Secondary => Stance::Recommended,
            Prominence::Mentioned if discouraged => Stance::Discouraged,
            Prominence::Mentioned => Stance::Neutral,
        };
        if evidence.defunct && cited {
            flags.push(Flag::Defunct);
        }
        if self.page.answer.finish == ibid_provider::Finish::Truncated {
            flags.push(Flag::Truncated);
        }
        if self
            .page
            .sentences
            .iter()
            .any(|sentence| sentence.kinds.has(Kinds::INSTRUCTION))
        {
            flags.push(Flag::Instructions);
        }
        if !cited && sources::in_code(self.page) {
            flags.push(Flag::CodeOnly);
        }
        if cited && self.is_linked_elsewhere(target, links.kind) {
            flags.push(Flag::ForeignLink);
        }
        if !cited {
            reading.url = None;
            reading.link_kind = LinkKind::None;
            reading.named_in_text &= evidence.counts;
        } else {
            reading.quotes = quotes::of(self.page, &evidence.spans);
        }
        if !cited {
            reading.entities.retain(|entity| !entity.is_self);
        }
        reading.informative =
            reading.answer_class == AnswerClass::Answer && !reading.entities.is_empty() || cited;
        let share = self.share(&listed, target);
        reading.breakdown = breakdown(
            reading.class,
            reading.rank,
            listed.len() as u32,
            reading.link_kind,
            share,
            reading.stance,
        );
        reading.score = Score::new(reading.points());
        flags.sort_unstable();
        flags.dedup();
        reading.flags = flags;
        reading
    }

    /// What is said at the mention that holds a candidate's name.
    fn said_at(&self, name: &Span) -> Said {
        let mentions = &self.stances.mentions;
        let next = mentions.partition_point(|mention| mention.span.start < name.end);
        let at = next
            .checked_sub(1)
            .filter(|at| mentions[*at].span.end > name.start);
        at.and_then(|at| self.stances.said.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// What the places and mentions of every entity come to, each looked at once.
    fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = self.entities.iter().map(|entity| self.placed(entity)).collect();
        let target = self.entities.iter().position(|entity| entity.is_self);
        for (mention, said) in self.stances.mentions.iter().zip(&self.stances.said) {
            let at = match mention.who {
                Who::Target => target,
                Who::Entity(at) => Some(at),
            };
            let Some(standing) = at.and_then(|at| standings.get_mut(at)) else {
                continue;
            };
            if self.is_echo(&mention.span) {
                continue;
            }
            standing.discouraged |= said.discouraged;
            standing.defunct |= said.defunct;
            standing.praised |= said.praised;
            standing.top |= said.top;
            standing.verdict |= said.verdict;
        }
        for standing in &mut standings {
            // What the answer chooses in the end it does not warn of.
            standing.discouraged &= !standing.verdict;
            standing.listed &= !standing.discouraged;
        }
        standings
    }

    /// What the places come to where an entity is put forward.
    fn placed(&self, entity: &Somebody) -> Standing {
        let mut standing = Standing::default();
        for place in &entity.places {
            let said = self.said_at(&place.name);
            let label = place.label.as_ref().is_some_and(|label| self.is_top_label(label));
            let open = !said.discouraged && !said.refused || said.top;
            match place.form {
                candidates::Form::Item | candidates::Form::Column => standing.listed |= open,
                candidates::Form::Prose => {
                    standing.listed |=
                        said.praised && !said.passing && !said.absent && open && !self.is_echo(&place.name)
                }
            }
            standing.top |= label && open;
        }
        standing
    }

    fn is_top_label(&self, label: &Span) -> bool {
        let cues = self.page.cues_in(label);
        let text = key(self.page.text(label));
        cues.iter()
            .any(|cue| cue.kinds.has(Kinds::TOP.and(Kinds::VERDICT)))
            && !cues.iter().any(|cue| cue.kinds.has(Kinds::SECOND))
            || matches!(
                &*text,
                "overall"
                    | "winner"
                    | "best"
                    | "mypick"
                    | "topchoice"
                    | "gesamtsieger"
                    | "testsieger"
                    | "首选"
                    | "综合最佳"
                    | "综合首选"
                    | "最佳"
                    | "総合1位"
                    | "総合"
            )
    }

    /// Two against each other, and nobody wins.
    fn is_comparison(&self, listed: &[usize], standings: &[Standing]) -> bool {
        let won = listed
            .iter()
            .any(|at| standings[*at].top || standings[*at].verdict);
        if listed.len() != 2 || won {
            return false;
        }
        let versus = |sentence: &super::page::Sentence| {
            let cues = self.page.cues_in(&sentence.span);
            cues.iter()
                .any(|cue| cue.kinds.has(Kinds::VERSUS) && !cue.kinds.has(Kinds::RELATION))
        };
        self.candidates.columns || self.page.sentences.iter().any(versus)
    }

    /// Whether a byte span stands in a sentence that restates the question.
    fn is_echo(&self, span: &Span) -> bool {
        self.page
            .sentence_at(span.start)
            .is_some_and(|at| self.echoes.get(at) == Some(&true))
    }

    fn evidence(&self, flags: &mut Vec<Flag>) -> Evidence {
        let mut evidence = Evidence::default();
        let (mut absent, mut echoed) = (false, false);
        for (mention, said) in self.stances.mentions.iter().zip(&self.stances.said) {
            if mention.who != Who::Target {
                continue;
            }
            if self.is_echo(&mention.span) {
                echoed = true;
                continue;
            }
            if said.absent {
                absent = true;
                continue;
            }
            evidence.counts = true;
            evidence.outside_refusal |= !said.refused;
            evidence.discouraged |= said.discouraged && !said.verdict;
            evidence.defunct |= said.defunct;
            evidence.spans.push(mention.span.clone());
            let name = self
                .page
                .hits_in(&(mention.span.start..mention.span.end))
                .iter()
                .any(|hit| hit.sure || hit.span.end <= mention.span.end);
            let address = self
                .page
                .links_in(&mention.span)
                .first()
                .is_some_and(|link| link.form != Form::Markdown && link.span.start == mention.span.start);
            evidence.named |= name && !address;
        }
        if absent && !evidence.counts {
            flags.push(Flag::AbsenceStatement);
        }
        if echoed && !evidence.counts {
            flags.push(Flag::PromptEcho);
        }
        evidence
    }

    /// Whether the target's name leads to somebody else's website.
    fn is_linked_elsewhere(&self, target: Option<usize>, kind: LinkKind) -> bool {
        let host = target.and_then(|at| self.entities[at].host.as_deref());
        kind == LinkKind::None
            && host.is_some_and(|host| {
                !self.page.target.owns(host)
                    && super::host::kind_of_host(host) == ibid_model::result::CompetitorKind::Rival
            })
    }

    fn describe(&self, standings: &[Standing], ranks: &[Option<u32>]) -> Vec<Entity> {
        let described = self
            .entities
            .iter()
            .zip(standings)
            .zip(ranks)
            .map(|((somebody, standing), rank)| {
                let domain = somebody.host.as_deref().and_then(|host| host.parse().ok());
                let own = self.page.target.domain().clone();
                Entity {
                    name: somebody.name.clone(),
                    linked: domain.is_some(),
                    domain: if somebody.is_self { Some(own) } else { domain },
                    kind: somebody.kind,
                    is_self: somebody.is_self,
                    rank: *rank,
                    stance: match standing {
                        Standing {
                            discouraged: true, ..
                        } => Stance::Discouraged,
                        Standing { listed: true, .. } => Stance::Recommended,
                        Standing { .. } => Stance::Neutral,
                    },
                }
            });
        described.collect()
    }

    /// The target's share of the words about candidates, early words weighing more.
    fn share(&self, listed: &[usize], target: Option<usize>) -> f64 {
        let Some(target) = target.filter(|target| listed.contains(target)) else {
            return 0.0;
        };
        let units = self.units();
        let last = units.len().saturating_sub(1).max(1) as f64;
        let (mut own, mut all) = (0.0, 0.0);
        for (place, (span, who)) in units.iter().enumerate() {
            let weight = words(self.page.text(span)) * (-(place as f64) / last).exp();
            let among: Vec<&usize> = who.iter().filter(|at| listed.contains(at)).collect();
            if among.is_empty() {
                continue;
            }
            all += weight;
            if among.contains(&&target) {
                own += weight / among.len() as f64;
            }
        }
        if all > 0.0 { own / all } else { 0.0 }
    }

    /// Items and sentences in order, with the entities they are about.
    fn units(&self) -> Vec<(Span, Vec<usize>)> {
        const MOST_NAMED: usize = 12;
        let mut items: Vec<(Span, usize)> = Vec::new();
        for (at, entity) in self.entities.iter().enumerate() {
            items.extend(
                entity
                    .places
                    .iter()
                    .filter(|place| place.form == candidates::Form::Item)
                    .map(|place| (place.unit.clone(), at)),
            );
        }
        items.sort_by_key(|(span, _)| span.start);
        let mut units: Vec<(Span, Vec<usize>)> = Vec::new();
        for (span, at) in items {
            match units.last_mut() {
                Some((last, who)) if last.start == span.start => who.push(at),
                Some(_) | None => units.push((span, vec![at])),
            }
        }
        let covered = |start: usize| {
            let next = units.partition_point(|(span, _)| span.start <= start);
            next.checked_sub(1).is_some_and(|at| units[at].0.end > start)
        };
        let mut prose: Vec<(Span, Vec<usize>)> = Vec::new();
        let target = self.entities.iter().position(|entity| entity.is_self);
        let mut mention = 0;
        for sentence in &self.page.sentences {
            let mut who = Vec::new();
            while let Some(next) = self
                .stances
                .mentions
                .get(mention)
                .filter(|next| next.span.start < sentence.span.end)
            {
                let at = match next.who {
                    Who::Target => target,
                    Who::Entity(at) => Some(at),
                };
                if let Some(at) = at.filter(|at| who.len() < MOST_NAMED && !who.contains(at)) {
                    who.push(at);
                }
                mention += 1;
            }
            if !covered(sentence.span.start) {
                prose.push((sentence.span.clone(), who));
            }
        }
        units.append(&mut prose);
        units.sort_by_key(|(span, _)| span.start);
        units
    }
}

/// What counts as evidence of the target in the text.
#[derive(Clone, Debug, Default)]
struct Evidence {
    counts: bool,
    named: bool,
    discouraged: bool,
    defunct: bool,
    /// Some of it stands outside of sentences that decline to answer.
    outside_refusal: bool,
    spans: Vec<Span>,
}

fn ranks(standings: &[Standing]) -> Vec<Option<u32>> {
    let mut rank = 0;
    let number = |standing: &Standing| {
        standing.listed.then(|| {
            rank += 1;
            rank
        })
    };
    standings.iter().map(number).collect()
}

/// The parts of the score; docs/METHOD.md has the formula.
pub(super) fn breakdown(
    class: Prominence,
    rank: Option<u32>,
    candidates: u32,
    link: LinkKind,
    share: f64,
    stance: Stance,
) -> Breakdown {
    let rank = rank.unwrap_or(candidates).max(1);
    let discount = |rank: u32| 15.0 / f64::from(rank + 1).log2();
    let (base, rank) = match class {
        Prominence::Primary => (70.0, discount(rank)),
        // Rank 2 at best, so that the bands never meet.
        Prominence::Secondary => (40.0, discount(rank.max(2))),
        Prominence::Mentioned => (15.0, 0.0),
        Prominence::None => return Breakdown::default(),
    };
    let link = match link {
        LinkKind::None => 0.0,
        LinkKind::Annotation => 5.0,
        LinkKind::Host | LinkKind::Url | LinkKind::Markdown => 10.0,
    };
    // Two decimals: what is printed adds up to what is printed.
    let cents = |value: f64| (value * 100.0).round() / 100.0;
    Breakdown {
        base,
        rank: cents(rank),
        link,
        share: cents(5.0 * share.clamp(0.0, 1.0)),
        cap: (stance == Stance::Discouraged).then_some(10.0),
    }
}

/// Words of a text; two characters of a script without spaces are one.
fn words(text: &str) -> f64 {
    let (mut spaced, mut unspaced) = (0_u32, 0_u32);
    let mut counted = false;
    for c in text.chars() {
        if c.is_whitespace() {
            counted = false;
        } else if c.is_ascii() || !script(c).is_unspaced() {
            spaced += u32::from(!counted && is_word(c));
            counted |= is_word(c);
        } else {
            unspaced += 1;
        }
    }
    f64::from(spaced) + f64::from(unspaced) / 2.0
}

/// For every sentence, whether it restates the question, which names the target.
fn echoes(page: &Page<'_>, candidates: &Candidates) -> Vec<bool> {
    let question = page.answer.question.unwrap_or_default();
    if question.is_empty() || !page.target.is_named_in(question) {
        return Vec::new();
    }
    // Where others than the target are put forward.
    let mut others: Vec<usize> = candidates
        .found
        .iter()
        .filter(|candidate| !page.target.is_name(page.text(&candidate.name)))
        .map(|candidate| candidate.name.start)
        .collect();
    others.sort_unstable();
    let restates = |sentence: &super::page::Sentence| {
        if candidates.taken.get(sentence.block) == Some(&true) {
            return false;
        }
        let text = page.text(&sentence.span);
        let whole = key(text);
        if page.question_key.chars().count() >= 12
            && (whole.contains(page.question_key.as_str())
                || whole.chars().count() >= 12 && page.question_key.contains(&*whole))
        {
            return true;
        }
        let carriers: Vec<Plain> = text
            .split(|c: char| !is_word(c))
            .filter(|word| word.chars().count() >= 4)
            .take(60)
            .map(key)
            .collect();
        let shared = carriers
            .iter()
            .filter(|word| page.asked.contains(&***word))
            .count();
        let quiet = !sentence.kinds.has(
            Kinds::TOP
                .and(Kinds::CORE)
                .and(Kinds::AVOID)
                .and(Kinds::BAD)
                .and(Kinds::DEFUNCT)
                .and(Kinds::ABSENCE),
        );
        shared >= 3 && shared * 10 >= carriers.len() * 6 && quiet && {
            let next = others.partition_point(|start| *start < sentence.span.start);
            others.get(next).is_none_or(|start| *start >= sentence.span.end)
        }
    };
    page.sentences.iter().map(restates).collect()
}
