//! What a stroke remembers: the most that was done to each vertex, and how it was before.
//!
//! Cores note it side by side, each for vertices of its own; so the notes are atomic, and nobody
//! waits for another.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::ids::{to_index, to_number};

/// What is known of a vertex.
#[derive(Debug, Default)]
struct Note {
    /// The strongest amount so far, as bits: of the brush, and of its mirror.
    strongest: [AtomicU32; 2],
    /// Which list has its start.
    list: ListNumber,
    /// Where in it, in sets of four slots.
    at: AtomicU32,
}

/// The number of a list, if any, in as few bytes as an atomic has: more by 1 than the number.
#[derive(Debug, Default)]
struct ListNumber(AtomicU32);

impl ListNumber {
    #[inline(always)]
    fn get(&self) -> Option<u32> {
        self.0.load(Relaxed).checked_sub(1)
    }

    #[inline(always)]
    fn set(&self, number: u32) {
        self.0.store(number + 1, Relaxed);
    }
}

/// Four joints and their weights, set by set.
pub(super) type Sets<'a> = (&'a [[u16; 4]], &'a [[f32; 4]]);

/// How some vertices were when the stroke came to them.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// Its number, once it has something.
    number: Option<u32>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    vertices: Vec<u32>,
}

/// The memory of a stroke.
#[derive(Debug, Default)]
pub(super) struct Memory {
    notes: Vec<Note>,
    /// By number.
    starts: Vec<Starts>,
    /// Empty ones, for the room that they have.
    spare: Vec<Starts>,
    next: AtomicU32,
}

impl Memory {
    /// Forgets everything.
    pub fn clear(&mut self, vertices: usize) {
        for mut list in self.starts.drain(..) {
            // Only what has a start was ever covered.
            list.vertices.drain(..).for_each(|v| self.notes[to_index(v)] = Note::default());
            list.joints.clear();
            list.weights.clear();
            list.number = None;
            self.spare.push(list);
        }
        self.notes.resize_with(vertices, Note::default);
        *self.next.get_mut() = 0;
    }

    /// Lists for the tasks of a dab.
    pub fn lend(&mut self, tasks: usize) -> Vec<Starts> {
        let kept = self.spare.len().saturating_sub(tasks);
        let mut lists = self.spare.split_off(kept);
        lists.resize_with(tasks, Starts::default);
        lists
    }

    /// Takes in what the tasks of a dab filled.
    pub fn keep(&mut self, lists: Vec<Starts>) {
        self.starts.resize_with(to_index(*self.next.get_mut()), Starts::default);
        for list in lists {
            match list.number {
                Some(number) => self.starts[to_index(number)] = list,
                None => self.spare.push(list),
            }
        }
    }

    /// Notes how much a dab does to a vertex; what was done to it at most on each side, or nothing
    /// where this adds nothing.
    #[inline]
    pub fn raise(&self, vertex: u32, amounts: [f32; 2]) -> Option<[f32; 2]> {
        let strongest = &self.notes[to_index(vertex)].strongest;
        let [own, other] = strongest.each_ref().map(|bits| f32::from_bits(bits.load(Relaxed)));
        if amounts[0] <= own && amounts[1] <= other {
            return None;
        }
        let most = [own.max(amounts[0]), other.max(amounts[1])];
        strongest.iter().zip(most).for_each(|(bits, a)| bits.store(a.to_bits(), Relaxed));
        Some(most)
    }

    /// How a vertex was before the stroke: as it is now, where the stroke comes to it only now.
    // As a call it would hand its slices over in memory, and wait for them.
    #[inline(always)]
    pub fn start<'a>(&'a self, vertex: u32, now: Sets<'a>, fresh: &mut Starts) -> Sets<'a> {
        let note = &self.notes[to_index(vertex)];
        if let Some(list) = note.list.get() {
            // A start of the present dab is what the vertex still is.
            let Some(starts) = self.starts.get(to_index(list)) else { return now };
            let at = to_index(note.at.load(Relaxed));
            (&starts.joints[at..at + now.0.len()], &starts.weights[at..at + now.1.len()])
        } else {
            let number = *fresh.number.get_or_insert_with(|| self.next.fetch_add(1, Relaxed));
            note.list.set(number);
            note.at.store(to_number(fresh.weights.len()), Relaxed);
            fresh.vertices.push(vertex);
            // One at a time, of a known length, so that no call copies them.
            now.0.iter().for_each(|joints| fresh.joints.push(*joints));
            now.1.iter().for_each(|weights| fresh.weights.push(*weights));
            now
        }
    }
}
