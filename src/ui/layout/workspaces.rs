//! Workspaces: named arrangements of the panels. Each stores its last state.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::{Layout, Pane, Shipped, switches};
use crate::ui::{ViewOptions, program::WorkspaceRow};

/// All workspaces, as stored in the preferences. Each arrangement is a text, so that an invalid one
/// does not affect the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Workspaces {
    /// Name of the current workspace.
    current: String,
    /// Last arrangement of each workspace, by name.
    left: BTreeMap<String, String>,
    /// Workspaces that the user saved, in order of creation.
    own: Vec<OwnWorkspace>,
}

/// A workspace that the user saved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct OwnWorkspace {
    name: String,
    /// The arrangement as it was saved.
    saved: String,
}

/// Reason why a name or a change of a workspace is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkspaceError {
    /// No workspace has this name.
    Unknown(String),
    /// Built-in workspaces cannot be changed.
    Shipped(String),
    /// The name belongs to a built-in workspace.
    TakenByShipped(String),
    /// The name belongs to another workspace.
    Taken(String),
    /// The name is empty.
    NoName,
    /// The arrangement could not be serialized.
    NotStored,
}

impl fmt::Display for WorkspaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "There is no workspace “{name}”"),
            Self::Shipped(name) => {
                write!(f, "“{name}” comes with Ulna: it can be reset, but not renamed or deleted")
            }
            Self::TakenByShipped(name) => {
                write!(f, "“{name}” is a workspace of Ulna. Choose another name")
            }
            Self::Taken(name) => {
                write!(f, "There is a workspace “{name}” already. Choose another name")
            }
            Self::NoName => f.write_str("A workspace needs a name"),
            Self::NotStored => f.write_str("The arrangement of the panels could not be stored"),
        }
    }
}

impl std::error::Error for WorkspaceError {}

impl Default for Workspaces {
    fn default() -> Self {
        Self {
            current: Shipped::Standard.name().to_owned(),
            left: BTreeMap::new(),
            own: Vec::new(),
        }
    }
}

impl Workspaces {
    /// Removes entries that a damaged file may contain: empty and duplicate names.
    pub fn checked(mut self) -> Self {
        let mut names: Vec<String> = Shipped::ALL.map(|s| s.name().to_owned()).into();
        self.own.retain(|own| {
            let is_new = !own.name.trim().is_empty() && !names.contains(&own.name);
            names.push(own.name.clone());
            is_new
        });
        if !self.contains(&self.current) {
            self.current = Shipped::Standard.name().to_owned();
        }
        self
    }

    /// Name of the current workspace.
    pub fn current(&self) -> &str {
        &self.current
    }

