//! Choices of arguments: their texts in commands, and their labels in the window.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::picker::Pick;
use crate::ui::{FormDraft, View};
use ulna_edit::{
    ArgumentSpec, CommandSpec, clip_text,
    command::{
        LayerName, WhichKeys,
        field::{ArgumentPart as _, ClipName},
        forms::{Entry, NodesOf, entry, when_left_out},
        kept_poses, layer_as_clip, layer_text, mesh_label, mesh_text, mix_of,
    },
    find_clip, node_text,
};
use ulna_model::{ClipId, Document, LayerHome, NodeId, label};

/// Choices of an argument.
pub struct Listed<'a> {
    /// Whether several elements can be picked.
    pub many: bool,
    /// Whether commands refer to the picked element by a number.
    pub by_number: bool,
    /// Label if nothing is picked and the argument is optional.
    pub unset: String,
    /// Choices that are selected in the window.
    pub selected: Vec<String>,
    /// Function that lists all choices.
    pub all: Box<dyn Fn() -> Vec<Pick> + 'a>,
    /// Function that returns the label of a choice from its text.
    pub label: Box<dyn Fn(&str) -> String + 'a>,
}

/// Choices for elements with unique names.
fn named<'n, N: AsRef<str> + 'n>(all: impl Iterator<Item = &'n N>) -> Vec<Pick> {
    let pick = |name: &str| Pick { text: name.to_owned(), label: name.to_owned() };
    all.map(|name| pick(name.as_ref())).collect()
}

/// Choices for elements by index, with their names as labels.
fn numbered<'n>(all: impl Iterator<Item = (Option<&'n str>, u32)>, what: &str) -> Vec<Pick> {
    all.map(|(name, k)| Pick { text: format!("#{k}"), label: label(name, what, k) }).collect()
}

/// Choices of an argument's editor; `None` if it is not a list.
pub fn listed<'a>(
    entry: &Entry,
    name: &str,
    view: &View<'a>,
    draft: &FormDraft,
) -> Option<Listed<'a>> {
    let document = view.session?.document();
    let plain = |many: bool, unset: &'static str, all: Vec<Pick>| {
        let labels = all.clone();
        Listed {
            many,
            by_number: false,
            unset: unset.to_owned(),
            selected: Vec::new(),
            all: Box::new(move || all.clone()),
            label: Box::new(move |text: &str| {
                labels
                    .iter()
                    .find(|p| p.text == text)
                    .map_or_else(|| text.to_owned(), |p| p.label.clone())
            }),
        }
    };
    Some(match entry {
        Entry::Nodes(of, many) => Listed {
            unset: when_left_out(&draft.command, name).to_owned(),
            ..nodes(view, document, *of, *many)
        },
        Entry::Clip | Entry::Clips => {
            let pick = |id| Pick { text: clip_text(document, id), label: document.clip_label(id) };
            plain(*entry == Entry::Clips, "None", document.clips.ids().map(pick).collect())
        }
        Entry::Meshes => {
            let pick = |id| Pick { text: mesh_text(document, id), label: mesh_label(document, id) };
            plain(
                true,
                when_left_out(&draft.command, name),
                document.meshes.iter().map(|(id, _)| pick(id)).collect(),
            )
        }
        Entry::Material => {
            let all = document.materials.iter().map(|(id, m)| (m.name.as_deref(), id.0));
            plain(false, "None", numbered(all, "material"))
        }
        Entry::Skin => {
            let all = document.skins.iter().map(|(id, s)| (s.name.as_deref(), id.0));
            plain(false, "None", numbered(all, "skin"))
        }
        Entry::Image => {
            let all = document.images.iter().zip(0..).map(|(i, k)| (i.name.as_deref(), k));
            plain(false, "Default", numbered(all, "image"))
        }
        Entry::JointGroup => {
            plain(false, "None", named(document.joint_groups().iter().map(|g| &g.name)))
        }
        Entry::RetargetMap => {
            let unset = when_left_out(&draft.command, name);
            plain(false, unset, named(document.retarget_maps().iter().map(|m| &m.name)))
        }
        Entry::Reference | Entry::ReferenceClip => {
            plain(false, when_left_out(&draft.command, name), references(entry, view, draft))
        }
        Entry::KeptPose => plain(false, "None", kept_pose_picks(document)),
        Entry::Layer => plain(false, "None", pose_layers(document, draft)),
        Entry::WeightLayer => {
            let all = document
                .aids
                .weight_layers
                .iter()
                .flat_map(|(skin, l)| l.layers.iter().map(move |l| (*skin, l)));
            let pick = |(skin, l): (_, &ulna_model::Shared<ulna_model::WeightLayer>)| Pick {
                text: layer_text(document, skin, l.id),
                label: l.name.to_string(),
            };
            plain(false, "None", all.map(pick).collect())
        }
        Entry::NameThere => plain(
            false,
            if name == "clip" { "The file's pose" } else { "The only one" },
            there(name, view, draft),
        ),
        Entry::Marker => markers(document, draft),
        Entry::Component => {
            let pick = |(k, axis): (usize, &str)| Pick { text: k.to_string(), label: axis.into() };
            let all = ["X", "Y", "Z", "W"].into_iter().enumerate().map(pick).collect();
            Listed { by_number: true, ..plain(false, "Any component", all) }
        }
        Entry::MorphTarget => plain(false, "None", morph_targets(document, draft)),
        Entry::Workspace => plain(false, no_workspace(view), workspaces(view)),
        Entry::Lane => {
            let mix = mix_of(document);
            let lanes = mix.iter().flat_map(|m| m.lanes.iter());
            plain(false, "Bottom", named(lanes.map(|l| &l.name)))
        }
        _ => return None,
    })
}

