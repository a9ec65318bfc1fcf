//! Removes scale and rotation from the nodes above the skeleton of an imported file.

use std::{path::Path, sync::Arc};

use super::{save_request::SaveRequest, session::Session};
use ulna_edit::command::{Command, MendArmature};
use ulna_formats::import::GltfDifference;

impl Session {
    /// Removes scale and rotation from the nodes above the skeleton. Returns the new GLB, and the
    /// difference to report. `None` if there is nothing to remove. If removal fails, there are no
    /// bytes, and the difference states the reason.
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
                let text = "Scale and rotation were removed from the nodes above the skeleton";
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
