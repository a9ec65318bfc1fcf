//! Groups of arguments: a transform, the scope of a weight tool, and the parameters of automatic
//! weights.

use glam::{EulerRot, Quat, Vec3};
use serde_json::{Map, Value};

use super::{
    named::{Meshes, Nodes},
    part::{ArgumentPart, number, vector},
    plain::{RigidPieces, VertexTerms},
    words::{BindBy, ChooseJoints},
};
use crate::command::{ArgumentError, ArgumentSpec, ArgumentType, Arguments};
use ulna_model::{Components, Document, PrimitiveId};

/// Translation, rotation and scale, each optional. The rotation is a quaternion in `rotation`, or
/// angles about x, y and z in `degrees`, applied in this order about the local axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trs {
    /// Translation in meters.
    pub translation: Option<Vec3>,
    /// Rotation, as a quaternion or as angles.
    pub rotation: Option<Turn>,
    /// Scale per axis.
    pub scale: Option<Vec3>,
}

/// A rotation in the form in which it was entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// A unit quaternion.
    Quaternion(Quat),
    /// Angles about x, y and z, in degrees.
    Degrees(Vec3),
}

impl Turn {
    /// Converts the rotation to a quaternion.
    pub fn quat(self) -> Quat {
        match self {
            Self::Quaternion(q) => q,
            Self::Degrees(d) => Quat::from_euler(
                EulerRot::XYZ,
                d.x.to_radians(),
                d.y.to_radians(),
                d.z.to_radians(),
            ),
        }
    }
}

impl Trs {
    /// Returns the components that are set.
    pub fn components(&self) -> Components {
        Components {
            translation: self.translation,
            rotation: self.rotation.map(Turn::quat),
            scale: self.scale,
        }
    }
}

impl From<Components> for Trs {
    fn from(c: Components) -> Self {
        Self {
            translation: c.translation,
            rotation: c.rotation.map(Turn::Quaternion),
            scale: c.scale,
        }
    }
}

impl ArgumentPart for Trs {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        let may = |name, kind, help| ArgumentSpec { name, kind, required: false, help };
        vec![
            may("translation", ArgumentType::Vector, "Translation along x, y and z, in meters."),
            may("rotation", ArgumentType::Quaternion, "Rotation as a quaternion: x, y, z, w."),
            may(
                "degrees",
                ArgumentType::Vector,
                "Rotation as angles about x, then y, then z, in degrees.",
            ),
            may("scale", ArgumentType::Vector, "Scale factors along x, y and z."),
        ]
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        let vector = |name| from.has(name).then(|| from.vector(name)).transpose();
        if from.has("rotation") && from.has("degrees") {
            return Err(ArgumentError::Both("rotation", "degrees"));
        }
        let quaternion = from
            .has("rotation")
            .then(|| from.rotation("rotation").map(Turn::Quaternion))
            .transpose()?;
        Ok(Self {
            translation: vector("translation")?,
            rotation: quaternion.or(vector("degrees")?.map(Turn::Degrees)),
            scale: vector("scale")?,
        })
    }

    fn write(&self, _: &Document, _: &'static str, into: &mut Map<String, Value>) {
        if let Some(t) = self.translation {
            into.insert("translation".into(), vector(t));
        }
        match self.rotation {
            Some(Turn::Quaternion(q)) => {
                into.insert("rotation".into(), q.to_array().map(number).to_vec().into());
            }
            Some(Turn::Degrees(d)) => {
                into.insert("degrees".into(), vector(d));
            }
            None => {}
        }
        if let Some(s) = self.scale {
            into.insert("scale".into(), vector(s));
        }
    }
}

/// Scope of a weight tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reach {
    /// Meshes to change; all if `None`.
    pub mesh: Option<Meshes>,
    /// Primitive of the meshes; all if `None`.
    pub primitive: Option<PrimitiveId>,
    /// Vertices to change; all if `None`.
    pub vertices: Option<VertexTerms>,
    /// Joints that keep their weights.
    pub locked: Option<Nodes>,
    /// Maximum number of influences per vertex; no limit if `None`.
    pub most: Option<usize>,
    /// Name or number of the weight layer that receives the result. If `None`, the topmost visible
    /// layer, or the base weights if there are no layers.
    pub layer: Option<String>,
}

impl ArgumentPart for Reach {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        [
            Option::<Meshes>::specs("mesh", "Meshes to change; all if omitted."),
            Option::<PrimitiveId>::specs("primitive", "Primitive of the meshes; all if omitted."),
            Option::<VertexTerms>::specs("vertices", "Vertices to change; all if omitted."),
            Option::<Nodes>::specs("locked", "Joints that keep their weights."),
            Option::<usize>::specs(
                "most",
                "Maximum number of influences per vertex; no limit if omitted.",
            ),
            Option::<String>::specs(
                "layer",
                "Weight layer that receives the result. If omitted, the topmost visible layer, or \
                    the base weights if there are no layers.",
            ),
        ]
        .concat()
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        Ok(Self {
            mesh: ArgumentPart::read(from, "mesh")?,
            primitive: ArgumentPart::read(from, "primitive")?,
            vertices: ArgumentPart::read(from, "vertices")?,
            locked: ArgumentPart::read(from, "locked")?,
            most: ArgumentPart::read(from, "most")?,
            layer: ArgumentPart::read(from, "layer")?,
        })
    }

    fn write(&self, document: &Document, _: &'static str, into: &mut Map<String, Value>) {
        let Self { mesh, primitive, vertices, locked, most, layer } = self;
        mesh.write(document, "mesh", into);
        primitive.write(document, "primitive", into);
        vertices.write(document, "vertices", into);
        locked.write(document, "locked", into);
        most.write(document, "most", into);
        layer.write(document, "layer", into);
    }
}

