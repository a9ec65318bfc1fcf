//! Arguments that accept a few words.

use super::part::choice;
use ulna_weights::{CarryBy, Falloff};

choice! {
    /// A panel of the window.
    Panel {
        /// Tree of nodes, and list of clips.
        Outliner = "outliner",
        /// 3D view of the model.
        Viewport = "viewport",
        /// Numeric fields of the selection.
        Inspector = "inspector",
        /// Settings of the weight brush.
        Brush = "brush",
        /// List of joints for weight painting.
        Joints = "joints",
        /// Weight layers.
        Layers = "layers",
        /// Table of the selected vertices.
        Vertices = "vertices",
        /// Problems of the file.
        Problems = "problems",
        /// Clips and keys over time.
        Timeline = "timeline",
    }
}

choice! {
    /// Side of a body.
    Side {
        /// The left side.
        Left = "left" | "Left" | "L",
        /// The right side.
        Right = "right" | "Right" | "R",
    }
}

choice! {
    /// Side of a layer that is mirrored to the other side.
    LayerSide {
        /// The left side.
        Left = "left",
        /// The right side.
        Right = "right",
        /// No side: both sides keep their own weights.
        None = "none",
    }
}

choice! {
    /// Operation of a flood on the existing weights.
    How {
        /// Replaces weights by the value.
        Replace = "replace" | "set",
        /// Adds the value.
        Add = "add",
        /// Subtracts the value.
        Subtract = "subtract",
        /// Multiplies weights by the value.
        Scale = "scale",
    }
}

choice! {
    /// Matching of vertices to points of another surface, for a weight transfer.
    CarryWay {
        /// The nearest surface point.
        Surface = "surface",
        /// The point with the same texture coordinates.
        Uv = "uv",
        /// The vertex with the same index.
        Order = "order",
    }
}

impl CarryWay {
    /// Converts the choice to the type of [`carry`](ulna_weights::carry).
    pub const fn way(self) -> CarryBy {
        match self {
            Self::Surface => CarryBy::Surface,
            Self::Uv => CarryBy::Uv,
            Self::Order => CarryBy::Order,
        }
    }
}

choice! {
    /// Choice of the influences that remain if a vertex has too many.
    LimitBy {
        /// The strongest influences.
        Strongest = "strongest",
        /// The influences that change the clips least, with weights fitted to them.
        Fit = "fit",
    }
}

choice! {
    /// Methods of computing automatic weights.
    BindBy {
        /// The method `Heat`. Connected pieces for which it fails use the method `Voxel`.
        Auto = "auto",
        /// Weights from heat that spreads from the bones along the surface.
        Heat = "heat",
        /// Weights from distances to the bones inside the volume of the body.
        Voxel = "voxel",
        /// Weights from distances to the bones in a straight line.
        Distance = "distance",
    }
}

choice! {
    /// Rule that chooses the joints that receive weight.
    ChooseJoints {
        /// Joints that have weight on the meshes.
        Weights = "weights",
        /// Joints by their names and positions.
        Shape = "shape",
    }
}

choice! {
    /// Weights that a rebind replaces.
    Rebind {
        /// All weights except those of locked joints.
        All = "all",
        /// Weights of the given joints.
        Joints = "joints",
        /// Weights of the given vertices.
        Vertices = "vertices",
    }
}

choice! {
    /// Method of computing weights from the surface of another mesh.
    TransferBy {
        /// The weights of the matching point.
        Copy = "copy",
        /// Weights with which the vertex follows the matching point in all clips.
        Fit = "fit",
    }
}

choice! {
    /// Method of finding mirrored vertices.
    MirrorWay {
        /// Vertices are matched by position, then by connectivity.
        Place = "place",
        /// Vertices are matched by texture coordinates.
        Uv = "uv",
    }
}

choice! {
    /// Falloff of a value with the distance.
    Curve {
        /// Linear falloff.
        Linear = "linear",
        /// A falloff that is smooth at both ends: a cubic polynomial.
        Smooth = "smooth",
        /// A falloff that is smooth at both ends: a polynomial of the fifth degree.
        Smoother = "smoother",
        /// A falloff that decreases fast near the center.
        Sharp = "sharp",
        /// A falloff that decreases slowly near the center.
        Root = "root",
        /// A falloff in the shape of a quarter circle.
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
    /// Returns the curve closest to the falloff of a brush.
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
    /// Number of bits of a stored weight.
    Bits {
        /// 8-bit integers.
        Byte = "8",
        /// 16-bit integers.
        Short = "16",
        /// 32-bit floats.
        Float = "32",
    }
}
