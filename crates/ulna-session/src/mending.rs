//! Scale and rotation above the skeleton of an imported file, taken out of there before it opens.

use std::{path::Path, sync::Arc};

use super::{save_request::SaveRequest, session::Session};
use ulna_edit::command::{Command, MendArmature};
use ulna_formats::import::GltfDifference;

impl Session {
    /// The bytes of the file with plain nodes above its skeleton, which moves as before, and what
    /// is told of it. Nothing where it has no other nodes there; no bytes where they cannot be
    /// mended.
    pub(super) fn mended(mut self) -> Option<(Option<Arc<Vec<u8>>>, GltfDifference)> {
        let made = match self.run(&Command::from(MendArmature {})) {
            Ok(false) => return None,
            Ok(true) => self
                .saving_copy(SaveRequest::to(Path::new("model.glb")))
                .glb()
                .map_err(|e| e.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let told = |code, text: &str, detail: &str| GltfDifference {
            code,
            is_loss: false,
            text: text.to_owned(),
            detail: detail.to_owned(),
        };
        Some(match made {
            Ok(bytes) => {
                let text = "Scale and rotation were taken out of the nodes above the skeleton";
                let detail = "everything moves as before";
                (Some(bytes), told("ULNA_ARMATURE_MENDED", text, detail))
            }
            Err(reason) => {
                let text = "The nodes above the skeleton keep their scale and rotation";
                (None, told("ULNA_ARMATURE_KEPT", text, &reason))
            }
        })
    }
}
