"""What Python makes of regular expressions, as regex_search_ternary and cpuinfo_check ask it."""

import random
import re

PARTS = ["a", "b", "-", "1", "\\d", "\\w", "\\s", "\\S", "\\b", "\\B", "^", "$", ".", "\\A", "\\Z", "|", "(", ")", "[", "]", "{", "}", "\\-", "\\.",
         "\\x61", "\\x6", "\\q", "(a|b)", "(?:ab)", "(?P<n>a)", "(?P<n1>a)", "(?P<n>b)", "(?P<1a>a)", "(?P<>a)", "(?P<\u00e9>a)", "(?P=n)",
         "(?i)", "(?m)", "(?s)", "(?im)", "(?i:A)", "(?-i:a)", "(?-i)", "(?U)a", "(?=a)", "(?!a)", "(?<=a)", "\\1",
         "[a-c]", "[^-a]", "[a-]", "[]a]", "[^]a]", "[a^]", "[&&]", "[\\b]", "[\\w-]", "[\\]\\-a]", "[--/]", "[\u00e9-\u00fc]",
         "[\\d-x]", "[a-\\d]", "[z-a]", "[\\Z]", "[\\D]", "\u00e9"]
REPEATS = ["*", "+", "?", "*?", "??", "++", "{2}", "{1,2}", "{,2}", "{1,}", "{}", "{a}", "{999}", "{1001}", "{2,1}", "{3,1}?", "{0,4294967295}"]
TEXTS = ["", "a", "ab", "A", "b-1", "aab", "a\nb", "\u00e9", "1", "^a", "aAbB\n", "-", "]", "{2}", " a{}", "flags\t: fpu sse2\n", "a" * 1001]
# Whole ones, in the style of profiles.
WHOLE = ["vendor_id\\s*:.*GenuineIntel", "flags\\s*:.*\\bsse2\\b", "\\.rt\\d+", "^5\\.[0-9]+", "a{2000}", "(?:a{500}){500}", "((?i)a)", "x(?i)a"]


def draw(rng):
    """An expression."""
    if rng.random() < 0.05:
        return rng.choice(WHOLE)
    return "".join(rng.choice(PARTS) + (rng.choice(REPEATS) if rng.random() < 0.25 else "") for _ in range(rng.choice([1, 1, 2, 2, 3, 4])))


def found(expression, text, lines):
    """Whether it is found; None where Python doesn't take it."""
    try:
        return re.search(expression, text, re.MULTILINE if lines else 0) is not None
    except (re.error, OverflowError):
        return None


def records(seed, number):
    rng = random.Random("%s/expressions" % seed)
    for _ in range(number):
        expression, text, lines = draw(rng), rng.choice(TEXTS), rng.random() < 0.5
        yield {"expression": expression, "text": text, "lines": lines, "found": found(expression, text, lines)}
