//! Conversion of nodes, with their cameras, lights and user-defined properties.

use std::f64::consts::FRAC_PI_2;

use serde_json::{Value, json};
use ufbx::{Camera, Light, LightType, Node, ProjectionMode};

use super::{
    Builder,
    extras::extras,
    math::{self, finite, floats3},
};
use crate::{
    gltf::ReadError,
    import::{Content, NodeOut},
};
use ulna_model::Transform;

impl Builder<'_> {
    /// Converts all nodes in the order of the file, parents first. The root of the file becomes the
    /// scene instead of a node.
    pub(super) fn nodes(&mut self) -> Result<(), ReadError> {
        let mut stack: Vec<&Node> = self.scene.root_node.children.into_iter().collect();
        stack.reverse();
        while let Some(node) = stack.pop() {
            self.node(node)?;
            let at = stack.len();
            stack.extend(&node.children);
            stack[at..].reverse();
        }
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Result<(), ReadError> {
        self.budget.take(512, &".fbx".into())?;
        let transform = math::transform(&node.local_transform);
        let parent =
            node.parent.as_ref().and_then(|p| self.nodes.get(&p.element.typed_id)).copied();
        let mut out = NodeOut {
            name: node.element.name.to_string(),
            transform: (transform != Transform::IDENTITY).then_some(transform),
            parent,
            // Before version 6, the visibility flag has another meaning.
            is_hidden: !node.visible && self.scene.metadata.version >= 6000,
            extras: extras(&node.element),
            ..NodeOut::default()
        };
        if self.has(Content::CamerasAndLights) {
            out.camera = node.camera.as_ref().map(|c| self.glb.camera(camera(c)));
            out.light = node.light.as_ref().map(|l| self.glb.light(light(l)));
        }
        let at = self.glb.node(out);
        self.nodes.insert(node.element.typed_id, at);
        Ok(())
    }

    /// Creates skins without a mesh, so that the bones of node trees without skinned meshes become
    /// joints. There is one skin per tree.
    pub(super) fn loose_skeletons(&mut self) {
        let top = |node: &Node| {
            let mut at = node.element.typed_id;
            let mut next = node.parent.as_ref();
            while let Some(node) = next.filter(|n| !n.is_root) {
                at = node.element.typed_id;
                next = node.parent.as_ref();
            }
            at
        };
        let skinned: Vec<u32> = self
            .scene
            .skin_clusters
            .into_iter()
            .filter_map(|c| c.bone_node.as_ref().map(|n| top(n)))
            .collect();
        let bones = self.scene.nodes.into_iter().filter(|n| n.bone.is_some());
        let joints: Vec<usize> = bones
            .filter(|n| !skinned.contains(&top(n)))
            .filter_map(|n| self.nodes.get(&n.element.typed_id).copied())
            .collect();
        if !joints.is_empty() {
            self.glb.skin(&joints, &[]);
        }
    }
}

/// Converts a camera to glTF JSON.
fn camera(of: &Camera) -> Value {
    let name = of.element.name.to_string();
    // glTF requires that both planes are in front of the camera, and the far plane behind the near
    // plane.
    let near = finite(of.near_plane).max(1e-4);
    let far = Some(finite(of.far_plane)).filter(|far| *far > near);
    let mut out = if of.projection_mode == ProjectionMode::Orthographic {
        let mag = |v: f64| finite(v * 0.5).max(1e-4);
        json!({"type": "orthographic", "orthographic": {"xmag": mag(of.orthographic_size.x),
            "ymag": mag(of.orthographic_size.y), "znear": near,
            "zfar": far.unwrap_or(near + 1000.0)}})
    } else {
        let tall = of.field_of_view_deg.y.to_radians().clamp(0.01, 3.1);
        let mut lens = json!({"yfov": finite(tall), "znear": near});
        if let Some(far) = far {
            lens["zfar"] = far.into();
        }
        let aspect = finite(of.aspect_ratio);
        if aspect > 0.0 {
            lens["aspectRatio"] = aspect.into();
        }
        json!({"type": "perspective", "perspective": lens})
    };
    if !name.is_empty() {
        out["name"] = name.into();
    }
    out
}

/// Converts a light to `KHR_lights_punctual` JSON. Area and volume lights become point lights.
fn light(of: &Light) -> Value {
    let name = of.element.name.to_string();
    let color = floats3(of.color).map(|v| v.clamp(0.0, 1.0));
    let intensity = finite(of.intensity).max(0.0);
    let mut out = json!({"color": color, "intensity": intensity});
    out["type"] = match of.type_ {
        LightType::Directional => "directional",
        LightType::Spot => {
            // FBX stores full cone angles in degrees, and glTF stores half angles.
            let half = |v: f64| (v * 0.5).to_radians().clamp(0.0, FRAC_PI_2);
            let outer = half(of.outer_angle).max(1e-3);
            let inner = half(of.inner_angle).min(outer - 1e-4);
            out["spot"] = json!({"innerConeAngle": finite(inner), "outerConeAngle": finite(outer)});
            "spot"
        }
        _ => "point",
    }
    .into();
    if !name.is_empty() {
        out["name"] = name.into();
    }
    out
}
