//! Numbers as people read them.

/// A number with a comma between thousands: `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number that may be negative.
pub(crate) fn signed(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", count(number.unsigned_abs()))
}

/// A number and its noun: `1 failure`, `3 failures`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Bytes in decimal units: `0 B`, `999 B`, `1.2 kB`, `108 MB`.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if number < 1000 {
        return format!("{number} B");
    }
    #[allow(clippy::cast_precision_loss)] // Shown with three digits.
    let mut value = number as f64;
    let mut name = "B";
    for unit in UNITS {
        value /= 1000.0;
        name = unit;
        if value < 999.5 {
            break;
        }
    }
    if value < 99.95 {
        format!("{value:.1} {name}")
    } else {
        format!("{value:.0} {name}")
    }
}

/// A length of time: `340 µs`, `12 ms`, `1.25 s`, `75.6 s`, `12 min 4 s`.
pub(crate) fn seconds(value: f64) -> String {
    if !value.is_finite() {
        return "unknown".to_owned();
    }
    let size = value.abs();
    if size == 0.0 {
        "0 s".to_owned()
    } else if size < 0.000_999_5 {
        format!("{:.0} µs", value * 1e6)
    } else if size < 0.999_5 {
        format!("{:.0} ms", value * 1e3)
    } else if size < 9.995 {
        format!("{value:.2} s")
    } else if size < 599.95 {
        format!("{value:.1} s")
    } else {
        let whole = value.round();
        let minutes = (whole / 60.0).trunc();
        format!("{minutes} min {} s", whole - minutes * 60.0)
    }
}

/// How much of a whole is done, in percent, rounded down so that 100 means all.
pub(crate) fn percent(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100)
        .checked_div(whole)
        .unwrap_or(0)
        .min(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(signed(-1234), "-1,234");
        assert_eq!(counted(1, "failure", "failures"), "1 failure");
        assert_eq!(counted(0, "failure", "failures"), "0 failures");
    }

    #[test]
    fn bytes_have_three_digits_at_the_most() {
        for (number, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (99_949, "99.9 kB"),
            (99_951, "100 kB"),
            (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (108_000_000, "108 MB"),
            (4_300_000_000, "4.3 GB"),
        ] {
            assert_eq!(bytes(number), text);
        }
        assert_eq!(bytes(u64::MAX), "18447 PB");
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        for (value, text) in [
            (0.0, "0 s"),
            (0.00034, "340 µs"),
            (0.012, "12 ms"),
            (0.9996, "1.00 s"),
            (1.254, "1.25 s"),
            (75.64, "75.6 s"),
            (724.0, "12 min 4 s"),
            (f64::NAN, "unknown"),
        ] {
            assert_eq!(seconds(value), text);
        }
    }

    #[test]
    fn percent_says_100_only_at_the_end() {
        assert_eq!(percent(0, 0), 0);
        assert_eq!(percent(999, 1000), 99);
        assert_eq!(percent(1000, 1000), 100);
        assert_eq!(percent(u64::MAX, 1), 100);
    }
}
