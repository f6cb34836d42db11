"""Text that one reader or another is known to take for something else, and what the agent takes plain scalars for."""

from pipegen.plain import Plain

RESOLVED = tuple(
    """
    null Null NULL ~ true True TRUE false False FALSE yes Yes YES no No NO on On ON off Off OFF y Y n N tRuE nULL
    0 -0 +0 1 -1 +1 08 09 007 010 0777 1_000 _1 1_ 0x1F 0X1F 0x 0o17 0O17 0b11 0B1 0b 1e3 1E5 0e0 +1e3 -1e3 1e+3 1e-3
    1.5e3 1.10 3.10 1.0 1. .5 -.5 +.5 .5_0 ._ . .. ... 1.2.3 1234e56 12e03 1e999 18446744073709551616 1,000
    .inf .Inf .INF -.inf +.INF .nan .NaN .NAN inf nan Infinity 12:30:45 190:20:30 1:30 12:30:45.5 0:0
    2024-01-02 2024-1-1 2024-01-02T03:04:05Z 2001-12-14t21:59:43.10-05:00 2024-13-01 =
    << < > | - -- --- ? : , ! & * % @ `
    - # #x [ ] { } [] {} [a] {a} ' " \\ / $ $$ ( ) !!str !x &a *a @a %YAML `a` 'a' "a" |- >- ?a -a :a a: a:b a#b
    """.split()
)
SPACED = (
    "", " ", "  ", " a", "a ", "a b", "a  b", "\t", "\ta", "a\t", "a\tb", "a: b", "a :b", "a #b", "a# b", "- a", "? a",
    ": a", ":rocket: (H200) x", "a: ", "--- a", "... a", "# a", "key: 'value'", "2001-12-14 21:59:43.10 -5",
    "{{matrix}}", "${A} {{matrix.x}}", "echo a: b", "a, b", "[a, b]", "{a: b}", "'it''s'", '"quoted"', "!build.tag",
    "*.py", "&& true",
)  # fmt: skip
LINES = (
    "\n", "\n\n", "a\n", "a\n\n", "a\nb", "a\nb\n", "a\nb\n\n\n", "\na", "\n\na\nb", " a\nb", "a\n b", "  a\n\n b\n",
    "\ta\nb", "a\n\tb\n", "a \nb", "a\nb ", "a\n \nb", "a\n ", "a\t\nb", "a\r\nb", "a\rb", "\r", "a\n\r", "# a\n# b",
    "a\n# b\nc", "---\na", "a\n---\nb", "a\n...\n", "%YAML 1.1\na", "a: b\nc: d\n", "- a\n- b", "|\n a", "a\n\n\nb",
    "a\n\u2028b", "a\n\u0085b", "a\n\x00b", "a\n\ufeffb", "a\n\x7fb", "a\nb\x1b[0m", "é\n日本語\n🚀\n",
)  # fmt: skip
CHARACTERS = (
    *(f"a{chr(code)}b" for code in (*range(0x20), *range(0x7F, 0xA1), 0xAD)),
    *(f"{char}a{char}" for char in "\u200b\u200e\u2028\u2029\u202e\u2066\ufefe\ufeff"),
    *(f"{char}a{char}" for char in "\ufdcf\ufdd2\ufdef\ufffd\ufffe\uffff"),
    "é", "日本語", "🚀", "👩‍💻", "\U0001fffe", "\U0001ffff", "\U0010fffd", "\U0010ffff", "\ud7ff\ue000",
)  # fmt: skip
SLASHES = (
    "\\",
    "\\\\",
    "\\\\\\",
    "a\\",
    "\\n",
    "\\u0041",
    "\\x41",
    "\\/",
    "\\ud83d\\ude80",
    'a"b',
    '\\"',
    "C:\\x\\",
    "'\\'",
)
DOLLARS = (
    "$", "$$", "$$$", "$a", "$A", "${A}", "$$A", "${A:-x}", "${A?}", "${#A[@]}", "${A%.*}", "${A", "${}", "$1", "$?",
    "$(a)", "$((1+1))", "a$", "$é", "$_A", "\\\\$A", "\\\\\\\\${A}", "$A$B", "{$A}", "sed -n '$p'", "awk '{print $NF}'",
    "${A:-${B:-${C}}}", "$'a\\n'", '$"a"', "$\\", "$A\\", "100$", "a\n$A\n",
)  # fmt: skip
UNCARRIABLE = ("\\$", "\\$A", "a\\${A}", "\\\\\\$", "\\\\\\$A", "$\\$A", "$$\\$", "x\n\\$(y)", "\\$\\$")

