//! Commands on reference models.

use egui::Context;
use glam::{EulerRot, Quat, Vec3};

use crate::app::App;
use crate::ui::{PathFor, ReferenceFacts, ReferencePlace, ToastKind};
use ulna_edit::command::ReferenceCommand;

/// Rotation from Euler angles about x, then y, then z, in degrees.
fn rotation(degrees: Vec3) -> Quat {
    let [x, y, z] = degrees.to_array().map(f32::to_radians);
    Quat::from_euler(EulerRot::XYZ, x, y, z)
}

impl App {
    /// Runs a command on reference models.
    pub(in crate::app) fn reference_command(&mut self, ctx: &Context, command: &ReferenceCommand) {
        match command {
            ReferenceCommand::Load { path: Some(path) } => {
                self.load_reference(ctx, path.clone(), None);
            }
            ReferenceCommand::Load { path: None } => self.ask_beside(ctx, PathFor::Reference),
            ReferenceCommand::SnapJoints { onto } => self.snap_joints(ctx, *onto),
            ReferenceCommand::Remove { reference }
            | ReferenceCommand::Hide { reference, .. }
            | ReferenceCommand::Plain { reference, .. }
            | ReferenceCommand::Joints { reference, .. }
            | ReferenceCommand::Frame { reference }
            | ReferenceCommand::Snap { reference }
            | ReferenceCommand::Ground { reference }
            | ReferenceCommand::Move { reference, .. }
            | ReferenceCommand::Clip { reference, .. } => {
                match self.references.named(reference.0.as_deref()) {
                    Some(k) => self.change_reference(ctx, k, command),
                    None => {
                        let text = match &reference.0 {
                            Some(name) => format!("There is no reference model “{name}”."),
                            None => "No reference model is loaded.".to_owned(),
                        };
                        self.toast(ctx, ToastKind::Error, text);
                    }
                }
            }
        }
        self.keep_references();
        ctx.request_repaint();
    }

    /// Runs a command on one reference model.
    fn change_reference(&mut self, ctx: &Context, k: usize, command: &ReferenceCommand) {
        let facts = &mut self.references.facts[k];
        match command {
            ReferenceCommand::Remove { .. } => self.references.remove(k),
            ReferenceCommand::Hide { hidden, .. } => {
                facts.hidden = hidden.unwrap_or(!facts.hidden);
            }
            ReferenceCommand::Plain { plain, .. } => {
                facts.plain = plain.unwrap_or(!facts.plain);
            }
            ReferenceCommand::Joints { shown, .. } => {
                facts.shows_joints = shown.unwrap_or(!facts.shows_joints);
            }
            ReferenceCommand::Frame { .. } => self.frame_reference(ctx, k),
            ReferenceCommand::Snap { .. } => self.snap_reference(ctx, k),
            ReferenceCommand::Ground { .. } => self.ground_reference(k),
            ReferenceCommand::Move { translation, degrees, factor, .. } => {
                let before = facts.place;
                let place = ReferencePlace {
                    translation: translation.unwrap_or(before.translation),
                    rotation: degrees.map_or(before.rotation, rotation),
                    scale: factor.unwrap_or(before.scale),
                };
                facts.place = place.clamped();
            }
            ReferenceCommand::Clip { clip, .. } => match clip_of(facts, clip.as_deref()) {
                Ok(clip) => facts.clip = clip,
                Err(text) => self.toast(ctx, ToastKind::Error, text),
            },
            ReferenceCommand::Load { .. } | ReferenceCommand::SnapJoints { .. } => {}
        }
    }

    /// Frames a reference model in the view.
    fn frame_reference(&mut self, ctx: &Context, k: usize) {
        let size = self.renderer.size();
        let Some((low, high)) = self.references.models[k].bounds() else { return };
        let mut camera = self.viewport.camera;
        camera.frame(low, high, size.x / size.y);
        self.begin_transition(ctx, camera);
    }

    /// Moves a reference model so that its lowest point is on the ground.
    fn ground_reference(&mut self, k: usize) {
        if let Some((low, _)) = self.references.models[k].bounds() {
            self.references.facts[k].place.translation.y -= low.y;
        }
    }
}

/// Index of a reference model's clip by name; `None` for the rest pose.
fn clip_of(facts: &ReferenceFacts, name: Option<&str>) -> Result<Option<usize>, String> {
    let Some(name) = name else { return Ok(None) };
    let found = facts.clips.iter().position(|(other, _)| other == name);
    let none = || format!("“{}” has no clip “{name}”.", facts.name);
    found.map(Some).ok_or_else(none)
}
