//! Contacts that follow a node: hands on the body and on props. They are cleaned, detected,
//! retargeted, saved, and updated when the axes of the node change.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use serde_json::json;
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, ClipId, ContactSettings, Document, Goal, GoalPoint, NodeId, Shared};
use ulna_motion::{
    Pose, Stack,
    retarget::{
        ContactRequest, Retarget, clean_contacts, contact_slides, find_contacts, guess_map,
        limb_moves,
    },
};
use ulna_session::Session;

use crate::common::{named, run, sample, shared};

const WALK: ClipId = ClipId(1);

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

fn of_walk(name: &str) -> CommandLine {
    line(name).with("clip", "Walk")
}

fn follow(node: &str, space: &str) -> CommandLine {
    of_walk("contact.follow").with("node", node).with("time", 0.4).with("space", space)
}

fn pose_at(document: &Document, clip: &Shared<Clip>, time: f32) -> Pose {
    Pose::evaluate(document, &Stack::of(Some(clip), f64::from(time)))
}

/// Returns the positions of a node in the space of another node, at 60 samples per second of a time
/// range.
fn relative(
    document: &Document,
    clip: &Shared<Clip>,
    (node, space): (NodeId, NodeId),
    (from, to): (f32, f32),
) -> Vec<Vec3> {
    let times = (0..=((to - from) * 60.0) as usize).map(|k| from + k as f32 / 60.0);
    let place = |time: f32| {
        let pose = pose_at(document, clip, time);
        let at = pose.world[node.index()].w_axis.truncate();
        pose.world[space.index()].inverse().transform_point3(at)
    };
    times.map(place).collect()
}

/// Returns the diagonal of the bounding box of some points, in meters.
fn extent(points: &[Vec3]) -> f32 {
    let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    (high - low).length()
}

fn goal(node: NodeId, space: Option<NodeId>, (from, to): (f32, f32), place: Option<Vec3>) -> Goal {
    Goal { node, point: GoalPoint::Joint, space, from, to, blend: None, place }
}

/// Returns the sample, its clip *Wave*, and the right hand and the head. In the clip, the hand is
/// at the side of the head from 0.8 s to 2.2 s.
fn hand_on_head() -> (Document, Shared<Clip>, [NodeId; 2]) {
    let document = sample().document().clone();
    let (hand, head) = (named(&document, "RightHand"), named(&document, "Head"));
    let (_, wave) = document.clips.iter().find(|(_, c)| c.name.as_deref() == Some("Wave")).unwrap();
    // The wrist is 2 cm off the skin.
    let rest = Pose::evaluate(&document, &Stack::default());
    let head_from_scene = rest.world[head.index()].inverse();
    let top = rest.world[head.index()].w_axis.truncate() + Vec3::new(-0.1, 0.1, 0.0);
    let place = head_from_scene.transform_point3(top);
    let goals = [goal(hand, Some(head), (0.8, 2.2), Some(place))];
    let made = clean_contacts(&document, wave, &goals, &ContactSettings::default());
    assert!(made.short.is_empty(), "the arm reaches");
    (document, Shared::new(Clip { contacts: [].into(), ..made.clip }), [hand, head])
}

#[test]
fn a_hand_follows_another_part_of_the_body_and_nothing_else_changes() {
    let mut session = sample();
    run(
        &mut session,
        of_walk("contact.add").with("node", "RightHand").with("from", 0.2).with("to", 0.7),
    );
    run(&mut session, follow("RightHand", "Head"));
    let before = session.document().clone();
    let (hand, head) = (named(&before, "RightHand"), named(&before, "Head"));
    assert_eq!(before.clips[WALK].contacts[0].space, Some(head));
    let range = (0.2, 0.7);
    let swing = extent(&relative(&before, &before.clips[WALK], (hand, head), range));
    assert!(swing > 0.05, "the hand swings: {swing}");
    run(&mut session, of_walk("clip.clean_contacts"));
    let after = session.document();
    let kept = extent(&relative(after, &after.clips[WALK], (hand, head), range));
    assert!(kept < 1e-3, "{kept}");
    for (id, track) in &before.clips[WALK].tracks {
        let name = before.node(track.target).label(track.target);
        let is_arm = ["RightUpperArm", "RightLowerArm", "RightHand"].contains(&&*name);
        assert!(is_arm || after.clips[WALK].tracks[id] == *track, "{name} keeps its keys");
    }
}

