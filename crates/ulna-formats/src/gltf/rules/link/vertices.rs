//! Rules for primitives: formats and counts of their attributes and indices.

use std::collections::HashMap;

use super::{
    super::{
        file::{Accessor, ElementRule, File, Primitive, Usage},
        report::Report,
    },
    references::{found, use_accessor, use_view},
};
use ulna_model::Location;

/// Format of an attribute: type, component type, normalization.
type Format = (&'static str, usize, bool);

fn formats(quantized: bool, target: bool) -> HashMap<&'static str, Vec<Format>> {
    let (f, b, ub, h, uh) = ((5126, false), (5120, true), (5121, true), (5122, true), (5123, true));
    let plain = |(kind, _): (usize, bool)| (kind, false);
    let of = |kind: &'static str, list: &[(usize, bool)]| -> Vec<Format> {
        list.iter().map(|(component, normalized)| (kind, *component, *normalized)).collect()
    };
    let both = |list: &[(usize, bool)]| [of("VEC3", list), of("VEC4", list)].concat();
    let mut all: HashMap<&'static str, Vec<Format>> = HashMap::new();
    all.insert("POSITION", of("VEC3", &[f]));
    all.insert("NORMAL", of("VEC3", &[f]));
    if target {
        all.insert("TANGENT", of("VEC3", &[f]));
        all.insert("TEXCOORD", of("VEC2", &[f, b, ub, h, uh]));
        all.insert("COLOR", both(&[f, b, ub, h, uh]));
    } else {
        all.insert("TANGENT", of("VEC4", &[f]));
        all.insert("TEXCOORD", of("VEC2", &[f, ub, uh]));
        all.insert("COLOR", both(&[f, ub, uh]));
        all.insert("JOINTS", of("VEC4", &[plain(ub), plain(uh)]));
        all.insert("WEIGHTS", of("VEC4", &[f, ub, uh]));
    }
    if quantized {
        let mut more =
            |key: &'static str, list: Vec<Format>| all.entry(key).or_default().extend(list);
        more("NORMAL", of("VEC3", &[b, h]));
        if target {
            more("POSITION", of("VEC3", &[plain(b), b, plain(h), h]));
            more("TANGENT", of("VEC3", &[b, h]));
            more("TEXCOORD", of("VEC2", &[plain(b), plain(h)]));
        } else {
            more("POSITION", of("VEC3", &[plain(b), b, plain(ub), ub, plain(h), h, plain(uh), uh]));
            more("TANGENT", of("VEC4", &[b, h]));
            more("TEXCOORD", of("VEC2", &[plain(b), b, plain(ub), plain(h), h, plain(uh)]));
        }
    }
    all
}

/// Checks the rules that vertex attributes and morph targets have in common.
fn vertex_data(
    file: &mut File,
    index: usize,
    name: &str,
    place: &Location,
    formats: &HashMap<&'static str, Vec<Format>>,
    out: &mut Report,
) {
    let File { accessors, views, .. } = file;
    let Some(a) = accessors[index].as_mut() else { return };
    use_accessor(a, Usage::Vertex, place, out);
    use_view(views, a.view, Usage::Vertex, place, out);
    if name == "POSITION" && (a.min.is_none() || a.max.is_none()) {
        out.error("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", place.clone());
    }
    let kind = name.split('_').next().unwrap_or_default();
    if formats.get(kind).is_some_and(|f| !f.contains(&borrowed(a))) {
        out.error("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", place.clone());
    }
    let view = a.view.and_then(|v| views.get_mut(v)).and_then(Option::as_mut);
    let loose = view.as_ref().is_some_and(|v| v.stride.is_none());
    if a.offset.is_some_and(|o| o % 4 != 0) || (!a.element.is_multiple_of(4) && loose) {
        out.error("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", place.clone());
    }
    if let Some(view) = view.filter(|v| v.stride.is_none()) {
        view.vertex_users.insert(index);
        if view.vertex_users.len() > 1 {
            out.error("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", place.clone());
        }
    }
}

/// Format of an accessor. An unknown type becomes an empty string, which matches no required
/// format.
pub(super) fn borrowed(a: &Accessor) -> Format {
    const TYPES: [&str; 7] = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
    let (kind, component, normalized) = a.format();
    (TYPES.into_iter().find(|t| *t == kind).unwrap_or(""), component, normalized)
}

