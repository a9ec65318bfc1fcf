//! Findings about weights and skinned surfaces, with the commands that fix them.

use ulna_edit::command::gone_of_kept_mix;
use ulna_model::{
    Diagnostic, Document, Location, MeshId, Primitive, PrimitiveId, Repair, Severity, WeightMap,
};
use ulna_weights::SkinnedSurface;

/// Returns the number of joints that the weights of each mesh may refer to. For a mesh with several
/// skins, the smallest number counts. Unskinned meshes have `usize::MAX`.
fn joint_counts(document: &Document) -> Vec<usize> {
    let mut counts = vec![usize::MAX; document.meshes.len()];
    for node in document.nodes.values() {
        if let (Some(mesh), Some(skin)) = (node.mesh, node.skin) {
            let count = &mut counts[mesh.index()];
            *count = (*count).min(document.skin(skin).joints.len());
        }
    }
    counts
}

/// Finds the problems of a primitive's weight map.
fn weight_findings(place: &Location, map: &WeightMap, joint_count: usize) -> Vec<Diagnostic> {
    let faults = ulna_weights::faults_in(map, usize::MAX, joint_count);
    let list = [
        (faults.sum, "ACCESSOR_WEIGHTS_NON_NORMALIZED", "the weights do not sum to 1"),
        (faults.none, "ACCESSOR_WEIGHTS_NON_NORMALIZED", "all weights are 0"),
        (faults.negative, "ACCESSOR_WEIGHTS_NEGATIVE", "a weight is negative"),
        (
            faults.not_numbers,
            "ACCESSOR_INVALID_FLOAT",
            "a weight is not a number; it is treated as 0",
        ),
        (faults.twice, "ACCESSOR_JOINTS_INDEX_DUPLICATE", "a joint is listed twice"),
        (
            faults.past,
            "ACCESSOR_JOINTS_INDEX_OOB",
            "a joint index exceeds the joints of the skin; it has no effect",
        ),
    ];
    let finding = |(count, code, what): (usize, &'static str, &str)| {
        let plural = if count == 1 { "1 vertex".to_owned() } else { format!("{count} vertices") };
        let found = || Diagnostic::new(Severity::Error, code, place, format!("{plural}: {what}"));
        (count > 0).then(|| Diagnostic { fix: Some(Repair::Normalize), ..found() })
    };
    list.into_iter().filter_map(finding).collect()
}

/// Finds the weight problems of a primitive. Missing weights are a problem if the mesh is skinned.
pub(super) fn of_primitive(
    document: &Document,
    mesh: MeshId,
    primitive: PrimitiveId,
) -> Vec<Diagnostic> {
    of(document, mesh, primitive, &joint_counts(document))
}

fn of(
    document: &Document,
    mesh: MeshId,
    primitive: PrimitiveId,
    counts: &[usize],
) -> Vec<Diagnostic> {
    let Some(found) = document.primitive(mesh, primitive) else {
        return Vec::new();
    };
    let place = Location::primitive(mesh, primitive);
    match found.weights.as_deref() {
        Some(map) => weight_findings(&place, map, counts[mesh.index()]),
        None if is_bare(found) && !matches!(counts[mesh.index()], 0 | usize::MAX) => {
            let message =
                "The mesh is skinned, but this primitive has no weights, so no joint moves it";
            let found = Diagnostic::new(Severity::Warning, "ULNA_NO_WEIGHTS", place, message);
            vec![Diagnostic { fix: Some(Repair::Bind), ..found }]
        }
        None => Vec::new(),
    }
}

/// Finds the weight problems of all primitives.
pub(super) fn of_all(document: &Document) -> Vec<Diagnostic> {
    let keys =
        document.meshes.iter().flat_map(|(id, mesh)| mesh.entries().map(move |(p, _)| (id, p)));
    let counts = joint_counts(document);
    keys.flat_map(|(mesh, primitive)| of(document, mesh, primitive, &counts)).collect()
}

/// Returns a finding if a stored mix names missing clips or nodes.
pub(super) fn of_mix(document: &Document) -> Option<Diagnostic> {
    let gone = gone_of_kept_mix(document);
    let message = format!(
        "The mix refers to clips or nodes that are missing, and the bars that need them are left \
            out: {}",
        gone.join(", ")
    );
    (!gone.is_empty()).then(|| Diagnostic::new(Severity::Warning, "ULNA_MIX", "scenes", message))
}

/// Whether a primitive has vertices but no weights.
fn is_bare(primitive: &Primitive) -> bool {
    primitive.weights.is_none() && !primitive.positions.is_empty()
}

/// Whether any primitive of a mesh whose skin has joints has no weights.
pub(super) fn any_bare(document: &Document) -> bool {
    document.nodes.values().any(|n| match (n.mesh, n.skin) {
        (Some(mesh), Some(skin)) if !document.skin(skin).joints.is_empty() => {
            document.mesh(mesh).primitives.iter().any(is_bare)
        }
        _ => false,
    })
}

/// Finds defects in the topology of a skin's surface. Brushes that follow the surface stop or jump
/// there.
pub fn surface_findings(canvas: &SkinnedSurface) -> Vec<Diagnostic> {
    let flaws = canvas.flaws();
    let place = Location::of(canvas.skin);
    let list = [
        (
            flaws.open.len(),
            "ULNA_MESH_OPEN",
            "at boundary edges: a brush along the surface stops there",
        ),
        (
            flaws.crowded.len(),
            "ULNA_MESH_CROWDED",
            "at non-manifold edges, with three or more triangles: a brush along the surface \
                continues onto all of them",
        ),
        (
            flaws.doubled.len(),
            "ULNA_MESH_DOUBLED",
            "at duplicate triangles: both copies are painted alike",
        ),
    ];
    let finding = |(count, code, what): (usize, &'static str, &str)| {
        let spots = if count == 1 { "1 point".to_owned() } else { format!("{count} points") };
        (count > 0).then(|| {
            Diagnostic::new(Severity::Info, code, &place, format!("{spots} of the surface {what}"))
        })
    };
    list.into_iter().filter_map(finding).collect()
}

/// Merges findings of the glTF rules with the findings from reading and from Ulna. Values that were
/// repaired for display become warnings. If a command fixes a rule violation, it is attached to the
/// finding of that rule.
pub fn merged(rules: Vec<Diagnostic>, own: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_ours = |code: &str| code.starts_with("ULNA_");
    let mut all = rules;
    for finding in &mut all {
        let mending = own.iter().filter(|o| o.code == finding.code && o.fix.is_some());
        // Match by location if the finding has one, otherwise by code.
        let place = mending.clone().find(|o| finding.place.is_within(&o.place));
        finding.fix = place.or_else(|| mending.clone().next()).and_then(|o| o.fix);
    }
    let told: Vec<&'static str> = all.iter().map(|d| d.code).collect();
    for finding in own {
        let warning = finding.severity.min(Severity::Warning);
        if is_ours(finding.code) {
            all.push(Diagnostic { severity: warning, ..finding.clone() });
        } else if !told.contains(&finding.code) {
            all.push(Diagnostic { severity: warning, code: "ULNA_REPAIRED", ..finding.clone() });
        }
    }
    all.sort_by_key(|d| std::cmp::Reverse(d.severity));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_edit::command::{Bind, Normalize};

    #[test]
    fn repairs_of_findings_are_existing_commands() {
        assert_eq!(Repair::Bind.command(), Bind::NAME);
        assert_eq!(Repair::Normalize.command(), Normalize::NAME);
    }
}
