"""What the lint does in a quicker way gives what the usual way gives."""

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pipegen.commands import Collector, Files
from pipegen.commands.collecting.files import beginning, names_in
from pipegen.commands.shell.cursor import Cursor
from pipegen.commands.shell.parser import parse, read_script
from pipegen.commands.shell.syntax import Simple, Word
from pipegen.commands.shell.words import read_word
from pipegen.rules.over_trigger import _Selection
from pipegen.rules.taken import Taken

NAMES = st.sampled_from(["a", "b", "a-b", "a.py", "a0", "A", "_", "é", "pytest.ini"])
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), max_size=12)
WORDS = st.text(st.sampled_from("ab-_./=:,+@%09{}~*?[]!#é"), min_size=1, max_size=6)


def read_one_by_one(text: str) -> list[Word]:
    """The words of a text, each by the reader of any word."""
    cursor = Cursor(text=text, script=read_script)
    found = []
    while not cursor.ended:
        if cursor.starts(" "):
            cursor.position += 1
        elif (word := read_word(cursor)) is not None:
            found.append(word)
    return found


@settings(max_examples=50, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4))
@example(["--a=b,c:d+e/f.g", "a/b-c.py", "a=b", "-"])
@example(["a{b,c}", "~", "09"])
def test_plain_words_are_read_as_any_word(words: list[str]) -> None:
    assume(not any(word.startswith("#") for word in words))
    text = " ".join(["echo", *words])
    command = parse(text).script.lists[0].first.commands[0]
    assert isinstance(command, Simple)
    assert list(command.words) == read_one_by_one(text)


@settings(max_examples=50, deadline=None)
@given(PATHS, st.lists(NAMES, max_size=2).map("/".join))
@example(["a", "a-b", "a/b"], "")
@example(["a/b", "a/b-c", "a/b/c", "a/b0"], "a")
def test_the_names_in_a_folder(paths: list[str], folder: str) -> None:
    ordered = sorted(set(paths))
    prefix = f"{folder}/" if folder else ""
    inside = [path.removeprefix(prefix).partition("/")[0] for path in ordered if path.startswith(prefix)]
    assert list(names_in(ordered, folder)) == list(dict.fromkeys(inside))


@settings(max_examples=50, deadline=None)
@given(PATHS)
def test_folders_with_settings_of_pytest(paths: list[str]) -> None:
    files = Files.of(paths)
    rooted = {folder for folder in files.folders if f"{folder}/pytest.ini".removeprefix("/") in files.known}
    assert Collector(files=files, checkout="/checkout").rooted == rooted


PATTERNS = st.one_of(
    st.lists(NAMES, min_size=1, max_size=2).map("/".join), st.sampled_from(["**/a", "a/*", "!a/b", "*.py"])
)


@settings(max_examples=50, deadline=None)
@given(
    PATHS, st.lists(st.lists(PATTERNS, min_size=1, max_size=3), max_size=4), st.lists(NAMES, min_size=1).map("/".join)
)
def test_only_lists_that_are_near_select_all_of_a_folder(paths: list[str], lists: list[list[str]], path: str) -> None:
    taken = Taken.of(Files.of(paths))
    selection = _Selection.of([(tuple(texts), 1) for texts in lists], beside=0, taken=taken, jobs=len(lists))
    files = taken.at(path)
    assert selection.by(path) == (sum(not files & ~taken.by_list(texts) for texts in lists) if files else 0)


@settings(max_examples=50, deadline=None)
@given(PATHS, st.text("ab-/.é", max_size=3))
@example(["a", "a-b", "a/b", "b"], "a")
@example(["a", "b"], "")
def test_the_paths_that_begin_with_a_text(paths: list[str], text: str) -> None:
    ordered = sorted(set(paths))
    start, end = beginning(ordered, text)
    assert ordered[start:end] == [path for path in ordered if path.startswith(text)]
