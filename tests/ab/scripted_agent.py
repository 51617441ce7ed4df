"""A tiny coding agent on the Chat API: it asks the model, runs what the model calls, and asks again.

    python scripted_agent.py MODEL PROMPT

It needs nothing but the standard library, so that the plumbing of `prunus ab` can be tested where no agent is
installed.
"""

import json
import os
import subprocess
import sys
import urllib.request


def main(model: str, prompt: str) -> None:
    parameters = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    shell = {"name": "bash", "description": "Run a command.", "parameters": parameters}
    messages = [{"role": "system", "content": "Do the task. " * 200}, {"role": "user", "content": prompt}]
    tools = [{"type": "function", "function": shell}]
    while True:
        body = {"model": model, "messages": messages, "tools": tools}
        request = urllib.request.Request(
            os.environ["OPENAI_BASE_URL"] + "/chat/completions",
            json.dumps(body).encode(),
            {"content-type": "application/json", "authorization": "Bearer dummy"},
        )
        with urllib.request.urlopen(request) as answer:
            message = json.load(answer)["choices"][0]["message"]
        messages.append({key: value for key, value in message.items() if key != "refusal"})
        if not message.get("tool_calls"):
            print(message["content"])
            return
        for call in message["tool_calls"]:
            command = json.loads(call["function"]["arguments"])["command"]
            ended = subprocess.run(command, shell=True, capture_output=True, text=True)
            result = f"{ended.stdout}{ended.stderr}exit code {ended.returncode}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
