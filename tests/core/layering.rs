//! Allowed dependencies between modules. Between crates, the compiler enforces the dependencies
//! that `Cargo.toml` lists. Inside `src/`, these tests enforce them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Folders of `src/`, each with the folders that it must not use.
const FOLDERS: [(&str, &[&str]); 3] =
    [("ui", &["app", "headless"]), ("app", &["headless"]), ("headless", &["ui", "app"])];

/// Reads, from the table in `docs/architecture.md`, which crates of the workspace each crate may
/// use.
fn law() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(Path::new(ROOT).join("docs/architecture.md"))
        .expect("docs/architecture.md");
    let rows = text.lines().filter(|l| l.starts_with("| `crates/"));
    rows.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells[1]
            .trim_matches('`')
            .trim_start_matches("crates/ulna-")
            .trim_end_matches('/')
            .to_owned();
        let may = cells[3].split(',').map(|w| w.trim().to_owned()).filter(|w| w != "—");
        (name, may.collect())
    })
    .collect()
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

/// Returns all source files of the program and its crates.
fn all_sources() -> Vec<PathBuf> {
    let mut list = Vec::new();
    for folder in ["src", "crates"] {
        sources(&Path::new(ROOT).join(folder), &mut list);
    }
    list
}

/// Returns the layers that a text uses, as `crate::x` or in `use crate::{x, y::…}`.
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
            let word: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if layers.contains(&word) {
                found.insert(word);
            }
        }
    }
    found
}

#[test]
fn each_crate_uses_only_its_allowed_crates() {
    let law = law();
    assert_eq!(law.len(), 8, "eight crates: {:?}", law.keys());
    for (name, may) in &law {
        let manifest = Path::new(ROOT).join(format!("crates/ulna-{name}/Cargo.toml"));
        let text = fs::read_to_string(&manifest).expect("a manifest");
        // The tests of a crate may use more crates.
        let text = text.split("[dev-dependencies]").next().unwrap_or_default();
        let used =
            text.lines().filter_map(|l| l.strip_prefix("ulna-")?.strip_suffix(".workspace = true"));
        for other in used {
            assert!(
                may.contains(other),
                "{} uses {other}, which {name} may not",
                manifest.display()
            );
        }
        for window in ["egui", "eframe", "winit"] {
            assert!(
                !text.contains(&format!("\n{window}")),
                "{} knows of the window",
                manifest.display()
            );
        }
        assert!(
            name == "render" || !text.contains("\nwgpu"),
            "{} knows of the device",
            manifest.display()
        );
    }
}

#[test]
fn each_source_folder_uses_only_its_allowed_folders() {
    let folders: BTreeSet<String> = FOLDERS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut files = 0;
    for (folder, may_not) in FOLDERS {
        let mut list = Vec::new();
        sources(&Path::new(ROOT).join("src").join(folder), &mut list);
        for path in list {
            let text = fs::read_to_string(&path).expect("a source");
            for other in named(&text, &folders) {
                assert!(
                    !may_not.contains(&&*other),
                    "{} names {other}, which {folder} may not",
                    path.display()
                );
            }
            files += 1;
        }
    }
    assert!(files >= 150, "{files}");
}

#[test]
fn the_dependency_check_finds_forbidden_uses() {
    let layers: BTreeSet<String> = ["model", "ui"].map(String::from).into();
    assert_eq!(
        named("use crate::{edit::{model}, ui::View};", &layers),
        BTreeSet::from(["ui".to_owned()])
    );
    assert_eq!(named("crate::model::Node", &layers), BTreeSet::from(["model".to_owned()]));
}

/// Returns the command names in string literals of a source, without comments and tests.
fn spelled(text: &str, names: &BTreeSet<&str>) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let strings = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    let is_word = |c: char| c.is_ascii_lowercase() || c == '.' || c == '_';
    let words = strings.flat_map(|string| string.split(move |c| !is_word(c)));
    words
        .map(|w| w.trim_matches('.'))
        .filter(|w| names.contains(w))
        .map(ToOwned::to_owned)
        .collect()
}

#[test]
fn code_outside_the_command_folder_refers_to_commands_by_their_types() {
    let names: BTreeSet<&str> = ulna_edit::table().iter().map(|c| c.name).collect();
    let own = Path::new(ROOT).join("crates/ulna-edit/src/command");
    let (inside, outside): (Vec<_>, Vec<_>) =
        all_sources().into_iter().partition(|path| path.starts_with(&own));
    assert!(inside.len() > 10 && outside.len() > 150, "{} and {}", inside.len(), outside.len());
    // Findings store the names of two commands, because their crate does not know the commands. A
    // test of `ulna-session` compares these names with the command types.
    let repairs = Path::new(ROOT).join("crates/ulna-model/src/diagnostic.rs");
    for path in outside.into_iter().filter(|path| *path != repairs) {
        let found = spelled(&fs::read_to_string(&path).expect("a source"), &names);
        assert!(found.is_empty(), "{} spells {found:?}", path.display());
    }
}

#[test]
fn the_check_finds_a_command_name_in_a_string() {
    let names = BTreeSet::from(["key.set"]);
    assert_eq!(
        spelled("// key.set\nlet a = \"key.set\";\n#[cfg(test)]\n\"key.set\"", &names),
        ["key.set"]
    );
    assert_eq!(spelled("say(\"Key it by “key.set”.\")", &names), ["key.set"]);
    assert!(spelled("self.key.set(1); \"key.sets\"", &names).is_empty());
}

