//! Weights as rows of text for spreadsheets: a header with names, then one line per vertex.
//!
//! ```text
//! Mesh    Vertex  Hips    Spine
//! Body    12      0.25    0.75
//! ```
//!
//! Cells are separated by tabs, otherwise by semicolons, otherwise by commas. The columns of mesh
//! and vertex are optional; without them, the rows are in order. If the first line contains
//! numbers, there is no header, and the joints of the columns are unknown.

use super::error::WeightFileError;
use ulna_model::WeightTable;

/// Parsed rows of text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pasted {
    /// Joint names from the header; `None` without a header.
    pub joints: Option<Vec<String>>,
    /// Rows of equal length, one per vertex.
    pub rows: Vec<PastedRow>,
}

/// One parsed row of text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastedRow {
    /// Name of the mesh, if there is a column for it.
    pub mesh: Option<String>,
    /// Vertex number, if there is a column for it.
    pub vertex: Option<u32>,
    /// Weights of the joints. An empty cell is 0.
    pub weights: Vec<f32>,
}

/// Maximum number of rows in a text.
const MOST_ROWS: usize = 1 << 20;

/// Parses a text of rows.
///
/// # Errors
/// A cell is not a weight. The error states its line and column.
pub fn read_rows(text: &str) -> Result<Pasted, WeightFileError> {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(k, l)| (k + 1, l.trim_end_matches(['\r', ' '])))
        .filter(|(_, l)| !l.trim().is_empty())
        .collect();
    let Some((_, first)) = lines.first() else { return Err(none("the table is empty")) };
    if lines.len() > MOST_ROWS {
        return Err(none("the table has too many lines"));
    }
    let apart = ['\t', ';', ','].into_iter().find(|c| first.contains(*c)).unwrap_or('\t');
    let cells = |line: &str| {
        line.split(apart).map(|c| c.trim().trim_matches('"').to_owned()).collect::<Vec<_>>()
    };
    let head = cells(first);
    let named = head.iter().any(|c| !c.is_empty() && number(c, apart).is_none());
    let column = |name: &str| head.iter().position(|c| named && c.eq_ignore_ascii_case(name));
    let (mesh, vertex) = (column("mesh"), column("vertex"));
    let own = |k: &usize| {
        Some(*k) != mesh && Some(*k) != vertex && (!named || !head[*k].eq_ignore_ascii_case("sum"))
    };
    let columns: Vec<usize> = (0..head.len()).filter(own).collect();
    let joints: Option<Vec<String>> =
        named.then(|| columns.iter().map(|k| head[*k].clone()).collect());
    if let Some(k) = columns.iter().find(|k| named && head[**k].is_empty()) {
        return Err(none(&format!(
            "column {} has no name in the first line, which must name a joint",
            k + 1
        )));
    }
    let mut rows = Vec::new();
    for (line, text) in lines.into_iter().skip(usize::from(named)) {
        let cells = cells(text);
        let wrong = |column: usize, what: String| WeightFileError::Number {
            place: format!("line {line}, column {}", column + 1),
            what,
        };
        let mut row =
            PastedRow { mesh: mesh.and_then(|k| cells.get(k).cloned()), ..PastedRow::default() };
        if let Some(k) = vertex {
            let cell = cells.get(k).map_or("", |c| &**c);
            let plain: String =
                cell.chars().filter(|c| !matches!(c, ',' | ' ' | '\u{a0}' | '\u{202f}')).collect();
            row.vertex = Some(
                plain
                    .parse()
                    .ok()
                    .ok_or_else(|| wrong(k, format!("“{cell}” is not a vertex number")))?,
            );
        }
        if cells.len() > head.len() {
            return Err(wrong(
                head.len(),
                format!(
                    "the line has {} cells, but the first line has {}",
                    cells.len(),
                    head.len()
                ),
            ));
        }
        for k in &columns {
            let cell = cells.get(*k).map_or("", |c| &**c);
            let value = if cell.is_empty() { Some(0.0) } else { number(cell, apart) };
            let value = value.ok_or_else(|| wrong(*k, format!("“{cell}” is not a number")))?;
            if !value.is_finite() || !(0.0..=1.0 + 1e-6).contains(&value) {
                return Err(wrong(*k, format!("{cell} is not a weight; weights must be 0 to 1")));
            }
            row.weights.push(value);
        }
        rows.push(row);
    }
    if rows.is_empty() || columns.is_empty() {
        return Err(none("the table has no row of numbers"));
    }
    Ok(Pasted { joints, rows })
}

