//! Uploaded logos: decoded with limits, and written again as a small PNG.
//!
//! The uploaded bytes are not kept. Hidden contents, such as the place of a photograph, a script or a second file, do
//! not reach readers of reports.

use super::brand::MOST_LOGO_BYTES;
use image::codecs::png::{CompressionType, FilterType as RowFilter, PngEncoder};
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{
    DynamicImage, ExtendedColorType, ImageDecoder as _, ImageEncoder as _, ImageFormat, ImageReader, Limits,
};
use std::io::Cursor;

/// Longest side of an uploaded logo, in pixels.
const MOST_SIDE: u32 = 1_024;
/// Most memory of a decoder, in bytes.
/// The largest allowed picture takes 8 MiB.
const MOST_MEMORY: u64 = 32 << 20;
/// A kept logo fits into this frame, in pixels: twice its size in reports, so that it stays sharp.
const FRAME: (u32, u32) = (480, 160);

/// Why a file is no logo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadLogo {
    #[error("a logo takes at most {} KiB", MOST_LOGO_BYTES >> 10)]
    TooLong,
    #[error("a logo is a PNG or a JPEG picture")]
    OtherFormat,
    #[error("a logo takes at most {MOST_SIDE} by {MOST_SIDE} pixels")]
    TooLarge,
    #[error("the logo cannot be read: the file is damaged")]
    Damaged,
    #[error("the logo cannot be stored")]
    Unwritable,
}

/// Returns an uploaded logo as a PNG that fits into [`FRAME`].
/// Takes some 50 ms: for threads where blocking is allowed.
pub(super) fn read_logo(bytes: &[u8]) -> Result<Vec<u8>, BadLogo> {
    if bytes.len() > MOST_LOGO_BYTES {
        return Err(BadLogo::TooLong);
    }
    let format = match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg)) => format,
        Ok(_) | Err(_) => return Err(BadLogo::OtherFormat),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_SIDE);
    limits.max_image_height = Some(MOST_SIDE);
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(refusal)?;
    // A logo with unreadable notes about its orientation is shown as it is.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut logo = DynamicImage::from_decoder(decoder).map_err(refusal)?;
    logo.apply_orientation(orientation);
    if logo.width() > FRAME.0 || logo.height() > FRAME.1 {
        logo = logo.resize(FRAME.0, FRAME.1, FilterType::CatmullRom);
    }
    let pixels = logo.to_rgba8();
    let mut png = Vec::new();
    PngEncoder::new_with_quality(&mut png, CompressionType::Default, RowFilter::Adaptive)
        .write_image(
            pixels.as_raw(),
            pixels.width(),
            pixels.height(),
            ExtendedColorType::Rgba8,
        )
        .map_err(|_| BadLogo::Unwritable)?;
    Ok(png)
}

fn refusal(error: image::ImageError) -> BadLogo {
    match error {
        image::ImageError::Limits(_) => BadLogo::TooLarge,
        _ => BadLogo::Damaged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage, Rgba, RgbaImage};

    fn png(width: u32, height: u32) -> Vec<u8> {
        written(
            DynamicImage::from(RgbaImage::from_pixel(width, height, Rgba([10, 102, 95, 255]))),
            ImageFormat::Png,
        )
    }

    fn jpeg(width: u32, height: u32) -> Vec<u8> {
        written(
            DynamicImage::from(RgbImage::from_pixel(width, height, Rgb([10, 102, 95]))),
            ImageFormat::Jpeg,
        )
    }

    fn written(image: DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    /// The picture with a chunk of text and padding, `bytes` long.
    fn padded(png: &[u8], bytes: usize) -> Vec<u8> {
        let mut padded = png.to_vec();
        padded.resize(bytes, b' ');
        padded
    }

    /// The first bytes of a PNG with this size in its header.
    fn header(width: u32, height: u32) -> Vec<u8> {
        let mut png = png(1, 1);
        png[16..20].copy_from_slice(&width.to_be_bytes());
        png[20..24].copy_from_slice(&height.to_be_bytes());
        let sum = crc(&png[12..29]);
        png[29..33].copy_from_slice(&sum.to_be_bytes());
        png
    }

    /// The checksum of a chunk (RFC 2083, section 3.4).
    fn crc(bytes: &[u8]) -> u32 {
        let mut sum = u32::MAX;
        for byte in bytes {
            sum ^= u32::from(*byte);
            for _ in 0..8 {
                sum = (sum >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(sum & 1));
            }
        }
        !sum
    }

    #[test]
    fn logos_become_small_pngs() {
        for (upload, width, height) in [
            (png(1, 1), 1, 1),
            (png(480, 160), 480, 160),
            (png(1_024, 1_024), 160, 160),
            (png(1_024, 1), 480, 1),
            (png(1, 1_024), 1, 160),
            (jpeg(600, 100), 480, 80),
            (jpeg(1_024, 1_024), 160, 160),
            (padded(&png(9, 9), MOST_LOGO_BYTES), 9, 9),
        ] {
            let kept = read_logo(&upload).unwrap();
            assert_eq!(image::guess_format(&kept).unwrap(), ImageFormat::Png);
            let kept = image::load_from_memory(&kept).unwrap().to_rgba8();
            assert_eq!(kept.dimensions(), (width, height));
            let [red, green, blue, opacity] = kept.get_pixel(0, 0).0;
            let near = |value: u8, wanted: u8| value.abs_diff(wanted) < 6;
            assert!(near(red, 10) && near(green, 102) && near(blue, 95) && opacity == 255);
        }
    }

    #[test]
    fn what_stands_beside_the_picture_is_not_kept() {
        let upload = padded(&png(9, 9), 400);
        let upload = [upload.as_slice(), b"<script>alert(1)</script>"].concat();
        let kept = read_logo(&upload).unwrap();
        assert!(!kept.windows(8).any(|window| window == b"<script>"));
    }

    #[test]
    fn other_files_are_refused() {
        let whole = png(64, 64);
        let mut gif = b"GIF89a".to_vec();
        gif.extend([1, 0, 1, 0, 0, 0, 0, 0x3b]);
        for (upload, why) in [
            (Vec::new(), BadLogo::OtherFormat),
            (
                b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_vec(),
                BadLogo::OtherFormat,
            ),
            (gif, BadLogo::OtherFormat),
            (b"%PDF-1.7".to_vec(), BadLogo::OtherFormat),
            (whole[..whole.len() / 2].to_vec(), BadLogo::Damaged),
            (whole[..8].to_vec(), BadLogo::Damaged),
            (jpeg(64, 64)[..20].to_vec(), BadLogo::Damaged),
            (header(60_000, 60_000), BadLogo::TooLarge),
            (header(1_024, 2_000_000_000), BadLogo::TooLarge),
            (png(1_025, 4), BadLogo::TooLarge),
            (png(4, 1_025), BadLogo::TooLarge),
            (jpeg(1_025, 4), BadLogo::TooLarge),
            (padded(&whole, MOST_LOGO_BYTES + 1), BadLogo::TooLong),
        ] {
            assert_eq!(read_logo(&upload), Err(why), "{} bytes", upload.len());
        }
    }
}
