"""Which tests a job's commands run: shell text is read as a shell would read it, and what cannot be read is said.

    reader = CommandReader(checkout=settings.checkout, files=settings.files, content=…, tables=tables_with(wrappers))
    reading = reader.read(commands, working_dir=job.working_dir, environment=job.env)
    collector = Collector(files=Files.of(paths), checkout=settings.checkout, names=settings.files)
    collection = collector.collect(run)  # for each of reading.runs

Commands are read in the order in which a shell would run them, and taken to end well, or the job fails. What follows a
condition that is not known is marked `maybe`; what depends on a value that the text does not hold is `Unread`.
"""

from pipegen.commands.collecting.collect_ignores import CollectIgnores, collect_ignores
from pipegen.commands.collecting.collector import Collected, Collection, Collector
from pipegen.commands.collecting.files import Files, test_files
from pipegen.commands.collecting.pytest_settings import PytestSettings, pytest_settings
from pipegen.commands.finds import Glob, Search
from pipegen.commands.programs.tables import Carries, Launcher, Options, PytestOptions, Tables, Wrapper
from pipegen.commands.reader import CommandReader, no_content, tables_of, tables_with
from pipegen.commands.reading import (
    Called,
    Expression,
    Globbed,
    How,
    Named,
    Reading,
    Searched,
    Setting,
    Spot,
    Started,
    Target,
    TestRun,
    Tool,
    Unread,
    Why,
)
from pipegen.commands.shell.texts import Place

__all__ = [
    "Called",
    "Carries",
    "CollectIgnores",
    "Collected",
    "Collection",
    "Collector",
    "CommandReader",
    "Expression",
    "Files",
    "Glob",
    "Globbed",
    "How",
    "Launcher",
    "Named",
    "Options",
    "Place",
    "PytestOptions",
    "PytestSettings",
    "Reading",
    "Search",
    "Searched",
    "Setting",
    "Spot",
    "Started",
    "Tables",
    "Target",
    "TestRun",
    "Tool",
    "Unread",
    "Why",
    "Wrapper",
    "collect_ignores",
    "no_content",
    "pytest_settings",
    "tables_of",
    "tables_with",
    "test_files",
]
