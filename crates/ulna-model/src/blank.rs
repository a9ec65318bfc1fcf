//! Elements that stand for missing ones.

use std::sync::LazyLock;

use super::{Clip, Material, Mesh, Node, Scene, Shared, Skin};

/// A type with a value that stands for a missing element.
pub trait Blank: 'static {
    /// An element without content.
    fn blank() -> &'static Self;
}

macro_rules! blank {
    ($($type:ty),* $(,)?) => {
        $(impl Blank for $type {
            fn blank() -> &'static Self {
                static BLANK: LazyLock<$type> = LazyLock::new(Default::default);
                &BLANK
            }
        })*
    };
}

blank!(Node, Scene, Material, Shared<Mesh>, Shared<Skin>, Shared<Clip>);
