//! How a finished scan is written as JSON, once for all of its readers.

use bytes::Bytes;
use ibid_model::result::{AuditReport, SiteAudit};
use ibid_model::{ScanId, ScanResult};
use serde::Serialize;
use serde_json::Value;

/// A body ready to send, such as `{"scanId":…,"status":"complete","result":{…}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    bytes: Bytes,
}

/// The text after which members can be added without a change to the result.
const STATUS: &str = r#","status":"complete""#;

impl Document {
    pub(crate) fn write(id: ScanId, result: &ScanResult) -> Result<Self, serde_json::Error> {
        Self::around("scanId", id, result)
    }

    fn around(name: &str, id: ScanId, result: &impl Serialize) -> Result<Self, serde_json::Error> {
        let mut bytes = format!(r#"{{"{name}":"{id}"{STATUS},"result":"#).into_bytes();
        serde_json::to_writer(&mut bytes, result)?;
        bytes.push(b'}');
        Ok(Self { bytes: bytes.into() })
    }

    /// Writes the result of a queued scan, where a model without an answer has no score.
    pub(crate) fn write_queued(id: ScanId, result: &ScanResult) -> Result<Self, serde_json::Error> {
        let mut value = serde_json::to_value(result)?;
        let rows = value.get_mut("models").and_then(Value::as_array_mut);
        for (model, row) in result.models.iter().zip(rows.into_iter().flatten()) {
            if model.is_unanswered() {
                row["score"] = Value::Null;
            }
        }
        Self::around("scanId", id, &value)
    }

    /// Writes a result with the audit that was bought with it.
    pub(crate) fn write_full(
        id: ScanId,
        result: &ScanResult,
        report: &AuditReport,
    ) -> Result<Self, serde_json::Error> {
        let mut bytes = Self::write(id, result)?.bytes.to_vec();
        bytes.pop();
        bytes.extend_from_slice(br#","audit":"#);
        serde_json::to_writer(&mut bytes, report)?;
        bytes.push(b'}');
        Ok(Self { bytes: bytes.into() })
    }

    /// Writes an audit: `{"auditId":…,"status":"complete","result":{…}}`.
    pub(crate) fn write_audit(id: ScanId, report: &AuditReport) -> Result<Self, serde_json::Error> {
        Self::around("auditId", id, report)
    }

    /// Writes a site audit: `{"siteAuditId":…,"status":"complete","result":{…}}`.
    pub(crate) fn write_site_audit(id: ScanId, audit: &SiteAudit) -> Result<Self, serde_json::Error> {
        Self::around("siteAuditId", id, audit)
    }

    pub(crate) fn stored(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into() }
    }

    /// The document. Cloning is cheap.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The document with more text members before the unchanged bytes of the result.
    pub fn with_members(&self, members: &[(&str, &str)]) -> Bytes {
        if members.is_empty() {
            return self.bytes.clone();
        }
        let at = self
            .bytes
            .windows(STATUS.len())
            .position(|window| window == STATUS.as_bytes());
        let (head, tail) = self.bytes.split_at(at.map_or(0, |at| at + STATUS.len()));
        let mut bytes = head.to_vec();
        for (name, text) in members {
            let member = format!(",{}:{}", Value::from(*name), Value::from(*text));
            bytes.extend_from_slice(member.as_bytes());
        }
        bytes.extend_from_slice(tail);
        bytes.into()
    }
}

/// Whether a stored document is the report of a page audit.
pub(crate) fn is_audit(document: &[u8]) -> bool {
    document.starts_with(br#"{"auditId""#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_go_in_before_the_result() {
        let document = Document::stored(br#"{"scanId":"x","status":"complete","result":{"a":1}}"#.to_vec());
        let with = document.with_members(&[("cost", "about \"$1\""), ("warning", "x")]);
        assert_eq!(
            with,
            &br#"{"scanId":"x","status":"complete","cost":"about \"$1\"","warning":"x","result":{"a":1}}"#[..]
        );
    }
}
