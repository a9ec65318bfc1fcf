//! Rules of the GLB container (glTF 2.0, *GLB File Format*).

use super::report::Report;
use ulna_model::Location;

const MAGIC: &[u8] = b"glTF";
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Checks the chunks of a GLB. Returns whether the content can be checked, too.
pub fn check(bytes: &[u8], out: &mut Report) -> bool {
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
        out.error("GLB_UNEXPECTED_END_OF_HEADER", Location::default());
        return false;
    };
    if !bytes.starts_with(MAGIC) {
        out.error("GLB_INVALID_MAGIC", Location::default());
        return false;
    }
    if version != 2 {
        out.error("GLB_INVALID_VERSION", Location::default());
        return false;
    }
    let length = length as usize;
    if length <= 12 {
        out.error("GLB_LENGTH_TOO_SMALL", Location::default());
    }
    let (mut at, mut chunk, mut json, mut bin) = (12usize, 0, false, false);
    loop {
        if at >= bytes.len() {
            if length != at {
                out.error("GLB_LENGTH_MISMATCH", Location::default());
            }
            return json;
        }
        if at == length {
            out.warning("GLB_EXTRA_DATA", Location::default());
            return json;
        }
        let (Some(size), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) else {
            out.error("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", Location::default());
            return false;
        };
        at += 8;
        let end = at.saturating_add(size as usize);
        if size & 3 != 0 {
            out.error("GLB_CHUNK_LENGTH_UNALIGNED", Location::default());
        }
        if end > length {
            out.error("GLB_CHUNK_TOO_BIG", Location::default());
        }
        if chunk == 0 && kind != JSON {
            out.error("GLB_UNEXPECTED_FIRST_CHUNK", Location::default());
        }
        match kind {
            JSON => {
                if size == 0 {
                    out.error("GLB_EMPTY_CHUNK", Location::default());
                }
                if std::mem::replace(&mut json, true) {
                    out.error("GLB_DUPLICATE_CHUNK", Location::default());
                }
            }
            BIN => {
                if chunk > 1 && !bin {
                    out.error("GLB_UNEXPECTED_BIN_CHUNK", Location::default());
                }
                if std::mem::replace(&mut bin, true) {
                    out.error("GLB_DUPLICATE_CHUNK", Location::default());
                }
            }
            _ => out.info("GLB_UNKNOWN_CHUNK_TYPE", Location::default()),
        }
        if end > bytes.len() {
            out.error("GLB_UNEXPECTED_END_OF_CHUNK_DATA", Location::default());
            return false;
        }
        at = end;
        chunk += 1;
    }
}
