//! The page that opens before a file of another format is imported: which content is imported or
//! left out, and files that are dropped together.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use egui_kittest::kittest::{NodeT as _, Queryable as _};
use ulna::app::App;
use ulna_session::Session;

use super::editing::{Window, ask_for, click, sample, session};
use crate::common::window::{builder, wait, wait_until};

/// Ticks per second in FBX.
const SECOND: i64 = 46_186_158_000;

/// Returns a text FBX file in centimeters with hips, a helper node, and a chest at a height of 160
/// cm. Each take has a name, and a flag that makes it rotate the hips. With `has_mesh`, a mesh is
/// skinned to both joints.
fn fbx(has_mesh: bool, takes: &[(&str, bool)]) -> String {
    let mut objects = String::new();
    let mut links = String::new();
    let nodes = [(101, "Hips", 0, 90), (102, "Helper", 101, 40), (103, "Chest", 102, 30)];
    for (id, name, parent, height) in nodes {
        let kind = if name == "Helper" { "Null" } else { "LimbNode" };
        let at = format!("P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,{height},0");
        writeln!(
            objects,
            "Model: {id}, \"Model::{name}\", \"{kind}\" {{\nVersion: 232\n\
                Properties70:  {{\n{at}\n}}\n}}"
        )
        .unwrap();
        writeln!(links, "C: \"OO\",{id},{parent}").unwrap();
        if kind == "LimbNode" {
            let attribute = id + 100;
            writeln!(
                objects,
                "NodeAttribute: {attribute}, \"NodeAttribute::\", \"LimbNode\" {{\nTypeFlags: \
                    \"Skeleton\"\n}}"
            )
            .unwrap();
            writeln!(links, "C: \"OO\",{attribute},{id}").unwrap();
        }
    }
    if has_mesh {
        objects.push_str(
            "Model: 110, \"Model::Body\", \"Mesh\" {\nVersion: 232\n}\n\
                Geometry: 301, \"Geometry::Body\", \"Mesh\" {\n\
                Vertices: *12 {\na: -20,0,0,20,0,0,20,160,0,-20,160,0\n}\n\
                PolygonVertexIndex: *4 {\na: 0,1,2,-4\n}\n}\n\
                Deformer: 401, \"Deformer::Skin\", \"Skin\" {\nVersion: 101\n}\n",
        );
        links.push_str("C: \"OO\",110,0\nC: \"OO\",301,110\nC: \"OO\",401,301\n");
        for (id, joint, vertices, height) in [(402, 101, "0,1", 90), (403, 103, "2,3", 160)] {
            let moved = |y: i32| format!("1,0,0,0,0,1,0,0,0,0,1,0,0,{y},0,1");
            writeln!(
                objects,
                "Deformer: {id}, \"SubDeformer::\", \"Cluster\" {{\nVersion: 100\n\
                    Indexes: *2 {{\na: {vertices}\n}}\nWeights: *2 {{\na: 1,1\n}}\n\
                    Transform: *16 {{\na: {}\n}}\nTransformLink: *16 {{\na: {}\n}}\n}}",
                moved(-height),
                moved(height)
            )
            .unwrap();
            writeln!(links, "C: \"OO\",{id},401\nC: \"OO\",{joint},{id}").unwrap();
        }
    }
    for (k, (name, moves)) in takes.iter().enumerate() {
        let [stack, layer, node, curve] = [0, 1, 2, 3].map(|of| 500 + k * 10 + of);
        let turn = if *moves { 45 } else { 0 };
        write!(
            objects,
            "AnimationStack: {stack}, \"AnimStack::{name}\", \"\" {{\nProperties70:  {{\n\
                P: \"LocalStop\", \"KTime\", \"Time\", \"\",{SECOND}\n}}\n}}\n\
                AnimationLayer: {layer}, \"AnimLayer::Base\", \"\" {{\n}}\n\
                AnimationCurveNode: {node}, \"AnimCurveNode::R\", \"\" {{\nProperties70:  {{\n\
                P: \"d|X\", \"Number\", \"\", \"A\",0\nP: \"d|Y\", \"Number\", \"\", \"A\",0\n\
                P: \"d|Z\", \"Number\", \"\", \"A\",0\n}}\n}}\n\
                AnimationCurve: {curve}, \"AnimCurve::\", \"\" {{\nDefault: 0\nKeyVer: 4008\n\
                KeyTime: *2 {{\na: 0,{SECOND}\n}}\nKeyValueFloat: *2 {{\na: 0,{turn}\n}}\n\
                KeyAttrFlags: *1 {{\na: 4\n}}\nKeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\n\
                KeyAttrRefCount: *1 {{\na: 2\n}}\n}}\n"
        )
        .unwrap();
        write!(
            links,
            "C: \"OP\",{curve},{node},\"d|X\"\nC: \"OP\",{node},101,\"Lcl Rotation\"\n\
                C: \"OO\",{node},{layer}\nC: \"OO\",{layer},{stack}\n"
        )
        .unwrap();
    }
    let axis = |name: &str, axis: i32| {
        format!(
            "P: \"{name}\", \"int\", \"Integer\", \"\",{axis}\n\
                P: \"{name}Sign\", \"int\", \"Integer\", \"\",1\n"
        )
    };
    format!(
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\nFBXHeaderVersion: 1003\n\
            FBXVersion: 7400\nCreator: \"Test writer\"\n}}\nGlobalSettings:  {{\nVersion: 1000\n\
            Properties70:  {{\n{}{}{}P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n\
            }}\n}}\n\
            Objects:  {{\n{objects}}}\nConnections:  {{\n{links}}}\n",
        axis("UpAxis", 1),
        axis("FrontAxis", 2),
        axis("CoordAxis", 0),
    )
}

