//! Placeholders for missing elements.

use std::sync::LazyLock;

use super::{Clip, Material, Mesh, Node, Scene, Shared, Skin, slots::Blank};

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
