"""What this project promises about itself: its README, its CI, its files, its wheel."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import pipegen
from pipegen.app.upload import DEADLINE_MINUTES
from tests import regenerate

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "pipegen"


def read(path: str) -> str:
    return (REPOSITORY / path).read_text(encoding="utf-8")


def readme_command(name: str) -> str:
    """The command below the README's marker of that name; CI reads it in the same way."""
    found = re.findall(rf"^<!-- command: {name} -->\n```sh\n(.*?)\n```$", read("README.md"), re.M | re.S)
    assert len(found) == 1, f'README.md has {len(found)} commands named "{name}"'
    return str(found[0])


@pytest.fixture(scope="module")
def project_files() -> tuple[str, ...]:
    """Every file that is, or is about to be, in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    )
    files = listed.stdout.decode().split("\0")[:-1]
    return tuple(sorted(file for file in set(files) if (REPOSITORY / file).is_file()))


class TestReadme:
    @pytest.mark.parametrize("name", ["generate", "test"])
    def test_a_command_is_one_line_to_paste(self, name: str) -> None:
        command = readme_command(name)
        assert "\n" not in command
        assert command.startswith("python3 -m venv .venv && ")

    def test_what_the_commands_end_with(self) -> None:
        assert readme_command("generate").endswith(" && .venv/bin/pipegen generate --all")
        assert readme_command("test").endswith(" && .venv/bin/pytest -n auto")

    def test_ci_runs_the_commands_as_they_stand_there(self) -> None:
        """CI's own extraction, run by bash, gives the same text, and CI has no test command beside it."""
        script = read(".ci/run")
        function = re.search(r"^readme\(\) \{.*?^\}$", script, re.M | re.S)
        assert function
        for name in ("generate", "test"):
            extracted = subprocess.run(
                ["bash", "-c", f"{function[0]}\nreadme {name}"],
                cwd=REPOSITORY,
                capture_output=True,
                text=True,
                check=True,
            )
            assert extracted.stdout == readme_command(name) + "\n"
            assert f"{name}_command=$(readme {name})" in script
            assert f'bash -euo pipefail -c "${name}_command"' in script

    def test_local_links_lead_somewhere(self, project_files: tuple[str, ...]) -> None:
        for page in (file for file in project_files if file.endswith(".md")):
            for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", read(page)):
                assert (REPOSITORY / page).parent.joinpath(target).exists(), f'{page} links to "{target}"'


class TestChecks:
    def test_hooks_run_what_ci_runs(self) -> None:
        """A commit that passes the hooks is not refused by CI for its form."""
        hooks = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
        assert [repo["repo"] for repo in hooks] == ["local"]
        script = read(".ci/run")
        for hook in hooks[0]["hooks"]:
            assert hook["language"] == "system"
            command = hook["entry"].removesuffix(" --force-exclude")
            assert re.search(rf"^check .* {re.escape(command)}( \.)?$", script, re.M), command

    def test_generated_files_are_up_to_date(self) -> None:
        assert regenerate.stale() == (), "python -m tests.regenerate writes them"

    def test_scripts_are_executable(self) -> None:
        for script in (".ci/run", ".ci/install-agent"):
            assert (REPOSITORY / script).stat().st_mode & 0o111 == 0o111, script
            assert "\nset -euo pipefail\n" in read(script)

    def test_bootstrap_is_three_lines_that_cannot_hide_a_failure(self) -> None:
        (step,) = yaml.safe_load(read(".buildkite/pipeline.yml"))["steps"]
        assert step["agents"] == {"queue": "default"}
        assert step["timeout_in_minutes"] > DEADLINE_MINUTES, "pipegen has to say itself that it gives up"
        assert len(step["commands"]) == 3
        assert step["commands"][-1].endswith(" upload")
        assert not any("|" in command or ";" in command for command in step["commands"]), "the shell ends at a failure"


class TestMetadata:
    def test_one_version(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "pipegen", "--version"], cwd=REPOSITORY, check=True, capture_output=True, text=True
        )
        assert done.stdout == f"pipegen, version {pipegen.__version__}\n"
        newest = re.search(r"^## \[(.*?)\]", read("CHANGELOG.md"), re.M)
        assert newest
        assert newest[1] == pipegen.__version__

    def test_license_is_the_apache_one(self) -> None:
        text = read("LICENSE")
        assert text.split()[:4] == ["Apache", "License", "Version", "2.0,"]
        assert "END OF TERMS AND CONDITIONS" in text
        assert tomllib.loads(read("pyproject.toml"))["project"]["license"] == "Apache-2.0"


