//! From evidence to class, rank and score.

mod echo;
mod evidence;
mod points;
mod share;
mod standing;

pub(super) use points::breakdown;

use echo::echoes;
use standing::{Rule, Standing};

use super::{kind_of_answer, quotes, sources};
use crate::read::candidates::{self, Candidates};
use crate::read::competitors::{self, FoundCompetitor};
use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::reading::{AnswerClass, Flag, LinkKind, NamedCompetitor, Reading, Stance};
use crate::read::stance::{self, Stances};
use crate::read::words::Kinds;
use ibid_model::result::Decision;
use ibid_model::{Prominence, Score};

/// Judges an answer that is text.
pub(super) fn judge(page: &Page<'_>, explained: bool) -> (Reading, Vec<Party>) {
    let candidates = candidates::find(page);
    let competitors = competitors::of(page, &candidates);
    let stances = stance::bind(page, &competitors);
    let echoes = echoes(page, &candidates);
    let case = Case {
        page,
        candidates: &candidates,
        competitors: &competitors,
        stances: &stances,
        echoes: &echoes,
    };
    case.read(explained)
}

/// A name of an answer, with the rule that decided on it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Party {
    /// The name, as written.
    pub name: String,
    /// Whether the answer puts it forward.
    pub listed: bool,
    /// Whether the answer warns of it.
    pub discouraged: bool,
    /// What decided on it.
    #[serde(flatten)]
    pub decision: Decision,
}

/// Everything a judgement rests on.
struct Case<'a, 'p> {
    page: &'a Page<'p>,
    candidates: &'a Candidates,
    competitors: &'a [FoundCompetitor],
    stances: &'a Stances,
    /// For every sentence, whether it restates the question.
    echoes: &'a [bool],
}

impl Case<'_, '_> {
    fn read(&self, explained: bool) -> (Reading, Vec<Party>) {
        let mut standings = self.standings();
        let parties = if explained {
            self.parties(&standings)
        } else {
            Vec::new()
        };
        (self.conclude(&mut standings), parties)
    }

    /// Every name of the answer with what decided on it.
    fn parties(&self, standings: &[Standing]) -> Vec<Party> {
        let described = self.competitors.iter().zip(standings);
        described
            .map(|(found, standing)| Party {
                name: found.name.clone(),
                listed: standing.listed,
                discouraged: standing.discouraged,
                decision: self.decision(standing),
            })
            .collect()
    }

    /// The rule that decided, with the line of an item or the sentence that it read.
    fn decision(&self, standing: &Standing) -> Decision {
        let page = self.page;
        let span = match standing.rule {
            Rule::Item | Rule::Column => page.layout.block(standing.decided).map(|block| &block.span),
            _ => page.sentence(standing.decided).map(|sentence| &sentence.span),
        };
        let text = span.map_or("", |span| page.text(span)).trim();
        let line = text.lines().next().unwrap_or_default();
        let (rule, sure) = standing.rule.in_words();
        Decision {
            rule: rule.into(),
            sure,
            passage: line[..line.floor_char_boundary(quotes::LONGEST)].to_owned(),
        }
    }

