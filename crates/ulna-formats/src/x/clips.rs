//! Conversion of `AnimationSet` objects to clips. Ticks are converted to seconds, and rotations to
//! the right-handed system.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use serde_json::json;

use super::builder::{Builder, Numbers, SHEARED, fail, matrix, mirror};
use crate::{
    gltf::ReadError,
    import::{KeysOut, unlikely_rate},
};
use ulna_model::{Interpolation, Property, Severity, Transform, transform::unit_or};

/// A property with its key times in seconds, and its values.
type Keys = (Property, Vec<f32>, Vec<f32>);

/// Key times and values by node and property.
type Tracks = BTreeMap<(usize, Property), (Vec<f32>, Vec<f32>)>;

/// Default ticks per second.
const DEFAULT_TICKS: f64 = 4800.0;

impl Builder<'_, '_> {
    pub(super) fn animations(&mut self) -> Result<(), ReadError> {
        let tree = self.tree;
        let stated = self
            .children(0, "AnimTicksPerSecond")
            .next()
            .and_then(|t| tree[t].numbers.first().copied());
        let sets: Vec<usize> = self.children(0, "AnimationSet").collect();
        let ticks = stated.filter(|t| *t > 0.0).unwrap_or(DEFAULT_TICKS);
        if stated.is_none_or(|t| t.is_nan() || t <= 0.0)
            && !sets.is_empty()
            && self.conversion.rate.is_none()
        {
            let states = stated
                .map_or_else(|| "no tick rate".to_owned(), |t| format!("{t} ticks per second"));
            let message = format!(
                "The file states {states}; the default of the format, 4800 ticks per second, is \
                    used"
            );
            self.diagnostics.add(Severity::Info, "ULNA_X_TICKS", ".x", message);
        }
        let rate = self.conversion.rate.unwrap_or(ticks);
        let (mut longest, mut most_keys) = (0f64, 0);
        for set in sets {
            let (tracks, ends) = self.set(set, rate)?;
            longest = tracks
                .iter()
                .filter_map(|t| t.times.last())
                .fold(longest, |l, t| l.max(f64::from(*t)));
            most_keys = tracks.iter().map(|t| t.times.len()).fold(most_keys, usize::max);
            if tracks.is_empty() {
                continue;
            }
            let mut extras = serde_json::Map::new();
            extras.insert("ulna.ticks".to_owned(), json!({"version": 1, "rate": rate}));
            match (ends.first(), ends.iter().all(|e| Some(e) == ends.first())) {
                (Some(open), true) => {
                    let repeat = if *open { "once" } else { "loop" };
                    extras.insert("ulna.loop".to_owned(), json!({"version": 1, "repeat": repeat}));
                }
                (Some(_), false) => {
                    self.odd(
                        set,
                        "some of its animations are closed (looping) and some are open; the loop \
                            mode is not imported",
                    );
                }
                (None, _) => {}
            }
            self.glb.animation(&tree[set].name, &tracks, Some(extras.into()));
        }
        if most_keys > 0 {
            self.found.rate = Some(ticks);
            self.found.rate_of = "ticks";
            self.found.longest = longest * rate / ticks;
            let unlikely = unlikely_rate(longest, rate, most_keys);
            if let Some(message) = unlikely {
                self.diagnostics.add(
                    Severity::Warning,
                    "ULNA_X_RATE",
                    ".x AnimTicksPerSecond",
                    message,
                );
            }
        }
        Ok(())
    }

