//! Frame and tick rates of motion files, and the formatting of numbers in messages.

/// Common rates of motion files, in ticks or frames per second.
pub const USUAL_RATES: [f64; 6] = [24.0, 25.0, 30.0, 60.0, 160.0, 4800.0];

/// Returns a warning if a rate makes the longest clip implausibly short or long; otherwise `None`.
/// `longest` is the duration of that clip in seconds, and `keys` its number of keys.
pub fn unlikely_rate(longest: f64, rate: f64, keys: usize) -> Option<String> {
    /// Range of plausible durations, in seconds.
    const SHORTEST: f64 = 0.1;
    const LONGEST: f64 = 3600.0;
    if keys < 3 || (SHORTEST..=LONGEST).contains(&longest) {
        return None;
    }
    let lasts = |usual: f64| (usual, longest * rate / usual);
    let likely =
        USUAL_RATES.into_iter().map(lasts).filter(|(_, t)| (SHORTEST..=LONGEST).contains(t));
    let offers: Vec<String> = likely.map(|(usual, t)| format!("{usual} ({t:.2} s)")).collect();
    let offers = if offers.is_empty() {
        String::new()
    } else {
        format!("; likely rates are {}", offers.join(", "))
    };
    Some(format!(
        "its longest clip lasts {longest:.3} s at a rate of {} per second, which is \
            unlikely{offers}",
        short(rate)
    ))
}

/// Formats a number with six significant digits.
pub fn short(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return value.to_string();
    }
    let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
