// Pictures of the same model by Ulna (`ulna render`) and by three.js, side by side, with numbers on how far they agree.
//
// To run: build Ulna with the feature `render`, install Chromium, then in this folder
//     npm ci && node pairs.mjs ULNA [CORPUS] [--only NAME]
// ULNA is the built program (../../../target/debug/ulna unless given), CORPUS the test corpus (../shared/corpus beside the
// repository unless given). CHROMIUM in the environment names another browser. For every case it writes to target/pairs:
// NAME.png (Ulna left, three.js right) and NAME.difference.png (the difference, four times as strong), and prints a table:
//     IoU     pixels that are not background in both pictures, over those in either
//     mean    difference inside both silhouettes, mean of the channels, 0 to 255; p95: of the worst twentieth, the least
//     r       correlation of the luminance inside both: is the light on the same side?
//     bump r  correlation of what the normal map changes, each program against itself without the map
// There is no threshold: the pictures are for eyes. It exits 1 where a case could not be taken.
// Three.js frames by the box that it measures itself, round the vertices that triangles use: a model that Ulna poses or frames
// otherwise shows in IoU. The corpus has neither a WebP texture, nor a texture transform that does anything, nor a large
// see-through surface: cases with an `edit` are corpus models changed here, into target/pairs/edited.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, extname, join, normalize, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const repository = resolve(here, '../../..');
const out = join(repository, 'target/pairs');
const size = [800, 600];

const CASES = [
  // Skinned, normal map, metallic-roughness map, emission with strength, glass, specular and ior.
  { name: 'gdbot', file: 'characters/GdBot/gdbot.glb', clip: 6, time: 0.4, flat: true },
  // Mask, blend, unlit text, occlusion, a normal map, transmission, iridescence.
  { name: 'materials', file: 'extensions/24_animation_pointer/24_animation_pointer.gltf', view: 'top' },
  // A normal map with tangents of the file, under a node that mirrors.
  { name: 'mirrored-normal-map', file: 'asset-generator/Node_NegativeScale/Node_NegativeScale_12.gltf', flat: true },
  { name: 'morph', file: 'morph/MorphStressTest/MorphStressTest.gltf', clip: 1, time: 2.5 },
  // Mirrors: metallic 1, roughness 0.
  { name: 'negative-scale-metal', file: 'khronos/NegativeScaleTest.glb', view: 'front' },
  { name: 'meshopt', file: 'pipeline/Fox-meshopt.glb', clip: 2, time: 0.35 },
  { name: 'vertex-colours', file: 'asset-generator/Buffer_Interleaved/Buffer_Interleaved_00.gltf' },
  // KHR_materials_specular, a skin, morph targets at rest.
  { name: 'sintel', file: 'characters/Sintel/human-sintel.glb', view: 'front' },
  // No normals, metallic 1, roughness 1, 84 skins.
  { name: 'recursive', file: 'characters/RecursiveSkeletons/RecursiveSkeletons.glb', clip: 0, time: 0.7 },
  { name: 'knight', file: 'characters/Knight/Knight.glb', clip: 0, time: 0.3 },
  { name: 'emissive-vrm', file: 'vrm/cryptovoxels.vrm' },
  { name: 'cesium-man', file: 'characters/CesiumMan/CesiumMan.glb', clip: 0, time: 0.6 },

  // The same as mirrored-normal-map, both programs with tangents of their own making.
  { name: 'edited-mirrored-no-tangents', file: 'asset-generator/Node_NegativeScale/Node_NegativeScale_12.gltf', flat: true,
    edit: 'noTangents' },
  { name: 'edited-webp-unlit', file: 'characters/Fox/Fox.glb', clip: 1, time: 0.3, edit: 'webp' },
  { name: 'edited-transform-unlit', file: 'characters/CesiumMan/CesiumMan.glb', clip: 0, time: 0.6, edit: 'transform' },
  { name: 'edited-blend', file: 'characters/Knight/Knight.glb', clip: 0, time: 0.3, edit: 'blend' },
  { name: 'edited-metal-matt', file: 'characters/Fox/Fox.glb', clip: 1, time: 0.3, edit: 'metalMatt' },
  { name: 'edited-metal-smooth', file: 'characters/Fox/Fox.glb', clip: 1, time: 0.3, edit: 'metalSmooth' },
  // The corpus's one cut-out surface that three.js can load, and its neighbours, each close enough to see.
  { name: 'edited-row', file: 'extensions/24_animation_pointer/24_animation_pointer.gltf', view: 'front', edit: 'row' },
];

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(0);
}

