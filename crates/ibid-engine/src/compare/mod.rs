//! Two scans of one target: changed, within noise, or not comparable.
