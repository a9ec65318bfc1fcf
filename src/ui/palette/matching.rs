//! Scores how well typed words match a text: exact texts, words, word prefixes, and initials.

use std::ops::Range;

/// Score of a text that equals the typed text.
pub const EXACT: i32 = 1000;

/// Base score of a text that starts with the typed text.
const BEGINS: i32 = 870;

/// Typed words that a text need not contain.
const FILLERS: [&str; 12] =
    ["a", "an", "the", "to", "of", "in", "on", "for", "with", "by", "from", "and"];

/// A searchable text, split into words.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// Letters and digits in lower case, without separators.
    joined: Vec<char>,
    /// Index in the text of each character of `joined`.
    places: Vec<usize>,
    /// Words as ranges of `joined`.
    words: Vec<Range<usize>>,
}

impl Searched {
    /// Splits a text into words: at separators, and at capitals that follow small letters.
    pub fn new(text: &str) -> Self {
        let mut searched = Self::default();
        let (mut begins, mut before) = (0, ' ');
        for (k, letter) in text.chars().enumerate() {
            let turns = before.is_lowercase() && letter.is_uppercase();
            if (!letter.is_alphanumeric() || turns) && searched.joined.len() > begins {
                searched.words.push(begins..searched.joined.len());
                begins = searched.joined.len();
            }
            if letter.is_alphanumeric() {
                for small in letter.to_lowercase() {
                    searched.joined.push(small);
                    searched.places.push(k);
                }
            }
            before = letter;
        }
        if searched.joined.len() > begins {
            searched.words.push(begins..searched.joined.len());
        }
        searched
    }

    fn word(&self, k: usize) -> &[char] {
        &self.joined[self.words[k].clone()]
    }

    /// Indices in the text for a range of `joined`.
    fn hits(&self, letters: Range<usize>) -> Vec<usize> {
        self.places[letters].to_vec()
    }
}

/// The typed words.
#[derive(Clone, Debug, Default)]
pub struct Query {
    joined: Vec<char>,
    words: Vec<Vec<char>>,
}

impl Query {
    /// Splits the typed text into words like [`Searched::new`]. Words such as *the* are left out.
    pub fn new(text: &str) -> Self {
        let text = text.to_lowercase();
        let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let (all, said): (Vec<&str>, Vec<&str>) =
            (split.clone().collect(), split.filter(|word| !FILLERS.contains(word)).collect());
        let words = if said.is_empty() { &all } else { &said };
        Self {
            joined: all.concat().chars().collect(),
            words: words.iter().map(|word| word.chars().collect()).collect(),
        }
    }

    /// True if no words were typed.
    pub const fn is_empty(&self) -> bool {
        self.joined.is_empty()
    }

    /// True if the text equals the typed text.
    pub fn is(&self, text: &Searched) -> bool {
        self.joined == text.joined
    }
}

/// A match of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Score, up to [`EXACT`]; higher is better.
    pub points: i32,
    /// Indices of the matched characters.
    pub hits: Vec<usize>,
}

/// Score of a typed word for a word of the text, 0 to 100; `None` if it does not match.
fn word_fit(typed: &[char], word: &[char]) -> Option<i32> {
    let common = typed.iter().zip(word).take_while(|(a, b)| a == b).count();
    let (longest, is_plural) =
        (typed.len().max(word.len()), |word: &[char]| word.last() == Some(&'s'));
    if common == typed.len() && common == word.len() {
        return Some(100);
    }
    if common + 1 == longest && common >= 3 {
        let longer = if typed.len() > word.len() { typed } else { word };
        if is_plural(longer) && typed.len() != word.len() {
            return Some(97);
        }
    }
    if common == typed.len() {
        return Some(70 + (20 * common / word.len()) as i32);
    }
    // Other forms of the same word, such as *painting* and *paint*.
    (common >= 4 && common + 3 >= longest).then_some(60)
}

/// Best unused word of the text for each typed word, with its score. `None` if a typed word has no
/// match.
fn paired(query: &Query, text: &Searched) -> Option<Vec<(usize, i32)>> {
    let mut used = vec![false; text.words.len()];
    let mut pairs = Vec::with_capacity(query.words.len());
    for typed in &query.words {
        let free = (0..text.words.len()).filter(|k| !used[*k]);
        let fits = free.filter_map(|k| Some((k, word_fit(typed, text.word(k))?)));
        let (k, fit) = fits.min_by_key(|(k, fit)| (-fit, *k))?;
        used[k] = true;
        pairs.push((k, fit));
    }
    Some(pairs)
}

/// Common prefix of a typed word and a word of the text, as a range of `joined`.
fn begun(typed: &[char], text: &Searched, k: usize) -> Range<usize> {
    let common = typed.iter().zip(text.word(k)).take_while(|(a, b)| a == b).count();
    text.words[k].start..text.words[k].start + common
}

/// Match by words: each typed word equals a word of the text, or is a prefix of it.
fn by_words(query: &Query, text: &Searched) -> Option<Fit> {
    let pairs = paired(query, text).filter(|pairs| !pairs.is_empty())?;
    let count = pairs.len() as i32;
    let average = pairs.iter().map(|(_, fit)| fit).sum::<i32>() / count;
    let in_order = pairs.windows(2).all(|two| two[0].0 < two[1].0);
    let follows = pairs.windows(2).all(|two| two[0].0 + 1 == two[1].0);
    let from_start = pairs.iter().any(|(k, _)| *k == 0);
    let cover = (100 * count / text.words.len() as i32).min(100);
    let points = 400
        + 3 * average
        + cover
        + if follows {
            40
        } else if in_order {
            20
        } else {
            0
        }
        + if from_start { 20 } else { 0 };
    let hits = pairs.iter().zip(&query.words);
    let hits = hits.flat_map(|((k, _), typed)| text.hits(begun(typed, text, *k))).collect();
    Some(Fit { points: points.min(BEGINS - 1), hits })
}

