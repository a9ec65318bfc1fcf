//! Colors of joint groups: a palette that follows the theme, and custom colors.

use serde::{Deserialize, Serialize};

/// The color of a group of joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum GroupColor {
    /// Violet.
    #[default]
    Violet,
    /// Red.
    Red,
    /// Amber.
    Amber,
    /// Green.
    Green,
    /// Blue.
    Blue,
    /// Teal.
    Teal,
    /// Pink.
    Pink,
    /// Lime.
    Lime,
    /// Yellow.
    Yellow,
    /// Orange.
    Orange,
    /// Magenta.
    Magenta,
    /// Brown.
    Brown,
    /// Steel.
    Steel,
    /// A custom color: red, green and blue as sRGB bytes.
    Free([u8; 3]),
}

/// Names of the palette colors, in the order of the palette.
const WORDS: [&str; GroupColor::PALETTE.len()] = [
    "violet", "red", "amber", "green", "blue", "teal", "pink", "lime", "yellow", "orange",
    "magenta", "brown", "steel",
];

impl GroupColor {
    /// Palette from which users choose.
    pub const PALETTE: [Self; 13] = [
        Self::Violet,
        Self::Red,
        Self::Amber,
        Self::Green,
        Self::Blue,
        Self::Teal,
        Self::Pink,
        Self::Lime,
        Self::Yellow,
        Self::Orange,
        Self::Magenta,
        Self::Brown,
        Self::Steel,
    ];

    /// Names of the palette colors, in the order of the palette.
    pub const fn words() -> &'static [&'static str] {
        &WORDS
    }

    /// Index in the palette; `None` for a custom color.
    pub fn place(self) -> Option<usize> {
        Self::PALETTE.iter().position(|color| *color == self)
    }

    /// The name of the color, or `#rrggbb`.
    pub fn text(self) -> String {
        match self {
            Self::Free([r, g, b]) => format!("#{r:02x}{g:02x}{b:02x}"),
            _ => self.place().map_or_else(String::new, |place| WORDS[place].to_owned()),
        }
    }

    /// Parses the name of a palette color or `#rrggbb`; `None` for other texts.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(place) = WORDS.iter().position(|word| word.eq_ignore_ascii_case(text)) {
            return Some(Self::PALETTE[place]);
        }
        let digits = text.strip_prefix('#')?;
        let is_hex = digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let [_, r, g, b] = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?.to_be_bytes();
        Some(Self::Free([r, g, b]))
    }
}

impl From<GroupColor> for String {
    fn from(color: GroupColor) -> Self {
        color.text()
    }
}

impl TryFrom<String> for GroupColor {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("“{text}” is not a color"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_colors_are_read_back() {
        let free = [[0, 0, 0], [255, 255, 255], [18, 52, 171]].map(GroupColor::Free);
        for color in GroupColor::PALETTE.into_iter().chain(free) {
            assert_eq!(GroupColor::parse(&color.text()), Some(color), "{}", color.text());
        }
        assert_eq!(GroupColor::Free([18, 52, 171]).text(), "#1234ab");
        assert_eq!(GroupColor::parse("#1234AB"), Some(GroupColor::Free([18, 52, 171])));
        assert_eq!(GroupColor::parse("Teal"), Some(GroupColor::Teal));
        for bad in ["", "beige", "#12345", "#1234567", "#+12345", "#12345g", "123456", "#äöü"] {
            assert_eq!(GroupColor::parse(bad), None, "{bad}");
        }
    }
}
