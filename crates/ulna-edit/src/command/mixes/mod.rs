//! Commands on the mix: clips on lanes, transitions, overlays, and baking to a new clip.

mod baking;
mod commands;
mod going;
mod kept;
mod text;

pub use self::{
    baking::{jumps_in_words, mix_rate},
    commands::{
        BakeMix, ClearMix, EnterHow, GoTo, GoWhen, KeepMix, MarkFootfalls, MixCommand, MixText,
        PlayOver, SetMix,
    },
    kept::{gone_of_kept_mix, is_mix_kept, is_mix_loose, mix_of},
    text::{NamedMix, found_mix, named_mix, read_mix},
};
