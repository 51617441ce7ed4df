"""The frameworks that Prunus integrates with, at the lowest and at the newest version that we test.

`python -m tests.integrations.frameworks langchain httpx` installs each into an environment of its own and runs its
tests there; all of them without a name, at the lowest versions with `--lowest`. Names joined by `+` share one
environment, which takes less time where their requirements fit together: `langchain+httpx litellm`. As many
environments as there are processors are made at once. They are kept in `$PRUNUS_FRAMEWORKS`, or in
`prunus-frameworks` in the user's cache directory.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

__all__ = ["FRAMEWORKS", "Framework"]

ROOT: Final = Path(__file__).parents[2]
MINUTES: Final = 20
"""How long an installation may take."""
TESTING: Final = ("pytest==9.2.0", "hypothesis==6.170.15")
OFFLINE: Final = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
"""Otherwise litellm asks the network for prices when it is imported; if that fails, litellm 1.105 may deadlock."""


@dataclass(frozen=True, slots=True)
class Framework:
    """One framework: what to install, and which tests to run with it."""

    name: str
    newest: tuple[str, ...]
    lowest: tuple[str, ...]
    python: str = ""
    """The version of Python that it needs, where that is newer than ours."""

    @property
    def file(self) -> str:
        """The file of its tests."""
        return f"tests/integrations/test_{self.name.replace('-', '_')}.py"


FRAMEWORKS: Final = {
    one.name: one
    for one in (
        Framework(
            "langchain",
            ("langchain==1.4.7", "langgraph==1.2.20", "langchain-core==1.7.2", "langchain-anthropic==1.7.7"),
            ("langchain==1.1.0", "langgraph==1.0.2", "langgraph-prebuilt==1.0.2"),
        ),
        Framework(
            "httpx",
            ("httpx==0.28.1", "httpx2==2.16.0", "anthropic==2.10.0", "openai==3.51.0", "google-genai==3.3.0"),
            ("httpx==0.28.1", "anthropic==0.70.0", "openai==2.0.0", "google-genai==1.60.0"),
        ),
        Framework("litellm", ("litellm[proxy]==1.106.2",), ("litellm[proxy]==1.106.2",)),
        Framework("openai-agents", ("openai-agents==0.24.0",), ("openai-agents==0.24.0",)),
        Framework("google-adk", ("google-adk==2.13.0",), ("google-adk==2.13.0",)),
        Framework("openhands", ("openhands-sdk==1.58.0",), ("openhands-sdk==1.58.0",), python="3.12"),
        Framework("mini-swe-agent", ("mini-swe-agent==2.4.6",), ("mini-swe-agent==2.4.6",)),
        Framework("pydantic-ai", ("pydantic-ai-slim==2.66.0",), ("pydantic-ai-slim==2.56.0",)),
        Framework("strands", ("strands-agents==1.62.0",), ("strands-agents==1.62.0",)),
        Framework("agent-framework", ("agent-framework-core==1.23.0",), ("agent-framework-core==1.23.0",)),
        Framework("inspect-ai", ("inspect-ai==0.3.285",), ("inspect-ai==0.3.285",)),
        Framework("smolagents", ("smolagents==1.26.0",), ("smolagents==1.22.0",)),
        Framework("llama-index", ("llama-index-core==0.14.25",), ("llama-index-core==0.14.6",)),
        Framework("crewai", ("crewai==1.15.30",), ("crewai==1.15.30",)),
    )
}


class NotInstalled(Exception):
    """A framework that could not be installed here, with the reason."""


def cache_folder() -> Path:
    """Where environments are kept between runs."""
    named = os.environ.get("PRUNUS_FRAMEWORKS")
    return Path(named) if named else platformdirs.user_cache_path("prunus-frameworks", appauthor=False)


def environment(frameworks: Sequence[Framework], *, lowest: bool = False) -> Path:
    """The Python of an environment with these frameworks, made now if it is not there yet."""
    pins = (pin for one in frameworks for pin in (one.lowest if lowest else one.newest))
    wanted = sorted({*_own_dependencies(), *TESTING, *pins})
    python = _python(max(frameworks, key=lambda one: one.python))
    mark = hashlib.sha256("\n".join([python, *wanted]).encode()).hexdigest()[:12]
    name = "+".join(one.name for one in frameworks)
    place = cache_folder() / f"{name}-{mark}"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=place.parent))
        try:
            for command in _commands(python, work, wanted):
                _run(command)
            work.rename(place)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return place / "bin" / "python"


def _own_dependencies() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["dependencies"])


def _python(framework: Framework) -> str:
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not framework.python or tuple(map(int, framework.python.split("."))) <= sys.version_info[:2]:
        return sys.executable
    found = shutil.which(f"python{framework.python}")
    # What is found may be a shim for a version that is not installed.
    if found is None or subprocess.run([found, "-c", ""], capture_output=True).returncode:
        raise NotInstalled(
            f"{framework.name} needs Python {framework.python}; this is {ours}, and no other is here"
        )
    return found


def _commands(python: str, work: Path, wanted: Iterable[str]) -> Iterator[list[str]]:
    inside = str(work / "bin" / "python")
    if uv := shutil.which("uv"):
        # The environment is moved once it is whole, so its scripts must not name the folder it was made in.
        yield [uv, "venv", "--quiet", "--allow-existing", "--relocatable", "--python", python, str(work)]
        yield [uv, "pip", "install", "--quiet", "--python", inside, *wanted]
        return
    yield [python, "-m", "venv", str(work)]
    # Only a small part of the modules is ever imported, so compiling all of them takes more time than it saves.
    yield [inside, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", *wanted]


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MINUTES * 60)
    except subprocess.TimeoutExpired as late:
        raise NotInstalled(f"{' '.join(command[:3])} took more than {MINUTES} minutes") from late
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise NotInstalled(f"{' '.join(command[:3])} ended with {done.returncode}: {last}")


def _test(word: str, lowest: bool) -> bool:
    """Install what a word names and run its tests; False where one of both failed."""
    began = time.monotonic()
    frameworks = [FRAMEWORKS[name] for name in word.split("+")]
    try:
        python = environment(frameworks, lowest=lowest)
    except NotInstalled as reason:
        print(f"{word}: NOT INSTALLED: {reason}", flush=True)
        return False
    installed = time.monotonic()
    # Frameworks warn of what they will change themselves, which is no fault of ours.
    command = [str(python), "-m", "pytest", "-q", "-W", "ignore", "-rs", *(one.file for one in frameworks)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | OFFLINE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    took = f"{installed - began:.0f} s to install, {time.monotonic() - installed:.0f} s to test"
    print(f"{done.stdout}{word}: {'FAILED' if done.returncode else 'passed'} ({took})", flush=True)
    return done.returncode == 0


def main(words: list[str]) -> int:
    """Install and test the named frameworks; 1 when one of them failed."""
    lowest = "--lowest" in words
    named = [word for word in words if word != "--lowest"] or list(FRAMEWORKS)
    unknown = sorted({name for word in named for name in word.split("+")} - set(FRAMEWORKS))
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(FRAMEWORKS)}", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(lambda word: _test(word, lowest), named))
    failed = [word for word, good in zip(named, passed, strict=True) if not good]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
