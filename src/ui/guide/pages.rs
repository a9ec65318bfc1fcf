//! The pages of the guide: Markdown files from `docs/`, split into sections.

use std::sync::LazyLock;

/// A section of a page: its title, and its content up to the next title of the same level.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Title of the page.
    pub page: String,
    /// File name of the page in `docs/`.
    pub file: &'static str,
    /// Title of the section. The first section has the title of the page.
    pub title: String,
    /// Content blocks of the section.
    pub blocks: Vec<Block>,
}

/// A block of content in a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A subheading.
    Heading(String),
    /// A paragraph.
    Paragraph(String),
    /// A list item: its depth, its marker, and its text.
    Item(usize, String, String),
    /// Rows of cells. The first row contains the column titles.
    Table(Vec<Vec<String>>),
    /// Preformatted lines.
    Code(String),
}

/// Position in the guide: a section and a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GuidePlace {
    /// Index of the section.
    pub section: usize,
    /// Index of the block in the section; 0 for the section's title.
    pub block: usize,
}

/// A heading of the guide.
#[derive(Clone, Debug, PartialEq)]
pub struct Heading {
    /// Text of the heading.
    pub title: String,
    /// Title of the section that contains the heading. If that is the heading itself, the title of
    /// the page.
    pub within: String,
    /// Position of the heading.
    pub place: GuidePlace,
}

/// File name and Markdown text of each page.
const PAGES: [(&str, &str); 5] = [
    ("guide.md", include_str!("../../../docs/guide.md")),
    ("retargeting.md", include_str!("../../../docs/retargeting.md")),
    ("imports.md", include_str!("../../../docs/imports.md")),
    ("exports.md", include_str!("../../../docs/exports.md")),
    ("pipeline.md", include_str!("../../../docs/pipeline.md")),
];

static SECTIONS: LazyLock<Vec<Section>> =
    LazyLock::new(|| PAGES.iter().flat_map(|(file, text)| sections_of(file, text)).collect());

static HEADINGS: LazyLock<Vec<Heading>> = LazyLock::new(|| {
    let all = SECTIONS.iter().enumerate();
    all.flat_map(|(section, of)| {
        let within = if of.title == of.page { String::new() } else { of.page.clone() };
        let first =
            Heading { title: of.title.clone(), within, place: GuidePlace { section, block: 0 } };
        let inner = of.blocks.iter().enumerate().filter_map(move |(block, b)| match b {
            Block::Heading(title) => Some(Heading {
                title: title.clone(),
                within: of.title.clone(),
                place: GuidePlace { section, block },
            }),
            _ => None,
        });
        std::iter::once(first).chain(inner)
    })
    .collect()
});

/// All sections, page by page.
pub fn sections() -> &'static [Section] {
    &SECTIONS
}

/// All headings, in the order of the pages.
pub fn headings() -> &'static [Heading] {
    &HEADINGS
}