#[test]
fn a_hand_follows_the_hips_after_they_are_lowered() {
    let document = sample().document().clone();
    let clip = &document.clips[WALK];
    let [hand, hips] = ["RightHand", "Hips"].map(|n| named(&document, n));
    // A place below the ground is out of reach, so that the hips are lowered.
    let foot = named(&document, "LeftFoot");
    let at = pose_at(&document, clip, 0.3).world[foot.index()].w_axis.truncate();
    let mut goals = vec![goal(hand, Some(hips), (0.1, 0.8), None)];
    for point in [GoalPoint::Heel, GoalPoint::Ball] {
        let place = (point == GoalPoint::Heel).then_some(Vec3::new(at.x, -0.12, at.z));
        goals.push(Goal { point, ..goal(foot, None, (0.2, 0.5), place) });
    }
    let made = clean_contacts(&document, clip, &goals, &ContactSettings::default());
    assert!(made.lowered > 0.03, "{}", made.lowered);
    let made_clip = Shared::new(made.clip);
    let kept = extent(&relative(&document, &made_clip, (hand, hips), (0.1, 0.8)));
    assert!(kept < 1.5e-3, "{kept}");
    let slides = contact_slides(&document, clip, &goals);
    let of_hand = |s: &&ulna_motion::retarget::ContactSlide| s.foot == hand;
    let before = slides.iter().find(of_hand).unwrap().before;
    let said = made.slides.iter().find(of_hand).unwrap();
    assert!((said.before - before).abs() < 1e-5 && before > 0.05, "measured on the given clip");
    assert!(said.after < 2e-3, "{said:?}");
}

#[test]
fn a_hand_follows_an_animated_prop() {
    let mut session = sample();
    run(&mut session, line("node.add").with("name", "Lantern"));
    let document = session.document();
    let (hand, prop) = (named(document, "LeftHand"), named(document, "Lantern"));
    // The prop moves in front of the left shoulder, within reach of the arm.
    for (time, up) in [(0.0, 1.1), (0.5, 1.22), (1.0, 1.1)] {
        let place = Vec3::new(0.2, up, 0.3);
        let key = of_walk("key.set").with("node", "Lantern").with("time", time);
        run(&mut session, key.with("translation", json!(place.to_array())));
    }
    let text = r#"[{"node":"LeftHand","space":"Lantern","from":0.15,"to":0.85,"place":[0,0,0]}]"#;
    run(&mut session, of_walk("clip.contacts").with("contacts", text));
    let before = session.document().clone();
    run(&mut session, of_walk("clip.clean_contacts"));
    let after = session.document();
    let range = (0.15, 0.85);
    let swing = extent(&relative(&before, &before.clips[WALK], (hand, prop), range));
    let places = relative(after, &after.clips[WALK], (hand, prop), range);
    let off = places.iter().map(|p| p.length()).fold(0.0, f32::max);
    assert!(swing > 0.1 && off < 1e-3, "{swing} {off}");
    // Removing the prop removes the contact that follows it.
    run(&mut session, line("node.remove").with("node", "Lantern"));
    assert!(session.document().clips[WALK].contacts.is_empty());
}

#[test]
fn if_two_hands_follow_each_other_the_second_keeps_its_place_on_the_first() {
    let document = sample().document().clone();
    // In this clip, the elbows are bent, so both hands can reach their targets.
    let (_, clip) = document.clips.iter().find(|(_, c)| c.name.as_deref() == Some("Run")).unwrap();
    let [left, right] = ["LeftHand", "RightHand"].map(|n| named(&document, n));
    let range = (0.1, 0.3);
    let goals = [goal(left, Some(right), range, None), goal(right, Some(left), range, None)];
    let made = clean_contacts(&document, clip, &goals, &ContactSettings::default());
    let second = left.max(right);
    let first = left.min(right);
    let clip = Shared::new(made.clip);
    let kept = extent(&relative(&document, &clip, (second, first), range));
    assert!(kept < 2e-3, "{kept}");
}

