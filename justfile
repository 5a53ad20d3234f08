# Recipes for daily work; `just --list` prints them. Every recipe is one or two cargo commands.

# Formatting, and clippy with warnings denied.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# All tests on SQLite.
test:
    cargo test --workspace

# Tests of one package whose names contain a word: `just test-one ibid-engine bootstrap`.
test-one package name="":
    cargo test -p {{ package }} {{ name }}

# The sandbox server on http://127.0.0.1:8080.
serve *options:
    cargo run --release -- --sandbox {{ options }}

# Everything that must hold before a change lands.
ci:
    .ci/run
