//! Reads data other than meshes and clips: material variants, cameras, lights and instances.
//! Invalid data becomes a finding and does not affect the model.

use std::{
    f32::consts::{FRAC_PI_2, FRAC_PI_4, PI},
    sync::Arc,
};

use glam::{Quat, Vec3};
use serde::{Deserialize, de::DeserializeOwned};

use super::{
    ReadError,
    accessor::{Accessors, Component, Missing},
    json::{self, Extensions, Index},
};
use ulna_model::{
    Camera, Diagnostics, IdKind, Light, LightKind, Location, MaterialId, Projection, Severity,
    Shared, Slice, Transform, VariantId, transform::unit_or,
};

const VARIANTS: &str = "KHR_materials_variants";
pub const LIGHTS: &str = "KHR_lights_punctual";
pub const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// Parses the top-level `extensions` of a file.
pub fn root_extensions(root: &json::RawMap<'_>) -> Extensions {
    root.0
        .get("extensions")
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// Parses the object of an extension. An invalid object becomes a finding.
fn read<T: DeserializeOwned>(
    extensions: &Extensions,
    name: &'static str,
    place: &Location,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    let found = extensions.get(name);
    if found.is_none() && extensions.has(name) {
        let message = format!("{name} is invalid here; it stays in the file, but is ignored");
        diagnostics.add(Severity::Error, "SCHEMA_VIOLATION", place, message);
    }
    found
}

/// Reads the names of the material variants.
pub fn variants(extensions: &Extensions, diagnostics: &mut Diagnostics) -> Shared<[Arc<str>]> {
    #[derive(Deserialize)]
    struct Variants {
        variants: Vec<Variant>,
    }
    #[derive(Deserialize)]
    struct Variant {
        #[serde(default)]
        name: String,
    }
    let found: Option<Variants> = read(extensions, VARIANTS, &"extensions".into(), diagnostics);
    found.into_iter().flat_map(|v| v.variants).map(|v| v.name.into()).collect()
}

/// Reads the material of a primitive for each variant.
pub fn mappings(
    extensions: &Extensions,
    (materials, variants): (usize, usize),
    place: &Location,
    diagnostics: &mut Diagnostics,
) -> Shared<[(VariantId, MaterialId)]> {
    #[derive(Deserialize)]
    struct Mappings {
        mappings: Vec<Mapping>,
    }
    #[derive(Deserialize)]
    struct Mapping {
        material: Index,
        variants: Vec<Index>,
    }
    let found: Option<Mappings> = read(extensions, VARIANTS, place, diagnostics);
    let mut list = Vec::new();
    for mapping in found.into_iter().flat_map(|m| m.mappings) {
        for variant in mapping.variants {
            if mapping.material.0 < materials && variant.0 < variants {
                list.push((variant.0.into(), mapping.material.0.into()));
            } else {
                let message = format!(
                    "Material {} or material variant {} does not exist",
                    mapping.material.0, variant.0
                );
                diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", place, message);
            }
        }
    }
    list.into()
}

/// Reads all cameras. An unreadable camera gets default values.
pub fn cameras(
    root: &json::RawMap<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Shared<[Camera]>, ReadError> {
    #[derive(Deserialize)]
    struct Raw {
        name: Option<String>,
        perspective: Option<Perspective>,
        orthographic: Option<Orthographic>,
    }
    #[derive(Deserialize)]
    struct Perspective {
        yfov: f32,
        #[serde(rename = "aspectRatio")]
        aspect: Option<f32>,
        znear: f32,
        zfar: Option<f32>,
    }
    #[derive(Deserialize)]
    struct Orthographic {
        xmag: f32,
        ymag: f32,
        znear: f32,
        zfar: f32,
    }
    let sound = |v: f32| v.is_finite() && v > 0.0;
    let mut list = Vec::new();
    for (k, raw) in json::elements(root, "cameras")?.iter().enumerate() {
        let place = Location::at(IdKind::Camera, k);
        let raw = json::typed::<Raw>(raw.get(), &place, &mut false).ok();
        let name = raw.as_ref().and_then(|r| r.name.as_deref()).map(Into::into);
        let projection = match raw {
            Some(Raw { perspective: Some(p), .. })
                if sound(p.yfov) && p.yfov < PI && sound(p.znear) =>
            {
                Some(Projection::Perspective {
                    yfov: p.yfov,
                    aspect: p.aspect.filter(|a| sound(*a)),
                    near: p.znear,
                    far: p.zfar.filter(|f| sound(*f) && *f > p.znear),
                })
            }
            Some(Raw { orthographic: Some(o), .. })
                if o.xmag.is_finite()
                    && o.ymag.is_finite()
                    && o.xmag * o.ymag != 0.0
                    && o.zfar > o.znear =>
            {
                Some(Projection::Orthographic {
                    xmag: o.xmag.abs(),
                    ymag: o.ymag.abs(),
                    near: o.znear,
                    far: o.zfar,
                })
            }
            _ => None,
        };
        let projection = projection.unwrap_or_else(|| {
            let message = "The camera has invalid values; a vertical field of view of 45° is used";
            diagnostics.add(Severity::Error, "VALUE_NOT_IN_RANGE", place, message);
            Projection::Perspective { yfov: FRAC_PI_4, aspect: None, near: 0.01, far: None }
        });
        list.push(Camera { name, projection });
    }
    Ok(list.into())
}

/// Reads all lights. Invalid numbers are replaced by the defaults of the extension.
pub fn lights(extensions: &Extensions, diagnostics: &mut Diagnostics) -> Shared<[Light]> {
    #[derive(Deserialize)]
    struct Lights {
        lights: Vec<Raw>,
    }
    #[derive(Deserialize)]
    struct Raw {
        name: Option<String>,
        #[serde(rename = "type", default)]
        kind: String,
        color: Option<[f32; 3]>,
        intensity: Option<f32>,
        range: Option<f32>,
        spot: Option<Spot>,
    }
    #[derive(Deserialize)]
    struct Spot {
        #[serde(rename = "innerConeAngle")]
        inner: Option<f32>,
        #[serde(rename = "outerConeAngle")]
        outer: Option<f32>,
    }
    let found: Option<Lights> = read(extensions, LIGHTS, &"extensions".into(), diagnostics);
    let light = |(k, raw): (usize, Raw)| {
        let mut odd = |what: &str| {
            let place = Location::at(IdKind::Light, k);
            let message = format!("The {what} of the light is invalid; the default is used");
            diagnostics.add(Severity::Error, "VALUE_NOT_IN_RANGE", place, message);
        };
        let mut positive = |value: Option<f32>, what: &str| {
            value.filter(|v| {
                let sound = v.is_finite() && *v >= 0.0;
                if !sound {
                    odd(what);
                }
                sound
            })
        };
        let intensity = positive(raw.intensity, "intensity").unwrap_or(1.0);
        let range = positive(raw.range, "range").filter(|r| *r > 0.0);
        let color = raw.color.map_or(Vec3::ONE, Vec3::from_array);
        let color = if color.is_finite() && color.min_element() >= 0.0 {
            color
        } else {
            odd("color");
            Vec3::ONE
        };
        let kind = match raw.kind.as_str() {
            "directional" => LightKind::Directional,
            "point" => LightKind::Point,
            "spot" => {
                let (inner, outer) = raw.spot.map_or((None, None), |s| (s.inner, s.outer));
                let (inner, outer) = (inner.unwrap_or(0.0), outer.unwrap_or(FRAC_PI_4));
                if inner >= 0.0 && inner < outer && outer <= FRAC_PI_2 + 1e-6 {
                    LightKind::Spot { inner, outer }
                } else {
                    odd("cone");
                    LightKind::Spot { inner: 0.0, outer: FRAC_PI_4 }
                }
            }
            _ => {
                odd("type");
                LightKind::Point
            }
        };
        Light { name: raw.name.map(Into::into), kind, color, intensity, range }
    };
    found.into_iter().flat_map(|l| l.lights).enumerate().map(light).collect()
}

/// Index of the light at a node.
pub fn light_of(
    extensions: &Extensions,
    place: &Location,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    #[derive(Deserialize)]
    struct Use {
        light: Index,
    }
    read::<Use>(extensions, LIGHTS, place, diagnostics).map(|u| u.light.0)
}

/// Name of the extension that hides nodes.
pub const VISIBILITY: &str = "KHR_node_visibility";

/// Whether a node hides itself and its descendants in the file.
pub fn is_hidden(extensions: &Extensions, place: &Location, diagnostics: &mut Diagnostics) -> bool {
    #[derive(Deserialize)]
    struct Visibility {
        visible: Option<bool>,
    }
    read::<Visibility>(extensions, VISIBILITY, place, diagnostics)
        .is_some_and(|v| v.visible == Some(false))
}

/// Reads the instances of a node's mesh, as `node_from_instance`. `None` if the node has no
/// instances.
pub fn instances(
    extensions: &Extensions,
    place: &Location,
    accessors: &mut Accessors<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Shared<[Transform]>>, ReadError> {
    #[derive(Deserialize)]
    struct Instancing {
        attributes: indexmap::IndexMap<String, Index>,
    }
    let Some(found) = read::<Instancing>(extensions, INSTANCING, place, diagnostics) else {
        return Ok(None);
    };
    let mut columns: [Option<Slice<f32>>; 3] = [None, None, None];
    let mut count = None;
    for (k, name) in ["TRANSLATION", "ROTATION", "SCALE"].into_iter().enumerate() {
        let Some(index) = found.attributes.get(name) else { continue };
        let shape = accessors.shape(index.0, place)?;
        let width = if k == 1 { 4 } else { 3 };
        let sound = shape.width == width
            && (shape.component == Component::F32
                || (shape.normalized && shape.component != Component::U32))
            && count.is_none_or(|c| c == shape.count);
        let values =
            if sound { accessors.floats(index.0, place) } else { Err(Missing::Packed(INSTANCING)) };
        match values {
            Ok(values) => columns[k] = Some(values),
            Err(Missing::Refused(error)) => return Err(error),
            Err(Missing::Packed(_)) => {
                let message =
                    format!("{name} of the instances cannot be read; the mesh is displayed once");
                diagnostics.add(Severity::Error, "ULNA_INSTANCES", place, message);
                return Ok(None);
            }
        }
        count = Some(shape.count);
    }
    let Some(count) = count else { return Ok(None) };
    accessors.spend((count * size_of::<Transform>()) as u64, place)?;
    let mut odd = 0;
    let list = (0..count).map(|k| {
        let vec3 = |column: &Option<Slice<f32>>, default: Vec3| {
            column.as_ref().map_or(default, |v| Vec3::from_slice(&v[k * 3..k * 3 + 3]))
        };
        let rotation =
            columns[1].as_ref().map_or(Quat::IDENTITY, |v| Quat::from_slice(&v[k * 4..k * 4 + 4]));
        let found = Transform {
            translation: vec3(&columns[0], Vec3::ZERO),
            rotation: unit_or(rotation, Quat::IDENTITY),
            scale: vec3(&columns[2], Vec3::ONE),
        };
        if found.is_finite() && rotation.is_finite() {
            found
        } else {
            odd += 1;
            Transform::IDENTITY
        }
    });
    let list = list.collect();
    if odd > 0 {
        let message = format!(
            "Instances with values that are not finite numbers: {odd}; they are displayed at the \
                node"
        );
        diagnostics.add(Severity::Error, "ACCESSOR_INVALID_FLOAT", place, message);
    }
    Ok(Some(list))
}
