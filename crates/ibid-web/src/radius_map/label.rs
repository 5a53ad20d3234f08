//! Places names next to their dots, with as little overlap as possible.

/// An occupied rectangle: left, top, right, bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Space {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Space {
    /// Returns the square around a dot.
    pub(super) fn of_dot(x: f64, y: f64, r: f64) -> Self {
        Self {
            left: x - r,
            top: y - r,
            right: x + r,
            bottom: y + r,
        }
    }

    /// Returns the point of the rectangle that is nearest to another point.
    pub(super) fn nearest(self, x: f64, y: f64) -> (f64, f64) {
        (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom))
    }

    /// Returns the area that two rectangles share.
    fn shared(self, other: Self) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }
}

/// Where a text stands: its anchor point and its alignment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) align: &'static str,
    pub(super) space: Space,
    /// Whether it is too far from its dot to be read as its name without a line.
    pub(super) far: bool,
}

/// Height of a line and distance from the dot.
const LINE: f64 = 14.0;
const GAP: f64 = 4.0;

/// Distances from the dot that are tried where the nearest spots are taken.
const STEPS_AWAY: [f64; 12] = [
    0.0, 9.0, 18.0, 27.0, 38.0, 50.0, 64.0, 80.0, 100.0, 124.0, 152.0, 190.0,
];
/// From here on a line joins the name and its dot.
const FAR: f64 = 10.0;

/// Returns the nearest position to a dot where a text of this width covers no other, preferably on the right.
/// Without such a position, returns the one with the least overlap.
pub(super) fn place(x: f64, y: f64, r: f64, width: f64, page: Space, taken: &[Space]) -> Spot {
    let cost = |spot: &Spot| {
        let covered: f64 = taken.iter().map(|space| space.shared(spot.space)).sum();
        let whole = width * LINE;
        // A text outside the page is lost, which is worse than an overlap.
        covered + 10.0 * (whole - page.shared(spot.space)).max(0.0)
    };
    let mut best = spot(x + r + GAP, y, width, "start");
    for away in STEPS_AWAY {
        for spot in around(x, y, r + GAP + away, width) {
            let spot = Spot {
                far: away > FAR,
                ..spot
            };
            if cost(&spot) + 0.5 < cost(&best) {
                best = spot;
            }
        }
        if cost(&best) < 0.5 {
            break;
        }
    }
    best
}

/// The spots at a distance from a dot, in the order in which they are preferred.
fn around(x: f64, y: f64, reach: f64, width: f64) -> [Spot; 8] {
    let diagonal = reach * 0.7;
    [
        spot(x + reach, y, width, "start"),
        spot(x - reach, y, width, "end"),
        spot(x + diagonal, y - diagonal - LINE / 2.0, width, "start"),
        spot(x + diagonal, y + diagonal + LINE / 2.0, width, "start"),
        spot(x - diagonal, y - diagonal - LINE / 2.0, width, "end"),
        spot(x - diagonal, y + diagonal + LINE / 2.0, width, "end"),
        spot(x, y - reach - LINE / 2.0, width, "middle"),
        spot(x, y + reach + LINE / 2.0, width, "middle"),
    ]
}

/// Returns the rectangle of such a text, whose middle line goes through `y`.
fn spot(x: f64, y: f64, width: f64, align: &'static str) -> Spot {
    let left = match align {
        "start" => x,
        "end" => x - width,
        _ => x - width / 2.0,
    };
    let space = Space {
        left,
        top: y - LINE / 2.0,
        right: left + width,
        bottom: y + LINE / 2.0,
    };
    Spot {
        x,
        y: y + 4.5,
        align,
        space,
        far: false,
    }
}

/// Estimates the width of a text at 12 units. East Asian letters are twice as wide as others.
pub(super) fn width(text: &str) -> f64 {
    text.chars()
        .map(|c| {
            if matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{ffff}') {
                12.5
            } else {
                6.7
            }
        })
        .sum()
}

/// Cuts a text to at most this many letters, on one line with single blanks, and marks a cut with an ellipsis.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut cut: String = line.chars().take(most.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Fifteen towns anywhere in the disc, the most that a report has.
        #[test]
        fn no_name_covers_another_or_a_dot(
            towns in proptest::collection::vec((0.0..360.0_f64, 0.0..1.0_f64, 4..30_usize), 1..=15),
        ) {
            let page = Space { left: 6.0, top: 44.0, right: 754.0, bottom: 688.0 };
            let dots: Vec<(f64, f64, f64)> = towns
                .iter()
                .map(|(bearing, share, letters)| {
                    let (r, angle) = (300.0 * share.sqrt(), bearing.to_radians());
                    (380.0 + r * angle.sin(), 372.0 - r * angle.cos(), *letters as f64 * 6.7)
                })
                .collect();
            let mut taken: Vec<Space> = dots.iter().map(|(x, y, _)| Space::of_dot(*x, *y, 9.0)).collect();
            for (x, y, width) in &dots {
                let spot = place(*x, *y, 9.0, *width, page, &taken);
                prop_assert!(taken.iter().all(|other| other.shared(spot.space) < 1.0));
                prop_assert!((page.shared(spot.space) - width * LINE).abs() < 1.0);
                taken.push(spot.space);
            }
        }
    }
}
