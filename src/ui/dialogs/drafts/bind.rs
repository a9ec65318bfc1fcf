//! Choices of the *Bind* dialog, and the commands that they come to.

use ulna_edit::command::{
    BindSkin, BoundShape, CreateSkin,
    field::{AutomaticWeights, ClipName, Nodes, Seconds},
};
use ulna_model::{ClipId, Document, NodeId, SkinId};

/// What is bound, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct BindDraft {
    /// Nodes of meshes, and whether each is meant.
    pub meshes: Vec<(NodeId, bool)>,
    /// Whether those on no skin are hung on joints, or those on a skin bound anew.
    pub create: bool,
    /// The joints that are selected.
    pub selected: Vec<NodeId>,
    /// Whose joints are meant; the selected ones where it is none.
    pub of_skin: Option<SkinId>,
    /// The clip that is shown, and its time.
    pub moment: Option<(ClipId, f64)>,
    /// Whether it is bound as that stands, and not as the file does.
    pub at_moment: bool,
    /// Whether what is seen is bound, and not what was modeled.
    pub posed: bool,
}

impl BindDraft {
    /// Of what is selected; else of all meshes that hang on nothing, or all that hang on a skin
    /// where there are none.
    pub fn of(document: &Document, selected: &[NodeId], moment: Option<(ClipId, f64)>) -> Self {
        let all = || document.node_ids().filter(|n| document.node(*n).mesh.is_some());
        let is_meant = |n: &NodeId| selected.contains(n);
        let is_bare = |n: NodeId| document.node(n).skin.is_none();
        let chosen: Vec<NodeId> = all().filter(is_meant).collect();
        let joints: Vec<NodeId> =
            selected.iter().copied().filter(|n| document.node(*n).mesh.is_none()).collect();
        let create = match chosen.first() {
            Some(first) => is_bare(*first),
            None => !joints.is_empty() && all().any(is_bare) || !all().any(|n| !is_bare(n)),
        };
        let fits = |n: &NodeId| is_bare(*n) == create;
        let meshes =
            all().filter(fits).map(|n| (n, chosen.is_empty() || chosen.contains(&n))).collect();
        let of_skin = if joints.is_empty() { document.skins.ids().next() } else { None };
        Self { meshes, create, selected: joints, of_skin, moment, at_moment: false, posed: false }
    }

    fn nodes(&self) -> Vec<NodeId> {
        self.meshes.iter().filter(|m| m.1).map(|m| m.0).collect()
    }

    fn joints(&self, document: &Document) -> Vec<NodeId> {
        match self.of_skin.and_then(|s| document.skins.get(s)) {
            Some(skin) => skin.joints.to_vec(),
            None => self.selected.clone(),
        }
    }

    fn when(&self) -> (Option<ClipName>, Option<Seconds>) {
        let moment = self.moment.filter(|_| self.at_moment);
        (moment.map(|m| ClipName::Id(m.0)), moment.map(|m| Seconds(m.1 as f32)))
    }

    /// The command that binds unskinned meshes to joints.
    pub(crate) fn create(&self, document: &Document) -> CreateSkin {
        let (clip, time) = self.when();
        let (node, joint) = (Nodes::Ids(self.nodes()), Nodes::Ids(self.joints(document)));
        CreateSkin {
            node,
            joint,
            below: None,
            clip,
            time,
            name: None,
            weights: AutomaticWeights::default(),
        }
    }

    /// The command that rebinds skinned meshes.
    pub(crate) fn bind(&self) -> BindSkin {
        let (clip, time) = self.when();
        let shape = Some(if self.posed { BoundShape::Posed } else { BoundShape::Stored });
        BindSkin { node: Some(Nodes::Ids(self.nodes())), clip, time, shape }
    }

    /// Changes that the command will make, one sentence each; or why it fails.
    pub(crate) fn describe_changes(&self, document: &Document) -> Result<Vec<String>, String> {
        if self.nodes().is_empty() {
            return Err("Choose a mesh".to_owned());
        }
        let found = if self.create {
            self.create(document).describe_changes(document)
        } else {
            self.bind().describe_changes(document)
        };
        found.map_err(|e| e.to_string())
    }
}
