//! Generates `assets/mannequin.glb`, the sample figure, entirely from shapes, rules and motions in
//! code.

mod atlas;
mod body;
mod clips;
mod flatten;
mod gait;
mod glb;
mod keys;
mod morphs;
mod paint;
mod pictures;
mod pose;
mod surface;
mod unwrap;
mod weights;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1);
    let path =
        path.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb").into());
    let skeleton = body::skeleton();
    let body = body::Body::new();
    let mesh = surface::extract(&body);
    let binding = weights::bind(&mesh, &skeleton);
    let unwrapped = unwrap::unwrap(&mesh, &binding, &skeleton);
    let binding: Vec<_> = unwrapped.source.iter().map(|&v| binding[v]).collect();
    let mesh = &unwrapped.mesh;
    let pictures = pictures::paint(&unwrapped, &paint::Paint::new(&body, &skeleton))?;
    let morphs = morphs::morphs(mesh, &skeleton);
    let clips = clips::clips(&skeleton);
    let figure = glb::Figure {
        skeleton: &skeleton,
        unwrapped: &unwrapped,
        binding: &binding,
        morphs: &morphs,
        pictures: &pictures,
    };
    let file = glb::write(&figure, &clips)?;
    std::fs::write(&path, &file)?;
    println!(
        "{}: {} vertices, {} triangles, {} joints, {} clips, {} bytes",
        path.display(),
        mesh.positions.len(),
        mesh.triangles.len(),
        skeleton.joints.len(),
        clips.len(),
        file.len()
    );
    Ok(())
}
