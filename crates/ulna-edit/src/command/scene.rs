//! Input of commands on the document.

use std::{cell::OnceCell, sync::atomic::AtomicBool};

use ulna_model::Document;
use ulna_motion::{Pose, RecentPoses, Stack};

/// What commands on the document work on.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The document.
    pub document: &'a Document,
    pose: OnceCell<Pose>,
    recent: Option<&'a RecentPoses>,
    cancel: Option<&'a AtomicBool>,
}

impl<'a> Scene<'a> {
    /// A document, with its own pose.
    pub const fn new(document: &'a Document) -> Self {
        Self { document, pose: OnceCell::new(), recent: None, cancel: None }
    }

    /// A document whose commands stop early once the flag is set; they are refused then.
    pub const fn until(document: &'a Document, cancel: &'a AtomicBool) -> Self {
        Self { document, pose: OnceCell::new(), recent: None, cancel: Some(cancel) }
    }

    /// The flag that stops long commands.
    pub(crate) fn cancel(&self) -> &AtomicBool {
        static NEVER: AtomicBool = AtomicBool::new(false);
        self.cancel.unwrap_or(&NEVER)
    }

    /// The same of a gesture, which asks for the same poses again and again.
    pub const fn during(document: &'a Document, recent: &'a RecentPoses) -> Self {
        Self { document, pose: OnceCell::new(), recent: Some(recent), cancel: None }
    }

    /// The pose that a stack makes of its nodes.
    pub fn evaluate(&self, stack: &Stack) -> Pose {
        self.recent.map_or_else(
            || Pose::evaluate(self.document, stack),
            |r| r.evaluate(self.document, stack),
        )
    }

    /// Its pose, evaluated once.
    pub fn pose(&self) -> &Pose {
        self.pose
            .get_or_init(|| Pose::evaluate(self.document, &Stack::shown(self.document, None, 0.0)))
    }
}
