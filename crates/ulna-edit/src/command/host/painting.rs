//! Commands on the brush and on selected vertices.

use crate::command::{
    KeyScope,
    define::other_commands,
    field::{Nodes, VertexTerms},
    rules::{painting, painting_joint, with_vertices},
};

other_commands! {
    /// Commands on the brush, and on the display of weights.
    BrushCommand in "Weights/Brush", by Host, key_scope: KeyScope::Paint;

    /// Changes the radius of the brush by moving the pointer
    Radius = "paint.radius", "Radius", key: "B", enabled: painting;
    /// Changes the strength of the brush by moving the pointer
    Strength = "paint.strength", "Strength", key: "Shift+B", enabled: painting;
    /// Changes the painted weight value by moving the pointer
    Value = "paint.value", "Value", key: "Ctrl+B", enabled: painting;
    /// Makes the brush one step smaller
    Smaller = "paint.smaller", "Smaller brush", key: "[", enabled: painting;
    /// Makes the brush one step larger
    Larger = "paint.larger", "Larger brush", key: "]", enabled: painting;
    /// Applies the brush to the whole surface
    Flood = "paint.flood", "Flood", key: "Shift+F", enabled: painting_joint;
    /// Locks or unlocks the weights of the painted joint
    Lock = "paint.lock", "Lock the joint", key: "L", enabled: painting_joint;
    /// Unlocks the weights of all joints
    UnlockAll = "paint.unlock_all", "Unlock all joints", enabled: painting;
    /// Sets the value of the brush to the weight under the pointer
    Sample = "paint.sample", "Sample the weight", key: "I", enabled: painting;
    /// Selects the next influence of the point under the brush, strongest first
    NextInfluence = "paint.next_influence", "Next influence", key: "J", enabled: painting;
    /// Selects the previous influence of the point under the brush
    PreviousInfluence = "paint.previous_influence",
        "Previous influence", key: "Shift+J", enabled: painting;
    /// Turns mirrored painting on or off: the mirror joint is painted on the other side as well
    Mirror = "paint.mirror", "Mirror", key: "X", enabled: painting;
    /// Finds the worst deformations in all clips and in a generated range of motion
    Worst = "weights.worst", "Find the worst pose", menu: "Weights/Test poses", enabled: painting,
        key_scope: KeyScope::Window;
    /// Shows the next of the worst deformations that were found
    NextSpot = "paint.next_spot",
        "Next worst deformation", menu: "Weights/Test poses", key: "N", enabled: painting;
    /// Shows the previous one of the worst deformations that were found
    PreviousSpot = "paint.previous_spot",
        "Previous worst deformation",
        menu: "Weights/Test poses", key: "Shift+N", enabled: painting;
    /// Shows rings to bend the painted joint while the key is held; press the key briefly to keep
    /// the rings
    Bend = "paint.bend",
        "Bend the joint", menu: "Weights/Test poses", key: "R", enabled: painting_joint;
    /// Resets all joints that were bent while painting
    Unbend = "paint.unbend", "Unbend", menu: "Weights/Test poses", key: "Alt+R", enabled: painting;
    /// Plays a generated test clip that bends one joint after another
    Range = "weights.range", "Range of motion", menu: "Weights/Test poses", enabled: painting,
        key_scope: KeyScope::Window;
    /// Switches to the next way of displaying weights
    Look = "weights.look", "Next weight view", enabled: painting, key_scope: KeyScope::Window;
}

other_commands! {
    /// Commands that select vertices.
    VertexCommand in "Weights/Vertices", by Host;

    /// Selects every vertex of the painted surface
    All = "vertices.all", "Select all vertices", enabled: painting;
    /// Deselects all vertices
    Nothing = "vertices.none", "Deselect all vertices", enabled: painting;
    /// Selects all unselected vertices and deselects the others
    Invert = "vertices.invert", "Invert the selection", enabled: painting;
    /// Adds all neighboring vertices to the selection
    Grow = "vertices.grow", "Grow", enabled: with_vertices;
    /// Removes the boundary vertices from the selection
    Shrink = "vertices.shrink", "Shrink", enabled: with_vertices;
    /// Selects all vertices connected to the selection
    Linked = "vertices.linked", "Select linked", enabled: with_vertices;
    /// Selects the edge loops through the selection
    Loop = "vertices.loop", "Select the loop", enabled: with_vertices;
    /// Selects the edge rings through the selection
    Ring = "vertices.ring", "Select the ring", enabled: with_vertices;
    /// Grows the selection along its edge loops
    GrowLoop = "vertices.grow_loop", "Grow along the loop", enabled: with_vertices;
    /// Selects the mirror vertices of the selected vertices
    Mirror = "vertices.mirror", "Mirror the selection", enabled: with_vertices;
    /// Selects all vertices of the selected meshes, or of the last mesh under the brush
    Mesh = "vertices.mesh", "Select the whole mesh", enabled: painting;
    /// Selects vertices by numbers and ranges, such as “0-99, 120”, or by a query, such as “of
    /// LeftArm 0.2..0.8 | grow 2”
    Choose {
        /// Vertices to select.
        vertices: VertexTerms,
        /// Whether to add the vertices to the selection instead of replacing it; no if omitted.
        add: Option<bool>,
    } = "vertices.select", "Select by number…", asks: true, enabled: painting;
    /// Selects the vertices that the painted joint influences
    OfJoint = "vertices.of_joint", "Select influenced vertices", enabled: painting;
    /// Selects vertices by the weight of the painted joint
    InRange {
        /// Lowest weight to select, 0 to 1.
        from: f32,
        /// Highest weight to select, 0 to 1.
        to: f32,
        /// Joint whose weights are compared; the painted joint if omitted.
        joint: Option<Nodes>,
    } = "vertices.in_range", "Select by weight", asks: true, enabled: painting;
    /// Selects vertices with invalid weights, such as weights that do not sum to 1
    Faulty = "vertices.faulty", "Select faulty vertices", enabled: painting;
    /// Selects outliers, whose weights differ from all their neighbors
    Stray = "vertices.stray", "Select outliers", enabled: painting;
    /// Selects vertices at boundary edges: borders of holes and open surfaces
    Open = "vertices.open", "Select boundary edges", enabled: painting;
    /// Selects vertices at non-manifold edges, which have three or more triangles
    Crowded = "vertices.crowded", "Select non-manifold edges", enabled: painting;
    /// Selects vertices of duplicate triangles
    Doubled = "vertices.doubled", "Select duplicate triangles", enabled: painting;
    /// Selects vertices without a matching vertex on the other side
    Unpaired = "vertices.unpaired", "Select vertices without a mirror match", enabled: painting;
    /// Copies the mean weights of the selected vertices, or the weights under the brush
    Copy = "vertices.copy", "Copy weights", enabled: painting;
    /// Copies the weights of each selected vertex as a table for a spreadsheet
    CopyEach = "vertices.copy_each", "Copy weights per vertex", enabled: with_vertices;
    /// Pastes the copied weights, or the table on the clipboard, onto the selected vertices
    Paste = "vertices.paste", "Paste weights", enabled: painting;
}
