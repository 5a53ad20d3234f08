//! Places names beside their dots, with as little overlap as possible.

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

    /// Returns the area that two rectangles share.
    fn shared(self, other: Self) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }
}

/// The position of a text: its anchor point and its alignment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) align: &'static str,
    pub(super) space: Space,
}

/// Height of a line and distance from the dot.
const LINE: f64 = 14.0;
const GAP: f64 = 4.0;

/// Returns the position beside a dot where a text of this width covers the least, preferably on the right.
pub(super) fn place(x: f64, y: f64, r: f64, width: f64, page: Space, taken: &[Space]) -> Spot {
    let reach = r + GAP;
    let diagonal = reach * 0.7;
    let spots = [
        spot(x + reach, y, width, "start"),
        spot(x - reach, y, width, "end"),
        spot(x + diagonal, y - diagonal - LINE / 2.0, width, "start"),
        spot(x + diagonal, y + diagonal + LINE / 2.0, width, "start"),
        spot(x - diagonal, y - diagonal - LINE / 2.0, width, "end"),
        spot(x - diagonal, y + diagonal + LINE / 2.0, width, "end"),
        spot(x, y - reach - LINE / 2.0, width, "middle"),
        spot(x, y + reach + LINE / 2.0, width, "middle"),
    ];
    let cost = |spot: &Spot| {
        let covered: f64 = taken.iter().map(|space| space.shared(spot.space)).sum();
        let whole = width * LINE;
        // A text outside the page is lost, which is worse than an overlap.
        covered + 10.0 * (whole - page.shared(spot.space)).max(0.0)
    };
    let [first, rest @ ..] = spots;
    rest.into_iter().fold(first, |best, spot| {
        if cost(&spot) + 0.5 < cost(&best) {
            spot
        } else {
            best
        }
    })
}

/// Returns the rectangle of a text of this width whose middle line goes through `y`.
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
    }
}

/// Estimates the width of a text at 12 units: letters of East Asian scripts are twice as wide as others.
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
