//! Measurement of foot sliding in a mix.

use glam::Vec3;

use super::{
    Mixer, Playing,
    ground::{FootPath, RATE, at, feet, ground_velocity, height_of, soles},
};
use crate::{Evaluator, Pose, ancestors::above};
use ulna_model::{ClipId, Document, Mix, NodeId, Shared};

/// Measures the mean speed of each standing foot relative to the ground between two times of a mix,
/// in meters per second. Feet without steps are left out.
pub fn foot_slides(
    document: &Document,
    mix: &Shared<Mix>,
    (from, to): (f64, f64),
) -> Vec<(NodeId, f32)> {
    let feet: Vec<NodeId> = feet(document).iter().map(|f| f.0).collect();
    // The joints of the feet, and the two joints above each of them.
    let legs: Vec<NodeId> =
        feet.iter().flat_map(|f| std::iter::once(*f).chain(above(document, *f).take(2))).collect();
    let count = (((to - from) * RATE).ceil() as usize).clamp(2, 1 << 16);
    let step = (to - from) / count as f64;
    let (mut mixer, mut evaluator, mut pose) =
        (Mixer::default(), Evaluator::default(), Pose::default());
    let mut velocities: Vec<(ClipId, Vec3)> = Vec::new();
    let (height, soles) = (height_of(document), soles(document, &feet));
    let mut paths: Vec<FootPath> = soles.iter().map(FootPath::of).collect();
    let mut grounds = Vec::with_capacity(count + 1);
    for k in 0..=count {
        let time = from + step * k as f64;
        evaluator.update(document, &mixer.stack(document, mix, time), &mut pose);
        for ((path, sole), foot) in paths.iter_mut().zip(&soles).zip(&feet) {
            path.push(at(&pose, *foot), sole.at(&pose), height);
        }
        // Displacement of the ground under each clip, at the clip's playback speed.
        let (now, then) =
            (mixer.playing(document, mix, time), mixer.playing(document, mix, time + step * 0.5));
        let mut ground = Vec3::ZERO;
        // Combine the lanes from bottom to top. Additive lanes and clips that do not move the feet
        // have no effect.
        for lane in 0..mix.lanes.len() {
            let covering = mix.lanes[lane].additive.is_none();
            let (mut sum, mut total) = (Vec3::ZERO, 0.0);
            for playing in now.iter().filter(|p| covering && p.lane == lane) {
                let Some(clip) = document.clips.get(playing.clip) else { continue };
                let counts = playing.weight * mixer.counts_at(lane, playing.bar, &feet);
                if counts <= 0.0 || !clip.tracks.values().any(|t| legs.contains(&t.target)) {
                    continue;
                }
                let known = velocities.iter().find(|(id, _)| *id == playing.clip).map(|(_, v)| *v);
                let velocity = known.unwrap_or_else(|| {
                    let found = ground_velocity(document, clip);
                    velocities.push((playing.clip, found));
                    found
                });
                let same = |p: &&Playing| {
                    (p.lane, p.bar, p.clip) == (playing.lane, playing.bar, playing.clip)
                };
                let length = f64::from(clip.length()).max(1e-6);
                let rate = then.iter().find(same).map_or(1.0, |p| {
                    let way = p.time - playing.time;
                    // Remove whole cycles from the difference.
                    (way - length * (way / length).round()) / (step * 0.5)
                });
                sum += velocity * rate as f32 * counts;
                total += counts;
            }
            if total > 0.0 {
                let cover = total.min(1.0) * mix.lanes[lane].weight.min(1.0);
                ground += (sum / total - ground) * cover;
            }
        }
        grounds.push(ground);
    }
    let slide = |(node, path): (&NodeId, &FootPath)| {
        let flags = path.stands(height);
        let on_ground = path.ways.iter().enumerate().filter(|(k, _)| flags[*k] && flags[k + 1]);
        let slides: Vec<f32> = on_ground
            .map(|(k, way)| (way.with_y(0.0) / step as f32 - grounds[k + 1].with_y(0.0)).length())
            .collect();
        (!slides.is_empty()).then(|| (*node, slides.iter().sum::<f32>() / slides.len() as f32))
    };
    feet.iter().zip(&paths).filter_map(slide).collect()
}
