//! Codes of refusals, notes, losses and findings: `docs/json.md` must list exactly these.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use ulna_edit::{CommandLine, table};

use crate::common::sample;

const PAGE: &str = include_str!("../../docs/json.md");

/// Functions that take a code as the first argument.
const TAKES_CODE: [&str; 16] = [
    "Notice::new(",
    "CommandError::other(",
    "Self::other(",
    "Outcome::noted(",
    "Failure::fault(",
    "Failure::unusable(",
    "found.note(",
    "refuse(",
    "refused(",
    "argument(",
    "sentence(",
    "unusable(",
    "fault(",
    " of(",
    "add(",
    "wrong(",
];

/// Codes that several files use on purpose, with the same meaning. If a new code is in several
/// files by accident, one of them needs another code.
const SHARED: &[&str] = &[
    "argument_empty",
    "argument_missing",
    "argument_out_of_range",
    "arguments_exclusive",
    "arguments_together",
    "canceled",
    "carries_object",
    "clip_has_layers",
    "clip_has_no_length",
    "clip_has_pointers",
    "clip_has_unkeyed_pose",
    "clip_length_changed",
    "clips_left_out",
    "count_mismatch",
    "file_unreadable",
    "joints_locked",
    "joints_not_here",
    "keys_not_editable",
    "keys_reduced",
    "keys_replaced",
    "keys_sampled",
    "keys_too_close",
    "layer_ambiguous",
    "layer_is_empty",
    "layer_is_faint",
    "layer_is_off",
    "made_by_newer_version",
    "mesh_is_shared",
    "mix_unsound",
    "morph_targets_not_here",
    "motion_changed",
    "motion_jumps",
    "name_ambiguous",
    "name_missing",
    "name_taken",
    "named_twice",
    "needs_window",
    "no_clips",
    "no_contact_there",
    "no_file_named",
    "no_joints_meant",
    "no_key_can_go",
    "no_key_there",
    "no_layer_is_on",
    "no_mesh",
    "no_mirror_partner",
    "no_mix",
    "no_scene",
    "no_such_clip",
    "no_such_layer",
    "no_such_name",
    "no_such_thing",
    "no_such_vertex",
    "no_such_weight_layer",
    "no_texture_coordinates",
    "no_unkeyed_pose",
    "no_weight_layers",
    "no_weights_meant",
    "node_cycle",
    "not_a_joint",
    "not_a_limb",
    "not_a_retarget_map",
    "not_finite",
    "not_in_this_build",
    "not_skinned",
    "not_weights",
    "nothing_fits",
    "nothing_to_change",
    "nothing_to_mirror",
    "one_mesh_wanted",
    "one_node_wanted",
    "output_exists",
    "output_has_hard_links",
    "output_is_no_file",
    "output_not_writable",
    "pattern_unclear",
    "pose_has_no_time",
    "posed_alike",
    "property_not_in_layer",
    "removed",
    "scale_approximate",
    "scale_is_zero",
    "shear_dropped",
    "sides_on_other_skin",
    "single_key",
    "skin_has_layers",
    "squashed_flat",
    "still_needed",
    "times_out_of_order",
    "too_many_joints",
    "tracks_became_splines",
    "transfer_distances",
    "unequal_scale",
    "unkeyed_pose",
    "unreadable_keys_left_behind",
    "vertex_counts_differ",
    "weights_unsound",
    "would_shear",
    "wrong_arguments",
    "wrong_ending",
];

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|e| e == "rs") {
            all.push(path);
        }
    }
}

/// Returns the text of a source file before its unit tests.
fn text_of(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("#[cfg(test)]").next().unwrap().to_owned()
}

fn is_code(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

/// Returns the string literal at the start of a text, if there is one.
fn literal(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('"')?.split_once('"').map(|(inside, _)| inside)
}

/// Returns the codes of a source file: the first arguments of [`TAKES_CODE`] calls, and the results
/// in every `fn code`.
fn codes(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for call in TAKES_CODE {
        for (at, _) in text.match_indices(call) {
            let after = &text[at + call.len()..];
            let Some(code) = literal(after).filter(|c| is_code(c)) else { continue };
            // If the call has only one argument, that argument is a message, not a code.
            if after.trim_start()[code.len() + 2..].trim_start().starts_with(',') {
                found.insert(code.to_owned());
            }
        }
    }
    for body in text.split("fn code(").skip(1).filter(|b| b.contains("-> &'static str")) {
        let body = body.split("\n    }\n").next().unwrap();
        found.extend(
            body.split("=> ")
                .skip(1)
                .filter_map(literal)
                .filter(|c| is_code(c))
                .map(ToOwned::to_owned),
        );
    }
    found
}

/// Returns all codes in the sources, each with the files that contain it.
fn of_sources() -> BTreeMap<String, BTreeSet<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    ["crates", "src/headless"].iter().for_each(|d| sources(&root.join(d), &mut files));
    assert!(files.len() > 200, "{}", files.len());
    let mut all: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for file in files {
        for code in codes(&text_of(&file)) {
            all.entry(code).or_default().insert(file.strip_prefix(root).unwrap().to_owned());
        }
    }
    all
}

