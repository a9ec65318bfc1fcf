//! How well typed words fit a text: exact texts, words, beginnings of words, and letters.

use std::ops::Range;

/// Points of a text that was typed in full.
pub const EXACT: i32 = 1000;

/// Points of a text that begins with what was typed.
const BEGINS: i32 = 870;

/// Words that may be missing in a text.
const FILLERS: [&str; 12] =
    ["a", "an", "the", "to", "of", "in", "on", "for", "with", "by", "from", "and"];

/// A text that is searched, with its words.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// Its letters and digits in lower case, without anything between them.
    joined: Vec<char>,
    /// For each of them, the number of its character in the text.
    places: Vec<usize>,
    /// The words, as ranges of `joined`.
    words: Vec<Range<usize>>,
}

impl Searched {
    /// Splits a text into words: at blanks and signs, and where a capital follows a small letter.
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

    /// Characters of the text in a range of its letters.
    fn hits(&self, letters: Range<usize>) -> Vec<usize> {
        self.places[letters].to_vec()
    }
}

/// Typed words.
#[derive(Clone, Debug, Default)]
pub struct Query {
    joined: Vec<char>,
    words: Vec<Vec<char>>,
}

impl Query {
    /// Splits what was typed into words, as [`Searched::new`]; words that say nothing are left out.
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

    /// Whether nothing was typed.
    pub const fn is_empty(&self) -> bool {
        self.joined.is_empty()
    }

    /// Whether a text is what was typed.
    pub fn is(&self, text: &Searched) -> bool {
        self.joined == text.joined
    }
}

/// A text that fits: points up to [`EXACT`], and the numbers of the matched characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// More is better.
    pub points: i32,
    /// Numbers of the characters that were matched.
    pub hits: Vec<usize>,
}

/// How well a typed word fits a word of a text, 0 to 100; `None` if it does not.
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
    // Other forms of the word: painting, paint.
    (common >= 4 && common + 3 >= longest).then_some(60)
}

/// The best word of a text for each typed word; `None` where one has none. Words of the text are
/// used once.
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

/// The letters of a word of a text that a typed word has from its beginning.
fn begun(typed: &[char], text: &Searched, k: usize) -> Range<usize> {
    let common = typed.iter().zip(text.word(k)).take_while(|(a, b)| a == b).count();
    text.words[k].start..text.words[k].start + common
}

/// The fit of words: each typed word is a word of the text, or the beginning of one.
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

/// The fit of the first letters of words: `sk` for *Set key*.
fn by_initials(query: &Query, text: &Searched) -> Option<Fit> {
    let [typed] = &query.words[..] else { return None };
    let fits = (2..=5).contains(&typed.len())
        && typed.len() <= text.words.len()
        && typed.iter().zip(&text.words).all(|(letter, word)| text.joined[word.start] == *letter);
    let hits = text.words.iter().take(typed.len()).map(|word| text.places[word.start]).collect();
    fits.then_some(Fit { points: 380 + 20 * typed.len() as i32, hits })
}

/// The fit of a part of a text, from three letters on.
fn by_part(query: &Query, text: &Searched) -> Option<Fit> {
    let length = query.joined.len();
    if length < 3 || length > text.joined.len() {
        return None;
    }
    let at = text.joined.windows(length).position(|part| *part == query.joined)?;
    let points = 350 + (50 * length / text.joined.len()) as i32;
    Some(Fit { points, hits: text.hits(at..at + length) })
}

/// How well what was typed fits a text; `None` if it does not.
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
        // One word that ends inside of a later word says nothing: *keys* is not in *Key size*.
        if whole || query.words.len() > 1 || length <= text.words[0].len() {
            let share = (40 * length / text.joined.len()) as i32;
            // A beginning that ends in the middle of a word says less.
            let points = BEGINS + share + if whole { 40 } else { 0 };
            return Some(Fit { points, hits: text.hits(0..length) });
        }
    }
    by_words(query, text).or_else(|| by_initials(query, text)).or_else(|| by_part(query, text))
}

/// The characters of a text at the beginnings of its words that what was typed has, too: of *Set
/// key* for `keyframe` those of *key*. Fewer than three letters are none.
pub fn shared_letters(query: &Query, text: &Searched) -> Vec<usize> {
    let parts = (0..text.words.len()).filter_map(|k| {
        let typed = query.words.iter().map(|typed| begun(typed, text, k));
        typed.max_by_key(ExactSizeIterator::len).filter(|part| part.len() >= 3)
    });
    parts.flat_map(|part| text.hits(part)).collect()
}

/// Whether each typed word, from three letters on, is the beginning of a word of any of these
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
    fn texts_that_say_more_of_what_was_typed_come_first() {
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
    fn signs_blanks_and_forms_of_words_do_not_matter() {
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
    fn matched_letters_are_told() {
        assert_eq!(lit("key", "Delete keys"), "key");
        assert_eq!(lit("sk", "Set key"), "Sk");
        assert_eq!(lit("leg left", "mixamorig:LeftUpLeg"), "LeftLeg");
        assert_eq!(lit("frame", "Keyframe_Test"), "frame");
        let text = Searched::new("Set key");
        let shared = shared_letters(&Query::new("keyframe"), &text);
        assert_eq!(shared, [4, 5, 6]);
    }
}
