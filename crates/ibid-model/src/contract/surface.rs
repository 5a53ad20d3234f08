//! Surfaces: groups of paths, which label metrics and tag operations.

/// Groups paths under one label in the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// The label.
    pub label: &'static str,
    /// What its paths begin with, such as `/api/v2/`.
    pub prefixes: &'static [&'static str],
}

/// Every surface. A path that begins with no prefix is one of pages.
pub static SURFACES: [Surface; 7] = [
    Surface {
        label: "v1",
        prefixes: &["/api/v1/"],
    },
    Surface {
        label: "a2a",
        prefixes: &["/api/a2a/", "/.well-known/", "/llms.txt"],
    },
    Surface {
        label: "app",
        prefixes: &["/api/app/"],
    },
    Surface {
        label: "pages",
        prefixes: &[],
    },
    Surface {
        label: "operations",
        prefixes: &["/openapi.json", "/healthz", "/readyz"],
    },
    Surface {
        label: "mcp",
        prefixes: &["/mcp"],
    },
    Surface {
        label: "v2",
        prefixes: &["/api/v2/", "/feed/"],
    },
];

impl Surface {
    /// Finds the index in [`SURFACES`] that a path belongs to.
    #[must_use]
    pub fn of(path: &str) -> usize {
        let begins = |surface: &Surface| surface.prefixes.iter().any(|prefix| path.starts_with(prefix));
        SURFACES.iter().position(begins).unwrap_or(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_a_prefix_is_one_of_pages() {
        assert_eq!(SURFACES[Surface::of("/workspace")].label, "pages");
        assert_eq!(SURFACES[Surface::of("/llms.txt")].label, "a2a");
    }
}
