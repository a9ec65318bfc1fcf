//! Malformed and unusual FBX files, generated here as text.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::fs;

use ulna_formats::gltf::rules;
use ulna_model::{Diagnostic, Severity};
use ulna_session::{Conversion, Session};

/// Ticks per second in FBX.
const SECOND: i64 = 46_186_158_000;

/// Builder of a small FBX file.
struct Fbx {
    settings: String,
    objects: String,
    connections: String,
}

impl Fbx {
    fn new() -> Self {
        let axes = [("UpAxis", 1), ("FrontAxis", 2), ("CoordAxis", 0)];
        let number =
            |name: &str, value: i32| format!("P: \"{name}\", \"int\", \"Integer\", \"\",{value}\n");
        let mut settings: String = axes
            .map(|(name, axis)| number(name, axis) + &number(&format!("{name}Sign"), 1))
            .concat();
        settings += "P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n";
        Self { settings, objects: String::new(), connections: String::new() }
    }

    fn setting(mut self, line: &str) -> Self {
        self.settings += &format!("{line}\n");
        self
    }

    fn object(mut self, text: &str) -> Self {
        self.objects += &format!("{text}\n");
        self
    }

    fn connected(mut self, below: i64, above: i64) -> Self {
        self.connections += &format!("C: \"OO\",{below},{above}\n");
        self
    }

    fn property(mut self, below: i64, above: i64, name: &str) -> Self {
        self.connections += &format!("C: \"OP\",{below},{above}, \"{name}\"\n");
        self
    }

    /// Adds a joint or a mesh node below `parent`; 0 means no parent.
    fn node(self, id: i64, name: &str, kind: &str, parent: i64, properties: &str) -> Self {
        let made = if kind == "LimbNode" {
            self.object(&format!(
                "NodeAttribute: {}, \"NodeAttribute::\", \"LimbNode\" {{\n\
                    TypeFlags: \"Skeleton\"\n}}",
                id + 10_000
            ))
            .connected(id + 10_000, id)
        } else {
            self
        };
        made.object(&format!(
            "Model: {id}, \"Model::{name}\", \"{kind}\" {{\nVersion: 232\n\
                Properties70: {{\n{properties}\n}}\n}}"
        ))
        .connected(id, parent)
    }

    /// Adds a square mesh to a node.
    fn square(self, id: i64, node: i64) -> Self {
        self.object(&format!(
            "Geometry: {id}, \"Geometry::g\", \"Mesh\" {{\n\
                Vertices: *12 {{\na: 0,0,0,100,0,0,100,100,0,0,100,0\n}}\n\
                PolygonVertexIndex: *4 {{\na: 0,1,2,-4\n}}\n}}"
        ))
        .connected(id, node)
    }

    /// Adds a skin to a geometry. One joint influences all of its vertices.
    fn skin(self, id: i64, geometry: i64, joint: i64, matrices: &str) -> Self {
        let cluster = id + 1;
        self.object(&format!(
            "Deformer: {id}, \"Deformer::\", \"Skin\" {{\nVersion: 101\n}}\n\
             Deformer: {cluster}, \"SubDeformer::\", \"Cluster\" {{\nVersion: 100\n\
             Indexes: *4 {{\na: 0,1,2,3\n}}\nWeights: *4 {{\na: 1,1,1,1\n}}\n{matrices}\n}}"
        ))
        .connected(id, geometry)
        .connected(cluster, id)
        .connected(joint, cluster)
    }

    /// Adds a take that moves a node along X. Each key is a pair of seconds and value.
    fn take(self, id: i64, name: &str, node: i64, keys: &[(f64, f64)]) -> Self {
        let (layer, moved, curve) = (id + 1, id + 2, id + 3);
        let ticks = |t: f64| (t * SECOND as f64).round() as i64;
        let list = |all: Vec<String>| all.join(",");
        let times = list(keys.iter().map(|k| ticks(k.0).to_string()).collect());
        let values = list(keys.iter().map(|k| k.1.to_string()).collect());
        let count = keys.len();
        self.object(&format!(
            "AnimationStack: {id}, \"AnimStack::{name}\", \"\" {{\nProperties70: {{\n\
             P: \"LocalStart\", \"KTime\", \"Time\", \"\",{}\n\
             P: \"LocalStop\", \"KTime\", \"Time\", \"\",{}\n}}\n}}\n\
             AnimationLayer: {layer}, \"AnimLayer::Base\", \"\" {{\n}}\n\
             AnimationCurveNode: {moved}, \"AnimCurveNode::T\", \"\" {{\nProperties70: {{\n\
             P: \"d|X\", \"Number\", \"\", \"A\",0\n}}\n}}\n\
             AnimationCurve: {curve}, \"AnimCurve::\", \"\" {{\nDefault: 0\nKeyVer: 4009\n\
             KeyTime: *{count} {{\na: {times}\n}}\nKeyValueFloat: *{count} {{\na: {values}\n}}\n\
             KeyAttrFlags: *1 {{\na: 4\n}}\nKeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\n\
             KeyAttrRefCount: *1 {{\na: {count}\n}}\n}}",
            ticks(keys[0].0),
            ticks(keys[count - 1].0),
        ))
        .connected(layer, id)
        .connected(moved, layer)
        .property(moved, node, "Lcl Translation")
        .property(curve, moved, "d|X")
    }

