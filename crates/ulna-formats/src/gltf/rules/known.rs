//! Finds members that glTF does not define. They are usually misspelled, and other programs ignore
//! them silently.

use serde_json::{Map, Value};

use super::report::Report;
use ulna_model::Location;

const INFO: &[&str] = &["index", "texCoord"];

/// Allowed members of each object by its path, from the schemas of glTF 2.0 (specification,
/// appendix B). `*` stands for any item.
const KNOWN: [(&str, &[&str]); 30] = [
    (
        "",
        &[
            "accessors",
            "animations",
            "asset",
            "bufferViews",
            "buffers",
            "cameras",
            "extensionsRequired",
            "extensionsUsed",
            "images",
            "materials",
            "meshes",
            "nodes",
            "samplers",
            "scene",
            "scenes",
            "skins",
            "textures",
        ],
    ),
    ("/asset", &["copyright", "generator", "minVersion", "version"]),
    (
        "/accessors/*",
        &[
            "bufferView",
            "byteOffset",
            "componentType",
            "count",
            "max",
            "min",
            "name",
            "normalized",
            "sparse",
            "type",
        ],
    ),
    ("/accessors/*/sparse", &["count", "indices", "values"]),
    ("/accessors/*/sparse/indices", &["bufferView", "byteOffset", "componentType"]),
    ("/accessors/*/sparse/values", &["bufferView", "byteOffset"]),
    ("/animations/*", &["channels", "name", "samplers"]),
    ("/animations/*/channels/*", &["sampler", "target"]),
    ("/animations/*/channels/*/target", &["node", "path"]),
    ("/animations/*/samplers/*", &["input", "interpolation", "output"]),
    ("/buffers/*", &["byteLength", "name", "uri"]),
    ("/bufferViews/*", &["buffer", "byteLength", "byteOffset", "byteStride", "name", "target"]),
    ("/cameras/*", &["name", "orthographic", "perspective", "type"]),
    ("/cameras/*/orthographic", &["xmag", "ymag", "zfar", "znear"]),
    ("/cameras/*/perspective", &["aspectRatio", "yfov", "zfar", "znear"]),
    ("/images/*", &["bufferView", "mimeType", "name", "uri"]),
    (
        "/materials/*",
        &[
            "alphaCutoff",
            "alphaMode",
            "doubleSided",
            "emissiveFactor",
            "emissiveTexture",
            "name",
            "normalTexture",
            "occlusionTexture",
            "pbrMetallicRoughness",
        ],
    ),
    ("/materials/*/emissiveTexture", INFO),
    ("/materials/*/normalTexture", &["index", "scale", "texCoord"]),
    ("/materials/*/occlusionTexture", &["index", "strength", "texCoord"]),
    (
        "/materials/*/pbrMetallicRoughness",
        &[
            "baseColorFactor",
            "baseColorTexture",
            "metallicFactor",
            "metallicRoughnessTexture",
            "roughnessFactor",
        ],
    ),
    ("/materials/*/pbrMetallicRoughness/baseColorTexture", INFO),
    ("/materials/*/pbrMetallicRoughness/metallicRoughnessTexture", INFO),
    ("/meshes/*", &["name", "primitives", "weights"]),
    ("/meshes/*/primitives/*", &["attributes", "indices", "material", "mode", "targets"]),
    (
        "/nodes/*",
        &[
            "camera",
            "children",
            "matrix",
            "mesh",
            "name",
            "rotation",
            "scale",
            "skin",
            "translation",
            "weights",
        ],
    ),
    ("/samplers/*", &["magFilter", "minFilter", "name", "wrapS", "wrapT"]),
    ("/scenes/*", &["name", "nodes"]),
    ("/skins/*", &["inverseBindMatrices", "joints", "name", "skeleton"]),
    ("/textures/*", &["name", "sampler", "source"]),
];

/// Checks the JSON of a file for unknown members.
pub fn check(root: &Map<String, Value>, out: &mut Report) {
    object(root, "", &Location::default(), out);
}

fn object(map: &Map<String, Value>, kind: &str, at: &Location, out: &mut Report) {
    let Some((_, known)) = KNOWN.iter().find(|(k, _)| *k == kind) else { return };
    for (key, value) in map {
        if matches!(key.as_str(), "extensions" | "extras") {
            continue;
        }
        if !known.contains(&key.as_str()) {
            out.warning("UNEXPECTED_PROPERTY", at.member(key.to_owned()));
            continue;
        }
        let kind = format!("{kind}/{key}");
        match value {
            Value::Object(inner) => object(inner, &kind, &at.member(key.to_owned()), out),
            Value::Array(items) if items.first().is_some_and(Value::is_object) => {
                let kind = kind + "/*";
                for (k, item) in items.iter().enumerate() {
                    if let Value::Object(inner) = item {
                        object(inner, &kind, &at.item(key.to_owned(), k), out);
                    }
                }
            }
            _ => {}
        }
    }
}