const args = process.argv.slice(2);
const at = args.indexOf('--only');
const only = at < 0 ? null : args.splice(at, 2)[1];
const ulna = resolve(args[0] ?? join(repository, 'target/debug/ulna'));
const corpus = resolve(args[1] ?? join(repository, '../shared/corpus'));
const chromium = process.env.CHROMIUM ?? ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap(name => (process.env.PATH ?? '').split(':').map(folder => join(folder, name))).find(existsSync);

if (!existsSync(ulna)) skip(`there is no ${ulna}; build Ulna with the feature “render” or name the program`);
if (!existsSync(corpus)) skip(`the test corpus is not at ${corpus}; name its folder as the second argument`);
if (!chromium || !existsSync(chromium)) skip('Chromium is not installed; install it or name a browser in CHROMIUM');
if (!existsSync(join(here, 'node_modules'))) skip('run `npm ci` in this folder first');
const { default: puppeteer } = await import('puppeteer-core');

// A number or a row of numbers out of the program's own source, so that it cannot drift from it.
function constant(file, pattern) {
  const found = readFileSync(join(repository, file), 'utf8').match(pattern);
  if (!found) throw new Error(`${file} no longer says ${pattern}; bring pairs.mjs in step with it`);
  return found.slice(1).map(Number);
}
const key = constant('crates/ulna-render/src/shadow.rs', /const KEY: Vec3 = Vec3::new\(([-\d.]+), ([-\d.]+), ([-\d.]+)\)/);
const [fov] = constant('crates/ulna-render/src/camera.rs', /fov: ([\d.]+),/);
const threeQuarter = constant('crates/ulna-render/src/camera.rs', /Axis::ThreeQuarter => \(([\d.]+), ([\d.]+)\)/);
const { background } = JSON.parse(readFileSync(join(repository, 'assets/tokens.json'), 'utf8')).color.dark.viewport;
constant('crates/ulna-render/src/camera.rs', /Axis::Top => \(0\.0, quarter\)/);
const VIEWS = { front: [0, 0], top: [0, Math.PI / 2], 'three-quarter': threeQuarter };

// A glTF file taken apart: its JSON, and the binary chunk of a .glb.
function read(path) {
  const bytes = readFileSync(path);
  if (bytes.toString('latin1', 0, 4) !== 'glTF') return { json: JSON.parse(bytes.toString('utf8')), bin: null };
  const length = bytes.readUInt32LE(12);
  return { json: JSON.parse(bytes.toString('utf8', 20, 20 + length)), bin: bytes.subarray(20 + length + 8) };
}

function write(path, { json, bin }) {
  if (!bin) return writeFileSync(path, JSON.stringify(json));
  const pad = (b, fill) => Buffer.concat([b, Buffer.alloc((4 - b.length % 4) % 4, fill)]);
  const chunk = (kind, b) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(b.length, 0);
    head.write(kind, 4, 'latin1');
    return Buffer.concat([head, b]);
  };
  const body = Buffer.concat([chunk('JSON', pad(Buffer.from(JSON.stringify(json)), ' ')), chunk('BIN\0', pad(bin, 0))]);
  const head = Buffer.alloc(12);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + body.length, 8);
  writeFileSync(path, Buffer.concat([head, body]));
}

const use = (json, ...names) => { json.extensionsUsed = [...new Set([...(json.extensionsUsed ?? []), ...names])]; };
const unlit = json => {
  use(json, 'KHR_materials_unlit');
  for (const m of json.materials) m.extensions = { ...m.extensions, KHR_materials_unlit: {} };
};

const metal = ({ json }, roughness) => {
  for (const m of json.materials) Object.assign(m.pbrMetallicRoughness, { metallicFactor: 1, roughnessFactor: roughness });
};

