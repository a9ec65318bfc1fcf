//! Colors of the strain displays.

use super::look::WeightLook;
use ulna_model::Document;
use ulna_motion::{Pose, Strain, StrainScratch, VertexStrain, WorstPose};
use ulna_weights::{SkinnedSurface, moved_by_storing};

/// Values of the displays of strain and of weight rounding errors.
#[derive(Default)]
pub struct StrainColors {
    /// Strain per vertex of the surface, `0..=1`; NaN for vertices without a value.
    pub values: Vec<f32>,
    /// Displacement that the value 1 stands for in the displays of rounding errors, in meters.
    pub farthest: f32,
}

impl StrainColors {
    /// Measures strain or rounding errors in a pose.
    pub fn of(
        document: &Document,
        canvas: &SkinnedSurface,
        pose: &Pose,
        look: WeightLook,
        worst: Option<&WorstPose>,
    ) -> Self {
        let mut colors = Self::default();
        match (look, worst) {
            (WeightLook::Bytes | WeightLook::Shorts, _) => {
                let mut values =
                    moved_by_storing(document, canvas, pose, look.stored().unwrap_or_default());
                colors.farthest = values.iter().copied().fold(0.0, f32::max);
                let scale = if colors.farthest > 0.0 { 1.0 / colors.farthest } else { 0.0 };
                values.iter_mut().for_each(|d| *d *= scale);
                colors.values = values;
            }
            (WeightLook::Worst, Some(worst)) => {
                for part in canvas.parts() {
                    colors.values.extend(worst.scores(part.node, part.primitive).map(on_ramp));
                    colors.values.resize((part.first + part.count) as usize, f32::NAN);
                }
            }
            (WeightLook::Strain | WeightLook::Volume, _) => {
                let lost = |s: &VertexStrain| {
                    if s.volume.is_finite() { (1.0 - s.volume).clamp(0.0, 1.0) } else { 1.0 }
                };
                let shown = |s: &VertexStrain| {
                    if look == WeightLook::Volume { lost(s) } else { on_ramp(s.score()) }
                };
                let (mut scratch, mut found) = (StrainScratch::default(), Vec::new());
                for part in canvas.parts() {
                    if let Some(strain) = Strain::of(document, part.node, part.primitive) {
                        strain.measure(document, pose, &mut scratch, &mut found);
                        colors.values.extend(found.iter().map(shown));
                    }
                    colors.values.resize((part.first + part.count) as usize, f32::NAN);
                }
            }
            _ => {}
        }
        colors
    }
}

/// Maps a strain score to the color ramp. No strain is 0, double length is 0.5 and four times the
/// length is 1.
fn on_ramp(score: f32) -> f32 {
    (score * 0.5).clamp(0.0, 1.0)
}
