//! Small hostile files, generated here. Each opens, is displayed as far as possible, and its
//! problems are reported.

use crate::common::{floats, glb};
use serde_json::{Value, json};
use ulna_model::{Document, MeshId};
use ulna_motion::{Placement, Pose, Posed, Stack, Tangents, skinning};
use ulna_session::Session;

fn open(json: Value, bin: &[u8]) -> Session {
    Session::open_bytes(&glb(json, bin)).expect("a file that opens")
}

fn codes(session: &Session) -> Vec<&str> {
    session.diagnostics.iter().map(|d| d.code).collect()
}

/// Returns all displayed surfaces. Asserts that their numbers are finite.
fn surfaces(document: &Document, stack: &Stack) -> Vec<Posed> {
    let pose = Pose::evaluate(document, stack);
    assert!(pose.world.iter().all(|m| m.is_finite()));
    let mut list = Vec::new();
    for id in document.shown_nodes() {
        let Some(mesh) = document.node(id).mesh else { continue };
        for primitive in &document.mesh(mesh).primitives {
            let mut posed = Posed::default();
            let normals = skinning::base_normals(primitive);
            let placement = Placement::of(document, &pose, id, primitive);
            skinning::skin(primitive, &normals, &pose.morphs[id.index()], &placement, &mut posed);
            assert!(posed.positions.iter().chain(&posed.normals).all(|v| v.is_finite()));
            if let Some(tangents) = Tangents::of(primitive, 0) {
                assert!(tangents.posed(primitive, &placement).iter().all(|t| t.is_finite()));
            }
            list.push(posed);
        }
    }
    list
}

/// Builds a mesh of one primitive with one buffer view. Attributes are stored as floats, one after
/// the other.
fn mesh(attributes: &[(&str, &str, &[f32])], indices: &[u8]) -> (Value, Vec<u8>) {
    let mut bin = Vec::new();
    let (mut accessors, mut named) = (Vec::new(), serde_json::Map::new());
    for (k, (name, kind, values)) in attributes.iter().enumerate() {
        let width = match *kind {
            "VEC2" => 2,
            "VEC3" => 3,
            _ => 4,
        };
        accessors.push(json!({"bufferView": 0, "byteOffset": bin.len(), "componentType": 5126,
            "count": values.len() / width, "type": kind}));
        bin.extend(floats(values));
        named.insert((*name).to_owned(), k.into());
    }
    let mut primitive = json!({"attributes": named});
    if !indices.is_empty() {
        primitive["indices"] = accessors.len().into();
        accessors.push(json!({"bufferView": 0, "byteOffset": bin.len(), "componentType": 5121,
            "count": indices.len(), "type": "SCALAR"}));
        bin.extend(indices);
    }
    bin.resize(bin.len().next_multiple_of(4), 0);
    let json = json!({
        "bufferViews": [{"buffer": 0, "byteLength": bin.len()}],
        "accessors": accessors,
        "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0}],
    });
    (json, bin)
}

const CORNERS: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

#[test]
fn invalid_numbers_become_zero_and_are_counted() {
    let mut positions = CORNERS;
    positions[4] = f32::NAN;
    let mut normals = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    normals[2] = f32::INFINITY;
    let mut uv = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    uv[3] = f32::NEG_INFINITY;
    let mut tangents = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0];
    tangents[0] = f32::NAN;
    let mut colors = [1.0; 12];
    colors[5] = f32::NAN;
    let (json, bin) = mesh(
        &[
            ("POSITION", "VEC3", &positions),
            ("NORMAL", "VEC3", &normals),
            ("TEXCOORD_0", "VEC2", &uv),
            ("TANGENT", "VEC4", &tangents),
            ("COLOR_0", "VEC4", &colors),
        ],
        &[],
    );
    let session = open(json, &bin);
    assert_eq!(surfaces(session.document(), &Stack::default())[0].positions.len(), 3);
    let primitive = &session.document().meshes[MeshId(0)].primitives[0];
    assert!(
        primitive.uv0.iter().all(|v| v.is_finite())
            && primitive.colors.iter().all(|v| v.is_finite())
    );
    for name in ["POSITION", "NORMAL", "TEXCOORD", "TANGENT", "COLOR_0"] {
        let wanted = format!("1 value of {name} is not a finite number");
        assert!(session.diagnostics.iter().any(|d| d.message.starts_with(&wanted)), "{wanted}");
    }
}

