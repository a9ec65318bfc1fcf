//! Quality measurements of a bind in a pose, computed in the background.

use std::sync::mpsc;

use egui::Context;

use crate::ui::TrialNumbers;
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, Strain, StrainScratch};

/// Serial numbers of the measured bind and of the pose.
type MeasuredOf = (u64, u64);
/// Measurements of the previous bind, and of the last one.
type Pair = (Option<TrialNumbers>, Option<TrialNumbers>);

/// Measurements of the last two binds in the displayed pose. Only one measurement runs at a time.
#[derive(Default)]
pub(super) struct Measuring {
    running: Option<(MeasuredOf, mpsc::Receiver<Pair>)>,
    found: Option<(MeasuredOf, Pair)>,
}

impl Measuring {
    /// True while a measurement is running.
    pub(super) const fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// The last measurements.
    pub(super) fn numbers(&self) -> Pair {
        self.found.map_or((None, None), |(_, pair)| pair)
    }

    /// Discards the measurements.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Measures the last two binds in a pose, unless they are already measured or another
    /// measurement is running.
    ///
    /// The node lists are the nodes of the bound meshes, and the rotated joints.
    pub(super) fn follow(
        &mut self,
        ctx: &Context,
        of: MeasuredOf,
        (previous, document): (Option<&Document>, &Document),
        (nodes, turned): (&[NodeId], &[NodeId]),
        pose: &Pose,
    ) {
        if let Some((of, result)) = &self.running {
            match result.try_recv() {
                Err(mpsc::TryRecvError::Empty) => return,
                Err(mpsc::TryRecvError::Disconnected) => {
                    log::error!("the numbers of a bind could not be measured");
                    self.found = Some((*of, (None, None)));
                }
                Ok(pair) => self.found = Some((*of, pair)),
            }
            self.running = None;
        }
        if self.found.is_some_and(|(found, _)| found == of) {
            return;
        }
        let (sender, result) = mpsc::sync_channel(1);
        let (previous, document, pose) = (previous.cloned(), document.clone(), pose.clone());
        let (nodes, turned, waker) = (nodes.to_vec(), turned.to_vec(), ctx.clone());
        rayon::spawn(move || {
            let measured = |document: &Document| measure(document, &nodes, &turned, &pose);
            let before = previous.as_ref().map(measured);
            if sender.send((before, Some(measured(&document)))).is_ok() {
                waker.request_repaint();
            }
        });
        self.running = Some((of, result));
    }
}

/// Measures the meshes of nodes in a pose. The volume is measured at vertices that a rotated joint
/// shares with other joints. If no joint is rotated, any joint counts.
fn measure(document: &Document, nodes: &[NodeId], turned: &[NodeId], pose: &Pose) -> TrialNumbers {
    /// Minimum weight at which a joint counts as sharing a vertex.
    const SHARED: f32 = 0.05;
    let mut numbers = TrialNumbers { volume: None, stretch: 1.0, unweighted: 0 };
    let (mut sum, mut count) = (0.0f64, 0u32);
    let (mut scratch, mut found) = (StrainScratch::default(), Vec::new());
    for node in nodes.iter().filter(|n| document.nodes.contains(**n)) {
        let about = document.node(*node);
        let Some(mesh) = about.mesh else { continue };
        let joints = about.skin.map(|skin| &document.skin(skin).joints);
        let is_turned: Vec<bool> =
            joints.map_or_else(Vec::new, |all| all.iter().map(|j| turned.contains(j)).collect());
        for (index, primitive) in document.mesh(mesh).entries() {
            let Some(map) = &primitive.weights else {
                numbers.unweighted += primitive.positions.len();
                continue;
            };
            let has_weight = |v: usize| map.vertex(v).any(|(_, w)| w > 0.0);
            let vertices = 0..primitive.positions.len();
            numbers.unweighted += vertices.filter(|v| !has_weight(*v)).count();
            let Some(strain) = Strain::of(document, *node, index) else { continue };
            strain.measure(document, pose, &mut scratch, &mut found);
            for (vertex, strain) in found.iter().enumerate() {
                numbers.stretch = numbers.stretch.max(strain.stretch);
                let moves = |joint: u16| {
                    turned.is_empty() || is_turned.get(usize::from(joint)) == Some(&true)
                };
                let weights = || map.vertex(vertex).filter(|(_, w)| *w > SHARED);
                let is_shared = weights().count() > 1 && weights().any(|(j, _)| moves(j));
                if is_shared && strain.volume.is_finite() {
                    (sum, count) = (sum + f64::from(strain.volume), count + 1);
                }
            }
        }
    }
    numbers.volume = (count > 0).then(|| (sum / f64::from(count)) as f32);
    numbers
}