    fn conclude(&self, standings: &mut [Standing]) -> Reading {
        let mut flags = Vec::new();
        let target = self.competitors.iter().position(|competitor| competitor.is_self);
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
        let ranks: Vec<Option<u32>> = ranks(standings);
        let comparison = self.is_comparison(&listed, standings);
        if comparison {
            flags.push(Flag::Comparison);
        }
        let evidence = self.evidence(&mut flags);
        let links = sources::links(self.page, &mut flags);
        let mut reading = Reading::blank(AnswerClass::Answer);
        reading.form = self.page.layout.form();
        reading.competitors = self.describe(standings, &ranks);
        // A name that is neither put forward nor warned of is no competitor.
        let mut spoken = standings
            .iter()
            .map(|standing| standing.listed || standing.discouraged);
        reading
            .competitors
            .retain(|competitor| spoken.next().unwrap_or_default() || competitor.is_self);
        reading.named_in_text = evidence.named;
        reading.link_kind = links.kind;
        reading.url = links.url;
        let silent = listed.is_empty() && !evidence.counts && links.kind == LinkKind::None;
        reading.answer_class = kind_of_answer::of(self.page, listed.is_empty(), silent);
        if !matches!(
            reading.answer_class,
            AnswerClass::Answer | AnswerClass::Refusal | AnswerClass::Clarification
        ) {
            return Reading::blank(reading.answer_class);
        }
        let standing = target.and_then(|at| standings.get_mut(at)).copied();
        let rank = target.and_then(|at| ranks[at]);
        // A refusal cites no name; neither does an absence statement or a restated question.
        let refused = reading.answer_class == AnswerClass::Refusal
            && links.kind == LinkKind::None
            && !evidence.outside_refusal;
        let cited = (evidence.counts || links.kind != LinkKind::None) && !refused;
        let discouraged = evidence.discouraged || standing.is_some_and(|standing| standing.discouraged);
        reading.class = match standing {
            _ if !cited => Prominence::None,
            Some(standing) if standing.listed && !discouraged => {
                // If the question compares two names, the chosen one has won.
                let compared = !self.page.question.compared.is_empty();
                let crowned = |at: &usize| standings[*at].top && Some(*at) != target;
                let dethroned =
                    verdict.is_some_and(|at| Some(at) != target) || compared && listed.iter().any(crowned);
                // Praise as the best does not move a name that others precede; a verdict does.
                let top = standing.top && (rank == Some(1) || standing.verdict || compared);
                let first = rank == Some(1) && !dethroned || top || listed.len() == 1;
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
        if self.page.answer.finish == ibid_model::Finish::Truncated {
            flags.push(Flag::Cut);
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
        if cited && evidence.longer {
            flags.push(Flag::LongerName);
        }
        if cited && self.is_linked_elsewhere(target, links.kind) {
            flags.push(Flag::ForeignLink);
        }
        if !cited {
            reading.url = None;
            reading.link_kind = LinkKind::None;
            reading.named_in_text &= evidence.counts;
            reading.competitors.retain(|competitor| !competitor.is_self);
        } else {
            reading.quotes = quotes::of(self.page, &evidence.spans);
            reading.decision = standing.map(|standing| self.decision(&standing));
        }
        reading.informative =
            reading.answer_class == AnswerClass::Answer && !reading.competitors.is_empty() || cited;
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

    /// Two against each other, without a winner.
    fn is_comparison(&self, listed: &[usize], standings: &[Standing]) -> bool {
        let won = listed
            .iter()
            .any(|at| standings[*at].top || standings[*at].verdict);
        if listed.len() != 2 || won {
            return false;
        }
        let versus = |sentence: &crate::read::page::Sentence| {
            let cues = self.page.cues_in(&sentence.span);
            cues.iter()
                .any(|cue| cue.kinds.has(Kinds::VERSUS) && !cue.kinds.has(Kinds::RELATION))
        };
        self.candidates.columns || self.page.sentences.iter().any(versus)
    }

    /// Whether a byte span is in a sentence that restates the question.
    fn is_echo(&self, span: &Span) -> bool {
        self.page
            .sentence_at(span.start)
            .is_some_and(|at| self.echoes.get(at) == Some(&true))
    }

    fn describe(&self, standings: &[Standing], ranks: &[Option<u32>]) -> Vec<NamedCompetitor> {
        let described = self
            .competitors
            .iter()
            .zip(standings)
            .zip(ranks)
            .map(|((found, standing), rank)| {
                let domain = found.host.as_deref().and_then(|host| host.parse().ok());
                NamedCompetitor {
                    name: found.name.clone(),
                    products: found.products.clone(),
                    linked: domain.is_some(),
                    domain: if found.is_self {
                        Some(self.page.target.domain().clone())
                    } else {
                        domain
                    },
                    kind: found.kind,
                    is_self: found.is_self,
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
