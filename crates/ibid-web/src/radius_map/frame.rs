//! How large the parts of a drawing are.

/// How large the parts of a drawing are, in its own units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    /// Width of the drawing.
    pub(super) width: f64,
    pub(super) centre_x: f64,
    pub(super) centre_y: f64,
    /// Radius of the disc.
    pub(super) reach: f64,
    /// The highest line for a name.
    pub(super) top: f64,
    /// Radius of the smallest and the largest dot.
    pub(super) dot: (f64, f64),
    /// Maximum length of a name next to a dot, in letters.
    pub(super) name: usize,
    /// Ends all ids, so that two drawings on a page have different ones.
    pub(super) suffix: &'static str,
}

/// The drawing for screens and files.
pub(super) const WIDE: Frame = Frame {
    width: 760.0,
    centre_x: 380.0,
    centre_y: 372.0,
    reach: 300.0,
    top: 44.0,
    dot: (5.0, 13.0),
    name: 26,
    suffix: "",
};

/// The drawing for telephones: its letters are as large as those of the page at 360 pixels.
pub(super) const NARROW: Frame = Frame {
    width: 330.0,
    centre_x: 165.0,
    centre_y: 188.0,
    reach: 148.0,
    top: 4.0,
    dot: (4.0, 9.0),
    name: 15,
    suffix: "-narrow",
};

impl Frame {
    pub(super) const fn bottom(&self) -> f64 {
        self.centre_y + self.reach
    }
}
