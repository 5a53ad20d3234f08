//! Answers drawn with the variance components of real ones.

use ibid_engine::score::statistics::Dice;
use statrs::distribution::{ContinuousCDF, Normal};

/// Seeded random draws.
pub(crate) struct Draws {
    dice: Dice,
    /// The other half of the last pair of normal draws.
    spare: Option<f64>,
}

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            dice: Dice::new(seed),
            spare: None,
        }
    }

    /// A number in (0, 1].
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.dice.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// A draw from the standard normal distribution (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * self.unit().ln()).sqrt();
        let angle = std::f64::consts::TAU * self.unit();
        self.spare = Some(radius * angle.sin());
        radius * angle.cos()
    }
}

/// The kinds of answer: the score of each class that cites, and its part of those.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Cited or not.
    Rate,
    /// Second or first.
    Podium,
    /// Mentioned, second or first.
    Graded,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Rate, Self::Podium, Self::Graded];

    /// The kinds that scores have.
    pub(crate) const SCORES: [Self; 2] = [Self::Podium, Self::Graded];

    const fn classes(self) -> &'static [(f64, f64)] {
        match self {
            Self::Rate => &[(1.0, 1.0)],
            Self::Podium => &[(0.58, 0.5), (0.96, 0.5)],
            Self::Graded => &[(0.2, 0.3), (0.6, 0.4), (0.95, 0.3)],
        }
    }

    /// The mean score of an answer that cites.
    pub(crate) fn cited(self) -> f64 {
        self.classes().iter().map(|(score, part)| score * part).sum()
    }
}

/// The latent variance that answers have in common, out of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noise {
    pub(crate) name: &'static str,
    /// By question, for all models.
    question: f64,
    /// By question and model.
    cell: f64,
}

/// Observed correlations at even chances: .44 of two models at one question, .68 of two repeats of one.
/// (sin(.44 π/2) = .634, sin(.675 π/2) = .872.)
pub(crate) const REAL: Noise = Noise {
    name: "real",
    question: 0.634,
    cell: 0.238,
};

/// As a mock router answers: no correlation of a question and a model of its own.
pub(crate) const MOCK: Noise = Noise {
    name: "mock",
    question: 0.634,
    cell: 0.0,
};

/// The latent standard deviation between models: a fifth of the variance of all answers.
const MODELS: f64 = 0.67;

/// A website as models see it: the rate with which each cites it.
pub(crate) struct World {
    kind: Kind,
    pub(crate) noise: Noise,
    rate: f64,
    /// The latent distance of each model from their mean. Models are chosen, so they are the same in every draw.
    models: Vec<f64>,
    /// The latent values from which an answer has each class's score.
    limits: Vec<(f64, f64)>,
}

impl World {
    pub(crate) fn new(kind: Kind, rate: f64, models: usize, noise: Noise) -> Self {
        let at = |model: usize| 2.0 * model as f64 - (models as f64 - 1.0);
        let spread = (0..models).map(|model| at(model).powi(2)).sum::<f64>() / models as f64;
        let distance = |model| {
            if models > 1 {
                MODELS * at(model) / spread.sqrt()
            } else {
                0.0
            }
        };
        let models: Vec<f64> = (0..models).map(distance).collect();
        let mut above = 1.0;
        let limits = kind.classes().iter().map(|(score, part)| {
            let limit = limit(&models, rate * above);
            above -= part;
            (limit, *score)
        });
        let limits = limits.collect();
        Self {
            kind,
            noise,
            rate,
            models,
            limits,
        }
    }

    pub(crate) fn models(&self) -> usize {
        self.models.len()
    }

    /// The true mean score.
    pub(crate) fn truth(&self) -> f64 {
        self.rate * self.kind.cited()
    }

    /// The answer of a model with a latent value.
    pub(crate) fn score(&self, model: usize, latent: f64) -> f64 {
        let value = latent + self.models[model];
        let reached = self.limits.iter().take_while(|(limit, _)| value > *limit);
        reached.last().map_or(0.0, |(_, score)| *score)
    }

    /// The expected score of a model's answer to a question with such parts, whatever the asking.
    pub(crate) fn expected(&self, model: usize, (common, own): (f64, f64)) -> f64 {
        let Noise { question, cell, .. } = self.noise;
        let mean = question.sqrt() * common + cell.sqrt() * own + self.models[model];
        let spread = (1.0 - question - cell).sqrt();
        let mut before = 0.0;
        let classes = self.limits.iter().map(|(limit, score)| {
            let step = score - before;
            before = *score;
            step * Normal::standard().cdf((mean - limit) / spread)
        });
        classes.sum()
    }

    /// A latent value: `common` to all models at a question, `own` to one, and of one asking.
    pub(crate) fn latent(&self, common: f64, own: f64, draws: &mut Draws) -> f64 {
        let Noise { question, cell, .. } = self.noise;
        question.sqrt() * common + cell.sqrt() * own + (1.0 - question - cell).sqrt() * draws.normal()
    }
}

/// The latent value that a share of the answers of all models exceeds.
fn limit(models: &[f64], share: f64) -> f64 {
    let normal = Normal::standard();
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle: f64 = (low + high) / 2.0;
        let above: f64 = models.iter().map(|model| normal.cdf(model - middle)).sum();
        if above / models.len() as f64 > share {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
