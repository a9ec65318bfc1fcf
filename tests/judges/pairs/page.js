// The three.js half of a pair, and the comparison. `pairs.mjs` calls `window.takePair`.
//
// The camera is that of crates/ulna-render/src/camera.rs, the light that of crates/ulna-render/src/sky.rs and `fragment` in shaders/mesh.wgsl; keep in
// sync with them. What is framed is measured here, from three's own posed vertices: it is no number that Ulna gave.

import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';

// `shoulder` of shaders/mesh.wgsl: light is rolled off, emission is added after it, and what is unlit stays as it is.
const physical = THREE.ShaderLib.physical;
const before = physical.fragmentShader;
physical.fragmentShader = before.replace('#include <opaque_fragment>', `
    vec3 lit = outgoingLight - totalEmissiveRadiance;
    vec3 over = max(lit - 0.7, vec3(0.0));
    outgoingLight = min(lit, vec3(0.7)) + over / (1.0 + over / 0.3) + totalEmissiveRadiance;
    #include <opaque_fragment>`);
if (physical.fragmentShader === before) throw new Error('three.js has no <opaque_fragment> to hook the tone curve into');

const lerp3 = (a, b, t) => a.map((v, k) => v + (b[k] - v) * t);
const smooth = (from, to, x) => {
  const t = Math.min(Math.max((x - from) / (to - from), 0), 1);
  return t * t * (3 - 2 * t);
};

// `radiance` of crates/ulna-render/src/sky.rs.
function radiance(d) {
  const up = d.y * 0.5 + 0.5;
  const low = lerp3([0.15, 0.14, 0.135], [0.37, 0.375, 0.395], smooth(0.0, 0.55, up));
  const open = lerp3(low, [0.53, 0.565, 0.63], smooth(0.45, 1.0, up));
  const box = smooth(0.78, 0.96, d.dot(new THREE.Vector3(0.55, 0.62, 0.56).normalize()));
  return open.map((v, k) => v + [1.5, 1.45, 1.35][k] * box);
}

// The sky as three.js wants it: u = atan2(z, x) / 2π + ½, v = asin(y) / π + ½, the first row at the bottom.
function skyTexture() {
  const [width, height] = [512, 256];
  const data = new Float32Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const around = ((column + 0.5) / width - 0.5) * 2 * Math.PI;
      const above = ((row + 0.5) / height - 0.5) * Math.PI;
      const d = new THREE.Vector3(
        Math.cos(above) * Math.cos(around), Math.sin(above), Math.cos(above) * Math.sin(around));
      data.set([...radiance(d), 1], (row * width + column) * 4);
    }
  }
  const texture = new THREE.DataTexture(data, width, height, THREE.RGBAFormat, THREE.FloatType);
  texture.mapping = THREE.EquirectangularReflectionMapping;
  texture.magFilter = texture.minFilter = THREE.LinearFilter;
  texture.wrapS = THREE.RepeatWrapping;
  texture.needsUpdate = true;
  return texture;
}

const renderer = new THREE.WebGLRenderer({ antialias: false });
renderer.shadowMap.enabled = true;
renderer.toneMapping = THREE.NoToneMapping;
const environment = new THREE.PMREMGenerator(renderer).fromEquirectangular(skyTexture()).texture;

// The box around every triangle at this pose.
function bounds(root) {
  const box = new THREE.Box3();
  const p = new THREE.Vector3();
  root.traverse(o => {
    if (!o.isMesh) return;
    const { attributes } = o.geometry;
    const index = o.geometry.index;
    const count = index ? index.count : attributes.position.count;
    const seen = new Set();
    for (let k = 0; k < count; k++) {
      const v = index ? index.getX(k) : k;
      if (seen.has(v)) continue;
      seen.add(v);
      o.getVertexPosition(v, p);
      box.expandByPoint(p.applyMatrix4(o.matrixWorld));
    }
  });
  if (box.isEmpty()) throw new Error('three.js shows no triangle of it');
  return box;
}

function camera(box, { yaw, pitch, fov, size: [width, height] }) {
  const aspect = width / height;
  const target = box.getCenter(new THREE.Vector3());
  const radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-4);
  const half = Math.tan(fov / 2) * Math.min(aspect, 1);
  const distance = radius / Math.sin(Math.atan(half)) * 0.96;
  const backward = new THREE.Vector3(
    Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch));
  const eye = new THREE.PerspectiveCamera(
    THREE.MathUtils.radToDeg(fov), aspect, distance * 0.005, distance + radius * 4);
  eye.position.copy(target).addScaledVector(backward, distance);
  eye.up.crossVectors(backward, new THREE.Vector3(Math.cos(yaw), 0, -Math.sin(yaw)));
  eye.lookAt(target);
  eye.updateMatrixWorld();
  return { eye, forward: backward.clone().negate() };
}

