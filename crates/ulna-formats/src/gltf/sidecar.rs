//! Names of the data files that Ulna writes next to a `.gltf`.

/// Name of a data file. It contains a hash of the content, so that other files are never
/// overwritten.
pub(super) fn content_name(stem: &str, bytes: &[u8]) -> String {
    format!("{stem}.ulna-{:032x}.bin", xxhash_rust::xxh3::xxh3_128(bytes))
}

/// Whether a URI names a data file of Ulna: `….ulna-<hash>.bin`, or `….ulna.bin` from older
/// versions.
pub fn is_sidecar(uri: &str) -> bool {
    let Some(name) = uri.strip_suffix(".bin") else { return false };
    let hash = name.rsplit_once(".ulna-").map(|(_, hash)| hash);
    name.ends_with(".ulna")
        || hash.is_some_and(|h| h.len() == 32 && h.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Encodes a file name as a URI.
pub(super) fn as_uri(name: &str) -> String {
    let uri =
        percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC).to_string();
    uri.replace("%2E", ".").replace("%2D", "-").replace("%5F", "_")
}
