//! Memory of a stroke: the strongest amount per vertex, and the weights before the stroke.
//!
//! Threads write it in parallel, each for its own vertices. The entries are atomic, so that no
//! thread waits.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::ids::{to_index, to_number};

/// Entry of one vertex.
#[derive(Debug, Default)]
struct Note {
    /// The strongest amount so far, as float bits: of the brush, and of its mirror.
    strongest: [AtomicU32; 2],
    /// The list with its original weights.
    list: ListNumber,
    /// Index in this list, in sets of four slots.
    at: AtomicU32,
}

/// The index of a list, or none. The atomic stores the index plus 1.
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

/// Joints and weights, in sets of four.
pub(super) type Sets<'a> = (&'a [[u16; 4]], &'a [[f32; 4]]);

/// Weights of some vertices before the stroke.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// Index of the list, if it is not empty.
    number: Option<u32>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    vertices: Vec<u32>,
}

/// Memory of a stroke.
#[derive(Debug, Default)]
pub(super) struct Memory {
    notes: Vec<Note>,
    /// Lists by index.
    starts: Vec<Starts>,
    /// Empty lists, kept to reuse their allocations.
    spare: Vec<Starts>,
    next: AtomicU32,
}

impl Memory {
    /// Clears the memory.
    pub fn clear(&mut self, vertices: usize) {
        for mut list in self.starts.drain(..) {
            // Only vertices with original weights can have entries.
            list.vertices.drain(..).for_each(|v| self.notes[to_index(v)] = Note::default());
            list.joints.clear();
            list.weights.clear();
            list.number = None;
            self.spare.push(list);
        }
        self.notes.resize_with(vertices, Note::default);
        *self.next.get_mut() = 0;
    }

    /// Takes lists for the tasks of a dab.
    pub fn lend(&mut self, tasks: usize) -> Vec<Starts> {
        let kept = self.spare.len().saturating_sub(tasks);
        let mut lists = self.spare.split_off(kept);
        lists.resize_with(tasks, Starts::default);
        lists
    }

    /// Stores the lists after the tasks of a dab.
    pub fn keep(&mut self, lists: Vec<Starts>) {
        self.starts.resize_with(to_index(*self.next.get_mut()), Starts::default);
        for list in lists {
            match list.number {
                Some(number) => self.starts[to_index(number)] = list,
                None => self.spare.push(list),
            }
        }
    }

    /// Records the amounts of a dab for a vertex. Returns the strongest amounts on both sides, or
    /// `None` if they did not increase.
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

    /// The weights of a vertex before the stroke. At its first dab, the current weights are
    /// recorded.
    // A call would pass the slices through memory, and wait for them.
    #[inline(always)]
    pub fn start<'a>(&'a self, vertex: u32, now: Sets<'a>, fresh: &mut Starts) -> Sets<'a> {
        let note = &self.notes[to_index(vertex)];
        if let Some(list) = note.list.get() {
            // Weights recorded in the current dab are still the current ones.
            let Some(starts) = self.starts.get(to_index(list)) else { return now };
            let at = to_index(note.at.load(Relaxed));
            (&starts.joints[at..at + now.0.len()], &starts.weights[at..at + now.1.len()])
        } else {
            let number = *fresh.number.get_or_insert_with(|| self.next.fetch_add(1, Relaxed));
            note.list.set(number);
            note.at.store(to_number(fresh.weights.len()), Relaxed);
            fresh.vertices.push(vertex);
            // Pushing sets of constant size avoids calls to `memcpy`.
            now.0.iter().for_each(|joints| fresh.joints.push(*joints));
            now.1.iter().for_each(|weights| fresh.weights.push(*weights));
            now
        }
    }
}
