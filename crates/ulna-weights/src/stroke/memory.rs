//! Memory of a stroke: the strongest amount at each vertex, and the weights before the stroke.
//!
//! Threads write in parallel, each to its own vertices. The entries are atomic, so that no thread
//! has to wait.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::ids::{to_index, to_number};

/// Stroke data of one vertex.
#[derive(Debug, Default)]
struct Note {
    /// Strongest amount so far, as float bits: of the brush, and of the mirrored brush.
    strongest: [AtomicU32; 2],
    /// List that contains the weights before the stroke.
    list: ListNumber,
    /// Index in that list, in sets of four slots.
    at: AtomicU32,
}

/// Optional index of a list. The atomic stores the index plus 1; 0 means none.
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

/// Joints and weights of a vertex, in sets of four slots.
pub(super) type Sets<'a> = (&'a [[u16; 4]], &'a [[f32; 4]]);

/// List of vertex weights before the stroke.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// Index of this list; `None` if it is empty.
    number: Option<u32>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    vertices: Vec<u32>,
}

/// The strongest amounts and original weights of all vertices that a stroke has painted.
#[derive(Debug, Default)]
pub(super) struct Memory {
    notes: Vec<Note>,
    /// Lists of original weights, by index.
    starts: Vec<Starts>,
    /// Empty lists, kept so that their allocations are reused.
    spare: Vec<Starts>,
    next: AtomicU32,
}

impl Memory {
    /// Clears all data of the last stroke. `vertices` is the number of vertices.
    pub fn clear(&mut self, vertices: usize) {
        for mut list in self.starts.drain(..) {
            // Only vertices in these lists can have stroke data.
            list.vertices.drain(..).for_each(|v| self.notes[to_index(v)] = Note::default());
            list.joints.clear();
            list.weights.clear();
            list.number = None;
            self.spare.push(list);
        }
        self.notes.resize_with(vertices, Note::default);
        *self.next.get_mut() = 0;
    }

    /// Returns one empty list per task of a dab.
    pub fn lend(&mut self, tasks: usize) -> Vec<Starts> {
        let kept = self.spare.len().saturating_sub(tasks);
        let mut lists = self.spare.split_off(kept);
        lists.resize_with(tasks, Starts::default);
        lists
    }

    /// Stores the lists that the tasks of a dab have filled.
    pub fn keep(&mut self, lists: Vec<Starts>) {
        self.starts.resize_with(to_index(*self.next.get_mut()), Starts::default);
        for list in lists {
            match list.number {
                Some(number) => self.starts[to_index(number)] = list,
                None => self.spare.push(list),
            }
        }
    }

    /// Records the amounts of a dab at a vertex. Returns the strongest amounts so far of both
    /// sides, or `None` if they did not increase.
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

    /// Returns the weights of a vertex before the stroke. At the vertex's first dab, the current
    /// weights are recorded.
    // This function is inlined, because a call would pass the slices through memory.
    #[inline(always)]
    pub fn start<'a>(&'a self, vertex: u32, now: Sets<'a>, fresh: &mut Starts) -> Sets<'a> {
        let note = &self.notes[to_index(vertex)];
        if let Some(list) = note.list.get() {
            // A list recorded in the current dab is not stored yet. Its weights still equal the
            // current weights.
            let Some(starts) = self.starts.get(to_index(list)) else { return now };
            let at = to_index(note.at.load(Relaxed));
            (&starts.joints[at..at + now.0.len()], &starts.weights[at..at + now.1.len()])
        } else {
            let number = *fresh.number.get_or_insert_with(|| self.next.fetch_add(1, Relaxed));
            note.list.set(number);
            note.at.store(to_number(fresh.weights.len()), Relaxed);
            fresh.vertices.push(vertex);
            // Pushing sets of constant size avoids `memcpy` calls.
            now.0.iter().for_each(|joints| fresh.joints.push(*joints));
            now.1.iter().for_each(|weights| fresh.weights.push(*weights));
            now
        }
    }
}
