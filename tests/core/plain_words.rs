//! Plain American English in code and pages. Summaries begin with a noun or a verb, names say
//! enough, and each word has one spelling.

use std::{
    fs,
    path::{Path, PathBuf},
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// First words of summaries that do not name the item.
const STAND_INS: [&str; 12] = [
    "What",
    "Which",
    "Those",
    "One that",
    "How far",
    "How much",
    "How many",
    "How long",
    "How often",
    "Where",
    "Whose",
    "That",
];

/// Names of types and functions that say too little.
const NAMES: &str = "Group Aids Around Over Meant Showing Windowed Voice Cover Driver Driven Walk \
    Pen Room practise calm_caret let_go weigh looks tops Canvas CanvasPart PosedCanvas taker \
    hand_out even_out Quick Five Floats Wholes Tally Flaws Draft Look Twin Seams NOWHERE foretell \
    foreseen untold unsaid Known Moment Part Found Shape Lists Done Place";

/// Parts of words with British spelling. `millimetres` is the name of an argument that scripts use.
const BRITISH: [&str; 24] = [
    "metre",
    "colour",
    "neighbour",
    "behaviour",
    "cancelled",
    "cancelling",
    "cancellable",
    "labelled",
    "labelling",
    "modelled",
    "modelling",
    "travell",
    "swivell",
    "favour",
    "honour",
    "centre",
    "towards",
    "grey",
    "licence",
    "practise",
    "artefact",
    "catalogue",
    "analyse",
    "organis",
];

/// Stems of verbs that British English spells with `-ise`.
const STEMS: [&str; 10] = [
    "normal", "initial", "optim", "recogn", "serial", "synchron", "visual", "minim", "maxim",
    "general",
];

/// Files that contain names of materials from other programs.
const AS_OTHERS_SPELL: [&str; 2] =
    ["crates/ulna-formats/src/x/texture_use.rs", "tests/core/plain_words.rs"];

/// Collects all files below a folder that have one of the suffixes.
fn files(folder: &Path, endings: &[&str], list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, endings, list);
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            list.push(path);
        }
    }
}

/// Returns the source files below some folders: path from the root, and text.
fn sources(folders: &[&str], ending: &str) -> Vec<(String, String)> {
    let mut list = Vec::new();
    for folder in folders {
        files(&Path::new(ROOT).join(folder), &[ending], &mut list);
    }
    list.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.strip_prefix(ROOT).expect("below the root").display().to_string();
        (name, text)
    };
    list.into_iter().map(read).collect()
}

fn code() -> Vec<(String, String)> {
    sources(&["crates", "src", "tests", "benches", "examples"], "rs")
}

/// Returns the text of a doc comment, if the line is one.
fn doc_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! "))
}

/// Whether a text begins with a word, followed by the end of the word.
fn begins(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

#[test]
fn summaries_name_the_item() {
    let (mut found, mut seen) = (Vec::new(), 0);
    for (name, text) in code() {
        let mut above = "";
        for (k, line) in text.lines().enumerate() {
            // Only the first line of a paragraph counts, because later lines begin anywhere in a
            // sentence.
            let goes_on = above.trim_start().strip_prefix("//").is_some_and(|rest| {
                rest.trim_start_matches(['/', '!']).starts_with(' ')
                    && !rest.trim_start_matches(['/', '!']).trim().is_empty()
            });
            above = line;
            let Some(doc) = doc_text(line).filter(|_| !goes_on) else { continue };
            seen += 1;
            if STAND_INS.iter().any(|word| begins(doc, word)) {
                found.push(format!("{name}:{}: {doc}", k + 1));
            }
        }
    }
    assert!(seen > 10_000, "{seen} summaries");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn type_and_function_names_are_specific() {
    const KINDS: [&str; 7] = ["struct", "enum", "trait", "type", "fn", "const", "static"];
    let names: Vec<&str> = NAMES.split_whitespace().collect();
    let mut found = Vec::new();
    for (file, text) in code() {
        for (k, line) in text.lines().enumerate().filter(|(_, l)| doc_text(l).is_none()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            for pair in words.windows(2).filter(|pair| KINDS.contains(&pair[0])) {
                let name = pair[1].split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
                if name.is_some_and(|name| names.contains(&name)) {
                    found.push(format!("{file}:{}: {line}", k + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn spelling_is_american() {
    let is_british = |word: &str| {
        let word = word.to_lowercase();
        word != "millimetres"
            && (BRITISH.iter().any(|part| word.contains(part))
                || STEMS.iter().any(|stem| {
                    [format!("{stem}ise"), format!("{stem}ising"), format!("{stem}isation")]
                        .iter()
                        .any(|part| word.contains(part.as_str()))
                }))
    };
    let mut pages = sources(&["docs"], "md");
    for page in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        pages.push((page.into(), fs::read_to_string(Path::new(ROOT).join(page)).expect("a page")));
    }
    let mut found = Vec::new();
    for (file, text) in pages.into_iter().chain(code()) {
        if AS_OTHERS_SPELL.contains(&file.as_str()) {
            continue;
        }
        for (k, line) in text.lines().enumerate() {
            let words = line.split(|c: char| !(c.is_ascii_alphabetic() || c == '_'));
            found.extend(words.filter(|w| is_british(w)).map(|w| format!("{file}:{}: {w}", k + 1)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
