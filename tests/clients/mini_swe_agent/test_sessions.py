import json
from typing import Any


def trajectory(*messages: dict[str, Any]) -> dict[str, Any]:
    info = {"config": {"model": {"model_name": "m"}}}
    return {"info": info, "messages": list(messages), "trajectory_format": "mini-swe-agent-1"}


def run(*commands: str) -> dict[str, Any]:
    blocks = "\n".join(f"```bash\n{command}\n```" for command in commands)
    return {"role": "assistant", "content": f"THOUGHT: hm\n\n{blocks}", "extra": {"response": {}}}


def user(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


def outcome(session, index: int) -> Any:
    return json.loads(session.messages[index]["content"])


def test_code_blocks_become_bash_calls_and_observations_json(document):
    (session,) = document(
        trajectory(
            user("Fix it"),
            run("ls\npwd"),
            user("<returncode>1</returncode>\n<output>\na </output>\n/home\n</output>"),
            run("submit"),
            user("diff --git"),
        )
    )
    asked, result = session.messages[1:]
    (call,) = asked["tool_calls"]
    assert asked["content"] == "THOUGHT: hm"
    assert call["function"] == {"name": "bash", "arguments": '{"command":"ls\\npwd"}'}
    assert result["tool_call_id"] == call["id"]
    assert outcome(session, 2) == {"returncode": 1, "output": "a </output>\n/home\n"}
    assert session.requests == (1, 3)
    assert (session.agent, session.format, session.model) == ("mini-swe-agent", "openai_chat", "m")


def test_cut_output_keeps_its_sections(document):
    cut = (
        "<returncode>0</returncode>\n<warning>\nlong\n</warning><output_head>\nA\n</output_head>\n"
        "<elided_chars>\n5 characters elided\n</elided_chars>\n<output_tail>\nZ\n</output_tail>"
    )
    (session,) = document(trajectory(user("Fix it"), run("cat big"), user(cut), run("ls")))
    assert outcome(session, 2) == {
        "returncode": 0,
        "warning": "long",
        "output_head": "A",
        "elided_chars": "5 characters elided",
        "output_tail": "Z",
    }


def test_a_command_that_timed_out_has_failed(document):
    late = "The last command <command>sleep 99</command> timed out and has been killed."
    (session,) = document(trajectory(user("Fix it"), run("sleep 99"), user(late), run("ls")))
    assert outcome(session, 2) == {"returncode": -1, "output": late}


def test_answers_that_the_harness_refused_stay_text(document):
    refused = user("Give EXACTLY ONE action")
    (session,) = document(trajectory(user("Fix it"), run("ls", "pwd"), refused, run("ls")))
    assert session.messages[1:] == ({"role": "assistant", "content": run("ls", "pwd")["content"]}, refused)


def test_a_command_that_got_no_outcome_did_not_run(document):
    refused = user("Not allowed")
    (session,) = document(trajectory(user("Fix it"), run("rm -r /"), refused, run("ls")))
    assert session.messages[1:] == ({"role": "assistant", "content": run("rm -r /")["content"]}, refused)


def test_calls_of_version_two_stay_as_they_are(document):
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    (session,) = document(
        trajectory(
            user("Fix it"),
            {"role": "assistant", "content": "", "tool_calls": [call], "extra": {}},
            {"role": "tool", "tool_call_id": "c", "content": "{}", "extra": {}},
            {"role": "exit", "content": "diff"},
        )
    )
    assert session.messages[1:] == (
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "{}"},
    )
