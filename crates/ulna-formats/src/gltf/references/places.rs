//! Table of the JSON paths that contain references to elements. It covers glTF 2.0, known
//! extensions, and Ulna's own extras.

use ulna_model::IdKind;

/// Form of a reference in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// An index into a list of this kind.
    Index(IdKind),
    /// A JSON pointer that begins with a list.
    Pointer,
}

use IdKind::{
    Accessor, Buffer, Camera, Image, Light, Material, Mesh, Node, Sampler, Scene, Skin, Texture,
    Variant, View,
};
use Named::{Index, Pointer};

/// JSON paths from the root of the file, with the form of their references. `*` stands for every
/// item of a list, or every member of an object. Paths of one kind are visited in this order.
pub(super) const PLACES: &[(&str, Named)] = &[
    // glTF 2.0.
    ("scene", Index(Scene)),
    ("scenes/*/nodes/*", Index(Node)),
    ("nodes/*/children/*", Index(Node)),
    ("nodes/*/mesh", Index(Mesh)),
    ("nodes/*/skin", Index(Skin)),
    ("nodes/*/camera", Index(Camera)),
    ("meshes/*/primitives/*/attributes/*", Index(Accessor)),
    ("meshes/*/primitives/*/indices", Index(Accessor)),
    ("meshes/*/primitives/*/targets/*/*", Index(Accessor)),
    ("meshes/*/primitives/*/material", Index(Material)),
    ("skins/*/inverseBindMatrices", Index(Accessor)),
    ("skins/*/joints/*", Index(Node)),
    ("skins/*/skeleton", Index(Node)),
    ("animations/*/samplers/*/input", Index(Accessor)),
    ("animations/*/samplers/*/output", Index(Accessor)),
    ("animations/*/channels/*/target/node", Index(Node)),
    ("accessors/*/bufferView", Index(View)),
    ("accessors/*/sparse/indices/bufferView", Index(View)),
    ("accessors/*/sparse/values/bufferView", Index(View)),
    ("images/*/bufferView", Index(View)),
    ("bufferViews/*/buffer", Index(Buffer)),
    ("textures/*/source", Index(Image)),
    ("textures/*/sampler", Index(Sampler)),
    ("materials/*/pbrMetallicRoughness/baseColorTexture/index", Index(Texture)),
    ("materials/*/pbrMetallicRoughness/metallicRoughnessTexture/index", Index(Texture)),
    ("materials/*/normalTexture/index", Index(Texture)),
    ("materials/*/occlusionTexture/index", Index(Texture)),
    ("materials/*/emissiveTexture/index", Index(Texture)),
    // Ulna's own extras. Members that are not listed here refer to nodes by path.
    ("animations/*/extras/ulna.keys/tracks/*/node", Index(Node)),
    ("animations/*/extras/ulna.contacts/contacts/*/node", Index(Node)),
    ("animations/*/extras/ulna.contacts/contacts/*/space", Index(Node)),
    ("scenes/*/extras/ulna.sets/sets/*/nodes/*", Index(Node)),
    ("scenes/*/extras/ulna.groups/groups/*/nodes/*", Index(Node)),
    ("scenes/*/extras/ulna.humanoid/bones/*", Index(Node)),
    // Geometry and storage.
    ("nodes/*/extensions/EXT_mesh_gpu_instancing/attributes/*", Index(Accessor)),
    ("meshes/*/primitives/*/extensions/KHR_draco_mesh_compression/bufferView", Index(View)),
    ("bufferViews/*/extensions/EXT_meshopt_compression/buffer", Index(Buffer)),
    ("bufferViews/*/extensions/KHR_meshopt_compression/buffer", Index(Buffer)),
    // Animation.
    ("animations/*/channels/*/target/extensions/KHR_animation_pointer/pointer", Pointer),
    // Nodes.
    ("nodes/*/extensions/KHR_lights_punctual/light", Index(Light)),
    ("nodes/*/extensions/MSFT_lod/ids/*", Index(Node)),
    ("materials/*/extensions/MSFT_lod/ids/*", Index(Material)),
    ("nodes/*/extensions/KHR_physics_rigid_bodies/collider/geometry/node", Index(Node)),
    ("nodes/*/extensions/KHR_physics_rigid_bodies/collider/geometry/mesh", Index(Mesh)),
    ("nodes/*/extensions/KHR_physics_rigid_bodies/trigger/geometry/node", Index(Node)),
    ("nodes/*/extensions/KHR_physics_rigid_bodies/trigger/geometry/mesh", Index(Mesh)),
    ("nodes/*/extensions/KHR_physics_rigid_bodies/trigger/nodes/*", Index(Node)),
    ("nodes/*/extensions/KHR_physics_rigid_bodies/joint/connectedNode", Index(Node)),
    // Materials and textures.
    (
        "meshes/*/primitives/*/extensions/KHR_materials_variants/mappings/*/material",
        Index(Material),
    ),
    (
        "meshes/*/primitives/*/extensions/KHR_materials_variants/mappings/*/variants/*",
        Index(Variant),
    ),
    ("textures/*/extensions/KHR_texture_basisu/source", Index(Image)),
    ("textures/*/extensions/EXT_texture_webp/source", Index(Image)),
    ("textures/*/extensions/EXT_texture_avif/source", Index(Image)),
    ("textures/*/extensions/MSFT_texture_dds/source", Index(Image)),
    ("materials/*/extensions/KHR_materials_anisotropy/anisotropyTexture/index", Index(Texture)),
    ("materials/*/extensions/KHR_materials_clearcoat/clearcoatTexture/index", Index(Texture)),
    (
        "materials/*/extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture/index",
        Index(Texture),
    ),
    ("materials/*/extensions/KHR_materials_clearcoat/clearcoatNormalTexture/index", Index(Texture)),
    (
        "materials/*/extensions/KHR_materials_diffuse_transmission/\
            diffuseTransmissionTexture/index",
        Index(Texture),
    ),
    (
        "materials/*/extensions/KHR_materials_diffuse_transmission/\
            diffuseTransmissionColorTexture/index",
        Index(Texture),
    ),
    ("materials/*/extensions/KHR_materials_iridescence/iridescenceTexture/index", Index(Texture)),
    (
        "materials/*/extensions/KHR_materials_iridescence/iridescenceThicknessTexture/index",
        Index(Texture),
    ),
    (
        "materials/*/extensions/KHR_materials_pbrSpecularGlossiness/diffuseTexture/index",
        Index(Texture),
    ),
    (
        "materials/*/extensions/KHR_materials_pbrSpecularGlossiness/\
            specularGlossinessTexture/index",
        Index(Texture),
    ),
    ("materials/*/extensions/KHR_materials_sheen/sheenColorTexture/index", Index(Texture)),
    ("materials/*/extensions/KHR_materials_sheen/sheenRoughnessTexture/index", Index(Texture)),
    ("materials/*/extensions/KHR_materials_specular/specularTexture/index", Index(Texture)),
    ("materials/*/extensions/KHR_materials_specular/specularColorTexture/index", Index(Texture)),
    ("materials/*/extensions/KHR_materials_transmission/transmissionTexture/index", Index(Texture)),
    ("materials/*/extensions/KHR_materials_volume/thicknessTexture/index", Index(Texture)),
    ("materials/*/extensions/VRMC_materials_mtoon/matcapTexture/index", Index(Texture)),
    (
        "materials/*/extensions/VRMC_materials_mtoon/outlineWidthMultiplyTexture/index",
        Index(Texture),
    ),
    ("materials/*/extensions/VRMC_materials_mtoon/rimMultiplyTexture/index", Index(Texture)),
    ("materials/*/extensions/VRMC_materials_mtoon/shadeMultiplyTexture/index", Index(Texture)),
    ("materials/*/extensions/VRMC_materials_mtoon/shadingShiftTexture/index", Index(Texture)),
    ("materials/*/extensions/VRMC_materials_mtoon/uvAnimationMaskTexture/index", Index(Texture)),
    // VRM 0. Its `materialProperties` have the same order as the materials.
    ("extensions/VRM/meta/texture", Index(Texture)),
    ("extensions/VRM/humanoid/humanBones/*/node", Index(Node)),
    ("extensions/VRM/firstPerson/firstPersonBone", Index(Node)),
    ("extensions/VRM/firstPerson/meshAnnotations/*/mesh", Index(Mesh)),
    ("extensions/VRM/blendShapeMaster/blendShapeGroups/*/binds/*/mesh", Index(Mesh)),
    ("extensions/VRM/secondaryAnimation/boneGroups/*/bones/*", Index(Node)),
    ("extensions/VRM/secondaryAnimation/boneGroups/*/center", Index(Node)),
    ("extensions/VRM/secondaryAnimation/colliderGroups/*/node", Index(Node)),
    ("extensions/VRM/materialProperties/*/textureProperties/*", Index(Texture)),
    // VRM 1.
    ("extensions/VRMC_vrm/meta/thumbnailImage", Index(Image)),
    ("extensions/VRMC_vrm/humanoid/humanBones/*/node", Index(Node)),
    ("extensions/VRMC_vrm/firstPerson/meshAnnotations/*/node", Index(Node)),
    ("extensions/VRMC_vrm/expressions/*/*/morphTargetBinds/*/node", Index(Node)),
    ("extensions/VRMC_vrm/expressions/*/*/materialColorBinds/*/material", Index(Material)),
    ("extensions/VRMC_vrm/expressions/*/*/textureTransformBinds/*/material", Index(Material)),
    ("extensions/VRMC_springBone/colliders/*/node", Index(Node)),
    ("extensions/VRMC_springBone/springs/*/joints/*/node", Index(Node)),
    ("extensions/VRMC_springBone/springs/*/center", Index(Node)),
    ("nodes/*/extensions/VRMC_node_constraint/constraint/*/source", Index(Node)),
    ("extensions/VRMC_vrm_animation/humanoid/humanBones/*/node", Index(Node)),
    ("extensions/VRMC_vrm_animation/expressions/*/*/node", Index(Node)),
    ("extensions/VRMC_vrm_animation/lookAt/node", Index(Node)),
];

/// Extensions whose references are all known: none, only within the extension, or listed in
/// [`PLACES`]. A name that ends with `*` is a prefix.
pub(super) const KNOWN: &[&str] = &[
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_*",
    "GODOT_single_root",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_lights_punctual",
    "KHR_materials_*",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_node_visibility",
    "KHR_physics_rigid_bodies",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "KHR_xmp_json_ld",
    "MSFT_lod",
    "MSFT_texture_dds",
    "VRM",
    "VRMC_materials_hdr_emissiveMultiplier",
    "VRMC_materials_mtoon",
    "VRMC_node_constraint",
    "VRMC_springBone",
    "VRMC_springBone_extended_collider",
    "VRMC_springBone_limit",
    "VRMC_vrm",
    "VRMC_vrm_animation",
];