#[test]
fn files_with_non_finite_weights_binds_and_keys_can_be_posed() {
    let mut bin = floats(&CORNERS);
    bin.extend(floats(&[f32::NAN, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]));
    bin.extend([0; 12]);
    let mut bind = glam::Mat4::IDENTITY.to_cols_array();
    bind[13] = f32::NAN;
    bin.extend(floats(&bind));
    bin.extend(floats(&[0.0, f32::NAN, 2.0]));
    bin.extend(floats(&[1.0, 1.0, 1.0, f32::INFINITY, 2.0, 2.0, 3.0, 3.0, 3.0]));
    let float = |offset: u32, count: u32, kind: &str| {
        json!({"bufferView": 0, "byteOffset": offset, "componentType": 5126,
            "count": count, "type": kind})
    };
    let json = json!({
        "bufferViews": [{"buffer": 0, "byteLength": bin.len()}],
        "accessors": [
            float(0, 3, "VEC3"), float(36, 3, "VEC4"),
            {"bufferView": 0, "byteOffset": 84, "componentType": 5121, "count": 3, "type": "VEC4"},
            float(96, 1, "MAT4"), float(160, 3, "SCALAR"), float(172, 3, "VEC3"),
        ],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0, "WEIGHTS_0": 1, "JOINTS_0": 2}}]}],
        "skins": [{"joints": [1], "inverseBindMatrices": 3}],
        "nodes": [{"mesh": 0, "skin": 0}, {}],
        "animations": [{"samplers": [{"input": 4, "output": 5}],
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "scale"}}]}],
    });
    let session = open(json, &bin);
    let clip = session.document().clips.values().next().expect("a clip").clone();
    for time in [0.0, 0.5, 1.0, 2.0, 9.0] {
        surfaces(session.document(), &Stack::of(Some(&clip), time));
    }
    let found = codes(&session);
    for wanted in [
        "ACCESSOR_INVALID_FLOAT",
        "ACCESSOR_INVALID_IBM",
        "ACCESSOR_ANIMATION_INPUT_NON_INCREASING",
    ] {
        assert!(found.contains(&wanted), "{found:?}");
    }
}

#[test]
fn triangles_without_area_and_zero_normals_cause_no_nan() {
    let flat = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    // Without stored normals: a line, a point, and one triangle with area.
    let (json, bin) = mesh(
        &[("POSITION", "VEC3", &flat), ("TEXCOORD_0", "VEC2", &[0.0; 8])],
        &[0, 1, 2, 1, 1, 1, 0, 1, 3],
    );
    let session = open(json, &bin);
    let posed = surfaces(session.document(), &Stack::default());
    assert_eq!(posed[0].normals[0], glam::Vec3::Z);
    assert_eq!(posed[0].normals[2], glam::Vec3::ZERO);
    assert_eq!(codes(&session), ["ACCESSOR_INDEX_TRIANGLE_DEGENERATE"]);
    assert!(
        session.diagnostics[0].message.ends_with("2 of 3"),
        "{}",
        session.diagnostics[0].message
    );

    // With zero normals and tangents, the geometric normal of the triangle is displayed.
    let (json, bin) = mesh(
        &[
            ("POSITION", "VEC3", &CORNERS),
            ("NORMAL", "VEC3", &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]),
            ("TANGENT", "VEC4", &[0.0; 12]),
            ("TEXCOORD_0", "VEC2", &[0.0; 6]),
        ],
        &[],
    );
    let session = open(json, &bin);
    let posed = surfaces(session.document(), &Stack::default());
    assert_eq!((posed[0].normals[0], posed[0].normals[1]), (glam::Vec3::Z, glam::Vec3::Y));
    assert_eq!(codes(&session), ["ACCESSOR_VECTOR3_NON_UNIT"; 2]);
}

