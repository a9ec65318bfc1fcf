//! Queries of vertices, such as `of LeftArm 0.2..0.8; stray | grow 2`, in addition to plain
//! indices.
//!
//! Terms are separated by `;` and combined. Each following `|` changes the combined selection. A
//! term is a keyword, or a list of indices such as `0-99, 120`. The indices apply to each
//! primitive, or with the prefix `mesh/primitive:` to one.

use std::ops::Range;

use super::{
    ArgumentError, Arguments, CommandError,
    arguments::ranges,
    names::{find_meshes, find_nodes, mesh_label},
};
use ulna_model::{Document, NodeId};
use ulna_weights::{Pick, Reshape, SkinnedSurface, pick, reshape};

/// Parsed query of vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertices {
    terms: Vec<Term>,
    steps: Vec<(Reshape, usize)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Term {
    /// Vertex indices in every primitive.
    Numbers(Vec<Range<usize>>),
    /// Vertex indices in one primitive, with the indices of its mesh and primitive.
    ArgumentPart((usize, usize), Vec<Range<usize>>),
    /// Vertices with a property.
    Pick(Pick),
    /// Vertices of the meshes with this name.
    Mesh(String),
    /// Vertices with a weight of a joint between `from` and `to`.
    Of { joint: String, from: f32, to: f32 },
}

/// Vertex indices beyond the last vertex of a primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastEnd {
    /// Index of the primitive in the surface.
    pub part: usize,
    /// The invalid indices.
    pub range: Range<usize>,
}

/// The reason why a query cannot be evaluated.
#[derive(Clone, Debug)]
pub enum Untold {
    /// Vertex indices beyond the end.
    Past(PastEnd),
    /// A name without a matching joint or mesh.
    Joint(ArgumentError),
}

/// Maximum number of `|` steps in a query.
const MOST_STEPS: usize = 32;

/// Allowed forms of a query, for messages.
const WANTED: &str = "vertex numbers such as 0-99, 120, or 0/1: 7 (mesh/primitive: vertex), or a \
    query: all, faulty, stray, open, crowded, doubled, unpaired, mesh NAME, of JOINT 0.2..0.8, \
    optionally followed by | grow 2, | shrink, | linked, | loop, | ring, | grow_loop 3, | mirror, \
    | invert";

impl Vertices {
    /// Parses the argument of a command.
    ///
    /// # Errors
    /// If the argument is not a valid query.
    pub(super) fn of(arguments: &Arguments, name: &'static str) -> Result<Self, ArgumentError> {
        let value = arguments.value(name)?;
        let found = match value {
            serde_json::Value::String(text) => Self::parse(text),
            serde_json::Value::Array(list) => {
                let one = |v: &serde_json::Value| {
                    v.as_u64().filter(|v| *v < 1 << 32).map(|v| v as usize..v as usize + 1)
                };
                let numbers: Option<Vec<_>> = list.iter().map(one).collect();
                numbers.map(|n| Self { terms: vec![Term::Numbers(n)], steps: Vec::new() })
            }
            _ => None,
        };
        found.ok_or_else(|| Arguments::wrong(name, WANTED, value))
    }

    /// Parses a text; `None` if it is not a valid query.
    pub fn parse(text: &str) -> Option<Self> {
        let mut pieces = text.split('|').map(str::trim);
        let terms =
            pieces.next()?.split(';').map(|t| term(t.trim())).collect::<Option<Vec<Term>>>()?;
        let steps =
            pieces.map(step).collect::<Option<Vec<_>>>().filter(|s| s.len() <= MOST_STEPS)?;
        Some(Self { terms, steps })
    }

    /// Returns the joints that the query refers to.
    pub fn joints(&self, document: &Document) -> Vec<NodeId> {
        let named = self.terms.iter().filter_map(|term| match term {
            Term::Of { joint, .. } => find_nodes(document, joint).ok(),
            _ => None,
        });
        named.flatten().collect()
    }

    /// Evaluates the query on a surface. Returns one flag per vertex. `meant` has one flag per
    /// primitive, and vertices of other primitives are not selected.
    ///
    /// # Errors
    /// If vertex indices are beyond the end, or a joint or mesh does not exist.
    pub fn mark(
        &self,
        document: &Document,
        canvas: &SkinnedSurface,
        meant: &[bool],
    ) -> Result<Vec<bool>, Untold> {
        let mut chosen = vec![false; canvas.vertex_count()];
        for term in &self.terms {
            match term {
                Term::Numbers(list) => {
                    for part in (0..canvas.parts().len()).filter(|k| meant[*k]) {
                        mark_numbers(canvas, part, list, &mut chosen)?;
                    }
                }
                Term::ArgumentPart((mesh, primitive), list) => {
                    let is = |k: &usize| {
                        let part = &canvas.parts()[*k];
                        meant[*k]
                            && (part.mesh.index(), part.primitive.index()) == (*mesh, *primitive)
                    };
                    for part in (0..canvas.parts().len()).filter(is) {
                        mark_numbers(canvas, part, list, &mut chosen)?;
                    }
                }
                Term::Pick(what) => {
                    pick(document, canvas, what)
                        .into_iter()
                        .for_each(|v| chosen[v as usize] = true);
                }
                Term::Mesh(name) => {
                    for mesh in find_meshes(document, name).map_err(Untold::Joint)? {
                        pick(document, canvas, &Pick::Mesh(mesh))
                            .into_iter()
                            .for_each(|v| chosen[v as usize] = true);
                    }
                }
                Term::Of { joint, from, to } => {
                    let nodes = find_nodes(document, joint).map_err(Untold::Joint)?;
                    for joint in nodes.iter().filter_map(|n| canvas.joint(*n)) {
                        let what = Pick::Of { joint, from: *from, to: *to };
                        pick(document, canvas, &what)
                            .into_iter()
                            .for_each(|v| chosen[v as usize] = true);
                    }
                }
            }
        }
        let mut list: Vec<u32> = (0..chosen.len() as u32).filter(|v| chosen[*v as usize]).collect();
        for (how, times) in &self.steps {
            for _ in 0..*times {
                let next = reshape(document, canvas, &list, *how);
                if next == list {
                    break;
                }
                list = next;
            }
        }
        if !self.steps.is_empty() {
            chosen.fill(false);
            list.into_iter().for_each(|v| chosen[v as usize] = true);
        }
        for (part, _) in canvas.parts().iter().zip(meant).filter(|(_, meant)| !**meant) {
            chosen[part.first as usize..(part.first + part.count) as usize].fill(false);
        }
        Ok(chosen)
    }
}

