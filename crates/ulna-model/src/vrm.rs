//! Avatar data of VRM files: title, authors, license, and the map of humanoid bones.

use std::{borrow::Cow, sync::Arc};

use super::{NodeId, Shared};

/// The avatar of a VRM file (extension `VRM` for version 0, `VRMC_vrm` for version 1).
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Vrm {
    /// The version of the specification, such as `0.0` or `1.0`.
    pub version: Arc<str>,
    /// The name of the avatar.
    pub title: Option<Arc<str>>,
    /// Names of the authors.
    pub authors: Vec<Arc<str>>,
    /// The license, by name or URL.
    pub license: Option<Arc<str>>,
    /// Humanoid bones, such as `leftUpperArm`, with their nodes. Names are those of the file's
    /// version, sorted and without duplicates.
    pub bones: Shared<[(Arc<str>, NodeId)]>,
    /// Number of spring bone chains.
    pub springs: usize,
}

impl Vrm {
    /// Node of a humanoid bone.
    pub fn node(&self, role: &str) -> Option<NodeId> {
        self.bones.binary_search_by(|(r, _)| (**r).cmp(role)).ok().map(|k| self.bones[k].1)
    }

    /// Humanoid bone of a node.
    pub fn role(&self, node: NodeId) -> Option<&str> {
        self.bones.iter().find(|(_, n)| *n == node).map(|(role, _)| &**role)
    }

    /// Whether the thumb bones have the names of VRM 0 and of the VRM 1 betas.
    fn has_old_thumbs(&self) -> bool {
        self.version.starts_with('0')
            || self.bones.iter().any(|(r, _)| r.ends_with("ThumbIntermediate"))
    }

    /// Spelling of a VRM 1.0 bone name in the file's version.
    pub fn spelled(&self, role: &str) -> String {
        let thumb = [("ThumbProximal", "ThumbIntermediate"), ("ThumbMetacarpal", "ThumbProximal")];
        let old = thumb
            .into_iter()
            .filter(|_| self.has_old_thumbs())
            .find_map(|(new, old)| Some(format!("{}{old}", role.strip_suffix(new)?)));
        old.unwrap_or_else(|| role.to_owned())
    }

    /// All humanoid bones, with the names of VRM 1.0, and their nodes.
    pub fn roles(&self) -> impl Iterator<Item = (Cow<'_, str>, NodeId)> {
        let is_old = self.has_old_thumbs();
        self.bones.iter().map(move |(role, node)| {
            let thumb =
                [("ThumbProximal", "ThumbMetacarpal"), ("ThumbIntermediate", "ThumbProximal")];
            let new = thumb
                .into_iter()
                .filter(|_| is_old)
                .find_map(|(old, new)| Some((role.strip_suffix(old)?, new)));
            let spelled = new
                .map_or(Cow::Borrowed(&**role), |(side, new)| Cow::Owned(format!("{side}{new}")));
            (spelled, *node)
        })
    }

    /// Node of the same humanoid bone on the other side; `None` for bones of the center.
    pub fn mirror(&self, node: NodeId) -> Option<NodeId> {
        let role = self.role(node)?;
        let other = match (role.strip_prefix("left"), role.strip_prefix("right")) {
            (Some(rest), _) => format!("right{rest}"),
            (_, Some(rest)) => format!("left{rest}"),
            _ => return None,
        };
        self.node(&other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thumb_roles_have_the_names_of_vrm_1() {
        let roles = |version: &str, own: &[&str]| -> Vec<String> {
            let bones: Vec<(Arc<str>, NodeId)> =
                own.iter().enumerate().map(|(k, r)| ((*r).into(), NodeId(k as u32))).collect();
            let vrm = Vrm { version: version.into(), bones: bones.into(), ..Vrm::default() };
            let roles: Vec<String> = vrm.roles().map(|(role, _)| role.into_owned()).collect();
            let spelled: Vec<String> = roles.iter().map(|r| vrm.spelled(r)).collect();
            assert_eq!(spelled, own);
            roles
        };
        let new =
            ["leftThumbMetacarpal", "leftThumbProximal", "leftThumbDistal", "leftIndexProximal"];
        let old =
            ["leftThumbProximal", "leftThumbIntermediate", "leftThumbDistal", "leftIndexProximal"];
        assert_eq!(roles("1.0", &new), new);
        assert_eq!(roles("0.0", &old), new);
        assert_eq!(roles("1.0-beta", &old), new);
    }
}
