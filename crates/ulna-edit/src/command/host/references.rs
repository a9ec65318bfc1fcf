//! Commands on reference models. They are displayed next to the open model, and are not saved with
//! it.

use std::path::PathBuf;

use glam::Vec3;
use serde_json::{Map, Value};

use crate::command::{
    ArgumentError, ArgumentSpec, Arguments,
    define::other_commands,
    field::{ArgumentPart, choice},
    rules::{joint_and_reference, opened, with_reference},
};
use ulna_model::Document;

choice! {
    /// Points of a reference model to which joints snap.
    ReferencePoint {
        /// The nearest joint.
        Joint = "joint",
        /// The nearest vertex.
        Vertex = "vertex",
    }
}

/// Name of the reference model that a command is about; the selected one if omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceName(pub Option<String>);

impl ArgumentPart for ReferenceName {
    fn specs(name: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        Option::<String>::specs(name, "Name of the reference model; the selected one if omitted.")
    }

    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError> {
        ArgumentPart::read(from, name).map(Self)
    }

    fn write(&self, document: &Document, name: &'static str, into: &mut Map<String, Value>) {
        self.0.write(document, name, into);
    }
}

other_commands! {
    /// Commands on reference models, such as props, other characters and floors, which are shown
    /// next to the open model.
    ReferenceCommand in "View/Reference models", by Host;

    /// Shows another file beside the open model, such as a prop, another character or a floor; it
    /// is never saved into the open file
    Load {
        /// File of the reference model; opens a dialog if omitted.
        path: Option<PathBuf>,
    } = "reference.load", "Load a reference model…", enabled: opened, after: "view.compare";
    /// Removes a reference model from the view; its file is unchanged
    Remove {
        /// The reference model.
        reference: ReferenceName,
    } = "reference.remove", "Remove the reference model", enabled: with_reference;
    /// Shows or hides a reference model
    Hide {
        /// The reference model.
        reference: ReferenceName,
        /// Whether to hide the model; toggles if omitted.
        hidden: Option<bool>,
    } = "reference.hide", "Show or hide the reference model", enabled: with_reference;
    /// Shows a reference model in plain gray, or with its materials, dimmed
    Plain {
        /// The reference model.
        reference: ReferenceName,
        /// Whether to show it in plain gray; toggles if omitted.
        plain: Option<bool>,
    } = "reference.plain", "Reference model in plain gray", enabled: with_reference;
    /// Shows or hides the joints of a reference model
    Joints {
        /// The reference model.
        reference: ReferenceName,
        /// Whether to show its joints; toggles if omitted.
        shown: Option<bool>,
    } = "reference.joints", "Joints of the reference model", enabled: with_reference;
    /// Moves the camera to show a whole reference model
    Frame {
        /// The reference model.
        reference: ReferenceName,
    } = "reference.frame", "Frame the reference model", enabled: with_reference;
    /// Moves a reference model so that its nearest joint, or its origin, is at the selected joint
    Snap {
        /// The reference model.
        reference: ReferenceName,
    } = "reference.snap", "Move reference model to the joint", enabled: joint_and_reference;
    /// Moves a reference model up or down so that its lowest point is on the ground
    Ground {
        /// The reference model.
        reference: ReferenceName,
    } = "reference.ground", "Put reference model on the ground", enabled: with_reference;
    /// Moves the selected joints to the nearest points of the reference models; moves limb ends by
    /// IK
    SnapJoints {
        /// Kind of point that joints are moved to. If omitted, the nearest vertex, or the nearest
        /// joint if there are no surfaces.
        onto: Option<ReferencePoint>,
    } = "reference.snap_joints", "Snap joints to the reference", enabled: joint_and_reference;
    /// Sets the position, rotation and scale of a reference model in the scene
    Move {
        /// The reference model.
        reference: ReferenceName,
        /// Position of its origin in the scene, in meters; unchanged if omitted.
        translation: Option<Vec3>,
        /// Rotation of the model about the x, then y, then z axis; unchanged if omitted.
        degrees: Option<Vec3>,
        /// Scale factor of the model; unchanged if omitted.
        factor: Option<f32>,
    } = "reference.move", "Place the reference model", asks: true, enabled: with_reference;
    /// Chooses the clip that a reference model plays in step with the playhead
    Clip {
        /// The reference model.
        reference: ReferenceName,
        /// Name of a clip in the file of the reference model; the rest pose if omitted.
        clip: Option<String>,
    } = "reference.clip", "Clip of the reference model", asks: true, enabled: with_reference;
}
