//! Names that the palette finds in addition to commands: clips, joints and nodes, assets, layers,
//! poses, preferences, recent files and headings of the guide.

use std::path::PathBuf;

use super::matching::Searched;
use crate::ui::{
    AssetRef, Recent, View, guide,
    preferences::{self, PreferenceRow},
    widgets::node_kind,
};
use ulna_edit::command::kept_poses;
use ulna_model::{Clip, ClipId, Document, LayerHome, NodeId, PoseLayerId};

/// Kind of a group of rows. Equally good groups are shown in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowGroup {
    /// Recently used commands.
    Recent,
    /// Commands and preferences.
    Commands,
    /// Clips, joints, other nodes, pose layers and poses.
    Motion,
    /// Meshes and materials.
    Surfaces,
    /// Recent files.
    Files,
    /// Headings of the guide.
    Guide,
}

impl RowGroup {
    /// Title above the rows of the group.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Recent => "Recently used",
            Self::Commands => "Commands",
            Self::Motion => "Clips and joints",
            Self::Surfaces => "Meshes and materials",
            Self::Files => "Files",
            Self::Guide => "Guide",
        }
    }
}

/// A named element that the palette can find, other than a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Named {
    /// A clip.
    Clip(ClipId),
    /// A joint or another node.
    Node(NodeId),
    /// A pose layer.
    Layer(LayerHome, PoseLayerId),
    /// A pose in the file's pose library.
    Pose,
    /// A mesh or a material.
    Asset(AssetRef),
    /// A row of the preferences.
    Preference(&'static PreferenceRow),
    /// A recently opened file.
    File(PathBuf),
    /// A heading of the guide.
    Heading(&'static guide::Heading),
}

impl Named {
    /// Group of the element's row.
    pub const fn group(&self) -> RowGroup {
        match self {
            Self::Clip(_) | Self::Node(_) | Self::Layer(..) | Self::Pose => RowGroup::Motion,
            Self::Asset(_) => RowGroup::Surfaces,
            Self::Preference(_) => RowGroup::Commands,
            Self::File(_) => RowGroup::Files,
            Self::Heading(_) => RowGroup::Guide,
        }
    }

    /// Label of the Enter key on the row.
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Clip(_) | Self::Asset(_) => "show",
            Self::Node(_) => "select",
            Self::Layer(..) => "choose",
            Self::Pose => "apply",
            Self::Preference(_) | Self::File(_) => "open",
            Self::Heading(_) => "read",
        }
    }
}

/// A searchable name.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The element with this name.
    pub named: Named,
    /// The name as shown.
    pub name: String,
    /// The name, split into words.
    pub searched: Searched,
    /// Synonyms of the name.
    pub more: Vec<Searched>,
}

impl Entry {
    /// Creates an entry without synonyms.
    pub fn new(named: Named, name: String) -> Self {
        let searched = Searched::new(&name);
        Self { named, name, searched, more: Vec::new() }
    }
}

/// All names in the document.
fn of_document(document: &Document) -> impl Iterator<Item = Entry> + '_ {
    let clips = document.clips.ids();
    let clips = clips.map(|clip| Entry::new(Named::Clip(clip), document.clip_label(clip)));
    let nodes = document.node_ids();
    let nodes = nodes.map(|node| Entry::new(Named::Node(node), document.node(node).label(node)));
    let layers = document.aids.pose_layers.iter().flat_map(|(home, layers)| {
        layers.iter().map(|l| Entry::new(Named::Layer(*home, l.id), l.name.to_string()))
    });
    let poses = kept_poses(document).iter();
    let poses = poses.map(|pose| Entry::new(Named::Pose, pose.name.clone()));
    let asset = |asset: AssetRef| Entry::new(Named::Asset(asset), asset.name(document));
    let meshes = document.meshes.iter().map(move |(id, _)| asset(AssetRef::Mesh(id)));
    let materials = document.materials.iter().map(move |(id, _)| asset(AssetRef::Material(id)));
    clips.chain(nodes).chain(layers).chain(poses).chain(meshes).chain(materials)
}

/// All searchable names of the document and the program.
pub fn entries(view: &View<'_>) -> Vec<Entry> {
    all_names(view.session.map(|session| session.document()), view.program.recent)
}

/// All names of a document, of the preferences, of recent files and of the guide.
pub fn all_names(document: Option<&Document>, recent: &[Recent]) -> Vec<Entry> {
    let mut all: Vec<Entry> = document.into_iter().flat_map(of_document).collect();
    all.extend(preferences::ROWS.iter().map(|row| Entry {
        more: row.terms.split(", ").map(Searched::new).collect(),
        ..Entry::new(Named::Preference(row), row.label.to_owned())
    }));
    let files = recent.iter().filter(|file| !file.missing);
    all.extend(files.map(|file| {
        let name = file.path.file_name().map(|name| name.to_string_lossy().into_owned());
        Entry::new(Named::File(file.path.clone()), name.unwrap_or_default())
    }));
    all.extend(
        guide::headings()
            .iter()
            .map(|heading| Entry::new(Named::Heading(heading), heading.title.clone())),
    );
    all
}

/// Note of a clip, such as `clip, 1.20 s, 36 keys`.
fn clip_note(clip: &Clip) -> String {
    let keys: usize = clip.tracks.values().map(|track| track.times.len()).sum();
    let keys = crate::ui::thousands(keys);
    format!("clip, {:.2} s, {keys} {}", clip.length(), if keys == "1" { "key" } else { "keys" })
}

/// Note that is shown after an element's name.
pub fn note(view: &View<'_>, entry: &Entry) -> String {
    let document = view.session.map(|session| session.document());
    let of_document = |document: &Document| match &entry.named {
        Named::Clip(id) => document.clips.get(*id).map(|clip| clip_note(clip)),
        Named::Node(id) if document.nodes.contains(*id) => {
            let kind = node_kind(view, document, *id);
            let parent = document.node(*id).parent;
            Some(parent.map_or_else(
                || kind.to_owned(),
                |p| format!("{kind} under {}", document.node(p).label(p)),
            ))
        }
        Named::Layer(LayerHome::Clip(clip), _) => {
            Some(format!("layer of {}", document.clip_label(*clip)))
        }
        Named::Layer(..) => Some("layer of the pose".to_owned()),
        _ => None,
    };
    match &entry.named {
        Named::Pose => "saved pose".to_owned(),
        Named::Asset(asset) => asset.label().to_lowercase(),
        Named::Preference(row) => format!("Preferences, {}", row.page.title()),
        Named::File(path) => {
            path.parent().map_or_else(String::new, |folder| folder.display().to_string())
        }
        Named::Heading(heading) => heading.within.clone(),
        _ => document.and_then(of_document).unwrap_or_default(),
    }
}
