//! Writes every page in every state with invented data, and the assets, to look at them:
//! `cargo run -p ibid-web --example gallery -- OUTDIR`, then serve OUTDIR with any file server.

mod states;

use ibid_web::assets;
use std::fs;
use std::path::PathBuf;

fn main() -> states::Outcome<()> {
    let out = std::env::args_os()
        .nth(1)
        .map(PathBuf::from)
        .ok_or("usage: gallery OUTDIR")?;
    let folder = out.join("assets");
    fs::create_dir_all(&folder)?;
    // Names contain hashes, so old assets would remain.
    for entry in fs::read_dir(&folder)? {
        fs::remove_file(entry?.path())?;
    }
    for asset in assets::all() {
        fs::write(folder.join(&asset.name), &asset.bytes)?;
    }
    for (name, content) in states::all()? {
        fs::write(out.join(name), content)?;
    }
    Ok(())
}