/// Writes an FBX file made by [`fbx`] to a folder.
fn file(folder: &Path, name: &str, has_mesh: bool, takes: &[(&str, bool)]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, fbx(has_mesh, takes)).unwrap();
    path
}

/// Opens the program on an FBX file made by [`fbx`], and waits for the import page.
fn page(name: &str, takes: &[(&str, bool)]) -> (Window, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), name, true, takes);
    let mut window = builder().build_eframe(move |cc| App::new(cc, Some(path)));
    wait_for_page(&mut window);
    (window, folder)
}

fn wait_for_page(window: &mut Window) {
    wait_until(window, |app| !app.is_busy());
    window.run_steps(3);
    assert!(window.query_by_label("Differences in glTF").is_some(), "the page is shown");
}

/// A file as the system passes it in a drop.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        fs::read(&self.0).map_err(|e| e.to_string())
    }
}

fn drop_files(window: &mut Window, paths: &[PathBuf]) {
    let files = paths.iter().map(|p| Arc::new(Dropped(p.clone())) as egui::DroppedFileHandle);
    window.input_mut().dropped_files = files.collect();
    window.step();
}

fn clip_names(session: &Session) -> Vec<String> {
    let document = session.document();
    document.clips.ids().map(|id| document.clip_label(id)).collect()
}

fn node_names(session: &Session) -> Vec<String> {
    let document = session.document();
    document.node_ids().map(|n| document.node(n).label(n)).collect()
}

#[test]
fn unchecked_clips_and_content_are_not_imported() {
    let (mut window, _folder) = page("body.fbx", &[("Walk", true), ("Bind", false), ("Run", true)]);
    assert!(window.state().session().is_none(), "nothing is open before it is chosen");
    let row = window.get_by_label("Include Bind");
    assert_eq!(row.accesskit_node().toggled(), Some(egui::accesskit::Toggled::False));
    assert!(window.query_by_label("Open with 2 clips").is_some());
    click(&mut window, "Include Walk");
    click(&mut window, "Include Bind");
    click(&mut window, "Include meshes");
    click(&mut window, "Open with 2 clips");
    wait(&mut window);
    let opened = session(&window);
    assert_eq!(clip_names(opened), ["Bind", "Run"]);
    assert!(opened.document().meshes.is_empty());
    assert_eq!(opened.file_name(), "body.fbx");
    assert!(window.query_by_label("Differences in glTF").is_none(), "the page is closed");
}

