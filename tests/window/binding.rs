//! Opening files of other formats, and binding meshes to joints: what a page shows beforehand, and
//! the resulting document.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use ulna::app::App;

use super::editing::{Window, click, node, press, sample, session, wait};
use crate::common::window::builder;

const BVH: &str = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 90 0\n CHANNELS 6 Xposition Yposition \
    Zposition Zrotation Xrotation Yrotation\n JOINT Head\n {\n  OFFSET 0 60 0\n  CHANNELS 3 \
    Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 20 0\n  }\n }\n}\nMOTION\nFrames: \
    4\nFrame Time: 0.0002\n0 90 0 0 0 0 0 0 0\n0 90 0 0 0 0 0 20 0\n0 90 0 0 0 0 0 40 0\n0 90 0 0 \
    0 0 0 60 0\n";

fn says(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

/// Finds a command with the palette, and runs it.
fn find(window: &mut Window, words: &str) {
    press(window, Modifiers::COMMAND, Key::P);
    window.event(egui::Event::Text(words.to_owned()));
    window.run_steps(3);
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
}

/// Waits until a page with this text is open.
fn page(window: &mut Window, text: &str) {
    for _ in 0..1000 {
        window.step();
        if says(window, text) {
            window.run_steps(3);
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("“{text}” does not come");
}

#[test]
fn the_conversion_page_lists_the_content_of_a_capture_and_opens_it_with_the_chosen_axes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nod.bvh");
    std::fs::write(&path, BVH).expect("a file");
    let mut window = builder().build_eframe(move |cc| App::new(cc, Some(path)));
    page(&mut window, "Open nod.bvh");
    assert!(window.state().session().is_none(), "nothing is open before it is agreed to");
    assert!(says(&window, "Skeleton: 3 joints, 1 root") && !says(&window, "meshes"));
    assert!(says(&window, "estimated"));
    // Three frames at 5000 per second are implausible, so the page suggests likely rates.
    assert!(says(&window, "is unlikely"));
    click(&mut window, "Z up");
    assert!(says(&window, "longest clip"));
    window.get_by_label("Open with 1 clip").click();
    wait(&mut window);
    let document = session(&window).document();
    assert_eq!(document.clips.count(), 1);
    let root = document
        .node_ids()
        .find(|n| document.node(*n).parent.is_none() && document.node(*n).mesh.is_none());
    let turn = document.node(root.expect("a root")).rest.transform();
    assert!(
        (turn.rotation * glam::Vec3::Z - glam::Vec3::Y).length() < 1e-5,
        "what is up in it is up"
    );
    assert!((turn.scale.x - 0.01).abs() < 1e-7 || (turn.scale.x - 0.0254).abs() < 1e-7, "{turn:?}");
    assert!(!says(&window, "Ulna had an internal error"));
}

#[test]
fn rebinding_at_the_current_pose_lists_its_changes_in_advance() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    click(&mut window, "LeftUpperArm");
    let arm = node(&window, "LeftUpperArm");
    let before =
        session(&window).document().skins.values().next().expect("a skin").inverse_bind.clone();
    find(&mut window, "pose.rotate");
    window.event(egui::Event::Text("30".to_owned()));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    find(&mut window, "Rebind at a pose…");
    page(&mut window, "What will change");
    assert!(
        says(&window, "the farthest joint is")
            && says(&window, "given the current pose as rest pose")
    );
    window.get_by_label("Rebind").click();
    window.run_steps(4);
    let document = session(&window).document();
    assert!(document.skins.values().next().expect("a skin").inverse_bind != before);
    assert!(document.node(arm).pose.is_none(), "the pose is the rest now");
    assert_eq!(session(&window).history().done().len(), 2);
    wait(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    wait(&mut window);
    assert!(
        session(&window).document().skins.values().next().expect("a skin").inverse_bind == before
    );
    assert!(!says(&window, "Ulna had an internal error"));
}

#[test]
fn the_strength_of_height_maps_is_set_on_the_conversion_page() {
    let folder = tempfile::tempdir().expect("a folder");
    image::GrayImage::from_fn(8, 8, |x, _| image::Luma([x as u8 * 30]))
        .save(folder.path().join("bump.png"))
        .expect("a picture");
    let effect =
        "EffectInstance { \"Phong.fx\"; EffectParamString { \"BumpMap\"; \"bump.png\"; } }";
    let text = format!(
        "xof 0303txt 0032\nFrame A {{ Mesh {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;
         MeshTextureCoords {{ 3; 0;0;, 1;0;, 0;1;; }}
         MeshMaterialList {{ 1; 1; 0;; Material Stone {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; {effect} }} \
         }} }} }}"
    );
    let path = folder.path().join("stone.x");
    std::fs::write(&path, text).expect("a file");
    let mut window = builder().wgpu().build_eframe(move |cc| App::new(cc, Some(path)));
    page(&mut window, "Open stone.x");
    assert!(says(&window, "1 height map becomes a normal map"));
    window.get_by_label("Strength of height maps").focus();
    window.run_steps(2);
    window.event(egui::Event::Text("20".to_owned()));
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(3);
    window.get_by_label("Open").click();
    wait(&mut window);
    let document = session(&window).document();
    assert!(document.materials[0.into()].normal_texture.is_some());
    let conversion = &session(&window).imported().expect("an import").conversion;
    assert_eq!(conversion.height, Some(20.0));
    assert!(!says(&window, "Ulna had an internal error"));
}

/// Binding rebuilds the scene on the device. A model that is rebound in its current pose must look
/// the same, with its textures.
#[test]
fn rebinding_at_the_current_pose_does_not_change_the_picture() {
    let (mut window, _folder, _) = sample();
    click(&mut window, "Pose mode");
    window.run_steps(20);
    let picture = |window: &mut Window| {
        let rect = window.get_by_label("Viewport").rect().shrink(80.0);
        let image = window.render().expect("a picture");
        image::imageops::crop_imm(
            &image,
            rect.left() as u32,
            rect.top() as u32,
            rect.width() as u32,
            rect.height() as u32,
        )
        .to_image()
    };
    let before = picture(&mut window);
    find(&mut window, "Rebind at a pose…");
    page(&mut window, "What will change");
    window.get_by_label("Rebind").click();
    window.run_steps(4);
    wait(&mut window);
    window.run_steps(20);
    assert_eq!(session(&window).history().done().len(), 1);
    let after = picture(&mut window);
    let apart = |(a, b): (&u8, &u8)| u64::from(a.abs_diff(*b));
    let sum: u64 = before.as_raw().iter().zip(after.as_raw()).map(apart).sum();
    let mean = sum as f64 / before.as_raw().len() as f64;
    // The picture contains the hands, so it is not just one color.
    assert!(before.pixels().any(|p| p.0[0] > 90) && mean < 0.5, "{mean}");
}
