//! Questions about an open file: findings, differences from the file, and availability of commands.

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
    /// What differs from the file as it was opened, a thing a row: layers, clips, nodes, weights.
    pub fn edited(&self) -> Vec<Edited> {
        edited::edited(&self.opened, &self.document)
    }

    /// What is wrong with the weights of a primitive as they are now.
    pub fn weight_problems(&self, mesh: MeshId, primitive: PrimitiveId) -> Vec<Diagnostic> {
        findings::of_primitive(&self.document, mesh, primitive)
    }

    /// What is odd about the file by every rule, the worst first. Takes as long as the file is big.
    pub fn all_findings(&self) -> Vec<Diagnostic> {
        // What was imported has no file of glTF that could break its rules.
        if self.imported.is_some() {
            return self.diagnostics.clone();
        }
        findings::merged(gltf::rules::check(&self.source), &self.diagnostics)
    }

    /// As [`Session::all_findings`], of the file as a save would write it now.
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
        // What cannot be saved is told when it is saved.
        let Some(again) = packed else { return self.diagnostics.clone() };
        let mut own = again.diagnostics;
        own.extend(findings::of_all(&again.document));
        if self.imported.is_some() {
            own
        } else {
            findings::merged(gltf::rules::check(&again.source), &own)
        }
    }

    /// What of availability the open file knows.
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
            // What was imported has no file of its own yet.
            unsaved: self.is_unsaved() || (self.path.is_none() && self.imported.is_some()),
            unkeyed: !self.document.aids.unkeyed.is_empty(),
            ..Availability::default()
        }
    }

    /// What to say of the T-pose of a VRM in which humanoid joints do not stand at rest; nothing
    /// where all do.
    pub fn t_pose_in_words(&self) -> Option<Notice> {
        in_words(&self.document, &posed_bones(&self.document))
    }
}
