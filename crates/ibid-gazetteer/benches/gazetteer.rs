//! The time to look up a place and to choose the markets of its rings.
//!
//! Opening the data is part of the first look-up of a process and too short to measure here.
//! `docs/GEOGRAPHY.md` has its duration.

use criterion::{Criterion, criterion_group, criterion_main};
use ibid_gazetteer::{markets, resolve};
use ibid_model::{Ring, Rings};
use std::hint::black_box;

fn resolving(c: &mut Criterion) {
    let mut group = c.benchmark_group("resolve");
    for (name, text) in [
        ("city, country", "Valencia, Spain"),
        ("city", "Valencia"),
        ("exonym", "Mailand, Italien"),
        ("other script", "東京都渋谷区"),
        ("city state", "Austin TX"),
        (
            "address",
            "1600 Pennsylvania Avenue NW, Washington, DC 20500, USA",
        ),
        ("common name", "San José"),
        ("region", "Bavaria, Germany"),
        ("coordinates", "39.47, -0.38"),
        ("one error", "Barcelnoa, Spain"),
        ("two errors", "Melbuorme, Australia"),
        ("error in both", "Barclona, Spian"),
        ("unknown", "Xanadu-on-the-Wold"),
        ("long unknown", "the quick brown fox jumps over the lazy"),
    ] {
        group.bench_function(name, |b| b.iter(|| resolve(black_box(text))));
    }
    group.finish();
}

fn ringing(c: &mut Criterion) {
    let mut group = c.benchmark_group("markets");
    let all = Rings::from(Ring::all().collect::<Vec<_>>());
    for (name, text, rings) in [
        ("default rings", "Valencia, Spain", Ring::all().take(2).collect()),
        ("all rings, dense", "Strasbourg", all.clone()),
        ("all rings, usual", "Valencia, Spain", all.clone()),
        ("all rings, sparse", "Tromsø", all.clone()),
        ("country", "United States", all),
    ] {
        // An unknown place would make the numbers meaningless.
        // This list has only known places.
        let Ok(place) = resolve(text) else { continue };
        group.bench_function(name, |b| b.iter(|| markets(black_box(&place), black_box(&rings))));
    }
    group.finish();
}

criterion_group!(benches, resolving, ringing);
criterion_main!(benches);