/// Builds a skin of unconnected joints with one vertex each, and morph targets that each displace
/// one vertex.
fn crowd(joints: usize, targets: usize) -> (Value, Vec<u8>) {
    let positions: Vec<f32> = (0..joints).flat_map(|k| [k as f32 * 0.001, 0.0, 0.0]).collect();
    let mut bin = floats(&positions);
    bin.extend((0..joints).flat_map(|k| [k as u16, 0, 0, 0]).flat_map(u16::to_le_bytes));
    bin.extend(floats(&(0..joints).flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect::<Vec<f32>>()));
    let nodes: Vec<Value> =
        (0..joints).map(|k| json!({"translation": [0, k as f32 * 0.01, 0]})).collect();
    let accessor = |offset: usize, component: u32, kind: &str| {
        json!({"bufferView": 0, "byteOffset": offset, "componentType": component,
            "count": joints, "type": kind})
    };
    let mut root = json!({
        "bufferViews": [{"buffer": 0, "byteLength": bin.len()}],
        "accessors": [accessor(0, 5126, "VEC3"), accessor(joints * 12, 5123, "VEC4"),
            accessor(joints * 20, 5126, "VEC4")],
        "meshes": [{
            "primitives": [{"mode": 0, "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2},
                            "targets": vec![json!({"POSITION": 0}); targets]}],
            "weights": vec![0.5; targets],
        }],
        "skins": [{"joints": (0..joints).collect::<Vec<_>>()}],
        "nodes": nodes,
    });
    root["nodes"].as_array_mut().expect("a list").push(json!({"mesh": 0, "skin": 0}));
    (root, bin)
}

#[test]
fn thousands_of_joints_and_hundreds_of_targets_are_posed() {
    let (joints, targets) = (6000, 300);
    let (json, bin) = crowd(joints, targets);
    let session = open(json, &bin);
    let posed = &surfaces(session.document(), &Stack::default())[0];
    for k in [0, 1, joints / 2, joints - 1] {
        let wanted =
            glam::Vec3::new(k as f32 * 0.001 * (1.0 + 0.5 * targets as f32), k as f32 * 0.01, 0.0);
        assert!(posed.positions[k].distance(wanted) < 1e-2, "{k}: {} {wanted}", posed.positions[k]);
    }
    #[cfg(feature = "render")]
    if let Ok(gpu) = ulna_render::Gpu::headless() {
        let pose = Pose::evaluate(session.document(), &Stack::default());
        let found =
            ulna_render::skin_on_gpu(&gpu, session.document(), &pose).expect("a computed surface");
        let far = found[0]
            .2
            .positions
            .iter()
            .zip(&posed.positions)
            .map(|(a, b)| a.distance(*b))
            .fold(0.0, f32::max);
        assert!(far < 0.02, "{far}");
    }
}

#[test]
fn a_missing_image_affects_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.gltf");
    let json = json!({
        "asset": {"version": "2.0"},
        "images": [{"uri": "nowhere.png"}, {}],
        "textures": [{"source": 0}, {"source": 1}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
            "emissiveTexture": {"index": 1}}],
        "nodes": [{}],
    });
    std::fs::write(&path, json.to_string()).expect("a file");
    let session = Session::open(&path, &Default::default()).expect("a file that opens");
    assert_eq!(codes(&session), ["IO_ERROR", "IO_ERROR"]);
    assert!(
        session.diagnostics[0].message.contains("nowhere.png"),
        "{}",
        session.diagnostics[0].message
    );
    assert!(session.document().images.iter().all(|i| i.bytes.is_empty()));
}

#[cfg(feature = "render")]
mod pictures {
    use image::RgbaImage;
    use ulna_model::Diagnostic;
    use ulna_render::decode_images;

    use super::*;

    /// Builds a PNG with uncompressed rows. Each row begins with its filter byte.
    fn png(width: u32, height: u32, depth: u8, kind: u8, palette: &[u8], rows: &[u8]) -> Vec<u8> {
        let mut out = b"\x89PNG\r\n\x1A\n".to_vec();
        let mut chunk = |name: &[u8], data: &[u8]| {
            out.extend((data.len() as u32).to_be_bytes());
            let body = [name, data].concat();
            let crc = body.iter().fold(!0u32, |crc, byte| {
                (0..8).fold(crc ^ u32::from(*byte), |c, _| {
                    if c & 1 == 1 { 0xEDB8_8320 ^ (c >> 1) } else { c >> 1 }
                })
            });
            out.extend(&body);
            out.extend((!crc).to_be_bytes());
        };
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        chunk(b"IHDR", &[&size[..], &[depth, kind, 0, 0, 0]].concat());
        if !palette.is_empty() {
            chunk(b"PLTE", palette);
        }
        chunk(b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(rows, 9));
        chunk(b"IEND", &[]);
        out
    }

