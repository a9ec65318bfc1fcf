//! Fonts for scripts that the bundled ones lack, taken from the system when a name in a file needs them.

use std::{cmp::Reverse, collections::BTreeSet, sync::mpsc, thread};

use egui::{Context, FontId};
use skrifa::{FontRef, MetadataProvider as _, Tag, raw::TableProvider as _};

use super::App;
use crate::{model::Document, ui::Theme};

/// A font of the system.
struct SystemFont {
    name: String,
    bytes: Vec<u8>,
    /// Which of a collection.
    index: u32,
}

/// What was looked for, and what was found.
#[derive(Default)]
pub(super) struct Fallbacks {
    /// The state whose names were gone through last.
    known: Option<(u64, u64)>,
    /// Characters that were looked for already; none is looked for twice.
    asked: BTreeSet<char>,
    result: Option<mpsc::Receiver<Vec<SystemFont>>>,
}

impl App {
    /// Looks beside the window for what names need and the fonts at hand lack, and takes up what was found.
    pub(super) fn keep_fonts(&mut self, ctx: &Context) {
        if let Some(result) = &self.fallbacks.result {
            match result.try_recv() {
                Ok(fonts) => {
                    self.fallbacks.result = None;
                    for font in fonts {
                        Theme::add_fallback(ctx, &font.name, font.bytes, font.index);
                    }
                    ctx.request_repaint();
                }
                Err(mpsc::TryRecvError::Empty) => {}
                Err(mpsc::TryRecvError::Disconnected) => self.fallbacks.result = None,
            }
            return;
        }
        let Some(session) = &self.session else { return };
        let now = (self.stage.scene_serial(), session.generation());
        if self.fallbacks.known == Some(now) || self.is_gesture_open() {
            return;
        }
        self.fallbacks.known = Some(now);
        let wanted = characters(session.document(), &session.file_name());
        let font = FontId::proportional(12.0);
        let missing: BTreeSet<char> = ctx.fonts_mut(|fonts| {
            let lacks = |c: &char| !self.fallbacks.asked.contains(c) && !fonts.has_glyph(&font, *c);
            wanted.into_iter().filter(lacks).collect()
        });
        if missing.is_empty() {
            return;
        }
        self.fallbacks.asked.extend(&missing);
        let (send, receive) = mpsc::channel();
        let ctx = ctx.clone();
        let look = move || {
            // Where the window is closed meanwhile nobody wants it.
            let _closed = send.send(find(missing));
            ctx.request_repaint();
        };
        match thread::Builder::new().name("fonts".into()).spawn(look) {
            Ok(_) => self.fallbacks.result = Some(receive),
            Err(error) => log::warn!("the fonts of the system could not be looked through: {error}"),
        }
    }
}

/// What the names in a document are written with, beyond ASCII.
fn characters(document: &Document, file: &str) -> BTreeSet<char> {
    let mut set = BTreeSet::new();
    let mut add = |name: &str| {
        if !name.is_ascii() {
            set.extend(name.chars().filter(|c| !c.is_ascii() && !c.is_control()));
        }
    };
    add(file);
    let named = document.nodes.iter().filter_map(|n| n.name.as_deref());
    named.for_each(&mut add);
    document.skins.iter().filter_map(|s| s.name.as_deref()).for_each(&mut add);
    document.clips.values().filter_map(|c| c.name.as_deref()).for_each(&mut add);
    document.materials.iter().filter_map(|m| m.name.as_deref()).for_each(&mut add);
    for mesh in document.meshes.iter() {
        mesh.name.as_deref().into_iter().for_each(&mut add);
        mesh.target_names.iter().for_each(|n| add(n));
    }
    set
}

/// As few fonts of the system as have all of these characters, or as many of them as any has.
fn find(mut missing: BTreeSet<char>) -> Vec<SystemFont> {
    let mut system = fontdb::Database::new();
    system.load_system_fonts();
    let mut faces: Vec<_> = system.faces().collect();
    // Upright, of ordinary weight and width, without serifs: as the rest of the window is set.
    faces.sort_by_key(|f| {
        let plain = f.style == fontdb::Style::Normal && f.stretch == fontdb::Stretch::Normal;
        let sans = f.families.iter().any(|(name, _)| name.contains("Sans"));
        (!plain, f.weight.0.abs_diff(400), f.monospaced, !sans, f.post_script_name.clone())
    });
    let mut covers: Vec<(fontdb::ID, BTreeSet<char>)> = Vec::new();
    for face in faces {
        let of = system.with_face_data(face.id, |data, index| {
            let font = FontRef::from_index(data, index).ok()?;
            // Pictures in colour cannot be drawn as outlines.
            let outlines = [b"glyf", b"CFF ", b"CFF2"].iter().any(|t| font.data_for_tag(Tag::new(t)).is_some());
            let map = font.charmap();
            outlines.then(|| missing.iter().copied().filter(|c| map.map(*c).is_some()).collect::<BTreeSet<char>>())
        });
        if let Some(set) = of.flatten().filter(|s| !s.is_empty()) {
            covers.push((face.id, set));
        }
    }
    let mut fonts = Vec::new();
    while !missing.is_empty() {
        // Of those that have as many the first is the plainest.
        let best = covers.iter().enumerate().max_by_key(|(k, (_, s))| (s.intersection(&missing).count(), Reverse(*k)));
        let Some((_, (id, set))) = best.filter(|(_, (_, s))| !s.is_disjoint(&missing)) else { break };
        missing.retain(|c| !set.contains(c));
        let data = system.with_face_data(*id, |data, index| (data.to_vec(), index));
        let name = system.face(*id).map_or_else(String::new, |f| f.post_script_name.clone());
        fonts.extend(data.map(|(bytes, index)| SystemFont { name, bytes, index }));
    }
    if !missing.is_empty() {
        let list: String = missing.iter().collect();
        log::info!("no font of the system has “{list}”");
    }
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_other_scripts_have_a_font_on_a_system_that_was_set_up() {
        // setup.sh installs what has these.
        let found = find("左腕ذراع".chars().collect());
        let has = |c: char| {
            let has =
                |f: &SystemFont| FontRef::from_index(&f.bytes, f.index).is_ok_and(|f| f.charmap().map(c).is_some());
            found.iter().any(has)
        };
        assert!("左腕ذراع".chars().all(has), "{:?}", found.iter().map(|f| &f.name).collect::<Vec<_>>());
        // No more of them than are needed, and none for what nobody has.
        assert!((1..=2).contains(&found.len()));
        assert!(find(BTreeSet::from(['\u{10FFFD}'])).len() <= 1);
    }
}