#[test]
fn the_chosen_unit_and_up_axis_change_the_document() {
    let height = |window: &Window| {
        let document = session(window).document();
        let pose = ulna_motion::Pose::evaluate(document, &ulna_motion::Stack::default());
        let chest = super::editing::node(window, "Chest");
        pose.world[chest.index()].w_axis.truncate()
    };
    let (mut window, _folder) = page("body.fbx", &[]);
    click(&mut window, "Open");
    wait(&mut window);
    assert!((height(&window).y - 1.6).abs() < 1e-4, "{}", height(&window));
    let (mut window, _folder) = page("body.fbx", &[]);
    click(&mut window, "Z up");
    assert!(window.query_by_label("Height in meters").is_none(), "it lies flat");
    click(&mut window, "Reset axes");
    click(&mut window, "X up");
    window.get_by_label("Unit: centimeters").click();
    window.run_steps(3);
    click(&mut window, "decimeters");
    // The first Enter applies the field. The second one opens the file.
    window.get_by_label("Ticks or frames per second").focus();
    window.run_steps(2);
    for key in [egui::Key::Enter, egui::Key::Enter] {
        assert!(window.state().session().is_none());
        super::editing::press(&mut window, egui::Modifiers::NONE, key);
    }
    wait(&mut window);
    let at = height(&window);
    assert!(at.y.abs() < 1e-3 && (at.length() - 16.0).abs() < 1e-3, "{at}");
}

#[test]
fn scale_and_rotation_above_the_skeleton_are_applied_unless_switched_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scaled.fbx");
    let armature = "Model: 100, \"Model::Armature\", \"Null\" {\nVersion: 232\n\
        Properties70:  {\nP: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",2,2,2\n}\n}\n";
    let text = fbx(true, &[("Walk", true)])
        .replace("Objects:  {\n", &format!("Objects:  {{\n{armature}"))
        .replace("C: \"OO\",101,0\n", "C: \"OO\",101,100\nC: \"OO\",100,0\n");
    fs::write(&path, text).unwrap();
    for keeps in [false, true] {
        let file = path.clone();
        let mut window = builder().build_eframe(move |cc| App::new(cc, Some(file)));
        wait_for_page(&mut window);
        if keeps {
            click(&mut window, "Apply scale and rotation to the skeleton");
        }
        click(&mut window, "Open with 1 clip");
        wait(&mut window);
        let document = session(&window).document();
        let armature = super::editing::node(&window, "Armature");
        let scale = document.node(armature).local().transform().scale.x;
        assert!((scale - if keeps { 2.0 } else { 1.0 }).abs() < 1e-5, "{scale}");
        let pose = ulna_motion::Pose::evaluate(document, &ulna_motion::Stack::default());
        let chest = pose.world[super::editing::node(&window, "Chest").index()].w_axis.y;
        assert!((chest - 3.2).abs() < 1e-4, "it stands where the file has it: {chest}");
    }
}

#[test]
fn helper_nodes_are_removed_as_one_step_if_chosen() {
    let (mut window, _folder) = page("body.fbx", &[("Walk", true)]);
    click(&mut window, "Open with 1 clip");
    wait(&mut window);
    assert!(node_names(session(&window)).contains(&"Helper".to_owned()));
    let (mut window, _folder) = page("body.fbx", &[("Walk", true)]);
    click(&mut window, "Clean up helper nodes");
    click(&mut window, "Open with 1 clip");
    wait(&mut window);
    wait_until(&mut window, |app| app.session().is_some_and(|s| !s.history().done().is_empty()));
    assert!(!node_names(session(&window)).contains(&"Helper".to_owned()));
    assert_eq!(session(&window).history().done().len(), 1);
    super::editing::press(&mut window, egui::Modifiers::COMMAND, egui::Key::Z);
    assert!(node_names(session(&window)).contains(&"Helper".to_owned()), "undo brings it back");
}

#[test]
fn several_dropped_files_are_opened_as_one_model_with_their_clips() {
    let folder = tempfile::tempdir().unwrap();
    let walk = file(folder.path(), "walk.fbx", false, &[("mixamo.com", true)]);
    let body = file(folder.path(), "body.fbx", true, &[("Idle", true)]);
    let run = file(folder.path(), "run.fbx", false, &[("mixamo.com", true)]);
    let idle = file(folder.path(), "wait.fbx", false, &[("Idle", true)]);
    let bad = folder.path().join("bad.fbx");
    fs::write(&bad, "Kaydara nothing").unwrap();
    // Asking for a file that does not exist leads to the welcome page.
    let missing = folder.path().join("missing.glb");
    let mut window = builder().build_eframe(|cc| App::new(cc, Some(missing)));
    wait_until(&mut window, |app| !app.is_busy());
    let text = {
        let said = window.query_all_by_label_contains("could not be opened");
        said.filter_map(|n| n.accesskit_node().value()).next().expect("a message")
    };
    assert_eq!(text.matches("missing.glb").count(), 1, "{text}");
    assert!(!text.contains("os error"), "{text}");
    drop_files(&mut window, &[walk, body, run, bad, idle]);
    wait_for_page(&mut window);
    assert!(window.query_by_label("Open body.fbx").is_some(), "the first file with a mesh");
    assert!(window.query_by_label("Include clips of walk.fbx").is_some());
    click(&mut window, "Include clips of run.fbx");
    click(&mut window, "Open with 3 clips");
    wait(&mut window);
    let opened = session(&window);
    assert_eq!(clip_names(opened), ["Idle", "walk", "wait"]);
    assert_eq!(opened.document().meshes.count(), 1);
    let count = opened.document().clips.values().map(|c| c.key_count()).collect::<Vec<_>>();
    assert!(count.iter().all(|n| *n > 0), "{count:?}");
}

