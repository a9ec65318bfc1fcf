//! Parses the objects of a file for the rules. Findings about single objects are added here.

mod buffers;
mod meshes;
mod pictures;
mod reader;
mod scene;
mod uris;

use serde_json::{Map, Value};

use self::reader::Reader;
use super::{
    file::{File, Texture},
    members::Members,
    report::Report,
};
use ulna_model::Location;

/// Parses the objects of a file. `None` if its glTF version is not supported.
pub fn read(root: &Map<String, Value>, out: &mut Report) -> Option<File> {
    let top = Members::new(root, Location::default());
    if top.has("extensionsRequired") && !top.has("extensionsUsed") {
        out.error("UNSATISFIED_DEPENDENCY", top.place("extensionsRequired"));
    }
    let used: Vec<String> =
        top.texts("extensionsUsed", out).into_iter().map(ToOwned::to_owned).collect();
    let required = top.texts("extensionsRequired", out);
    const QUANTIZED: &str = "KHR_mesh_quantization";
    if let Some(k) = used.iter().position(|u| u == QUANTIZED)
        && !required.contains(&QUANTIZED)
    {
        out.error("NON_REQUIRED_EXTENSION", top.at.item("extensionsUsed", k));
    }
    for (k, name) in required.iter().enumerate() {
        if !used.iter().any(|u| u == name) {
            out.error("UNUSED_EXTENSION_REQUIRED", top.at.item("extensionsRequired", k));
        }
    }
    asset(&top, out)?;
    let mut reader = Reader { used, out };
    let mut file = File {
        accessors: reader.each(&top, "accessors", Reader::accessor),
        animations: reader.each(&top, "animations", Reader::animation),
        buffers: reader.each(&top, "buffers", Reader::buffer),
        views: reader.each(&top, "bufferViews", Reader::view),
        cameras: reader.each(&top, "cameras", Reader::camera).len(),
        images: reader.each(&top, "images", Reader::image),
        materials: reader.each(&top, "materials", Reader::material),
        meshes: reader.each(&top, "meshes", Reader::mesh),
        nodes: reader.each(&top, "nodes", Reader::node),
        samplers: reader
            .each(&top, "samplers", |r, m| m.text("name", &[], false, r.out).map(drop))
            .len(),
        scenes: reader
            .each(&top, "scenes", |r, m| m.indices("nodes", false, r.out))
            .into_iter()
            .map(Option::flatten)
            .collect(),
        skins: reader.each(&top, "skins", Reader::skin),
        textures: reader.each(&top, "textures", |r, m| {
            m.extensions(&r.used, r.out);
            Texture {
                source: m.index("source", false, r.out),
                sampler: m.index("sampler", false, r.out),
            }
        }),
        ..File::default()
    };
    file.scene = top.index("scene", false, reader.out);
    top.extensions(&reader.used, reader.out);
    file.used = reader.used;
    Some(file)
}

fn asset(top: &Members<'_>, out: &mut Report) -> Option<()> {
    let asset = top.object("asset", true, out)?;
    let numbers = |text: &str| -> Option<(u64, u64)> {
        let (major, minor) = text.split_once('.')?;
        let digits = |t: &str| {
            (!t.is_empty() && t.bytes().all(|b| b.is_ascii_digit()))
                .then(|| t.parse().unwrap_or(u64::MAX))
        };
        Some((digits(major)?, digits(minor)?))
    };
    let mut version = |key: &str, required: bool| {
        let text = asset.text(key, &[], required, out)?;
        let found = numbers(text);
        if found.is_none() {
            out.error("PATTERN_MISMATCH", asset.place(key));
        }
        found
    };
    let (is, least) = (version("version", true), version("minVersion", false));
    if is.zip(least).is_some_and(|(is, least)| least > is) {
        out.error("ASSET_MIN_VERSION_GREATER_THAN_VERSION", asset.place("minVersion"));
    }
    match is? {
        (2, minor) => {
            if minor > 0 {
                out.warning("UNKNOWN_ASSET_MINOR_VERSION", asset.place("version"));
            }
            Some(())
        }
        _ => {
            out.error("UNKNOWN_ASSET_MAJOR_VERSION", asset.place("version"));
            None
        }
    }
}
