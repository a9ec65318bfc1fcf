//! DirectX `.x` files: small handmade files, and files of the corpus, which must follow the glTF
//! rules after conversion.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use image::ImageFormat;
use ulna_formats::gltf::rules;
use ulna_model::{AlphaMode, Document, NodeId, Repeat, Severity, WeightMap};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};
use ulna_session::{Conversion, Session, UpAxis};

use crate::common::{named, shared};

const HEAD: &str = "xof 0303txt 0032\n";

/// Opens a file with this text.
fn opened(text: &str) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.x");
    std::fs::write(&path, format!("{HEAD}{text}")).unwrap();
    Session::open(&path, &Default::default()).unwrap()
}

/// Returns the text of a triangle below a frame, with additional content of its mesh.
fn triangle(more: &str) -> String {
    format!("Mesh tri {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;\n{more} }}")
}

const MATRIX: &str = "FrameTransformMatrix { 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; }";

fn weights(document: &Document) -> &WeightMap {
    document.meshes.values().flat_map(|m| &m.primitives).find_map(|p| p.weights.as_deref()).unwrap()
}

fn said(session: &Session, text: &str) -> bool {
    session.diagnostics.iter().any(|d| d.message.contains(text))
}

/// Returns all scene positions of vertices in a pose.
fn shape(document: &Document, stack: &Stack) -> Vec<Vec3> {
    let pose = Pose::evaluate(document, stack);
    let mut all = Vec::new();
    for id in document.shown_nodes() {
        let Some(mesh) = document.node(id).mesh else { continue };
        for (_, primitive) in document.mesh(mesh).entries() {
            let placement = Placement::of(document, &pose, id, primitive);
            let mut posed = Posed::default();
            let normals = skinning::base_normals(primitive);
            skinning::skin(primitive, &normals, &pose.morphs[id.index()], &placement, &mut posed);
            all.extend(posed.positions);
        }
    }
    all
}

#[test]
fn vertex_colors_lights_and_transparency_are_imported() {
    let mesh = triangle(
        "MeshVertexColors { 2; 0; 1;0;0;1;;, 2; 0.5;0.5;0.5;0.25;;; }
         MeshMaterialList { 2; 1; 1;; { Dull } Material Bright { 0.2;0.4;0.6;0.5;; 30; 1;1;1;; \
         0;1;0;; } }",
    );
    let session = opened(&format!(
        "Frame A {{ {MATRIX} {mesh} }} Material Dull {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; }}"
    ));
    let document = session.document();
    let primitive = &document.meshes.values().next().unwrap().primitives[0];
    let colors: Vec<[f32; 4]> = primitive.colors.iter().map(|c| (*c).into()).collect();
    assert_eq!(colors[0], [1.0, 0.0, 0.0, 1.0]);
    assert!(
        (colors[2][0] - 0.214).abs() < 1e-3 && (colors[2][3] - 0.25).abs() < 1e-6,
        "{:?}",
        colors[2]
    );
    assert_eq!(colors[1], [1.0; 4], "what has no color is white");
    // The reference comes before the material in the text. Faces use the position of the reference.
    let material = &document.materials[primitive.material.unwrap()];
    assert_eq!(material.name.as_deref(), Some("Bright"));
    assert_eq!(material.alpha, AlphaMode::Blend);
    assert!(material.emissive.y > 0.9 && material.roughness < 0.9);
}

#[test]
fn names_like_numbers_and_numbers_without_a_leading_zero_are_parsed() {
    let session = opened(&format!(
        "Frame Nancy {{ {MATRIX} Frame 01 {{ FrameTransformMatrix {{ 1,0,0,0, 0,1,0,0, 0,0,1,0, \
            .5,-.25,0,1;; }} {} }} }}",
        triangle("")
    ));
    let document = session.document();
    let inner = named(document, "01");
    assert_eq!(document.node(inner).parent, Some(named(document, "Nancy")));
    assert!(
        (document.node(inner).rest.transform().translation - Vec3::new(0.5, -0.25, 0.0)).length()
            < 1e-6
    );
}