/// Names of the workspaces.
fn workspaces(view: &View<'_>) -> Vec<Pick> {
    named(view.program.workspaces.iter().map(|row| &row.name))
}

/// Default text of a workspace argument: the current workspace, if it is saved.
fn no_workspace(view: &View<'_>) -> &'static str {
    let is_own = view.program.workspaces.iter().any(|row| row.is_shown && row.is_own);
    if is_own { "The current one" } else { "None" }
}

/// Nodes of a kind, joints first, each with a text that identifies only this node.
fn nodes<'a>(view: &View<'a>, document: &'a Document, of: NodesOf, many: bool) -> Listed<'a> {
    let joints = view.joints;
    let fits = move |n: NodeId| match of {
        NodesOf::All => true,
        NodesOf::Joints => joints[n.index()],
        NodesOf::Meshes => document.node(n).mesh.is_some(),
        NodesOf::Morphs => document
            .node(n)
            .mesh
            .and_then(|m| document.meshes.get(m))
            .is_some_and(|m| m.target_count() > 0),
        NodesOf::Cameras => document.node(n).camera.is_some(),
    };
    let all = move || {
        // Count the names once, because counting per node would be slow for thousands of nodes.
        let mut count: HashMap<&str, usize> = HashMap::new();
        for node in document.nodes.values() {
            *count.entry(node.name.as_deref().unwrap_or_default()).or_default() += 1;
        }
        let mut list: Vec<(bool, Pick)> = Vec::new();
        for id in document.node_ids().filter(|n| fits(*n)) {
            let name = document.node(id).name.as_deref().unwrap_or_default();
            let is_own = !name.is_empty() && !name.contains(['*', '/', '#']) && count[name] == 1;
            let text = if is_own { name.to_owned() } else { node_text(document, id) };
            let label = if is_own { document.node(id).label(id) } else { document.path(id) };
            list.push((!joints[id.index()], Pick { text, label }));
        }
        list.sort_by_key(|(later, _)| *later);
        list.into_iter().map(|(_, pick)| pick).collect()
    };
    let mut selected: Vec<NodeId> =
        view.selection.nodes.iter().copied().filter(|n| fits(*n)).collect();
    if !many {
        selected = view.selection.active.filter(|n| fits(*n)).into_iter().collect();
    }
    let by_number = move |text: &str| {
        let id: NodeId = text.strip_prefix('#').and_then(|t| t.parse::<usize>().ok())?.into();
        document.nodes.get(id).map(|n| n.label(id))
    };
    Listed {
        many,
        by_number: false,
        unset: "All".to_owned(),
        selected: selected.iter().map(|n| node_text(document, *n)).collect(),
        all: Box::new(all),
        label: Box::new(move |text: &str| by_number(text).unwrap_or_else(|| text.to_owned())),
    }
}

/// Markers of the clip chosen in the form, by their times.
fn markers(document: &Document, draft: &FormDraft) -> Listed<'static> {
    let clip = named_clip(document, draft).and_then(|id| document.clips.get(id));
    let markers: Vec<(f32, String)> = clip
        .iter()
        .flat_map(|c| c.markers.iter())
        .map(|m| {
            let name = if m.name.is_empty() { "Marker" } else { &*m.name };
            (m.time, format!("{name} at {:.3} s", m.time))
        })
        .collect();
    let all = markers.clone();
    Listed {
        many: false,
        by_number: true,
        unset: "None".to_owned(),
        selected: Vec::new(),
        all: Box::new(move || {
            all.iter()
                .map(|(t, label)| Pick { text: t.to_string(), label: label.clone() })
                .collect()
        }),
        label: Box::new(move |text: &str| {
            let time = text.parse::<f32>().ok();
            let found = markers.iter().find(|(t, _)| Some(*t) == time);
            found.map_or_else(|| format!("{text} s"), |(_, label)| label.clone())
        }),
    }
}

