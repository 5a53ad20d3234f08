//! The areas that contain places: countries, their regions, and the parts of a region.

use crate::layout::AREA_SHIFT;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum AreaKind {
    /// A country or a territory with a code of its own.
    Country = 0,
    /// First level: state, Land, autonomous community.
    Region = 1,
    /// Second level: county, province, department.
    Part = 2,
}

/// How far the name that led to an area is to be trusted, the most trustworthy first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum AreaWeight {
    /// English, or a language of the country.
    Own = 0,
    /// Another language.
    Foreign = 1,
    /// A code of two or three letters.
    Code = 2,
}

/// An area, by its index among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Area {
    pub(crate) kind: AreaKind,
    pub(crate) index: u32,
    pub(crate) weight: AreaWeight,
}

impl Area {
    pub(crate) const fn from_posting(posting: u32) -> Option<Self> {
        let kind = match posting & 3 {
            0 => AreaKind::Country,
            1 => AreaKind::Region,
            2 => AreaKind::Part,
            _ => return None,
        };
        let weight = match posting >> 2 & 3 {
            0 => AreaWeight::Own,
            1 => AreaWeight::Foreign,
            _ => AreaWeight::Code,
        };
        Some(Self {
            kind,
            index: posting >> AREA_SHIFT,
            weight,
        })
    }
}