fn mark_numbers(
    canvas: &SkinnedSurface,
    part: usize,
    list: &[Range<usize>],
    chosen: &mut [bool],
) -> Result<(), Untold> {
    let found = &canvas.parts()[part];
    let own = &mut chosen[found.first as usize..(found.first + found.count) as usize];
    for range in list {
        let past = || Untold::Past(PastEnd { part, range: range.clone() });
        own.get_mut(range.clone()).ok_or_else(past)?.fill(true);
    }
    Ok(())
}

fn term(text: &str) -> Option<Term> {
    if let Some(list) = ranges(text) {
        return Some(Term::Numbers(list));
    }
    if let Some((part, list)) = text.split_once(':')
        && let Some((mesh, primitive)) = part.split_once('/')
    {
        return Some(Term::ArgumentPart(
            (mesh.trim().parse().ok()?, primitive.trim().parse().ok()?),
            ranges(list)?,
        ));
    }
    if let Some(rest) = text.strip_prefix("of ") {
        let (joint, bounds) = match rest.trim().rsplit_once(' ') {
            Some((joint, bounds)) if bounds.contains("..") => (joint, bounds),
            _ => (rest, "0..1"),
        };
        let (from, to) = bounds.split_once("..")?;
        let (from, to): (f32, f32) = (from.parse().ok()?, to.parse().ok()?);
        return (from <= to).then(|| Term::Of { joint: joint.trim().to_owned(), from, to });
    }
    if let Some(name) = text.strip_prefix("mesh ") {
        return Some(Term::Mesh(name.trim().to_owned()));
    }
    Some(Term::Pick(match text {
        "all" => Pick::All,
        "faulty" => Pick::Faulty { most: usize::MAX },
        "stray" => Pick::Stray,
        "open" => Pick::Open,
        "crowded" => Pick::Crowded,
        "doubled" => Pick::Doubled,
        "unpaired" => Pick::Unpaired,
        _ => return None,
    }))
}

fn step(text: &str) -> Option<(Reshape, usize)> {
    /// Limits the number of repetitions, because more would not change the result.
    const MOST: usize = 1_000;
    let (word, times) = match text.split_once(' ') {
        Some((word, times)) => (word, times.trim().parse::<usize>().ok()?.min(MOST)),
        None => (text, 1),
    };
    let how = match word {
        "grow" => Reshape::Grow,
        "shrink" => Reshape::Shrink,
        "linked" => Reshape::Linked,
        "loop" => Reshape::Loop,
        "ring" => Reshape::Ring,
        "grow_loop" => Reshape::GrowLoop,
        "mirror" => Reshape::Mirror,
        "invert" => return Some((Reshape::Invert, times % 2)),
        _ => return None,
    };
    Some((how, times))
}

/// Returns the error message for a query that cannot be evaluated.
pub fn vertex_query_error(
    document: &Document,
    canvas: &SkinnedSurface,
    why: Untold,
) -> CommandError {
    match why {
        Untold::Joint(error) => error.into(),
        Untold::Past(PastEnd { part, range }) => {
            let part = &canvas.parts()[part];
            let vertices = match range.end.saturating_sub(1) {
                last if last <= range.start => format!("vertex {} does", range.start),
                last => format!("vertices {} to {last} do", range.start),
            };
            CommandError::other(
                "no_such_vertex",
                format!(
                    "{vertices} not exist; primitive {} of “{}” has only {} vertices",
                    part.primitive,
                    mesh_label(document, part.mesh),
                    part.count
                ),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_vertex_terms_are_parsed_and_other_text_is_refused() {
        let read = |text: &str| Vertices::parse(text);
        assert_eq!(read("0-2, 7").map(|v| v.terms), Some(vec![Term::Numbers(vec![0..3, 7..8])]));
        let parts = read("0/1: 5, 8; 2/0: 7-8, 3").map(|v| v.terms);
        assert_eq!(
            parts,
            Some(vec![
                Term::ArgumentPart((0, 1), vec![5..6, 8..9]),
                Term::ArgumentPart((2, 0), vec![7..9, 3..4])
            ])
        );
        let of = Term::Of { joint: "Left Arm".into(), from: 0.25, to: 0.5 };
        let all = Vertices {
            terms: vec![of, Term::Pick(Pick::Stray)],
            steps: vec![(Reshape::Grow, 2), (Reshape::Invert, 1)],
        };
        assert_eq!(read("of Left Arm 0.25..0.5; stray | grow 2 | invert"), Some(all));
        let any = Term::Of { joint: "Hips".into(), from: 0.0, to: 1.0 };
        assert_eq!(read("of Hips").map(|v| v.terms), Some(vec![any]));
        for odd in ["of Hips 0.5..0.2", "some", "0-", "all | turn", "all | grow x", "0/a: 1", "5-2"]
        {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