    fn text(&self) -> String {
        format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension: {{\nFBXHeaderVersion: 1003\n\
             FBXVersion: 7400\nCreator: \"test\"\n}}\nGlobalSettings: {{\nVersion: 1000\n\
             Properties70: {{\n{}}}\n}}\nObjects: {{\n{}}}\nConnections: {{\n{}}}\n",
            self.settings, self.objects, self.connections
        )
    }

    fn opened(&self) -> Session {
        opened(self.text().as_bytes(), &Conversion::default()).unwrap()
    }
}

/// Opens bytes as an FBX file. The result must not violate the glTF rules.
fn opened(bytes: &[u8], conversion: &Conversion) -> Result<Session, ulna_formats::gltf::ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.fbx");
    fs::write(&path, bytes).unwrap();
    let session = Session::open_as(&path, conversion, &Default::default())?;
    let report = rules::check(session.source());
    let errors: Vec<&Diagnostic> =
        report.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    Ok(session)
}

fn joints(session: &Session) -> usize {
    session.document().joint_flags().iter().filter(|joint| **joint).count()
}

fn lengths(session: &Session) -> Vec<(String, f64)> {
    let clips = session.document().clips.values();
    let of = |c: &ulna_model::Shared<ulna_model::Clip>| {
        (c.name.as_deref().unwrap_or_default().to_owned(), f64::from(c.length()))
    };
    clips.map(of).collect()
}

#[test]
fn files_that_are_not_fbx_are_refused_with_a_message() {
    for bytes in [
        &b""[..],
        b"hello",
        b"\0\0\0\0",
        b"Kaydara FBX Binary  \0\x1a\0",
        b"; FBX 7.4.0 project file\nObjects: {",
    ] {
        let error = opened(bytes, &Conversion::default()).unwrap_err().to_string();
        assert!(error.contains("cannot be read: "), "{error}");
        assert!(error.len() > 40 && !error.contains("ufbx"), "{error}");
    }
}

#[test]
fn clips_of_a_file_without_a_rate_or_with_negative_times_start_at_0() {
    let with_joint = || {
        Fbx::new().node(10, "hips", "LimbNode", 0, "").take(
            50,
            "walk",
            10,
            &[(-2.0, 0.0), (1.0, 90.0)],
        )
    };
    let zero = "P: \"TimeMode\", \"enum\", \"\", \"\",14\n\
        P: \"CustomFrameRate\", \"double\", \"Number\", \"\",0";
    for file in [with_joint(), with_joint().setting(zero)] {
        let session = file.opened();
        let made = lengths(&session);
        assert_eq!(made.len(), 1, "{made:?}");
        assert!((made[0].1 - 3.0).abs() < 1e-4, "{made:?}");
    }
    // Clips with negative start times begin at 0 even if start times are kept, because glTF has no
    // negative times.
    let conversion = Conversion { keep_offset: true, ..Conversion::default() };
    let session = opened(with_joint().text().as_bytes(), &conversion).unwrap();
    assert!((lengths(&session)[0].1 - 3.0).abs() < 1e-4);
}

#[test]
fn each_take_is_a_clip_and_takes_without_motion_are_left_out() {
    let file = Fbx::new()
        .node(10, "hips", "LimbNode", 0, "")
        .take(50, "walk", 10, &[(0.0, 0.0), (1.0, 90.0)])
        .take(60, "run", 10, &[(0.0, 0.0), (0.5, 90.0)])
        .take(70, "still", 10, &[(0.0, 5.0), (2.0, 5.0)]);
    let session = file.opened();
    let names: Vec<String> = lengths(&session).into_iter().map(|c| c.0).collect();
    assert_eq!(names, ["walk", "run"]);
    assert_eq!(session.imported().unwrap().found.clips.len(), 3);
    let all = Conversion { clips: Some([1, 2].into()), ..Conversion::default() };
    let names: Vec<String> =
        lengths(&opened(file.text().as_bytes(), &all).unwrap()).into_iter().map(|c| c.0).collect();
    assert_eq!(names, ["run", "still"]);
}

#[test]
fn nodes_of_several_skeletons_and_of_one_without_a_mesh_are_joints() {
    let file = Fbx::new()
        .node(10, "a:hips", "LimbNode", 0, "")
        .node(11, "a:spine", "LimbNode", 10, "")
        .node(20, "b:hips", "LimbNode", 0, "")
        .node(21, "b:spine", "LimbNode", 20, "");
    let session = file.opened();
    assert_eq!(joints(&session), 4);
    let names: Vec<&str> =
        session.document().nodes.values().filter_map(|n| n.name.as_deref()).collect();
    assert!(names.contains(&"a:spine") && names.contains(&"b:spine"), "{names:?}");
    assert_eq!(session.document().nodes.count(), 5, "one node stands above both: {names:?}");
}