#[test]
fn meshes_and_frames_referenced_by_a_frame_are_its_children() {
    let text = format!(
        "{} Frame Arm {{ {MATRIX} }} Frame Body {{ {MATRIX} {{ tri }} {{ Arm }} {{ Gone }} \
            }}",
        triangle("")
    );
    let session = opened(&text);
    let document = session.document();
    let body = named(document, "Body");
    assert_eq!(document.node(named(document, "Arm")).parent, Some(body));
    let mesh = document.node_ids().find(|n| document.node(*n).mesh.is_some()).unwrap();
    assert_eq!(document.node(mesh).parent, Some(body));
    assert_eq!(document.meshes.len(), 1);
    assert!(said(&session, "“Gone”, which does not exist"));
}

#[test]
fn weights_sum_to_one_and_bones_need_no_frame() {
    // The second bone has no frame, and is at (0, 2, 0). The third vertex follows no bone.
    let mesh = triangle(
        "XSkinMeshHeader { 2; 2; 2; }
         SkinWeights { \"Bone\"; 2; 0,1; 0.69,0.2; 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; }
         SkinWeights { \"Ghost\"; 2; 0,1; 0.3,0.2; 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,-2,0,1;; }",
    );
    let session = opened(&format!("Frame Root {{ {MATRIX} Frame Bone {{ {MATRIX} }} {mesh} }}"));
    let document = session.document();
    let map = weights(document);
    let of = |vertex: usize| -> Vec<f32> { map.weights[vertex * 4..vertex * 4 + 4].to_vec() };
    assert!(
        (of(0)[0] - 0.69).abs() < 1e-6 && (of(0)[1] - 0.31).abs() < 1e-6,
        "the last is what is left: {:?}",
        of(0)
    );
    assert!((of(1)[0] - 0.5).abs() < 1e-6 && (of(1)[1] - 0.5).abs() < 1e-6, "{:?}", of(1));
    assert!(
        said(&session, "vertices whose weights do not sum to 1: 1")
            && said(&session, "a joint is added at its bind position")
    );
    let ghost = named(document, "Ghost");
    assert_eq!(document.node(ghost).parent, Some(named(document, "Root")));
    assert!(
        (document.node(ghost).rest.transform().translation - Vec3::new(0.0, 2.0, 0.0)).length()
            < 1e-6
    );
    // Nothing has moved, including the vertex without a bone.
    let at = shape(document, &Stack::default());
    for (is, was) in at.iter().zip([Vec3::ZERO, Vec3::X, Vec3::Y]) {
        assert!(is.distance(was) < 1e-6, "{at:?}");
    }
    assert!(said(&session, "follow the frame of the mesh"));
}

/// Returns the text without the offset matrices of its skins, and their number.
fn without_offsets(text: &str) -> (String, usize) {
    let (mut made, mut rest, mut count) = (String::new(), text, 0);
    while let Some(at) = rest.find("SkinWeights") {
        let open = at + rest[at..].find('{').unwrap();
        let close = open + rest[open..].find('}').unwrap();
        let body = &rest[open + 1..close];
        // The declaration of a template contains no string.
        let Some(quoted) = body.find('"') else {
            made += &rest[..close + 1];
            rest = &rest[close + 1..];
            continue;
        };
        let end = quoted + 1 + body[quoted + 1..].find('"').unwrap();
        let numbers: Vec<&str> = body[end + 1..]
            .split([';', ',', '\n', '\r', ' ', '\t'])
            .filter(|w| !w.is_empty())
            .collect();
        let n: usize = numbers[0].parse().unwrap();
        made += &rest[..open + 1];
        made += &format!("{}; {}; }}", &body[quoted..=end], numbers[..1 + 2 * n].join("; "));
        rest = &rest[close + 1..];
        count += 1;
    }
    (made + rest, count)
}

#[test]
fn missing_offset_matrices_are_computed_from_the_frames() {
    let Some(shared) = shared() else { return };
    // The frames of this file are in the bind pose.
    let bytes = std::fs::read(shared.join("corpus/x/cool_guy.x")).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (bare, count) = without_offsets(&text[HEAD.len() - 1..]);
    assert!(count >= 8, "{count}");
    let (with, without) = (opened(&text[HEAD.len() - 1..]), opened(&bare));
    assert!(said(&without, "Bones without an offset matrix"));
    let clip = with.document().clips.values().next().unwrap().clone();
    let size = 10.0;
    for k in 0..=20 {
        let time = f64::from(clip.length()) * f64::from(k) / 20.0;
        let other = without.document().clips.values().next().unwrap();
        let (a, b) = (
            shape(with.document(), &Stack::of(Some(&clip), time)),
            shape(without.document(), &Stack::of(Some(other), time)),
        );
        let off = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(a.len() == b.len() && off < 1e-4 * size, "{off} at {time}");
    }
}

#[test]
fn converted_corpus_files_are_valid() {
    let Some(shared) = shared() else { return };
    let mut files = 0;
    for entry in std::fs::read_dir(shared.join("corpus/x")).unwrap() {
        let path = entry.unwrap().path();
        if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("x")) {
            continue;
        }
        let session = Session::open(&path, &Default::default()).unwrap();
        let found = rules::check(session.source());
        let errors: Vec<_> =
            found.iter().filter(|d| d.severity == Severity::Error).take(3).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
        let none = |n: NodeId| !session.document().node(n).rest.transform().is_finite();
        assert!(!session.document().node_ids().any(none));
        files += 1;
    }
    assert!(files >= 11, "{files}");
}

#[test]
fn textures_are_found_in_any_case_and_folder_and_become_png() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("Maps")).unwrap();
    let picture = image_of(3, 2);
    for (name, format) in [("Maps/Skin.TGA", ImageFormat::Tga), ("SHIRT.bmp", ImageFormat::Bmp)] {
        let mut bytes = Vec::new();
        picture.write_to(&mut std::io::Cursor::new(&mut bytes), format).unwrap();
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let material = |file: &str| {
        format!("Material {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{file}\"; }} }}")
    };
    let list = format!(
        "MeshTextureCoords {{ 3; 0;0;, 1;0;, 0;1;; }}
         MeshMaterialList {{ 3; 1; 0;; {} {} {} }}",
        material("C:\\\\art\\\\skin.tga"),
        material("shirt.BMP"),
        material("../../gone.dds")
    );
    let path = folder.path().join("a.x");
    std::fs::write(&path, format!("{HEAD}Frame A {{ {MATRIX} {} }}", triangle(&list))).unwrap();
    let session = Session::open(&path, &Default::default()).unwrap();
    assert_eq!(session.document().images.len(), 2, "{:?}", session.diagnostics);
    assert!(said(&session, "the texture “../../gone.dds” is not imported"));
    let bytes = session.pack("a").unwrap().bytes;
    let marks = bytes.windows(8).filter(|w| *w == b"\x89PNG\r\n\x1a\n").count();
    assert_eq!(marks, 2);
    let errors: Vec<_> = rules::check(session.source())
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

fn image_of(width: u32, height: u32) -> image::DynamicImage {
    image::RgbImage::from_fn(width, height, |x, y| image::Rgb([x as u8 * 80, y as u8 * 100, 7]))
        .into()
}

#[test]
fn open_animations_play_once() {
    let clip = |options: &str| {
        let key = "AnimationKey { 2; 2; 0; 3; 0;0;0;;, 4800; 3; 1;0;0;;; }";
        format!(
            "Frame A {{ {MATRIX} {} }} AnimationSet Go {{ Animation {{ {{ A }} {key} {options} \
            }} }}",
            triangle("")
        )
    };
    let how = |text: &str| opened(text).document().clips.values().next().unwrap().repeat;
    assert_eq!(how(&clip("AnimationOptions { 1; 1; }")), Some(Repeat::Once));
    assert_eq!(how(&clip("AnimationOptions { 0; 1; }")), Some(Repeat::Loop));
    assert_eq!(how(&clip("")), None);
}

/// Returns the words of a vertex declaration as text.
fn words(values: &[f32]) -> String {
    values.iter().map(|v| format!("{},", v.to_bits())).collect::<String>() + ";"
}

#[test]
fn declared_vertex_data_of_a_mesh_is_imported() {
    // Each vertex has a normal, a tangent, a binormal, two sets of texture coordinates and a color.
    let vertex = |u: f32| {
        let floats =
            words(&[0.0, 0.0, -2.0, 1.0, 0.0, 0.1, 0.0, -1.0, 0.0, u, 0.25, u * 0.5, 0.75]);
        format!("{}{},", floats.trim_end_matches(';'), 0x80FF_0000u32)
    };
    let elements = "2;0;3;0;, 2;0;6;0;, 2;0;7;0;, 1;0;5;0;, 1;0;5;1;, 4;0;10;0;";
    let data = format!("{}{}{};", vertex(0.0), vertex(0.5), vertex(1.0));
    let decl = format!("DeclData {{ 6; {elements}; 42; {data} }}");
    let session = opened(&format!("Frame A {{ {MATRIX} {} }}", triangle(&decl)));
    let primitive = &session.document().meshes.values().next().unwrap().primitives[0];
    // The handedness changes, so z is reversed.
    assert!(primitive.normals.iter().all(|n| *n == Vec3::Z), "{:?}", session.diagnostics);
    let tangent = primitive.tangents[0];
    assert!((tangent.truncate() - Vec3::X).length() < 1e-6, "square to the normal: {tangent}");
    assert_eq!(tangent.w, -1.0, "the binormal is on the other side of n × t");
    assert_eq!(
        primitive.uv0.iter().map(|uv| uv.to_array()).collect::<Vec<_>>(),
        [[0.0, 0.25], [0.5, 0.25], [1.0, 0.25]]
    );
    assert_eq!(primitive.uv1[2].to_array(), [0.5, 0.75]);
    assert_eq!(primitive.colors[0].truncate(), Vec3::X);
    // The older vertex format: a normal and texture coordinates.
    let format = 0x010 | 0x100;
    let data: String =
        (0..3).map(|k| words(&[0.0, 2.0, 0.0, k as f32, 0.5]).replace(';', "")).collect();
    let fvf = format!("FVFData {{ {format}; 15; {data}; }}");
    let session = opened(&format!("Frame A {{ {MATRIX} {} }}", triangle(&fvf)));
    let primitive = &session.document().meshes.values().next().unwrap().primitives[0];
    assert_eq!((primitive.normals[1], primitive.uv0[2].to_array()), (Vec3::Y, [2.0, 0.5]));
    // Too few words, or an unknown type, are reported or refused.
    let few = opened(&format!("Frame A {{ {} }}", triangle("DeclData { 1; 2;0;3;0;; 3; 0,0,0; }")));
    assert!(said(&few, "3 vertices need 3 each"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.x");
    std::fs::write(&path, format!("{HEAD}{}", triangle("DeclData { 1; 99;0;3;0;; 0; }"))).unwrap();
    assert!(
        Session::open(&path, &Default::default())
            .unwrap_err()
            .to_string()
            .contains("unknown type 99")
    );
}

/// Returns a DDS of one block: red or blue.
fn dds(red: bool) -> Vec<u8> {
    let mut words = [0u32; 31];
    (words[0], words[1], words[2], words[3]) = (124, 0x1007, 4, 4);
    (words[18], words[19], words[20], words[26]) = (32, 4, u32::from_le_bytes(*b"DXT1"), 0x1000);
    let mut bytes = b"DDS ".to_vec();
    bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    bytes.extend(if red { [0, 0xF8, 0, 0, 0, 0, 0, 0] } else { [0x1F, 0, 0, 0, 0, 0, 0, 0] });
    bytes
}

#[test]
fn effects_refer_to_color_normal_and_emissive_textures() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("skin.dds"), dds(true)).unwrap();
    std::fs::write(folder.path().join("glow.dds"), dds(false)).unwrap();
    let heights = image::GrayImage::from_fn(8, 8, |x, _| image::Luma([x as u8 * 30]));
    heights.save(folder.path().join("bump.png")).unwrap();
    let of = |name: &str, file: &str| format!("EffectParamString {{ \"{name}\"; \"{file}\"; }}");
    let effect = format!(
        "EffectInstance {{ \"Phong.fx\"; {} {} {} {} }}",
        of("DiffuseTexture", "SKIN.DDS"),
        of("BumpMap", "bump.png"),
        of("GlowMap", "glow.dds"),
        of("SpecularMap", "shine.png"),
    );
    let list = format!(
        "MeshMaterialList {{ 1; 1; 0;; Material {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; \
        {effect} }} }}"
    );
    let path = folder.path().join("a.x");
    std::fs::write(&path, format!("{HEAD}Frame A {{ {MATRIX} {} }}", triangle(&list))).unwrap();
    let open = |height: Option<f32>| {
        Session::open_as(
            &path,
            &Conversion { height, ..Conversion::default() },
            &Default::default(),
        )
        .unwrap()
    };
    let session = open(None);
    let document = session.document();
    let material = document.materials.values().next().unwrap();
    assert!(
        material.base_color_texture.is_some() && material.normal_texture.is_some(),
        "{:?}",
        session.diagnostics
    );
    assert!(material.emissive_texture.is_some() && material.emissive == Vec3::ONE);
    assert_eq!(document.images.len(), 3);
    assert!(said(&session, "“Phong.fx”") && said(&session, "shine.png"));
    assert_eq!(session.imported().unwrap().found.heights, 1);
    // With steeper heights, the normals are tilted more.
    let pictures = |session: &Session| {
        let bytes = session.pack("a").unwrap().bytes;
        let starts: Vec<usize> =
            (0..bytes.len()).filter(|k| bytes[*k..].starts_with(b"\x89PNG\r\n\x1a\n")).collect();
        starts
            .iter()
            .map(|k| image::load_from_memory(&bytes[*k..]).unwrap().to_rgb8())
            .collect::<Vec<_>>()
    };
    let red = |session: &Session| {
        pictures(session).iter().map(|p| p.get_pixel(3, 3).0).collect::<Vec<_>>()
    };
    let (gentle, steep) = (red(&session), red(&open(Some(20.0))));
    let leaning =
        |all: &[[u8; 3]]| all.iter().find(|p| p[2] > 20 && p[1].abs_diff(128) < 3).unwrap()[0];
    assert!(gentle.contains(&[255, 0, 0]) && gentle.contains(&[0, 0, 255]), "{gentle:?}");
    assert!(leaning(&steep) + 20 < leaning(&gentle), "{gentle:?} {steep:?}");
    let errors: Vec<_> = rules::check(session.source())
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn names_in_shift_jis_are_decoded() {
    let (name, _, _) = encoding_rs::SHIFT_JIS.encode("センター表");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.x");
    let mut bytes = format!("{HEAD}Frame ").into_bytes();
    bytes.extend(name.iter());
    bytes.extend(format!(" {{ {MATRIX} {} }}", triangle("")).into_bytes());
    std::fs::write(&path, bytes).unwrap();
    let session = Session::open(&path, &Default::default()).unwrap();
    assert!(
        session.document().node_ids().any(|n| session.document().node(n).label(n) == "センター表")
    );
    // Latin-1 letters are not valid Shift JIS.
    let mut bytes = format!("{HEAD}Frame Caf\u{e9}").replace('\u{e9}', "?").into_bytes();
    let at = bytes.iter().position(|b| *b == b'?').unwrap();
    bytes[at] = 0xE9;
    bytes.extend(format!(" {{ {MATRIX} {} }}", triangle("")).into_bytes());
    std::fs::write(&path, bytes).unwrap();
    let session = Session::open(&path, &Default::default()).unwrap();
    assert!(session.document().node_ids().any(|n| session.document().node(n).label(n) == "Café"));
}

#[test]
fn axes_and_units_are_converted_by_a_node_not_in_the_data() {
    let text = format!("Frame A {{ {MATRIX} {} }}", triangle(""));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.x");
    std::fs::write(&path, format!("{HEAD}{text}").replace("0;1;0;;", "0;0;1;;")).unwrap();
    let shape_of = |up: UpAxis, unit: Option<f32>| {
        let session = Session::open_as(
            &path,
            &Conversion { up: Some(up), unit, ..Conversion::default() },
            &Default::default(),
        )
        .unwrap();
        let raw =
            session.document().meshes.values().next().unwrap().primitives[0].positions.to_vec();
        (raw, shape(session.document(), &Stack::default()), session.document().nodes.len())
    };
    let plain = shape_of(UpAxis::Y, None);
    let turned = shape_of(UpAxis::Z, Some(0.5));
    assert_eq!(plain.0, turned.0);
    assert_eq!(plain.2 + 1, turned.2);
    // The up direction of the file becomes up here. The handedness changes, so z equals the old −z.
    assert!((turned.1[2] - Vec3::new(0.0, 0.5, 0.0)).length() < 1e-6, "{:?}", turned.1);
    assert!((turned.1[1] - Vec3::new(0.5, 0.0, 0.0)).length() < 1e-6);
}

#[test]
fn shearing_keys_and_implausible_rates_are_reported() {
    let clip = |keys: &str, head: &str| {
        format!(
            "{head} Frame A {{ {MATRIX} {} }} AnimationSet Go {{ Animation {{ {{ A }} {keys} \
            }} }}",
            triangle("")
        )
    };
    let sheared = "AnimationKey { 4; 1; 0; 16; 1,0.5,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;;; }";
    assert!(said(&opened(&clip(sheared, "")), "1 of its matrix keys have shear"));
    let keys: String = (0..60).map(|k| format!("{k}; 3; {k};0;0;;,")).collect();
    let slow = clip(&format!("AnimationKey {{ 2; 60; {keys}; }}"), "");
    let session = opened(&slow);
    assert!(
        said(&session, "is unlikely") && said(&session, "30 (1.97 s)"),
        "{:?}",
        session.diagnostics
    );
    let found = &session.imported().unwrap().found;
    assert!((found.longest - 59.0 / 4800.0).abs() < 1e-6 && found.rate == Some(4800.0));
    // Converts the file at another rate.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.x");
    std::fs::write(&path, format!("{HEAD}{slow}")).unwrap();
    let conversion = Conversion { rate: Some(30.0), ..Conversion::default() };
    let session = Session::open_as(&path, &conversion, &Default::default()).unwrap();
    assert!(
        (session.document().clips.values().next().unwrap().length() - 59.0 / 30.0).abs() < 1e-5
    );
    assert!(!said(&session, "is unlikely"));
}

/// The command converts a height map of an open file to a normal map, which is added to the file.
/// The rest of the file stays, and undo removes the normal map.
#[test]
fn a_command_converts_a_height_map_to_a_normal_map() {
    use ulna_edit::CommandLine;
    let folder = tempfile::tempdir().unwrap();
    let heights = image::GrayImage::from_fn(8, 8, |x, _| image::Luma([x as u8 * 30]));
    heights.save(folder.path().join("bumps.png")).unwrap();
    image_of(3, 2).save(folder.path().join("skin.png")).unwrap();
    let list = "MeshTextureCoords { 3; 0;0;, 1;0;, 0;1;; }
        MeshMaterialList { 2; 1; 0;; Material Stone { 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename \
        { \"bumps.png\"; } }
        Material Skin { 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename { \"skin.png\"; } } }";
    let path = folder.path().join("a.x");
    std::fs::write(&path, format!("{HEAD}Frame A {{ {MATRIX} {} }}", triangle(list))).unwrap();
    let mut session = Session::open(&path, &Default::default()).unwrap();
    let opened = session.pack("a").unwrap().bytes;
    let line = |material: &str, image: &str| {
        CommandLine::new("material.height_to_normal")
            .with("material", material)
            .with("image", image)
    };
    for (wrong, why) in [
        (line("Gone", "bumps.png"), "no material"),
        (line("Stone", "gone.png"), "no image"),
        (line("Skin", "skin.png"), "has colors"),
        (
            CommandLine::new("material.height_to_normal").with("material", "Stone"),
            "has no normal texture",
        ),
        (line("Stone", "bumps.png").with("strength", -1.0), "“strength” is"),
    ] {
        let said = session.run_line(&wrong).unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
    }
    // Converts two height maps, that of the later material first.
    session.run_line(&line("Skin", "bumps.png").with("strength", 8.0)).unwrap();
    session.run_line(&line("Stone", "bumps.png")).unwrap();
    let document = session.document();
    assert_eq!(document.images.len(), 4);
    let normals = |s: &Session, k: usize| {
        s.document().materials[k.into()].normal_texture.as_ref().map(|t| t.image.index())
    };
    assert_eq!((normals(&session, 0), normals(&session, 1)), (Some(3), Some(2)));
    let steep = |s: &Session, k: usize| {
        let image = image::load_from_memory(&s.document().images[k].bytes).unwrap().to_rgb8();
        image.get_pixel(3, 3).0[0]
    };
    assert!(steep(&session, 2) < steep(&session, 3), "the steeper leans farther");
    let saved = session.pack("a").unwrap();
    let again = Session::open_bytes(&saved.bytes).unwrap();
    assert_eq!((normals(&again, 0), normals(&again, 1)), (Some(3), Some(2)), "{:?}", saved.changes);
    assert_eq!(again.document().materials, session.document().materials);
    let errors: Vec<_> = rules::check(again.source())
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    while session.undo().is_some() {}
    assert_eq!(session.pack("a").unwrap().bytes, opened);
}
