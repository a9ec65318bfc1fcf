//! Splits the bytes of an `.x` file, text or binary, into tokens. Separators are ignored, because
//! the meaning of a number follows from its position.

use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use crate::{Budget, gltf::ReadError};
use ulna_model::{Diagnostics, Severity};

/// A token of an `.x` file.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name or keyword.
    Name(String),
    /// A quoted string.
    Text(String),
    /// A number, integer or float.
    Number(f64),
    /// Opening brace, `{`.
    Open,
    /// Closing brace, `}`.
    Close,
    /// A GUID or a square bracket; only templates contain these.
    Other,
}

fn fail<T>(message: impl Into<String>) -> Result<T, ReadError> {
    Err(ReadError::at(".x", message))
}

/// Reads all tokens of a file.
pub fn read(
    bytes: &[u8],
    budget: &mut Budget,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Token>, ReadError> {
    let Some(header) = bytes.get(..16).filter(|h| h.starts_with(b"xof ")) else {
        return fail("the file does not start with the header of an .x file");
    };
    if !matches!(&header[4..8], b"0302" | b"0303") {
        let version = String::from_utf8_lossy(&header[4..8]).into_owned();
        diagnostics.add(
            Severity::Warning,
            "ULNA_X_VERSION",
            ".x",
            format!("The version {version} is unknown; it is read as 0303"),
        );
    }
    let wide = match &header[12..16] {
        b"0032" => false,
        b"0064" => true,
        other => {
            return fail(format!("floats of {} bits are unknown", String::from_utf8_lossy(other)));
        }
    };
    let body = &bytes[16..];
    if header[8..12] == *b"txt " && has_double_bytes(body) {
        let message = "Names are in a double-byte code page; they are read as Shift-JIS";
        diagnostics.add(Severity::Info, "ULNA_X_CODE_PAGE", ".x", message);
    }
    match &header[8..12] {
        b"txt " => text(body, budget),
        b"bin " => binary(body, wide, budget),
        b"tzip" => text(&unzip(body, budget)?, budget),
        b"bzip" => binary(&unzip(body, budget)?, wide, budget),
        other => fail(format!("the encoding “{}” is unknown", String::from_utf8_lossy(other))),
    }
}

/// Whether bytes that are not UTF-8 are encoded in Shift-JIS. One character whose second byte is a
/// brace or a backslash is sufficient evidence. So is valid Shift-JIS text with several characters
/// that begin with a byte other than a Latin-1 letter.
fn has_double_bytes(b: &[u8]) -> bool {
    if std::str::from_utf8(b).is_ok() {
        return false;
    }
    let lead = |c: u8| matches!(c, 0x81..=0x9F);
    if b.windows(2).any(|w| lead(w[0]) && matches!(w[1], b'{' | b'}' | b'\\' | b'[')) {
        return true;
    }
    let is_whole =
        encoding_rs::SHIFT_JIS.decode_without_bom_handling_and_without_replacement(b).is_some();
    is_whole && b.windows(2).filter(|w| lead(w[0]) && w[1] >= 0x40).count() > 1
}

/// Decompresses MSZIP: blocks of at most 32 KiB, each compressed with the previous block as its
/// dictionary.
fn unzip(bytes: &[u8], budget: &mut Budget) -> Result<Vec<u8>, ReadError> {
    let word =
        |at: usize| bytes.get(at..at + 2).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])));
    let Some(total) = bytes.get(..4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    else {
        return fail("the compressed data ends inside its length field");
    };
    // The stated length includes the header.
    let total = total.saturating_sub(16);
    budget.take(total as u64, &".x".into())?;
    let mut out: Vec<u8> = Vec::new();
    let mut at = 4;
    while at < bytes.len() && out.len() < total {
        let (Some(size), Some(packed)) = (word(at), word(at + 2)) else {
            return fail("the file ends inside a compressed block");
        };
        if size == 0 || packed < 3 || size > 32768 {
            return fail("a compressed block has an impossible length");
        }
        let Some(block) = bytes.get(at + 4..at + 4 + packed) else {
            return fail("the file ends inside a compressed block");
        };
        let Some(deflated) = block.strip_prefix(b"CK") else {
            return fail("a compressed block does not start with CK");
        };
        let start = out.len();
        // The last block may exceed the stated length, but must begin before it.
        if start >= total {
            return fail("the file has more compressed blocks than its stated length needs");
        }
        out.resize(start + size, 0);
        let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, _, written) =
            decompress(&mut DecompressorOxide::new(), deflated, &mut out, start, flags);
        if status != miniz_oxide::inflate::TINFLStatus::Done || written != size {
            return fail("a compressed block cannot be decompressed");
        }
        at += 4 + packed;
    }
    if out.len() < total {
        return fail("the decompressed data is shorter than the stated length");
    }
    Ok(out)
}