function lights(scene, box, key, { eye, forward }) {
  const centre = box.getCenter(new THREE.Vector3());
  const radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-4);
  const sun = (towards, color) => {
    const light = new THREE.DirectionalLight(new THREE.Color().setRGB(...color), 1);
    light.target.position.copy(centre);
    light.position.copy(centre).addScaledVector(towards, radius * 3);
    scene.add(light, light.target);
    return light;
  };
  const main = sun(key.clone().normalize(), [2.0, 1.94, 1.84]);
  main.castShadow = true;
  main.shadow.mapSize.set(1024, 1024);
  const side = radius * 1.03;
  Object.assign(main.shadow.camera, { left: -side, right: side, bottom: -side, top: side, near: radius, far: radius * 5 });
  main.shadow.normalBias = (2 * side / 1024) * 2;
  main.shadow.bias = -0.002;
  // Ours comes from the eye, at every distance alike.
  const lamp = new THREE.PointLight(new THREE.Color().setRGB(0.22, 0.23, 0.25), 1, 0, 0);
  lamp.position.copy(eye.position);
  scene.add(lamp);
  sun(new THREE.Vector3(forward.x + forward.z * 0.5, 0.45, forward.z - forward.x * 0.5).normalize(), [0.55, 0.62, 0.75]);
}

// Three's picture: bytes, sRGB, the first row on top.
async function three(job) {
  const [width, height] = job.size;
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
  const gltf = await loader.loadAsync(job.url);
  const root = gltf.scene ?? gltf.scenes[0];
  const own = [];
  root.traverse(o => { if (o.isLight) own.push(o); });
  // Ulna lights by its sky alone.
  own.forEach(light => light.removeFromParent());
  if (job.clip !== null) {
    const found = gltf.animations[job.clip];
    if (!found) throw new Error(`three.js finds no clip ${job.clip}`);
    const mixer = new THREE.AnimationMixer(root);
    const action = mixer.clipAction(found).setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    mixer.setTime(job.time);
  }
  root.updateMatrixWorld(true);
  let triangles = 0;
  root.traverse(o => {
    if (!o.isMesh) return;
    o.frustumCulled = false;
    o.skeleton?.update();
    o.castShadow = !o.material.transparent;
    o.receiveShadow = true;
    o.material.shadowSide = THREE.DoubleSide;
    triangles += (o.geometry.index ?? o.geometry.attributes.position).count / 3;
  });
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(job.background);
  scene.environment = environment;
  scene.add(root);
  const box = bounds(root);
  const seen = camera(box, job);
  lights(scene, box, new THREE.Vector3(...job.key), seen);
  // Straight into sRGB bytes by the device, as ours: samples and see-through surfaces add up as light, not as bytes.
  const target = new THREE.WebGLRenderTarget(width, height, {
    samples: 4, colorSpace: THREE.SRGBColorSpace, generateMipmaps: false,
  });
  renderer.setRenderTarget(target);
  renderer.render(scene, seen.eye);
  const flipped = new Uint8Array(width * height * 4);
  renderer.readRenderTargetPixels(target, 0, 0, width, height, flipped);
  renderer.setRenderTarget(null);
  const pixels = new Uint8ClampedArray(flipped.length);
  for (let y = 0; y < height; y++) {
    pixels.set(flipped.subarray((height - 1 - y) * width * 4, (height - y) * width * 4), y * width * 4);
  }
  for (let k = 3; k < pixels.length; k += 4) pixels[k] = 255;
  target.dispose();
  return { pixels, triangles, lights: own.length };
}

