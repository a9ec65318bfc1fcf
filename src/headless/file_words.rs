//! Contents of a file as text.

use serde_json::Value;

/// Text with one fact of the file per line.
pub(super) fn words(facts: &Value) -> String {
    let mut lines = vec![format!(
        "{} · {} · {} bytes",
        facts["file"].as_str().unwrap_or_default(),
        facts["imported"]["format"].as_str().or(facts["container"].as_str()).unwrap_or_default(),
        number(facts, "bytes")
    )];
    lines.extend(facts["generator"].as_str().map(|generator| format!("made by {generator}")));
    lines.extend(imported(&facts["imported"]));
    lines.push(counts(facts));
    if number(facts, "posed_nodes") > 0 {
        let posed = number(facts, "posed_nodes");
        lines.push(if posed == 1 {
            "1 node is posed (differs from its rest pose)".to_owned()
        } else {
            format!("{posed} nodes are posed (differ from their rest pose)")
        });
    }
    lines.extend(hidden(facts));
    lines.extend(avatar(facts));
    lines.extend(humanoid(facts));
    lines.extend(choices(facts));
    lines.extend(elements(facts, "clips").map(clip));
    let extensions: Vec<&str> = elements(facts, "extensions").filter_map(Value::as_str).collect();
    if !extensions.is_empty() {
        lines.push(format!("extensions: {}", extensions.join(", ")));
    }
    let problems = count(facts, "findings");
    lines.push(format!("{problems} {} found", if problems == 1 { "problem" } else { "problems" }));
    lines.join("\n")
}

fn number(facts: &Value, key: &str) -> u64 {
    facts[key].as_u64().unwrap_or(0)
}

fn count(facts: &Value, key: &str) -> usize {
    facts[key].as_array().map_or(0, Vec::len)
}

fn elements<'a>(facts: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    facts[key].as_array().into_iter().flatten()
}

/// Lines about the file of another format that was converted, and about differences from it.
fn imported(facts: &Value) -> Vec<String> {
    if facts.is_null() {
        return Vec::new();
    }
    let said = |key: &str| facts[key].as_str().unwrap_or_default();
    let by = if said("made_by").is_empty() { said("format") } else { said("made_by") };
    let axes = [("up", "up"), ("front", "front")]
        .into_iter()
        .filter_map(|(key, word)| Some(format!("{} {word}", facts[key].as_str()?)));
    let unit = facts["unit"].as_f64().map(|unit| {
        let word = if facts["states_unit"] == true { "" } else { " (estimated)" };
        format!("unit {} m{word}", (unit * 1e6).round() / 1e6)
    });
    let rate = facts["rate"].as_f64().map(|rate| format!("{rate} per second"));
    let all: Vec<String> = axes.chain(unit).chain(rate).collect();
    let mut lines = vec![format!("converted from {by}: {}", all.join(", "))];
    lines.extend(elements(facts, "clips").enumerate().map(|(k, clip)| {
        let still = if clip["moves"] == true { "" } else { ", nothing moves" };
        format!(
            "clip {} in the file: {}, {:.3} s, {} keys{still}",
            k + 1,
            clip["name"].as_str().unwrap_or_default(),
            clip["seconds"].as_f64().unwrap_or(0.0),
            clip["keys"]
        )
    }));
    lines.extend(elements(facts, "differences").map(|difference| {
        let word = if difference["lost"] == true { "lost" } else { "changed" };
        let text = difference["text"].as_str().unwrap_or_default();
        match difference["detail"].as_str().unwrap_or_default() {
            "" => format!("{word}: {text}"),
            detail => format!("{word}: {text} ({detail})"),
        }
    }));
    lines
}

/// Numbers of elements of each kind.
fn counts(facts: &Value) -> String {
    let list = [
        (number(facts, "nodes"), "node", "nodes"),
        (number(facts, "joints"), "joint", "joints"),
        (count(facts, "skins") as u64, "skin", "skins"),
        (count(facts, "meshes") as u64, "mesh", "meshes"),
        (number(facts, "vertices"), "visible vertex", "visible vertices"),
        (number(facts, "materials"), "material", "materials"),
        (number(facts, "images"), "image", "images"),
        (count(facts, "scenes") as u64, "scene", "scenes"),
    ];
    list.map(|(n, one, more)| format!("{n} {}", if n == 1 { one } else { more })).join(", ")
}

