# Recipes for daily work; `just --list` prints them. Every recipe is one or two cargo commands.

# Formatting, and clippy with warnings denied.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Format, clippy and unit tests of the packages that differ from main, and circles of files: for daily work.
quick:
    .ci/quick

# All tests on SQLite.
test:
    cargo test --workspace

# Tests of one package whose names contain a word: `just test-one ibid-engine bootstrap`.
test-one package name="":
    cargo test -p {{ package }} {{ name }}

# The sandbox server on http://127.0.0.1:8080.
serve *options:
    cargo run -- --sandbox {{ options }}

# Everything that must hold before a change lands.
ci:
    .ci/run

# The long forms, before a release.
full:
    .ci/full