async function picture(url, [width, height]) {
  const blob = await (await fetch(url)).blob();
  const bitmap = await createImageBitmap(blob, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
  if (bitmap.width !== width || bitmap.height !== height) throw new Error(`${url} is ${bitmap.width} × ${bitmap.height}`);
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  // A canvas gives a see-through pixel back changed.
  for (let k = 3; k < data.length; k += 4) if (data[k] !== 255) throw new Error(`${url} is see-through`);
  return data;
}

const luma = (p, k) => 0.2126 * p[k] + 0.7152 * p[k + 1] + 0.0722 * p[k + 2];

function correlation(a, b) {
  const mean = v => v.reduce((s, x) => s + x, 0) / v.length;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let k = 0; k < a.length; k++) {
    ab += (a[k] - ma) * (b[k] - mb);
    aa += (a[k] - ma) ** 2;
    bb += (b[k] - mb) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

// 1 for every pixel that is not the background.
function silhouette(pixels, back) {
  const inside = new Uint8Array(pixels.length / 4);
  for (let k = 0; k < inside.length; k++) {
    inside[k] = [0, 1, 2].some(c => Math.abs(pixels[k * 4 + c] - back[c]) > 1) ? 1 : 0;
  }
  return inside;
}

function compare(ours, theirs, back) {
  const [a, b] = [silhouette(ours, back), silhouette(theirs, back)];
  let [both, either] = [0, 0];
  const [differences, signed, la, lb] = [[], [0, 0, 0], [], []];
  for (let k = 0; k < a.length; k++) {
    either += a[k] | b[k];
    if (!(a[k] & b[k])) continue;
    both += 1;
    let sum = 0;
    for (let c = 0; c < 3; c++) {
      const d = ours[k * 4 + c] - theirs[k * 4 + c];
      sum += Math.abs(d);
      signed[c] += d;
    }
    differences.push(sum / 3);
    la.push(luma(ours, k * 4));
    lb.push(luma(theirs, k * 4));
  }
  const count = inside => inside.reduce((s, v) => s + v, 0);
  if (!both) return { both, areas: [count(a), count(b)] };
  differences.sort((x, y) => x - y);
  return {
    both,
    iou: both / either,
    mean: differences.reduce((s, x) => s + x, 0) / both,
    p95: differences[Math.floor(both * 0.95)],
    signed: signed.map(s => s / both),
    correlation: correlation(la, lb),
  };
}

// What the normal map does to the light, in both.
function bump(ours, theirs, oursFlat, theirsFlat, back) {
  const [a, b] = [silhouette(ours, back), silhouette(theirs, back)];
  const [da, db] = [[], []];
  for (let k = 0; k < a.length; k++) {
    if (!(a[k] & b[k])) continue;
    da.push(luma(ours, k * 4) - luma(oursFlat, k * 4));
    db.push(luma(theirs, k * 4) - luma(theirsFlat, k * 4));
  }
  const rms = v => Math.sqrt(v.reduce((s, x) => s + x * x, 0) / v.length);
  return { correlation: correlation(da, db), ours: rms(da), theirs: rms(db) };
}

const base64 = async blob => {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let k = 0; k < bytes.length; k += 0x8000) text += String.fromCharCode(...bytes.subarray(k, k + 0x8000));
  return btoa(text);
};

const png = (pictures, width, height) => {
  const canvas = new OffscreenCanvas(width * pictures.length, height);
  const context = canvas.getContext('2d');
  pictures.forEach((p, k) => context.putImageData(new ImageData(p, width, height), k * width, 0));
  return canvas.convertToBlob({ type: 'image/png' }).then(base64);
};

// Ulna's pictures are at `job.ours` and, without the normal map, `job.flat.ours`; the models at `job.url`, `job.flat.url`.
window.takePair = async job => {
  const [width, height] = job.size;
  const back = [1, 3, 5].map(k => parseInt(job.background.slice(k, k + 2), 16));
  const ours = await picture(job.ours, job.size);
  if (back.some((v, c) => Math.abs(ours[c] - v) > 1)) {
    throw new Error(`the corner of Ulna's picture is ${[...ours.slice(0, 3)]}, the theme's background ${back}`);
  }
  const theirs = await three(job);
  const result = { ...compare(ours, theirs.pixels, back), triangles: theirs.triangles, lights: theirs.lights };
  if (job.flat && result.both) {
    const flat = await three({ ...job, url: job.flat.url });
    result.bump = bump(ours, theirs.pixels, await picture(job.flat.ours, job.size), flat.pixels, back);
  }
  const amplified = new Uint8ClampedArray(ours.length);
  for (let k = 0; k < ours.length; k++) amplified[k] = k % 4 === 3 ? 255 : Math.abs(ours[k] - theirs.pixels[k]) * 4;
  result.pair = await png([ours, theirs.pixels], width, height);
  result.difference = await png([amplified], width, height);
  return result;
};

// WebP bytes of an image, by the browser's own encoder.
window.toWebp = async url => {
  const bitmap = await createImageBitmap(await (await fetch(url)).blob(), { colorSpaceConversion: 'none' });
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d').drawImage(bitmap, 0, 0);
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 1 });
  if (blob.type !== 'image/webp') throw new Error('this browser writes no WebP');
  return base64(blob);
};

window.ready = true;
