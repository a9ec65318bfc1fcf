//! Parsing of nodes, cameras, skins and animations, with their rules.

use std::collections::HashSet;

use super::{
    super::{
        file::{Animation, Channel, ChannelTarget, Node, Sampler, Skin},
        matrix::is_trs,
        members::{ANY, Members, NOT_NEGATIVE, POSITIVE, Range},
        numbers::ROTATION,
    },
    reader::Reader,
};

impl Reader<'_> {
    pub(super) fn animation(&mut self, m: &Members<'_>) -> Animation {
        let mut paths = vec!["translation", "rotation", "scale", "weights"];
        if self.used.iter().any(|u| u == "KHR_animation_pointer") {
            paths.push("pointer");
        }
        let channels = m.objects("channels", self.out).map(|list| {
            let channel = |c: &Members<'_>| {
                let sampler = c.index("sampler", true, self.out);
                let target = c.object("target", true, self.out).map(|t| {
                    t.extensions(&self.used, self.out);
                    let node = t.index("node", false, self.out);
                    ChannelTarget {
                        node,
                        path: t.text("path", &paths, true, self.out).map(ToOwned::to_owned),
                    }
                });
                Channel { sampler, target }
            };
            list.iter().map(channel).collect()
        });
        let samplers = m.objects("samplers", self.out).map(|list| {
            let sampler = |s: &Members<'_>| {
                let input = s.index("input", true, self.out);
                let word =
                    s.text("interpolation", &["LINEAR", "STEP", "CUBICSPLINE"], false, self.out);
                Sampler {
                    input,
                    output: s.index("output", true, self.out),
                    cubic: word == Some("CUBICSPLINE"),
                }
            };
            list.iter().map(sampler).collect()
        });
        self.named(m);
        Animation { at: m.at.clone(), channels, samplers }
    }

    pub(super) fn camera(&mut self, m: &Members<'_>) {
        if m.has("orthographic") && m.has("perspective") {
            self.out.error("ONE_OF_MISMATCH", m.at.clone());
        }
        let out = &mut *self.out;
        match m.text("type", &["orthographic", "perspective"], true, out) {
            Some("orthographic") => {
                if let Some(o) = m.object("orthographic", true, out) {
                    for key in ["xmag", "ymag"] {
                        if o.number(key, ANY, true, out) == Some(0.0) {
                            out.error("CAMERA_XMAG_YMAG_ZERO", o.place(key));
                        }
                    }
                    let (far, near) = (
                        o.number("zfar", POSITIVE, true, out),
                        o.number("znear", NOT_NEGATIVE, true, out),
                    );
                    if far.zip(near).is_some_and(|(far, near)| far <= near) {
                        out.error("CAMERA_ZFAR_LEQUAL_ZNEAR", o.at.clone());
                    }
                }
            }
            Some("perspective") => {
                if let Some(o) = m.object("perspective", true, out) {
                    o.number("yfov", POSITIVE, true, out);
                    let (far, near) = (
                        o.number("zfar", POSITIVE, false, out),
                        o.number("znear", POSITIVE, true, out),
                    );
                    if far.zip(near).is_some_and(|(far, near)| far <= near) {
                        out.error("CAMERA_ZFAR_LEQUAL_ZNEAR", o.at.clone());
                    }
                    o.number("aspectRatio", POSITIVE, false, out);
                }
            }
            _ => {}
        }
        self.named(m);
    }

    pub(super) fn node(&mut self, m: &Members<'_>) -> Node {
        let out = &mut *self.out;
        let single = |list: Option<Vec<f64>>| {
            list.map(|l| l.into_iter().map(|v| v as f32).collect::<Vec<f32>>())
        };
        let matrix = single(m.floats("matrix", Some(16), ANY, out))
            .and_then(|l| <[f32; 16]>::try_from(l).ok());
        let translation = single(m.floats("translation", Some(3), ANY, out));
        let unit = Range { low: -1.0, high: 1.0, ..ANY };
        let rotation = single(m.floats("rotation", Some(4), unit, out));
        if let Some(r) = &rotation {
            let length = r.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
            if (1.0 - length).abs() > ROTATION {
                out.error("ROTATION_NON_UNIT", m.place("rotation"));
            }
        }
        let scale = single(m.floats("scale", Some(3), ANY, out));
        let (camera, children) = (m.index("camera", false, out), m.indices("children", false, out));
        let (mesh, skin) = (m.index("mesh", false, out), m.index("skin", false, out));
        let weights = m.floats("weights", None, ANY, out).map(|w| w.len());
        if mesh.is_none() {
            for (key, there) in [("skin", skin.is_some()), ("weights", weights.is_some())] {
                if there {
                    out.error("UNSATISFIED_DEPENDENCY", m.place(key));
                }
            }
        }
        if let Some(matrix) = &matrix {
            if translation.is_some() || rotation.is_some() || scale.is_some() {
                out.error("NODE_MATRIX_TRS", m.place("matrix"));
            }
            if *matrix != glam::Mat4::IDENTITY.to_cols_array() && !is_trs(matrix) {
                out.error("NODE_MATRIX_NON_TRS", m.place("matrix"));
            }
        }
        self.named(m);
        m.extensions(&self.used, self.out);
        Node {
            at: m.at.clone(),
            matrix,
            translation,
            rotation,
            scale,
            camera,
            children,
            mesh,
            skin,
            weights,
            parent: None,
            scenes: HashSet::new(),
        }
    }

    pub(super) fn skin(&mut self, m: &Members<'_>) -> Skin {
        let bind = m.index("inverseBindMatrices", false, self.out);
        let skeleton = m.index("skeleton", false, self.out);
        let joints = m.indices("joints", true, self.out);
        self.named(m);
        Skin { at: m.at.clone(), bind, skeleton, joints, roots: Vec::new() }
    }
}
