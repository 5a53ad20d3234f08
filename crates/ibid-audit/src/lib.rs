//! Under construction.
mod charset;
mod dates;
mod directives;
mod head;
mod facts;
mod html;
pub mod llms_txt;
mod numbers;
pub mod page;
pub mod quote;
mod reading;
pub mod robots;
mod signals;
pub mod sitemap;
mod signs;
mod structured;
