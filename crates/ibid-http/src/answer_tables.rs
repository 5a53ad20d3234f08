//! Answers of all runs as a file: for the API and for pages.

use crate::respond::{Answer, attachment};
use actix_web::web::Bytes;
use futures_util::stream::try_unfold;
use ibid_service::{AnswerLine, Error, ProjectScope, Service};
use ibid_web::csv::{self, AnswerRow};
use ibid_web::workbook::{self, AnswerWorkbook};

/// A sheet, which is sent run by run.
pub(crate) async fn table(service: &Service, scope: &ProjectScope) -> Answer {
    let answers = service.projects.answers(scope).await?;
    let parts = try_unfold((answers, true), |(mut answers, first)| async move {
        if first {
            let head = Bytes::from(csv::answers_head());
            return Ok::<_, Error>(Some((head, (answers, false))));
        }
        let run = answers.next().await?;
        Ok(run.map(|lines| (Bytes::from(csv_of(&lines)), (answers, false))))
    });
    Ok(attachment(csv::CONTENT_TYPE, "answers.csv").streaming(parts))
}

/// A workbook. Its rows are kept in a temporary file until it is whole.
pub(crate) async fn workbook(service: &Service, scope: &ProjectScope) -> Answer {
    let projects = &service.projects;
    let mut answers = projects.answers(scope).await?;
    let mut book = AnswerWorkbook::new()?;
    while let Some(lines) = answers.next().await? {
        let added = projects.compute(move || {
            let fits = book.add(lines.iter().zip(&ids(&lines)).map(row))?;
            Ok::<_, workbook::WorkbookError>((book, fits))
        });
        let (next, fits) = added.await??;
        book = next;
        if !fits {
            break;
        }
    }
    let file = projects.compute(move || book.finish()).await??;
    Ok(attachment(workbook::CONTENT_TYPE, "answers.xlsx").body(file))
}

fn csv_of(lines: &[AnswerLine]) -> String {
    csv::answers(lines.iter().zip(&ids(lines)).map(row))
}

fn ids(lines: &[AnswerLine]) -> Vec<String> {
    lines.iter().map(|line| line.scan.to_string()).collect()
}

fn row<'a>((line, scan): (&'a AnswerLine, &'a String)) -> AnswerRow<'a> {
    AnswerRow {
        domain: &line.domain,
        date: &line.date,
        scan,
        place: line.place.as_deref().unwrap_or_default(),
        question: &line.question,
        model: &line.model,
        class: line.class,
        rank: line.rank,
        score: line.score,
        url: line.url.as_deref().unwrap_or_default(),
    }
}
