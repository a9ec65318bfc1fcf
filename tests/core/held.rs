//! The memory limit of the history counts the bytes that steps really hold. Each shared part counts
//! once, and parts of the current document do not count.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::HashMap;

use ulna_edit::{CommandLine, Edit, History, apply};
use ulna_model::{
    Clip, Document, FileContent, LayerHome, PoseLayers, RestGeometry, Shared, Slice, Track,
    WeightLayers, WeightMap,
};
use ulna_session::Session;

use crate::core::edits::{Draw, KINDS, edit, model, open};

const SAMPLE: &[u8] = include_bytes!("../../assets/mannequin.glb");

/// Independent count of large allocations: bytes by address.
#[derive(Default)]
struct Sum(HashMap<usize, usize>);

impl Sum {
    fn add(&mut self, at: usize, bytes: usize) {
        self.0.insert(at, bytes);
    }

    fn list<T: bytemuck::AnyBitPattern>(&mut self, list: &Slice<T>) {
        self.add(list.as_ptr().addr(), size_of_val(&**list));
    }

    fn shared<T>(&mut self, value: &Shared<T>) {
        self.add(std::ptr::from_ref(&**value).addr(), size_of::<T>());
    }

    fn track(&mut self, track: &Shared<Track>) {
        self.shared(track);
        self.list(&track.times);
        self.list(&track.values);
    }

    fn clip(&mut self, clip: &Shared<Clip>) {
        self.shared(clip);
        clip.tracks.values().for_each(|t| self.track(t));
    }

    fn map(&mut self, map: &Shared<WeightMap>) {
        self.shared(map);
        self.list(&map.joints);
        self.list(&map.weights);
    }

    fn layers(&mut self, layers: &Shared<WeightLayers>) {
        self.shared(layers);
        layers.bases.values().for_each(|b| self.map(b));
        for layer in &layers.layers {
            self.shared(layer);
            for part in layer.parts.values() {
                let lists =
                    part.vertices.len() * 8 + part.joints.len() * 2 + part.weights.len() * 4;
                self.add(std::ptr::from_ref(&**part).addr(), lists);
            }
        }
    }

    fn pose_layers(&mut self, layers: &Shared<PoseLayers>) {
        self.shared(layers);
        for layer in &layers.0 {
            self.shared(layer);
            self.clip(&layer.keys);
        }
    }

    fn shape(&mut self, shape: &RestGeometry) {
        self.list(&shape.positions);
        self.list(&shape.normals);
        self.list(&shape.tangents);
        for target in shape.targets.iter() {
            self.list(&target.positions);
            self.list(&target.normals);
        }
    }

    /// Counts the allocations of an edit. Returns the size of the edit value itself.
    fn edit(&mut self, edit: &Edit) -> usize {
        match edit {
            Edit::SetPoses(poses) => return size_of_val(&poses[..]),
            Edit::PatchWeights { patch, .. } => {
                return patch.vertices.len() * 4 + patch.joints.len() * 2 + patch.weights.len() * 4;
            }
            Edit::SetTrack { to: Some(track), .. } => self.track(track),
            Edit::SetClip { to: Some(clip), .. } => self.clip(clip),
            Edit::SetWeights { to, .. } | Edit::BindWeights { to: Some(to), .. } => self.map(to),
            Edit::SetLayers { to: Some(layers), .. } => self.layers(layers),
            Edit::SetPoseLayers { to: Some(layers), .. } => self.pose_layers(layers),
            Edit::SetShape { to, .. } => self.shape(to),
            _ => {}
        }
        0
    }

    fn document(document: &Document) -> Self {
        let mut sum = Self::default();
        let FileContent { clips, meshes, .. } = &document.file;
        clips.values().for_each(|c| sum.clip(c));
        for primitive in meshes.values().flat_map(|m| &m.primitives) {
            primitive.weights.iter().for_each(|w| sum.map(w));
            sum.shape(&primitive.shape());
        }
        document.aids.weight_layers.values().for_each(|l| sum.layers(l));
        document.aids.pose_layers.values().for_each(|l| sum.pose_layers(l));
        sum
    }

    /// Returns the bytes that `there` does not contain.
    fn without(&self, there: &Self) -> usize {
        self.0.iter().filter(|(at, _)| !there.0.contains_key(at)).map(|(_, bytes)| bytes).sum()
    }
}

/// Edits with their inverses, as a history stores them.
#[derive(Default)]
struct Kept(Vec<(Edit, Edit)>);

impl Kept {
    /// Returns the smallest and the largest acceptable count.
    fn bounds(&self, document: &Document) -> (usize, usize) {
        let mut sum = Sum::default();
        let own: usize = self.0.iter().flat_map(|(a, b)| [a, b]).map(|e| sum.edit(e)).sum();
        let least = own + sum.without(&Sum::document(document));
        // Allowance for labels, names, tree entries, nodes, stored poses and similar small data.
        let little = 64 + self.0.len() * 2 * (size_of::<Edit>() + 4096) + sum.0.len() * 160;
        (least, least + least / 2 + little)
    }
}

