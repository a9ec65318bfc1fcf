//! Renders the viewport. The model is posed, uploaded and drawn again only if an input changed.

mod apart;
mod beside;
mod drawing;
mod ghosts;
mod loader;
mod model;
mod pictures;
mod posing;
mod scene;
mod state;
mod wanted;

pub(super) use self::{
    apart::{ApartLook, PictureApart},
    loader::{Loader, Posed, Uploaded},
    model::ShownPose,
    state::ViewportRenderer,
    wanted::{Beside, DisplayedClip, GhostsWanted, Painted, Seen, ShownDocument},
};
