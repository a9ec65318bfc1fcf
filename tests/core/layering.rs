//! The law of who may name whom, read from the table of `docs/architecture.md`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Layer → layers it may name.
fn law() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(Path::new(ROOT).join("docs/architecture.md")).expect("docs/architecture.md");
    let mut law = BTreeMap::new();
    for line in text.lines().filter(|l| l.starts_with("| `src/")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let folder = cells[1].trim_matches('`').trim_end_matches('/').rsplit('/').next().expect("a folder").to_owned();
        law.insert(folder, cells[3].split(',').map(|w| w.trim().to_owned()).collect::<BTreeSet<String>>());
    }
    let all: BTreeSet<String> = law.keys().cloned().collect();
    for (folder, may) in &mut law {
        if let Some(text) = may.iter().find(|w| w.starts_with("all but")).cloned() {
            let not: BTreeSet<String> = may.iter().map(|w| w.trim_start_matches("all but ").to_owned()).collect();
            *may = all.difference(&not).cloned().collect();
            assert!(!text.is_empty());
        }
        may.insert(folder.clone());
        may.remove("—");
    }
    law
}

/// Where a layer lives: in one of the packages without a window, or beside them.
fn folder_of(layer: &str) -> PathBuf {
    let src = Path::new(ROOT).join("src");
    let packages = ["core", "editing"].map(|package| src.join(package).join(layer));
    packages.into_iter().find(|folder| folder.is_dir()).unwrap_or_else(|| src.join(layer))
}

fn sources(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, list);
        } else if path.extension().is_some_and(|e| e == "rs") {
            list.push(path);
        }
    }
}

/// Layers named as `crate::x` or in a `use crate::{x, y::…}`.
fn named(text: &str, layers: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0i32;
            let mut word = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 && (c.is_alphanumeric() || c == '_') {
                    word.push(c);
                } else {
                    if layers.contains(&word) {
                        found.insert(word.clone());
                    }
                    word.clear();
                }
            }
            if layers.contains(&word) {
                found.insert(word);
            }
        } else {
            let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if layers.contains(&word) {
                found.insert(word);
            }
        }
    }
    found
}

#[test]
fn no_layer_names_one_that_it_may_not() {
    let law = law();
    assert_eq!(law.len(), 11, "eleven layers: {:?}", law.keys());
    let layers: BTreeSet<String> = law.keys().cloned().collect();
    let mut files = 0;
    for (layer, may) in &law {
        let mut list = Vec::new();
        sources(&folder_of(layer), &mut list);
        for path in list {
            let text = fs::read_to_string(&path).expect("a source");
            for other in named(&text, &layers) {
                assert!(may.contains(&other), "{} names {other}, which {layer} may not", path.display());
            }
            let window = ["ui", "app"].contains(&layer.as_str());
            assert!(
                window || !(text.contains("egui::") || text.contains("eframe::")),
                "{} knows of the window",
                path.display()
            );
            files += 1;
        }
    }
    assert!(files >= 70, "{files}");
}

#[test]
fn the_check_sees_what_it_should() {
    let layers: BTreeSet<String> = ["model", "ui"].map(String::from).into();
    assert_eq!(named("use crate::{edit::{model}, ui::View};", &layers), BTreeSet::from(["ui".to_owned()]));
    assert_eq!(named("crate::model::Node", &layers), BTreeSet::from(["model".to_owned()]));
}

/// Names of commands that strings of a source's code spell, comments and tests aside.
fn spelled(text: &str, names: &BTreeSet<&str>) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let strings = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    let is_word = |c: char| c.is_ascii_lowercase() || c == '.' || c == '_';
    let words = strings.flat_map(|string| string.split(move |c| !is_word(c)));
    words.map(|w| w.trim_matches('.')).filter(|w| names.contains(w)).map(ToOwned::to_owned).collect()
}

#[test]
fn commands_are_named_by_their_types_outside_their_own_folder() {
    let names: BTreeSet<&str> = ulna::edit::table().iter().map(|c| c.name).collect();
    let own = Path::new(ROOT).join("src/editing/edit/command");
    let mut list = Vec::new();
    sources(&Path::new(ROOT).join("src"), &mut list);
    let (inside, outside): (Vec<_>, Vec<_>) = list.into_iter().partition(|path| path.starts_with(&own));
    assert!(inside.len() > 10 && outside.len() > 150, "{} and {}", inside.len(), outside.len());
    for path in outside {
        let found = spelled(&fs::read_to_string(&path).expect("a source"), &names);
        assert!(found.is_empty(), "{} spells {found:?}", path.display());
    }
}