#[test]
fn clips_of_another_format_are_imported_onto_the_open_model_without_a_question_about_its_changes() {
    let folder = tempfile::tempdir().unwrap();
    let body = file(folder.path(), "body.fbx", true, &[]);
    let walk = file(folder.path(), "walk.fbx", false, &[("Walk", true), ("Run", true)]);
    let mut window = builder().build_eframe(move |cc| App::new(cc, Some(body)));
    wait_for_page(&mut window);
    assert!(window.query_by_label_contains("Import clips onto").is_none(), "nothing is open");
    click(&mut window, "Open");
    wait(&mut window);
    super::editing::press(&mut window, egui::Modifiers::NONE, egui::Key::Num1);
    let before = session(&window).document().meshes.count();
    drop_files(&mut window, &[walk]);
    wait_for_page(&mut window);
    click(&mut window, "Include Run");
    click(&mut window, "Import clips onto body.fbx…");
    wait_until(&mut window, |app| !app.is_busy());
    for _ in 0..400 {
        if window.query_by_label("Import 1 clip").is_some() {
            break;
        }
        window.step();
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    window.run_steps(5);
    click(&mut window, "Import 1 clip");
    assert_eq!(clip_names(session(&window)), ["Walk"]);
    assert_eq!(session(&window).document().meshes.count(), before);
    assert_eq!(session(&window).file_name(), "body.fbx");
}

#[test]
fn the_import_page_asks_about_unsaved_work_only_when_opening() {
    let (mut window, folder, path) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "Head");
    super::editing::press(&mut window, egui::Modifiers::NONE, egui::Key::Delete);
    super::editing::press(&mut window, egui::Modifiers::NONE, egui::Key::Enter);
    window.run_steps(3);
    assert!(session(&window).is_unsaved(), "the head is removed");
    let other = file(folder.path(), "other.fbx", true, &[]);
    ask_for(&mut window, &other);
    wait_for_page(&mut window);
    click(&mut window, "Open");
    assert_eq!(session(&window).path(), Some(&*path), "it is asked first");
    click(&mut window, "Discard changes");
    wait_until(&mut window, |app| {
        !app.is_busy() && app.session().is_some_and(|s| s.file_name() == "other.fbx")
    });
}

#[test]
fn the_import_report_is_saved_and_an_unreadable_file_is_reported_in_a_dialog() {
    let (mut window, folder) = page("body.fbx", &[("Walk", true)]);
    click(&mut window, "Save report…");
    click(&mut window, "Save the report");
    let report = fs::read_to_string(folder.path().join("body.report.txt")).unwrap();
    assert!(report.contains("Test writer") && report.contains("helper node"), "{report}");
    assert!(window.query_by_label("Differences in glTF").is_some(), "the page stays");
    // An existing report is not overwritten.
    fs::write(folder.path().join("body.report.txt"), "mine").unwrap();
    click(&mut window, "Save report…");
    click(&mut window, "Save the report");
    assert_eq!(fs::read_to_string(folder.path().join("body.report.txt")).unwrap(), "mine");
    click(&mut window, "Cancel");
    let bad = folder.path().join("bad.fbx");
    fs::write(&bad, "no file of any kind").unwrap();
    drop_files(&mut window, &[bad]);
    wait_until(&mut window, |app| !app.is_busy());
    assert!(window.query_by_label("bad.fbx could not be read").is_some());
    click(&mut window, "Choose another file");
    assert!(window.query_by_label("Path").is_some());
}
