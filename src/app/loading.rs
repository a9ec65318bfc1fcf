//! Prepares sessions and scenes on background threads.

use std::sync::Arc;

use super::viewport_renderer::{Loader, Posed, Uploaded};
use ulna_model::{Diagnostic, Document};
use ulna_render::{Decoded, decode_images};
use ulna_session::Session;

/// A session that is ready to be shown.
pub(super) struct Loaded {
    pub session: Session,
    pub posed: Posed,
    /// The uploaded scene and the problems of its images; `None` if the upload follows later.
    pub uploaded: Option<(Uploaded, Vec<Diagnostic>)>,
}

/// A rebuilt scene of a document.
pub(super) struct Remade {
    /// Serial number of the scene.
    pub serial: u64,
    /// Posed surface for picking, if the geometry may have changed.
    pub posed: Option<Posed>,
    pub uploaded: Uploaded,
    /// Problems of the images, if they were decoded again.
    pub findings: Option<Vec<Diagnostic>>,
}

/// Prepares a session for display. Its scene is uploaded later.
pub(super) fn load(session: Session) -> Box<Loaded> {
    Box::new(Loaded { posed: Posed::new(session.document()), session, uploaded: None })
}

/// Prepares a session for display, including the upload of its scene. The old picture stays until
/// then.
pub(super) fn load_whole(session: Session, loader: &Loader) -> Box<Loaded> {
    let (images, findings) = decode_images(session.document());
    let posed = Posed::new(session.document());
    let uploaded = loader.upload(session.document(), &posed.pose, images.into());
    Box::new(Loaded { posed, session, uploaded: Some((uploaded, findings)) })
}

/// The decoded images of a document for upload, and warnings about them.
pub(super) fn decoded(document: &Document) -> (Arc<[Decoded]>, Option<Vec<Diagnostic>>) {
    let (images, findings) = decode_images(document);
    (images.into(), Some(findings))
}
