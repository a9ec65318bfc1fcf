//! Searches commands and names for the typed text. The results are grouped.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use super::{
    matching::{EXACT, Fit, Query, Searched, all_in, fit, shared_letters},
    names::{Entry, RowGroup},
    typed::{TypedValue, is_value, typed_name, typed_values},
};
use ulna_edit::{CommandSpec, command::forms::is_for_programs, table};

/// Score of a command whose script name was typed.
const NAMED: i32 = EXACT + 100;

/// Penalty of a matched synonym compared to the title.
const OTHER_WORD: i32 = 8;

/// Penalty of a partly matched synonym.
const PART_OF_OTHER: i32 = 140;

/// Score of a command that contains all words, spread over several texts.
const SPREAD: i32 = 330;

/// Score of a command if its help text is needed to match all words.
const HELPED: i32 = 200;

/// Penalty of a heading of the guide compared to a command.
const GUIDE: i32 = 60;

/// Minimum score at which the words before typed values stand for a command.
const MEANT: i32 = 700;

/// Number of rows of a group until it is expanded.
pub const FIRST: usize = 5;

/// Maximum number of words of typed values.
const VALUES: usize = 4;

/// A command with its searchable texts.
struct Offered {
    spec: &'static CommandSpec,
    title: Searched,
    terms: Vec<(&'static str, Searched)>,
    help: Searched,
}

/// Commands that a user can run, in menu order. Commands only for scripts and other programs are
/// left out.
static OFFERED: LazyLock<Vec<Offered>> = LazyLock::new(|| {
    let specs = table().iter().filter(|c| !is_for_programs(c));
    specs
        .map(|spec| Offered {
            spec,
            title: Searched::new(&spec.menu_title()),
            terms: spec.synonyms().iter().map(|term| (*term, Searched::new(term))).collect(),
            help: Searched::new(spec.help),
        })
        .collect()
});

static PLACES: LazyLock<HashMap<&'static str, usize>> =
    LazyLock::new(|| OFFERED.iter().enumerate().map(|(k, o)| (o.spec.name, k)).collect());

/// Number of searchable commands.
pub fn offered() -> usize {
    OFFERED.len()
}

/// Content of a row: a command, or the index of a name.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// A command.
    Command(&'static CommandSpec),
    /// Index in the list of names.
    Name(usize),
}

/// A search result.
#[derive(Clone, Debug)]
pub struct PaletteRow {
    /// The command or name.
    pub item: Item,
    /// Score of the match.
    pub points: i32,
    /// Indices of the matched characters in the title or name.
    pub hits: Vec<usize>,
    /// The matched synonym, usually a term of another program.
    pub also: Option<&'static str>,
    /// Typed arguments.
    pub typed: Vec<TypedValue>,
    /// Reason why the command is unavailable; `None` if it is available.
    pub disabled: Option<&'static str>,
}

impl PaletteRow {
    const fn new(item: Item, points: i32) -> Self {
        Self { item, points, hits: Vec::new(), also: None, typed: Vec::new(), disabled: None }
    }

    /// The command of the row; `None` for a name.
    pub const fn command(&self) -> Option<&'static CommandSpec> {
        match self.item {
            Item::Command(spec) => Some(spec),
            Item::Name(_) => None,
        }
    }
}

/// A group of results, best first.
#[derive(Clone, Debug)]
pub struct PaletteGroup {
    /// The kind of the group.
    pub group: RowGroup,
    /// Rows of the group. Available rows come first, except that the best matches are among the
    /// first [`FIRST`] rows.
    pub rows: Vec<PaletteRow>,
}

/// Inputs of the search other than the text.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// Names to search.
    pub names: &'a [Entry],
    /// Returns why a command is unavailable; `None` if it is available.
    pub why_not: &'a dyn Fn(&CommandSpec) -> Option<&'static str>,
    /// Names of recently used commands, latest first.
    pub used: &'a [String],
    /// Frames per second.
    pub rate: f64,
}

/// Synonym to show for a match. If the typed text equals a synonym, a longer one that contains it
/// is more helpful.
fn told_term(offered: &'static Offered, query: &Query, term: &'static str) -> &'static str {
    if !query.is(&Searched::new(term)) {
        return term;
    }
    let longer = offered.terms.iter().filter(|(other, _)| *other != term);
    let mut longer = longer.filter(|(_, searched)| all_in(query, std::iter::once(searched)));
    longer.next().map_or(term, |(other, _)| *other)
}

