//! Addresses of evidence stores.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use url::Url;

/// Where evidence is stored, for example `s3://shop/ibid`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvidenceAddress {
    /// A directory of this machine, or one that several machines mount.
    Directory(PathBuf),
    /// A bucket, with a prefix for the names of its objects.
    S3 {
        bucket: String,
        /// The prefix, without a slash at either end.
        ///
        /// Empty if names have no prefix.
        prefix: String,
    },
}

/// A text that is not the address of an evidence store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be file:///path or s3://bucket/prefix")]
pub struct BadAddress;

impl FromStr for EvidenceAddress {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let url = Url::parse(text).map_err(|_| BadAddress)?;
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.port().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_plain {
            return Err(BadAddress);
        }
        match url.scheme() {
            "file" => url.to_file_path().map(Self::Directory).map_err(|()| BadAddress),
            "s3" => Ok(Self::S3 {
                bucket: url
                    .host_str()
                    .filter(|bucket| !bucket.is_empty())
                    .ok_or(BadAddress)?
                    .to_owned(),
                prefix: url.path().trim_matches('/').to_owned(),
            }),
            _ => Err(BadAddress),
        }
    }
}

impl fmt::Display for EvidenceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => write!(f, "{}", path.display()),
            Self::S3 { bucket, prefix } if prefix.is_empty() => write!(f, "s3://{bucket}"),
            Self::S3 { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_and_buckets_have_addresses() {
        let directory: EvidenceAddress = "file:///var/lib/ibid/evi%20dence".parse().unwrap();
        assert_eq!(
            directory,
            EvidenceAddress::Directory("/var/lib/ibid/evi dence".into())
        );
        for (text, shown) in [
            ("s3://shop", "s3://shop"),
            ("s3://shop/", "s3://shop"),
            ("s3://shop/ibid/evidence/", "s3://shop/ibid/evidence"),
        ] {
            let bucket: EvidenceAddress = text.parse().unwrap();
            assert_eq!(bucket.to_string(), shown);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "/var/lib",
            "evidence",
            "file://elsewhere/var",
            "https://shop.example/x",
            "s3:///x",
            "s3://key:secret@shop/x",
            "s3://shop:9000/x",
            "s3://shop/x?versionId=1",
        ] {
            assert_eq!(text.parse::<EvidenceAddress>(), Err(BadAddress), "{text}");
        }
    }
}