/// Decodes bytes as UTF-8, or else as Shift-JIS if it was detected, or else as Latin-1, which
/// accepts all bytes.
fn decode(bytes: &[u8], double: bool) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) if double => {
            encoding_rs::SHIFT_JIS.decode_without_bom_handling(bytes).0.into_owned()
        }
        // The file does not state its code page.
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

/// Collected tokens, and the memory budget for them.
struct Tokens<'a> {
    list: Vec<Token>,
    budget: &'a mut Budget,
}

impl<'a> Tokens<'a> {
    const fn new(budget: &'a mut Budget) -> Self {
        Self { list: Vec::new(), budget }
    }

    fn push(&mut self, token: Token) -> Result<(), ReadError> {
        if self.list.len() == self.list.capacity() {
            // The list's capacity doubles when it grows, so the memory is reserved in the budget
            // before that.
            self.budget
                .take((self.list.capacity().max(64) * size_of::<Token>()) as u64, &".x".into())?;
        }
        if let Token::Name(text) | Token::Text(text) = &token {
            self.budget.take(text.capacity() as u64 + 16, &".x".into())?;
        }
        self.list.push(token);
        Ok(())
    }
}

fn text(b: &[u8], budget: &mut Budget) -> Result<Vec<Token>, ReadError> {
    let mut tokens = Tokens::new(budget);
    let mut at = 0;
    // Detected once for the whole file, because the bytes of a single name are ambiguous.
    let double = has_double_bytes(b);
    while let Some(c) = b.get(at) {
        match c {
            b'.' if b.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                at = word(b, at, double, &mut tokens)?
            }
            b'{' => tokens.push(Token::Open)?,
            b'}' => tokens.push(Token::Close)?,
            b'[' | b']' | b'(' | b')' | b'.' => tokens.push(Token::Other)?,
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b';' => {}
            b'#' => at = line_end(b, at),
            b'/' if b.get(at + 1) == Some(&b'/') => at = line_end(b, at),
            b'<' => {
                at += b[at..].iter().position(|c| *c == b'>').map_or(b.len() - at, |n| n);
                tokens.push(Token::Other)?;
            }
            b'"' => {
                let Some(end) = string_end(b, at + 1, double) else {
                    return fail("a string has no closing quote");
                };
                tokens.push(Token::Text(decode(&b[at + 1..end], double)))?;
                at = end;
            }
            0 => return fail(format!("the text has a NUL character at byte {}", at + 16)),
            _ => at = word(b, at, double, &mut tokens)?,
        }
        at += 1;
    }
    Ok(tokens.list)
}

/// Table of the bytes that end a word.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut k = 0;
    while k < 256 {
        ends[k] = matches!(
            k as u8,
            b'{' | b'}'
                | b'['
                | b']'
                | b' '
                | b'\t'
                | b'\r'
                | b'\n'
                | b','
                | b';'
                | b'"'
                | b'<'
                | 0
        );
        k += 1;
    }
    ends
};

/// Reads a name or a number. Returns the index of its last byte.
fn word(b: &[u8], start: usize, double: bool, tokens: &mut Tokens<'_>) -> Result<usize, ReadError> {
    let mut at = start;
    while let Some(c) = b.get(at) {
        if ENDS[usize::from(*c)] {
            break;
        }
        at += if double { character(b, at) } else { 1 };
    }
    let end = at.min(b.len());
    if b.get(end) == Some(&0) {
        return fail(format!("the text has a NUL character at byte {}", end + 16));
    }
    // A word between an object type and its brace is a name, even if it consists of digits.
    let opens = || b[end..].iter().find(|c| !c.is_ascii_whitespace()) == Some(&b'{');
    let named = matches!(tokens.list.last(), Some(Token::Name(_))) && opens();
    let found = if named { None } else { number(&b[start..end]) };
    tokens
        .push(found.map_or_else(|| Token::Name(decode(&b[start..end], double)), Token::Number))?;
    Ok(end - 1)
}