/// Parameters of automatic weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AutomaticWeights {
    /// Joints that can receive weight; selected by [`Self::choose`] if `None`.
    pub joints: Option<Nodes>,
    /// Rule that selects the joints. If `None`, joints with weight are selected, or for meshes
    /// without weights, joints by names and positions.
    pub choose: Option<ChooseJoints>,
    /// Method; [`BindBy::Auto`] if `None`.
    pub method: Option<BindBy>,
    /// Falloff of the weight with the distance from a bone, `0.5..=8`; 2 if `None`.
    pub sharpness: Option<f32>,
    /// Number of voxels along the longest side, `64..=256`; 96 if `None`.
    pub grid: Option<usize>,
    /// Maximum number of influences per vertex; 4 if `None`.
    pub limit: Option<usize>,
    /// Whether the weights of mirrored vertices are averaged; `None` means no.
    pub symmetric: Option<bool>,
    /// Radius of the envelopes for [`BindBy::Distance`], as a factor of the bone length,
    /// `0.05..=10`; no envelopes if `None`.
    pub envelope: Option<f32>,
    /// Connected pieces that follow one joint each; `None` means no pieces.
    pub rigid: Option<RigidPieces>,
    /// Number of smoothing passes. `None` means 3 with [`BindBy::Distance`], and 0 with other
    /// methods.
    pub passes: Option<usize>,
    /// Number of points of a simplified surface on which the weights are computed, at least 100;
    /// the full surface if `None`.
    pub points: Option<usize>,
}

impl ArgumentPart for AutomaticWeights {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        [
            Option::<Nodes>::specs(
                "joints",
                "Joints that can receive weight; chosen by a rule if omitted.",
            ),
            Option::<ChooseJoints>::specs(
                "choose",
                "Rule that chooses the joints: `weights` chooses joints that move vertices now. \
                    `shape` chooses joints inside the meshes, except controls, sockets, roots and \
                    leaf joints. If omitted, `weights`, or `shape` for meshes without weights.",
            ),
            Option::<BindBy>::specs(
                "method",
                "Method: `heat` spreads weights from the bones along the surface. `voxel` measures \
                    distances inside the body, `distance` in a straight line. `auto` uses `heat`, \
                    and the next method for connected pieces where it fails; `auto` if omitted.",
            ),
            Option::<f32>::specs(
                "sharpness",
                "Fall-off of weights away from the bones, 0.5 (soft) to 8 (sharp); 2 if omitted.",
            ),
            Option::<usize>::specs(
                "grid",
                "Number of voxels along the longest side of the meshes, 64 to 256; 96 if omitted.",
            ),
            Option::<usize>::specs(
                "limit",
                "Maximum number of influences per vertex; 4 if omitted.",
            ),
            Option::<bool>::specs(
                "symmetric",
                "Whether to average the weights of mirrored vertices, so that both sides are \
                    equal; no if omitted.",
            ),
            Option::<f32>::specs(
                "envelope",
                "With `distance`: radius of the envelope around each bone, in lengths of the bone, \
                    0.05 to 10. Weights fall to 0 at this radius. Vertices outside all envelopes \
                    follow the nearest bone; no envelopes if omitted.",
            ),
            Option::<RigidPieces>::specs(
                "rigid",
                "Connected pieces that follow one joint each, by their numbers in the report. \
                    `all` means pieces with at least 80 % of their weight on one joint; none if \
                    omitted.",
            ),
            Option::<usize>::specs(
                "passes",
                "Number of smoothing passes. If omitted, 3 with `distance`, else 0.",
            ),
            Option::<usize>::specs(
                "points",
                "Number of points of a simplified surface on which weights are computed, at least \
                    100. Fewer points are faster but less exact; the whole surface if omitted.",
            ),
        ]
        .concat()
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        Ok(Self {
            joints: ArgumentPart::read(from, "joints")?,
            choose: ArgumentPart::read(from, "choose")?,
            method: ArgumentPart::read(from, "method")?,
            sharpness: ArgumentPart::read(from, "sharpness")?,
            grid: ArgumentPart::read(from, "grid")?,
            limit: ArgumentPart::read(from, "limit")?,
            symmetric: ArgumentPart::read(from, "symmetric")?,
            envelope: ArgumentPart::read(from, "envelope")?,
            rigid: ArgumentPart::read(from, "rigid")?,
            passes: ArgumentPart::read(from, "passes")?,
            points: ArgumentPart::read(from, "points")?,
        })
    }

    fn write(&self, document: &Document, _: &'static str, into: &mut Map<String, Value>) {
        let Self {
            joints,
            choose,
            method,
            sharpness,
            grid,
            limit,
            symmetric,
            envelope,
            rigid,
            passes,
            points,
        } = self;
        joints.write(document, "joints", into);
        choose.write(document, "choose", into);
        method.write(document, "method", into);
        sharpness.write(document, "sharpness", into);
        grid.write(document, "grid", into);
        limit.write(document, "limit", into);
        symmetric.write(document, "symmetric", into);
        envelope.write(document, "envelope", into);
        rigid.write(document, "rigid", into);
        passes.write(document, "passes", into);
        points.write(document, "points", into);
    }
}