/// Returns the codes in the tables of the page for which `fits` is true, in their order.
fn listed(fits: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let (_, tables) = PAGE.split_once("## Codes of findings").unwrap();
    let code = |line: &'static str| line.strip_prefix("| `")?.split_once('`').map(|(code, _)| code);
    tables.lines().filter_map(code).filter(|c| fits(c)).collect()
}

#[test]
fn the_json_page_lists_exactly_the_codes_of_refusals_and_notes() {
    let (there, page) = (of_sources(), listed(is_code));
    let set: BTreeSet<&str> = page.iter().copied().collect();
    assert_eq!(set.len(), page.len(), "a code is listed twice");
    let unlisted: Vec<_> = there.iter().filter(|(code, _)| !set.contains(code.as_str())).collect();
    assert!(unlisted.is_empty(), "not in docs/json.md: {unlisted:?}");
    let gone: Vec<_> = set.iter().filter(|code| !there.contains_key(**code)).collect();
    assert!(gone.is_empty(), "only in docs/json.md: {gone:?}");
    assert!(page.len() > 250, "{}", page.len());
}

#[test]
fn codes_used_in_several_files_are_listed_as_shared() {
    let shared: BTreeSet<&str> = SHARED.iter().copied().collect();
    let there = of_sources();
    let new: Vec<_> = there
        .iter()
        .filter(|(code, files)| files.len() > 1 && !shared.contains(code.as_str()))
        .collect();
    assert!(
        new.is_empty(),
        "codes of several files; give them other names, or list them as shared: {new:?}"
    );
}

#[test]
fn the_findings_page_lists_every_code_of_a_finding() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let mut files = Vec::new();
    ["edit", "formats", "session"]
        .iter()
        .for_each(|c| sources(&crates.join(format!("ulna-{c}/src")), &mut files));
    let is_finding = |c: &str| {
        c.contains('_')
            && c.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let page: BTreeSet<&str> = listed(is_finding).into_iter().collect();
    let mut own = 0;
    for text in files.iter().map(|f| text_of(f)) {
        for code in
            text.split('"').filter(|c| c.starts_with("ULNA_") && !c.ends_with('_') && is_finding(c))
        {
            assert!(page.contains(code), "{code} is not in docs/json.md");
            own += 1;
        }
    }
    assert!(own >= 30, "{own}");
    // Codes that damaged files of the corpus produce must be listed, too.
    if let Some(shared) = crate::common::shared() {
        let mut tried = 0;
        for path in crate::common::models(&shared.join("corpus/synthetic")) {
            let Ok(session) = ulna_session::Session::open(&path, &Default::default()) else {
                continue;
            };
            for finding in session.all_findings() {
                assert!(
                    page.contains(finding.code),
                    "{}: {} is not in docs/json.md",
                    path.display(),
                    finding.code
                );
                tried += 1;
            }
        }
        assert!(tried > 0);
    }
}

/// The code of a refusal does not depend on its wording. A note has the code of its action.
#[test]
fn refusals_and_notes_of_commands_have_codes() {
    let code = |line: CommandLine| sample().run_line(&line).map(|_| ()).map_err(|e| e.code());
    let new = CommandLine::new;
    assert_eq!(code(new("nothing.known")), Err("no_such_command"));
    assert_eq!(code(new("pose.reset").with("node", "Tail")), Err("no_such_name"));
    assert_eq!(code(new("clip.mirror")), Err("argument_missing"));
    assert_eq!(code(new("clip.mirror").with("clip", "Dance")), Err("no_such_clip"));
    assert_eq!(
        code(new("clip.resample").with("clip", "Walk").with("rate", 0.0)),
        Err("argument_out_of_range")
    );
    assert_eq!(
        code(
            new("weights.flood").with("joint", "Hips").with("value", 1).with("vertices", "9999999")
        ),
        Err("no_such_vertex")
    );
    assert_eq!(code(new("view.front")), Err("needs_window"));
    assert_eq!(code(new("clip.mirror").with("clip", "Walk")), Ok(()));
    let mut session = sample();
    session.run_line(&new("clip.start_at_zero").with("clip", "Walk")).unwrap();
    let notes = session.take_notes();
    assert_eq!(notes.iter().map(|n| n.code).collect::<Vec<_>>(), ["nothing_to_change"]);
    assert!(!table().is_empty());
}