TEXTS = tuple(dict.fromkeys((*RESOLVED, *SPACED, *LINES, *CHARACTERS, *SLASHES, *DOLLARS)))
"""Everything above that every way of sending can carry."""

SCALARS: tuple[tuple[str, Plain], ...] = (
    *((word, True) for word in ("true", "True", "TRUE")),
    *((word, False) for word in ("false", "False", "FALSE")),
    *((word, None) for word in ("null", "Null", "NULL", "~", "")),
    *((word, word) for word in ("yes", "Yes", "no", "NO", "on", "off", "y", "n", "tRUE", "nULL", "~x")),
    *((word, word) for word in ("<<", "=", ".", "..", "._5", "+", "+_", "_1", "word", "/a", "a b", "é", "٣")),
    ("0", 0), ("-0", 0), ("+7", 7), ("42", 42), ("1_000", 1000), ("1__0_", 10), ("-1_0", -10),
    ("0x1F", 31), ("0X1f", 31), ("-0x1F", -31), ("0x_1", 1), ("0o17", 15), ("0O17", 15), ("+0o17", 15),
    ("0b11", 3), ("0B1", 1), ("-0b11", -3), ("010", 8), ("0_10", 8), ("00", 0), ("-010", -8),
    ("0o+17", 15), ("0b-1", -1),
    ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)), ("18446744073709551615", 2**64 - 1),
    ("0xFFFFFFFFFFFFFFFF", 2**64 - 1), ("0x1FFFFFFFFFFFFFFFF", "0x1FFFFFFFFFFFFFFFF"), ("0x", "0x"), ("0b2", "0b2"),
    ("08", 8.0), ("09", 9.0), ("-08", -8.0), ("0_8", 8.0), ("0o8", "0o8"),
    ("1.5", 1.5), ("1.10", 1.1), ("1.", 1.0), ("1.e5", 1e5), (".5", 0.5), ("-.5", -0.5), ("+.5", 0.5), (".5e3", 500.0),
    (".5_0", 0.5), (".5__0", ".5__0"), ("1_0.5", 10.5), ("1e3", 1000.0), ("1E5", 1e5),
    ("+1e3", 1000.0), ("1e+3", 1000.0),
    ("1e-3", 0.001), ("0e0", 0.0), ("1234e56", 1234e56), ("1e999", "1e999"), (".5e400", ".5e400"), ("1e-999", 0.0),
    ("0x1p4", "0x1p4"), ("1e", "1e"), ("e1", "e1"), ("1.2.3", "1.2.3"), ("-.nan", "-.nan"), ("+.nan", "+.nan"),
    ("12:30:45", "12:30:45"), ("1:30", "1:30"), ("1,000", "1,000"),
    ("2024-13-01", "2024-13-01"), ("2024-02-30", "2024-02-30"), ("2023-2-29", "2023-2-29"), ("2024-1", "2024-1"),
    ("24-01-02", "24-01-02"), ("2024-01-02T25:00:00Z", "2024-01-02T25:00:00Z"),
    ("2024-01-02T03:04:05", "2024-01-02T03:04:05"),
    ("2024-01-02 03:04:05Z", "2024-01-02 03:04:05Z"), ("2024-01-02T03:04:05+25:00", "2024-01-02T03:04:05+25:00"),
    ("2024-01-02x", "2024-01-02x"),
)  # fmt: skip
"""Plain scalars and what the agent makes of them; after `resolve.go` of go-yaml v3."""
