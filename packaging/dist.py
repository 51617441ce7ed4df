"""Build Prunus as others get it, check it, and run it from a clean environment.

`make dist` leaves an sdist, a wheel and a Homebrew formula in `dist/`. `--released` also fails while the address of
the project is a placeholder, which a release must not show.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
FORMULA = ROOT / "packaging" / "homebrew" / "prunus.rb"
PLACEHOLDER = "prunus.example"


def main(arguments: list[str]) -> int:
    """Do all steps; the first one that fails ends the program."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if "--released" in arguments and (problems := unreleasable(project, os.environ.get("GITHUB_REF_NAME", ""))):
        print("\n".join(problems), file=sys.stderr)
        return 1
    shutil.rmtree(DIST, ignore_errors=True)
    # The wheel is built from the sdist, so the sdist is whole.
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    [sdist], [wheel] = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(wheel))
    try_out(wheel, project["version"])
    (DIST / FORMULA.name).write_text(formula(project["version"], sdist.read_bytes()), encoding="utf-8")
    print(f"{DIST.name}/: {', '.join(sorted(path.name for path in DIST.iterdir()))}")
    return 0


def unreleasable(project: dict[str, object], tag: str) -> list[str]:
    """Return the reasons why these packages must not be published."""
    problems = []
    texts = [(ROOT / "pyproject.toml"), FORMULA]
    for path in texts:
        if PLACEHOLDER in path.read_text(encoding="utf-8"):
            problems.append(f"{path.name}: put the address of the project in place of {PLACEHOLDER}")
    if tag and tag != f"v{project['version']}":
        problems.append(f"the tag is {tag}, the version {project['version']}")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(str(project['version']))}\b", changelog, re.MULTILINE):
        problems.append(f"CHANGELOG.md has no heading for {project['version']}")
    return problems


def try_out(wheel: Path, version: str) -> None:
    """Install the wheel into an empty environment, and run what a new user runs."""
    with tempfile.TemporaryDirectory(prefix="prunus-dist-") as name:
        home = Path(name) / "home"
        home.mkdir()
        environment = Path(name) / "venv"
        venv.create(environment, with_pip=True)
        programs = environment / ("Scripts" if os.name == "nt" else "bin")
        python, prunus = str(programs / "python"), str(programs / "prunus")
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "PYTHON"))}
        clean |= {"HOME": str(home), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        said = run(prunus, "--version", env=clean, cwd=home, shown=False)
        assert said.strip() == f"prunus {version}", said
        run(prunus, "demo", env=clean, cwd=home)
        run(prunus, "run", "--store", "off", python, "-c", "print('prunus run works')", env=clean, cwd=home)
        run(prunus, "setup", env=clean, cwd=home, shown=False)


def formula(version: str, sdist: bytes) -> str:
    """Return the Homebrew formula of this sdist; `brew update-python-resources` adds the packages it needs."""
    text = FORMULA.read_text(encoding="utf-8")
    return text.replace("@VERSION@", version).replace("@SHA256@", hashlib.sha256(sdist).hexdigest())


def run(*command: str, env: dict[str, str] | None = None, cwd: Path | None = None, shown: bool = True) -> str:
    """Run a command, and return what it prints. A failed command ends the program."""
    done = subprocess.run(command, env=env, cwd=cwd, stdout=subprocess.PIPE, text=True)
    if shown or done.returncode:
        print(done.stdout, end="", flush=True)
    if done.returncode:
        raise SystemExit(f"failed with code {done.returncode}: {' '.join(command)}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
