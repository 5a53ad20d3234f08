//! The page audit from outside: labelled pages, addresses that must be refused, servers that attack.

mod attack;
mod by_address;
mod bypass;
mod pages;
mod rebinding;
mod server;
