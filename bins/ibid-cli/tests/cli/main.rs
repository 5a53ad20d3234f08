//! The command line as its users see it: output, exit codes, files. No network but loopback.
#![cfg(test)]

mod around;
mod audit;
mod commands;
mod compare;
mod first_party;
mod local;
mod look;
mod read;
mod rescore;
mod retrieval;
mod support;
mod verify;
