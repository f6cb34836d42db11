"""What a workspace says of programs: those that run what they are given, and options of pytest's that are its own."""

from pipegen.manifest import workspace_fields as wf
from pipegen.manifest.record import Values
from pipegen.manifest.values import either
from pipegen.model import CommandWrapper


def wrappers_of(tests: Values) -> tuple[CommandWrapper, ...]:
    """The wrappers; one in which a mistake was reported is left out."""
    return tuple(_wrapper(values) for values in tests.get(wf.WRAPPERS) or () if values.get(wf.WRAPPER_RUN))


def _wrapper(values: Values) -> CommandWrapper:
    return CommandWrapper(
        name=tuple(either(values, wf.WRAPPER_RUN, "").split()),
        carries=either(values, wf.WRAPPER_CARRIES, "command"),
        flags=either(values, wf.WRAPPER_FLAGS, ()),
        valued=either(values, wf.WRAPPER_VALUED, ()),
        skip=either(values, wf.WRAPPER_SKIP, 0),
        variable=values.get(wf.WRAPPER_VARIABLE),
        folder=values.get(wf.WRAPPER_FOLDER),
        folder_argument=values.get(wf.WRAPPER_FOLDER_ARGUMENT),
    )


def pytest_options_of(tests: Values) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options of pytest's that stand alone, and those that take the next word."""
    options = tests.get(wf.PYTEST_OPTIONS)
    if options is None:
        return (), ()
    return either(options, wf.PYTEST_FLAGS, ()), either(options, wf.PYTEST_VALUED, ())