WORKPLACE = re.compile(
    "|".join(
        (
            r"/wor" + r"k/(main|shared|steering|\.library|\.mirror)\b",
            r"/far" + r"m/",
            r"/op" + r"t/(venv|wheels)\b",
            r"/(root|home/\w+)/\." + r"(pyenv|rustup)\b",
            r"/tm" + r"p/(brief|bash_jobs)\b",
        )
    )
)
REGISTRIES = re.compile(
    "|".join(
        (
            r"\bpypi\." + r"org\b",
            r"\bpythonhosted\." + r"org\b",
            r"\bproxy\.golang\." + r"org\b",
            r"\bsum\.golang\." + r"org\b",
            r"\bregistry\.npmjs\." + r"org\b",
            r"\bcrates\." + r"io\b",
            r"\brepo1?\.maven\." + r"(org|apache\.org)\b",
            r"\bdeb\.debian\." + r"org\b",
        )
    )
)


class TestFiles:
    @pytest.mark.parametrize("forbidden", [WORKPLACE, REGISTRIES], ids=["workplace", "registries"])
    def test_no_file_names_where_it_was_made(self, forbidden: re.Pattern[str], project_files: tuple[str, ...]) -> None:
        found = [
            f"{file}: {match[0]}"
            for file in project_files
            for match in forbidden.finditer(read_loosely(REPOSITORY / file))
        ]
        assert found == []

    def test_the_package_knows_no_project(self) -> None:
        """Names of the projects that pipegen serves are data of their workspaces; only an importer knows its source."""
        sources = [path for path in python_files() if not path.relative_to(PACKAGE).parts[0].startswith("importer")]
        word = "vl" + "lm"
        assert [str(path) for path in sources if word in path.read_text(encoding="utf-8").lower()] == []

    def test_a_module_is_one_room(self) -> None:
        lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}
        assert {path: length for path, length in lengths.items() if length > 400} == {}


def python_files() -> list[Path]:
    files = sorted(PACKAGE.rglob("*.py"))
    assert files
    return files


def read_loosely(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel that pip would install, made by the project's own build backend."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys, hatchling.build; hatchling.build.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=REPOSITORY, check=True, timeout=120)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.mark.slow
class TestWheel:
    def test_it_holds_the_package_and_the_fleet_in_one_copy(
        self, wheel: zipfile.ZipFile, project_files: tuple[str, ...]
    ) -> None:
        def placed(file: str) -> str | None:
            top, _, rest = file.partition("/")
            match top:
                case "pipegen":
                    return file
                case "templates" | "areas":
                    return f"pipegen/_fleet/{file}"
                case ".buildkite" if rest == "hardware.yaml":
                    return "pipegen/_fleet/hardware.yaml"
                case _:
                    return None

        expected = sorted(place for file in project_files if (place := placed(file)))
        packed = sorted(name for name in wheel.namelist() if ".dist-info/" not in name)
        assert packed == expected
        for required in ("pipegen/py.typed", "pipegen/_fleet/hardware.yaml", "pipegen/_fleet/templates/docker.yaml.j2"):
            assert required in packed

    def test_its_metadata(self, wheel: zipfile.ZipFile) -> None:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = wheel.read(name).decode()
        assert f"\nVersion: {pipegen.__version__}\n" in metadata
        assert "\nLicense-Expression: Apache-2.0\n" in metadata
        assert any(entry.endswith("/licenses/LICENSE") for entry in wheel.namelist())

    def test_it_works_away_from_the_checkout(self, wheel: zipfile.ZipFile, tmp_path: Path) -> None:
        """The packaged templates serve a workspace that has none."""
        wheel.extractall(tmp_path / "installed")
        (tmp_path / "fleet/.buildkite").mkdir(parents=True)
        (tmp_path / "fleet/areas").mkdir()
        for path, text in SMALL_FLEET.items():
            (tmp_path / "fleet" / path).write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pipegen", "generate", "--all"],
            cwd=tmp_path / "fleet",
            env={"PYTHONPATH": str(tmp_path / "installed")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        (group,) = yaml.safe_load(done.stdout)["steps"]
        assert [step["key"] for step in group["steps"]] == ["one"]


SMALL_FLEET = {
    ".buildkite/pipegen.yaml": "version: 1\nowners: {me: {}}\nlanes: {cpu: {}}\n",
    ".buildkite/hardware.yaml": "hardware: {cpu: {title: CPU, lane: cpu, queue: q, template: plain, depends_on: []}}\n",
    "areas/a.yaml": "group: G\nowner: me\nareas:\n  one: {tests: [one/], hardware: cpu, timeout_in_minutes: 5}\n",
}
