//! Files as the tools write them: columns, encodings and traps as documented and as public samples show them.
#![cfg(test)]

mod archives;
mod bounds;
mod exports;
mod forms;
mod logs;
mod merging;
mod support;
