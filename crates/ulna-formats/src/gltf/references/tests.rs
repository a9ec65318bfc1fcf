use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;
use ulna_model::IdKind;

/// Creates a file with one path of the table. Lists have one item, and members at `*` have a fixed
/// name.
fn file_with(path: &str, content: Value) -> Value {
    path.rsplit('/').fold(content, |value, step| match step {
        "*" => json!([value]),
        name => json!({ name: value }),
    })
}

fn named_in(root: &Value) -> Vec<AnyId> {
    let mut found = Vec::new();
    for_each_reference(root, &mut |id| found.push(id));
    found
}

/// Creates the JSON value of a reference, and the element that it refers to.
fn content(named: Named, index: u32) -> (Value, AnyId) {
    match named {
        Named::Index(kind) => (index.into(), AnyId::new(kind, index)),
        Named::Pointer => {
            (format!("/nodes/{index}/translation").into(), AnyId::new(IdKind::Node, index))
        }
    }
}

fn shifted(kind: IdKind) -> Renumbering {
    let mut renumbering = Renumbering::default();
    renumbering.set(kind, (0..10).map(|k| Some((k + 3) % 10)).collect());
    renumbering
}

#[test]
fn all_references_are_found_and_only_references_are_renumbered() {
    for (path, named) in PLACES {
        let (value, id) = content(*named, 4);
        let mut root = file_with(path, value);
        assert_eq!(named_in(&root), [id], "{path}");
        for kind in IdKind::ALL {
            let (before, to) = (root.clone(), if kind == id.kind { 7 } else { 4 });
            assert_eq!(renumber(&mut root, &shifted(kind)), None);
            assert_eq!(root, file_with(path, content(*named, to).0), "{path} {kind:?}");
            root = before;
        }
        // `*` also matches the members of an object.
        let by_name = path.replacen("/*", "/name", 1);
        assert_eq!(named_in(&file_with(&by_name, content(*named, 4).0)), [id], "{by_name}");
        if *named != Named::Pointer {
            let mut with_point = file_with(path, json!(4.0));
            assert_eq!(named_in(&with_point), [id], "{path}");
            renumber(&mut with_point, &shifted(id.kind));
            assert_eq!(with_point, file_with(path, json!(7.0)), "{path}");
        }
        assert_eq!(named_in(&file_with(path, json!(-1))), [], "{path}");
    }
}

#[test]
fn references_to_a_removed_element_are_kept_and_reported() {
    for (path, named) in PLACES {
        let (value, id) = content(*named, 4);
        let mut root = file_with(path, value.clone());
        let mut renumbering = Renumbering::default();
        renumbering.close_gaps(id.kind, (0..10).map(|k| k != 4));
        assert_eq!(renumber(&mut root, &renumbering), Some(id), "{path}");
        assert_eq!(root, file_with(path, value), "{path}");
    }
}

#[test]
fn each_extension_of_the_table_is_known_and_only_its_references_change() {
    for (path, named) in PLACES {
        let extension = path.split("extensions/").nth(1).and_then(|below| below.split('/').next());
        assert!(extension.is_none_or(is_known), "{path}");
        let Some((list, below)) = path.split_once("/*/") else { continue };
        let Some(kind) = IdKind::ALL.into_iter().find(|k| k.list() == list) else { continue };
        let (value, id) = content(*named, 4);
        let mut element = file_with(below, value);
        assert_eq!(renumber_element(kind, &mut element, &shifted(id.kind)), None);
        assert_eq!(element, file_with(below, content(*named, 7).0), "{path}");
    }
    assert!(is_known("KHR_materials_ior") && is_known("VRM"));
    assert!(!is_known("VRMX") && !is_known("ACME_links") && !is_known("KHR_interactivity"));
    let with_data: Vec<&str> = KNOWN.iter().copied().filter(|name| names_data(name)).collect();
    assert_eq!(
        with_data,
        [
            "EXT_mesh_gpu_instancing",
            "EXT_meshopt_compression",
            "KHR_draco_mesh_compression",
            "KHR_meshopt_compression",
        ]
    );
}

/// Generates arbitrary JSON.
fn any_json() -> impl Strategy<Value = Value> {
    const NAMES: [&str; 8] =
        ["node", "nodes", "mesh", "joints", "ids", "pointer", "index", "source"];
    let leaf = prop_oneof![
        (0u32..12).prop_map(Value::from),
        (0u32..12).prop_map(|k| Value::from(format!("/nodes/{k}/rotation"))),
        any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = proptest::sample::select(&NAMES[..]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..4).prop_map(|members| {
                let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
                Value::Object(members.collect::<Map<String, Value>>())
            }),
        ]
    })
}

proptest! {
    /// Unknown extensions and extras are never changed, regardless of their content.
    #[test]
    fn unknown_members_are_left_alone(content in any_json()) {
        for list in ["nodes", "materials", "scenes", "animations", "skins"] {
            let mut root = json!({
                list: [{"extensions": {"ACME_links": content}, "extras": {"acme": content}}],
                "extensions": {"ACME_links": content},
                "extras": content,
            });
            let before = root.clone();
            for kind in IdKind::ALL {
                renumber(&mut root, &shifted(kind));
            }
            prop_assert_eq!(named_in(&root), []);
            prop_assert_eq!(&root, &before);
        }
    }
}
