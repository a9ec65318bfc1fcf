//! What is typed where a number is wanted: a number, or arithmetic on one. Fields of panels and forms of commands take the same.

/// The value of an expression: `1.5`, `0.262*2`, `-(3+4)/2`; nothing where it is none. Signs of units at the end are let
/// go, a real minus is a minus.
pub fn evaluate(text: &str) -> Option<f64> {
    let text = text.replace('−', "-").replace('×', "*").replace(',', ".");
    let text = text.trim().trim_end_matches(['°', 'm', 'c', ' ', '%']);
    let mut parser = Parser { rest: text.as_bytes(), depth: 0 };
    let value = parser.sum()?;
    parser.space();
    (parser.rest.is_empty() && value.is_finite()).then_some(value)
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

    /// Takes one of some signs.
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
        // What a person types is short; a pasted page of brackets must not cost the stack.
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
            let sign = end > 0 && matches!(c, b'+' | b'-') && matches!(self.rest[end - 1], b'e' | b'E');
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
    use super::evaluate;

    #[test]
    fn arithmetic_is_done_and_nonsense_is_not() {
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