fn none(what: &str) -> WeightFileError {
    WeightFileError::NotWeights(what.to_owned())
}

/// Parses the number in a cell. Percentages are accepted, and decimal commas if commas do not
/// separate the cells.
fn number(cell: &str, apart: char) -> Option<f32> {
    let (cell, factor) = match cell.strip_suffix('%') {
        Some(rest) => (rest.trim(), 0.01),
        None => (cell, 1.0),
    };
    let plain = cell.replace('−', "-");
    let plain =
        if apart != ',' && !plain.contains('.') { plain.replacen(',', ".", 1) } else { plain };
    let value = plain.parse::<f32>().ok()?;
    Some(if factor == 1.0 { value } else { value * factor })
}

/// Writes a table as rows. Numbers have the fewest digits that preserve all bits.
pub fn write_rows(table: &WeightTable) -> String {
    let mut joints: Vec<&str> = Vec::new();
    for name in table.shapes.iter().flat_map(|s| &s.joints) {
        if !joints.contains(&&**name) {
            joints.push(name);
        }
    }
    let cell = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    let mut text = String::from("Mesh\tVertex");
    for name in &joints {
        text.push('\t');
        text.push_str(&cell(name));
    }
    for shape in &table.shapes {
        let at: Vec<usize> = shape
            .joints
            .iter()
            .map(|n| joints.iter().position(|j| j == n).unwrap_or_default())
            .collect();
        for k in 0..shape.len() {
            let mut values = vec![0.0f32; joints.len()];
            for (j, w) in shape.row(k) {
                values[at[usize::from(*j)]] += w;
            }
            text += &format!("\n{}\t{}", cell(&shape.name), shape.vertices[k]);
            for value in values {
                text.push('\t');
                text += &value.to_string();
            }
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_model::WeightShape;

    #[test]
    fn rows_of_spreadsheets_are_read() {
        let pasted = read_rows("Hips;Arm;Sum\r\n0,25;75 %;1\r\n;1,0;1\r\n").expect("rows");
        assert_eq!(pasted.joints.as_deref(), Some(&["Hips".to_owned(), "Arm".to_owned()][..]));
        let weights: Vec<_> = pasted.rows.iter().map(|r| r.weights.clone()).collect();
        assert_eq!(weights, [vec![0.25, 0.75], vec![0.0, 1.0]]);
        let bare = read_rows("0.5\t0.5\n1\t0").expect("rows");
        assert_eq!((bare.joints, bare.rows.len()), (None, 2));
    }

    #[test]
    fn an_invalid_cell_is_named() {
        let why = |text: &str| read_rows(text).expect_err("refused").to_string();
        assert!(
            why("Hips\tArm\n0.5\tmuch").contains("line 2, column 2"),
            "{}",
            why("Hips\tArm\n0.5\tmuch")
        );
        assert!(why("Hips\n-1").contains("0 to 1"));
        assert!(why("Hips\nNaN").contains("0 to 1"));
        assert!(why("a line of prose").contains("no row"));
        assert!(why("").contains("empty"));
        assert!(why("Vertex\tHips\n1e9\t1").contains("not a vertex number"));
    }

    #[test]
    fn written_rows_are_read_back_bit_for_bit() {
        let mut shape = WeightShape::new("Body");
        shape.joints = vec!["Hips".into(), "Left Arm".into()];
        shape.push(7, [(0, 0.1), (1, 0.900_000_04)]);
        shape.push(4, [(1, 1.0)]);
        let pasted = read_rows(&write_rows(&WeightTable { shapes: vec![shape] })).expect("rows");
        let rows: Vec<_> =
            pasted.rows.iter().map(|r| (r.mesh.as_deref(), r.vertex, r.weights.clone())).collect();
        assert_eq!(
            rows,
            [
                (Some("Body"), Some(7), vec![0.1, 0.900_000_04]),
                (Some("Body"), Some(4), vec![0.0, 1.0])
            ]
        );
    }
}