/// Library calls that are compiled again for each caller, with the only source files that may
/// contain them.
const COMPILED_ONCE: [(&str, &[&str]); 2] = [
    (
        "src/ui/popups/mod.rs",
        &[".menu_button(", ".context_menu(", "MenuButton::", "Popup::context_menu("],
    ),
    (
        "crates/ulna-model/src/picture.rs",
        &["ImageReader", "image::open(", "image::load", "PngEncoder"],
    ),
];

#[test]
fn code_to_be_compiled_once_is_instantiated_in_one_module() {
    let root = Path::new(ROOT);
    let list = all_sources();
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

/// Folders of `src/ui/` with one panel each. Panels must not use each other.
const PANELS: [&str; 7] =
    ["dialogs", "inspector", "outliner", "poses", "timeline", "viewport", "weights"];

/// Returns the panels whose modules a source uses.
fn panels_named(text: &str) -> Vec<&'static str> {
    let code: String =
        text.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let named = |panel: &&'static str| {
        code.match_indices(&format!("{panel}::")).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            // In a path such as `weights::layers`, the last part does not name a panel.
            let path =
                code[..at].rsplit(|c: char| !is_word(c) && c != ':').next().unwrap_or_default();
            !before.is_some_and(is_word)
                && (path.is_empty() || path.ends_with("ui::") || path.ends_with("super::"))
        })
    };
    PANELS.into_iter().filter(named).collect()
}

#[test]
fn no_panel_uses_another_panel() {
    let mut files = 0;
    for panel in PANELS {
        let mut list = Vec::new();
        sources(&Path::new(ROOT).join("src/ui").join(panel), &mut list);
        for path in list {
            let text = fs::read_to_string(&path).expect("a source");
            // `weights` and `crate::{…, weights::…}` name the layer of that name, not the panel.
            let others: Vec<_> = panels_named(&text)
                .into_iter()
                .filter(|p| *p != panel && *p != "weights")
                .collect();
            let painted = text.contains("ui::weights::") && panel != "weights";
            assert!(others.is_empty() && !painted, "{} names {others:?}", path.display());
            files += 1;
        }
    }
    assert!(files >= 25, "{files}");
    assert_eq!(
        panels_named("use super::timeline::State;\nlet x = ui::outliner::row();"),
        ["outliner", "timeline"]
    );
    assert!(panels_named("// super::timeline::x\nlet my_timeline::y = 1;").is_empty());
}

/// Whether code contains a variant of `Mode`. Types whose name only ends with “Mode” do not count.
fn names_mode(code: &str, variant: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = format!("Mode::{variant}");
    code.match_indices(&name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word)
    })
}

/// All other code asks for the properties of a mode, so that adding a mode adds one row to the
/// table.
#[test]
fn only_the_mode_table_names_modes() {
    let table = Path::new(ROOT).join("src/ui/modes.rs");
    let text = fs::read_to_string(&table).expect("the table of modes");
    let (_, variants) = text.split_once("pub enum Mode {").expect("the modes");
    let (variants, _) = variants.split_once('}').expect("the end of the modes");
    let variants: Vec<&str> = variants
        .lines()
        .filter_map(|line| line.trim().strip_suffix(','))
        .filter(|name| name.chars().all(char::is_alphanumeric))
        .collect();
    assert!(variants.len() >= 3, "{variants:?}");
    let mut list = Vec::new();
    sources(&Path::new(ROOT).join("src"), &mut list);
    for path in list.into_iter().filter(|p| *p != table) {
        let text = fs::read_to_string(&path).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let named: Vec<_> = variants.iter().filter(|name| names_mode(code, name)).collect();
        assert!(named.is_empty(), "{} names {named:?}", path.display());
    }
    assert!(names_mode("if mode == ui::Mode::Paint {", "Paint"));
    assert!(!names_mode("TangentMode::Pose, Mode::Poses", "Pose"));
}

/// Colors and measures have types: no string contains the path of one.
#[cfg(feature = "render")]
#[test]
fn theme_roles_are_named_by_their_enum_and_not_by_text() {
    use ulna_render::ColorRole;

    let own = Path::new(ROOT).join("crates/ulna-render/src/color_role.rs");
    let mut list = Vec::new();
    for folder in ["src/ui", "src/app", "crates/ulna-render/src"] {
        sources(&Path::new(ROOT).join(folder), &mut list);
    }
    assert!(list.len() > 90 && list.contains(&own), "{}", list.len());
    for path in list.into_iter().filter(|p| *p != own) {
        let text = fs::read_to_string(&path).expect("a source");
        let found = ColorRole::ALL
            .iter()
            .find(|r| r.path().contains('.') && text.contains(&format!("\"{}\"", r.path())));
        assert!(found.is_none(), "{} spells {found:?}", path.display());
    }
}

#[test]
fn no_line_exceeds_the_formatter_width() {
    // rustfmt does not wrap comments, strings or macro bodies.
    const COLUMNS: usize = 100;
    let mut files = all_sources();
    for folder in ["tests", "benches", "examples"] {
        sources(&Path::new(ROOT).join(folder), &mut files);
    }
    assert!(files.len() > 500, "{} files", files.len());
    let mut long = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("a source");
        for (k, line) in text.lines().enumerate() {
            if line.chars().count() > COLUMNS {
                long.push(format!("{}:{}", file.display(), k + 1));
            }
        }
    }
    assert!(long.is_empty(), "over {COLUMNS} columns: {long:?}");
}
