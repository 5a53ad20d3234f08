//! QR codes as SVG.

use crate::chart::Markup;
use askama::filters::Safe;
use qrcode::{Color, EcLevel, QrCode};
use std::fmt::Write as _;

/// Light modules around the code, as the standard asks for.
const QUIET: usize = 4;

/// Renders a text as a QR code, dark on light in both themes because readers expect it.
/// Returns `None` for a text that is too long.
pub(crate) fn qr_code(text: &str, label: &str) -> Option<Markup> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let (width, colors) = (code.width(), code.to_colors());
    let side = width + 2 * QUIET;
    let mut path = String::new();
    for (y, row) in colors.chunks(width).enumerate() {
        let mut x = 0;
        while x < width {
            let run = row[x..].iter().take_while(|color| **color == row[x]).count();
            if row[x] == Color::Dark {
                let (left, top) = (x + QUIET, y + QUIET);
                // Writing to a text cannot fail.
                let _ = write!(path, "M{left} {top}h{run}v1h-{run}z");
            }
            x += run;
        }
    }
    let label = crate::escape::html(label);
    Some(Safe(format!(
        "<svg class=\"qr\" role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {side} {side}\">\
         <path fill=\"#fff\" d=\"M0 0h{side}v{side}H0z\"/>\
         <path fill=\"#000\" d=\"{path}\"/></svg>"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dark_module_is_drawn_once() {
        let text =
            "otpauth://totp/ibid:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ibid";
        let svg = qr_code(text, "a <code>").unwrap().0;
        let code = QrCode::with_error_correction_level(text, EcLevel::M).unwrap();
        let dark = code
            .to_colors()
            .iter()
            .filter(|color| **color == Color::Dark)
            .count();
        let runs = svg
            .split('M')
            .filter_map(|part| part.split_once('h')?.1.split_once("v1h-"));
        let drawn: usize = runs.map(|(run, _)| run.parse::<usize>().unwrap()).sum();
        assert_eq!(drawn, dark);
        assert!(svg.contains("a &lt;code") && !svg.contains("<code>"));
        assert!(qr_code(&"x".repeat(5_000), "").is_none());
    }
}