pub(super) fn primitive(file: &mut File, p: &mut Primitive, out: &mut Report) {
    let quantized = file.used.iter().any(|u| u == "KHR_mesh_quantization");
    let base = formats(quantized, false);
    let mut counts: HashMap<String, Option<usize>> = HashMap::new();
    for (name, index) in &p.attributes {
        let place = p.at.member("attributes").member(name.to_owned());
        let Some(index) = found(&file.accessors, *index, || place.clone(), out) else { continue };
        vertex_data(file, index, name, &place, &base, out);
        let Some(a) = file.accessors[index].as_mut() else { continue };
        let kind = base.get(name.split('_').next().unwrap_or_default());
        if kind.is_some_and(|f| f.contains(&borrowed(a))) {
            match name.as_str() {
                "NORMAL" => a.rules.push(ElementRule::Normal(place.clone())),
                "TANGENT" => a.rules.push(ElementRule::Tangent(place.clone())),
                "COLOR_0" if a.component == Some(5126) => {
                    a.rules.push(ElementRule::Color(place.clone()))
                }
                _ => {}
            }
        } else if kind.is_none() && a.component == Some(5125) {
            out.error("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", place.clone());
        }
        match (p.vertices, a.count) {
            (None, count) => p.vertices = count,
            (was, count) if was != count => {
                out.error("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", place)
            }
            _ => {}
        }
        counts.insert(name.clone(), file.accessors[index].as_ref().and_then(|a| a.count));
    }
    let mut drawn = p.vertices;
    if p.indices.is_some() {
        let place = p.at.member("indices");
        if let Some(index) = found(&file.accessors, p.indices, || place.clone(), out) {
            drawn = indices(file, index, p, place, out);
        }
    }
    let odd = match (p.mode, drawn) {
        (Some(1), Some(n)) => n % 2 != 0,
        (Some(2 | 3), Some(n)) => n < 2,
        (Some(4), Some(n)) => n % 3 != 0,
        (Some(5 | 6), Some(n)) => n < 3,
        _ => false,
    };
    if odd {
        out.warning("MESH_PRIMITIVE_INCOMPATIBLE_MODE", p.at.clone());
    }
    let place = p.at.member("material");
    if let Some(material) = found(&file.materials, p.material, || place.clone(), out)
        .and_then(|m| file.materials[m].as_ref())
    {
        match (p.normal && p.tangent, material.tangent, material.normal) {
            (false, true, false) => out.error("MESH_PRIMITIVE_NO_TANGENT_SPACE", place.clone()),
            (false, true, true) => {
                out.warning("MESH_PRIMITIVE_GENERATED_TANGENT_SPACE", place.clone())
            }
            _ => {}
        }
        for _ in material.uses.iter().flat_map(|u| &u.sets).filter(|set| **set >= p.coordinates) {
            out.error("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", place.clone());
        }
    }
    let morphed = formats(quantized, true);
    for (k, target) in p.targets.iter().flatten().enumerate() {
        for (name, index) in target {
            let place = p.at.item("targets", k).member(name.to_owned());
            let Some(index) = found(&file.accessors, *index, || place.clone(), out) else {
                continue;
            };
            let count = file.accessors[index].as_ref().and_then(|a| a.count);
            match counts.get(name) {
                None => out.error("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", place.clone()),
                Some(base) if *base != count => {
                    out.error("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", place.clone());
                }
                Some(_) => {}
            }
            vertex_data(file, index, name, &place, &morphed, out);
        }
    }
}

fn indices(
    file: &mut File,
    index: usize,
    p: &Primitive,
    place: Location,
    out: &mut Report,
) -> Option<usize> {
    let File { accessors, views, .. } = file;
    let a = accessors[index].as_mut()?;
    use_accessor(a, Usage::Index, &place, out);
    use_view(views, a.view, Usage::Index, &place, out);
    if a.view
        .and_then(|v| views.get(v))
        .and_then(Option::as_ref)
        .is_some_and(|v| v.stride.is_some())
    {
        out.error("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", place.clone());
    }
    if !matches!(a.format(), ("SCALAR", 5121 | 5123 | 5125, false)) {
        out.error("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", place);
    } else if p.mode.is_some() {
        a.rules.push(ElementRule::Indices(place, p.vertices));
    }
    a.count
}
