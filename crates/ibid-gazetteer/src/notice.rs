//! The attribution that the licences of the embedded data require.

/// One line to print wherever places are shown.
pub const ATTRIBUTION: &str = "Place data: GeoNames (https://www.geonames.org), licensed under CC BY 4.0 \
    (https://creativecommons.org/licenses/by/4.0/), provided \"as is\" without warranty of accuracy, timeliness or \
    completeness. Modified: filtered, merged, re-encoded and combined with Unicode CLDR names. \
    Unicode CLDR: copyright (c) Unicode, Inc., Unicode License v3 (https://www.unicode.org/license.txt).";

/// The notice and the full licence texts of the embedded data, for `--licenses`.
pub const LICENSES: &str = ibid_gazetteer_places::LICENSES;