    /// Returns the decoded picture of a file with one image, and all findings.
    fn shown(bytes: &[u8]) -> (Option<RgbaImage>, Vec<Diagnostic>) {
        let session = open(
            json!({"bufferViews": [{"buffer": 0, "byteLength": bytes.len()}],
                "images": [{"bufferView": 0}]}),
            bytes,
        );
        let (mut pictures, findings) = decode_images(session.document());
        (pictures.remove(0), [session.diagnostics, findings].concat())
    }

    #[test]
    fn every_bit_depth_and_color_type_of_png_is_displayed() {
        let mut cases = 0;
        // Color type of the PNG, its bit depths and channels. The picture has two pixels: all bits
        // 0, and all bits 1.
        for (kind, depths, channels) in [
            (0, &[1u8, 2, 4, 8, 16][..], 1),
            (2, &[8, 16], 3),
            (3, &[1, 2, 4, 8], 1),
            (4, &[8, 16], 2),
            (6, &[8, 16], 4),
        ] {
            for depth in depths {
                let bits = usize::from(*depth) * channels;
                let palette: Vec<u8> =
                    if kind == 3 { [10, 20, 30].repeat(1 << depth) } else { Vec::new() };
                let mut palette = palette;
                if kind == 3 {
                    let end = palette.len() - 3;
                    palette[end..].copy_from_slice(&[200, 100, 50]);
                }
                let mut row = vec![0u8; 1 + (bits * 2).div_ceil(8)];
                for bit in bits..bits * 2 {
                    row[1 + bit / 8] |= 0x80 >> (bit % 8);
                }
                let (picture, findings) = shown(&png(2, 1, *depth, kind, &palette, &row));
                assert!(findings.is_empty(), "kind {kind} depth {depth}: {findings:?}");
                let pixels: Vec<[u8; 4]> =
                    picture.expect("a picture").pixels().map(|p| p.0).collect();
                let wanted = match kind {
                    3 => [[10, 20, 30, 255], [200, 100, 50, 255]],
                    4 | 6 => [[0; 4], [255; 4]],
                    _ => [[0, 0, 0, 255], [255; 4]],
                };
                assert_eq!(pixels, wanted, "kind {kind} depth {depth}");
                cases += 1;
            }
        }
        assert_eq!(cases, 15);
    }

    #[test]
    fn cmyk_and_grayscale_jpegs_are_displayed() {
        let (picture, findings) = shown(include_bytes!("../data/cmyk.jpg"));
        assert!(findings.is_empty(), "{findings:?}");
        let [r, g, b, a] = picture.expect("a picture").get_pixel(4, 4).0;
        assert!(r > 220 && g < 40 && b < 40 && a == 255, "{r} {g} {b} {a}");
        let mut gray = std::io::Cursor::new(Vec::new());
        image::GrayImage::from_pixel(8, 8, image::Luma([77]))
            .write_to(&mut gray, image::ImageFormat::Jpeg)
            .expect("a JPEG");
        let [r, g, b, _] = shown(&gray.into_inner()).0.expect("a picture").get_pixel(0, 0).0;
        assert!(r.abs_diff(77) < 4 && r == g && g == b);
    }

    #[test]
    fn an_image_beyond_the_texture_limit_is_scaled_down_with_a_note() {
        for width in [16384u32, 20000] {
            let row = vec![0u8; 1 + width as usize * 3];
            let (picture, findings) = shown(&png(width, 2, 8, 2, &[], &row.repeat(2)));
            let (w, h) = picture.expect("a picture").dimensions();
            assert!(w <= 4096 && h >= 1, "{w} × {h}");
            assert_eq!(findings.iter().map(|d| d.code).collect::<Vec<_>>(), ["ULNA_IMAGE_SCALED"]);
        }
    }

    #[test]
    fn an_image_with_an_implausible_memory_size_is_reported() {
        // The file ends after its header, so decoding it would fail.
        let bytes = png(30000, 30000, 8, 6, &[], &[0]);
        let (picture, findings) = shown(&bytes);
        assert!(picture.is_none());
        assert!(findings[0].message.contains("30000 × 30000"), "{findings:?}");
    }
}
