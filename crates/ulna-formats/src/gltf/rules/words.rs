//! Messages of the finding codes.

/// Message of a finding code, with its count at one location.
pub fn sentence(code: &'static str, count: usize) -> String {
    let words = words(code);
    match count {
        0 | 1 => words.to_owned(),
        n => format!("{words} ({n} times)"),
    }
}

/// Message about skinned meshes that are not root nodes, but whose ancestors have no effect.
pub fn under_unmoved(count: usize) -> String {
    let meshes = if count == 1 {
        "1 skinned mesh has".to_owned()
    } else {
        format!("{count} skinned meshes have")
    };
    format!("{meshes} parent nodes, whose transforms are ignored; this changes nothing here")
}

/// Message of a finding code, without a count.
fn words(code: &str) -> &'static str {
    let found = SENTENCES.iter().find(|(known, _)| *known == code);
    found.map_or("It violates a rule of the glTF format", |(_, sentence)| sentence)
}

/// Message of each finding code.
static SENTENCES: [(&str, &str); 133] = [
    ("ACCESSOR_ANIMATION_INPUT_NEGATIVE", "Some key times are negative"),
    ("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", "Key times do not increase"),
    (
        "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
        "Rotation keys are not unit quaternions",
    ),
    ("ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND", "Some values exceed the stated maximum"),
    ("ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND", "Some values are below the stated minimum"),
    ("ACCESSOR_INDEX_OOB", "Some indices refer to vertices that do not exist"),
    (
        "ACCESSOR_INDEX_PRIMITIVE_RESTART",
        "Some indices have the largest value of their type, which is reserved for primitive \
            restart",
    ),
    ("ACCESSOR_INVALID_FLOAT", "Some values are not finite numbers"),
    ("ACCESSOR_INVALID_IBM", "The last row of an inverse bind matrix is not 0 0 0 1"),
    ("ACCESSOR_INVALID_SIGN", "The fourth component of a tangent is neither 1 nor −1"),
    ("ACCESSOR_JOINTS_INDEX_DUPLICATE", "A joint is listed twice in the influences of a vertex"),
    ("ACCESSOR_JOINTS_INDEX_OOB", "A joint index exceeds the joints of the skin; it has no effect"),
    ("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", "Some joint indices have a weight of 0"),
    ("ACCESSOR_MATRIX_ALIGNMENT", "Matrix data starts at an offset that is not a multiple of 4"),
    ("ACCESSOR_MAX_MISMATCH", "The stated maximum differs from the actual maximum"),
    ("ACCESSOR_MIN_MISMATCH", "The stated minimum differs from the actual minimum"),
    ("ACCESSOR_NON_CLAMPED", "Some colors are outside 0 to 1"),
    (
        "ACCESSOR_NORMALIZED_INVALID",
        "Accessors of floats or 32-bit integers cannot be “normalized”",
    ),
    (
        "ACCESSOR_OFFSET_ALIGNMENT",
        "The data starts at an offset that is not a multiple of its component size",
    ),
    (
        "ACCESSOR_TOTAL_OFFSET_ALIGNMENT",
        "The data starts at an offset that is not a multiple of its component size",
    ),
    ("ACCESSOR_SMALL_BYTESTRIDE", "The byte stride of its buffer view is smaller than an element"),
    (
        "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE",
        "The sparse accessor replaces more elements than it has",
    ),
    ("ACCESSOR_SPARSE_INDEX_OOB", "The sparse accessor replaces elements that do not exist"),
    (
        "ACCESSOR_SPARSE_INDICES_NON_INCREASING",
        "The indices of the sparse accessor do not increase",
    ),
    ("ACCESSOR_TOO_LONG", "Its elements extend beyond its buffer view"),
    ("ACCESSOR_USAGE_OVERRIDE", "The accessor is used for two different purposes"),
    ("ACCESSOR_VECTOR3_NON_UNIT", "Some direction vectors are not of length 1"),
    ("ACCESSOR_WEIGHTS_NEGATIVE", "Some weights are negative"),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", "Weights of some vertices do not sum to 1"),
    (
        "ANIMATION_CHANNEL_TARGET_NODE_MATRIX",
        "The channel animates a node that has a matrix, which cannot be animated",
    ),
    (
        "ANIMATION_CHANNEL_TARGET_NODE_SKIN",
        "The channel animates a node whose transform is ignored, because its mesh is skinned",
    ),
    (
        "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS",
        "The channel animates morph targets of a node that has none",
    ),
    ("ANIMATION_DUPLICATE_TARGETS", "A later channel has the same target"),
    (
        "ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE",
        "The keys are in a buffer view with a byte stride",
    ),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", "Key times are not scalar floats"),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", "A cubic spline needs at least two keys"),
    (
        "ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS",
        "The accessor of the key times has no minimum and maximum",
    ),
    (
        "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
        "The number of values does not match the number of keys",
    ),
    (
        "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT",
        "The type of the key values does not match the animated property",
    ),
    ("ARRAY_LENGTH_NOT_IN_LIST", "The list has the wrong length"),
    ("ARRAY_TYPE_MISMATCH", "The list has an element of the wrong type"),
    (
        "ASSET_MIN_VERSION_GREATER_THAN_VERSION",
        "The minimum version is greater than the version of the file",
    ),
    ("BUFFER_BYTE_LENGTH_MISMATCH", "The buffer has fewer bytes than stated"),
    ("BUFFER_DATA_URI_MIME_TYPE_INVALID", "The media type of the data URI is not that of a buffer"),
    ("BUFFER_VIEW_INVALID_BYTE_STRIDE", "This buffer view must not have a byte stride"),
    ("BUFFER_VIEW_TARGET_OVERRIDE", "The buffer view is used for two different purposes"),
    (
        "BUFFER_VIEW_TOO_BIG_BYTE_STRIDE",
        "The byte stride is greater than the length of the buffer view",
    ),
    ("BUFFER_VIEW_TOO_LONG", "The buffer view extends beyond its buffer"),
    ("CAMERA_XMAG_YMAG_ZERO", "The camera shows nothing: xmag or ymag is 0"),
    ("CAMERA_ZFAR_LEQUAL_ZNEAR", "The far clip plane is not behind the near clip plane"),
    ("DUPLICATE_ELEMENTS", "The element is listed twice"),
    ("EMPTY_ENTITY", "The property is empty, which is not allowed; it must be omitted instead"),
    ("GLB_CHUNK_LENGTH_UNALIGNED", "A chunk's length is not a multiple of 4"),
    ("GLB_CHUNK_TOO_BIG", "A chunk extends beyond the stated length of the file"),
    (
        "GLB_DUPLICATE_CHUNK",
        "The file has two chunks of the same type; the second one stays in the file, but is \
            ignored",
    ),
    ("GLB_EMPTY_CHUNK", "A chunk is empty"),
    ("GLB_EXTRA_DATA", "The file has extra bytes after its stated end; they stay in the file"),
    (
        "GLB_INVALID_MAGIC",
        "The file name ends in .glb, but the content is not GLB; rename the file to .gltf",
    ),
    ("GLB_INVALID_VERSION", "The version of the GLB container is unknown"),
    ("GLB_LENGTH_MISMATCH", "The stated length differs from the length of the file"),
    ("GLB_LENGTH_TOO_SMALL", "The stated length is smaller than the header"),
    ("GLB_UNEXPECTED_BIN_CHUNK", "The BIN chunk is not the second one"),
    ("GLB_UNEXPECTED_END_OF_CHUNK_DATA", "The file ends inside a chunk"),
    ("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", "The file ends inside the header of a chunk"),
    ("GLB_UNEXPECTED_END_OF_HEADER", "The file ends inside its header"),
    ("GLB_UNEXPECTED_FIRST_CHUNK", "The first chunk is not JSON"),
    ("GLB_UNKNOWN_CHUNK_TYPE", "The file has a chunk of an unknown type; it stays in the file"),
    ("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", "The image is in a buffer view with a byte stride"),
    ("IMAGE_DATA_INVALID", "The header of the image is invalid"),
    ("IMAGE_MIME_TYPE_INVALID", "The image format differs from the stated media type"),
    (
        "IMAGE_NON_ENABLED_MIME_TYPE",
        "The image format needs an extension that the file does not use",
    ),
    ("IMAGE_UNEXPECTED_EOS", "The image data ends inside its header"),
    ("IMAGE_UNRECOGNIZED_FORMAT", "The format of the image is not recognized"),
    ("INVALID_GL_VALUE", "The number is too large for its type"),
    ("INVALID_IBM_ACCESSOR_COUNT", "There are fewer inverse bind matrices than joints"),
    ("INVALID_INDEX", "The value is not a valid index"),
    ("INVALID_JSON", "The JSON of the file is invalid or starts with a byte order mark"),
    ("INVALID_URI", "The URI is invalid"),
    ("IO_ERROR", "A referenced file cannot be read"),
    (
        "MESH_INVALID_WEIGHTS_COUNT",
        "The number of weights differs from the number of morph targets",
    ),
    ("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", "Vertex data is not aligned to 4 bytes"),
    (
        "MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE",
        "Several attributes share a buffer view without a byte stride",
    ),
    (
        "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
        "The type of the attribute is not allowed",
    ),
    (
        "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT",
        "An attribute must not have 32-bit integers",
    ),
    (
        "MESH_PRIMITIVE_INCOMPATIBLE_MODE",
        "The number of vertices or indices does not match the primitive mode",
    ),
    (
        "MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY",
        "Numbered attributes, such as JOINTS_n, do not start at 0 or have gaps",
    ),
    ("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", "Indices are not unsigned integers"),
    (
        "MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE",
        "The indices are in a buffer view with a byte stride",
    ),
    ("MESH_PRIMITIVE_INVALID_ATTRIBUTE", "The attribute name is unknown"),
    (
        "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH",
        "The numbers of JOINTS_n and WEIGHTS_n attributes differ",
    ),
    (
        "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
        "The morph target has a different number of vertices than the primitive",
    ),
    (
        "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR",
        "The morph target has an attribute that the primitive does not have",
    ),
    (
        "MESH_PRIMITIVE_NO_TANGENT_SPACE",
        "The material has a normal map, but tangents cannot be computed for the primitive",
    ),
    (
        "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS",
        "The accessor of the positions has no minimum and maximum",
    ),
    (
        "MESH_PRIMITIVE_TOO_FEW_TEXCOORDS",
        "The material uses texture coordinates that the primitive does not have",
    ),
    ("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", "Attributes have different numbers of vertices"),
    (
        "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT",
        "Primitives of one mesh have different numbers of morph targets",
    ),
    ("NODE_LOOP", "The node is its own ancestor"),
    ("NODE_MATRIX_NON_TRS", "The matrix cannot be decomposed into translation, rotation and scale"),
    ("NODE_MATRIX_TRS", "The node has both a matrix and a translation, rotation or scale"),
    ("NODE_PARENT_OVERRIDE", "The child node already has another parent"),
    (
        "NODE_SKINNED_MESH_LOCAL_TRANSFORMS",
        "The node's own transform is ignored: the mesh is skinned",
    ),
    ("NODE_SKINNED_MESH_NON_ROOT", "Parent transforms are ignored: the mesh is skinned"),
    ("NODE_SKINNED_MESH_WITHOUT_SKIN", "The mesh has joints and weights, but the node has no skin"),
    ("NODE_SKIN_NO_SCENE", "The skin's joints are not in the node's scene"),
    (
        "NODE_SKIN_WITH_NON_SKINNED_MESH",
        "The node has a skin, but its mesh has no joints and weights",
    ),
    (
        "NODE_WEIGHTS_INVALID",
        "The number of weights differs from the number of morph targets of the mesh",
    ),
    ("NON_RELATIVE_URI", "The URI is not a relative path, so the files cannot be moved together"),
    ("NON_REQUIRED_EXTENSION", "The extension must be listed as required"),
    ("ONE_OF_MISMATCH", "Exactly one of two properties is required"),
    ("PATTERN_MISMATCH", "The text does not have the required format"),
    ("ROTATION_NON_UNIT", "The rotation is not a unit quaternion"),
    ("SCENE_NON_ROOT_NODE", "A node that has a parent is listed as a root node"),
    (
        "SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE",
        "The inverse bind matrices are in a buffer view with a byte stride",
    ),
    ("SKIN_IBM_INVALID_FORMAT", "Inverse bind matrices are not 4×4 floats"),
    ("SKIN_NO_COMMON_ROOT", "The joints have no common root node"),
    ("SKIN_SKELETON_INVALID", "The skeleton root is not an ancestor of all joints"),
    ("TYPE_MISMATCH", "The property has the wrong type"),
    ("UNDECLARED_EXTENSION", "The extension is used, but not listed in extensionsUsed"),
    ("UNDEFINED_PROPERTY", "A required property is missing"),
    ("UNKNOWN_ASSET_MAJOR_VERSION", "The file's version is unknown"),
    ("UNRESOLVED_REFERENCE", "The referenced object does not exist"),
    ("UNSATISFIED_DEPENDENCY", "The property requires another property, which is missing"),
    (
        "UNUSED_EXTENSION_REQUIRED",
        "The extension is in extensionsRequired, but not in extensionsUsed",
    ),
    ("VALUE_MULTIPLE_OF", "The number is not a multiple of the required value"),
    ("VALUE_NOT_IN_LIST", "The value is not one of the allowed values"),
    ("VALUE_NOT_IN_RANGE", "The number is out of range"),
    (
        "MATERIAL_ALPHA_CUTOFF_INVALID_MODE",
        "The alpha cutoff has no effect, because the alpha mode is not MASK",
    ),
    (
        "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE",
        "The primitive has a normal map, but no tangents; every program computes its own, so the \
            appearance may differ",
    ),
    ("MESH_PRIMITIVE_NO_POSITION", "The primitive has no vertex positions"),
    ("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL", "The primitive has tangents, but no normals"),
    ("UNEXPECTED_PROPERTY", "The property is not defined in glTF"),
    (
        "UNKNOWN_ASSET_MINOR_VERSION",
        "The minor version of the file is newer than the supported one",
    ),
];
