//! Commands on reference models, which are displayed beside the open model and belong to no file.

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
    /// Points of a reference model that joints are moved to.
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
    /// Reference models: props, partners and grounds beside the open model.
    ReferenceCommand in "View/Reference models", by Host;

    /// Shows another file beside the open model, such as a prop, a partner or a ground; it is never
    /// saved into the open file
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
        /// Whether it is hidden; toggles if omitted.
        hidden: Option<bool>,
    } = "reference.hide", "Show or hide the reference model", enabled: with_reference;
    /// Shows a reference model dimmed with its materials, or in plain gray
    Plain {
        /// The reference model.
        reference: ReferenceName,
        /// Whether it is plain gray; toggles if omitted.
        plain: Option<bool>,
    } = "reference.plain", "Reference model in plain gray", enabled: with_reference;
    /// Shows or hides the joints of a reference model
    Joints {
        /// The reference model.
        reference: ReferenceName,
        /// Whether its joints are shown; toggles if omitted.
        shown: Option<bool>,
    } = "reference.joints", "Joints of the reference model", enabled: with_reference;
    /// Shows a whole reference model
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
    /// Moves the selected joints to the nearest points of the reference models; the end of a limb
    /// by IK
    SnapJoints {
        /// Points that joints are moved to; the nearest vertex, or joint if there are no surfaces,
        /// if omitted.
        onto: Option<ReferencePoint>,
    } = "reference.snap_joints", "Snap joints to the reference", enabled: joint_and_reference;
    /// Sets the position, rotation and scale of a reference model in the scene
    Move {
        /// The reference model.
        reference: ReferenceName,
        /// Position of its origin, in meters; as it is if omitted.
        translation: Option<Vec3>,
        /// Rotation about the x, then y, then z axis; as it is if omitted.
        degrees: Option<Vec3>,
        /// Factor of its size; as it is if omitted.
        factor: Option<f32>,
    } = "reference.move", "Place the reference model", asks: true, enabled: with_reference;
    /// Chooses the clip that a reference model plays in step with the playhead
    Clip {
        /// The reference model.
        reference: ReferenceName,
        /// Name of a clip of its file; the rest pose if omitted.
        clip: Option<String>,
    } = "reference.clip", "Clip of the reference model", asks: true, enabled: with_reference;
}
