//! Tables of names: separated text with an old and a new name per line.

use std::collections::BTreeSet;

use crate::command::{CommandError, error::refuse};

/// One line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableRow {
    /// Current name.
    pub(super) from: String,
    /// New name.
    pub(super) to: String,
}

/// Parses the lines of a table. Cells are separated by a comma, a semicolon or a tab, and may be
/// quoted. Empty lines and a heading `old,new` are skipped.
///
/// # Errors
/// If a line does not have two names, or if a name occurs twice.
pub(super) fn rows(text: &str) -> Result<Vec<TableRow>, CommandError> {
    let mut rows: Vec<TableRow> = Vec::new();
    let mut seen = BTreeSet::new();
    for (k, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let cells = cells(line);
        let two = match &cells[..] {
            [from, to, rest @ ..] if rest.iter().all(String::is_empty) => Some((from, to)),
            _ => None,
        };
        let Some((from, to)) = two.filter(|(from, to)| !from.is_empty() && !to.is_empty()) else {
            return refuse(
                "table_line_unclear",
                format!("line {} of “table” must have an old and a new name: “{line}”", k + 1),
            );
        };
        let is_heading = rows.is_empty() && from.eq_ignore_ascii_case("old");
        if is_heading && to.eq_ignore_ascii_case("new") {
            continue;
        }
        if !seen.insert(from.clone()) {
            return refuse("named_twice", format!("“table” has two lines for “{from}”"));
        }
        rows.push(TableRow { from: from.clone(), to: to.clone() });
    }
    match rows.is_empty() {
        true => refuse("argument_empty", "“table” has no names"),
        false => Ok(rows),
    }
}

/// Splits a line into cells without surrounding spaces. A double quote in a quoted cell is escaped
/// by another one.
fn cells(line: &str) -> Vec<String> {
    let separator = ['\t', ';', ','].into_iter().find(|s| line.contains(*s)).unwrap_or(',');
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.trim_end_matches('\r').chars().peekable();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut();
        match (letter, cell) {
            ('"', Some(cell)) if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            ('"', Some(cell)) if is_quoted || cell.trim().is_empty() => is_quoted = !is_quoted,
            (c, _) if c == separator && !is_quoted => cells.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    cells.into_iter().map(|c| c.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_with_quotes_headings_and_other_separators() {
        let read = |text: &str| -> Vec<(String, String)> {
            let rows = rows(text).expect("a table");
            rows.into_iter().map(|r| (r.from, r.to)).collect()
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            read("old,new\nHips, Pelvis \n\nArm,arm\r\n"),
            [pair("Hips", "Pelvis"), pair("Arm", "arm"),]
        );
        assert_eq!(read("\"a,b\";\"say \"\"c\"\"\""), [pair("a,b", "say \"c\"")]);
        assert_eq!(read("a\tb"), [pair("a", "b")]);
        let code = |text: &str| rows(text).map_err(|e| e.code()).expect_err("no table");
        assert_eq!(code("Hips"), "table_line_unclear");
        assert_eq!(code("Hips,"), "table_line_unclear");
        assert_eq!(code("a,b,c"), "table_line_unclear");
        assert_eq!(code("a,b\na,c"), "named_twice");
        assert_eq!(code("old,new\n"), "argument_empty");
    }
}