#[test]
fn counted_memory_equals_the_allocations_after_every_kind_of_edit() {
    let (mut trees, mut steps) = (0, 0);
    for seed in 1..=12 {
        let mut draw = Draw(seed * 104_729 + 7);
        let mut document = open(&model(&mut draw)).document;
        let mut history = History::default();
        let mut kept = Kept::default();
        for k in 0..60 {
            let made = edit(&mut draw, &document, k % KINDS);
            let Ok(inverse) = apply(&mut document.clone(), made.clone()) else { continue };
            history.preview(&mut document, "An edit", vec![made.clone()], Vec::new()).unwrap();
            if history.commit(&mut document) {
                kept.0.push((made, inverse));
                steps += 1;
            }
            let (held, (least, most)) = (history.held(&document), kept.bounds(&document));
            assert!(
                (least..=most).contains(&held),
                "tree {seed}, step {k}: {held} is not {least} to {most}"
            );
        }
        // After undo and redo, the history still holds the same bytes.
        let before = history.held(&document);
        while history.undo(&mut document).is_some() {}
        let (held, (least, most)) = (history.held(&document), kept.bounds(&document));
        assert!(
            (least..=most).contains(&held),
            "tree {seed}, undone: {held} is not {least} to {most}"
        );
        while history.redo(&mut document).is_some() {}
        assert_eq!(history.held(&document), before, "tree {seed}");
        trees += 1;
    }
    assert!(trees == 12 && steps > 300, "{trees}, {steps}");
}

/// Creates a clip with `keys` keys that shares no memory.
fn long_clip(keys: usize, mark: f32) -> Shared<Clip> {
    let track = |k: u32| Track {
        target: ulna_model::NodeId(k),
        property: ulna_model::Property::Translation,
        interpolation: Default::default(),
        times: (0..keys).map(|t| t as f32).collect::<Vec<f32>>().into(),
        values: vec![mark; keys * 3].into(),
        width: 3,
        kinds: Default::default(),
        modes: Default::default(),
    };
    let tracks = (0..4).map(|k| (ulna_model::TrackId(k), Shared::new(track(k)))).collect();
    Shared::new(Clip { tracks, ..Clip::default() })
}

#[test]
fn the_undo_budget_counts_the_keys_of_whole_clips() {
    const BUDGET: usize = 1 << 20;
    let mut document = Session::open_bytes(SAMPLE).unwrap().document().clone();
    let clip = document.clips.ids().next().unwrap();
    let mut history = History::default();
    history.set_budget(BUDGET);
    for k in 0..40 {
        // Each clip has about 128 KiB.
        let to = Some(long_clip(2048, k as f32));
        history
            .preview(&mut document, "Set a clip", vec![Edit::SetClip { clip, to }], Vec::new())
            .unwrap();
        assert!(history.commit(&mut document));
        assert!(history.held(&document) <= BUDGET, "{} bytes after {k}", history.held(&document));
    }
    let steps = history.done().len();
    assert!((6..=9).contains(&steps), "{steps} steps of 128 KiB each in 1 MiB");
    // A clip in several steps counts once.
    let mut history = History::default();
    history.set_budget(BUDGET);
    let both = [long_clip(2048, 1.0), long_clip(2048, 2.0)];
    for k in 0..40 {
        let to = Some(both[k % 2].clone());
        history
            .preview(&mut document, "Set a clip", vec![Edit::SetClip { clip, to }], Vec::new())
            .unwrap();
        assert!(history.commit(&mut document));
    }
    assert_eq!(history.done().len(), 40);
}

#[test]
fn layers_shared_by_steps_are_counted_once_and_others_in_full() {
    let mut session = Session::open_bytes(SAMPLE).unwrap();
    let run = |session: &mut Session, line: CommandLine| {
        assert!(session.run_line(&line).unwrap(), "{line}")
    };
    run(&mut session, CommandLine::new("weight_layer.add").with("name", "Arms"));
    let held = |session: &Session| session.history().held(session.document());
    let base: usize = {
        let layers = session.document().aids.weight_layers.values().next().unwrap();
        layers.bases.values().map(|b| b.joints.len() * 2 + b.weights.len() * 4).sum()
    };
    let mut last = held(&session);
    for k in 0..12 {
        let vertices = format!("{}-{}", k * 40, k * 40 + 39);
        let flood = CommandLine::new("weights.flood").with("joint", "Head").with("value", 0.5);
        run(&mut session, flood.with("vertices", vertices));
        let now = held(&session);
        // A step holds the previous state of the layer, 26 to 52 bytes per vertex, and its patches.
        // It holds no copy of the base weights.
        assert!(now > last, "{now} after {last}");
        assert!(
            now - last < 60_000 + base / 4,
            "step {k}: {} bytes more, of {base} below",
            now - last
        );
        last = now;
    }
    assert!(session.document().aids.layers(LayerHome::Pose).is_empty());
}
