//! Draws a host's standing in an answer, with the variance components found in real answers.
//!
//! On 1,056 real brand panels, models made up a fifth of the variance in an answer's score.
//! Within a model, two models at one question correlated by 0.44, and two askings of one question by 0.68.
//! A standing is a sum of four normal draws with these components.

use super::World;
use super::dice::Dice;
use crate::prompt::Prompt;

/// Latent variance between models, relative to 1 for all else, which gives a fifth of the variance in answers.
const MODEL: f64 = 0.45;
/// Latent variance of the questions, common to all models.
const QUESTION: f64 = 0.634;
/// Latent variance of a question and a model.
const CELL: f64 = 0.238;
/// Latent variance of one asking.
const ASKING: f64 = 1.0 - QUESTION - CELL;

/// Returns the share of answers in which the host does better than in this one, 0 to 1.
///
/// Draws are even over questions, models and days.
/// The day and the demand for a search change the asking only.
pub(super) fn standing(world: World, prompt: &Prompt, host: &str) -> f64 {
    let scene = &prompt.scene;
    let question = [
        host,
        &scene.keyword,
        scene.place.as_deref().unwrap_or_default(),
        &prompt.text,
    ];
    let day = world.day.to_string();
    let attempt = if prompt.force_search { "again" } else { "" };
    let normal = |purpose: &str, words: &[&str]| {
        let words: Vec<&str> = [purpose].iter().chain(&question).chain(words).copied().collect();
        Dice::new(world.seed, &words).normal()
    };
    let taste = Dice::new(world.seed, &["taste", &prompt.model, host]).normal();
    let sum = MODEL.sqrt() * taste
        + QUESTION.sqrt() * normal("question", &[])
        + CELL.sqrt() * normal("cell", &[&prompt.model])
        + ASKING.sqrt() * normal("asking", &[&prompt.model, &day, attempt]);
    share_above(sum / (1.0 + MODEL).sqrt())
}

/// Returns how many standard normal draws lie above a value, 0 to 1, to within 0.0002 (Bowling et al. 2009).
fn share_above(value: f64) -> f64 {
    1.0 / (1.0 + (0.070_56 * value.powi(3) + 1.597_6 * value).exp())
}

#[cfg(test)]
mod tests {
    use super::super::tests::prompt;
    use super::*;

    /// The correlation of two rows of yes and no.
    fn correlation(pairs: &[(bool, bool)]) -> f64 {
        let n = pairs.len() as f64;
        let share =
            |of: &dyn Fn(&(bool, bool)) -> bool| pairs.iter().filter(|pair| of(pair)).count() as f64 / n;
        let (one, other) = (share(&|pair| pair.0), share(&|pair| pair.1));
        let both = share(&|pair| pair.0 && pair.1);
        (both - one * other) / (one * (1.0 - one) * other * (1.0 - other)).sqrt()
    }

    /// Whether a model cites a host with an even chance of its own.
    fn cites(model: usize, question: usize, day: u32) -> bool {
        let model = format!("vendor/model-{model}");
        let asked = prompt(&model, "clinicasol.es", question, 0.0);
        let world = World::on(1, day);
        let taste = Dice::new(1, &["taste", &model, "clinicasol.es"]).normal();
        standing(world, &asked, "clinicasol.es") < share_above(MODEL.sqrt() * taste / (1.0 + MODEL).sqrt())
    }

    #[test]
    fn answers_correlate_as_those_of_real_panels() {
        let cells = || (0..8).flat_map(|model| (0..500).map(move |question| (model, question)));
        for days in [(0, 1), (20_000, 20_007)] {
            let repeats: Vec<_> = cells()
                .map(|(model, question)| (cites(model, question, days.0), cites(model, question, days.1)))
                .collect();
            let found = correlation(&repeats);
            assert!((found - 0.68).abs() < 0.04, "repeats correlate by {found}");
        }
        let models: Vec<_> = (0..4_000)
            .map(|question| (cites(0, question, 0), cites(1, question, 0)))
            .collect();
        let found = correlation(&models);
        assert!((found - 0.44).abs() < 0.04, "models correlate by {found}");
    }

    #[test]
    fn standings_are_even() {
        let mut tenths = [0_u32; 10];
        for model in 0..40 {
            for question in 0..100 {
                let asked = prompt(&format!("vendor/model-{model}"), "clinicasol.es", question, 0.0);
                let found = standing(World::on(1, 3), &asked, &format!("shop{model}.com"));
                tenths[(found * 10.0) as usize] += 1;
            }
        }
        assert!(tenths.iter().all(|n| (250..600).contains(n)), "{tenths:?}");
    }
}
