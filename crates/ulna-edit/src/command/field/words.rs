//! Arguments that are one of a few words.

use super::part::choice;
use ulna_weights::{CarryBy, Falloff};

choice! {
    /// A panel of the window.
    Panel {
        /// Nodes and clips.
        Outliner = "outliner",
        /// The picture.
        Viewport = "viewport",
        /// Numbers of the selection.
        Inspector = "inspector",
        /// The brush that paints weights.
        Brush = "brush",
        /// The joints that weights are painted for.
        Joints = "joints",
        /// Layers of weights.
        Layers = "layers",
        /// Selected vertices, by number.
        Vertices = "vertices",
        /// Problems of the file.
        Problems = "problems",
        /// Keys over time.
        Timeline = "timeline",
    }
}

choice! {
    /// One half of a body.
    Side {
        /// The left.
        Left = "left" | "Left" | "L",
        /// The right.
        Right = "right" | "Right" | "R",
    }
}

choice! {
    /// The half of a layer that is shown on both sides.
    LayerSide {
        /// The left.
        Left = "left",
        /// The right.
        Right = "right",
        /// None: both are as they are.
        None = "none",
    }
}

choice! {
    /// Operation of a flood with its value.
    How {
        /// Puts it there.
        Replace = "replace" | "set",
        /// Adds it.
        Add = "add",
        /// Takes it away.
        Subtract = "subtract",
        /// Multiplies by it.
        Scale = "scale",
    }
}

choice! {
    /// Point of another surface that weights are taken from.
    CarryWay {
        /// The nearest of the surface.
        Surface = "surface",
        /// The point with the same texture coordinates.
        Uv = "uv",
        /// The vertex of the same number.
        Order = "order",
    }
}

impl CarryWay {
    /// The same choice, as [`carry`](ulna_weights::carry) takes it.
    pub const fn way(self) -> CarryBy {
        match self {
            Self::Surface => CarryBy::Surface,
            Self::Uv => CarryBy::Uv,
            Self::Order => CarryBy::Order,
        }
    }
}

choice! {
    /// Influences that stay where there are too many.
    LimitBy {
        /// The strongest.
        Strongest = "strongest",
        /// The ones with which the clips change least, with weights to match.
        Fit = "fit",
    }
}

choice! {
    /// Methods of computing weights.
    BindBy {
        /// Heat, and the next method for connected pieces where it fails.
        Auto = "auto",
        /// Heat that spreads from the bones along the surface.
        Heat = "heat",
        /// Distances inside the body.
        Voxel = "voxel",
        /// Distances in a straight line.
        Distance = "distance",
    }
}

choice! {
    /// Rules by which joints get weight.
    ChooseJoints {
        /// Joints that move vertices now.
        Weights = "weights",
        /// Joints that deform by their names and by where they are.
        Shape = "shape",
    }
}

choice! {
    /// Weights that are replaced by new ones.
    Rebind {
        /// All but those of locked joints.
        All = "all",
        /// Weights of the named joints.
        Joints = "joints",
        /// Weights of the named vertices.
        Vertices = "vertices",
    }
}

choice! {
    /// Weights that a vertex gets from the surface of another mesh.
    TransferBy {
        /// Weights of the matching point.
        Copy = "copy",
        /// Weights with which the vertex follows that point in the clips.
        Fit = "fit",
    }
}

choice! {
    /// Method of finding mirrored vertices.
    MirrorWay {
        /// By position, then by connectivity.
        Place = "place",
        /// Their texture coordinates.
        Uv = "uv",
    }
}

choice! {
    /// How a value fades.
    Curve {
        /// Evenly.
        Linear = "linear",
        /// Softly at both ends.
        Smooth = "smooth",
        /// More softly.
        Smoother = "smoother",
        /// Fast at first.
        Sharp = "sharp",
        /// Slowly at first.
        Root = "root",
        /// As a ball is round.
        Sphere = "sphere",
    }
}

impl From<Curve> for Falloff {
    fn from(curve: Curve) -> Self {
        match curve {
            Curve::Linear => Self::Linear,
            Curve::Smooth => Self::Smooth,
            Curve::Smoother => Self::Smoother,
            Curve::Sharp => Self::Sharp,
            Curve::Root => Self::Root,
            Curve::Sphere => Self::Sphere,
        }
    }
}

impl Curve {
    /// The nearest to the fall-off of a brush.
    pub const fn of(falloff: Falloff) -> Self {
        match falloff {
            Falloff::Smooth => Self::Smooth,
            Falloff::Smoother => Self::Smoother,
            Falloff::Sharp | Falloff::Sharper => Self::Sharp,
            Falloff::Root => Self::Root,
            Falloff::Sphere => Self::Sphere,
            Falloff::Linear | Falloff::Constant | Falloff::Own(_) => Self::Linear,
        }
    }
}

choice! {
    /// Bits of a stored weight.
    Bits {
        /// Bytes.
        Byte = "8",
        /// Shorts.
        Short = "16",
        /// Floats.
        Float = "32",
    }
}