#[test]
fn a_contact_cannot_follow_its_own_limb_or_two_nodes() {
    let mut session = sample();
    let document = session.document();
    let hand = named(document, "RightHand");
    let moved = |n: &str| limb_moves(document, hand, named(document, n));
    assert!(["RightHand", "RightLowerArm", "RightUpperArm"].iter().all(|n| moved(n)));
    assert!(["LeftHand", "Head", "Hips", "RightShoulder"].iter().all(|n| !moved(n)));
    let add = of_walk("contact.add").with("node", "RightHand").with("from", 0.2).with("to", 0.6);
    let code = |session: &mut Session, line: &CommandLine| {
        let before = session.document().clone();
        let code = session.run_line(line).unwrap_err().code().to_owned();
        assert_eq!(*session.document(), before);
        code
    };
    let own = add.clone().with("space", "RightLowerArm");
    assert_eq!(code(&mut session, &own), "contact_follows_itself");
    assert_eq!(code(&mut session, &add.clone().with("space", "*Hand")), "one_node_wanted");
    let text = r#"[{"node":"RightHand","space":"RightHand","from":0.1,"to":0.3}]"#;
    let list = of_walk("clip.contacts").with("contacts", text);
    assert_eq!(code(&mut session, &list), "contact_follows_itself");
    run(&mut session, add);
    let back = follow("RightHand", "RightUpperArm");
    assert_eq!(code(&mut session, &back), "contact_follows_itself");
    let other = follow("LeftHand", "Head");
    assert_eq!(code(&mut session, &other), "no_contact_there");
}

#[test]
fn the_followed_node_is_saved_and_contacts_stay_in_place_if_its_axes_change() {
    let mut session = sample();
    let text = r#"[{"node":"RightHand","space":"Head","from":0.2,"to":0.6,
        "place":[0.1,0.2,0.05]}]"#;
    run(&mut session, of_walk("clip.contacts").with("contacts", text));
    let scene = |session: &Session| {
        let document = session.document();
        let goal = &document.clips[WALK].contacts[0];
        let pose = pose_at(document, &document.clips[WALK], 0.3);
        pose.world[goal.space.unwrap().index()].transform_point3(goal.place.unwrap())
    };
    let before = scene(&session);
    let orient = line("joint.orient").with("node", "Head").with("degrees", json!([0.0, 40.0, 0.0]));
    run(&mut session, orient);
    let place = session.document().clips[WALK].contacts[0].place.unwrap();
    assert!(place.distance(Vec3::new(0.1, 0.2, 0.05)) > 0.01, "its axes changed: {place}");
    assert!(scene(&session).distance(before) < 1e-4, "{before} {}", scene(&session));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap();
    let again = Session::open(&path, &Progress::default()).unwrap();
    assert_eq!(again.document().clips[WALK].contacts, session.document().clips[WALK].contacts);
    // A contact that no longer follows a node loses its place, which was in the space of that node.
    let back = of_walk("contact.follow").with("node", "RightHand").with("time", 0.4);
    run(&mut session, back);
    let goal = &session.document().clips[WALK].contacts[0];
    assert_eq!((goal.space, goal.place), (None, None));
}

#[test]
fn a_hand_on_the_head_is_detected_on_request() {
    let (document, clip, [hand, head]) = hand_on_head();
    let request = ContactRequest { hands: true };
    let found = find_contacts(&document, &clip, &request);
    let own: Vec<&Goal> =
        found.iter().filter(|g| g.node == hand && g.space == Some(head)).collect();
    assert_eq!(own.len(), 1, "{found:?}");
    assert!((own[0].from - 0.8).abs() < 0.12 && (own[0].to - 2.2).abs() < 0.12, "{own:?}");
    let overlap = |g: &&Goal| g.node == hand && g.from < own[0].to && g.to > own[0].from;
    assert_eq!(found.iter().filter(overlap).count(), 1, "one contact at a time");
    let feet = find_contacts(&document, &clip, &ContactRequest::default());
    assert!(feet.iter().all(|g| g.point != GoalPoint::Joint), "hands only on request");
}

