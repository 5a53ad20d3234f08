//! Pages to bytes.

use super::PdfDocument;
use super::flow::{Item, PAGE};
use super::text::{Ink, Lines};
use crate::CardError;
use krilla::Document;
use krilla::action::LinkAction;
use krilla::annotation::{LinkAnnotation, Target};
use krilla::geom::{Path, PathBuilder, Point, Rect, Size, Transform};
use krilla::image::Image;
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule, Stroke, StrokeDash};
use krilla::surface::Surface;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use std::collections::HashMap;

/// A document's fonts by their data's number and place, so that each is embedded once.
type Fonts = HashMap<(u64, u32), Font>;

pub(super) fn written(document: &PdfDocument<'_>, pages: &[Vec<Item>]) -> Result<Vec<u8>, CardError> {
    let mut pdf = Document::new();
    let mut metadata = Metadata::new()
        .title(document.title.to_owned())
        .language("en".to_owned());
    if let Some(author) = document.author {
        metadata = metadata.authors(vec![author.to_owned()]);
    }
    pdf.set_metadata(metadata);
    let mut fonts = Fonts::new();
    for items in pages {
        let settings = PageSettings::from_wh(PAGE.0, PAGE.1);
        let settings = settings.ok_or_else(|| CardError::Encoding("the size of a page".into()))?;
        let mut page = pdf.start_page_with(settings);
        let mut surface = page.surface();
        for item in items {
            draw(&mut surface, item, &mut fonts)?;
        }
        surface.finish();
        for item in items {
            if let Item::Link(address, [x, y, width, height]) = item
                && let Some(area) = Rect::from_xywh(*x, *y, *width, *height)
            {
                let target = Target::Action(LinkAction::new(address.clone()).into());
                page.add_annotation(LinkAnnotation::new(area, target).into());
            }
        }
        page.finish();
    }
    pdf.finish()
        .map_err(|error| CardError::Encoding(format!("{error:?}").into()))
}

fn draw(surface: &mut Surface<'_>, item: &Item, fonts: &mut Fonts) -> Result<(), CardError> {
    match item {
        Item::Line(lines, at, x, y) => draw_line(surface, lines, *at, *x, *y, fonts)?,
        Item::Area(points, ink) => {
            if let Some(path) = path(points, true) {
                surface.set_stroke(None);
                surface.set_fill(Some(filled(*ink)));
                surface.draw_path(&path);
            }
        }
        Item::Path(points, ink, width, is_dashed) => {
            if let Some(path) = path(points, false) {
                surface.set_fill(None);
                surface.set_stroke(Some(Stroke {
                    paint: ink.color().into(),
                    width: *width,
                    dash: is_dashed.then(|| StrokeDash {
                        array: vec![3.0, 2.5],
                        offset: 0.0,
                    }),
                    ..Stroke::default()
                }));
                surface.draw_path(&path);
                surface.set_stroke(None);
            }
        }
        Item::Picture(png, [x, y, width, height]) => {
            let image =
                Image::from_png(png.clone().into(), true).map_err(|error| CardError::Logo(error.into()))?;
            if let Some(size) = Size::from_wh(*width, *height) {
                surface.push_transform(&Transform::from_translate(*x, *y));
                surface.draw_image(image, size);
                surface.pop();
            }
        }
        Item::Link(..) => {}
    }
    Ok(())
}

fn filled(ink: Ink) -> Fill {
    Fill {
        paint: ink.color().into(),
        opacity: NormalizedF32::ONE,
        rule: FillRule::default(),
    }
}

fn path(points: &[(f32, f32)], is_closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let (first, others) = points.split_first()?;
    builder.move_to(first.0, first.1);
    for (x, y) in others {
        builder.line_to(*x, *y);
    }
    if is_closed {
        builder.close();
    }
    builder.finish()
}

/// Draws a line of a text with its upper left corner at a place.
fn draw_line(
    surface: &mut Surface<'_>,
    lines: &Lines,
    at: usize,
    left: f32,
    top: f32,
    fonts: &mut Fonts,
) -> Result<(), CardError> {
    let Some(line) = lines.layout.get(at) else {
        return Ok(());
    };
    let metrics = line.metrics();
    let baseline = top + metrics.baseline - metrics.block_min_coord;
    let mut x = left + metrics.offset;
    for run in line.runs() {
        let data = run.font().clone();
        let (bytes, id) = data.data.into_raw_parts();
        let font = match fonts.entry((id, data.index)) {
            std::collections::hash_map::Entry::Occupied(known) => known.get().clone(),
            std::collections::hash_map::Entry::Vacant(place) => {
                let font = Font::new(bytes.into(), data.index)
                    .ok_or_else(|| CardError::Encoding("a font".into()))?;
                place.insert(font).clone()
            }
        };
        let size = run.font_size();
        let (begin, mut glyphs) = (x, Vec::<KrillaGlyph>::new());
        for cluster in run.visual_clusters() {
            if cluster.is_ligature_continuation() {
                if let Some(glyph) = glyphs.last_mut() {
                    glyph.text_range.end = glyph.text_range.end.max(cluster.text_range().end);
                }
                continue;
            }
            for glyph in cluster.glyphs() {
                glyphs.push(KrillaGlyph::new(
                    GlyphId::new(glyph.id),
                    glyph.advance / size,
                    glyph.x / size,
                    glyph.y / size,
                    0.0,
                    cluster.text_range(),
                    None,
                ));
                x += glyph.advance;
            }
        }
        surface.set_stroke(None);
        surface.set_fill(Some(filled(lines.ink)));
        let start = Point::from_xy(begin, baseline);
        surface.draw_glyphs(start, &glyphs, font, &lines.text, size, false);
    }
    Ok(())
}
