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
    /// Differences from the file as opened, one row each: layers, clips, nodes, weights.
    pub fn edited(&self) -> Vec<Edited> {
        edited::edited(&self.opened, &self.document)
    }

    /// Problems of a primitive's current weights.
    pub fn weight_problems(&self, mesh: MeshId, primitive: PrimitiveId) -> Vec<Diagnostic> {
        findings::of_primitive(&self.document, mesh, primitive)
    }

    /// Findings about the file by all rules, most severe first. The time is proportional to the
    /// size of the file.
    pub fn all_findings(&self) -> Vec<Diagnostic> {
        // An imported file is not glTF, so the rules of glTF do not apply to it.
        if self.imported.is_some() {
            return self.diagnostics.clone();
        }
        findings::merged(gltf::rules::check(&self.source), &self.diagnostics)
    }

    /// Like [`Session::all_findings`], for the file as a save would write it now.
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
        // Data that cannot be saved is reported when it is saved.
        let Some(again) = packed else { return self.diagnostics.clone() };
        let mut own = again.diagnostics;
        own.extend(findings::of_all(&again.document));
        if self.imported.is_some() {
            own
        } else {
            findings::merged(gltf::rules::check(&again.source), &own)
        }
    }

    /// The facts about the open file that decide which commands are available.
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

    /// Warning about the T-pose of a VRM if humanoid joints are posed. `None` if all are at rest.
    pub fn t_pose_in_words(&self) -> Option<Notice> {
        in_words(&self.document, &posed_bones(&self.document))
    }
}