    /// Converts an animation set to tracks. Also returns for each animation whether it is open,
    /// which means that it does not loop.
    fn set(&mut self, set: usize, ticks: f64) -> Result<(Vec<KeysOut>, Vec<bool>), ReadError> {
        let tree = self.tree;
        let mut tracks: Tracks = BTreeMap::new();
        // In the file, each animation has its own loop mode. The clip gets a loop mode only if all
        // of them agree.
        let mut ends: Vec<bool> = Vec::new();
        for animation in self.children(set, "Animation").collect::<Vec<_>>() {
            let Some(name) = tree[animation].references.first() else {
                self.odd(animation, "it does not name a frame; its keys are left out");
                continue;
            };
            let Some(node) = self.by_name.get(name).copied() else {
                self.odd(
                    animation,
                    format!("its frame “{name}” does not exist; its keys are left out"),
                );
                continue;
            };
            let options = self.children(animation, "AnimationOptions").next();
            ends.extend(options.and_then(|o| tree[o].numbers.first()).map(|open| *open != 0.0));
            for keys in self.children(animation, "AnimationKey").collect::<Vec<_>>() {
                for (property, times, values) in self.keys(keys, ticks)? {
                    tracks.insert((node, property), (times, values));
                }
            }
        }
        let out = |((node, property), (times, values))| KeysOut {
            node,
            property,
            interpolation: Interpolation::Linear,
            times,
            values,
        };
        Ok((tracks.into_iter().map(out).collect(), ends))
    }

    /// Converts the keys of one `AnimationKey` object, with times in seconds. Matrix keys become
    /// three tracks, and other keys become one.
    fn keys(&mut self, object: usize, ticks: f64) -> Result<Vec<Keys>, ReadError> {
        let tree = self.tree;
        let mut numbers = Numbers { object: &tree[object], at: 0 };
        let kind = numbers.next()?;
        let wanted = match kind as i64 {
            0 => 4,
            1 | 2 => 3,
            3 | 4 => 16,
            _ => {
                self.odd(object, format!("keys of unknown type {kind} are left out"));
                return Ok(Vec::new());
            }
        };
        let count = numbers.count(2 + wanted)?;
        let mut keys: Vec<(f32, Transform)> = Vec::with_capacity(count);
        let (mut mended, mut sheared) = (false, 0usize);
        for _ in 0..count {
            let time = (numbers.next()? / ticks) as f32;
            let size = numbers.next()?;
            if size != wanted as f64 {
                return fail(
                    &tree[object],
                    format!("a key has {size} values, but {wanted} are needed"),
                );
            }
            let mut v = [0.0f64; 16];
            for slot in v.iter_mut().take(wanted) {
                *slot = numbers.next()?;
            }
            let mut key = Transform::IDENTITY;
            match kind as i64 {
                // The order is w x y z. The rotation direction is opposite to glTF, and Z is
                // mirrored.
                0 => {
                    let q = Quat::from_xyzw(v[1] as f32, v[2] as f32, -v[3] as f32, v[0] as f32);
                    mended |= q.length() <= 1e-6 || q.is_nan();
                    key.rotation = unit_or(q, Quat::IDENTITY);
                }
                1 => key.scale = Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32),
                2 => key.translation = mirror([v[0] as f32, v[1] as f32, v[2] as f32]).into(),
                _ => {
                    let split = Transform::decompose(&matrix(&v), &Transform::IDENTITY);
                    sheared += usize::from(split.residue > SHEARED);
                    key = split.transform;
                }
            }
            if time.is_finite() && key.is_finite() {
                keys.push((time.max(0.0), key));
            } else {
                mended = true;
            }
        }
        if sheared > 0 {
            self.odd(
                object,
                format!(
                    "{sheared} of its matrix keys have shear; the nearest matrices without shear \
                        are used"
                ),
            );
        }
        let before = keys.len();
        mended |= keys.windows(2).any(|w| w[0].0 >= w[1].0);
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        keys.dedup_by(|a, b| a.0 == b.0);
        if mended || keys.len() != before {
            self.odd(
                object,
                "its keys were sorted by time, or values that are not numbers were replaced",
            );
        }
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let times: Vec<f32> = keys.iter().map(|k| k.0).collect();
        let rotation = || {
            let values = keys.iter().flat_map(|k| k.1.rotation.to_array()).collect();
            (Property::Rotation, times.clone(), values)
        };
        let translation = || {
            let values = keys.iter().flat_map(|k| k.1.translation.to_array()).collect();
            (Property::Translation, times.clone(), values)
        };
        let scale = || {
            let values = keys.iter().flat_map(|k| k.1.scale.to_array()).collect();
            (Property::Scale, times.clone(), values)
        };
        Ok(match kind as i64 {
            0 => vec![rotation()],
            1 => vec![scale()],
            2 => vec![translation()],
            _ => vec![translation(), rotation(), scale()],
        })
    }
}