    /// All names. Built-in workspaces come first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        Shipped::ALL.iter().map(|s| s.name()).chain(self.own.iter().map(|own| &*own.name))
    }

    /// All workspaces as rows of the menu.
    pub fn rows(&self) -> Vec<WorkspaceRow> {
        let row = |name: &str| WorkspaceRow {
            name: name.to_owned(),
            help: Shipped::named(name).map_or("A saved workspace", Shipped::help),
            is_own: self.is_own(name),
            is_shown: name == self.current,
        };
        self.names().map(row).collect()
    }

    /// True if the user saved a workspace of this name.
    pub fn is_own(&self, name: &str) -> bool {
        self.own.iter().any(|own| own.name == name)
    }

    fn contains(&self, name: &str) -> bool {
        self.names().any(|n| n == name)
    }

    /// Name of the workspace before or after the current one.
    pub fn neighbor(&self, back: bool) -> String {
        let names: Vec<&str> = self.names().collect();
        let at = names.iter().position(|n| *n == self.current).unwrap_or(0);
        let step = if back { names.len() - 1 } else { 1 };
        names[(at + step) % names.len()].to_owned()
    }

    /// Stores the arrangement of the current workspace.
    pub fn leave(&mut self, layout: &Layout, options: &ViewOptions) {
        if let Some(text) = layout.to_text(options) {
            self.left.insert(self.current.clone(), text);
        }
    }

    /// Last arrangement of the current workspace, or else its original one. Includes the hidden
    /// panels.
    pub fn arrangement(&self) -> (Layout, Vec<Pane>) {
        let left = self.left.get(&self.current).and_then(|text| Layout::from_text(text));
        left.unwrap_or_else(|| self.at_first())
    }

    /// Uses the arrangement that an earlier version stored, unless the current workspace has one.
    pub fn adopt(&mut self, text: &str) {
        self.left.entry(self.current.clone()).or_insert_with(|| text.to_owned());
    }

    /// Original arrangement of the current workspace: built-in or as saved.
    fn at_first(&self) -> (Layout, Vec<Pane>) {
        let own = self.own.iter().find(|own| own.name == self.current);
        let saved = own.and_then(|own| Layout::from_text(&own.saved));
        let shipped = Shipped::named(&self.current).unwrap_or(Shipped::Standard);
        saved.unwrap_or_else(|| (Layout::shipped(shipped), Vec::new()))
    }

    /// Makes another workspace current. Call `leave` first to store the arrangement of the old one.
    ///
    /// # Errors
    ///
    /// If no workspace has this name.
    pub fn choose(&mut self, name: &str) -> Result<(), WorkspaceError> {
        if !self.contains(name) {
            return Err(WorkspaceError::Unknown(name.to_owned()));
        }
        name.clone_into(&mut self.current);
        Ok(())
    }

    /// Resets the current workspace to its original arrangement.
    pub fn reset(&mut self) {
        self.left.remove(&self.current);
    }

    /// Saves the shown arrangement under a name. A saved workspace of the same name is replaced.
    ///
    /// # Errors
    ///
    /// If the name is empty, or belongs to a built-in workspace.
    pub fn save(
        &mut self,
        name: &str,
        layout: &Layout,
        options: &ViewOptions,
    ) -> Result<(), WorkspaceError> {
        let name = name.trim();
        match () {
            () if name.is_empty() => return Err(WorkspaceError::NoName),
            () if Shipped::named(name).is_some() => {
                return Err(WorkspaceError::TakenByShipped(name.to_owned()));
            }
            () => {}
        }
        let saved = layout.to_text(options).ok_or(WorkspaceError::NotStored)?;
        self.left.remove(name);
        match self.own.iter_mut().find(|own| own.name == name) {
            Some(own) => own.saved = saved,
            None => self.own.push(OwnWorkspace { name: name.to_owned(), saved }),
        }
        name.clone_into(&mut self.current);
        Ok(())
    }

    /// Renames a saved workspace. `None` stands for the current one.
    ///
    /// # Errors
    ///
    /// If the workspace is built-in, or the new name is empty or taken.
    pub fn rename(&mut self, from: Option<&str>, to: &str) -> Result<(), WorkspaceError> {
        let from = self.own_name(from)?;
        let to = to.trim();
        match () {
            () if to.is_empty() => return Err(WorkspaceError::NoName),
            () if to != from && self.contains(to) => {
                return Err(WorkspaceError::Taken(to.to_owned()));
            }
            () => {}
        }
        for own in self.own.iter_mut().filter(|own| own.name == from) {
            to.clone_into(&mut own.name);
        }
        if let Some(left) = self.left.remove(&from) {
            self.left.insert(to.to_owned(), left);
        }
        if self.current == from {
            to.clone_into(&mut self.current);
        }
        Ok(())
    }

    /// Deletes a saved workspace. `None` stands for the current one. Returns its name, and whether
    /// it was current. In that case the standard workspace becomes current.
    ///
    /// # Errors
    ///
    /// If the workspace is built-in or does not exist.
    pub fn delete(&mut self, name: Option<&str>) -> Result<(String, bool), WorkspaceError> {
        let name = self.own_name(name)?;
        self.own.retain(|own| own.name != name);
        self.left.remove(&name);
        let was_shown = self.current == name;
        if was_shown {
            Shipped::Standard.name().clone_into(&mut self.current);
        }
        Ok((name, was_shown))
    }

    /// Name of a saved workspace; the current one if `None`.
    fn own_name(&self, name: Option<&str>) -> Result<String, WorkspaceError> {
        let name = name.unwrap_or(&self.current).to_owned();
        match () {
            () if self.is_own(&name) => Ok(name),
            () if Shipped::named(&name).is_some() => Err(WorkspaceError::Shipped(name)),
            () => Err(WorkspaceError::Unknown(name)),
        }
    }
}