#[test]
fn finding_contacts_of_hands_keeps_those_of_feet() {
    let mut session = sample();
    let of_wave = |name: &str| line(name).with("clip", "Wave");
    let text = r#"[{"node":"RightHand","space":"Head","from":0.8,"to":2.2,"place":[-0.1,0.1,0]},
        {"node":"LeftFoot","point":"heel","from":0.1,"to":0.4}]"#;
    run(&mut session, of_wave("clip.contacts").with("contacts", text));
    run(&mut session, of_wave("clip.clean_contacts").with("node", "RightHand"));
    let said = run(&mut session, of_wave("clip.hand_contacts")).join(" ");
    assert!(said.contains("found"), "{said}");
    let document = session.document();
    let [hand, head, foot] = ["RightHand", "Head", "LeftFoot"].map(|n| named(document, n));
    let (_, now) = document.clips.iter().find(|(_, c)| c.name.as_deref() == Some("Wave")).unwrap();
    let of = |node: NodeId| now.contacts.iter().filter(move |g| g.node == node);
    assert_eq!(of(foot).map(|g| (g.from, g.to)).collect::<Vec<_>>(), [(0.1, 0.4)]);
    let on_head: Vec<&Goal> = of(hand).filter(|g| g.space == Some(head)).collect();
    assert!(on_head.len() == 1 && on_head[0].place.is_none(), "found again: {on_head:?}");
    // The hands of a runner never rest.
    let refused = session.run_line(&line("clip.hand_contacts").with("clip", "Run"));
    assert_eq!(refused.unwrap_err().code(), "no_contacts_found");
}

#[test]
fn a_hand_on_the_head_is_retargeted_to_the_head_of_another_body() {
    let Some(folder) = shared() else { return };
    let (source, clip, [hand, head]) = hand_on_head();
    let range = (0.9, 2.1);
    let mut bodies = 0;
    // The arms of the Knight are too short for his head.
    for (path, reaches) in [
        ("corpus/characters/Sintel/human-sintel.glb", true),
        ("retarget/m2m-sample-rig.glb", true),
        ("corpus/characters/Knight/Knight.glb", false),
    ] {
        let path = folder.join(path);
        let target = Session::open(&path, &Progress::default()).unwrap().document().clone();
        let mut map = guess_map(&source, &target);
        let arm = map.chains.iter_mut().find(|c| c.name == "Right arm").unwrap();
        arm.contacts = true;
        let names = [arm.source.last().unwrap().clone(), arm.target.last().unwrap().clone()];
        assert_eq!(names[0], "RightHand");
        let there = ulna_motion::retarget::table_node(&target, &names[1]).unwrap();
        let retarget = Retarget::new(&source, &target, &map).unwrap();
        let goals = retarget.contacts(&clip);
        assert!(goals.iter().any(|g| g.node == hand && g.space == Some(head)), "{goals:?}");
        let made = retarget.clip(&clip, None);
        assert_eq!(made.lost_contacts, 0);
        let goal = made.contacts.iter().find(|g| g.node == there).unwrap();
        let space = goal.space.unwrap();
        let label = target.node(space).label(space).to_lowercase();
        assert!(label.contains("head"), "{label}");
        let made_clip = Shared::new(made.carried.clip.clone());
        let kept = extent(&relative(&target, &made_clip, (there, space), range));
        let mut plain = map.clone();
        plain.contacts.lock = false;
        let plain = Retarget::new(&source, &target, &plain).unwrap().clip(&clip, None);
        let plain = Shared::new(plain.carried.clip);
        let goal_place = goal.place.unwrap();
        let off = |clip: &Shared<Clip>| {
            let places = relative(&target, clip, (there, space), range);
            places.iter().map(|p| p.distance(goal_place)).fold(0.0, f32::max)
        };
        println!(
            "{}: kept {kept:.4} m, off the place {:.4} m, without contacts {:.4} m",
            path.display(),
            off(&made_clip),
            off(&plain)
        );
        let name = path.display();
        assert_eq!(made.short.is_empty(), reaches, "{name}: {:?}", made.short);
        assert!(off(&made_clip) < off(&plain) * 0.6, "{name}: it is nearer");
        assert!(!reaches || kept < 2e-3 && off(&made_clip) < 2e-3, "{name}: {kept}");
        assert!(off(&plain) > 0.02, "{name}: the plain transfer misses: {}", off(&plain));
        bodies += 1;
    }
    assert_eq!(bodies, 3);
}
