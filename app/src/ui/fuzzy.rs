//! How well a few typed letters fit a name: the letters in their order, the more together the better.

/// A score, larger is better; nothing where the letters do not occur in their order.
pub(crate) fn score(typed: &str, name: &str) -> Option<i32> {
    let mut letters = typed
        .chars()
        .flat_map(char::to_lowercase)
        .filter(|letter| !letter.is_whitespace())
        .peekable();
    let mut score: i32 = 0;
    let mut run: i32 = 0;
    let mut before = ' ';
    for character in name.chars() {
        let Some(letter) = letters.peek() else { break };
        if character.to_lowercase().eq(std::iter::once(*letter)) {
            run += 1;
            // Letters that stand together count more, and so does the start of a word.
            score += run * 2;
            if !before.is_alphanumeric() || before.is_lowercase() && character.is_uppercase() {
                score += 4;
            }
            letters.next();
        } else {
            run = 0;
        }
        before = character;
    }
    if letters.peek().is_some() {
        return None;
    }
    let length = i32::try_from(name.chars().count()).unwrap_or(i32::MAX);
    Some(score.saturating_sub(length / 16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_must_occur_in_order() {
        assert!(score("opf", "Open files").is_some());
        assert!(score("fo", "Open files").is_none());
        assert!(score("", "anything").is_some());
        assert!(score("x", "").is_none());
        assert!(score("ÄB", "äb").is_some());
    }

    #[test]
    fn words_and_runs_come_first() {
        assert!(score("over", "Overview") > score("over", "Copy the server's address"));
        assert!(score("of", "Open files") > score("of", "Profile"));
    }
}