/// Match of a command with the typed text; `None` if it does not match.
fn command_fit(offered: &'static Offered, query: &Query, text: &str) -> Option<PaletteRow> {
    let found = |points| PaletteRow::new(Item::Command(offered.spec), points);
    if offered.spec.name == text {
        return Some(found(NAMED));
    }
    let title = fit(query, &offered.title);
    let term = offered.terms.iter().enumerate().filter_map(|(k, (term, searched))| {
        let points = fit(query, searched)?.points;
        let less = if points == EXACT { OTHER_WORD } else { PART_OF_OTHER };
        // The most common synonyms come first in the list.
        Some((points - less - (k as i32).min(6), *term))
    });
    let term = term.max_by_key(|(points, _)| *points);
    match (title, term) {
        (Some(Fit { points, hits }), term) if term.is_none_or(|(p, _)| points >= p) => {
            Some(PaletteRow { hits, ..found(points) })
        }
        (_, Some((points, term))) => {
            let term = told_term(offered, query, term);
            let hits = shared_letters(query, &offered.title);
            Some(PaletteRow { hits, also: Some(term), ..found(points) })
        }
        _ => {
            let terms = offered.terms.iter().map(|(_, searched)| searched);
            let texts = std::iter::once(&offered.title).chain(terms);
            if all_in(query, texts.clone()) {
                return Some(PaletteRow {
                    hits: shared_letters(query, &offered.title),
                    ..found(SPREAD)
                });
            }
            let with_help = texts.chain(std::iter::once(&offered.help));
            all_in(query, with_help).then(|| found(HELPED))
        }
    }
    .map(|mut found| {
        // Among equal matches, commands without a dialog come first.
        found.points -= if offered.spec.asks { 4 } else { 0 };
        found
    })
}

/// Commands whose words are followed by typed values.
fn with_values(text: &str, around: SearchContext<'_>) -> Vec<PaletteRow> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut all: HashMap<&str, PaletteRow> = HashMap::new();
    for split in (words.len().saturating_sub(VALUES).max(1)..words.len()).rev() {
        let (named, values) = words.split_at(split);
        let is_word = |word: &&str| !is_value(word);
        if values.iter().all(is_word) && values.len() > 1 {
            continue;
        }
        let text_before = named.join(" ");
        let query = Query::new(&text_before);
        for offered in OFFERED.iter() {
            let Some(found) = command_fit(offered, &query, &text_before) else { continue };
            let exact = query.is(&offered.title);
            let typed = if found.points >= MEANT {
                typed_values(offered.spec, values, around.rate)
            } else {
                None
            };
            let typed = typed.or_else(|| {
                let name = values.join(" ");
                exact.then(|| typed_name(offered.spec, &name).map(|typed| vec![typed]))?
            });
            let Some(typed) = typed else { continue };
            // Words may belong to another command: in *Rename joints*, the word *joints* is not a
            // new name.
            let is_sure = values.iter().any(|word| is_value(word));
            let points = if is_sure { found.points } else { found.points.min(MEANT) };
            let found = PaletteRow { typed, points, ..found };
            let before = all.get(offered.spec.name).map_or(i32::MIN, |before| before.points);
            if found.points > before {
                all.insert(offered.spec.name, found);
            }
        }
    }
    all.into_values().collect()
}

/// All matches in groups. The best group comes first, and available rows come first in a group.
pub fn search(text: &str, around: SearchContext<'_>) -> Vec<PaletteGroup> {
    let text = text.trim();
    let query = Query::new(text);
    if text.is_empty() {
        return at_rest(around);
    }
    let mut groups: BTreeMap<RowGroup, Vec<PaletteRow>> = BTreeMap::new();
    let mut commands: HashMap<&str, PaletteRow> = HashMap::new();
    for offered in OFFERED.iter() {
        if let Some(found) = command_fit(offered, &query, text) {
            commands.insert(offered.spec.name, found);
        }
    }
    for found in with_values(text, around) {
        let Some(spec) = found.command() else { continue };
        let before = commands.get(spec.name).map_or(i32::MIN, |before| before.points);
        if found.points > before {
            commands.insert(spec.name, found);
        }
    }
    let commands = commands.into_values().map(|mut found| {
        found.disabled = found.command().and_then(around.why_not);
        found
    });
    groups.entry(RowGroup::Commands).or_default().extend(commands);
    for (k, entry) in around.names.iter().enumerate() {
        let name = fit(&query, &entry.searched);
        let more = entry.more.iter().filter_map(|word| fit(&query, word));
        let more = more.map(|fit| fit.points - OTHER_WORD).max();
        let Some(points) = name.as_ref().map(|fit| fit.points).max(more) else { continue };
        let group = entry.named.group();
        let less = if group == RowGroup::Guide { GUIDE } else { 0 };
        let hits = name.map(|fit| fit.hits).unwrap_or_default();
        let found = PaletteRow { hits, ..PaletteRow::new(Item::Name(k), points - less) };
        groups.entry(group).or_default().push(found);
    }
    sorted(groups, &query)
}

