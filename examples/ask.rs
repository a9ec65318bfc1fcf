//! Asks a running window through its accessibility tree whether it shows some texts: `ask HOST:PORT
//! TEXT…`. CI uses it.

use std::{
    net::TcpStream,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use egui_inspection::protocol::{Request, Response, read_handshake, read_message, write_message};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().context("ask HOST:PORT TEXT…")?;
    let wanted: Vec<String> = arguments.collect();
    let deadline = Instant::now() + Duration::from_secs(60);
    let stream = loop {
        match TcpStream::connect(&address) {
            Ok(stream) => break stream,
            Err(error) if Instant::now() > deadline => {
                bail!("no window answers at {address}: {error}")
            }
            Err(_) => std::thread::sleep(Duration::from_millis(200)),
        }
    };
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    read_handshake(&stream)?;
    loop {
        write_message(&stream, &Request::GetTree)?;
        let Response::Tree { accesskit: Some(tree), .. } = read_message(&stream)? else {
            bail!("the window gave no accessibility tree");
        };
        let texts: Vec<String> = tree
            .nodes
            .iter()
            .flat_map(|(_, n)| [n.label(), n.value()])
            .flatten()
            .map(str::to_owned)
            .collect();
        let missing: Vec<&String> =
            wanted.iter().filter(|w| !texts.iter().any(|t| t.contains(w.as_str()))).collect();
        if missing.is_empty() {
            println!("shown: {}", wanted.join(", "));
            return Ok(());
        }
        if Instant::now() > deadline {
            bail!("not shown: {missing:?}");
        }
        std::thread::sleep(Duration::from_millis(300));
    }
}
