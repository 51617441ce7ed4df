"""mini-swe-agent, on the Chat API without streaming."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.e2e.clients.client import Start

__all__ = ["Mini"]


@dataclass(frozen=True, slots=True)
class Mini:
    """`mini -y`, which ends when the model submits."""

    name: str = "mini"
    package: str = "mini"
    resumes: bool = False
    upstream: str = "openai"
    compacts: tuple[str, ...] | None = None

    def command(self, start: Start) -> list[str]:
        # By module: the scripts of a virtual environment name the folder in which it was made.
        return [
            str(start.program), "-m", "minisweagent.run.mini", "-m", "openai/local-model", "-y",
            "--exit-immediately", "-t", start.prompt, "-o", str(start.home / "trajectory.json"),
        ]  # fmt: skip

    def environment(self, start: Start) -> dict[str, str]:
        return {
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "OPENAI_API_KEY": "dummy",
            "OPENAI_API_BASE": f"{start.url}/v1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }

    def answer(self, start: Start, output: str) -> str:
        recorded = json.loads((start.home / "trajectory.json").read_text())
        return str(recorded["info"]["submission"]).strip()