/// Match by initials of words, such as `sk` for *Set key*.
fn by_initials(query: &Query, text: &Searched) -> Option<Fit> {
    let [typed] = &query.words[..] else { return None };
    let fits = (2..=5).contains(&typed.len())
        && typed.len() <= text.words.len()
        && typed.iter().zip(&text.words).all(|(letter, word)| text.joined[word.start] == *letter);
    let hits = text.words.iter().take(typed.len()).map(|word| text.places[word.start]).collect();
    fits.then_some(Fit { points: 380 + 20 * typed.len() as i32, hits })
}

/// Match by a substring of at least three letters.
fn by_part(query: &Query, text: &Searched) -> Option<Fit> {
    let length = query.joined.len();
    if length < 3 || length > text.joined.len() {
        return None;
    }
    let at = text.joined.windows(length).position(|part| *part == query.joined)?;
    let points = 350 + (50 * length / text.joined.len()) as i32;
    Some(Fit { points, hits: text.hits(at..at + length) })
}

/// Match of the typed words with a text; `None` if they do not match.
pub fn fit(query: &Query, text: &Searched) -> Option<Fit> {
    if query.is_empty() || text.joined.is_empty() {
        return None;
    }
    if query.is(text) {
        return Some(Fit { points: EXACT, hits: text.hits(0..text.joined.len()) });
    }
    if query.joined.len() >= 2 && text.joined.starts_with(&query.joined) {
        let length = query.joined.len();
        let whole = text.words.iter().any(|word| word.end == length);
        // A single word that ends within a later word is no match: *keys* does not match *Key
        // size*.
        if whole || query.words.len() > 1 || length <= text.words[0].len() {
            let share = (40 * length / text.joined.len()) as i32;
            // A prefix that ends within a word has a lower score.
            let points = BEGINS + share + if whole { 40 } else { 0 };
            return Some(Fit { points, hits: text.hits(0..length) });
        }
    }
    by_words(query, text).or_else(|| by_initials(query, text)).or_else(|| by_part(query, text))
}

/// Returns the indices of characters to highlight. Each word of the text is compared with the typed
/// words, and the longest common prefix is highlighted if it has at least three letters.
///
/// For example, `keyframe` shares *key* with *Set key*.
pub fn shared_letters(query: &Query, text: &Searched) -> Vec<usize> {
    let parts = (0..text.words.len()).filter_map(|k| {
        let typed = query.words.iter().map(|typed| begun(typed, text, k));
        typed.max_by_key(ExactSizeIterator::len).filter(|part| part.len() >= 3)
    });
    parts.flat_map(|part| text.hits(part)).collect()
}

/// True if each typed word has at least three letters and is a prefix of a word in any of the
/// texts.
pub fn all_in<'a>(query: &Query, texts: impl Iterator<Item = &'a Searched> + Clone) -> bool {
    let is_in = |typed: &Vec<char>| {
        typed.len() >= 3
            && texts
                .clone()
                .any(|text| (0..text.words.len()).any(|k| text.word(k).starts_with(typed)))
    };
    !query.words.is_empty() && query.words.iter().all(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(query: &str, text: &str) -> Option<i32> {
        fit(&Query::new(query), &Searched::new(text)).map(|fit| fit.points)
    }

    fn lit(query: &str, text: &str) -> String {
        let fit = fit(&Query::new(query), &Searched::new(text)).expect("a fit");
        text.chars().enumerate().filter(|(k, _)| fit.hits.contains(k)).map(|(_, c)| c).collect()
    }

    #[test]
    fn better_matches_get_more_points() {
        let order = [
            "Set key",
            "Set key type",
            "Set keys again",
            "Key set",
            "Set the key",
            "Settle keyboards",
        ];
        let all: Vec<i32> = order.iter().map(|t| points("set key", t).expect("it fits")).collect();
        assert_eq!(all[0], EXACT);
        assert!(all[1] > all[3] && all[3] > all[5], "{all:?}");
        assert_eq!(points("set key", "Delete keys"), None);
        assert_eq!(points("xyz", "Any text"), None);
        assert_eq!(points("", "Any text"), None);
    }

    #[test]
    fn punctuation_spaces_and_word_forms_do_not_affect_matches() {
        for typed in ["T-Pose", "tpose", "t pose", "T pose"] {
            assert_eq!(points(typed, "T-pose"), Some(EXACT), "{typed}");
        }
        for (typed, text) in [
            ("weight painting", "paint weights"),
            ("insert a keyframe", "insert keyframe"),
            ("retargeting", "retarget clips"),
            ("keyframes", "insert keyframe"),
            ("upleg", "mixamorig:LeftUpLeg"),
            ("left leg", "mixamorig:LeftUpLeg"),
            ("sk", "Set key"),
            ("armature", "Root_Armature.001"),
        ] {
            assert!(points(typed, text).is_some(), "{typed} in {text}");
        }
    }

    #[test]
    fn matched_letters_are_highlighted() {
        assert_eq!(lit("key", "Delete keys"), "key");
        assert_eq!(lit("sk", "Set key"), "Sk");
        assert_eq!(lit("leg left", "mixamorig:LeftUpLeg"), "LeftLeg");
        assert_eq!(lit("frame", "Keyframe_Test"), "frame");
        let text = Searched::new("Set key");
        let shared = shared_letters(&Query::new("keyframe"), &text);
        assert_eq!(shared, [4, 5, 6]);
    }
}
