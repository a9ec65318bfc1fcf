// Plays models with three.js and prints their vertices in the scene.
//
//     ULNA_THREE=node_modules/three node play_in_three.mjs < JOBS
//
// JOBS is a JSON list of {file, clip, times}: a .glb, the index of a clip or null, and seconds. The
// output has one line of JSON per job: {"poses": [[{node, mesh, primitive, positions}]]}, one list
// per time. Images and materials are left out, because they move no vertex. Node and mesh are
// indices in the file.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

globalThis.self = globalThis;
globalThis.ProgressEvent = class {
  constructor(type) {
    this.type = type;
  }
};
const load = (file) => import(pathToFileURL(path.resolve(process.env.ULNA_THREE, file)));
const THREE = await load('build/three.module.js');
const { GLTFLoader } = await load('examples/jsm/loaders/GLTFLoader.js');

function withoutImages(file) {
  const bytes = fs.readFileSync(file);
  const length = bytes.readUInt32LE(12);
  const gltf = JSON.parse(bytes.subarray(20, 20 + length).toString());
  for (const list of ['images', 'textures', 'samplers', 'materials']) delete gltf[list];
  for (const mesh of gltf.meshes ?? []) for (const part of mesh.primitives) delete part.material;
  const data = bytes.subarray(28 + length).toString('base64');
  if (gltf.buffers) gltf.buffers[0].uri = `data:application/octet-stream;base64,${data}`;
  return JSON.stringify(gltf);
}

function posed(scene, associations) {
  scene.updateMatrixWorld(true);
  const meshes = [];
  const point = new THREE.Vector3();
  scene.traverse((object) => {
    if (!object.isMesh && !object.isPoints && !object.isLine) return;
    const own = associations.get(object);
    const node = own.nodes ?? associations.get(object.parent).nodes;
    const { position } = object.geometry.attributes;
    const positions = [];
    for (let i = 0; i < position.count; i++) {
      if (object.isMesh) object.getVertexPosition(i, point);
      else point.fromBufferAttribute(position, i);
      positions.push(point.applyMatrix4(object.matrixWorld).toArray());
    }
    meshes.push({ node, mesh: own.meshes, primitive: own.primitives ?? 0, positions });
  });
  return meshes;
}

for (const { file, clip, times } of JSON.parse(fs.readFileSync(0))) {
  const poses = [];
  for (const time of times) {
    // Anew each time, so that no pose depends on the one before.
    const { scene, animations, parser } = await new GLTFLoader().parseAsync(withoutImages(file), '');
    if (clip !== null) {
      const mixer = new THREE.AnimationMixer(scene);
      const action = mixer.clipAction(animations[clip]).setLoop(THREE.LoopOnce);
      action.clampWhenFinished = true;
      action.play();
      mixer.setTime(time);
    }
    poses.push(posed(scene, parser.associations));
  }
  console.log(JSON.stringify({ poses }));
}
