//! Queries about an open file: its findings, its differences from the file as opened, and which
//! commands are available.

use super::{
    edited::{self, Edited},
    findings,
    session::Session,
    vrm_pose::{in_words, posed_bones},
};
use ulna_edit::Availability;
use ulna_formats::gltf::{self, Progress};
use ulna_model::{Diagnostic, MeshId, Notice, PrimitiveId};

impl Session {
    /// Returns the differences from the file as opened, one row per element. The order is: layers,
    /// clips, nodes, weights.
    pub fn edited(&self) -> Vec<Edited> {
        edited::edited(&self.opened, &self.document)
    }

    /// Returns the problems of a primitive's current weights.
    pub fn weight_problems(&self, mesh: MeshId, primitive: PrimitiveId) -> Vec<Diagnostic> {
        findings::of_primitive(&self.document, mesh, primitive)
    }

    /// Returns the findings of all rules about the opened file, most severe first. The running
    /// time is proportional to the size of the file.
    pub fn all_findings(&self) -> Vec<Diagnostic> {
        // An imported file is not glTF, so the glTF rules do not apply to it.
        if self.imported.is_some() {
            return self.diagnostics.clone();
        }
        findings::merged(gltf::rules::check(&self.source), &self.diagnostics)
    }

    /// Returns the findings of all rules about the file that a save would write now.
    pub fn findings_now(&self) -> Vec<Diagnostic> {
        if self.document.file == self.opened.file
            && self.document.aids.pose_layers == self.opened.aids.pose_layers
        {
            return self.all_findings();
        }
        let packed = self.pack("model").ok().and_then(|saved| {
            let path = self.source.path.as_deref();
            gltf::open_beside(saved.bytes, path, saved.companions.into(), &Progress::default()).ok()
        });
        // If packing fails, the save itself reports the cause.
        let Some(again) = packed else { return self.diagnostics.clone() };
        let mut own = again.diagnostics;
        own.extend(findings::of_all(&again.document));
        if self.imported.is_some() {
            own
        } else {
            findings::merged(gltf::rules::check(&again.source), &own)
        }
    }

    /// Returns the facts about the open file that decide which commands are available.
    pub fn availability(&self) -> Availability {
        Availability {
            document: true,
            clips: !self.document.clips.is_empty(),
            morphs: self.document.meshes.values().any(|m| m.target_count() > 0),
            weights: self.document.nodes.values().any(|n| {
                let mesh = n.mesh.filter(|_| n.skin.is_some()).map(|m| self.document.mesh(m));
                mesh.is_some_and(|m| m.primitives.iter().any(|p| p.weights.is_some()))
            }),
            bare: findings::any_bare(&self.document),
            layers: !self.document.aids.weight_layers.is_empty(),
            any_pose_layers: !self.document.aids.pose_layers.is_empty(),
            lights: self.document.nodes.values().any(|n| n.light.is_some()),
            cameras: self.document.nodes.values().any(|n| n.camera.is_some()),
            undo: self.history.undo_label().is_some(),
            redo: self.history.redo_label().is_some(),
            // An imported model has no file of its own until the first save.
            unsaved: self.is_unsaved() || (self.path.is_none() && self.imported.is_some()),
            unkeyed: !self.document.aids.unkeyed.is_empty(),
            ..Availability::default()
        }
    }

    /// Returns a warning if posed humanoid joints of a VRM change its T-pose. `None` if all of them
    /// are at rest.
    pub fn t_pose_in_words(&self) -> Option<Notice> {
        in_words(&self.document, &posed_bones(&self.document))
    }
}
