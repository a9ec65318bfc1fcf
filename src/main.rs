fn main() {
    for path in std::env::args().skip(1) {
        let r = ulna::formats::gltf::open(path.as_ref(), &Default::default());
        match r { Ok(o) => println!("ok\t{path}\t{} nodes {} diags {}", o.document.nodes.len(), o.diagnostics.len(), o.diagnostics.first().map_or(String::new(), |d| format!("{d:?}"))), Err(e) => println!("no\t{path}\t{e}") }
    }
}