const EDITS = {
  flat(model) {
    for (const m of model.json.materials ?? []) delete m.normalTexture;
  },
  noTangents({ json }) {
    for (const mesh of json.meshes) for (const primitive of mesh.primitives) delete primitive.attributes.TANGENT;
  },
  transform({ json }) {
    use(json, 'KHR_texture_transform');
    unlit(json);
    let changed = 0;
    for (const m of json.materials) {
      const texture = m.pbrMetallicRoughness?.baseColorTexture;
      if (!texture) continue;
      texture.extensions = { KHR_texture_transform: { offset: [0.15, -0.3], rotation: 0.6, scale: [1.7, 0.8] } };
      changed += 1;
    }
    if (!changed) throw new Error('there is no texture to transform');
  },
  metalMatt: model => metal(model, 1),
  metalSmooth: model => metal(model, 0.3),
  row({ json }) {
    const names = ['Opaque', 'Cutout', 'Transparent', 'NormalScale', 'OcclusionStrength', 'KHR_materials_transmission'];
    const nodes = names.map(name => json.nodes.findIndex(n => n.name === name && n.mesh !== undefined));
    if (nodes.includes(-1)) throw new Error(`of ${names} a node is missing`);
    for (const n of json.nodes) n.children = n.children?.filter(k => !nodes.includes(k));
    for (const n of json.nodes) if (!n.children?.length) delete n.children;
    nodes.forEach((k, place) => {
      const node = json.nodes[k];
      const { min, max } = json.accessors[json.meshes[node.mesh].primitives[0].attributes.POSITION];
      const extent = max.map((v, c) => v - min[c]);
      const scale = 1 / Math.max(...extent);
      // What is flat faces −Z: it is turned to the eye.
      const rotation = extent[2] < 1e-3 ? [0, 1, 0, 0] : [0, 0, 0, 1];
      Object.assign(node, { translation: [place * 1.2, 0, 0], rotation, scale: [scale, scale, scale] });
    });
    json.scenes = [{ nodes }];
    json.scene = 0;
    delete json.animations;
  },
  blend({ json }) {
    for (const m of json.materials) {
      const pbr = m.pbrMetallicRoughness ??= {};
      m.alphaMode = 'BLEND';
      pbr.baseColorFactor = [...(pbr.baseColorFactor ?? [1, 1, 1]).slice(0, 3), 0.5];
    }
  },
  async webp(model, page, folder) {
    const { json } = model;
    use(json, 'EXT_texture_webp');
    unlit(json);
    for (const [k, image] of json.images.entries()) {
      const view = json.bufferViews[image.bufferView];
      const from = view.byteOffset ?? 0;
      const png = join(folder, `image-${k}`);
      writeFileSync(png, model.bin.subarray(from, from + view.byteLength));
      const bytes = Buffer.from(await page.evaluate(url => window.toWebp(url), urlOf(png)), 'base64');
      const start = Math.ceil(model.bin.length / 4) * 4;
      model.bin = Buffer.concat([model.bin, Buffer.alloc(start - model.bin.length), bytes]);
      json.bufferViews.push({ buffer: 0, byteOffset: start, byteLength: bytes.length });
      json.images[k] = { mimeType: 'image/webp', bufferView: json.bufferViews.length - 1 };
    }
    json.buffers[0].byteLength = model.bin.length;
    for (const texture of json.textures) {
      texture.extensions = { EXT_texture_webp: { source: texture.source } };
      delete texture.source;
    }
  },
};

