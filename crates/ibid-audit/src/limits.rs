//! Limits that several readers of hostile files share.

/// Findings of one kind that a report shows.
///
/// At half, a reader misses one of the five moves; at twice, nobody reads to the end.
pub(crate) const SHOWN: usize = 5;

/// Entries that are compared with each other or copied, as authors and rules.
///
/// At half, a robots.txt of 60 rules has no draft; at twice, the comparisons take four times as long.
pub(crate) const FEW: usize = 100;

/// A page's elements of one kind that are kept, such as headings and links.
///
/// At half, a long index loses links; at twice, the largest hostile page needs twice the memory.
pub(crate) const MANY: usize = 5_000;

/// Lines in a file, and blocks in a page, that are read.
///
/// The sitemaps protocol has this limit, too.
pub(crate) const MOST: usize = 50_000;

/// Bytes of an address: browsers and crawlers read longer ones differently.
pub(crate) const ADDRESS_BYTES: usize = 2_048;

/// Words of a text below which a page may have none.
pub(crate) const BARE_TEXT: usize = 20;

/// Words of a whole page below which it has no text.
///
/// At half, a menu hides an empty page; at twice, the form of a short page is no content.
pub(crate) const BARE_PAGE: usize = 50;

/// A page with so many words of running text has a text.
///
/// At half, error pages and stubs count as texts; at twice, short notices do not.
pub(crate) const PROSE_WORDS: usize = 150;

/// Words of a text that needs headings, lists and voices.
///
/// At half, notices are asked for them; at twice, only features.
pub(crate) const LONG_TEXT: usize = 250;

/// Words that a reader takes in between two headings, and that make a page without other signs an article.
///
/// At half, a paragraph with a list needs a heading; at twice, a page of text needs none.
pub(crate) const SECTION_WORDS: usize = 400;
