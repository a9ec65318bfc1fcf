//! Texts of the table of chains.

use super::RetargetDraft;
use ulna_model::RetargetChain;

/// Text with the first and last joint of a chain.
pub(super) fn joints_text(list: &[String]) -> String {
    match list {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [first, .., last] => format!("{first} › {last}"),
    }
}

/// True if IK keeps the end of a chain in place during contacts.
pub(super) fn has_ik(now: &RetargetDraft, chain: &RetargetChain) -> bool {
    chain.contacts && now.map.contacts.lock
}

/// Text for the positions of a chain, such as “Scale, IK”.
pub(super) fn position_text(now: &RetargetDraft, chain: &RetargetChain) -> String {
    let label = chain.position.label();
    if has_ik(now, chain) { format!("{label}, IK") } else { label.to_owned() }
}
