//! Type-ahead in lists: typed letters move the focus to the next matching row.

use egui::{Response, Ui};

/// State of type-ahead in a list.
#[derive(Clone, Debug)]
pub struct TypeAhead<T> {
    text: String,
    /// Time of the last letter in seconds, on egui's clock.
    at: f64,
    /// The focused row.
    focused: Option<T>,
    /// The row that will get the focus.
    wanted: Option<T>,
}

impl<T> Default for TypeAhead<T> {
    fn default() -> Self {
        Self { text: String::new(), at: 0.0, focused: None, wanted: None }
    }
}

impl<T: Copy + PartialEq> TypeAhead<T> {
    /// Pause in seconds after which typing starts a new text.
    const PAUSE: f64 = 1.0;

    /// Reads the typed letters of this frame. Returns the index of the row that will get the focus,
    /// so that the list can scroll to it. Call this before rows are laid out.
    pub fn take(&mut self, ui: &Ui, rows: &[T], label: impl Fn(&T) -> String) -> Option<usize> {
        let place = |row: T| rows.iter().position(|r| *r == row);
        if let Some(at) = self.focused.take().and_then(place) {
            self.type_from(ui, rows, at, &label);
        }
        self.wanted.and_then(place)
    }

    fn type_from(&mut self, ui: &Ui, rows: &[T], at: usize, label: &impl Fn(&T) -> String) {
        let typed: String = ui.input(|i| {
            let text = i
                .events
                .iter()
                .filter_map(|e| if let egui::Event::Text(t) = e { Some(t.as_str()) } else { None });
            text.collect()
        });
        if typed.trim().is_empty() {
            return;
        }
        let now = ui.input(|i| i.time);
        if now - self.at > Self::PAUSE {
            self.text.clear();
        }
        self.at = now;
        self.text.push_str(&typed.to_lowercase());
        // Typing one letter repeatedly cycles through all rows that start with it.
        let from = if self.text.chars().count() > 1 { at } else { at + 1 };
        let around = || (0..rows.len()).map(|k| rows[(from + k) % rows.len()]);
        let name = |row: &T| label(row).to_lowercase();
        let begins = around().find(|row| name(row).starts_with(&self.text));
        self.wanted = begins.or_else(|| around().find(|row| name(row).contains(&self.text)));
    }

    /// Registers a row that was laid out, and focuses it if it is the match.
    pub fn row(&mut self, ui: &Ui, row: T, response: &Response) {
        if self.wanted == Some(row) {
            self.wanted = None;
            response.request_focus();
        }
        if response.has_focus() || ui.memory(|m| m.has_focus(response.id)) {
            self.focused = Some(row);
        }
    }
}