/// Anchor of a heading, as in the link part behind `#`: `Use the keyboard` → `use-the-keyboard`.
fn slug(title: &str) -> String {
    let letters = title.to_lowercase();
    let kept = letters.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Target of a link on a page, such as `#keys` or `retargeting.md#contacts`. `None` for links out
/// of the guide.
pub fn linked(file: &str, link: &str) -> Option<GuidePlace> {
    let (to, part) = link.split_once('#').unwrap_or((link, ""));
    let to = if to.is_empty() { file } else { to };
    let on_page = |heading: &&Heading| SECTIONS[heading.place.section].file == to;
    let mut there = HEADINGS.iter().filter(on_page);
    let found = there.find(|heading| part.is_empty() || slug(&heading.title) == part);
    found.map(|heading| heading.place)
}

/// Cells of one line of a table.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// Depth and marker of a list item, and the text after the marker. `None` for other lines.
fn item(line: &str) -> Option<(usize, String, &str)> {
    let text = line.trim_start();
    let depth = (line.len() - text.len()) / 2;
    if let Some(text) = text.strip_prefix("- ") {
        return Some((depth, "•".to_owned(), text));
    }
    let (number, rest) = text.split_once(". ")?;
    let counts = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    counts.then(|| (depth, format!("{number}."), rest))
}

/// Appends a line to the paragraph or item before it, or starts a new paragraph.
fn add_text(blocks: &mut Vec<Block>, line: &str, goes_on: bool) {
    match blocks.last_mut() {
        Some(Block::Paragraph(text) | Block::Item(_, _, text)) if goes_on => {
            text.push(' ');
            text.push_str(line);
        }
        _ => blocks.push(Block::Paragraph(line.to_owned())),
    }
}

/// Splits a page into sections.
fn sections_of(file: &'static str, text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut page = String::new();
    let (mut goes_on, mut is_code) = (false, false);
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("# ").filter(|_| !is_code) {
            page = title.to_owned();
        }
        let title = line.strip_prefix("# ").or_else(|| line.strip_prefix("## "));
        if let Some(title) = title.filter(|_| !is_code) {
            let title = title.to_owned();
            sections.push(Section { page: page.clone(), file, title, blocks: Vec::new() });
            goes_on = false;
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        let blocks = &mut section.blocks;
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            if is_code {
                blocks.push(Block::Code(String::new()));
            }
        } else if is_code {
            if let Some(Block::Code(code)) = blocks.last_mut() {
                if !code.is_empty() {
                    code.push('\n');
                }
                code.push_str(line);
            }
        } else if let Some(title) = line.strip_prefix("### ") {
            blocks.push(Block::Heading(title.to_owned()));
        } else if line.starts_with('|') {
            let row = cells(line);
            let is_rule = row.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':')));
            match blocks.last_mut() {
                Some(Block::Table(_)) if is_rule => {}
                Some(Block::Table(rows)) if goes_on => rows.push(row),
                _ => blocks.push(Block::Table(vec![row])),
            }
        } else if let Some((depth, sign, text)) = item(line) {
            blocks.push(Block::Item(depth, sign, text.to_owned()));
        } else if !line.trim().is_empty() && !line.starts_with("![") {
            add_text(blocks, line.trim(), goes_on);
        }
        goes_on = !line.trim().is_empty();
    }
    sections
}

/// Text of a block without Markdown markup.
pub fn plain_text(block: &Block) -> String {
    let text = match block {
        Block::Heading(text) | Block::Paragraph(text) | Block::Item(_, _, text) => text.clone(),
        Block::Table(rows) => rows.iter().map(|row| row.join(" ")).collect::<Vec<_>>().join(" "),
        Block::Code(text) => text.clone(),
    };
    text.replace(['*', '`'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_split_into_sections_and_every_link_resolves() {
        assert!(sections().len() > 30 && headings().len() > 90, "{}", headings().len());
        let find = |title: &str| headings().iter().find(|h| h.title == title);
        let keyboard = find("Use the keyboard").expect("a heading");
        assert_eq!(keyboard.within, "The window");
        assert_eq!(linked("guide.md", "#use-the-keyboard"), Some(keyboard.place));
        assert!(linked("guide.md", "retargeting.md#contacts").is_some());
        for section in sections().iter().filter(|s| s.file == "guide.md") {
            for block in &section.blocks {
                let text = match block {
                    Block::Paragraph(text) | Block::Item(_, _, text) => text,
                    _ => continue,
                };
                for part in text.split("](").skip(1) {
                    let link = part.split(')').next().unwrap_or_default();
                    let bundled = link.starts_with('#')
                        || PAGES.iter().any(|(file, _)| link.starts_with(file));
                    assert!(!bundled || linked(section.file, link).is_some(), "{link}");
                }
            }
        }
    }

    #[test]
    fn lists_tables_and_code_are_parsed() {
        let text = "# A\nOne\ntwo\n\n- x\n  y\n  - z\n1. n\n\n| a | b |\n|---|---|\n| c | d |\n\n\
            ```sh\nls\n\n# no title\n```\n## B\n### C\nend\n![i](i.png)\n";
        let sections = sections_of("a.md", text);
        assert_eq!(sections.len(), 2);
        assert_eq!(
            sections[0].blocks,
            [
                Block::Paragraph("One two".into()),
                Block::Item(0, "•".into(), "x y".into()),
                Block::Item(1, "•".into(), "z".into()),
                Block::Item(0, "1.".into(), "n".into()),
                Block::Table(vec![vec!["a".into(), "b".into()], vec!["c".into(), "d".into()]]),
                Block::Code("ls\n\n# no title".into()),
            ]
        );
        assert_eq!(sections[1].blocks[0], Block::Heading("C".into()));
        assert_eq!((sections[1].page.as_str(), sections[1].title.as_str()), ("A", "B"));
        assert_eq!(sections[1].blocks.len(), 2);
    }
}
