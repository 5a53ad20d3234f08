//! Bodies that public clients sent.
