//! Choice of the vector instructions for long loops: the widest that the processor supports, unless
//! an environment variable forbids them.

use std::sync::OnceLock;

use pulp::Arch;

/// Name of the environment variable that sets the widest allowed vectors: `avx512`, `avx2` or
/// `scalar`. It allows testing the code for older processors on a newer one.
pub const VECTORS_VARIABLE: &str = "ULNA_VECTORS";

/// Instruction set that vectorized loops use. It is chosen at the first call; later changes of the
/// environment have no effect.
pub fn vectors() -> Arch {
    static CHOSEN: OnceLock<Arch> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let wish = std::env::var(VECTORS_VARIABLE).unwrap_or_default();
        up_to(&wish).unwrap_or_else(|| {
            log::warn!(
                "{VECTORS_VARIABLE}={wish} is not recognized and has no effect. Use avx512, \
                avx2 or scalar."
            );
            Arch::new()
        })
    })
}

/// The widest vectors of this processor, up to the named ones; `None` for an unknown name.
fn up_to(name: &str) -> Option<Arch> {
    match name {
        "" | "avx512" => Some(Arch::new()),
        #[cfg(target_arch = "x86_64")]
        "avx2" => Some(pulp::x86::V3::try_new().map_or(Arch::Scalar, Arch::V3)),
        #[cfg(not(target_arch = "x86_64"))]
        "avx2" => Some(Arch::new()),
        "scalar" => Some(Arch::Scalar),
        _ => None,
    }
}

/// AVX2 with FMA, for loops that are written for eight lanes. `None` if the processor lacks these
/// instructions or the environment variable forbids them.
#[cfg(target_arch = "x86_64")]
pub fn eight_lanes() -> Option<pulp::x86::V3> {
    (!matches!(vectors(), Arch::Scalar)).then(pulp::x86::V3::try_new).flatten()
}

/// Display name of the instruction set that [`vectors`] returns: `AVX-512`, `AVX2` or `no vector
/// instructions`. Processors other than x86 have other names, such as `NEON`.
pub fn vectors_in_use() -> &'static str {
    match vectors() {
        Arch::Scalar => "no vector instructions",
        #[cfg(target_arch = "x86_64")]
        Arch::V3(_) => "AVX2",
        #[cfg(target_arch = "x86_64")]
        Arch::V4(_) => "AVX-512",
        _ => "vector instructions",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_widest_vectors_of_the_machine_are_used() {
        // The features that pulp requires for 512-bit vectors. Nearly all processors have AVX2 with
        // FMA.
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        let eight = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let name = |arch: Option<Arch>| match arch.unwrap() {
            Arch::V4(_) => "avx512",
            Arch::V3(_) => "avx2",
            _ => "scalar",
        };
        let widest = if wide {
            "avx512"
        } else if eight {
            "avx2"
        } else {
            "scalar"
        };
        assert_eq!(name(up_to("")), widest);
        assert_eq!(name(up_to("avx512")), widest);
        assert_eq!(name(up_to("avx2")), if eight { "avx2" } else { "scalar" });
        assert_eq!(name(up_to("scalar")), "scalar");
        assert!(up_to("sse9").is_none());
    }
}
