//! Evaluation of numbers and arithmetic expressions typed into fields of panels and into forms of
//! commands.

/// Evaluates an expression, such as `1.5`, `0.262*2` or `-(3+4)/2`. Returns `None` if the text is
/// not an expression. A unit at the end is ignored. A typographic minus (U+2212) counts as a minus.
pub fn evaluate(text: &str) -> Option<f64> {
    let text = text.replace('−', "-").replace('×', "*").replace(',', ".");
    let text = text.trim().trim_end_matches(['°', 'm', 'c', ' ', '%']);
    let mut parser = Parser { rest: text.as_bytes(), depth: 0 };
    let value = parser.sum()?;
    parser.space();
    (parser.rest.is_empty() && value.is_finite()).then_some(value)
}

/// Evaluates an expression with units after numbers, such as `1 m + 20 cm`. `units` has the size of
/// each unit; a number without a unit is multiplied by 1. A single unit after a product or
/// parentheses applies to the whole expression: `(1 + 2) cm`, `90/2 cm`.
pub fn evaluate_with(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let mut parts: Vec<(String, Option<f64>)> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let is_word = |c: char| c.is_alphabetic() || matches!(c, '°' | '%' | '×');
        let start = rest.find(is_word).unwrap_or(rest.len());
        // In `1e-3`, the `e` is an exponent, not a unit.
        let exponent = rest[start..].starts_with(['e', 'E'])
            && rest[..start].ends_with(|c: char| c.is_ascii_digit() || c == '.')
            && rest[start + 1..]
                .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
        if exponent {
            let end = rest[start + 2..]
                .find(|c: char| !c.is_ascii_digit())
                .map_or(rest.len(), |k| start + 2 + k);
            parts.push((rest[..end].to_owned(), None));
            rest = &rest[end..];
            continue;
        }
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |k| start + k);
        let word = &rest[start..end];
        // `×` is a unit only if the list contains it.
        let factor = match units.iter().find(|(unit, _)| *unit == word) {
            // `×` before a number is a multiplication sign.
            Some(_) if word == "×" && !rest[end..].trim().is_empty() => None,
            Some((_, size)) => Some(*size),
            None if word == "×" || word.is_empty() => None,
            None => return None,
        };
        let number = if factor.is_none() { &rest[..end] } else { &rest[..start] };
        parts.push((number.to_owned(), factor));
        rest = rest[end..].trim_start();
    }
    let sized = |(number, size): &(String, Option<f64>)| match size {
        Some(size) => format!("{number}*{size:e}"),
        None => number.clone(),
    };
    let count = parts.iter().filter(|p| p.1.is_some()).count();
    let last = parts.last().and_then(|p| p.1);
    if let (1, Some(size)) = (count, last) {
        let whole: Vec<&str> = parts.iter().map(|p| p.0.as_str()).collect();
        if is_sum(&whole.join(" ")) {
            return evaluate(&parts.iter().map(sized).collect::<Vec<_>>().join(" "));
        }
        return evaluate(&whole.join(" ")).map(|v| v * size).filter(|v| v.is_finite());
    }
    evaluate(&parts.iter().map(sized).collect::<Vec<_>>().join(" "))
}

/// Whether the expression adds or subtracts numbers outside of all parentheses. A unit at the end
/// then applies only to the last number.
fn is_sum(text: &str) -> bool {
    let mut depth = 0;
    // Previous character. A sign after a digit or `)` is an operator, not the sign of a number.
    let mut before = None;
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '+' | '-' | '−'
                if depth == 0 && before.is_some_and(|b: char| b.is_ascii_digit() || b == ')') =>
            {
                return true;
            }
            _ => {}
        }
        before = Some(c);
    }
    false
}

struct Parser<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl Parser<'_> {
    fn space(&mut self) {
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Consumes the next character if it is one of `signs`, and returns it.
    fn take(&mut self, signs: &[u8]) -> Option<u8> {
        self.space();
        let (first, rest) = self.rest.split_first()?;
        signs.contains(first).then(|| {
            self.rest = rest;
            *first
        })
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(b"+-") {
            let right = self.product()?;
            value = if sign == b'+' { value + right } else { value - right };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.factor()?;
        while let Some(sign) = self.take(b"*/") {
            let right = self.factor()?;
            value = if sign == b'*' { value * right } else { value / right };
        }
        Some(value)
    }

    fn factor(&mut self) -> Option<f64> {
        // Limits the nesting, so that a pasted text with many parentheses cannot overflow the
        // stack.
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let value = if self.take(b"-").is_some() {
            self.factor().map(|v| -v)
        } else if self.take(b"+").is_some() {
            self.factor()
        } else if self.take(b"(").is_some() {
            let value = self.sum()?;
            self.take(b")")?;
            Some(value)
        } else {
            self.number()
        };
        self.depth -= 1;
        value
    }

    fn number(&mut self) -> Option<f64> {
        self.space();
        let mut end = 0;
        while let Some(c) = self.rest.get(end) {
            let exponent = end > 0 && matches!(c, b'e' | b'E');
            let sign =
                end > 0 && matches!(c, b'+' | b'-') && matches!(self.rest[end - 1], b'e' | b'E');
            if !(c.is_ascii_digit() || *c == b'.' || exponent || sign) {
                break;
            }
            end += 1;
        }
        let (digits, rest) = self.rest.split_at(end);
        let value = std::str::from_utf8(digits).ok()?.parse().ok()?;
        self.rest = rest;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::{evaluate, evaluate_with};

    #[test]
    fn units_follow_numbers_or_the_whole_expression() {
        let units = [("m", 1.0), ("cm", 0.01), ("×", 1.0)];
        let cases = [
            ("12 cm", Some(0.12)),
            ("(1 + 2) cm", Some(0.03)),
            ("90/2 cm", Some(0.45)),
            ("0.5 + 10 cm", Some(0.6)),
            ("-10 cm", Some(-0.1)),
            ("1 m + 20cm", Some(1.2)),
            ("1e-3 m", Some(0.001)),
            ("1e-3+1", Some(1.001)),
            ("3×2", Some(6.0)),
            ("2 ×", Some(2.0)),
            ("1 m 20 cm", None),
            ("5 kg", None),
            ("cm", None),
            ("", None),
        ];
        for (text, wanted) in cases {
            let found = evaluate_with(text, &units);
            let near = found.zip(wanted).is_some_and(|(a, b): (f64, f64)| (a - b).abs() < 1e-9);
            assert!(near || (found.is_none() && wanted.is_none()), "{text}: {found:?}");
        }
    }

    #[test]
    fn valid_arithmetic_is_evaluated_and_invalid_text_refused() {
        let cases = [
            ("12", Some(12.0)),
            ("0.262*2", Some(0.524)),
            ("−(3 + 4)/2", Some(-3.5)),
            ("90°/4", None),
            ("45°", Some(45.0)),
            ("1e-3+1", Some(1.001)),
            ("2 - -3", Some(5.0)),
            ("12,x", None),
            ("1/0", None),
            ("", None),
            ("((((1))))", Some(1.0)),
        ];
        for (text, wanted) in cases {
            assert_eq!(evaluate(text), wanted, "{text}");
        }
        assert_eq!(evaluate(&"(".repeat(100_000)), None);
    }
}
