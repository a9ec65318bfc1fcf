//! Parsing of URIs in a file.

use super::super::super::source::data_uri;

/// Media type of a `data:` URI. `Some(None)` if the media type is invalid, and `None` for other
/// URIs.
pub(super) fn media_type(uri: &str) -> Option<Option<&str>> {
    let rest = uri.get(..5).filter(|s| s.eq_ignore_ascii_case("data:")).map(|_| &uri[5..])?;
    let Some((head, _)) = rest.split_once(',') else { return Some(None) };
    let mime = head.split(';').next().unwrap_or_default();
    let parameters = head.strip_suffix(";base64").unwrap_or(head).split(';').skip(1);
    let sound = (mime.is_empty() || mime.matches('/').count() == 1)
        && parameters.into_iter().all(|p| p.contains('='))
        && data_uri(uri).is_some_and(|bytes| bytes.is_ok());
    Some(sound.then_some(if mime.is_empty() { "text/plain" } else { mime }))
}
