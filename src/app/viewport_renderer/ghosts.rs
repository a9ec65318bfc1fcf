//! Ghosts: the model at other times, drawn behind the current pose.

use super::{ViewportRenderer, state::Ghosts, wanted::GhostsWanted};
use ulna_model::ClipId;
use ulna_motion::{Stack, bones};
use ulna_render::{BoneLook, GhostLook, Scene};
use ulna_session::Session;

impl ViewportRenderer {
    /// True if ghosts are shown.
    pub(in crate::app) const fn shows_ghosts(&self) -> bool {
        self.ghosts.wanted.is_some()
    }

    /// Hides all ghosts.
    pub(in crate::app) fn hide_ghosts(&mut self) {
        if self.ghosts.wanted.take().is_some() {
            self.scene.iter_mut().for_each(Scene::forget_ghosts);
            self.ghosts.bones.clear();
            self.serial += 1;
        }
    }

    /// Shows these ghosts. Poses of ghosts that were already shown are reused.
    pub(in crate::app) fn show_ghosts(
        &mut self,
        session: &Session,
        id: Option<ClipId>,
        wanted: GhostsWanted,
    ) {
        let document = session.document();
        let (Some((gpu, _)), Some(scene), None) =
            (&self.gpu, &mut self.scene, self.upload.awaited())
        else {
            return;
        };
        if self.ghosts.wanted.as_ref() == Some(&wanted) {
            return;
        }
        let before = self.ghosts.wanted.replace(wanted);
        let Ghosts { wanted: Some(wanted), evaluator, pose, bones: ghost_bones } = &mut self.ghosts
        else {
            return;
        };
        let made_from = |w: &GhostsWanted| (w.made_from, w.as_opened, w.between, w.of.clone());
        if before.is_none_or(|b| made_from(&b) != made_from(wanted)) {
            scene.forget_ghosts();
        }
        let looks: Vec<GhostLook> = wanted
            .moments
            .iter()
            .map(|(time, far)| {
                // The file as opened is gray. Other times of the clip have their own colors.
                let [r, g, b, _] = match wanted.as_opened {
                    true => self.look.joint,
                    false => self.look.ghosts[usize::from(far.is_sign_positive())],
                };
                GhostLook {
                    moment: u64::from(time.to_bits()),
                    color: [r, g, b, 1.0 - 0.7 * far.abs()],
                }
            })
            .collect();
        let of = (!wanted.of.is_empty()).then(|| scene.moved_by(document, &wanted.of));
        let missing = scene.show_ghosts(gpu, &looks);
        let bare = !document.shown_nodes().iter().any(|n| document.node(*n).mesh.is_some());
        ghost_bones.clear();
        for ((time, _), look) in wanted.moments.iter().zip(&looks) {
            let new = missing.contains(&look.moment);
            if new || bare {
                let of = if wanted.as_opened { session.opened() } else { document };
                let stack = Stack::shown(of, id, f64::from(*time)).going(wanted.between);
                evaluator.update(of, &stack, pose);
            }
            if new {
                scene.pose_ghost(gpu, document, look, pose, of.as_deref());
            }
            if bare {
                let [r, g, b, a] = look.color;
                let color = [r, g, b, a * 0.5];
                let bones = bones(document, pose, &self.model.skeleton);
                ghost_bones.extend(bones.into_iter().map(|bone| BoneLook {
                    bone,
                    color,
                    edge: color,
                }));
            }
        }
        if !missing.is_empty() {
            scene.update(gpu, document, &self.model.pose);
        }
        self.serial += 1;
    }
}