/// Clip chosen in the form.
fn named_clip(document: &Document, draft: &FormDraft) -> Option<ClipId> {
    let spec = draft.spec()?;
    let at = spec.arguments.iter().position(|a| a.name == "clip")?;
    find_clip(document, draft.entered[at].value.as_ref()?.as_str()?).ok()
}

/// Poses that are stored in the file.
fn kept_pose_picks(document: &Document) -> Vec<Pick> {
    named(kept_poses(document).iter().map(|p| &p.name))
}

/// Reference models, or the clips of the reference model chosen in the form.
fn references(entry: &Entry, view: &View<'_>, draft: &FormDraft) -> Vec<Pick> {
    match entry {
        Entry::ReferenceClip => named(reference_clips(view, draft).iter()),
        _ => named(view.references.all.iter().map(|r| &r.name)),
    }
}

/// Names of the clips of the reference model chosen in the form, or of the selected one.
fn reference_clips(view: &View<'_>, draft: &FormDraft) -> Vec<String> {
    let named = || {
        let at = draft.spec()?.arguments.iter().position(|a| a.name == "reference")?;
        draft.entered[at].value.as_ref()?.as_str()
    };
    let clips = view.references.named(named()).map(|reference| &reference.clips);
    clips.into_iter().flatten().map(|(clip, _)| clip.clone()).collect()
}

/// Layers of the clip chosen in the form, or of the pose.
fn pose_layers(document: &Document, draft: &FormDraft) -> Vec<Pick> {
    let layers = document.aids.layers(LayerHome::of(named_clip(document, draft)));
    let pick = |l: &ulna_model::PoseLayer| Pick {
        text: ulna_edit::command::pose_layer_text(document, l.id),
        label: l.name.to_string(),
    };
    layers.iter().map(pick).collect()
}

/// Clips with layers in the file chosen in the form, or the layers of the chosen clip in that file.
fn there(name: &str, view: &View<'_>, draft: &FormDraft) -> Vec<Pick> {
    let Some(Ok(layers)) = view.dialogs.there.map(|t| t.layers.as_ref()) else { return Vec::new() };
    let mut list: Vec<Pick> = if name == "clip" {
        let clips = layers.iter().filter_map(|l| Some((l.clip.clone()?, &l.clip_label)));
        clips.map(|(text, label)| Pick { text, label: label.clone() }).collect()
    } else {
        let at = draft.spec().and_then(|spec| spec.arguments.iter().position(|a| a.name == "clip"));
        let clip = at.and_then(|k| draft.entered[k].value.as_ref()?.as_str());
        let of = layers.iter().filter(|l| l.clip.as_deref() == clip);
        of.map(|l| Pick { text: l.layer.clone(), label: l.layer.clone() }).collect()
    };
    list.dedup();
    list
}

/// Morph targets of the node chosen in the form.
fn morph_targets(document: &Document, draft: &FormDraft) -> Vec<Pick> {
    let named = draft.spec().and_then(|spec| {
        let at = spec.arguments.iter().position(|a| a.name == "node")?;
        draft.entered[at].value.as_ref()?.as_str().map(ToOwned::to_owned)
    });
    let node = named.and_then(|text| document.node_ids().find(|n| node_text(document, *n) == text));
    let mesh = node.and_then(|n| document.node(n).mesh).and_then(|m| document.meshes.get(m));
    let Some(mesh) = mesh else { return Vec::new() };
    let name = |k: usize| {
        mesh.target_names.get(k).map_or_else(|| format!("target {k}"), ToString::to_string)
    };
    (0..mesh.target_count()).map(|k| Pick { text: format!("#{k}"), label: name(k) }).collect()
}

/// Selected keys, in the syntax of commands.
pub fn selected_keys(
    view: &View<'_>,
    spec: &CommandSpec,
    argument: &ArgumentSpec,
) -> Option<Value> {
    debug_assert_eq!(entry(spec, argument), Some(Entry::Keys));
    let document = view.session?.document();
    let home = view.keys_home()?;
    let (clip, which) = WhichKeys::selected(view.selection, Some(home))?;
    let mut written = Map::new();
    match home.layer {
        Some(layer) => {
            let stand_in =
                layer_as_clip(document, &ClipName::Id(clip), &LayerName::Id(layer)).ok()?;
            which.write(&stand_in, "", &mut written);
        }
        None => which.write(document, "", &mut written),
    }
    written.remove(argument.name)
}