/// Hides exactly the listed panels, and shows the others.
pub fn hide(options: &mut ViewOptions, hidden: &[Pane]) {
    for (pane, on) in switches(options) {
        *on = !hidden.contains(&pane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area() -> egui::Rect {
        egui::Rect::from_min_size(egui::pos2(0.0, 72.0), egui::vec2(1600.0, 900.0))
    }

    fn hidden_timeline() -> ViewOptions {
        ViewOptions { timeline: false, ..ViewOptions::default() }
    }

    #[test]
    fn a_workspace_keeps_its_changes_until_it_is_reset() {
        let mut all = Workspaces::default();
        let plain = all.arrangement();
        let mut layout = Layout::shipped(Shipped::Skeleton);
        layout.toggle_float(Pane::Problems, area());
        all.leave(&layout, &hidden_timeline());
        all.choose("Keys").unwrap();
        assert_eq!(all.arrangement().1, []);
        all.choose("Standard").unwrap();
        let (left, hidden) = all.arrangement();
        assert!(left.tree == layout.tree && left.is_floating(Pane::Problems));
        assert_eq!(hidden, [Pane::Timeline]);
        let mut options = ViewOptions { inspector: false, ..ViewOptions::default() };
        hide(&mut options, &hidden);
        assert!(!options.timeline && options.inspector);
        all.reset();
        assert!(all.arrangement().0.tree == plain.0.tree);
        assert_eq!(all.choose("Nowhere"), Err(WorkspaceError::Unknown("Nowhere".into())));
    }

    #[test]
    fn only_own_workspaces_can_be_renamed_and_deleted() {
        let mut all = Workspaces::default();
        let layout = Layout::shipped(Shipped::Weights);
        let plain = ViewOptions::default();
        assert_eq!(all.save("  ", &layout, &plain), Err(WorkspaceError::NoName));
        let taken = WorkspaceError::TakenByShipped("Keys".into());
        assert_eq!(all.save("Keys", &layout, &plain), Err(taken));
        all.save(" Mine ", &layout, &plain).unwrap();
        assert_eq!((all.current(), all.is_own("Mine")), ("Mine", true));
        assert_eq!(all.names().collect::<Vec<_>>().len(), 5);
        all.leave(&Layout::default(), &plain);
        assert!(all.arrangement().0.tree == Layout::default().tree);
        all.rename(None, "Ours").unwrap();
        assert!(all.arrangement().0.tree == Layout::default().tree, "left as it was");
        all.reset();
        assert!(all.arrangement().0.tree == layout.tree, "as it was saved");
        assert_eq!(all.rename(None, "Keys"), Err(WorkspaceError::Taken("Keys".into())));
        let shipped = WorkspaceError::Shipped("Keys".into());
        assert_eq!(all.rename(Some("Keys"), "Other"), Err(shipped.clone()));
        assert_eq!(all.delete(Some("Keys")), Err(shipped));
        assert_eq!(all.neighbor(false), "Standard");
        assert_eq!(all.neighbor(true), "Skeleton");
        assert_eq!(all.delete(None), Ok(("Ours".into(), true)));
        assert_eq!(all.current(), "Standard");
    }

    #[test]
    fn damaged_workspaces_are_replaced_by_shipped_ones() {
        let mut all = Workspaces::default();
        all.save("Mine", &Layout::default(), &ViewOptions::default()).unwrap();
        all.leave(&Layout::default(), &ViewOptions::default());
        all.own.push(OwnWorkspace { name: "Mine".into(), saved: "twice".into() });
        all.own.push(OwnWorkspace { name: "Keys".into(), saved: String::new() });
        all.own.push(OwnWorkspace::default());
        all.own.push(OwnWorkspace { name: "Broken".into(), saved: "{\"tree\":7}".into() });
        all.left.insert("Skeleton".into(), "no text".into());
        let mut all = all.checked();
        assert_eq!(all.names().skip(4).collect::<Vec<_>>(), ["Mine", "Broken"]);
        for name in ["Skeleton", "Broken"] {
            all.choose(name).unwrap();
            let shipped = Shipped::named(name).unwrap_or(Shipped::Standard);
            assert!(all.arrangement().0.tree == Layout::shipped(shipped).tree, "{name}");
        }
        all.current = "gone".into();
        assert_eq!(all.checked().current(), "Standard");
    }

    /// Cuts and changes a stored arrangement at random. Every result that can be read must also be
    /// drawable.
    #[test]
    fn a_damaged_stored_layout_never_prevents_the_start() {
        let mut layout = Layout::shipped(Shipped::Weights);
        layout.toggle_float(Pane::Problems, area());
        let text = layout.to_text(&ViewOptions::default()).unwrap();
        let (mut seed, mut read) = (7u64, 0);
        let mut next = |most: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % most
        };
        for _ in 0..3000 {
            let mut damaged = text.clone().into_bytes();
            for _ in 0..=next(3) {
                let at = next(damaged.len());
                match next(3) {
                    0 => damaged.truncate(at.max(1)),
                    1 => damaged[at] = b"0123456789{}[],:\"-e."[next(20)],
                    _ => {
                        damaged.remove(at);
                    }
                }
            }
            let damaged = String::from_utf8_lossy(&damaged).into_owned();
            if let Some((mut layout, _)) = Layout::from_text(&damaged) {
                read += 1;
                layout.adapt(egui::vec2(720.0, 400.0));
                if let Some(root) = layout.tree.root() {
                    let size = egui::vec2(720.0, 400.0);
                    layout.fit(root, size, crate::ui::layout::PanelConstraints::default());
                }
                assert!(super::super::is_sound(&layout.tree));
            }
        }
        assert!(read > 10, "some of the damage is harmless: {read}");
    }
}