/// Sort position of an item among equal matches.
fn place(item: Item) -> usize {
    match item {
        Item::Command(spec) => PLACES.get(spec.name).copied().unwrap_or_default(),
        Item::Name(k) => OFFERED.len() + k,
    }
}

/// True if the typed text is the script name of this command. It then comes first, even if it is
/// unavailable, because no other command is meant.
const fn is_script_name(found: &PaletteRow) -> bool {
    found.points >= NAMED - 4
}

/// True if the typed text names exactly this command.
fn is_typed(found: &PaletteRow, query: &Query) -> bool {
    let title = found.command().filter(|_| found.typed.is_empty());
    is_script_name(found) || title.is_some_and(|spec| query.is(&Searched::new(spec.title)))
}

/// Moves the best matches up to the visible rows if they are unavailable, below the first available
/// rows. They show the reason why they are unavailable.
fn show_best(rows: &mut Vec<PaletteRow>, query: &Query) {
    /// Number of best matches, and maximum number of them that are moved.
    const BEST: (usize, usize) = (3, 2);
    if rows.first().is_some_and(is_script_name) {
        return;
    }
    let mut best: Vec<usize> = (0..rows.len()).collect();
    best.sort_by_cached_key(|k| {
        let row = &rows[*k];
        (Reverse(is_typed(row, query)), Reverse(row.points), place(row.item))
    });
    best.truncate(BEST.0);
    best.retain(|k| rows[*k].disabled.is_some());
    best.truncate(BEST.1);
    best.sort_unstable();
    let moved: Vec<PaletteRow> = best.iter().rev().map(|k| rows.remove(*k)).collect();
    let available = rows.iter().take_while(|row| row.disabled.is_none()).count();
    let at = available.min(FIRST - moved.len());
    for row in moved {
        rows.insert(at, row);
    }
}

fn sorted(groups: BTreeMap<RowGroup, Vec<PaletteRow>>, query: &Query) -> Vec<PaletteGroup> {
    let mut all: Vec<PaletteGroup> = groups
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(group, mut rows)| {
            rows.sort_by_cached_key(|found| {
                let typed = is_typed(found, query);
                let waits = found.disabled.is_some() && !is_script_name(found);
                (waits, Reverse(typed), Reverse(found.points), place(found.item))
            });
            show_best(&mut rows, query);
            PaletteGroup { group, rows }
        })
        .collect();
    // A heading of the guide never precedes a command with the typed word in its title.
    let command = all.iter().find(|group| group.group == RowGroup::Commands);
    let command = command.map(|group| &group.rows[0]);
    let command = command.filter(|row| row.disabled.is_none() && !row.hits.is_empty());
    let most = command.map_or(i32::MAX, |row| row.points.saturating_sub(1));
    all.sort_by_key(|group| {
        let first = &group.rows[0];
        let waits = first.disabled.is_some() && !is_typed(first, query);
        let points = match group.group {
            RowGroup::Guide => first.points.min(most),
            _ => first.points,
        };
        (waits, Reverse(points))
    });
    all
}