/// Number of bytes of a Shift-JIS character. Its second byte can have the value of a brace.
fn character(b: &[u8], at: usize) -> usize {
    let lead = matches!(b[at], 0x81..=0x9F | 0xE0..=0xFC);
    if lead && b.get(at + 1).is_some_and(|n| matches!(n, 0x40..=0x7E | 0x80..=0xFC)) {
        2
    } else {
        1
    }
}

fn string_end(b: &[u8], mut at: usize, double: bool) -> Option<usize> {
    while let Some(c) = b.get(at) {
        if *c == b'"' {
            return Some(at);
        }
        at += if double { character(b, at) } else { 1 };
    }
    None
}

fn line_end(b: &[u8], at: usize) -> usize {
    b[at..].iter().position(|c| *c == b'\n').map_or(b.len(), |n| at + n)
}

/// Parses a number, including NaN and infinity in the notation of old exporters.
fn number(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    let first = *word.first()?;
    if (first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.'))
        && let Ok(value) = text.parse()
    {
        return Some(value);
    }
    let bare = text.trim_start_matches(['-', '+']).to_ascii_lowercase();
    // The whole word is compared, because a frame may be named “Nancy”.
    let is_nan = bare == "nan" || bare.starts_with("nan(");
    (bare.starts_with("1.#") || is_nan || matches!(bare.as_str(), "inf" | "infinity"))
        .then_some(f64::NAN)
}

fn binary(b: &[u8], wide: bool, budget: &mut Budget) -> Result<Vec<Token>, ReadError> {
    let mut tokens = Tokens::new(budget);
    let mut at = 0usize;
    let take = |at: &mut usize, n: usize| -> Result<&[u8], ReadError> {
        let end = at.checked_add(n);
        let bytes = end.and_then(|end| b.get(*at..end));
        match bytes {
            Some(bytes) => {
                *at += n;
                Ok(bytes)
            }
            None => fail(format!("the file ends inside a token, at byte {}", *at + 16)),
        }
    };
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    while at + 1 < b.len() {
        let code = take(&mut at, 2)?;
        let code = u16::from_le_bytes([code[0], code[1]]);
        match code {
            1 | 2 => {
                let length = word(take(&mut at, 4)?) as usize;
                let text = take(&mut at, length)?;
                // The encoding is detected for each name alone, because the bytes of binary numbers
                // can look like Shift-JIS.
                let text = decode(text, has_double_bytes(text));
                if code == 1 {
                    tokens.push(Token::Name(text))?;
                } else {
                    take(&mut at, 2)?;
                    tokens.push(Token::Text(text))?;
                }
            }
            3 => tokens.push(Token::Number(f64::from(word(take(&mut at, 4)?))))?,
            5 => {
                take(&mut at, 16)?;
                tokens.push(Token::Other)?;
            }
            6 | 7 => {
                let count = word(take(&mut at, 4)?) as usize;
                let size = if code == 7 && wide { 8 } else { 4 };
                let Some(bytes) = count.checked_mul(size) else {
                    return fail("a list states more elements than the file can contain");
                };
                for value in take(&mut at, bytes)?.chunks_exact(size) {
                    tokens.push(Token::Number(match (code, wide) {
                        (6, _) => f64::from(word(value)),
                        (_, false) => f64::from(f32::from_bits(word(value))),
                        (_, true) => f64::from_bits(
                            u64::from(word(value)) | u64::from(word(&value[4..])) << 32,
                        ),
                    }))?;
                }
            }
            10 => tokens.push(Token::Open)?,
            11 => tokens.push(Token::Close)?,
            12..=18 => tokens.push(Token::Other)?,
            19 | 20 => {}
            31 => tokens.push(Token::Name("template".into()))?,
            40..=52 => tokens.push(Token::Other)?,
            other => return fail(format!("unknown token {other} at byte {}", at + 14)),
        }
    }
    Ok(tokens.list)
}
