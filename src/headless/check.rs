//! `ulna check`: lists the problems of files.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::{
    arguments::{CheckArgs, Out},
    inputs::open,
    many::{each, files_of},
    outputs::writable,
    report::{Failure, many, members, of_files, print},
};
use ulna_edit::{CommandLine, did_you_mean};
use ulna_model::{Diagnostic, Repair, Severity};

/// Documentation page with the list of finding codes.
const PAGE: &str = include_str!("../../docs/json.md");

/// Codes of findings, as listed in docs/json.md.
fn known_codes() -> impl Iterator<Item = &'static str> {
    let code = |line: &'static str| line.strip_prefix("| `")?.split_once('`').map(|(code, _)| code);
    PAGE.lines()
        .filter_map(code)
        .filter(|c| c.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
}

/// Filters of findings by code, codes that count as errors, and whether warnings count as errors.
struct Rules {
    allow: Vec<String>,
    only: Vec<String>,
    deny: Vec<String>,
    strict: bool,
}

impl Rules {
    fn of(args: &CheckArgs) -> Result<Self, Failure> {
        let codes =
            |list: &[String]| list.iter().map(|c| c.trim().to_uppercase()).collect::<Vec<_>>();
        let rules = Self {
            allow: codes(&args.allow),
            only: codes(&args.only),
            deny: codes(&args.deny),
            strict: args.strict,
        };
        // A mistyped code would be silently ignored.
        let named = [&rules.allow, &rules.only, &rules.deny].into_iter().flatten();
        for code in named {
            if !known_codes().any(|known| known == code) {
                let near = did_you_mean(code, known_codes());
                let message =
                    format!("no finding has the code “{code}”{near}; docs/json.md lists the codes");
                return Err(Failure::unusable("no_such_finding", message));
            }
        }
        Ok(rules)
    }

    /// Applies the rules to findings. The result is sorted by severity, most severe first.
    fn applied(&self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let has = |list: &[String], d: &Diagnostic| list.iter().any(|c| c == d.code);
        let kept = found
            .into_iter()
            .filter(|d| !has(&self.allow, d) && (self.only.is_empty() || has(&self.only, d)));
        let mut kept: Vec<Diagnostic> = kept
            .map(|d| {
                if has(&self.deny, &d) { Diagnostic { severity: Severity::Error, ..d } } else { d }
            })
            .collect();
        kept.sort_by_key(|d| std::cmp::Reverse(d.severity));
        kept
    }
}

/// Findings of one file.
struct Checked {
    file: PathBuf,
    findings: Vec<Diagnostic>,
    /// Reason why the file could not be opened.
    unreadable: Option<Failure>,
}

impl Checked {
    fn of(file: &Path, rules: &Rules) -> Self {
        let file = file.to_owned();
        match open(&file) {
            Ok(session) => {
                Self { file, findings: rules.applied(session.all_findings()), unreadable: None }
            }
            Err(failure) => {
                let found = Diagnostic::new(
                    Severity::Error,
                    "ULNA_UNREADABLE",
                    "",
                    failure.message.clone(),
                );
                Self { file, findings: vec![found], unreadable: Some(failure) }
            }
        }
    }

    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|d| d.severity == severity).count()
    }

    fn is_faulty(&self, rules: &Rules) -> bool {
        self.count(Severity::Error) > 0 || (rules.strict && self.count(Severity::Warning) > 0)
    }

    fn status(&self, rules: &Rules) -> u8 {
        if self.unreadable.is_some() { 2 } else { u8::from(self.is_faulty(rules)) }
    }

    /// JSON entry of the file. `problems` is the older name of `findings`.
    fn facts(&self, rules: &Rules, is_single: bool) -> Map<String, Value> {
        let mut facts = json!({
            "file": self.file.display().to_string(),
            "fine": !self.is_faulty(rules),
            "errors": self.count(Severity::Error),
            "warnings": self.count(Severity::Warning),
            "infos": self.count(Severity::Info),
            "findings": self.findings,
        });
        if is_single {
            facts["problems"] = json!(self.findings);
        }
        if let Some(failure) = &self.unreadable {
            facts["error"] = failure.facts();
        }
        members(facts)
    }

    fn list(&self, indent: &str) -> Result<(), Failure> {
        for d in &self.findings {
            let place = d.place.to_string();
            let place = if place.is_empty() { "file" } else { &place };
            print(&format!("{indent}{}: {} ({place}, {})", d.severity, d.message, d.code))?;
        }
        Ok(())
    }
}

pub(super) fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let rules = Rules::of(args)?;
    let files = files_of(&args.files)?;
    let is_single = matches!(&args.files[..], [one] if !one.is_dir());
    let checked = each(&files, args.out.quiet || args.out.json, |file| Checked::of(file, &rules));
    report(checked, &rules, is_single, args.out)
}

/// Fixes the problems of a file with commands, saves the result, and lists the remaining problems.
pub(super) fn fix(args: &CheckArgs) -> Result<u8, Failure> {
    let rules = Rules::of(args)?;
    let (Some(output), [path]) = (&args.output, &args.files[..]) else {
        let message = "--fix needs exactly one file, and -o with the path of the fixed file";
        return Err(Failure::unusable("wrong_arguments", message));
    };
    writable(output)?;
    let mut session = open(path)?;
    let repairs: BTreeSet<Repair> = session.diagnostics.iter().filter_map(|d| d.fix).collect();
    let say = |text: String| {
        if args.out.is_text() {
            eprintln!("ulna: {}: {text}", path.display());
        }
    };
    for name in repairs.into_iter().map(Repair::command) {
        match session.run_line(&CommandLine::new(name)) {
            Ok(true) => say(format!("{name} done")),
            Ok(false) => say(format!("{name}: nothing to change")),
            Err(error) => say(format!("{name} failed: {error}")),
        }
        if let Some(note) = session.take_sentence() {
            say(format!("{name}: {note}"));
        }
    }
    session.write_to(output).map_err(|e| Failure::fault(e.code(), e))?;
    report(vec![Checked::of(output, &rules)], &rules, true, args.out)
}

fn report(checked: Vec<Checked>, rules: &Rules, is_single: bool, out: Out) -> Result<u8, Failure> {
    let status = checked.iter().map(|c| c.status(rules)).max().unwrap_or(0);
    let total = |severity| checked.iter().map(|c| c.count(severity)).sum::<usize>();
    let (errors, warnings, infos) =
        (total(Severity::Error), total(Severity::Warning), total(Severity::Info));
    let faulty = checked.iter().filter(|c| c.is_faulty(rules)).count();
    let unreadable = checked.iter().filter(|c| c.unreadable.is_some()).count();
    if out.json {
        let all = json!({
            "checked": checked.len(), "faulty": faulty, "unreadable": unreadable,
            "errors": errors, "warnings": warnings, "infos": infos,
        });
        let entries = checked.iter().map(|c| c.facts(rules, is_single)).collect();
        print(&of_files("check", entries, is_single, members(all)).to_string())?;
        return Ok(status);
    }
    if let ([Checked { unreadable: Some(failure), .. }], true) = (&checked[..], is_single) {
        eprintln!("ulna: {}", failure.message);
        return Ok(status);
    }
    if out.quiet {
        for failure in checked.iter().filter_map(|c| c.unreadable.as_ref()) {
            eprintln!("ulna: {}", failure.message);
        }
        return Ok(status);
    }
    if let ([one], true) = (&checked[..], is_single) {
        one.list("")?;
        let verdict = match one.findings.len() {
            0 => "No problems found".to_owned(),
            n => format!("{}, {}, {n} in total", many(errors, "error"), many(warnings, "warning")),
        };
        print(&verdict)?;
        return Ok(status);
    }
    for one in checked.iter().filter(|c| !c.findings.is_empty()) {
        print(&one.file.display().to_string())?;
        one.list("  ")?;
    }
    print(&format!(
        "{} checked, {} with problems, {} could not be opened; {}, {}, {} in total",
        many(checked.len(), "file"),
        faulty - unreadable,
        unreadable,
        many(errors, "error"),
        many(warnings, "warning"),
        errors + warnings + infos
    ))?;
    Ok(status)
}