#[test]
fn a_singular_or_missing_bind_matrix_is_computed_from_the_rest_pose() {
    let flat = "Transform: *16 {\na: 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1\n}\n\
        TransformLink: *16 {\na: 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1\n}";
    for matrices in [flat, ""] {
        let file = Fbx::new()
            .node(10, "hips", "LimbNode", 0, "")
            .node(30, "body", "Mesh", 0, "")
            .square(31, 30)
            .skin(40, 31, 10, matrices);
        let session = file.opened();
        let document = session.document();
        let corner = super::odd_files::shape(document, &ulna_motion::Stack::default());
        let size = corner.iter().fold(0.0, |s: f64, p| s.max(p.length()));
        assert!((size - 2f64.sqrt()).abs() < 1e-5, "{size}");
    }
}

#[test]
fn files_with_zero_scale_and_with_a_hundred_meshes_open() {
    let zero = "P: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",0,0,0";
    let mut file = Fbx::new()
        .node(10, "hips", "LimbNode", 0, zero)
        .node(30, "body", "Mesh", 10, "")
        .square(31, 30)
        .skin(40, 31, 10, "");
    for k in 0..100 {
        let id = 1000 + k * 10;
        file = file.node(id, &format!("part {k}"), "Mesh", 0, "").square(id + 1, id);
    }
    let session = file.opened();
    let shown = session.document().nodes.values().filter(|n| n.mesh.is_some()).count();
    assert_eq!(shown, 101);
}

#[test]
fn a_texture_outside_the_folder_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.png");
    fs::copy("assets/icon.png", &secret)
        .or_else(|_| fs::write(&secret, b"\x89PNG\r\n\x1a\n").map(|()| 0))
        .unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let texture = "Material: 60, \"Material::m\", \"\" {\nVersion: 102\n\
        ShadingModel: \"phong\"\n}\n\
        Texture: 61, \"Texture::t\", \"\" {\nType: \"TextureVideoClip\"\n\
        FileName: \"PATH\"\nRelativeFilename: \"../secret.png\"\n}";
    let file = Fbx::new()
        .node(30, "body", "Mesh", 0, "")
        .square(31, 30)
        .object(&texture.replace("PATH", &secret.display().to_string()))
        .connected(60, 30)
        .property(61, 60, "DiffuseColor");
    let path = inner.join("made.fbx");
    fs::write(&path, file.text()).unwrap();
    let session = Session::open(&path, &Default::default()).unwrap();
    assert!(session.document().images.is_empty());
    let found = &session.imported().unwrap().found;
    assert_eq!(found.missing_textures.len(), 1, "{found:?}");
    assert!(found.differences.iter().any(|d| d.code == "ULNA_FBX_TEXTURE" && d.is_loss));
}

#[test]
fn the_command_line_lists_the_content_and_converts_the_requested_part() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("made.fbx"), folder.path().join("made.glb"));
    let file = Fbx::new()
        .node(10, "hips", "LimbNode", 0, "")
        .node(30, "body", "Mesh", 0, "")
        .square(31, 30)
        .take(50, "walk", 10, &[(0.0, 0.0), (1.0, 90.0)])
        .take(60, "run", 10, &[(0.5, 0.0), (1.0, 90.0)])
        .take(70, "still", 10, &[(0.0, 5.0), (2.0, 5.0)]);
    fs::write(&from, file.text()).unwrap();
    let ulna = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ulna"));
        command.args(arguments).output().unwrap()
    };
    let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
    let facts = |path: &str| -> serde_json::Value {
        serde_json::from_slice(&ulna(&["info", path, "--json"]).stdout).unwrap()
    };
    let imported = &facts(from)["imported"];
    assert_eq!((&imported["format"], &imported["up"]), (&"FBX".into(), &"Y".into()));
    let of =
        |k: usize| (imported["clips"][k]["name"].clone(), imported["clips"][k]["moves"].clone());
    assert_eq!(of(0), ("walk".into(), true.into()));
    assert_eq!(of(2), ("still".into(), false.into()));
    let text = String::from_utf8(ulna(&["info", from]).stdout).unwrap();
    assert!(text.contains("clip 3 in the file: still, ") && text.contains(", nothing moves"));
    assert!(text.contains("converted from FBX 7.4"), "{text}");

    // Clips are chosen by name and by number. A clip that begins after 0 keeps its start time.
    let taken = ["--clips", "run,3", "--without", "meshes", "--keep-offset", "--front", "-z"];
    let done = ulna(&[&["convert", from, "-o", to], &taken[..]].concat());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let made = facts(to);
    assert_eq!(
        (&made["clips"][0]["name"], &made["clips"][1]["name"]),
        (&"run".into(), &"still".into())
    );
    assert_eq!(made["clips"].as_array().unwrap().len(), 2);
    assert_eq!(made["clips"][0]["length"], 1.0);
    assert!(made["meshes"].as_array().unwrap().is_empty() && made["imported"].is_null());

    let refused = ulna(&["convert", from, "-o", to, "--clips", "jump"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("no clip “jump”; available: 1 walk, 2 run, 3 still"), "{said}");
}
