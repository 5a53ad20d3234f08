//! Cards as pictures.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

use ibid_card::{Card, HEIGHT, WIDTH, draw};
use std::io::Cursor;

const PLAIN: Card<'_> = Card {
    names: &["aiguaclara.example"],
    keyword: "plumber",
    place: Some("Leeds, United Kingdom"),
    score: Some(63.0),
    range: Some((55.0, 71.0)),
    measured: "23 November 2026",
    title: None,
    logo: None,
    sandbox: false,
};

/// The pixels of a card, four bytes each.
fn pixels(card: &Card<'_>) -> Vec<u8> {
    let drawn = draw(card).unwrap();
    assert!(drawn.len() < 200_000, "{} bytes", drawn.len());
    let mut reader = png::Decoder::new(Cursor::new(drawn)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((frame.width, frame.height), (WIDTH, HEIGHT));
    pixels
}

fn logo(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().unwrap();
    let pixels = [255, 0, 0, 255].repeat((width * height) as usize);
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn every_part_changes_the_picture() {
    let plain = pixels(&PLAIN);
    assert_eq!(plain, pixels(&PLAIN), "the same card is the same picture");
    let red = logo(200, 100);
    for other in [
        Card {
            names: &["other.example"],
            ..PLAIN
        },
        Card {
            keyword: "سباك",
            ..PLAIN
        },
        Card { place: None, ..PLAIN },
        Card {
            score: Some(64.0),
            ..PLAIN
        },
        Card { score: None, ..PLAIN },
        Card { range: None, ..PLAIN },
        Card {
            measured: "24 November 2026",
            ..PLAIN
        },
        Card {
            title: Some("Nord"),
            ..PLAIN
        },
        Card {
            logo: Some(&red),
            ..PLAIN
        },
        Card {
            sandbox: true,
            ..PLAIN
        },
    ] {
        assert_ne!(plain, pixels(&other), "{:?}", other.keyword);
    }
}

#[test]
fn logos_of_any_shape_stay_in_their_box() {
    for (width, height) in [(1, 1), (480, 1), (1, 160), (480, 160), (160, 160)] {
        let red = logo(width, height);
        let drawn = pixels(&Card {
            logo: Some(&red),
            ..PLAIN
        });
        let mut found = false;
        for (index, pixel) in drawn.chunks(4).enumerate() {
            // A thin logo is mixed with the paper, up to where it is hard to see.
            if pixel[0] > 200 && pixel[1] < 170 {
                let (x, y) = (index % WIDTH as usize, index / WIDTH as usize);
                assert!((72..=360).contains(&x) && (44..=140).contains(&y), "{x} {y}");
                found = true;
            }
        }
        assert!(found || width.min(height) == 1, "{width} by {height}");
    }
}

#[test]
fn a_damaged_logo_is_an_error() {
    let whole = logo(9, 9);
    assert!(
        draw(&Card {
            logo: Some(&whole[..30]),
            ..PLAIN
        })
        .is_err()
    );
    assert!(
        draw(&Card {
            logo: Some(b"<svg/>"),
            ..PLAIN
        })
        .is_err()
    );
}
