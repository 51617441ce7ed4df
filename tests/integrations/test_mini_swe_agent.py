"""mini-swe-agent with a model that prunes: one task, every tool a command of the shell."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prunus import Pruner
from tests.integrations.scenario import MODEL, ONE_TURN, PROMPTS, SYSTEM, Played, ToolCall, assert_sound

pytest.importorskip(
    "minisweagent", reason="mini-swe-agent is not installed: make integrations FRAMEWORKS=mini-swe-agent"
)

import litellm
import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models import get_model_class
from minisweagent.models.litellm_model import LitellmModel

from prunus.integrations.mini_swe_agent import PrunedModel

DONE = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
CONFIGURATION = Path(__file__).parents[2] / "docs" / "integrations" / "mini_swe_agent.yaml"


def command_of(call: ToolCall) -> str:
    """A call of the scenario as a command."""
    match call.arguments:
        case {"path": path, "old_str": old, "new_str": new}:
            return f"sed -i {shlex.quote(f's/{old}/{new}/')} {path}"
        case {"path": path, "content": content}:
            return f"cat > {path} <<'EOF'\n{content}EOF"
        case {"path": path}:
            return f"cat {path}"
    return call.arguments["command"]


COMMANDS = {command_of(call): call for step in ONE_TURN if not isinstance(step, str) for call in step}


class Shell(LocalEnvironment):
    """Runs the commands of the scenario on its files in memory."""

    played: Played

    def execute(self, action: dict[str, Any], *_: Any, **__: Any) -> dict[str, Any]:
        call = COMMANDS.get(action["command"])
        text = self.played.workspace.run(call.tool, call.arguments) if call else action["command"].partition(" ")[2]
        output = {"output": text, "returncode": 1 if text.startswith("Error") else 0, "exception_info": ""}
        self._check_finished(output)
        return output


class Scripted:
    """Plays the scenario in place of a provider."""

    played: Played
    last: Any = None

    def _query(self, messages: list[dict[str, Any]], **_: Any) -> Any:
        move = self.played.ask([{**row, "content": row.get("content") or ""} for row in messages], self.last)
        commands = [command_of(call) for call in move.calls] or [f"echo {DONE}\n{move.text}"]
        calls = [
            {
                "id": move.id(n),
                "type": "function",
                "function": {"name": "bash", "arguments": json.dumps({"command": c})},
            }
            for n, c in enumerate(commands)
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        return litellm.ModelResponse(choices=[{"message": message}], model=MODEL)


class PlainModel(Scripted, LitellmModel):
    """The framework's own model."""


class OurModel(Scripted, PrunedModel):
    """Ours."""


def play(make: Callable[[], Pruner] | None) -> Played:
    played = Played(script=ONE_TURN)
    config: dict[str, Any] = {"model_name": f"openai/{MODEL}", "cost_tracking": "ignore_errors"}
    model: Any = OurModel(pruner=make(), **config) if make else PlainModel(**config)
    shell = Shell()
    model.played = shell.played = played
    agent = DefaultAgent(
        model, shell, system_template=SYSTEM, instance_template="{{task}}", step_limit=0, cost_limit=0
    )
    played.answers.append(agent.run(PROMPTS[0])["submission"].strip())
    kept = [{key: row[key] for key in row if key in _CHAT} for row in agent.messages if row["role"] in _ROLES]
    played.stored = kept
    return played


_CHAT = ("role", "content", "tool_calls", "tool_call_id")
_ROLES = ("user", "assistant", "tool")


def test_an_agent_sends_less_and_ends_the_same() -> None:
    assert_sound(play, before=1, arguments=False)


def test_the_configuration_of_the_page_names_the_model() -> None:
    assert CONFIGURATION.name == "mini_swe_agent.yaml"
    named = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["model"]["model_class"]
    assert get_model_class("any", named) is PrunedModel
