//! Draws scores over time.

use super::flow::{Item, WIDTH, rectangle};
use super::text::Ink;

/// A run on the chart: its time, its score, and the likely range of the score.
pub(super) type TrendPoint = (f32, f32, Option<(f32, f32)>);

/// Scores over time, on a scale from 0 to 100. Times are shares of the width, 0 to 1.
#[derive(Clone, Debug, Default)]
pub struct PdfTrend {
    pub points: Vec<TrendPoint>,
    /// The average, and the time from which it counts.
    pub level: Option<(f32, f32)>,
    /// Words along the axis, with their times.
    pub labels: Vec<(f32, String)>,
    /// When numbered marks are, and where their numbers stand.
    pub marks: Vec<(f32, f32)>,
}

/// The space at the left for the scale, and above for the numbers of marks.
const LEFT: f32 = 26.0;
const TOP: f32 = 12.0;
const SCALE: f32 = 130.0;

impl PdfTrend {
    /// How high the chart is with its words, in points.
    pub(super) const HEIGHT: f32 = TOP + SCALE + 18.0;

    fn x(left: f32, at: f32) -> f32 {
        left + LEFT + at.clamp(0.0, 1.0) * (WIDTH - LEFT - 6.0)
    }

    fn y(top: f32, score: f32) -> f32 {
        top + TOP + (1.0 - score.clamp(0.0, 100.0) / 100.0) * SCALE
    }

    pub(super) fn items(&self, (left, top): (f32, f32), accent: Ink) -> Vec<Item> {
        let mut items = Vec::new();
        for tick in [0.0, 50.0, 100.0] {
            let y = Self::y(top, tick);
            items.push(Item::Path(
                vec![(left + LEFT, y), (left + WIDTH, y)],
                Ink::LINE,
                0.6,
                false,
            ));
        }
        let range = |point: &(f32, f32, Option<(f32, f32)>)| point.2.unwrap_or((point.1, point.1));
        let upper = self
            .points
            .iter()
            .map(|point| (Self::x(left, point.0), Self::y(top, range(point).1)));
        let lower = self.points.iter().rev();
        let lower = lower.map(|point| (Self::x(left, point.0), Self::y(top, range(point).0)));
        items.push(Item::Area(upper.chain(lower).collect(), accent.wash(24)));
        for (at, _) in &self.marks {
            let x = Self::x(left, *at);
            items.push(Item::Path(
                vec![(x, top + TOP), (x, top + TOP + SCALE)],
                Ink::GREY,
                0.8,
                true,
            ));
        }
        let line = self
            .points
            .iter()
            .map(|point| (Self::x(left, point.0), Self::y(top, point.1)));
        let line: Vec<(f32, f32)> = line.collect();
        items.push(Item::Path(line.clone(), accent, 1.4, false));
        items.extend(
            line.iter()
                .map(|(x, y)| Item::Area(rectangle(x - 1.6, y - 1.6, 3.2, 3.2), accent)),
        );
        if let Some((since, score)) = self.level {
            let y = Self::y(top, score);
            items.push(Item::Path(
                vec![(Self::x(left, since), y), (left + WIDTH, y)],
                Ink::BLACK,
                1.0,
                false,
            ));
        }
        items
    }

    /// Returns the chart's words with their places: those along the scale at their left ends, others around their middles.
    pub(super) fn words(&self, (left, top): (f32, f32)) -> Vec<(String, f32, f32)> {
        let scale = [0.0, 50.0, 100.0].into_iter();
        let scale = scale.map(|tick| (format!("{tick:.0}"), left - 0.1, Self::y(top, tick) - 5.0));
        let labels = self.labels.iter();
        let labels = labels.map(|(at, text)| (text.clone(), Self::x(left, *at), top + TOP + SCALE + 4.0));
        let marks = (1..).zip(&self.marks);
        let marks = marks
            .map(|(number, (_, at)): (u32, &(f32, f32))| (number.to_string(), Self::x(left, *at), top - 1.0));
        scale.chain(labels).chain(marks).collect()
    }
}
