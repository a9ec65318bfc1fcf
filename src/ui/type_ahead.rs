//! Typing with the focus in a list: the next row that begins so gets the focus.

use egui::{Response, Ui};

/// Typed text with the focus on a row of a list.
#[derive(Clone, Debug)]
pub struct TypeAhead<T> {
    text: String,
    /// Time of the last letter, seconds.
    at: f64,
    /// The row that has the focus.
    focused: Option<T>,
    /// The row that is to get it.
    wanted: Option<T>,
}

impl<T> Default for TypeAhead<T> {
    fn default() -> Self {
        Self { text: String::new(), at: 0.0, focused: None, wanted: None }
    }
}

impl<T: Copy + PartialEq> TypeAhead<T> {
    /// A pause of so many seconds begins anew.
    const PAUSE: f64 = 1.0;

    /// Takes what is typed in this frame. Returns the place of the row that is to get the focus,
    /// where that is another one: the list brings it into sight. Call it before rows are laid out.
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
        // One letter again and again goes through all that begin with it.
        let from = if self.text.chars().count() > 1 { at } else { at + 1 };
        let around = || (0..rows.len()).map(|k| rows[(from + k) % rows.len()]);
        let name = |row: &T| label(row).to_lowercase();
        let begins = around().find(|row| name(row).starts_with(&self.text));
        self.wanted = begins.or_else(|| around().find(|row| name(row).contains(&self.text)));
    }

    /// Tells of a row that was laid out: it gets the focus if it is wanted.
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
