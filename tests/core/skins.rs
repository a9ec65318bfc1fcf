//! Meshes rigidly bound to joints, and meshes bound in the current pose. The bind is a snapshot,
//! and nothing else changes.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::{Mat4, Vec3};
use ulna_edit::{CommandLine, Edit, apply};
use ulna_formats::gltf::rules;
use ulna_model::{Document, Local, Node, NodeId, RestSource, Severity, SkinId};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};
use ulna_session::Session;
use ulna_weights::{at_rest, bound_mesh, rests_after, snapshot, world};

use crate::common::{named, run, sample, shared};

/// Returns all scene positions of the vertices of a node's mesh.
fn shape(document: &Document, stack: &Stack, node: NodeId) -> Vec<Vec3> {
    let pose = Pose::evaluate(document, stack);
    let mut all = Vec::new();
    for (_, primitive) in document.mesh(document.node(node).mesh.unwrap()).entries() {
        let placement = Placement::of(document, &pose, node, primitive);
        let mut posed = Posed::default();
        let normals = skinning::base_normals(primitive);
        skinning::skin(primitive, &normals, &pose.morphs[node.index()], &placement, &mut posed);
        all.extend(posed.positions);
    }
    all
}

fn apart(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn size(points: &[Vec3]) -> f32 {
    let (low, high) = points
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    (high - low).max_element()
}

/// Returns the characters of the corpus with one skinned mesh, and the node of the mesh.
fn characters() -> Vec<(&'static str, Session, NodeId)> {
    let Some(shared) = shared() else { return Vec::new() };
    let files = [
        "characters/CesiumMan/CesiumMan.glb",
        "characters/RiggedSimple/RiggedSimple.glb",
        "characters/RiggedFigure/RiggedFigure.glb",
        "characters/Fox49/fox-animations.glb",
        "characters/Knight/Knight.glb",
        "pipeline/Fox-quantized.glb",
    ];
    let mut made = Vec::new();
    for file in files {
        let session =
            Session::open(&shared.join("corpus").join(file), &Default::default()).unwrap();
        let document = session.document();
        let node = document.node_ids().find(|n| document.node(*n).skin.is_some()).unwrap();
        made.push((file, session, node));
    }
    assert_eq!(made.len(), files.len());
    made
}

/// The skin of a mesh is removed, the mesh is placed at its bind pose, and bound to the same joints
/// at rest. The matrices must be the same. With the old weights, the vertices must be the same in
/// all clips.
#[test]
fn rebinding_a_mesh_at_its_bind_restores_its_matrices() {
    let mut clips = 0;
    for (file, session, node) in characters() {
        let document = session.document();
        let skin = document.node(node).skin.unwrap();
        let about = document.skin(skin).clone();
        let rest = at_rest(document);
        let rest_pose = Pose::evaluate(&rest, &Stack::default());
        let place = bound_mesh(&rest, &rest_pose, skin);
        let parent =
            document.node(node).parent.map(|p| world(&rest, &rest_pose, p)).unwrap_or_default();
        let mut bare = rest.clone();
        let local = Local::Matrix((parent.inverse() * place.scene_from_mesh).as_mat4());
        let to = Node {
            skin: None,
            rest: local,
            rest_source: RestSource::File,
            pose: None,
            ..document.node(node).clone()
        };
        apply(&mut bare, Edit::node(node, to)).unwrap();
        let pose = Pose::evaluate(&bare, &Stack::default());
        let found = snapshot(&bare, &pose, &about.joints, &world(&bare, &pose, node)).unwrap();
        for (k, (a, b)) in found.iter().zip(about.inverse_bind.iter()).enumerate() {
            // If the file's joints are not in their bind pose, the tolerance grows by the
            // difference.
            let most = 1e-5 * b.w_axis.truncate().length().max(1.0) + 4.0 * place.apart as f32;
            assert!(place.apart < 1e-3 && a.abs_diff_eq(*b, most), "{file}: joint {k}: {a} {b}");
        }
        let again = ulna_model::Skin { inverse_bind: found.into(), ..about.clone() };
        let mut bound = bare.clone();
        apply(&mut bound, Edit::SetSkin { skin, to: Some(ulna_model::Shared::new(again)) })
            .unwrap();
        let to = Node { skin: Some(skin), ..bound.node(node).clone() };
        apply(&mut bound, Edit::node(node, to)).unwrap();
        for clip in document.clips.values().take(6) {
            for part in [0.0, 0.3, 0.77] {
                let stack = Stack::of(Some(clip), f64::from(clip.length()) * part);
                let (was, now) = (shape(document, &stack, node), shape(&bound, &stack, node));
                assert!(
                    apart(&was, &now) < 1e-5 * size(&was).max(1.0),
                    "{file}: {}",
                    apart(&was, &now)
                );
            }
            clips += 1;
        }
    }
    assert!(clips == 0 || clips > 10, "{clips}");
}

/// A mesh is bound in a pose of a clip. It is displayed in this shape and then moves with the
/// joints. Reopening gives the same document, and undo restores the bytes of the file.
#[test]
fn a_bind_is_a_snapshot_that_is_saved_and_undone() {
    let mut done = 0;
    for (file, mut session, node) in characters() {
        let opened = session.pack("a").unwrap().bytes;
        let document = session.document();
        let skin = document.node(node).skin.unwrap();
        let rest = Pose::evaluate(&at_rest(document), &Stack::default());
        let place = bound_mesh(document, &rest, skin).scene_from_mesh.as_mat4();
        let id = document.clips.ids().next().unwrap();
        let time = f64::from(document.clips[id].length()) * 0.4;
        let bind =
            CommandLine::new("skin.bind").with("clip", format!("#{}", id.0)).with("time", time);
        let said = run(&mut session, bind);
        assert!(said[0].contains("bound to"), "{file}: {said:?}");
        let check = |document: &Document| {
            let clip = &document.clips[id];
            let seen = shape(document, &Stack::of(Some(clip), time as f32 as f64), node);
            let wanted: Vec<Vec3> = document
                .mesh(document.node(node).mesh.unwrap())
                .primitives
                .iter()
                .flat_map(|p| p.positions.iter().map(|p| place.transform_point3(*p)))
                .collect();
            apart(&seen, &wanted) / size(&wanted).max(1.0)
        };
        assert!(check(session.document()) < 2e-5, "{file}: {}", check(session.document()));
        assert!(
            session
                .document()
                .skin(skin)
                .inverse_bind
                .iter()
                .all(|m: &Mat4| m.row(3) == glam::Vec4::W)
        );
        assert!(
            rests_after(session.document(), &session.document().skin(skin).joints).is_empty(),
            "{file}"
        );
        let saved = session.pack("a").unwrap();
        let again = Session::open_bytes(&saved.bytes).unwrap();
        assert!(check(again.document()) < 2e-5, "{file}");
        for joint in session.document().skin(skin).joints.iter() {
            let (a, b) = (session.document().node(*joint), again.document().node(*joint));
            assert!(
                a.rest.transform().is_close(&b.rest.transform(), 1e-4, 1e-4),
                "{file}: {}",
                a.label(*joint)
            );
        }
        let errors = |s: &Session| {
            let list = rules::check(s.source());
            list.into_iter()
                .filter(|d| d.severity == Severity::Error)
                .map(|d| d.code)
                .collect::<Vec<_>>()
        };
        assert_eq!(errors(&again), errors(&session), "{file}");
        while session.undo().is_some() {}
        assert_eq!(session.pack("a").unwrap().bytes, opened, "{file}");
        done += 1;
    }
    assert!(done == 0 || done == 6);
}

/// A mesh without a skin is bound to joints of the sample. It does not move, it then follows the
/// joints, and impossible binds are refused.
#[test]
fn binding_a_mesh_in_place_does_not_move_it() {
    let mut session = sample();
    let document = session.document();
    let (mesh, joints) = {
        let node = document.node_ids().find(|n| document.node(*n).skin.is_some()).unwrap();
        (node, document.skin(document.node(node).skin.unwrap()).joints.clone())
    };
    // A sphere without a skin is bound. The body's mesh has weights, so it is displayed without a
    // skin by a new node.
    let names: Vec<String> = joints.iter().map(|j| document.path(*j)).collect();
    let refused = |session: &mut Session, line: CommandLine, why: &str| {
        let said = session.run_line(&line).unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
    };
    let label = document.path(mesh);
    refused(
        &mut session,
        CommandLine::new("skin.create").with("node", label.clone()).with("joint", names[0].clone()),
        "already has a skin",
    );
    refused(
        &mut session,
        CommandLine::new("skin.create")
            .with("node", names[0].clone())
            .with("joint", names[0].clone()),
        "has no mesh",
    );
    refused(
        &mut session,
        CommandLine::new("skin.bind").with("node", names[0].clone()),
        "not a skinned mesh",
    );
    // The file has a box without a skin, beside a chain of joints.
    let Some(shared) = shared() else { return };
    let path = shared.join("corpus/characters/RiggedSimple/RiggedSimple.glb");
    let mut plain = Session::open(&path, &Default::default()).unwrap();
    let document = plain.document();
    let node = document.node_ids().find(|n| document.node(*n).skin.is_some()).unwrap();
    let skin: SkinId = document.node(node).skin.unwrap();
    let joints: Vec<String> =
        document.skin(skin).joints.iter().map(|j| document.path(*j)).collect();
    let bare = Node { skin: None, ..document.node(node).clone() };
    plain.preview("Take the skin away", vec![Edit::node(node, bare)]).unwrap();
    plain.commit();
    let before = shape(plain.document(), &Stack::default(), node);
    let few = CommandLine::new("skin.create")
        .with("node", plain.document().path(node))
        .with("joint", joints[0].clone());
    refused(&mut plain, few, "use 2 joints, but 1 were named");
    let line = CommandLine::new("skin.create")
        .with("node", plain.document().path(node))
        .with("joint", joints.clone());
    let said = run(&mut plain, line);
    assert!(said[0].contains("with 2 joints") && said[0].contains("weights stay"), "{said:?}");
    assert_eq!(plain.document().skins.count(), 2);
    let now = shape(plain.document(), &Stack::default(), node);
    assert!(apart(&before, &now) < 1e-5 * size(&before), "{}", apart(&before, &now));
    let joint = named(
        plain.document(),
        plain.document().node(plain.document().skin(skin).joints[1]).name.as_deref().unwrap(),
    );
    let line = CommandLine::new("pose.rotate")
        .with("node", plain.document().path(joint))
        .with("axis", "x")
        .with("degrees", 40.0);
    run(&mut plain, line);
    assert!(
        apart(&now, &shape(plain.document(), &Stack::default(), node)) > 0.1 * size(&before),
        "it follows"
    );
    let bytes = plain.pack("a").unwrap().bytes;
    assert_eq!(Session::open_bytes(&bytes).unwrap().document().skins.count(), 2);
}

/// The displayed shape is bound at a time of a clip. With its morph targets, it must not move at
/// that time. It is saved like this, other clips move it differently, and undo restores the bytes
/// of the file.
#[test]
fn binding_the_displayed_shape_does_not_move_it() {
    let mut done = 0;
    for (file, mut session, node) in characters() {
        let opened = session.pack("a").unwrap().bytes;
        let id = session.document().clips.ids().next().unwrap();
        let time = f64::from(session.document().clips[id].length() * 0.4);
        let seen = |document: &Document| {
            shape(document, &Stack::of(Some(&document.clips[id]), time), node)
        };
        let normals = |document: &Document| {
            let pose = Pose::evaluate(document, &Stack::of(Some(&document.clips[id]), time));
            let (_, primitive) =
                document.mesh(document.node(node).mesh.unwrap()).entries().next().unwrap();
            let placement = Placement::of(document, &pose, node, primitive);
            let mut posed = Posed::default();
            let base = skinning::base_normals(primitive);
            skinning::skin(primitive, &base, &pose.morphs[node.index()], &placement, &mut posed);
            posed.normals
        };
        let (before, looked) = (seen(session.document()), normals(session.document()));
        let line = CommandLine::new("skin.bind").with("node", session.document().path(node));
        let line =
            line.with("clip", format!("#{}", id.0)).with("time", time).with("shape", "posed");
        let said = run(&mut session, line);
        assert!(said[0].contains("stored in their current deformed shape"), "{file}: {said:?}");
        let off = |document: &Document| apart(&before, &seen(document)) / size(&before).max(1.0);
        assert!(off(session.document()) < 1e-5, "{file}: {}", off(session.document()));
        let mesh = session.document().mesh(session.document().node(node).mesh.unwrap());
        // In a file without normals, the display computes them from the current triangles.
        if !mesh.primitives[0].normals.is_empty() {
            let turned = normals(session.document());
            let worst = looked.iter().zip(&turned).map(|(a, b)| a.dot(*b)).fold(1.0, f32::min);
            assert!(worst > 0.999, "{file}: {worst}");
        }
        let again = Session::open_bytes(&session.pack("a").unwrap().bytes).unwrap();
        assert!(off(again.document()) < 1e-5, "{file}: {}", off(again.document()));
        let errors = |s: &Session| {
            let list = rules::check(s.source());
            list.into_iter()
                .filter(|d| d.severity == Severity::Error)
                .map(|d| d.code)
                .collect::<Vec<_>>()
        };
        assert_eq!(errors(&again), errors(&session), "{file}");
        while session.undo().is_some() {}
        assert_eq!(session.pack("a").unwrap().bytes, opened, "{file}");
        done += 1;
    }
    assert!(done == 0 || done == 6);
}

/// A coarse mesh without its skin gets weights of nearby bones. Its ends follow one joint each, and
/// it bends without tearing.
#[test]
fn a_coarse_mesh_gets_weights_of_nearby_bones() {
    let Some(shared) = shared() else { return };
    let path = shared.join("corpus/characters/RiggedSimple/RiggedSimple.glb");
    let mut session = Session::open(&path, &Default::default()).unwrap();
    let document = session.document();
    let node = document.node_ids().find(|n| document.node(*n).skin.is_some()).unwrap();
    let (mesh, skin) = (document.node(node).mesh.unwrap(), document.node(node).skin.unwrap());
    let joints: Vec<String> =
        document.skin(skin).joints.iter().map(|j| document.path(*j)).collect();
    let bare = Node { skin: None, ..document.node(node).clone() };
    let mut edits = vec![Edit::node(node, bare)];
    edits.extend(document.mesh(mesh).entries().map(|(primitive, _)| Edit::BindWeights {
        mesh,
        primitive,
        to: None,
    }));
    session.preview("Take the skin away", edits).unwrap();
    session.commit();
    let line = CommandLine::new("skin.create")
        .with("node", session.document().path(node))
        .with("joint", joints);
    let said = run(&mut session, line);
    assert!(said[0].contains("weights by heat for 1 piece"), "{said:?}");
    let document = session.document();
    let primitive = &document.mesh(mesh).primitives[0];
    let map = primitive.weights.as_deref().unwrap();
    let up = |v: usize| primitive.positions[v].z;
    let (low, high) = (0..map.vertex_count())
        .fold((f32::MAX, f32::MIN), |(l, h), v| (l.min(up(v)), h.max(up(v))));
    for v in 0..map.vertex_count() {
        let sum: f32 = map.vertex(v).map(|(_, w)| w).sum();
        assert!((sum - 1.0).abs() < 1e-6);
        if up(v) > high - 0.01 * (high - low) {
            assert!(map.weight(v, 1) > 0.8, "the upper end: {}", map.weight(v, 1));
        } else if up(v) < low + 0.01 * (high - low) {
            assert!(map.weight(v, 0) > 0.8, "the lower end: {}", map.weight(v, 0));
        }
    }
    let rest = shape(document, &Stack::default(), node);
    let clip = document.clips.values().next().unwrap();
    let mut worst = 1f32;
    for k in 0..20 {
        let posed = shape(
            document,
            &Stack::of(Some(clip), f64::from(clip.length()) * f64::from(k) / 20.0),
            node,
        );
        for triangle in primitive.indices.chunks_exact(3) {
            for (a, b) in
                [(triangle[0], triangle[1]), (triangle[1], triangle[2]), (triangle[2], triangle[0])]
            {
                let (a, b) = (a as usize, b as usize);
                worst =
                    worst.max(posed[a].distance(posed[b]) / rest[a].distance(rest[b]).max(1e-6));
            }
        }
    }
    assert!(worst < 2.0, "an edge becomes {worst} times as long");
}

/// Mirrored joints can be bound like others. A flattened joint is named, and nothing is bound. One
/// joint is enough, and a thousand joints also work.
#[test]
fn unusual_joints_are_bound_or_reported() {
    let Some(shared) = shared() else { return };
    let path = shared.join("corpus/characters/RiggedSimple/RiggedSimple.glb");
    let mut session = Session::open(&path, &Default::default()).unwrap();
    let document = session.document();
    let node = document.node_ids().find(|n| document.node(*n).skin.is_some()).unwrap();
    let joint = document.skin(document.node(node).skin.unwrap()).joints[1];
    let with_scale = |scale: Vec3| {
        let about = document.node(joint);
        let rest = ulna_model::Transform { scale, ..about.rest.transform() };
        let to = Node {
            rest: Local::Trs(rest),
            rest_source: RestSource::File,
            pose: None,
            ..about.clone()
        };
        vec![Edit::node(joint, to)]
    };
    let (mirrored, flat) =
        (with_scale(Vec3::new(-1.0, 1.0, 1.0)), with_scale(Vec3::new(1.0, 0.0, 1.0)));
    session.preview("Mirror it", mirrored).unwrap();
    session.commit();
    run(&mut session, CommandLine::new("skin.bind"));
    let document = session.document();
    let skin = document.node(node).skin.unwrap();
    assert!(document.skin(skin).inverse_bind[1].determinant() < 0.0);
    let seen = shape(document, &Stack::default(), node);
    assert!(seen.iter().all(|p| p.is_finite()) && size(&seen) > 1.0);
    let before = document.clone();
    session.preview("Squash it", flat).unwrap();
    session.commit();
    let said = session.run_line(&CommandLine::new("skin.bind")).unwrap_err().to_string();
    assert!(said.contains("has a scale of 0"), "{said}");
    assert_eq!(session.document().skins, before.skins);
    // Binds to one joint, and to a thousand joints at the same positions.
    let mut document = before;
    let bare = Node { skin: None, ..document.node(node).clone() };
    apply(&mut document, Edit::node(node, bare)).unwrap();
    let mesh = document.node(node).mesh.unwrap();
    apply(
        &mut document,
        Edit::BindWeights { mesh, primitive: ulna_model::PrimitiveId::from(0usize), to: None },
    )
    .unwrap();
    let pose = Pose::evaluate(&document, &Stack::default());
    let place = world(&document, &pose, node);
    let many = vec![document.skin(skin).joints[0]; 1000];
    assert_eq!(snapshot(&document, &pose, &many, &place).unwrap().len(), 1000);
    assert_eq!(snapshot(&document, &pose, &many[..1], &place).unwrap().len(), 1);
}