/// The hidden nodes; `None` if there are none.
fn hidden(facts: &Value) -> Option<String> {
    let name = |node: &Value| match node["name"].as_str() {
        Some(name) => format!("“{name}”"),
        None => format!("node {}", node["index"]),
    };
    let names: Vec<String> = elements(facts, "hidden_nodes").map(name).collect();
    (!names.is_empty()).then(|| format!("hidden, including children: {}", names.join(", ")))
}

/// The avatar's description and bones; empty if the file is no avatar.
fn avatar(facts: &Value) -> Vec<String> {
    let vrm = &facts["vrm"];
    let Some(bones) = vrm["bones"].as_object() else { return Vec::new() };
    let said = |key: &str| vrm[key].as_str().unwrap_or("not given").to_owned();
    let authors: Vec<&str> = elements(vrm, "authors").filter_map(Value::as_str).collect();
    let authors = if authors.is_empty() { "not given".to_owned() } else { authors.join(", ") };
    vec![
        format!(
            "VRM {}: title {}, author {authors}, license {}",
            said("version"),
            said("title"),
            said("license")
        ),
        format!("{} humanoid bones, {} spring bones", bones.len(), vrm["springs"]),
    ]
}

/// The bones of the humanoid map; `None` without one.
fn humanoid(facts: &Value) -> Option<String> {
    let map = &facts["humanoid"];
    let bones = map["bones"].as_object()?.len();
    let missing: Vec<&str> = elements(map, "missing").filter_map(Value::as_str).collect();
    let missing = match missing.is_empty() {
        true => String::new(),
        false => format!("; required bones without a joint: {}", missing.join(", ")),
    };
    Some(format!("humanoid map: {bones} bones{missing}"))
}

/// Lines about scenes, material variants, cameras, lights and instances, if there are any to choose
/// from.
fn choices(facts: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    if count(facts, "scenes") > 1 {
        lines.push(format!("scenes: {}", labels(&facts["scenes"], "scene")));
    }
    if count(facts, "variants") > 0 {
        lines.push(format!("material variants: {}", labels(&facts["variants"], "variant")));
    }
    for (key, what) in [("cameras", "camera"), ("lights", "light")] {
        if count(facts, key) > 0 {
            lines.push(format!("{} {key}: {}", count(facts, key), labels(&facts[key], what)));
        }
    }
    if number(facts, "instances") > 0 {
        lines.push(format!("{} mesh instances", number(facts, "instances")));
    }
    lines
}

/// Text with a clip's name, duration and frame rate.
fn clip(clip: &Value) -> String {
    let name =
        clip["name"].as_str().map_or_else(|| format!("clip {}", clip["index"]), str::to_owned);
    let is_kept = clip["fps_kept"].as_bool() == Some(true);
    let fps = match (clip["fps"].as_f64(), clip["fps_share"].as_f64()) {
        (Some(fps), _) if is_kept => format!(", {fps} fps"),
        (Some(fps), Some(share)) => {
            format!(", {fps} fps (estimated: fits {:.0} % of keys)", share * 100.0)
        }
        _ => String::new(),
    };
    format!(
        "clip {name}: {:.3} s, {} channels, {} keys{fps}",
        clip["length"].as_f64().unwrap_or(0.0),
        clip["channels"],
        clip["keys"]
    )
}

/// Names of a list's elements, or their indices if they have no names. The shown element is marked.
fn labels(list: &Value, what: &str) -> String {
    let label = |(k, element): (usize, &Value)| {
        let name = element["name"].as_str().or(element.as_str()).filter(|n| !n.is_empty());
        let name = name.map_or_else(|| format!("{what} {k}"), str::to_owned);
        if element["shown"] == true { format!("{name} (shown)") } else { name }
    };
    list.as_array().into_iter().flatten().enumerate().map(label).collect::<Vec<_>>().join(", ")
}