/// Results for an empty text: recently used commands, then all commands.
fn at_rest(around: SearchContext<'_>) -> Vec<PaletteGroup> {
    let found = |spec: &'static CommandSpec| PaletteRow {
        disabled: (around.why_not)(spec),
        ..PaletteRow::new(Item::Command(spec), 0)
    };
    let used = around.used.iter().filter_map(|name| PLACES.get(name.as_str()));
    let recent = PaletteGroup {
        group: RowGroup::Recent,
        rows: used.map(|k| found(OFFERED[*k].spec)).collect(),
    };
    let mut rows: Vec<PaletteRow> = OFFERED.iter().map(|offered| found(offered.spec)).collect();
    rows.sort_by_key(|found| found.disabled.is_some());
    let all = PaletteGroup { group: RowGroup::Commands, rows };
    if recent.rows.is_empty() { vec![all] } else { vec![recent, all] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::palette::names::Named;

    fn names(query: &str, why_not: &dyn Fn(&CommandSpec) -> Option<&'static str>) -> Vec<String> {
        let around = SearchContext { names: &[], why_not, used: &[], rate: 30.0 };
        let rows = search(query, around).into_iter().flat_map(|group| group.rows);
        rows.filter_map(|row| row.command()).map(|spec| spec.name.to_owned()).collect()
    }

    fn no(_: &CommandSpec) -> Option<&'static str> {
        None
    }

    #[test]
    fn a_command_is_found_by_parts_of_its_words() {
        for (query, wanted) in [
            ("undo", "edit.undo"),
            ("pref", "file.preferences"),
            ("tour", "help.tour"),
            ("anm", ""),
            ("key.set", "key.set"),
            ("autokey", "keying.auto"),
            ("set ke", "key.set"),
            ("playblast", "file.pictures"),
            ("Rename joints", "joint.rename"),
            ("rename clip", "clip.rename"),
        ] {
            let found = names(query, &no);
            let first = found.first().map_or("", String::as_str);
            assert_eq!(first, wanted, "{query}: {found:?}");
        }
        assert_eq!(names("", &no).len(), offered());
        assert!(names("qqqq", &no).is_empty());
    }

    #[test]
    fn commands_only_for_programs_are_not_offered_and_disabled_ones_come_last() {
        assert!(names("mix.set", &no).iter().all(|name| name != "mix.set"));
        let only_undo = |c: &CommandSpec| (c.name != "edit.undo").then_some("not now");
        assert_eq!(names("", &only_undo).first().map(String::as_str), Some("edit.undo"));
        // A typed script name means this command only.
        let no_masks = |c: &CommandSpec| c.name.contains("mask").then_some("not now");
        assert_eq!(names("layer.mask", &no_masks)[0], "layer.mask");
        // Available commands come first. A command whose title was typed is still visible.
        for (title, name) in [("Normalize", "weights.normalize"), ("Mirror", "paint.mirror")] {
            let all_but = |c: &CommandSpec| (c.name == name).then_some("not now");
            let found = names(title, &all_but);
            assert_ne!(found[0], name, "{title}");
            assert!(found[..FIRST].contains(&name.to_owned()), "{title}: {found:?}");
        }
        let without = |c: &CommandSpec| c.name.starts_with("key.").then_some("not now");
        let found = names("keyframe", &without);
        let first_off = found.iter().position(|name| name.starts_with("key.")).expect("some");
        assert_eq!(first_off, FIRST - 2, "{found:?}");
        let later = found[FIRST..].iter().position(|name| name.starts_with("key."));
        let later = FIRST + later.expect("more of them");
        assert!(found[later..].iter().all(|name| name.starts_with("key.")), "{found:?}");
    }

    #[test]
    fn no_two_commands_have_the_same_title() {
        let mut titles = std::collections::HashSet::new();
        for command in table() {
            let title = command.menu_title().trim_end_matches('…').to_owned();
            assert!(titles.insert(title.clone()), "{title}: {}", command.name);
        }
    }

    #[test]
    fn the_best_group_comes_first() {
        let entries = [
            Entry::new(Named::Pose, "Keyframe_Test".into()),
            Entry::new(Named::Pose, "Undo".into()),
            Entry::new(Named::Pose, "zebra".into()),
        ];
        let around = SearchContext { names: &entries, why_not: &no, used: &[], rate: 30.0 };
        let first = |query: &str| search(query, around).first().map(|group| group.group);
        assert_eq!(first("keyframe"), Some(RowGroup::Commands));
        assert_eq!(first("zebra"), Some(RowGroup::Motion));
        assert_eq!(first("undo"), Some(RowGroup::Commands));
        assert_eq!(first("Keyframe_Test"), Some(RowGroup::Motion));
    }

    #[test]
    fn the_last_commands_are_listed_when_nothing_is_typed() {
        let used = ["help.tour".to_owned(), "no.such".to_owned(), "edit.redo".to_owned()];
        let around = SearchContext { names: &[], why_not: &no, used: &used, rate: 30.0 };
        let groups = search("  ", around);
        let names: Vec<&str> =
            groups[0].rows.iter().filter_map(PaletteRow::command).map(|c| c.name).collect();
        assert_eq!((groups[0].group, names), (RowGroup::Recent, vec!["help.tour", "edit.redo"]));
    }

    #[test]
    fn three_thousand_joints_are_searched_within_a_tenth_of_a_second() {
        let sides = ["Left", "Right"];
        let name = |k: usize| format!("rig:{}_Finger{:02}_Bone.{k:03}", sides[k % 2], k % 60);
        let entries: Vec<Entry> = (0..3_076).map(|k| Entry::new(Named::Pose, name(k))).collect();
        let around = SearchContext { names: &entries, why_not: &no, used: &[], rate: 30.0 };
        let queries = ["f", "fi", "left fin", "finger 12", "bone.077", "keyframe", "rotate 30 z"];
        for query in queries {
            // The shortest of several times, because other programs may run at the same time.
            let time = || {
                let started = std::time::Instant::now();
                let rows: usize = search(query, around).iter().map(|group| group.rows.len()).sum();
                assert!(rows > 0, "{query}");
                started.elapsed()
            };
            let least = (0..7).map(|_| time()).min().unwrap_or_default();
            assert!(least < std::time::Duration::from_millis(100), "{query}: {least:?}");
        }
    }
}
