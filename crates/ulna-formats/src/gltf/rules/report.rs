//! Collection of the findings of the rules, by code and location.

use std::collections::HashMap;

use super::words::{sentence, under_unmoved};
use ulna_model::{Diagnostic, Location, Severity};

/// Findings in order of discovery. Findings with the same code and location are counted together.
#[derive(Debug, Default)]
pub struct Report {
    list: Vec<(Severity, &'static str, Location, usize)>,
    known: HashMap<(&'static str, Location), usize>,
}

impl Report {
    fn add(&mut self, severity: Severity, code: &'static str, place: Location, count: usize) {
        match self.known.get(&(code, place.clone())) {
            Some(at) => self.list[*at].3 += count,
            None => {
                self.known.insert((code, place.clone()), self.list.len());
                self.list.push((severity, code, place, count));
            }
        }
    }

    pub(super) fn error(&mut self, code: &'static str, place: Location) {
        self.add(Severity::Error, code, place, 1);
    }

    pub(super) fn warning(&mut self, code: &'static str, place: Location) {
        self.add(Severity::Warning, code, place, 1);
    }

    pub(super) fn info(&mut self, code: &'static str, place: Location) {
        self.add(Severity::Info, code, place, 1);
    }

    /// Adds a finding with a count, unless the count is 0.
    pub(super) fn errors(
        &mut self,
        code: &'static str,
        place: impl FnOnce() -> Location,
        count: usize,
    ) {
        if count > 0 {
            self.add(Severity::Error, code, place(), count);
        }
    }

    pub(super) fn warnings(
        &mut self,
        code: &'static str,
        place: impl FnOnce() -> Location,
        count: usize,
    ) {
        if count > 0 {
            self.add(Severity::Warning, code, place(), count);
        }
    }

    pub(super) fn infos(
        &mut self,
        code: &'static str,
        place: impl FnOnce() -> Location,
        count: usize,
    ) {
        if count > 0 {
            self.add(Severity::Info, code, place(), count);
        }
    }

    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let made = |(severity, code, place, count): (Severity, &'static str, Location, usize)| {
            let message = match (severity, code) {
                (Severity::Info, "NODE_SKINNED_MESH_NON_ROOT") => under_unmoved(count),
                _ => sentence(code, count),
            };
            Diagnostic::new(severity, code, place, message)
        };
        self.list.into_iter().map(made).collect()
    }
}