#[test]
fn the_check_sees_a_name_that_is_spelled() {
    let names = BTreeSet::from(["key.set"]);
    assert_eq!(spelled("// key.set\nlet a = \"key.set\";\n#[cfg(test)]\n\"key.set\"", &names), ["key.set"]);
    assert_eq!(spelled("say(\"Key it by “key.set”.\")", &names), ["key.set"]);
    assert!(spelled("self.key.set(1); \"key.sets\"", &names).is_empty());
}

/// What a library compiles anew for whoever asks, and the one source that asks.
const COMPILED_ONCE: [(&str, &[&str]); 2] = [
    ("src/ui/popups.rs", &[".menu_button(", ".context_menu(", "MenuButton::", "Popup::context_menu("]),
    ("src/core/model/picture.rs", &["ImageReader", "image::open(", "image::load", "PngEncoder"]),
];

#[test]
fn what_is_to_be_compiled_once_is_asked_for_in_one_place() {
    let root = Path::new(ROOT);
    let mut list = Vec::new();
    sources(&root.join("src"), &mut list);
    for (home, asks) in COMPILED_ONCE {
        let home = root.join(home);
        assert!(list.contains(&home), "{} is gone", home.display());
        for path in &list {
            let text = fs::read_to_string(path).expect("a source");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let found: Vec<_> = asks.iter().filter(|ask| code.contains(**ask)).collect();
            assert_eq!(found.is_empty(), *path != home, "{} asks by {found:?}", path.display());
        }
    }
}

/// The panels: folders of `src/ui/` that know nothing of one another.
const PANELS: [&str; 7] = ["dialogs", "inspector", "outliner", "poses", "timeline", "viewport", "weights"];

/// Panels that code names by their module.
fn panels_named(text: &str) -> Vec<&'static str> {
    let code: String = text.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let named = |panel: &&'static str| {
        code.match_indices(&format!("{panel}::")).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            // A path's own end, such as `weights::layers`, is the layer of that name.
            let path = code[..at].rsplit(|c: char| !is_word(c) && c != ':').next().unwrap_or_default();
            !before.is_some_and(is_word) && (path.is_empty() || path.ends_with("ui::") || path.ends_with("super::"))
        })
    };
    PANELS.into_iter().filter(named).collect()
}

#[test]
fn no_panel_names_another() {
    let mut files = 0;
    for panel in PANELS {
        let mut list = Vec::new();
        sources(&Path::new(ROOT).join("src/ui").join(panel), &mut list);
        for path in list {
            let text = fs::read_to_string(&path).expect("a source");
            // `weights` and `crate::{…, weights::…}` are the layer of that name.
            let others: Vec<_> = panels_named(&text).into_iter().filter(|p| *p != panel && *p != "weights").collect();
            let painted = text.contains("ui::weights::") && panel != "weights";
            assert!(others.is_empty() && !painted, "{} names {others:?}", path.display());
            files += 1;
        }
    }
    assert!(files >= 25, "{files}");
    assert_eq!(panels_named("use super::timeline::State;\nlet x = ui::outliner::row();"), ["outliner", "timeline"]);
    assert!(panels_named("// super::timeline::x\nlet my_timeline::y = 1;").is_empty());
}

/// Colors and measures are types: no string is the path of one.
#[cfg(feature = "render")]
#[test]
fn no_role_of_the_theme_is_spelled() {
    use ulna::render::ColorRole;

    let own = Path::new(ROOT).join("src/render/color_role.rs");
    let mut list = Vec::new();
    for folder in ["src/ui", "src/app", "src/render"] {
        sources(&Path::new(ROOT).join(folder), &mut list);
    }
    assert!(list.len() > 90 && list.contains(&own), "{}", list.len());
    for path in list.into_iter().filter(|p| *p != own) {
        let text = fs::read_to_string(&path).expect("a source");
        let found =
            ColorRole::ALL.iter().find(|r| r.path().contains('.') && text.contains(&format!("\"{}\"", r.path())));
        assert!(found.is_none(), "{} spells {found:?}", path.display());
    }
}