// A changed copy of a model with everything that lies beside it.
async function edited(source, name, edit, page) {
  const folder = join(out, 'edited', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (extname(source) === '.gltf') cpSync(dirname(source), folder, { recursive: true, mode: 0 });
  const target = join(folder, `edited-${basename(source)}`);
  const model = read(source);
  await EDITS[edit](model, page, folder);
  write(target, model);
  return target;
}

const ROOTS = [['/corpus/', corpus], ['/out/', out], ['/three/', join(here, 'node_modules/three')], ['/', here]];
const urlOf = path => {
  const [prefix, root] = ROOTS.find(([, root]) => path.startsWith(root + sep));
  return prefix + path.slice(root.length + 1).split(sep).map(encodeURIComponent).join('/');
};
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.png': 'image/png' };

const server = createServer((request, answer) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  const [prefix, root] = ROOTS.find(([prefix]) => path.startsWith(prefix));
  const file = normalize(join(root, path.slice(prefix.length)));
  if (!file.startsWith(root + sep) || !existsSync(file) || !statSync(file).isFile()) {
    answer.writeHead(404).end();
    return;
  }
  answer.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
});

function render(model, picture, { clip = null, time = 0, view = 'three-quarter' }) {
  const how = clip === null ? [] : ['--clip', String(clip), '--time', String(time)];
  execFileSync(
    ulna,
    ['render', model, '-o', picture, '--size', size.join('x'), '--view', view, '--theme', 'dark', '--no-grid', ...how],
    { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function take(page, c) {
  const source = join(corpus, c.file);
  const model = c.edit ? await edited(source, c.name, c.edit, page) : source;
  const ours = join(out, `${c.name}.ours.png`);
  render(model, ours, c);
  const [yaw, pitch] = VIEWS[c.view ?? 'three-quarter'];
  const job = {
    url: urlOf(model), ours: urlOf(ours), clip: c.clip ?? null, time: c.time ?? 0, yaw, pitch, fov, key, background, size,
  };
  if (c.flat) {
    const flat = await edited(model, `${c.name}-flat`, 'flat', page);
    const picture = join(out, `${c.name}.flat.png`);
    render(flat, picture, c);
    job.flat = { url: urlOf(flat), ours: urlOf(picture) };
  }
  const result = await page.evaluate(job => window.takePair(job), job);
  writeFileSync(join(out, `${c.name}.png`), Buffer.from(result.pair, 'base64'));
  writeFileSync(join(out, `${c.name}.difference.png`), Buffer.from(result.difference, 'base64'));
  return result;
}

mkdirSync(out, { recursive: true });
await new Promise(done => server.listen(0, '127.0.0.1', done));
const browser = await puppeteer.launch({
  executablePath: chromium,
  headless: true,
  protocolTimeout: 600_000,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--force-color-profile=srgb'],
});
let [taken, failed] = [0, 0];
try {
  const page = await browser.newPage();
  page.on('console', m => { if (['error', 'warn'].includes(m.type())) console.error(`  three.js: ${m.text()}`); });
  page.on('pageerror', e => console.error(`  page: ${e.message}`));
  await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
  await page.waitForFunction('window.ready', { timeout: 120_000 });
  console.log('name                         IoU     mean   p95    r      ours−three R,G,B     bump r (rms ours, three)');
  for (const c of CASES.filter(c => !only || c.name === only)) {
    try {
      const r = await take(page, c);
      if (!r.both) {
        console.log(`${c.name.padEnd(28)} 0.0000  the two show nothing in the same place (Ulna ${r.areas[0]} pixels, three.js ${r.areas[1]})`);
        taken += 1;
        continue;
      }
      const bump = r.bump ? `${r.bump.correlation.toFixed(3)} (${r.bump.ours.toFixed(1)}, ${r.bump.theirs.toFixed(1)})` : '';
      const signed = r.signed.map(v => v.toFixed(1).padStart(5)).join(' ');
      console.log(
        `${c.name.padEnd(28)} ${r.iou.toFixed(4)}  ${r.mean.toFixed(2).padStart(5)}  ${r.p95.toFixed(1).padStart(5)}  `
        + `${r.correlation.toFixed(3)}  ${signed}    ${bump}${r.lights ? `  (${r.lights} lights of the file left out)` : ''}`);
      taken += 1;
    } catch (error) {
      failed += 1;
      console.log(`${c.name.padEnd(28)} FAILED ${(error.stderr ?? '').toString().trim() || error.message}`);
    }
  }
} finally {
  await browser.close();
  server.close();
}
console.log(`${taken} pairs in ${out}, ${failed} failed`);
if (failed || !taken) process.exit(1);
